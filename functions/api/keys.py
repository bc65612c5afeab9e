"""API keys: list, create, change, rotate and revoke them. The key itself is returned once, when created."""

from typing import Any

from fastapi import APIRouter, Response

from api.http import Body, KeyOfNow, OptionalBody, Services, envelope

router = APIRouter()


@router.get("/api/v1/keys")
def list_keys(api: Services, key: KeyOfNow) -> Response:
    """Return the account's keys, the newest first."""
    return envelope({"keys": api.keys.all(key.account_id)})


@router.post("/api/v1/keys")
def create_key(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Create a key."""
    return _secret(api.keys.create(key.account_id, body, key))


@router.patch("/api/v1/keys/{key_id}")
def update_key(api: Services, key: KeyOfNow, key_id: str, body: Body) -> Response:
    """Change the fields of a key that the body contains."""
    return envelope(api.keys.update(key.account_id, key_id, body, key))


@router.post("/api/v1/keys/{key_id}/rotate")
def rotate_key(api: Services, key: KeyOfNow, key_id: str, body: OptionalBody) -> Response:
    """Rotate a key. The old secret remains valid for some time."""
    return _secret(api.keys.rotate(key.account_id, key_id, body, key))


@router.delete("/api/v1/keys/{key_id}")
def revoke_key(api: Services, key: KeyOfNow, key_id: str) -> Response:
    """Revoke a key."""
    return envelope(api.keys.revoke(key.account_id, key_id, key))


def _secret(data: Any) -> Response:
    """Return a response that may not be cached."""
    answer = envelope(data)
    answer.headers["cache-control"] = "no-store"
    return answer
