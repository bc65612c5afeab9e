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
    event,
    session,
    signed,
)
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import parts
from tollgate.composition import run_task as run_task_parts

ROUTE = "/api/v1/payments/stripe"
BEFORE = 100  # cents that `customer` has
CENTS = 2_500
TOLERANCE_S = 300


@pytest.fixture
def with_keys(aws: Aws) -> None:
    """Fill in Stripe's keys, as an operator does."""
    aws.clients.secrets.put_secret_value(
        SecretId=aws.stack.refs["StripeSecret"], SecretString=json.dumps(KEYS)
    )


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
            "amountCents": "2500",
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
        assert check_ledger_parts.ledger_audit().drift_of(customer.account_id) is None

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

    def test_what_was_taken_back_leaves_the_balance_alone_and_rings(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outcome(event(session(customer.account_id, CENTS)))
        ours = {"tollgate_account": customer.account_id}
        refund = {"id": "ch_1", "object": "charge", "payment_intent": PAYMENT, "metadata": ours}
        dispute = {"id": "dp_1", "object": "dispute", "payment_intent": PAYMENT, "metadata": {}}
        assert outcome(event(refund, "charge.refunded", "evt_2")) == "to_check"
        assert outcome(event(dispute, "charge.dispute.created", "evt_3")) == "to_check"
        # And where it came back: the bank did not take the refund, or the dispute was won.
        returned = {"id": "re_1", "object": "refund", "payment_intent": PAYMENT, "metadata": {}}
        assert outcome(event(returned, "refund.failed", "evt_4")) == "to_check"
        assert outcome(event(dispute, "charge.dispute.funds_reinstated", "evt_5")) == "to_check"
        assert balance_cents(customer) == BEFORE + CENTS
        assert alarms(capsys) == 4

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


@pytest.mark.usefixtures("with_keys")
class TestSignatures:
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
        status, _ = send(body, signed(body, at_s=int(time.time()) - TOLERANCE_S + 60))
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
