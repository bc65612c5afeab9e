"""Running text requests: ended by their owner."""

from fastapi import APIRouter, Response

from api.http import Services, TextKey, envelope

router = APIRouter()


@router.delete("/api/v1/requests/{request_id}")
def end_request(api: Services, key: TextKey, request_id: str) -> Response:
    """Ask a streamed request to end within seconds; what it used by then is charged."""
    return envelope(api.accounts.end_request(key.account_id, request_id))
