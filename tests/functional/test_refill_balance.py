"""`functions/refill_balance`: a low balance is told once and topped up once, whatever dies in between."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import ClientError

from local.events import Context
from local.template import ROOT
from refill_balance.app import handler
from tests.conftest import Aws
from tests.functional.conftest import create
from tests.functional.test_payments import send
from tests.functional.test_record_usage import counted_records, record
from tests.support.clock import ManualClock
from tests.support.iam import recorder
from tests.support.payments import event
from tests.support.stripe import CARD, CUSTOMER, FakeStripe
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.audit import audit
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.holds import Hold, HoldWrites
from tollgate.ledger.repository import LedgerRepository
from tollgate.low_balance import refill
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.low_balance.rules import (
    MAX_MAIL_ROUNDS,
    MAX_TOP_UP_AGE_MS,
    RESEND_AFTER_MS,
    LowBalanceState,
    TopUpState,
)
from tollgate.mail.sender import Mailer
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import BY_KEY
from tollgate.payments.client import saved_card

pytestmark = pytest.mark.usefixtures("post")

CONTEXT: Any = Context("RefillBalanceFunction")
EVENT: dict[str, Any] = json.loads((ROOT / "events/refill_balance.json").read_text())
FORM = {"threshold": "10", "emails": "ada@example.com bob@example.com", "amount": "20", "monthly": "50"}
STARTS_WITH_CENTS = 1_000
TOP_UP = micro_usd_of_cents(2_000)


class Sent(NamedTuple):
    """A mail that was sent."""

    to: str
    subject: str
    text: str
    html: str


@dataclass
class Post:
    """Takes mails in the place of SES; `errors` names SES's error for an address that gets none."""

    mails: list[Sent] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def send_email(self, **asked: Any) -> None:
        recorder.judge("sesv2", "SendEmail", **asked)
        simple = asked["Content"]["Simple"]
        (to,) = asked["Destination"]["ToAddresses"]
        if to in self.errors:
            raise ClientError({"Error": {"Code": self.errors[to], "Message": "no"}}, "SendEmail")
        assert asked["FromEmailAddress"] == "credit@tollgate.example"
        text, page = (simple["Body"][kind]["Data"] for kind in ("Text", "Html"))
        self.mails.append(Sent(to, simple["Subject"]["Data"], text, page))


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Post:
    """Return the mails that are sent."""
    found = Post()
    monkeypatch.setattr(sdk, "sesv2", lambda: found)
    monkeypatch.setenv("MAIL_FROM", "credit@tollgate.example")
    return found


@pytest.fixture
def ada(stripe: FakeStripe) -> OpenedAccount:
    """Open an account at its threshold, with a saved card and every setting."""
    account = api_parts.api().accounts.open(micro_usd_of_cents(STARTS_WITH_CENTS))
    api_parts.api().low_balance.save_customer(account.account_id, CUSTOMER)
    api_parts.api().low_balance.change(account.account_id, FORM)
    return account


def state_of(account: OpenedAccount) -> LowBalanceState:
    """Return the account's current state."""
    return api_parts.api().low_balance.get(account.account_id)


def spend(aws: Aws, account: OpenedAccount) -> None:
    """Spend a cent, and let the ledger's stream arrive."""
    create(account)
    look(aws)


def look(aws: Aws) -> None:
    """Let the ledger's stream arrive, all of it, as after a failure."""
    assert record(counted_records(aws)) == {"batchItemFailures": []}


def messages(aws: Aws) -> list[str]:
    """Take the messages that wait for the function."""
    return aws.messages("RefillQueue")


def deliver(body: str) -> bool:
    """Hand one message to the function; give whether it is done with it."""
    asked = deepcopy(EVENT)
    asked["Records"][0]["body"] = body
    return bool(handler(asked, CONTEXT) == {"batchItemFailures": []})


def settle(aws: Aws) -> None:
    """Deliver what there is."""
    for body in messages(aws):
        assert deliver(body)


def is_proven(account: OpenedAccount) -> bool:
    """Return whether the account's books agree."""
    found = api_parts.api().accounts.me(account.account_id)
    entries = api_parts.api().tasks.ledger.entries(account.account_id)
    return audit(account.account_id, found.balance_micro_usd, entries) is None


