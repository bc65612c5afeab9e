"""The overview: what is there, what was spent, what to do first."""

from fastapi import APIRouter, Request, Response

from dashboard.render import page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.dashboard.spending import RANGE, spending

# Tasks that the overview shows.
LATEST = "3"

router = APIRouter()


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the overview."""
    api = services.api
    return page(
        request,
        "overview.html",
        spending=spending(api.statistics.of(visitor.account_id, {"range": RANGE})),
        can_pay=api.payments.is_on(),
        keys=api.keys.all(visitor.account_id),
        tasks=api.reader.found(visitor.account_id, {"limit": LATEST}).rows,
    )


@router.get("/balance")
def balance(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the balance alone, for a page where it may just have changed."""
    account = services.api.accounts.me(visitor.account_id)
    return part(request, "balance.html", account=account)
