"""`functions/refill_balance`: a top-up whose settings change or whose process dies in between."""

import json
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional import refilling
from tests.functional.conftest import create
from tests.functional.refilling import (
    FORM,
    Post,
    choose_card_and_die,
    credits_of,
    deliver,
    is_proven,
    look,
    messages,
    settle,
    spend,
    state_of,
    take,
)
from tests.functional.test_payments import send
from tests.functional.test_record_usage import counted_records, record
from tests.support.clock import ManualClock
from tests.support.payments import event
from tests.support.stripe import CUSTOMER, FakeStripe
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.aws.queue import Queue
from tollgate.ledger.repository import LedgerRepository
from tollgate.low_balance import refill
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.low_balance.rules import (
    RESEND_AFTER_MS,
    TopUpState,
)
from tollgate.mail.sender import Mailer
from tollgate.payments.client import saved_card

post = refilling.post
ada = refilling.ada
pytestmark = pytest.mark.usefixtures("post")


class TestBeforeStripeIsAsked:
    """What becomes of a top-up that is due when the world changes before the card is charged."""

    def test_an_owner_who_switches_it_off_is_not_charged(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        spend(aws, ada)
        api_parts.api().low_balance.change(ada.account_id, {})
        settle(aws)
        assert (stripe.intents, post.mails) == ([], [])
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.NONE, 0)

    def test_another_amount_is_what_is_charged_and_counted(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe
    ) -> None:
        spend(aws, ada)
        api_parts.api().low_balance.change(ada.account_id, {**FORM, "amount": "12"})
        settle(aws)
        assert (stripe.taken_cents, state_of(ada).month_cents) == (1_200, 1_200)
        assert is_proven(ada)

    def test_a_bound_that_was_lowered_holds(self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe) -> None:
        spend(aws, ada)
        settle(aws)
        while state_of(ada).crossing < 2:
            take(aws, ada, 700)
            look(aws)
        api_parts.api().low_balance.change(ada.account_id, {**FORM, "monthly": "30"})
        settle(aws)
        assert stripe.taken_cents == 2_000
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.OVER_LIMIT, 2_000)

    def test_once_the_card_is_chosen_changed_settings_do_not_change_the_payment(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        choose_card_and_die(stripe, body)
        api_parts.api().low_balance.change(ada.account_id, {})
        api_parts.api().low_balance.save_customer(ada.account_id, "cus_Another")
        assert deliver(body)
        assert (stripe.taken_cents, len(credits_of(ada))) == (2_000, 1)
        assert stripe.asked[0]["customer"] == CUSTOMER

    def test_a_suspended_account_is_not_charged_before_it_is_resumed(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        ledger = api_parts.api().tasks.ledger
        spend(aws, ada)
        ledger.suspend(ada.account_id, "fraud", parts.clock().now_ms())
        settle(aws)
        take(aws, ada, 100)
        look(aws)
        assert messages(aws) == []
        assert (stripe.intents, post.mails, state_of(ada).month_cents) == ([], [], 0)
        ledger.resume(ada.account_id)
        spend(aws, ada)
        settle(aws)
        assert stripe.taken_cents == 2_000

    def test_suspended_in_the_very_moment_it_is_not_charged(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        real = saved_card

        def suspended(*args: Any) -> Any:
            api_parts.api().tasks.ledger.suspend(ada.account_id, "fraud", parts.clock().now_ms())
            return real(*args)

        monkeypatch.setattr(refill, "saved_card", suspended)
        assert not deliver(body)
        assert deliver(body)
        assert stripe.intents == []
        assert state_of(ada).top_up is TopUpState.NONE


class DiedError(Exception):
    """The process ended here."""


class TestACrash:
    """The process dies at any step, before it is done or after it; then its message comes again."""

    STEPS = (
        (Mailer, "send"),
        (LowBalanceRepository, "save"),
        (refill, "saved_card"),
        (refill, "charge_saved_card"),
        (LedgerRepository, "credit"),
    )

    @pytest.mark.parametrize("is_done", [False, True])
    @pytest.mark.parametrize("nth", [1, 2, 3])
    @pytest.mark.parametrize("step", STEPS, ids=lambda step: step[1])
    def test_anywhere_ends_in_one_payment_and_one_credit(
        self,
        aws: Aws,
        ada: OpenedAccount,
        stripe: FakeStripe,
        monkeypatch: pytest.MonkeyPatch,
        step: tuple[Any, str],
        nth: int,
        is_done: bool,
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        room, name = step
        real, calls = getattr(room, name), 0

        def dies(*args: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls != nth:
                return real(*args, **named)
            if is_done:
                real(*args, **named)
            raise DiedError

        monkeypatch.setattr(room, name, dies)
        deliver(body)
        monkeypatch.setattr(room, name, real)
        assert deliver(body)
        assert deliver(body)
        assert len(stripe.intents) == len(credits_of(ada)) == 1
        assert stripe.taken_cents == 2_000
        assert state_of(ada).top_up is TopUpState.PAID
        assert is_proven(ada)

    def test_between_the_crossing_and_its_message(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        create(ada)
        queue = Queue
        real = queue.send

        def dies(*_: Any, **__: Any) -> None:
            raise DiedError

        monkeypatch.setattr(queue, "send", dies)
        assert record(counted_records(aws))["batchItemFailures"]
        monkeypatch.setattr(queue, "send", real)
        look(aws)
        settle(aws)
        assert len(stripe.intents) == len(credits_of(ada)) == 1

    def test_a_message_that_was_lost_for_good_is_sent_again_once_a_day(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, clock: ManualClock, post: Post
    ) -> None:
        """No one redrove its dead letter: without another message no top-up would start again."""
        spend(aws, ada)
        (lost,) = messages(aws)
        choose_card_and_die(stripe, lost)
        clock.advance_ms(RESEND_AFTER_MS)
        spend(aws, ada)
        assert messages(aws) == []
        clock.advance_ms(1)
        spend(aws, ada)
        (body,) = messages(aws)
        assert json.loads(body) == json.loads(lost)
        spend(aws, ada)
        assert messages(aws) == []
        assert deliver(body)
        # Too late to ask: what Stripe does not list was not paid.
        assert (stripe.intents, state_of(ada).top_up) == ([], TopUpState.FAILED)
        assert refill.TOO_LATE in post.mails[-1].text


class TestStripesEvent:
    def test_credits_what_the_function_did_not_live_to_credit_and_once(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)

        def dies(*_: Any) -> None:
            raise DiedError

        with monkeypatch.context() as patched:
            patched.setattr(LedgerRepository, "credit", dies)
            assert not deliver(body)
        told = event(stripe.intents[0], "payment_intent.succeeded")
        assert send(told)[1]["data"] == {"outcome": "credited"}
        assert send(told)[1]["data"] == {"outcome": "repeated"}
        assert state_of(ada).top_up is TopUpState.PAID
        assert deliver(body)
        assert len(credits_of(ada)) == 1
        assert is_proven(ada)

    def test_a_checkouts_own_payment_is_told_of_by_its_session_alone(
        self, ada: OpenedAccount, stripe: FakeStripe
    ) -> None:
        metadata = {"tollgate_account": ada.account_id, "tollgate_cents": "2500"}
        intent = {"id": "pi_9", "currency": "usd", "amount_received": 2_500, "metadata": metadata}
        assert send(event(intent, "payment_intent.succeeded"))[1]["data"] == {"outcome": "ignored"}
