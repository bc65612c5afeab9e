"""Every error that customers can receive, from the packages that raise them."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType

import tollgate.accounts.errors
import tollgate.budgets.errors
import tollgate.kit.errors
import tollgate.ledger.errors
import tollgate.payments.errors
import tollgate.projects.errors
import tollgate.quotes.errors
import tollgate.run_tokens.errors
import tollgate.subaccounts.errors
import tollgate.tasks.errors
import tollgate.text.wire.errors
import tollgate.webhooks.errors
import tollgate.workflows.errors
from tollgate.kit.errors import TollgateError

# `text` is last: two of its errors have the code of another one, with the status that text routes send.
MODULES: tuple[ModuleType, ...] = (
    tollgate.kit.errors,
    tollgate.accounts.errors,
    tollgate.budgets.errors,
    tollgate.ledger.errors,
    tollgate.payments.errors,
    tollgate.projects.errors,
    tollgate.quotes.errors,
    tollgate.run_tokens.errors,
    tollgate.subaccounts.errors,
    tollgate.tasks.errors,
    tollgate.webhooks.errors,
    tollgate.workflows.errors,
    tollgate.text.wire.errors,
)


@cache
def errors() -> Mapping[str, type[TollgateError]]:
    """Return all errors that customers can receive, by code."""
    return {error.code: error for module in MODULES for error in errors_of(module)}


def errors_of(module: ModuleType) -> Iterator[type[TollgateError]]:
    """Yield the classes of errors that a module defines."""
    for value in vars(module).values():
        is_error = isinstance(value, type) and issubclass(value, TollgateError)
        if is_error and value is not TollgateError and value.__module__ == module.__name__:
            yield value
