"""Sub-accounts: list, create, change and close them, and move money to them and back."""

from fastapi import APIRouter, Request, Response

from api.http import AccountKey, Body, KeyOfNow, Services, envelope

router = APIRouter(prefix="/api/v1/subaccounts")


@router.get("")
def list_subaccounts(api: Services, key: AccountKey, request: Request) -> Response:
    """Return a page of the account's sub-accounts."""
    return envelope(api.subaccounts.page(key.account_id, request.query_params))


@router.post("")
def create_subaccount(api: Services, key: KeyOfNow, request: Request, body: Body) -> Response:
    """Create a sub-account without money."""
    sent = request.headers.get("idempotency-key")
    return envelope(api.subaccounts.create(key.account_id, body, sent, by=key))


@router.get("/{subaccount_id}")
def get_subaccount(api: Services, key: AccountKey, subaccount_id: str) -> Response:
    """Return one sub-account."""
    return envelope(api.subaccounts.one(key.account_id, subaccount_id))


@router.patch("/{subaccount_id}")
def update_subaccount(api: Services, key: KeyOfNow, subaccount_id: str, body: Body) -> Response:
    """Change the fields of a sub-account that the body contains."""
    return envelope(api.subaccounts.update(key.account_id, subaccount_id, body, key))


@router.delete("/{subaccount_id}")
def close_subaccount(api: Services, key: KeyOfNow, subaccount_id: str) -> Response:
    """Close a sub-account. Its money returns to the caller's account."""
    return envelope(api.subaccounts.close(key.account_id, subaccount_id, key))


@router.post("/{subaccount_id}/credit")
def credit_subaccount(
    api: Services, key: KeyOfNow, request: Request, subaccount_id: str, body: Body
) -> Response:
    """Move money to a sub-account, or take it back."""
    sent = request.headers.get("idempotency-key")
    return envelope(api.subaccounts.transfer(key.account_id, subaccount_id, body, sent, by=key))
