"""The caller's account."""

from starlette.responses import Response

from api.http import AccountKey, Services, envelope
from tollgate.kit.router import Router

router = Router()


@router.get("/api/v1/user/me")
def get_me(api: Services, key: AccountKey) -> Response:
    """Return the caller's account."""
    return envelope(api.accounts.me(key.account_id).view())
