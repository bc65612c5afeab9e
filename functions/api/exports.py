"""Exports: their settings, and the cost file of a day."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, Body, KeyOfNow, Services, envelope

router = APIRouter(prefix="/api/v1/exports")
NEXT_CURSOR = "x-next-cursor"


@router.get("/settings")
def get_exports(api: Services, key: AccountKey) -> Response:
    """Return the settings of exports, and the numbers of spans."""
    return envelope(api.exports.get(key.account_id))


@router.patch("/settings")
def update_exports(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Change the exports that the body names."""
    return envelope(api.exports.change(key.account_id, body, key))


@router.get("/focus")
def download_focus(api: Services, key: AccountKey, request: Request) -> Response:
    """Return the costs of a day as FOCUS 1.2, or a part of them."""
    found = api.focus.page(key.account_id, request.query_params)
    headers = {"content-disposition": f'attachment; filename="focus-{found.day}.csv"'}
    if found.cursor is not None:
        headers[NEXT_CURSOR] = found.cursor
    return Response(found.text, media_type="text/csv", headers=headers)
