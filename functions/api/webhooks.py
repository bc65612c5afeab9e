"""Webhook deliveries, and the secrets that sign them.

Deliveries belong to media generation and are open to its keys (`media`); a secret is the account's.
"""

from fastapi import APIRouter, Request, Response

from api.http import Body, KeyOfNow, MediaKey, OptionalBody, Services, envelope

router = APIRouter(prefix="/api/v1/webhooks")


@router.get("/deliveries")
def list_deliveries(api: Services, key: MediaKey, request: Request) -> Response:
    """Return a page of the caller's deliveries, the newest first."""
    return envelope(api.webhooks.page(key.account_id, request.query_params))


@router.get("/deliveries/{delivery_id}")
def get_delivery(api: Services, key: MediaKey, delivery_id: str) -> Response:
    """Return one delivery with its attempts."""
    return envelope(api.webhooks.get(key.account_id, delivery_id))


@router.post("/deliveries/{delivery_id}/redeliver")
def redeliver(api: Services, key: MediaKey, delivery_id: str) -> Response:
    """Have a delivery sent again now."""
    return envelope(api.webhooks.redeliver(key.account_id, delivery_id))


@router.post("/test")
def send_test(api: Services, key: MediaKey, body: Body) -> Response:
    """Have a test event sent to a URL; its delivery says what came of it."""
    return envelope(api.webhooks.send_test(key.account_id, body))


@router.get("/secret")
def get_secrets(api: Services, key: KeyOfNow) -> Response:
    """Return the secrets that sign now."""
    return envelope(api.webhooks.secrets(key.account_id))


@router.post("/secret/rotate")
def rotate(api: Services, key: KeyOfNow, body: OptionalBody) -> Response:
    """Make a new secret; the one before lives on for a while."""
    return envelope(api.webhooks.rotate(key.account_id, body, key.actor))
