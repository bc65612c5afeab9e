"""Webhook deliveries, and the secrets that sign them.

Deliveries belong to media generation, so its keys (`media`) can read them. A secret belongs to the account.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from api.http import Body, KeyOfNow, MediaKey, OptionalBody, Services, envelope
from tollgate.accounts.models import ApiKey
from tollgate.kit.errors import ForbiddenError

router = APIRouter(prefix="/api/v1/webhooks")
NO_TOKENS = "A run token cannot use webhook deliveries."


def delivery_key(key: MediaKey) -> ApiKey:
    """Return the caller's key. Raises `ForbiddenError` for a run token: deliveries belong to the account."""
    if key.token_id is not None:
        raise ForbiddenError(NO_TOKENS, "Use an API key of the account.")
    return key


DeliveryKey = Annotated[ApiKey, Depends(delivery_key)]


@router.get("/deliveries")
def list_deliveries(api: Services, key: DeliveryKey, request: Request) -> Response:
    """Return a page of the caller's deliveries, the newest first."""
    return envelope(api.webhooks.page(key.account_id, request.query_params))


@router.get("/deliveries/{delivery_id}")
def get_delivery(api: Services, key: DeliveryKey, delivery_id: str) -> Response:
    """Return one delivery with its attempts."""
    return envelope(api.webhooks.get(key.account_id, delivery_id))


@router.post("/deliveries/{delivery_id}/redeliver")
def redeliver(api: Services, key: DeliveryKey, delivery_id: str) -> Response:
    """Send a delivery again now."""
    return envelope(api.webhooks.redeliver(key.account_id, delivery_id))


@router.post("/test")
def send_test(api: Services, key: DeliveryKey, body: Body) -> Response:
    """Send a test event to a URL. Its delivery shows the result."""
    return envelope(api.webhooks.send_test(key.account_id, body))


@router.get("/secret")
def get_secrets(api: Services, key: KeyOfNow) -> Response:
    """Return the secrets that currently sign events."""
    return envelope(api.webhooks.secrets(key.account_id))


@router.post("/secret/rotate")
def rotate(api: Services, key: KeyOfNow, body: OptionalBody) -> Response:
    """Create a new secret. The previous one remains valid for some time."""
    return envelope(api.webhooks.rotate(key.account_id, body, key.actor))
