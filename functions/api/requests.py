"""The records of requests, and the end of running text requests."""

from fastapi import APIRouter, Request, Response

from api.http import AnyKey, Services, TextKey, envelope

router = APIRouter()


@router.get("/api/v1/requests")
def list_requests(api: Services, key: AnyKey, request: Request) -> Response:
    """Return a page of records, the newest first."""
    return envelope(api.records.page(key, request.query_params))


@router.get("/api/v1/requests/{request_id}")
def get_request(api: Services, key: AnyKey, request_id: str) -> Response:
    """Return the record of a request: its tokens, times, routes and cost."""
    return envelope(api.records.record(key, request_id))


@router.delete("/api/v1/requests/{request_id}")
def end_request(api: Services, key: TextKey, request_id: str) -> Response:
    """End a streamed request within seconds. Its usage up to then is charged."""
    return envelope(api.accounts.end_request(key.caller, request_id))
