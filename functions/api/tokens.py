"""Run tokens: create, list, show and revoke them. The token itself is returned once, when created."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, Body, KeyOfNow, Services, envelope

router = APIRouter(prefix="/api/v1/tokens")


@router.get("")
def list_tokens(api: Services, key: AccountKey, request: Request) -> Response:
    """Return a page of the account's run tokens."""
    return envelope(api.tokens.page(key.account_id, request.query_params))


@router.post("")
def create_token(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Create a run token of the caller's key."""
    answer = envelope(api.tokens.create(key.account_id, body, key))
    answer.headers["cache-control"] = "no-store"
    return answer


@router.get("/{token_id}")
def get_token(api: Services, key: AccountKey, token_id: str) -> Response:
    """Return one run token."""
    return envelope(api.tokens.one(key.account_id, token_id))


@router.delete("/{token_id}")
def revoke_token(api: Services, key: KeyOfNow, token_id: str) -> Response:
    """Revoke a run token."""
    return envelope(api.tokens.revoke(key.account_id, token_id, key))
