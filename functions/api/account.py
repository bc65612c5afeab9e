"""The caller's account."""

from fastapi import APIRouter, Response

from api.http import AccountKey, Services, envelope

router = APIRouter()


@router.get("/api/v1/user/me")
def get_me(api: Services, key: AccountKey) -> Response:
    """Return the caller's account."""
    return envelope(api.accounts.me(key.account_id).view())
