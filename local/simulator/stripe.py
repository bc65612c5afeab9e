"""Stripe's functions for buying credit: Checkout with its page, saved cards, refunds, disputes, receipts.

Formats: Stripe's API reference (Checkout Session, PaymentIntent, PaymentMethod, Event, Errors) and its guide
"Test card numbers". Stripe's own library signs an event, which is sent to the configured webhook endpoint.
The secret is the test secret below.
"""

import html
import json
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import httpx
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from stripe import WebhookSignature

from local.simulator.stripe_keys import PREFIX, SECRET_KEY, WEBHOOK_SECRET
from local.simulator.stripe_tax import TAX_PERCENT, TAXED, UNTAXED, calculation, locate, tax_problem
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
EVIDENCE = {"winning_evidence": True, "losing_evidence": False}
"""Evidence that decides a test dispute at once (https://docs.stripe.com/testing#disputes)."""
REFUSALS = {DECLINED_LATER: "card_declined", ASKS_LATER: "authentication_required"}
PAYING = {WORKS, DISPUTED, WARNED, *REFUSALS}
EVENT_TIMEOUT_S = 10.0
MAX_KEPT = 10_000
SESSION_S = 24 * 3600
SEE_OTHER = 303
CENTS_PER_USD = 100

NOBODY = dict.fromkeys(("address", "email", "name", "phone", "tax_id"))
"""The customer details if none were collected."""

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>{title}</title><style>
body{{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:3rem auto;padding:0 1rem}}
input,button{{font:inherit;padding:.6rem;width:100%;box-sizing:border-box;margin:.4rem 0 1rem}}
button{{background:#3d348b;color:#fff;border:0;border-radius:.5rem}}[role=alert]{{color:#a40000}}</style>
<main><h1>{title}</h1>{body}<p><small>A simulated Stripe: no card is charged.</small></p></main></html>"""


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
        name = _name("cs_test")
        cents = int(asked["line_items[0][price_data][unit_amount]"]) * int(asked["line_items[0][quantity]"])
        customer = asked.get("customer") or (_name("cus") if "customer_creation" in asked else None)
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
            "metadata": _metadata(asked, "metadata"),
            "payment_intent": None,
            "success_url": asked["success_url"],
            "cancel_url": asked["cancel_url"],
            "url": f"{here}/c/pay/{name}",
            "_saves": "payment_intent_data[setup_future_usage]" in asked,
            "_payment_metadata": _metadata(asked, "payment_intent_data[metadata]"),
        }
        self.keep(self.sessions, name, session)
        return session

    def pay(
        self, cents: int, card: str, metadata: dict[str, str], here: str, customer: str | None
    ) -> dict[str, Any]:
        """Return a new PaymentIntent, with its charge if the card pays."""
        name, pays = _name("pi"), card == WORKS
        common = {
            "amount": cents,
            "created": self.clock.now_ms() // MS_PER_S,
            "currency": "usd",
            "customer": customer,
            "livemode": False,
            "metadata": metadata,
        }
        charge = common | {
            "id": _name("ch"),
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
            "last_payment_error": None if pays else _declined(card)["error"],
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
            "id": _name("evt"),
            "object": "event",
            "type": kind,
            "livemode": False,
            "created": self.clock.now_ms() // MS_PER_S,
            "pending_webhooks": 1,
            "data": {"object": _public(about)},
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
        found = {"id": _name(prefix), "object": kind, "created": now_s, "metadata": {}}
        return found | {"charge": payment["latest_charge"], "payment_intent": payment["id"]}


def router(stripe: SimulatedStripe) -> APIRouter:
    """Return the routes of Stripe's API and pages, below `PREFIX`."""
    routes = APIRouter(prefix=PREFIX)
    _add_api(routes, stripe)
    _add_customers(routes, stripe)
    _add_charges(routes, stripe)
    _add_claims(routes, stripe)
    _add_pages(routes, stripe)
    return routes


def _add_api(routes: APIRouter, stripe: SimulatedStripe) -> None:
    @routes.post("/v1/checkout/sessions")
    async def open_session(request: Request) -> Response:
        if not _is_ours(request):
            return _error(401, "invalid_request_error", "Invalid API Key provided.")
        asked = _fields(await request.body())
        if "customer" in asked and asked["customer"] not in stripe.customers:
            return _no_customer(asked["customer"], 400)
        if problem := tax_problem(asked):
            return _error(400, "invalid_request_error", problem)
        return JSONResponse(_public(stripe.open_session(asked, _here(request))))

    @routes.get("/v1/checkout/sessions/{name}")
    async def session(name: str, request: Request) -> Response:
        found = stripe.sessions.get(name)
        if found is None or not _is_ours(request):
            return _error(404, "invalid_request_error", f"No such checkout.session: '{name}'")
        address = f"{_here(request)}/receipts/{found['payment_intent']}"
        invoice = {"id": f"in_{name}", "object": "invoice", "hosted_invoice_url": address}
        return JSONResponse(_public(found) | {"invoice": invoice if found["payment_intent"] else None})

    @routes.get("/v1/payment_intents/{name}")
    async def payment(name: str, request: Request) -> Response:
        found = stripe.payments.get(name)
        if found is None or not _is_ours(request):
            return _error(404, "invalid_request_error", f"No such payment_intent: '{name}'")
        expanded = {"latest_charge": found["_charge"]} if found["latest_charge"] else {}
        return JSONResponse(_public(found) | (expanded if "expand[0]" in request.query_params else {}))

    @routes.get("/v1/payment_intents")
    async def payments(customer: str) -> Response:
        found = [one for one in reversed(stripe.payments.values()) if one["customer"] == customer]
        data = [_public(one) for one in found]
        return JSONResponse({"object": "list", "data": data, "has_more": False, "url": "/v1/payment_intents"})


def _add_customers(routes: APIRouter, stripe: SimulatedStripe) -> None:
    @routes.delete("/v1/customers/{customer}")
    async def forget(customer: str) -> Response:
        stripe.cards.pop(customer, None)
        if stripe.customers.pop(customer, None) is None:
            return _no_customer(customer, 404)
        return JSONResponse({"id": customer, "object": "customer", "deleted": True})

    @routes.get("/v1/customers/{customer}/payment_methods")
    async def cards(customer: str) -> Response:
        if customer not in stripe.customers:
            return _no_customer(customer, 404)
        card: dict[str, Any] = {"id": f"pm_{customer}", "object": "payment_method", "type": "card"}
        card |= {"created": 0, "livemode": False, "customer": customer, "billing_details": NOBODY}
        number = stripe.cards.get(customer, "")
        card["card"] = {
            "brand": "visa",
            "funding": "credit",
            "last4": number[-4:],
            "exp_month": 12,
            "exp_year": 2030,
        }
        data = [card] if customer in stripe.cards else []
        return JSONResponse({"object": "list", "data": data, "has_more": False, "url": "/v1/payment_methods"})


def _add_charges(routes: APIRouter, stripe: SimulatedStripe) -> None:
    @routes.post("/v1/tax/calculations")
    async def calculate(request: Request) -> Response:
        key, body = request.headers.get("idempotency-key", ""), await request.body()
        if key in stripe.answers and stripe.answers[key][0] == body:
            return JSONResponse(stripe.answers[key][2])
        asked = _fields(body)
        if asked["customer"] not in stripe.customers:
            return _no_customer(asked["customer"], 400)
        if asked["customer"] not in stripe.placed:
            problem = "The customer's location isn't recognized. Set a valid customer address."
            return _error(400, "invalid_request_error", problem, "customer_tax_location_invalid")
        found = calculation(asked, _name("taxcalc"), stripe.clock.now_ms() // MS_PER_S)
        stripe.keep(stripe.answers, key, (body, 200, found))
        return JSONResponse(found)

    @routes.post("/v1/payment_intents")
    async def charge(request: Request) -> Response:
        key, body = request.headers.get("idempotency-key", ""), await request.body()
        # A repeated key returns the first response, and only for the same request.
        if key in stripe.answers:
            asked, status, answer = stripe.answers[key]
            if asked != body:
                return _error(400, "idempotency_error", "Keys can only be used with the same parameters.")
            return JSONResponse(answer, status)
        fields = _fields(body)
        if fields["customer"] not in stripe.customers:
            return _no_customer(fields["customer"], 400)
        card = stripe.cards.get(fields["customer"], DECLINED)
        metadata = _metadata(fields, "metadata")
        found = stripe.pay(int(fields["amount"]), card, metadata, _here(request), fields["customer"])
        status, answer = (200, _public(found)) if found["amount_received"] else (402, _declined(card))
        stripe.keep(stripe.answers, key, (body, status, answer))
        if status == 200:  # noqa: PLR2004 - HTTP's OK
            await stripe.tell("payment_intent.succeeded", found)
        return JSONResponse(answer, status)


def _add_claims(routes: APIRouter, stripe: SimulatedStripe) -> None:
    """Add the routes for an operator's actions at Stripe: refund a payment, respond to a dispute."""

    @routes.post("/v1/refunds")
    async def refund(request: Request) -> Response:
        asked = _fields(await request.body())
        payment = stripe.payments.get(asked.get("payment_intent", ""))
        if payment is None or not _is_ours(request):
            return _error(404, "invalid_request_error", "No such payment_intent.")
        left = payment["amount_received"] - payment["_charge"]["amount_refunded"]
        cents = int(asked.get("amount", left))
        if not 0 < cents <= left:
            return _error(
                400, "invalid_request_error", "Refund amount is greater than the unrefunded amount."
            )
        return JSONResponse(await stripe.refund(payment, cents))

    @routes.get("/v1/disputes")
    async def disputes(request: Request) -> Response:
        wanted = request.query_params.get("payment_intent")
        data = [one for one in stripe.disputes.values() if wanted in (None, one["payment_intent"])]
        return JSONResponse({"object": "list", "data": data, "has_more": False, "url": "/v1/disputes"})

    @routes.post("/v1/disputes/{name}")
    async def answer(name: str, request: Request) -> Response:
        found = stripe.disputes.get(name)
        if found is None or not _is_ours(request):
            return _error(404, "invalid_request_error", f"No such dispute: '{name}'")
        # Stripe's texts for tests, which decide a dispute at once.
        evidence = _fields(await request.body()).get("evidence[uncategorized_text]")
        if evidence in EVIDENCE:
            await stripe.decide(found, is_won=EVIDENCE[evidence])
        return JSONResponse(found)


def _add_pages(routes: APIRouter, stripe: SimulatedStripe) -> None:
    @routes.get("/c/pay/{name}")
    async def show(name: str) -> Response:
        session = stripe.sessions.get(name)
        return _form(session) if session else Response(status_code=404)

    @routes.post("/c/pay/{name}")
    async def pay(name: str, request: Request) -> Response:
        session = stripe.sessions.get(name)
        if session is None:
            return Response(status_code=404)
        if session["status"] == "open":
            locate(session)
            card = _fields(await request.body()).get("number", "").replace(" ", "")
            if card not in PAYING:
                return _form(session, "Your card was declined.")
            metadata, customer = session["_payment_metadata"], session["customer"]
            paid = stripe.pay(session["amount_total"], WORKS, metadata, _here(request), customer)
            session |= {"status": "complete", "payment_status": "paid", "payment_intent": paid["id"]}
            if session["customer"] is not None and session["automatic_tax"]["enabled"]:
                stripe.keep(stripe.placed, session["customer"], value=True)
            if session["_saves"]:
                stripe.keep(stripe.cards, session["customer"], card)
            await stripe.tell("checkout.session.completed", session)
            await stripe.doubt(paid, card)
        back = session["success_url"].replace("{CHECKOUT_SESSION_ID}", name)
        return RedirectResponse(back, SEE_OTHER)

    @routes.get("/receipts/{name}")
    async def receipt(name: str) -> Response:
        found = stripe.payments.get(name)
        if found is None or not found["amount_received"]:
            return Response(status_code=404)
        body = f"<p>Tollgate credit</p><p><b>Amount paid: {_usd(found['amount'])}</b></p><p>{name}</p>"
        return HTMLResponse(_PAGE.format(title="Receipt", body=body))


def _form(session: dict[str, Any], problem: str = "") -> Response:
    shown = dict(session)
    locate(shown)
    total, tax = shown["amount_total"], shown["total_details"]["amount_tax"]
    added = f"<p>{_usd(tax)} of it is tax (Germany, {TAX_PERCENT} %)</p>" if tax else ""
    alert = f'<p role="alert">{problem}</p>' if problem else ""
    body = (
        f"<p>Tollgate credit</p>{added}<p><b>{_usd(total)}</b></p>{alert}"
        f'<form method="post"><label>Card number<input name="number" value="4242 4242 4242 4242"></label>'
        f"<button>Pay {_usd(total)}</button></form>"
        f'<a href="{html.escape(session["cancel_url"])}">Back</a>'
    )
    return HTMLResponse(_PAGE.format(title="Checkout", body=body))


def _usd(cents: int) -> str:
    return f"${cents // CENTS_PER_USD}.{cents % CENTS_PER_USD:02}"


def _name(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"


def _here(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}{PREFIX}"


def _is_ours(request: Request) -> bool:
    return request.headers.get("authorization") == f"Bearer {SECRET_KEY}"


def _fields(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode()))


def _metadata(fields: dict[str, str], name: str) -> dict[str, str]:
    begin = f"{name}["
    return {key[len(begin) : -1]: value for key, value in fields.items() if key.startswith(begin)}


def _public(found: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the simulator's internal fields."""
    return {name: value for name, value in found.items() if not name.startswith("_")}


def _declined(card: str) -> dict[str, Any]:
    said = "Your card was declined."
    code = REFUSALS.get(card, "card_declined")
    return {"error": {"type": "card_error", "code": code, "message": said}}


def _no_customer(name: str, status: int) -> Response:
    """Return the error for a missing customer: 404 for the customer's own URL, otherwise 400."""
    return _error(
        status, "invalid_request_error", f"No such customer: '{name}'", "resource_missing", "customer"
    )


def _error(
    status: int, kind: str, message: str, code: str | None = None, param: str | None = None
) -> Response:
    said = {"type": kind, "message": message, "code": code, "param": param}
    return JSONResponse({"error": {name: each for name, each in said.items() if each is not None}}, status)