def credits_of(account: OpenedAccount) -> list[Any]:
    """Return the credits but the first one."""
    entries = api_parts.api().statement.page(account.account_id, {"kind": "credit"})["entries"]
    return list(entries[:-1])


class TestTheEventFile:
    def test_a_message_about_an_account_without_settings_does_nothing(self, post: Post, aws: Aws) -> None:
        assert handler(EVENT, CONTEXT) == {"batchItemFailures": []}
        assert post.mails == []


class TestACrossing:
    def test_is_told_and_topped_up(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        spend(aws, ada)
        settle(aws)
        assert [mail.to for mail in post.mails] == ["ada@example.com", "bob@example.com"]
        assert "below $10.00" in post.mails[0].subject
        for body in (post.mails[0].text, post.mails[0].html):
            assert "was topped up by $20.00 from your saved card" in body
            assert "/dashboard/top-up" in body
        (entry,) = credits_of(ada)
        assert (entry["amountMicroUsd"], entry["reference"]) == (TOP_UP, "pi_1")
        assert state_of(ada).top_up is TopUpState.PAID
        assert is_proven(ada)

    def test_members_who_want_it_are_told_too_each_once(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
        parts.forget()
        members = dashboard_parts.dashboard().members
        for name in ("ada", "cy"):
            who = Person(f"development#{name}", name, f"{name}@example.com")
            dashboard_parts.dashboard().identities.account_of(who)
            owner = Actor(f"{BY_KEY}first", "ada")
            sent = members.invite(ada.account_id, f"{name}@example.com", "billing", owner, str)
            members.accept(sent.token, Actor(who.identity_id, name))
        post.mails.clear()
        spend(aws, ada)
        settle(aws)
        told = [mail.to for mail in post.mails]
        assert told == ["ada@example.com", "bob@example.com", "cy@example.com"]

    def test_stripe_is_asked_for_a_payment_that_nobody_has_to_be_there_for(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe
    ) -> None:
        spend(aws, ada)
        settle(aws)
        assert stripe.asked == [
            {
                "amount": "2000",
                "currency": "usd",
                "customer": CUSTOMER,
                "payment_method": CARD,
                "automatic_payment_methods[enabled]": "true",
                "automatic_payment_methods[allow_redirects]": "never",
                "off_session": "true",
                "confirm": "true",
                "error_on_requires_action": "true",
                "description": "Tollgate credit",
                "metadata[tollgate_account]": ada.account_id,
                "metadata[tollgate_cents]": "2000",
                "metadata[tollgate_fall]": "1",
            }
        ]

    def test_at_the_threshold_there_is_none(self, aws: Aws, ada: OpenedAccount) -> None:
        look(aws)
        assert messages(aws) == []

    def test_one_crossing_has_one_reaction_to_repeated_checks_and_messages(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        for _ in range(3):
            spend(aws, ada)
            look(aws)
        bodies = messages(aws)
        for body in bodies * 2:
            assert deliver(body)
        look(aws)
        settle(aws)
        assert len(stripe.intents) == len(credits_of(ada)) == 1
        assert len(post.mails) == 2

    def test_the_next_one_is_another(self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe) -> None:
        for crossing in (1, 2):
            while state_of(ada).crossing < crossing:
                take(aws, ada, 400)
                look(aws)
            settle(aws)
        assert stripe.taken_cents == 4_000
        assert is_proven(ada)

    def test_a_month_has_its_bound(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        for _ in range(12):
            take(aws, ada, 900)
            look(aws)
            settle(aws)
            if state_of(ada).top_up is TopUpState.OVER_LIMIT:
                break
        assert stripe.taken_cents == 4_000
        assert "exceed your limit for this month" in post.mails[-1].text

    def test_a_webhook_hears_of_it_once(self, aws: Aws, ada: OpenedAccount) -> None:
        form = {"threshold": "10", "webhook": "https://93.184.216.34/hook"}
        api_parts.api().low_balance.change(ada.account_id, form)
        spend(aws, ada)
        look(aws)
        (delivery,) = api_parts.api().webhooks.page(ada.account_id, {})["deliveries"]
        assert (delivery["type"], delivery["url"]) == ("balance.low", form["webhook"])

    def test_a_hold_is_no_crossing(self, aws: Aws, ada: OpenedAccount) -> None:
        me = api_parts.api().accounts.me(ada.account_id)
        held = Hold(new_id("req"), me.balance_micro_usd, parts.clock().now_ms())
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": ada.account_id}},
            UpdateExpression="SET balance_micro_usd = :left, holds = :holds",
            ExpressionAttributeValues=to_attributes(
                {":left": 0, ":holds": {held.request_id.removeprefix("req_"): held.to_value()}}
            ),
        )
        look(aws)
        assert messages(aws) == []


def take(aws: Aws, account: OpenedAccount, cents: int) -> None:
    """Charge an account for a text that cost so much."""
    entry = text_entry(
        account.account_id,
        new_id("req"),
        model="gpt-5.4-mini",
        charge_micro_usd=micro_usd_of_cents(cents),
        usage={},
        now_ms=parts.clock().now_ms(),
    )
    writes = HoldWrites(*(aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable")))
    Database(aws.clients.dynamodb).transact(writes.charge_late(entry, None))


class TestARefusedCard:
    @pytest.mark.parametrize("code", ["card_declined", "authentication_required", "expired_card"])
    def test_is_told_and_not_tried_again(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post, code: str
    ) -> None:
        stripe.declines = code
        spend(aws, ada)
        settle(aws)
        spend(aws, ada)
        settle(aws)
        assert len(stripe.intents) == 1
        assert (stripe.taken_cents, credits_of(ada)) == (0, [])
        assert ["failed" in mail.subject for mail in post.mails] == [True, True]
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.FAILED, 0)

    def test_no_card_is_told_too(self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post) -> None:
        stripe.has_card = False
        spend(aws, ada)
        settle(aws)
        assert refill.NO_CARD in post.mails[-1].text
        assert stripe.intents == []


ADA, BOB = "ada@example.com", "bob@example.com"


class TestAMailThatDoesNotGoOut:
    def test_keeps_the_payment_from_nobody_and_the_mail_from_no_other_address(
        self,
        aws: Aws,
        ada: OpenedAccount,
        stripe: FakeStripe,
        post: Post,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        post.errors = {ADA: "BadRequestException"}
        spend(aws, ada)
        (body,) = messages(aws)
        # Another try would be refused again: the message is done.
        assert deliver(body)
        assert (stripe.taken_cents, len(credits_of(ada))) == (2_000, 1)
        assert [mail.to for mail in post.mails] == [BOB]
        assert capsys.readouterr().out.count('"Name":"MailsRefused"') == 1
        assert deliver(body)
        assert len(post.mails) == 1

    @pytest.mark.parametrize("code", ["MessageRejected", "TooManyRequestsException"])
    def test_is_tried_again_for_those_who_have_none(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post, code: str
    ) -> None:
        post.errors = {ADA: code}
        spend(aws, ada)
        (body,) = messages(aws)
        assert not deliver(body)
        assert (stripe.taken_cents, len(credits_of(ada))) == (2_000, 1)
        assert not deliver(body)
        post.errors = {}
        assert deliver(body)
        assert [mail.to for mail in post.mails] == [BOB, ADA]
        assert stripe.taken_cents == 2_000

    def test_is_given_up_where_it_never_goes_out(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        api_parts.api().low_balance.change(ada.account_id, {"threshold": "10", "emails": ADA})
        post.errors = {ADA: "MessageRejected"}
        rounds = 0
        for _ in range(3 * MAX_MAIL_ROUNDS):
            spend(aws, ada)
            for body in messages(aws):
                rounds += 1
                assert not deliver(body)
        assert rounds == MAX_MAIL_ROUNDS

    def test_that_the_balance_is_low_is_told_while_stripe_is_away(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        stripe.is_deaf = True
        assert not deliver(body)
        assert not deliver(body)
        assert [mail.to for mail in post.mails] == [ADA, BOB]
        assert "is being topped up by $20.00" in post.mails[0].text
        stripe.is_deaf, stripe.declines = False, "card_declined"
        assert deliver(body)
        assert ["failed" in mail.subject for mail in post.mails] == [False, False, True, True]


class TestStripeIsDown:
    def test_it_is_asked_again_and_pays_once(self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        stripe.down = 4
        assert not deliver(body)
        assert state_of(ada).top_up is TopUpState.DUE
        while stripe.down or not deliver(body):
            deliver(body)
        assert len(stripe.intents) == len(credits_of(ada)) == 1

    def test_nobody_asks_when_stripe_may_have_forgotten_the_key(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, clock: ManualClock, post: Post
    ) -> None:
        spend(aws, ada)
        (body,) = messages(aws)
        choose_card_and_die(stripe, body)
        clock.advance(MAX_TOP_UP_AGE_MS + 1)
        assert deliver(body)
        assert stripe.intents == []
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.FAILED, 0)
        assert refill.TOO_LATE in post.mails[-1].text

    @pytest.mark.parametrize("late_ms", [0, MAX_TOP_UP_AGE_MS + 1])
    def test_a_payment_that_was_answered_with_a_fault_is_found_and_credited(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, clock: ManualClock, late_ms: int
    ) -> None:
        """Its key answers with the same fault from then on: https://docs.stripe.com/api/idempotent_requests."""
        spend(aws, ada)
        (body,) = messages(aws)
        stripe.breaks = True
        assert not deliver(body)
        clock.advance(late_ms)
        assert deliver(body)
        assert len(stripe.intents) == len(credits_of(ada)) == 1
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.PAID, 2_000)
        assert is_proven(ada)

    def test_a_card_that_was_deleted_there_is_told_and_is_no_fault(
        self, aws: Aws, ada: OpenedAccount, stripe: FakeStripe, post: Post
    ) -> None:
        stripe.missing = "payment_method"
        spend(aws, ada)
        settle(aws)
        assert (state_of(ada).top_up, state_of(ada).month_cents) == (TopUpState.FAILED, 0)
        assert "no longer exists" in post.mails[-1].text


def choose_card_and_die(stripe: FakeStripe, body: str) -> None:
    """Deliver a message of which Stripe answers the list of cards and nothing after it."""
    stripe.is_deaf = True
    assert not deliver(body)
    stripe.is_deaf = False


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
        clock.advance(RESEND_AFTER_MS)
        spend(aws, ada)
        assert messages(aws) == []
        clock.advance(1)
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


class TestSettings:
    @pytest.mark.parametrize(
        ("changed", "path"),
        [
            ({"threshold": "-1"}, "/threshold"),
            ({"threshold": ""}, "/threshold"),
            ({"amount": "9"}, "/amount"),
            ({"amount": "4"}, "/amount"),
            ({"monthly": "19"}, "/monthly"),
            ({"emails": "ada"}, "/emails"),
            # Amazon SES takes ASCII alone.
            ({"emails": "é@shop.example"}, "/emails"),
            ({"emails": "ada@café.example"}, "/emails"),
            ({"emails": "ada..b@shop.example"}, "/emails"),
            ({"emails": " ".join(f"a{n}@example.com" for n in range(6))}, "/emails"),
            ({"webhook": "http://169.254.169.254/"}, "/webhook"),
            ({"webhook": "gopher"}, "/webhook"),
        ],
    )
    def test_what_makes_no_sense_is_refused_by_name(
        self, ada: OpenedAccount, changed: dict[str, str], path: str
    ) -> None:
        before = state_of(ada)
        with pytest.raises(InvalidInputError) as refused:
            api_parts.api().low_balance.change(ada.account_id, {**FORM, **changed})
        assert path in {problem.path for problem in refused.value.problems}
        assert state_of(ada) == before

    def test_a_top_up_needs_a_saved_card(self, stripe: FakeStripe) -> None:
        account = api_parts.api().accounts.open(0)
        with pytest.raises(InvalidInputError, match="Save a card first"):
            api_parts.api().low_balance.change(account.account_id, FORM)
