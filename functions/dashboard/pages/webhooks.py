"""Webhooks: deliveries, redelivery, tests, and the signing secret."""

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import page, part
from dashboard.security import SignedIn
from dashboard.services import Services

# How often a requested delivery is checked again, every 2 s.
WATCHES = 15
FILTERS = ("state", "cursor")

router = APIRouter(prefix="/webhooks")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the deliveries, newest first, and the secret, masked."""
    webhooks = services.api.webhooks
    query = {name: request.query_params[name] for name in FILTERS if request.query_params.get(name)}
    found = webhooks.page(visitor.account_id, query)
    return page(
        request,
        "webhooks.html",
        deliveries=found["deliveries"],
        cursor=found.get("cursor"),
        state=query.get("state", ""),
        secrets=webhooks.secrets(visitor.account_id)["secrets"],
        fresh=None,
        watches=0,
    )


@router.get("/deliveries/{delivery_id}")
def delivery(
    services: Services, request: Request, visitor: SignedIn, delivery_id: str, watches: int = 0
) -> Response:
    """Return one delivery, which reloads itself `watches` times until it is delivered."""
    found = services.api.webhooks.get(visitor.account_id, delivery_id)
    return part(request, "delivery.html", delivery=found, watches=min(watches, WATCHES))


@router.post("/deliveries/{delivery_id}/redeliver")
def redeliver(services: Services, request: Request, visitor: SignedIn, delivery_id: str) -> Response:
    """Send a delivery again."""
    found = services.api.webhooks.redeliver(visitor.account_id, delivery_id)
    return part(request, "delivery.html", delivery=found, watches=WATCHES)


@router.post("/test")
def test(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Send a test to a URL."""
    body = {"url": sent.get("url", "")}
    found = services.api.webhooks.send_test(visitor.account_id, body)
    return part(request, "delivery.html", delivery=found, watches=WATCHES)


@router.post("/secret/rotate")
def rotate(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Create a new secret, and show it once. The old secret also signs for a day."""
    secrets = services.api.webhooks.rotate(visitor.account_id, {}, visitor.name)["secrets"]
    return part(request, "webhook_secret.html", secrets=secrets, fresh=secrets[0]["secret"])
