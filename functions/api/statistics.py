"""The usage and spending of the caller's account: statistics, and the ledger on which they are based."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, Services, envelope

router = APIRouter()


@router.get("/api/v1/stats")
def get_statistics(api: Services, key: AccountKey, request: Request) -> Response:
    """Return totals by day and by model for a range of days."""
    return envelope(api.statistics.of(key.account_id, request.query_params))


@router.get("/api/v1/ledger")
def list_entries(api: Services, key: AccountKey, request: Request) -> Response:
    """Return a page of the ledger, the newest entries first."""
    return envelope(api.statement.page(key.account_id, request.query_params))


@router.get("/api/v1/ledger.csv")
def download_entries(api: Services, key: AccountKey, request: Request) -> Response:
    """Return the ledger as a file for spreadsheets."""
    table = api.statement.table(key.account_id, request.query_params)
    headers = {"content-disposition": 'attachment; filename="ledger.csv"'}
    return Response(table, media_type="text/csv", headers=headers)
