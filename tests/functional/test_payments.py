"""Stripe's webhook through the handler of `functions/api`: what events do to a balance and its ledger."""

import itertools
import json
import time
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.support.payments import (
    COMPLETED,
    EXPIRED,
    KEYS,
    PAID_LATER,
    PAYMENT,
    SESSION,
    charge,
    dispute,
    event,
    refund,
    session,
    signed,
)
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import parts
from tollgate.composition import run_task as run_task_parts

ROUTE = "/api/v1/payments/stripe"
BEFORE = 100  # cents that `customer` has
CENTS = 2_500
TOLERANCE_S = 300
WARNED = "radar.early_fraud_warning.created"
IMAGE = {"model": PAID_IMAGE, "input": {"prompt": "a boat", "size": "1:1"}}


def send(body: str, signature: str | None = None) -> tuple[int, Any]:
    """Send an event as Stripe does, signed now unless told otherwise; give status and body."""
    headers = {"Stripe-Signature": signed(body) if signature is None else signature}
    status, answer, _ = call("POST", ROUTE, body=body, headers=headers)
    return status, answer


def outcome(body: str) -> Any:
    """Return what became of an event that Stripe must not send again."""
    status, answer = send(body)
    assert status == 200, answer
    return answer["data"]["outcome"]


def credits_of(customer: OpenedAccount) -> list[Any]:
    """Return the credits that the customer sees, but the one that the account was opened with."""
    _, body, _ = call("GET", "/api/v1/ledger?kind=credit", customer.api_key)
    return [entry for entry in body["data"]["entries"] if "reference" in entry]


def alarms(capsys: pytest.CaptureFixture[str]) -> int:
    """Return how often the metric was written that `PaymentToCheckAlarm` watches."""
    return capsys.readouterr().out.count('"Name":"PaymentToCheck"')


@pytest.mark.usefixtures("with_keys")
class TestAPayment:
    def test_is_on_the_account_with_its_reference_and_no_more_of_it(self, customer: OpenedAccount) -> None:
        assert outcome(event(session(customer.account_id, CENTS))) == "credited"
        assert balance_cents(customer) == BEFORE + CENTS
        (receipt,) = credits_of(customer)
        assert receipt == {
            "id": f"credit_{SESSION}",
            "kind": "credit",
            "amountMicroUsd": 25_000_000,
            "amountUsd": "25",
            "reference": PAYMENT,
            "createdAt": receipt["createdAt"],
        }

    def test_names_the_event_that_told_of_it(self, customer: OpenedAccount) -> None:
        outcome(event(session(customer.account_id, CENTS), event_id="evt_first"))
        (entry,) = run_task_parts.step_runner().ledger.named(customer.account_id, [f"credit_{SESSION}"])
        assert entry.event_id == "evt_first"

    def test_counts_once_however_often_and_by_whichever_event_it_is_told(
        self, customer: OpenedAccount
    ) -> None:
        paid = session(customer.account_id, CENTS)
        told = [event(paid), event(paid), event(paid, event_id="evt_2"), event(paid, PAID_LATER, "evt_3")]
        assert [outcome(body) for body in told] == ["credited", "repeated", "repeated", "repeated"]
        assert balance_cents(customer) == BEFORE + CENTS
        assert check_ledger_parts.ledger_audit().check(customer.account_id).drift is None

    def test_that_takes_days_counts_once_in_any_order(self, customer: OpenedAccount) -> None:
        orders = list(itertools.permutations(range(3)))
        for number, order in enumerate(orders):
            paid = session(customer.account_id, CENTS, id=f"cs_{number}")
            told = [
                event(paid | {"payment_status": "unpaid"}, COMPLETED, "evt_1"),
                event(paid, PAID_LATER, "evt_2"),
                event(paid | {"payment_status": "unpaid", "status": "expired"}, EXPIRED, "evt_3"),
            ]
            outcomes = {n: outcome(told[n]) for n in order}
            assert outcomes == {0: "ignored", 1: "credited", 2: "ignored"}
        assert balance_cents(customer) == BEFORE + len(orders) * CENTS

    def test_two_sessions_are_two_payments(self, customer: OpenedAccount) -> None:
        outcome(event(session(customer.account_id, CENTS)))
        outcome(event(session(customer.account_id, 500, id="cs_test_2", payment_intent="pi_2")))
        assert balance_cents(customer) == BEFORE + CENTS + 500


