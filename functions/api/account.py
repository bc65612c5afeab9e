"""The caller's account."""

from fastapi import APIRouter, Response

from api.http import AccountKey, envelope
from tollgate import bootstrap_api

router = APIRouter()


@router.get("/api/v1/user/me")
def get_me(key: AccountKey) -> Response:
    """Give the caller's account."""
    return envelope(bootstrap_api.api().accounts.me(key.account_id).view())
