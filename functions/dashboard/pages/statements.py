"""Statements: each month from its opening balance to its closing one, to read, print and keep."""

from fastapi import APIRouter, Request, Response

from dashboard.languages import speak
from dashboard.pages.activity import key_names
from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.csv_table import as_csv
from tollgate.usage.statement import COLUMNS
from tollgate.web.languages import ENGLISH

router = APIRouter(prefix="/statements")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, month: str = "", by: str = "") -> Response:
    """Show the statement of a month, the newest if none is named, with its usage by a label."""
    statement, months = services.api.months.statement(visitor.account_id, month or None)
    if by:
        statement = services.api.months.by_label(visitor.account_id, statement, by)
    return page(
        request,
        "statement.html",
        in_utc=True,
        statement=statement,
        months=months,
        is_open=statement.month == months[0],
        account_id=visitor.account_id,
        key_names=key_names(services, visitor.account_id),
        billing=services.billing.details(visitor.account_id),
    )


@router.get(".csv")
def download(services: Services, visitor: SignedIn, month: str = "", by: str = "") -> Response:
    """Return the statement of a month as a file for spreadsheets, with its usage by a label."""
    # Programs read it.
    speak(ENGLISH)
    statement, _ = services.api.months.statement(visitor.account_id, month or None)
    if by:
        statement = services.api.months.by_label(visitor.account_id, statement, by)
    headers = {"content-disposition": f'attachment; filename="statement-{statement.month}.csv"'}
    lines = statement.lines(key_names(services, visitor.account_id))
    return Response(as_csv(COLUMNS, lines), media_type="text/csv", headers=headers)
