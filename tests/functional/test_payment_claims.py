"""Payments that are claimed back, as Stripe tells `functions/api`."""

import itertools
import json
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.functional.test_payments import (
    BEFORE,
    CENTS,
    CLOSED,
    CREATED,
    IMAGE,
    REINSTATED,
    WARNED,
    WITHDRAWN,
    alarms,
    outcome,
    send,
)
from tests.support.payments import PAYMENT, SESSION, charge, dispute, event, refund, session, signed, warning
from tollgate.accounts.service import OpenedAccount
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.ledger.wallets import Limits
from tollgate.payments.claims import Payment


def spend(customer: OpenedAccount, cents: int) -> None:
    """Take money off the account, as requests do."""
    amount = -micro_usd_of_cents(cents)
    entry = Entry(customer.account_id, f"debit_{new_id('msg')}", EntryKind.DEBIT, amount, 1, reason="spent")
    api_parts.api().tasks.ledger.debit(entry)


def suspended(customer: OpenedAccount) -> str | None:
    """Return why the account is suspended, if it is."""
    return api_parts.api().accounts.me(customer.account_id).suspended


def payment() -> Payment:
    """Return what is known of the payment."""
    return api_parts.api().payments.book.rows.get(PAYMENT)


def noted(customer: OpenedAccount) -> list[tuple[str, str]]:
    """Return what the audit log says of it, the oldest first."""
    lines = api_parts.api().audit.page(customer.account_id).rows
    # The payment's own line is in every log here.
    return [(str(one.action), one.detail) for one in reversed(lines) if one.action is not Action.TOPPED_UP]


def is_proven(customer: OpenedAccount) -> bool:
    """Return whether the books of the account agree."""
    return check_ledger_parts.ledger_audit().check(customer.account_id).drift is None


