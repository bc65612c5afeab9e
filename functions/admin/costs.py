"""Our costs beside the providers' cost reports."""

from fastapi import APIRouter, Request, Response

from admin.services import Services, operator_page
from dashboard.security import OperatorSignedIn

# Days that the page shows.
SHOWN_DAYS = 14

router = APIRouter(prefix="/costs")


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn) -> Response:
    """Show the days that were compared last."""
    days = services.reconciliations.newest(services.clock.now_ms(), SHOWN_DAYS)
    return operator_page(request, "operator_costs.html", days=days)
