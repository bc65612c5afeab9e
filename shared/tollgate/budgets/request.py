"""A request's fields of a budget, checked as a whole (site/budgets.md). Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, not_whole, one_of, unknown_fields
from tollgate.ledger.attribution import MAX_USER_LENGTH, PROJECT, USER, is_tag_name
from tollgate.ledger.budgets import ACCOUNT, KEY, TAG, BudgetPeriod
from tollgate.webhooks.receivers import url_problem

MAX_NAME_LENGTH = 100
MAX_LIMIT_CENTS = 2**31 - 1
_SCOPES = f"{ACCOUNT}, {PROJECT}, {KEY}, {USER}, or {TAG} and the name of a tag, such as {TAG}team"


def read_budget(body: Mapping[str, Any], guard: AddressGuard, *, is_new: bool = False) -> dict[str, Any]:
    """Return the fields of `Budget` in a body; missing fields are left out.

    A new budget must have a name, a scope, a limit and a period. The scope and the value of a budget never
    change. `guard` checks the address of a webhook. Raises `InvalidInputError` with every problem.
    """

    def webhook(value: Any, found: dict[str, Any]) -> Problem | None:
        found["webhook"] = value
        return None if value is None else url_problem("/webhook", value, guard)

    readers = {"name": _name, "limitCents": _limit, "per": _period, "webhook": webhook}
    if is_new:
        readers |= {"scope": _scope, "value": _value}
    problems = unknown_fields(body, list(readers))
    for name in ("name", "scope", "limitCents", "per") if is_new else ():
        if name not in body:
            problems.append(Problem(f"/{name}", "Required."))
    found: dict[str, Any] = {}
    for name, read in readers.items():
        if name in body:
            problem = read(body[name], found)
            if problem is not None:
                problems.append(problem)
    if is_new and found.get("scope") == ACCOUNT and found.get("value") is not None:
        problems.append(Problem("/value", "The account has no values.", "null"))
    if problems:
        raise InvalidInputError(problems)
    return found


def _name(value: Any, found: dict[str, Any]) -> Problem | None:
    text = value.strip() if isinstance(value, str) else ""
    if not text or not text.isprintable() or len(text) > MAX_NAME_LENGTH:
        return _must_be("/name", f"1 to {MAX_NAME_LENGTH} printable characters")
    found["name"] = text
    return None


def _limit(value: Any, found: dict[str, Any]) -> Problem | None:
    cents = whole_number(value)
    if cents is None or not 0 <= cents <= MAX_LIMIT_CENTS:
        return not_whole("/limitCents", 0, MAX_LIMIT_CENTS)
    found["limit_micro_usd"] = micro_usd_of_cents(cents)
    return None


def _period(value: Any, found: dict[str, Any]) -> Problem | None:
    if value not in [str(period) for period in BudgetPeriod]:
        return one_of("/per", BudgetPeriod)
    found["per"] = BudgetPeriod(value)
    return None


def _scope(value: Any, found: dict[str, Any]) -> Problem | None:
    is_tag = isinstance(value, str) and value.startswith(TAG) and is_tag_name(value.removeprefix(TAG))
    if value not in (ACCOUNT, PROJECT, KEY, USER) and not is_tag:
        return _must_be("/scope", _SCOPES)
    found["scope"] = value
    return None


def _value(value: Any, found: dict[str, Any]) -> Problem | None:
    is_text = isinstance(value, str) and 1 <= len(value) <= MAX_USER_LENGTH and value.isprintable()
    if value is not None and not is_text:
        allowed = f"1 to {MAX_USER_LENGTH} printable characters, or null for each value on its own"
        return _must_be("/value", allowed)
    found["value"] = value
    return None


def _must_be(path: str, allowed: str) -> Problem:
    return Problem(path, f"Must be {allowed}.", allowed)
