"""Ends running text requests."""

from fastapi import APIRouter, Response

from api.http import Services, TextKey, envelope

router = APIRouter()


@router.delete("/api/v1/requests/{request_id}")
def end_request(api: Services, key: TextKey, request_id: str) -> Response:
    """End a streamed request within seconds. Its usage up to then is charged."""
    return envelope(api.accounts.end_request(key.account_id, request_id))
