"""The caller's account, and its routing policy."""

from fastapi import APIRouter, Response

from api.http import AccountKey, Body, KeyOfNow, Services, envelope

router = APIRouter()


@router.get("/api/v1/user/me")
def get_me(api: Services, key: AccountKey) -> Response:
    """Return the caller's account."""
    return envelope(api.accounts.me(key.account_id).view())


@router.get("/api/v1/routing")
def get_routing(api: Services, key: AccountKey) -> Response:
    """Return the account's routing policy."""
    return envelope(api.routing.show(key.account_id))


@router.put("/api/v1/routing")
def set_routing(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Replace the account's routing policy."""
    return envelope(api.routing.change(key.account_id, body, key))
