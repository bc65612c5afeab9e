"""The simulated Stripe's state: sessions, payments, saved cards, disputes, and the events that it sends.

Formats: Stripe's API reference (Checkout Session, PaymentIntent, PaymentMethod, Event, Errors) and its guide
"Test card numbers". Stripe's own library signs an event, which is sent to the configured webhook endpoint.
The secret is the test secret of `stripe_keys.py`.
"""

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import httpx
from stripe import WebhookSignature

from local.simulator.stripe_keys import WEBHOOK_SECRET
from local.simulator.stripe_tax import TAXED, UNTAXED
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.http.outbound import tls

WORKS, DECLINED = "4242424242424242", "4000000000000002"
DECLINED_LATER, ASKS_LATER = "4000000000000341", "4000002760003184"
"""Stripe's test cards: a card that pays, a declined card, and two cards that are declined after they were
saved.

The last card always requires its owner's authentication."""
DISPUTED, WARNED = "4000000000000259", "4000000000005423"
"""Test cards that pay.

The first payment is then disputed as fraud, for the second the bank sends a warning.
"""
REFUSALS = {DECLINED_LATER: "card_declined", ASKS_LATER: "authentication_required"}
EVENT_TIMEOUT_S = 10.0
MAX_KEPT = 10_000
SESSION_S = 24 * 3600

NOBODY = dict.fromkeys(("address", "email", "name", "phone", "tax_id"))
"""The customer details if none were collected."""


