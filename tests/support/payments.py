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


def event(
    found: dict[str, Any], event_type: str = COMPLETED, event_id: str = "evt_1", at_s: int = 1_790_000_000
) -> str:
    """Return the body of an event about an object, made at `at_s`."""
    said = {"id": event_id, "object": "event", "type": event_type, "livemode": False, "created": at_s}
    return json.dumps({**said, "data": {"object": found}})


def charge(account_id: str | None, refunded_cents: int, **changed: Any) -> dict[str, Any]:
    """Return the charge of the payment, of which so much was refunded in all, with fields `changed`."""
    metadata = {} if account_id is None else {"tollgate_account": account_id}
    return {
        "id": "ch_1",
        "object": "charge",
        "payment_intent": PAYMENT,
        "amount_refunded": refunded_cents,
        "metadata": metadata,
    } | changed


def refund(cents: int, refund_id: str = "re_1", **changed: Any) -> dict[str, Any]:
    """Return a refund of the payment, with fields `changed`."""
    found = {"id": refund_id, "object": "refund", "payment_intent": PAYMENT, "amount": cents}
    return {**found, "status": "succeeded", "metadata": {}} | changed


def dispute(cents: int, **changed: Any) -> dict[str, Any]:
    """Return a dispute of the payment, with fields `changed`."""
    found = {"id": "dp_1", "object": "dispute", "payment_intent": PAYMENT, "amount": cents, "currency": "usd"}
    return {**found, "status": "needs_response", "metadata": {}} | changed


def warning(**changed: Any) -> dict[str, Any]:
    """Return an early fraud warning of the payment, with fields `changed`."""
    found = {
        "id": "issfr_1",
        "object": "radar.early_fraud_warning",
        "payment_intent": PAYMENT,
        "charge": "ch_1",
    }
    return {**found, "actionable": True, "fraud_type": "misc"} | changed


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
