"""What stands in for Stripe answers and tells what Stripe's own types say, and our code reads no more."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
import stripe
from stripe import checkout, radar, tax

from local.simulator.stripe_keys import PREFIX, SECRET_KEY, WEBHOOK_SECRET
from local.simulator.stripe_state import DECLINED_LATER, DISPUTED, WARNED, WORKS
from tests.support.http_server import Received, Reply, http_server
from tests.support.payments import event, session
from tests.support.simulator import running_simulator
from tests.support.stripe_types import misfits
from tollgate.payments.client import Charge as Charged
from tollgate.payments.client import Declined, charge_saved_card, open_checkout, signed_event
from tollgate.payments.events import (
    Charge,
    Dispute,
    EarlyFraudWarning,
    Event,
    Intent,
    Paid,
    Refund,
    Session,
)
from tollgate.payments.secret import StripeKeys

OBJECTS: dict[str, Any] = {
    "checkout.session": checkout.Session,
    "payment_intent": stripe.PaymentIntent,
    "payment_method": stripe.PaymentMethod,
    "charge": stripe.Charge,
    "dispute": stripe.Dispute,
    "refund": stripe.Refund,
    "radar.early_fraud_warning": radar.EarlyFraudWarning,
    "tax.calculation": tax.Calculation,
}


class Recorded:
    """The simulated Stripe behind a server that keeps its answers."""

    def __init__(self, url: str) -> None:
        self.answers: list[tuple[str, int, Any]] = []
        self.events: list[Received] = []
        self._url = url

    def relay(self, request: Received) -> Reply:
        """Pass a request on, and keep the answer."""
        passed = {"authorization", "content-type", "idempotency-key"}
        headers = {name: value for name, value in request.headers.items() if name in passed}
        answer = httpx.request(
            request.method, f"{self._url}{request.path}", content=request.body, headers=headers, timeout=10
        )
        self.answers.append((request.path, answer.status_code, answer.json()))
        return Reply(answer.status_code, answer.content, {"content-type": "application/json"})

    def hear(self, request: Received) -> Reply:
        """Keep an event."""
        self.events.append(request)
        return Reply(200)


@pytest.fixture
def told() -> Iterator[tuple[StripeKeys, Recorded]]:
    """Return the keys of a simulated Stripe, and what it says."""
    events: list[Received] = []

    def hear(request: Received) -> Reply:
        events.append(request)
        return Reply(200)

    with http_server(hear) as hook, running_simulator(payments_webhook=hook) as url:
        recorded = Recorded(url + PREFIX)
        recorded.events = events
        with http_server(recorded.relay) as relay:
            base_url = relay.removesuffix("/hook")
            yield (
                StripeKeys(secret_key=SECRET_KEY, webhook_secret=WEBHOOK_SECRET, base_url=base_url),
                recorded,
            )


def test_answers_and_events_are_of_stripe_s_types(told: tuple[StripeKeys, Recorded]) -> None:
    keys, recorded = told
    taxed = keys.with_tax(True)
    client = stripe.StripeClient(keys.secret_key, base_addresses={"api": str(keys.base_url)})
    for card in (WORKS, DECLINED_LATER):
        page = open_checkout(
            keys, "usr_1", 2500, success_url="https://x.test/", cancel_url="https://x.test/", save_card=True
        )
        httpx.post(page, data={"number": card}, timeout=10)
        customer = json.loads(recorded.events[-1].body)["data"]["object"]["customer"]
        (method,) = client.v1.customers.payment_methods.list(customer, {"type": "card"}).data
        paid: dict[str, Any] = {"amount": 500, "currency": "usd", "customer": customer}
        paid |= {"payment_method": method.id, "confirm": True, "off_session": True}
        with suppress(stripe.CardError):
            client.v1.payment_intents.create(paid)  # type: ignore[arg-type]
        for intent in client.v1.payment_intents.list({"customer": customer}).data:
            client.v1.payment_intents.retrieve(intent.id)
    for card in (DISPUTED, WARNED):
        page = open_checkout(keys, "usr_1", 2500, success_url="https://x.test/", cancel_url="https://x.test/")
        httpx.post(page, data={"number": card}, timeout=10)
    # The same with tax: a new customer, then their saved card.
    page = open_checkout(
        taxed, "usr_1", 2500, success_url="https://x.test/", cancel_url="https://x.test/", save_card=True
    )
    httpx.post(page, data={"number": WORKS}, timeout=10)
    buyer = json.loads(recorded.events[-1].body)["data"]["object"]["customer"]
    open_checkout(
        taxed, "usr_1", 2500, success_url="https://x.test/", cancel_url="https://x.test/", customer=buyer
    )
    assert recorded.answers[-1][1] == 200
    (bought,) = client.v1.customers.payment_methods.list(buyer, {"type": "card"}).data
    topped_up = charge_saved_card(taxed, Charged("usr_1", 2000, buyer, bought.id, 1))
    assert isinstance(topped_up, Paid)
    assert (topped_up.cents, topped_up.paid_cents) == (2000, 2380)
    # The first customer paid without tax, so Stripe knows no address.
    assert isinstance(charge_saved_card(taxed, Charged("usr_1", 2000, customer, method.id, 2)), Declined)
    # The newest is the one that was declined.
    paid_first = client.v1.payment_intents.list({"customer": customer}).data[-1]
    client.v1.refunds.create({"payment_intent": paid_first.id, "amount": 5})
    for disputed in client.v1.disputes.list().data:
        client.v1.disputes.update(disputed.id, {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert len({path.split("?")[0].split("/")[2] for path, *_ in recorded.answers}) == 6
    problems = [
        f"{path} {problem}" for path, status, body in recorded.answers for problem in _problems(status, body)
    ]
    for one in recorded.events:
        found = signed_event(keys, one.body, one.headers["stripe-signature"])
        inner = found["data"]["object"]
        problems += [f"event {problem}" for problem in misfits(found, stripe.Event)]
        problems += [f"event {problem}" for problem in misfits(inner, OBJECTS[inner["object"]])]
    assert sorted(set(problems)) == [], "\n".join(sorted(set(problems)))


def _problems(status: int, body: Any) -> Iterator[str]:
    if status >= 400:
        yield from misfits(body["error"], stripe.ErrorObject)
        return
    for one in body["data"] if body["object"] == "list" else [body]:
        yield from misfits(one, OBJECTS[one["object"]])


def test_we_read_no_field_that_stripe_has_not() -> None:
    assert Session.model_fields.keys() <= checkout.Session.__annotations__.keys()
    assert Intent.model_fields.keys() <= stripe.PaymentIntent.__annotations__.keys()
    assert Charge.model_fields.keys() <= stripe.Charge.__annotations__.keys()
    assert Refund.model_fields.keys() <= stripe.Refund.__annotations__.keys()
    assert Dispute.model_fields.keys() <= stripe.Dispute.__annotations__.keys()
    assert EarlyFraudWarning.model_fields.keys() <= radar.EarlyFraudWarning.__annotations__.keys()
    assert Event.model_fields.keys() <= stripe.Event.__annotations__.keys()


def test_the_checks_see_what_is_wrong() -> None:
    found = json.loads(event(session("usr_1", 500)))["data"]["object"]
    problems = set(misfits({**found, "colour": 1, "status": 5, "amount_total": "5"}, checkout.Session))
    assert {"/colour: unknown", "/status: 5", "/amount_total: '5'", "/expires_at: missing"} <= problems
