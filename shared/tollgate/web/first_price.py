"""The price of an incomplete form, from the fields on which the price depends. Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import Quote, quote
from tollgate.catalog.rules import CheckedInput
from tollgate.kit.problems import Problem

# The first words of a message about a missing value (catalog/rules.py, catalog/checking.py).
MISSING = ("Required", "Needs ", "For ")


def is_missing(problem: Problem) -> bool:
    """Return whether a problem is a missing value, not a wrong one."""
    return problem.message.startswith(MISSING)


def field_of(problem: Problem) -> str:
    """Return the field of a problem: `urls` for `/input/urls/0`, or an empty text if it has none."""
    parts = problem.path.split("/")
    return parts[2] if problem.path.startswith("/input/") else ""


def first_price(model: Model, values: Mapping[str, Any]) -> Quote | None:
    """Return the price of an input that is not complete; the values so far are valid.

    Returns `None` if the price depends on the length of a file.
    """
    fields = model.input_class.published()
    defaults = {name: info.default for name, info in fields.items() if not info.is_required()}
    known = {name: value for name, value in (defaults | dict(values)).items() if value is not None}
    try:
        return quote(model, CheckedInput(known, frozenset(values)))
    except UnknownPriceError:
        return None
