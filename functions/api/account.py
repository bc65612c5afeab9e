"""The caller's account."""

from fastapi import APIRouter, Response

from api.http import AccountKey, envelope
from tollgate.composition import api as api_parts

router = APIRouter()


@router.get("/api/v1/user/me")
def get_me(key: AccountKey) -> Response:
    """Return the caller's account."""
    return envelope(api_parts.api().accounts.me(key.account_id).view())
