"""Routes for customers who verify their bill: sealed statements and receipts."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, AnyKey, Services, envelope

router = APIRouter()


@router.get("/api/v1/statements/{month}")
def get_statement(api: Services, key: AccountKey, request: Request, month: str) -> Response:
    """Return a page of the sealed entries of a month."""
    return envelope(api.sealed.statement(key.account_id, month, request.query_params))


@router.get("/api/v1/requests/{request_id}/receipt")
def get_receipt(api: Services, key: AnyKey, request_id: str) -> Response:
    """Return the entries of a request or a task with their proofs."""
    return envelope(api.sealed.receipt(key, request_id))
