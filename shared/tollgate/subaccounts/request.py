"""The bodies of requests about sub-accounts, each checked as a whole (site/subaccounts.md). Pure."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tollgate.accounts.key_request import MAX_CAP_CENTS, read_name
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.fields import Readers, number_within, read_fields
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.problems import Problem, unknown_fields
from tollgate.ledger.families import MAX_MARKUP_PERCENT
from tollgate.ledger.holds import MAX_HOLDS
from tollgate.ledger.wallets import Limits
from tollgate.low_balance.rules import LowBalanceSettings
from tollgate.webhooks.receivers import url_problem

MAX_REASON_LENGTH = 200
# The limits of all accounts (site/limits.md).
MAX_RUNNING_TASKS = 100
MAX_THRESHOLD_CENTS = 1_000_000
# The limit of all accounts is the operator's choice (REQUESTS_PER_MINUTE); a higher one has no effect here.
MAX_REQUESTS_PER_MINUTE = 100_000

Read = dict[str, Any]


def read_subaccount(body: Mapping[str, Any], guard: AddressGuard, *, is_new: bool = False) -> Read:
    """Return the fields in a body: `name`, `markup_percent`, `limits`, `low_balance`, `suspended`.

    Missing fields are left out. Raises `InvalidInputError` with every problem.
    """
    readers: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "name": ("name", read_name),
        "markupPercent": ("markup_percent", _markup),
        "limits": ("limits", _limits),
        "alert": ("low_balance", lambda value: _low_balance(value, guard)),
    }
    if not is_new:
        readers["suspended"] = ("suspended", _is_suspended)
    return _read(body, readers, ["name"] if is_new else [])


def read_transfer(body: Mapping[str, Any]) -> Read:
    """Return `amountCents`, which is not 0, and `reason`. Raises `InvalidInputError` with every problem."""
    readers: Readers = {
        "amountCents": ("cents", _cents),
        "reason": ("reason", _reason),
    }
    return _read(body, readers, ["amountCents"])


def _read(body: Mapping[str, Any], readers: Readers, required: list[str]) -> Read:
    problems = unknown_fields(body, list(readers))
    problems += [Problem(f"/{name}", "Required.") for name in required if name not in body]
    found, wrong = read_fields(body, readers)
    if problems or wrong:
        raise InvalidInputError([*problems, *wrong])
    return found


def _markup(value: Any) -> int:
    return number_within("/markupPercent", value, 0, MAX_MARKUP_PERCENT)


def _cents(value: Any) -> int:
    cents = number_within("/amountCents", value, -MAX_CAP_CENTS, MAX_CAP_CENTS)
    if not cents:
        raise InvalidInputError(
            [Problem("/amountCents", "Must not be 0.", "above 0 to credit, below 0 to take back")]
        )
    return cents


def _reason(value: Any) -> str:
    allowed = f"1 to {MAX_REASON_LENGTH} printable characters"
    if (
        not isinstance(value, str)
        or not 0 < len(value.strip()) <= MAX_REASON_LENGTH
        or not value.isprintable()
    ):
        raise InvalidInputError([Problem("/reason", f"Must have {allowed}.", allowed)])
    return value.strip()


def _is_suspended(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInputError([Problem("/suspended", "Must be true or false.", [True, False])])
    return value


def _limits(value: Any) -> Limits:
    most = {
        "textAtOnce": ("text_at_once", MAX_HOLDS),
        "requestsPerMinute": ("requests_per_minute", MAX_REQUESTS_PER_MINUTE),
        "runningTasks": ("running_tasks", MAX_RUNNING_TASKS),
    }
    sent = {} if value is None else value
    if not isinstance(sent, dict):
        raise InvalidInputError([Problem("/limits", "Must be an object, or null.", '{"textAtOnce": 5}')])
    readers: Readers = {
        name: (field, partial(_limit, f"/limits/{name}", highest)) for name, (field, highest) in most.items()
    }
    found, wrong = read_fields({name: one for name, one in sent.items() if one is not None}, readers)
    if problems := [*unknown_fields(sent, list(most), "/limits"), *wrong]:
        raise InvalidInputError(problems)
    return Limits(**found)


def _limit(path: str, highest: int, value: Any) -> int:
    return number_within(path, value, 1, highest)


def _low_balance(value: Any, guard: AddressGuard) -> LowBalanceSettings:
    if value is None:
        return LowBalanceSettings()
    if not isinstance(value, dict):
        example = '{"thresholdCents": 100, "webhook": "https://example.com/low"}, or null for none'
        raise InvalidInputError([Problem("/alert", "Must be an object, or null.", example)])
    problems = unknown_fields(value, ["thresholdCents", "webhook"], "/alert")
    webhook, threshold = value.get("webhook"), 0
    try:
        sent = value.get("thresholdCents")
        threshold = number_within("/alert/thresholdCents", sent, 1, MAX_THRESHOLD_CENTS)
    except InvalidInputError as exc:
        problems += exc.problems
    if webhook is not None and (problem := url_problem("/alert/webhook", webhook, guard)) is not None:
        problems.append(problem)
    if problems:
        raise InvalidInputError(problems)
    return LowBalanceSettings(threshold_cents=threshold, webhook=webhook)