@dataclass
class SimulatedStripe:
    """Stripe's state: sessions, payments, customers' cards, and responses by idempotency key."""

    webhook_url: str | None
    clock: Clock
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    payments: dict[str, dict[str, Any]] = field(default_factory=dict)
    customers: dict[str, bool] = field(default_factory=dict)
    cards: dict[str, str] = field(default_factory=dict)
    answers: dict[str, tuple[bytes, int, dict[str, Any]]] = field(default_factory=dict)
    disputes: dict[str, dict[str, Any]] = field(default_factory=dict)
    placed: dict[str, bool] = field(default_factory=dict)
    """Customers whose billing address is known, from a payment with tax."""

    def keep(self, kind: dict[str, Any], key: str, value: Any) -> None:
        """Store a value, and delete the oldest if there are too many."""
        kind[key] = value
        if len(kind) > MAX_KEPT:
            del kind[next(iter(kind))]

    def open_session(self, asked: dict[str, str], here: str) -> dict[str, Any]:
        """Return a new Checkout Session for the request."""
        name = new_name("cs_test")
        cents = int(asked["line_items[0][price_data][unit_amount]"]) * int(asked["line_items[0][quantity]"])
        customer = asked.get("customer") or (new_name("cus") if "customer_creation" in asked else None)
        is_taxed = asked.get("automatic_tax[enabled]") == "true"
        now_s = self.clock.now_ms() // MS_PER_S
        if customer is not None:
            self.keep(self.customers, customer, value=True)
        session = {
            "id": name,
            "object": "checkout.session",
            "automatic_tax": TAXED if is_taxed else UNTAXED,
            "created": now_s,
            "custom_fields": [],
            "custom_text": dict.fromkeys(
                ("after_submit", "shipping_address", "submit", "terms_of_service_acceptance")
            ),
            "expires_at": now_s + SESSION_S,
            "livemode": False,
            "payment_method_types": ["card"],
            "shipping_options": [],
            "ui_mode": "hosted_page",
            "mode": asked["mode"],
            "status": "open",
            "payment_status": "unpaid",
            "currency": asked["line_items[0][price_data][currency]"],
            "amount_subtotal": cents,
            "amount_total": cents,
            "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
            "client_reference_id": asked.get("client_reference_id"),
            "customer": customer,
            "metadata": metadata_of(asked, "metadata"),
            "payment_intent": None,
            "success_url": asked["success_url"],
            "cancel_url": asked["cancel_url"],
            "url": f"{here}/c/pay/{name}",
            "_saves": "payment_intent_data[setup_future_usage]" in asked,
            "_payment_metadata": metadata_of(asked, "payment_intent_data[metadata]"),
        }
        self.keep(self.sessions, name, session)
        return session

    def pay(
        self, cents: int, card: str, metadata: dict[str, str], here: str, customer: str | None
    ) -> dict[str, Any]:
        """Return a new PaymentIntent, with its charge if the card pays."""
        name, pays = new_name("pi"), card == WORKS
        common = {
            "amount": cents,
            "created": self.clock.now_ms() // MS_PER_S,
            "currency": "usd",
            "customer": customer,
            "livemode": False,
            "metadata": metadata,
        }
        charge = common | {
            "id": new_name("ch"),
            "object": "charge",
            "amount_captured": cents,
            "amount_refunded": 0,
            "billing_details": NOBODY,
            "captured": True,
            "disputed": False,
            "paid": True,
            "payment_intent": name,
            "receipt_url": f"{here}/receipts/{name}",
            "refunded": False,
            "status": "succeeded",
        }
        payment = common | {
            "id": name,
            "object": "payment_intent",
            "amount_capturable": 0,
            "amount_received": cents if pays else 0,
            "capture_method": "automatic_async",
            "confirmation_method": "automatic",
            "last_payment_error": None if pays else declined(card)["error"],
            "latest_charge": charge["id"] if pays else None,
            "payment_method_types": ["card"],
            "status": "succeeded" if pays else "requires_payment_method",
            "_charge": charge,
        }
        self.keep(self.payments, name, payment)
        return payment

    async def tell(self, kind: str, about: dict[str, Any]) -> None:
        """Send a signed event to the webhook endpoint, if there is one."""
        if self.webhook_url is None:
            return
        event = {
            "id": new_name("evt"),
            "object": "event",
            "type": kind,
            "livemode": False,
            "created": self.clock.now_ms() // MS_PER_S,
            "pending_webhooks": 1,
            "data": {"object": public(about)},
        }
        body = json.dumps(event)
        signature = WebhookSignature.generate_signature_header(body, WEBHOOK_SECRET)
        headers = {"stripe-signature": signature, "content-type": "application/json"}
        async with httpx.AsyncClient(timeout=EVENT_TIMEOUT_S, verify=tls()) as client:
            (await client.post(self.webhook_url, content=body, headers=headers)).raise_for_status()

    async def refund(self, payment: dict[str, Any], cents: int) -> dict[str, Any]:
        """Refund part of a payment, and send Stripe's two events: for the charge and for the refund."""
        charge = payment["_charge"]
        charge["amount_refunded"] += cents
        charge["refunded"] = charge["amount_refunded"] == charge["amount"]
        made = self._about(payment, "re", "refund") | {
            "amount": cents,
            "currency": "usd",
            "status": "succeeded",
        }
        await self.tell("refund.created", made)
        await self.tell("charge.refunded", charge)
        return made

    async def dispute(self, payment: dict[str, Any]) -> None:
        """Dispute a payment as fraud, and send the event."""
        payment["_charge"]["disputed"] = True
        made = self._about(payment, "dp", "dispute") | {
            "amount": payment["amount"],
            "balance_transactions": [],
            "currency": "usd",
            "enhanced_eligibility_types": [],
            "evidence": {"enhanced_evidence": {}},
            "evidence_details": {
                "enhanced_eligibility": {},
                "has_evidence": False,
                "past_due": False,
                "submission_count": 0,
                "submission_method": "manual",
            },
            "is_charge_refundable": False,
            "livemode": False,
            "reason": "fraudulent",
            "status": "needs_response",
        }
        self.keep(self.disputes, made["id"], made)
        await self.tell("charge.dispute.created", made)
        await self.tell("charge.dispute.funds_withdrawn", made)

    async def doubt(self, payment: dict[str, Any], card: str) -> None:
        """Carry out the purpose of a test card after its payment."""
        if card == DISPUTED:
            await self.dispute(payment)
        if card == WARNED:
            await self.warn(payment)

    async def decide(self, dispute: dict[str, Any], *, is_won: bool) -> None:
        """Close a dispute, and send the events."""
        dispute["status"] = "won" if is_won else "lost"
        await self.tell("charge.dispute.closed", dispute)
        if is_won:
            await self.tell("charge.dispute.funds_reinstated", dispute)

    async def warn(self, payment: dict[str, Any]) -> None:
        """Send the bank's warning of fraud in a payment."""
        made = self._about(payment, "issfr", "radar.early_fraud_warning")
        del made["metadata"]
        told = {**made, "actionable": True, "fraud_type": "misc", "livemode": False}
        await self.tell("radar.early_fraud_warning.created", told)

    def _about(self, payment: dict[str, Any], prefix: str, kind: str) -> dict[str, Any]:
        now_s = self.clock.now_ms() // MS_PER_S
        found = {"id": new_name(prefix), "object": kind, "created": now_s, "metadata": {}}
        return found | {"charge": payment["latest_charge"], "payment_intent": payment["id"]}


def new_name(prefix: str) -> str:
    """Return a new id of an object, such as `pi_…`."""
    return f"{prefix}_{secrets.token_hex(12)}"


def metadata_of(fields: dict[str, str], name: str) -> dict[str, str]:
    """Return the metadata in a form, whose fields are `name[key]`."""
    begin = f"{name}["
    return {key[len(begin) : -1]: value for key, value in fields.items() if key.startswith(begin)}


def public(found: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the simulator's internal fields."""
    return {name: value for name, value in found.items() if not name.startswith("_")}


def declined(card: str) -> dict[str, Any]:
    """Return the body of the error for a declined card."""
    said = "Your card was declined."
    code = REFUSALS.get(card, "card_declined")
    return {"error": {"type": "card_error", "code": code, "message": said}}
