"""The account as OpenRouter's clients read it: credits, the caller's key, requests and daily activity."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, AnyKey, Services, envelope

router = APIRouter(prefix="/api/v1")


@router.get("/credits")
def get_credits(api: Services, key: AccountKey) -> Response:
    """Return the credit that was added and used."""
    return envelope(api.openrouter.credits(key.account_id))


@router.get("/key")
def get_current_key(api: Services, key: AnyKey) -> Response:
    """Return the caller's key with its spending."""
    return envelope(api.openrouter.key(key))


@router.get("/generation")
def get_generation(api: Services, key: AnyKey, request: Request) -> Response:
    """Return the record of a request."""
    return envelope(api.records.generation(key, request.query_params.get("id")))


@router.get("/activity")
def list_activity(api: Services, key: AccountKey, request: Request) -> Response:
    """Return the usage by day and model."""
    return envelope(api.openrouter.activity(key.account_id, request.query_params))
