"""Stripe's side of a payment: its keys, its signed events, and its API on loopback.

Shapes are those of Stripe's API reference (Event, Checkout Session, Charge, Dispute).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl

from stripe import WebhookSignature

from tests.support.http_server import Received, Reply, http_server

WEBHOOK_SECRET = "whsec_0123456789abcdef"
KEYS = {"secretKey": "sk_test_0123456789", "webhookSecret": WEBHOOK_SECRET}
SESSION = "cs_test_a1B2c3D4"
PAYMENT = "pi_3OaBcDeF"
CHECKOUT_URL = "https://checkout.stripe.com/c/pay/cs_test_a1B2c3D4"
COMPLETED = "checkout.session.completed"
PAID_LATER = "checkout.session.async_payment_succeeded"
FAILED_LATER = "checkout.session.async_payment_failed"
EXPIRED = "checkout.session.expired"


def session(account_id: str, cents: int, **changed: Any) -> dict[str, Any]:
    """Return a session that `cents` were paid in, with fields `changed`."""
    return {
        "id": SESSION,
        "object": "checkout.session",
        "mode": "payment",
        "status": "complete",
        "payment_status": "paid",
        "currency": "usd",
        "amount_subtotal": cents,
        "amount_total": cents,
        "payment_intent": PAYMENT,
        "client_reference_id": account_id,
        "customer_details": {"email": "ada@example.com", "name": "Ada"},
        "metadata": {"tollgate_account": account_id, "tollgate_cents": str(cents)},
    } | changed


def event(found: dict[str, Any], event_type: str = COMPLETED, event_id: str = "evt_1") -> str:
    """Return the body of an event about an object."""
    return json.dumps(
        {"id": event_id, "object": "event", "type": event_type, "livemode": False, "data": {"object": found}}
    )


def signed(body: str, secret: str = WEBHOOK_SECRET, at_s: int | None = None) -> str:
    """Return the signature of a body, of now or of `at_s`, as Stripe's own library makes it."""
    header: str = WebhookSignature.generate_signature_header(body, secret, at_s)
    return header


@contextmanager
def stripe_api(received: list[dict[str, str]], status: int = 200) -> Iterator[str]:
    """Answer as Stripe's API does when a session is made, and note what was asked; give the address."""

    def answer(request: Received) -> Reply:
        assert (request.method, request.path) == ("POST", "/v1/checkout/sessions")
        assert request.headers["authorization"] == f"Bearer {KEYS['secretKey']}"
        received.append(dict(parse_qsl(request.body.decode())))
        made = {"id": SESSION, "object": "checkout.session", "url": CHECKOUT_URL}
        refused = {"error": {"type": "api_error", "message": "Something is wrong at Stripe."}}
        body = json.dumps(made if status == 200 else refused).encode()
        return Reply(status, body, {"content-type": "application/json"})

    with http_server(answer) as url:
        yield url.removesuffix("/hook")
