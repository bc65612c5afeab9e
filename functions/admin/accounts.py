"""Today's numbers and the search; an account: its money, credits and debits, its suspension."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from fastapi import APIRouter, Request, Response

from admin.services import Services, done, operator_page
from dashboard.form_body import Fields, Sent
from dashboard.languages import gettext
from dashboard.pages.audit import WORDS
from dashboard.security import OperatorSignedIn
from tollgate.kit.errors import RouteNotFoundError
from tollgate.kit.money import micro_usd_up, usd_of_micro
from tollgate.kit.words import Words
from tollgate.ledger.callers import Caller
from tollgate.operator.errors import OperatorError
from tollgate.web.languages import phrase

TASKS = "20"
MAX_WORD = 254
_USD = re.compile(r"\d{1,6}(\.\d{1,2})?", re.ASCII)

# The messages after a credit or a debit: the first time, and again.
MOVED = {
    "credit": (
        phrase("{amount} credited."),
        phrase("Nothing was done: {reference} was credited before, with the same amount."),
    ),
    "debit": (
        phrase("{amount} debited."),
        phrase("Nothing was done: {reference} was debited before, with the same amount."),
    ),
}

router = APIRouter()


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn, find: str = "") -> Response:
    """Show today's numbers, open tasks and the newest accounts, or everything that a word in `find` names."""
    word = find.strip()[:MAX_WORD]
    if word:
        return operator_page(request, "operator_found.html", hits=services.overview.find(word), find=word)
    return operator_page(request, "operator_accounts.html", find="", **services.overview.shown())


@router.get("/accounts/{account_id}")
def show_one(services: Services, request: Request, _: OperatorSignedIn, account_id: str) -> Response:
    """Show an account."""
    shown = _shown(services, request, account_id)
    tasks = services.api.reader.page(Caller.of_account(account_id), {"limit": TASKS})["tasks"]
    return operator_page(request, "operator_account.html", shown=shown, tasks=tasks, acts=WORDS)


@router.post("/accounts/{account_id}")
def change(
    services: Services, request: Request, operator: OperatorSignedIn, sent: Sent, account_id: str
) -> Response:
    """Credit, debit, suspend or resume an account, or decide about a refunded or disputed payment."""
    direction = sent.get("action", "")
    accounts, reason = services.account_console.by(operator.name), sent.get("reason", "")

    def move(post: Callable[[str, str, int, str], bool]) -> str:
        reference, amount = sent.get("reference", ""), _amount(sent)
        first, again = MOVED[direction]
        said = first if post(account_id, reference, amount, reason) else again
        return gettext(said).format(amount=usd_of_micro(amount), reference=reference)

    def suspend() -> str:
        accounts.suspend(account_id, reason)
        return gettext("The account is suspended.")

    def resume() -> str:
        accounts.resume(account_id)
        return gettext("The account is active.")

    payment_id = sent.get("payment", "")
    actions: dict[str, Callable[[], str | Words]] = {
        "give-back": lambda: accounts.give_back(account_id, payment_id, reason),
        "take": lambda: accounts.take(account_id, payment_id),
        "credit": lambda: move(accounts.credit),
        "debit": lambda: move(accounts.debit),
        "suspend": suspend,
        "resume": resume,
    }
    if direction not in actions:
        raise RouteNotFoundError(request.method, request.url.path)
    about = {"action": direction, "account_id": account_id, "reason": reason}
    return done(request, operator, actions[direction], f"/accounts/{account_id}", **about)


def _shown(services: Services, request: Request, account_id: str) -> dict[str, Any]:
    try:
        return services.account_console.shown(services.account_console.get(account_id))
    except OperatorError as exc:
        raise RouteNotFoundError(request.method, request.url.path) from exc


def _amount(sent: Fields) -> int:
    """Return the amount of a form in micro-USD. Raises `OperatorError`."""
    sum_usd = sent.get("usd", "").strip()
    if not _USD.fullmatch(sum_usd):
        raise OperatorError("The amount: dollars and whole cents, such as 25 or 25.50.")
    return micro_usd_up(Decimal(sum_usd))