@pytest.mark.usefixtures("with_keys")
class TestWhatIsClaimedBack:
    @pytest.fixture(autouse=True)
    def paid(self, with_keys: None, customer: OpenedAccount) -> None:
        assert outcome(event(session(customer.account_id, CENTS))) == "credited"

    @pytest.mark.parametrize(
        ("found", "event_type", "what"),
        [
            (dispute(CENTS), CREATED, "disputed"),
            (dispute(CENTS, status="warning_needs_response"), CREATED, "disputed"),
            (dispute(CENTS), WITHDRAWN, "disputed"),
            (warning(), WARNED, "reported as fraud"),
            (refund(CENTS), "refund.created", "refunded"),
        ],
    )
    def test_is_taken_off_the_balance_and_nothing_more_is_spent_of_it(
        self,
        customer: OpenedAccount,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
        found: dict[str, Any],
        event_type: str,
        what: str,
    ) -> None:
        assert outcome(event(found, event_type, "evt_2")) == "reversed"
        assert balance_cents(customer) == BEFORE
        assert suspended(customer) == f"Payment {PAYMENT} was {what}"
        status, body, _ = call("POST", "/api/v1/generation/create", customer.api_key, body=json.dumps(IMAGE))
        assert (status, body["error"]["code"]) == (403, "account_suspended")
        # A dispute has no metadata: the payment tells whose it is.
        (line,) = [vars(record) for record in caplog.records if record.levelname == "ERROR"]
        assert (line["reason"], line["reference"]) == ("reversed", PAYMENT)
        assert (line["account_id"], line["what"], line["shortfall_micro_usd"]) == (
            customer.account_id,
            what,
            0,
        )
        assert alarms(capsys) == 1
        _, body, _ = call("GET", "/api/v1/ledger?kind=debit", customer.api_key)
        (entry,) = body["data"]["entries"]
        assert entry == {
            "id": f"debit_{PAYMENT}_1",
            "kind": "debit",
            "amountMicroUsd": -25_000_000,
            "amountUsd": "-25",
            "reason": f"Payment {what}",
            "reference": PAYMENT,
            "createdAt": entry["createdAt"],
        }
        assert noted(customer) == [
            ("account.suspended", f"Payment {PAYMENT} was {what}"),
            ("payment.reversed", f"Payment of $25.00 {what}: $25.00 taken off the balance"),
        ]
        assert is_proven(customer)

    def test_a_charge_tells_of_a_refund_too(self, customer: OpenedAccount) -> None:
        assert outcome(event(charge(customer.account_id, 700), "charge.refunded", "evt_2")) == "reversed"
        assert outcome(event(refund(700), "refund.created", "evt_3")) == "repeated"
        assert (
            outcome(event(charge(customer.account_id, 900), "charge.refunded", "evt_4", 1_790_000_001))
            == "reversed"
        )
        assert outcome(event(refund(200, "re_2"), "refund.created", "evt_5")) == "repeated"
        assert balance_cents(customer) == BEFORE + CENTS - 900
        assert is_proven(customer)

    def test_what_is_spent_already_is_missing_and_the_balance_is_never_negative(
        self, customer: OpenedAccount
    ) -> None:
        spend(customer, 2_000)
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert balance_cents(customer) == 0
        assert (payment().taken_micro_usd, payment().shortfall_micro_usd) == (6_000_000, 19_000_000)
        assert noted(customer)[-1] == (
            "payment.reversed",
            "Payment of $25.00 disputed: $6.00 taken off the balance; $19.00 is missing",
        )
        # Money of another payment is not taken for it by a repeat.
        outcome(event(session(customer.account_id, 500, id="cs_2", payment_intent="pi_2")))
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "repeated"
        assert outcome(event(dispute(CENTS), WITHDRAWN, "evt_3")) == "repeated"
        assert balance_cents(customer) == 500
        assert is_proven(customer)

    def test_nothing_left_is_noted_as_well(self, customer: OpenedAccount) -> None:
        spend(customer, BEFORE + CENTS)
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert payment().shortfall_micro_usd == 25_000_000
        assert suspended(customer) is not None

    def test_a_dispute_that_is_won_gives_back_what_was_taken_and_waits_for_an_operator(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        spend(customer, 2_000)
        told = [
            event(dispute(CENTS), CREATED, "evt_2", 1_790_000_001),
            event(dispute(CENTS), WITHDRAWN, "evt_3", 1_790_000_002),
            event(dispute(CENTS, status="won"), CLOSED, "evt_4", 1_790_000_003),
            event(dispute(CENTS, status="won"), REINSTATED, "evt_5", 1_790_000_004),
        ]
        assert [outcome(body) for body in told] == ["reversed", "repeated", "returned", "repeated"]
        assert [outcome(body) for body in told] == ["repeated"] * 4
        assert balance_cents(customer) == 600
        assert suspended(customer) is not None
        assert alarms(capsys) == 2
        assert noted(customer)[-1] == ("payment.returned", "$6.00 returned")
        assert is_proven(customer)

    def test_a_refund_that_failed_gives_it_back(self, customer: OpenedAccount) -> None:
        outcome(event(charge(customer.account_id, 700), "charge.refunded", "evt_2", 1_790_000_001))
        failed = event(refund(700, status="failed"), "refund.failed", "evt_3", 1_790_000_009)
        assert outcome(failed) == "returned"
        assert balance_cents(customer) == BEFORE + CENTS
        assert is_proven(customer)

    def test_events_in_any_order_and_each_twice_come_to_the_same(self, aws: Aws) -> None:
        told = [
            (dispute(1_500), CREATED, 1),
            (dispute(1_500), WITHDRAWN, 2),
            (refund(700), "refund.created", 3),
            (refund(700, status="failed"), "refund.failed", 4),
            (refund(300, "re_2"), "refund.created", 5),
        ]
        for number, order in enumerate(itertools.permutations(range(5))):
            # A seventh of all orders, spread over them; test_claims.py has the law.
            if number % 7:
                continue
            account = api_parts.api().accounts.open(0)
            name = f"pi_{number}"
            told_now = [
                event(session(account.account_id, CENTS, id=f"cs_{number}", payment_intent=name)),
                *(
                    event({**found, "payment_intent": name}, kind, f"evt_{at_s}", at_s)
                    for found, kind, at_s in told
                ),
            ]
            # The credit comes somewhere in between, too.
            shuffled = [told_now[n + 1] for n in order]
            shuffled.insert(number % 6, told_now[0])
            for body in shuffled:
                outcome(body)
                outcome(body)
            me = api_parts.api().accounts.me(account.account_id)
            assert me.balance_micro_usd == micro_usd_of_cents(CENTS - 1_800), order
            assert me.suspended is not None
            assert check_ledger_parts.ledger_audit().check(account.account_id).drift is None

    def test_a_dispute_stands_over_the_owners_wish_to_close_the_account(
        self, customer: OpenedAccount
    ) -> None:
        ledger = api_parts.api().tasks.ledger
        ledger.suspend(customer.account_id, BEING_CLOSED, 1)
        # A refund does not: it is how an operator pays out what is left.
        outcome(event(refund(700), "refund.created", "evt_2"))
        assert suspended(customer) == BEING_CLOSED
        outcome(event(dispute(CENTS), CREATED, "evt_3"))
        assert suspended(customer) == f"Payment {PAYMENT} was disputed"

    def test_an_account_that_an_operator_suspended_keeps_their_reason(self, customer: OpenedAccount) -> None:
        api_parts.api().tasks.ledger.suspend(customer.account_id, "fraud", 1)
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert suspended(customer) == "fraud"
        assert balance_cents(customer) == BEFORE

    def test_one_that_was_let_go_on_is_not_suspended_by_a_repeat(self, customer: OpenedAccount) -> None:
        outcome(event(dispute(CENTS), CREATED, "evt_2"))
        api_parts.api().tasks.ledger.resume(customer.account_id)
        for event_type in (CREATED, WITHDRAWN, CLOSED):
            assert (
                outcome(event(dispute(CENTS, status="lost"), event_type, "evt_3", 1_790_000_009))
                == "repeated"
            )
        assert suspended(customer) is None

    def test_a_crash_between_its_two_steps_is_mended_by_the_repeat(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def dies(*_: Any) -> None:
            raise DiedError

        with monkeypatch.context() as patched:
            patched.setattr(LedgerRepository, "debit", dies)
            assert send(event(dispute(CENTS), CREATED, "evt_2"))[0] == 500
        # Nobody spends in between.
        assert suspended(customer) is not None
        assert alarms(capsys) == 0
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert balance_cents(customer) == BEFORE
        assert alarms(capsys) == 1
        assert is_proven(customer)

    def test_the_money_of_wallets_is_taken_too(self, customer: OpenedAccount) -> None:
        ledger = api_parts.api().tasks.ledger
        ledger.wallets.set_limits(customer.account_id, Limits(text_at_once=60, wallets=3))
        assert ledger.wallets.fund(f"{customer.account_id}#1", 3, 1)
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert balance_cents(customer) == BEFORE
        assert is_proven(customer)


class DiedError(Exception):
    """The process ended here."""


@pytest.mark.usefixtures("with_keys")
class TestAClaimThatComesFirst:
    """Events come in any order: what was claimed before the credit is not spent either."""

    def test_the_credit_is_taken_back_at_once(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "to_check"
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "repeated"
        assert alarms(capsys) == 1
        assert outcome(event(session(customer.account_id, CENTS))) == "credited"
        assert balance_cents(customer) == BEFORE
        assert suspended(customer) == f"Payment {PAYMENT} was disputed"
        assert outcome(event(session(customer.account_id, CENTS))) == "repeated"
        assert is_proven(customer)

    @pytest.mark.parametrize("dies", [False, True])
    def test_a_repeat_that_comes_before_the_money_leaves_the_money_to_be_taken(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, dies: bool
    ) -> None:
        """Between the two writes of a credit, the claim comes again and takes what little there is."""
        credit, claim = LedgerRepository.credit, event(dispute(CENTS), CREATED, "evt_2")
        said: list[str] = []

        def late(ledger: LedgerRepository, entry: Entry, *others: Any) -> None:
            if not said:
                said.append(api_parts.api().payments.receive(claim.encode(), signed(claim)))
                if dies:
                    raise DiedError
            credit(ledger, entry, *others)

        assert outcome(claim) == "to_check"
        monkeypatch.setattr(LedgerRepository, "credit", late)
        if dies:
            assert send(event(session(customer.account_id, CENTS)))[0] == 500
        assert outcome(event(session(customer.account_id, CENTS))) == "credited"
        assert said == ["reversed"]
        assert balance_cents(customer) == BEFORE
        assert (payment().taken_micro_usd, payment().shortfall_micro_usd) == (micro_usd_of_cents(CENTS), 0)
        assert suspended(customer) == f"Payment {PAYMENT} was disputed"
        assert is_proven(customer)

    def test_a_refund_that_may_be_another_products_rings_nothing(
        self, customer: OpenedAccount, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert outcome(event(refund(500), "refund.created", "evt_2")) == "ignored"
        assert alarms(capsys) == 0
        outcome(event(session(customer.account_id, CENTS)))
        assert balance_cents(customer) == BEFORE + CENTS - 500

    def test_of_a_payment_from_before_there_were_rows_the_ledger_tells(
        self, customer: OpenedAccount, aws: Aws
    ) -> None:
        outcome(event(session(customer.account_id, CENTS)))
        key = {"idempotency_id": {"S": f"payment#{PAYMENT}"}}
        aws.clients.dynamodb.delete_item(TableName=aws.stack.refs["IdempotencyTable"], Key=key)
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert balance_cents(customer) == BEFORE
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "repeated"

    def test_of_a_payment_that_an_operator_credited_by_hand_its_own_event_tells(
        self, customer: OpenedAccount
    ) -> None:
        amount = micro_usd_of_cents(CENTS)
        entry = Entry(customer.account_id, f"credit_{SESSION}", EntryKind.CREDIT, amount, 1, reason="by hand")
        api_parts.api().tasks.ledger.credit(entry)
        assert outcome(event(session(customer.account_id, CENTS))) == "repeated"
        assert outcome(event(dispute(CENTS), CREATED, "evt_2")) == "reversed"
        assert balance_cents(customer) == BEFORE
