"""The forms of sub-accounts: from the sent fields to the bodies that `SubaccountService` takes. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.web.key_form import cents_of
from tollgate.web.problems import in_words

FIELDS = ("name", "markup", "amount", "reason")
_SHOWN = {"markupPercent": "markup", "amountCents": "amount"}
_MOST = 10**6
TAKE = "take"
"""The direction of a transfer that takes money back."""


def created_body(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of a new sub-account, from `name` and `markup`. The service checks it."""
    markup = sent.get("markup", "").strip() or "0"
    # The service refuses a text that is no number, which is `None` here.
    return {"name": sent.get("name", ""), "markupPercent": digits(markup, 0, _MOST)}


def transfer_body(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of a transfer, from `amount` in US dollars, `direction` and `reason`.

    Raises `InvalidInputError` for a wrong amount.
    """
    cents = cents_of(sent.get("amount", "").strip(), "/amount")
    reason = sent.get("reason", "").strip()
    body: dict[str, Any] = {"amountCents": -cents if sent.get("direction") == TAKE else cents}
    return {**body, "reason": reason} if reason else body


def beside_fields(problems: Iterable[Problem]) -> dict[str, str]:
    """Return the message for each of `FIELDS`, empty for fields without a problem."""
    found: dict[str, list[Problem]] = {name: [] for name in FIELDS}
    for problem in problems:
        part = problem.path.removeprefix("/").split("/")[0]
        found[name if (name := _SHOWN.get(part, part)) in found else "name"].append(problem)
    return {name: in_words(some, beside=1) for name, some in found.items()}
