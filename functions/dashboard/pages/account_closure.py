"""Account closure: its consequences, and how to cancel it."""

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.render import home, moved_saying, page
from dashboard.security import SignedIn
from dashboard.services import Services

router = APIRouter(prefix="/closing")


@router.get("")
def show(request: Request, _: SignedIn) -> Response:
    """Show the consequences of closure, with the form that requests it or the button that cancels it."""
    return page(request, "account_closure.html")


@router.post("")
def ask(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Start the account's closure, which ends all its sessions."""
    typed, balance = sent.get("account", ""), sent.get("balance", "")
    services.account_closure.request(visitor.account_id, typed, balance, visitor.actor)
    request.session.clear()
    said = gettext("The account is being closed. Sign in within 7 days to keep it.")
    return moved_saying(request, f"{home(request)}/sign-in", said)


@router.post("/undo")
def undo(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Keep the account."""
    services.account_closure.undo(visitor.account_id, visitor.actor)
    return moved_saying(request, home(request), gettext("The account is kept. Its API keys stay revoked."))
