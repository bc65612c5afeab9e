"""Stripe's routes and pages for buying credit: Checkout, saved cards, refunds, disputes, receipts."""

import html
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from local.simulator.stripe_keys import PREFIX, SECRET_KEY
from local.simulator.stripe_state import (
    DECLINED,
    DISPUTED,
    NOBODY,
    REFUSALS,
    WARNED,
    WORKS,
    SimulatedStripe,
    declined,
    metadata_of,
    new_name,
    public,
)
from local.simulator.stripe_tax import TAX_PERCENT, calculation, locate, tax_problem
from tollgate.kit.clock import MS_PER_S

EVIDENCE = {"winning_evidence": True, "losing_evidence": False}
"""Evidence that decides a test dispute at once (https://docs.stripe.com/testing#disputes)."""
PAYING = {WORKS, DISPUTED, WARNED, *REFUSALS}
SEE_OTHER = 303
CENTS_PER_USD = 100

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>{title}</title><style>
body{{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:3rem auto;padding:0 1rem}}
input,button{{font:inherit;padding:.6rem;width:100%;box-sizing:border-box;margin:.4rem 0 1rem}}
button{{background:#3d348b;color:#fff;border:0;border-radius:.5rem}}[role=alert]{{color:#a40000}}</style>
<main><h1>{title}</h1>{body}<p><small>A simulated Stripe: no card is charged.</small></p></main></html>"""


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
        return JSONResponse(public(stripe.open_session(asked, _here(request))))

    @routes.get("/v1/checkout/sessions/{name}")
    async def session(name: str, request: Request) -> Response:
        found = stripe.sessions.get(name)
        if found is None or not _is_ours(request):
            return _error(404, "invalid_request_error", f"No such checkout.session: '{name}'")
        address = f"{_here(request)}/receipts/{found['payment_intent']}"
        invoice = {"id": f"in_{name}", "object": "invoice", "hosted_invoice_url": address}
        return JSONResponse(public(found) | {"invoice": invoice if found["payment_intent"] else None})

    @routes.get("/v1/payment_intents/{name}")
    async def payment(name: str, request: Request) -> Response:
        found = stripe.payments.get(name)
        if found is None or not _is_ours(request):
            return _error(404, "invalid_request_error", f"No such payment_intent: '{name}'")
        expanded = {"latest_charge": found["_charge"]} if found["latest_charge"] else {}
        return JSONResponse(public(found) | (expanded if "expand[0]" in request.query_params else {}))

    @routes.get("/v1/payment_intents")
    async def payments(customer: str) -> Response:
        found = [one for one in reversed(stripe.payments.values()) if one["customer"] == customer]
        data = [public(one) for one in found]
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
        found = calculation(asked, new_name("taxcalc"), stripe.clock.now_ms() // MS_PER_S)
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
        metadata = metadata_of(fields, "metadata")
        found = stripe.pay(int(fields["amount"]), card, metadata, _here(request), fields["customer"])
        status, answer = (200, public(found)) if found["amount_received"] else (402, declined(card))
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


def _here(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}{PREFIX}"


def _is_ours(request: Request) -> bool:
    return request.headers.get("authorization") == f"Bearer {SECRET_KEY}"


def _fields(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode()))


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
