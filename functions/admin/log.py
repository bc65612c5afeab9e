"""The actions of operators, for all accounts and for the whole service."""

from fastapi import APIRouter, Request, Response

from admin.services import Services, operator_page
from dashboard.pages.audit import line_of
from dashboard.security import OperatorSignedIn
from tollgate.audit.events import EVERYBODY

router = APIRouter(prefix="/log")


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn, before: str | None = None) -> Response:
    """Show actions of operators, the newest first."""
    found = services.api.audit.of_operators(before)
    lines = [
        {
            **line_of(event),
            "actor": event.actor,
            "account": None if event.account_id == EVERYBODY else event.account_id,
        }
        for event in found.rows
    ]
    return operator_page(request, "operator_log.html", lines=lines, cursor=found.cursor)
