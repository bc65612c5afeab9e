"""`functions/refill_balance`: a low balance is told once and topped up once, whatever dies in between."""

import pytest

from refill_balance.app import handler
from tests.conftest import Aws
from tests.functional import refilling
from tests.functional.refilling import (
    ADA,
    BOB,
    CONTEXT,
    EVENT,
    FORM,
    TOP_UP,
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
from tests.support.clock import ManualClock
from tests.support.stripe import CARD, CUSTOMER, FakeStripe
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.ledger.holds import Hold
from tollgate.low_balance import refill
from tollgate.low_balance.rules import (
    MAX_MAIL_ROUNDS,
    MAX_TOP_UP_AGE_MS,
    TopUpState,
)
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import BY_KEY

post = refilling.post
ada = refilling.ada
pytestmark = pytest.mark.usefixtures("post")


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
        clock.advance_ms(MAX_TOP_UP_AGE_MS + 1)
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
        clock.advance_ms(late_ms)
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