@pytest.mark.usefixtures("with_keys")
class TestWhatIsNoPayment:
    def test_credits_nothing_and_rings_nothing(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert outcome(event(session(customer.account_id, CENTS, payment_status="unpaid"))) == "ignored"
        assert balance_cents(customer) == BEFORE
        assert alarms(capsys) == 0

    def test_another_amount_than_we_asked_for_is_for_people_to_look_at(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert outcome(event(session(customer.account_id, CENTS, amount_total=CENTS + 475))) == "to_check"
        assert balance_cents(customer) == BEFORE
        assert alarms(capsys) == 1

    def test_an_unknown_account_is_for_people_to_look_at(
        self,
        customer: OpenedAccount,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        assert outcome(event(session("usr_nobody", CENTS))) == "to_check"
        assert alarms(capsys) == 1
        (line,) = [vars(record) for record in caplog.records if record.levelname == "ERROR"]
        assert (line["reason"], line["reference"]) == ("unknown_account", SESSION)
        assert line["account_id"] == "usr_nobody"

    def test_a_test_card_is_no_money_where_cards_are_charged(
        self, aws: Aws, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for kind in ("sk_live_1", "rk_live_1"):
            secret = json.dumps(KEYS | {"secretKey": kind})
            aws.clients.secrets.put_secret_value(SecretId=aws.stack.refs["StripeSecret"], SecretString=secret)
            parts.forget()
            assert outcome(event(session(customer.account_id, CENTS))) == "to_check"
        assert balance_cents(customer) == BEFORE
        assert alarms(capsys) == 2
        paid = event(session(customer.account_id, CENTS)).replace('"livemode": false', '"livemode": true')
        assert outcome(paid) == "credited"


CREATED, WITHDRAWN = "charge.dispute.created", "charge.dispute.funds_withdrawn"
REINSTATED, CLOSED = "charge.dispute.funds_reinstated", "charge.dispute.closed"


OURS = {"tollgate_account": "usr_1", "tollgate_cents": "2500"}
PAID = session("usr_1", CENTS)
EVENT = json.loads(event(PAID))
TOP_UP = {
    "id": "pi_1",
    "currency": "usd",
    "amount_received": CENTS,
    "metadata": {**OURS, "tollgate_fall": "1"},
}


def about(changed: dict[str, Any], kind: str = COMPLETED) -> dict[str, Any]:
    """Return an event about the session, with fields `changed`."""
    return {**EVENT, "type": kind, "data": {"object": {**PAID, **changed}}}


def of(kind: str, found: Any) -> dict[str, Any]:
    """Return an event of a kind about an object."""
    return {**EVENT, "type": kind, "data": {"object": found}}


def fall(number: str) -> dict[str, Any]:
    """Return an event about a top-up for a fall of this number."""
    return of("payment_intent.succeeded", {**TOP_UP, "metadata": {**OURS, "tollgate_fall": number}})


ODD: dict[str, dict[str, Any]] = {
    "amount true": about({"amount_total": True}),
    "amount 500.0": about({"amount_total": 500.0}),
    "amount text": about({"amount_total": "500"}),
    "amount negative": about({"amount_total": -1}),
    "amount 0": about({"amount_total": 0, "metadata": {**OURS, "tollgate_cents": "0"}}),
    "amount 10^30": about({"amount_total": 10**30, "metadata": {**OURS, "tollgate_cents": str(10**30)}}),
    "amount of nine digits": about({"amount_total": 100_000_000}),
    "account empty": about({"metadata": {**OURS, "tollgate_account": ""}}),
    "account of 3,000": about({"metadata": {**OURS, "tollgate_account": "usr_" + "x" * 3_000}}),
    "account of a wallet": about({"metadata": {**OURS, "tollgate_account": "usr_1#1"}}),
    "session of 3,000": about({"id": "cs_" + "x" * 3_000}),
    "session empty": about({"id": ""}),
    "payment of 3,000": about({"payment_intent": "pi_" + "x" * 3_000}),
    "payment a number": about({"payment_intent": 5}),
    "metadata a list": about({"metadata": []}),
    "metadata of numbers": about({"metadata": {**OURS, "tollgate_cents": 2500}}),
    "id of 3,000": {**EVENT, "id": "evt_" + "x" * 3_000},
    "id a number": {**EVENT, "id": 5},
    "no id": {name: each for name, each in EVENT.items() if name != "id"},
    "no type": {name: each for name, each in EVENT.items() if name != "type"},
    "type null": {**EVENT, "type": None},
    "no data": {name: each for name, each in EVENT.items() if name != "data"},
    "no livemode": {name: each for name, each in EVENT.items() if name != "livemode"},
    "livemode a word": {**EVENT, "livemode": "yes"},
    "created a word": {**EVENT, "created": "now"},
    "data a list": {**EVENT, "data": []},
    "object null": {**EVENT, "data": {"object": None}},
    "object a list": {**EVENT, "data": {"object": []}},
    "empty": {},
    "fall a word": fall("x"),
    "fall of 5,000 digits": fall("1" * 5_000),
    "metadata of a payment a list": of("payment_intent.succeeded", {**TOP_UP, "metadata": ["tollgate_fall"]}),
    "dispute without an amount": of(CREATED, {"id": "dp_1"}),
    "dispute of a negative amount": of(CREATED, dispute(-5)),
    "dispute of a long payment": of(CREATED, dispute(5, payment_intent="x" * 3_000)),
    "refund true": of("refund.created", {**refund(1), "amount": True}),
    "warning without an id": of(WARNED, {"payment_intent": PAYMENT}),
    "charge of text": of("charge.refunded", charge("usr_1", 0, amount_refunded="5")),
}


@pytest.mark.usefixtures("with_keys")
class TestAnotherShapeThanStripes:
    @pytest.mark.parametrize("name", ODD)
    def test_is_refused_and_never_a_fault(self, customer: OpenedAccount, name: str) -> None:
        body = json.dumps(ODD[name]).replace("usr_1", customer.account_id)
        status, answer = send(body)
        assert (status, answer["error"]["code"]) == (400, "invalid_input"), answer
        assert balance_cents(customer) == BEFORE

    @pytest.mark.parametrize("body", ["", "[]", "null", "{", "1e999", '{"a":' * 500, "\x00"])
    def test_so_is_what_is_no_object(self, customer: OpenedAccount, body: str) -> None:
        assert send(body)[0] == 400

    @pytest.mark.parametrize("cents", [1, 499, 200_001, 99_999_999])
    def test_an_amount_that_was_never_offered_is_for_people(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str], cents: int
    ) -> None:
        assert outcome(event(session(customer.account_id, cents))) == "to_check"
        assert balance_cents(customer) == BEFORE
        assert alarms(capsys) == 1

    def test_what_we_do_not_read_may_have_any_shape(self, customer: OpenedAccount) -> None:
        for found in ({}, {"id": 5, "amount": "x", "metadata": []}):
            assert outcome(event(found, "customer.created")) == "ignored"
            assert outcome(event(found, "payout.paid")) == "ignored"


@pytest.mark.usefixtures("with_keys")
class TestSignatures:
    def test_events_under_another_secret_ring_because_no_payment_is_credited(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        body = event(session(customer.account_id, CENTS))
        status, _ = send(body, signed(body, secret="whsec_of_another_endpoint"))
        assert (status, balance_cents(customer)) == (400, BEFORE)
        assert '"Name":"PaymentEventsRefused"' in capsys.readouterr().out
        assert "payments.event_refused" in caplog.messages

    @pytest.mark.parametrize("signature", ["", "sha256=00"])
    def test_a_stranger_without_the_form_of_a_signature_rings_nothing(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str], signature: str
    ) -> None:
        assert send(event(session(customer.account_id, CENTS)), signature)[0] == 400
        assert "PaymentEventsRefused" not in capsys.readouterr().out

    def test_only_the_bytes_that_stripe_signed_count(self, customer: OpenedAccount) -> None:
        body = event(session(customer.account_id, CENTS))
        now_s = int(time.time())
        wrong = (
            "",
            "nonsense",
            "t=,v1=",
            "é",
            signed(body).replace("v1=", "v1=é"),
            f"t={now_s}",
            signed(body, "whsec_of_another_endpoint"),
            signed(body + " "),
            signed(body).replace("v1=", "v0="),
            signed(body, at_s=now_s - TOLERANCE_S - 5),
            # Of the future it would be good for as long again.
            signed(body, at_s=now_s + TOLERANCE_S + 60),
            signed(body, at_s=now_s + 4_000),
        )
        for signature in wrong:
            status, answer = send(body, signature)
            assert (status, answer["error"]["code"]) == (400, "invalid_signature"), signature
        assert balance_cents(customer) == BEFORE

    def test_without_one_nothing_is_read(self, customer: OpenedAccount) -> None:
        status, answer, _ = call("POST", ROUTE, body="{not even json")
        assert (status, answer["error"]["code"]) == (400, "invalid_signature")

    def test_one_of_a_few_minutes_ago_is_good(self, customer: OpenedAccount) -> None:
        body = event(session(customer.account_id, CENTS))
        for at_s in (-TOLERANCE_S + 60, TOLERANCE_S - 60):
            status, _ = send(body, signed(body, at_s=int(time.time()) + at_s))
            assert status == 200
        assert balance_cents(customer) == BEFORE + CENTS

    def test_an_endpoint_whose_secret_is_being_rotated_signs_twice(self, customer: OpenedAccount) -> None:
        body = event(session(customer.account_id, CENTS))
        old = signed(body, "whsec_of_before").partition(",")[2]
        assert send(body, f"{signed(body)},{old}")[0] == 200

    def test_a_body_that_is_too_large_is_413(self, customer: OpenedAccount) -> None:
        assert send("x" * (1024 * 1024 + 1))[0] == 413


class TestWithoutKeys:
    def test_there_is_no_such_route(self, customer: OpenedAccount) -> None:
        status, answer = send(event(session(customer.account_id, CENTS)))
        assert (status, answer["error"]["code"]) == (404, "not_found")
        assert balance_cents(customer) == BEFORE
