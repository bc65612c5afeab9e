"""Automatic top-ups, while everything about them changes at once, on an emulator whose transactions hold."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Any

import boto3
import pytest
from botocore.config import Config

from local.machine.emulator import Emulator
from tests.support.clock import ManualClock
from tests.support.payments import KEYS, event, signed
from tests.support.physics import Physics, physics_before
from tests.support.stripe import CUSTOMER, FakeStripe, fake_stripe
from tollgate.account_closure.service import DELAY_MS, GIVE_UP
from tollgate.account_closure.worker import ClosureOutcome
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import close_accounts as close_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.composition import refill_balance as refill_parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.errors import ConcurrencyLimitedError, StorageBusyError
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.low_balance.refill import RefillWorker
from tollgate.low_balance.repository import StaleLowBalanceError
from tollgate.low_balance.rules import TopUpState
from tollgate.mail.sender import Mailer, SendResult
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import TeamError
from tollgate.payments.errors import PaymentUnavailableError
from tollgate.payments.secret import StripeKeys, StripeKeySource

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

THREADS = 12
SPENT_CENTS = 150
"""What one request costs; forty of them are more than all top-ups of a month bring."""
REQUESTS, ROUNDS = 40, 6
MONTH_CENTS = 5_000
FORMS = (
    {"threshold": "10", "amount": "20", "monthly": "50"},
    {"threshold": "10", "amount": "12", "monthly": "50"},
)
# What the queue and the stream bring again.
RETRIED = (
    *(PaymentUnavailableError, StaleLowBalanceError, ConcurrencyLimitedError),
    *(StorageBusyError, WriteConflictError),
)


@dataclass(frozen=True, slots=True)
class World:
    """An account with a saved card, and Stripe."""

    account_id: str
    by: Actor
    stripe: FakeStripe
    refill: RefillWorker

    def spend(self, number: int) -> None:
        """Charge something, as a request does, and let the stream and the queue bring what follows."""
        entry = Entry(
            self.account_id,
            f"debit_{number}",
            EntryKind.DEBIT,
            -micro_usd_of_cents(SPENT_CENTS),
            parts.clock().now_ms(),
        )
        with suppress(InsufficientBalanceError, *RETRIED):
            self.refill.ledger.debit(entry)
        self.look()
        self.deliver()

    def look(self) -> None:
        """Look at all entries there are, as the stream does."""
        entries = list(self.refill.ledger.entries(self.account_id))
        with suppress(*RETRIED):
            for look in record_usage_parts.usage_recorder().checks:
                look(entries)

    def deliver(self) -> None:
        """Deliver the message of the newest crossing."""
        with suppress(*RETRIED):
            self.refill.run(self.account_id, self.refill.low_balances.get(self.account_id).crossing)

    def tell(self) -> None:
        """Have Stripe tell of all its payments."""
        keys = StripeKeySource(lambda: json.dumps(KEYS), parts.clock())
        payments = replace(api_parts.api().payments, source=keys)
        for intent in [one for one in self.stripe.intents if one["status"] == "succeeded"]:
            body = event(intent, "payment_intent.succeeded")
            with suppress(*RETRIED):
                payments.receive(body.encode(), signed(body))

    def settle(self) -> None:
        """Deliver until nothing is due."""
        for _ in range(REQUESTS):
            if self.refill.low_balances.get(self.account_id).top_up is not TopUpState.DUE:
                return
            self.deliver()
        raise AssertionError("a top-up is due for ever")

    def credited_cents(self) -> int:
        """Return what top-ups brought."""
        entries = self.refill.ledger.entries(self.account_id)
        micro = sum(one.amount_micro_usd for one in entries if one.entry_id.startswith("credit_pi_"))
        return micro // micro_usd_of_cents(1)


@pytest.fixture
def stripe() -> Iterator[FakeStripe]:
    with fake_stripe() as found:
        yield found


@pytest.fixture
def opened(
    service: object, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], World]]:
    """Return what opens an account just above its threshold, with a saved card."""
    monkeypatch.setattr(sdk, "sesv2", lambda: None)
    monkeypatch.setattr(Mailer, "send", lambda *_: SendResult.SENT)
    parts.forget()
    keys = StripeKeys.model_validate({**KEYS, "baseUrl": stripe.url})
    refill = replace(refill_parts.refill(), keys=lambda: keys)

    def new() -> World:
        who = Person(new_id("development#"), "x", f"{new_id('mail').lower()}@example.com")
        account_id = dashboard_parts.dashboard().identities.account_of(who)
        balance = api_parts.api().accounts.me(account_id).balance_micro_usd
        wanted = micro_usd_of_cents(1_100) - balance
        kind, name = (EntryKind.CREDIT, "credit_first") if wanted > 0 else (EntryKind.DEBIT, "debit_first")
        move = refill.ledger.credit if wanted > 0 else refill.ledger.debit
        move(Entry(account_id, name, kind, wanted, parts.clock().now_ms()))
        api_parts.api().low_balance.save_customer(account_id, CUSTOMER)
        api_parts.api().low_balance.change(account_id, FORMS[0])
        return World(account_id, Actor(who.identity_id, who.email or ""), stripe, refill)

    yield new
    parts.forget()


def check(world: World) -> None:
    """Check what holds whatever ran at once: no payment twice, none lost, none over the month's bound."""
    crossings = [one["metadata"]["tollgate_fall"] for one in world.stripe.intents]
    assert len(crossings) == len(set(crossings))
    assert world.credited_cents() == world.stripe.taken_cents <= MONTH_CENTS
    state = world.refill.low_balances.get(world.account_id)
    assert state.month_cents == world.stripe.taken_cents
    assert api_parts.api().accounts.me(world.account_id).balance_micro_usd >= 0
    assert check_ledger_parts.ledger_audit().check(world.account_id, full=True).drift is None


@pytest.fixture
def unrest(emulator: Emulator, service: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Physics]:
    """Let the database conflict and throttle as DynamoDB does."""
    with physics_before(emulator.endpoint, seed=1, unrest=0.02) as (url, physics):
        config = Config(retries={"total_max_attempts": 4}, max_pool_connections=2 * THREADS)
        client = boto3.client("dynamodb", endpoint_url=url, config=config)
        monkeypatch.setattr(sdk, "dynamodb", lambda: client)
        yield physics


def test_so_they_do_where_the_database_conflicts_and_throttles(
    unrest: Physics, opened: Callable[[], World], stripe: FakeStripe
) -> None:
    pay_each_fall_once(opened(), stripe, [False])
    assert min(unrest.refused[why] for why in ("conflict", "throttle")) > 0


@pytest.mark.parametrize("faults", [[False], [True, False]], ids=["", "every-other-answer-lost"])
def test_requests_settings_events_and_repeats_at_once_pay_each_fall_once(
    opened: Callable[[], World], stripe: FakeStripe, faults: list[bool]
) -> None:
    pay_each_fall_once(opened(), stripe, faults)


def pay_each_fall_once(world: World, stripe: FakeStripe, faults: list[bool]) -> None:
    """Do everything at once, and check what holds."""
    stripe.takes_s, stripe.faults = 0.02, cycle(faults)

    def act(number: int) -> None:
        if number % 10 == 7:
            with suppress(*RETRIED):
                api_parts.api().low_balance.change(world.account_id, FORMS[number // 10 % 2])
        elif number % 10 == 9:
            world.tell()
        else:
            world.spend(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(act, range(REQUESTS)))
    world.settle()
    check(world)
    assert stripe.taken_cents > 0


def test_an_end_that_is_asked_for_beside_a_top_up_gives_no_payment_away(
    opened: Callable[[], World], stripe: FakeStripe
) -> None:
    closing = dashboard_parts.dashboard().account_closure
    for number in range(ROUNDS):
        stripe.intents.clear()
        world, waits = opened(), number % 2 == 1
        # Asked for at the same moment, or while the payment is made.
        stripe.takes_s = 0.3 if waits else 0.0
        take = Entry(world.account_id, "debit_1", EntryKind.DEBIT, -micro_usd_of_cents(200), 1)
        world.refill.ledger.debit(take)
        world.look()
        raised, *_ = together(partial(close, world, waits=waits), *[world.deliver] * 2)
        world.settle()
        paid = world.credited_cents()
        assert paid == stripe.taken_cents
        team = closing.teams.get(world.account_id)
        assert (team.closing is None) == (raised is not None)
        assert raised is not None or not waits
        if team.closing is not None:
            # What was taken before the wish is a part of what was given up, and after it nothing was taken.
            assert team.closing.given_up_micro_usd == micro_usd_of_cents(900 + paid)


def close(world: World, *, waits: bool) -> None:
    """Ask for the end of an account, as soon as its payment may be under way where it `waits`."""
    for _ in range(1_000 * waits):
        if world.refill.low_balances.get(world.account_id).may_be_paid:
            break
    dashboard_parts.dashboard().account_closure.request(world.account_id, world.account_id, GIVE_UP, world.by)


def test_an_owner_and_the_worker_at_once_leave_a_whole_account_or_none(
    opened: Callable[[], World],
) -> None:
    closing = dashboard_parts.dashboard().account_closure
    for _ in range(ROUNDS):
        world = opened()
        closing.request(world.account_id, world.account_id, GIVE_UP, world.by)
        later = ManualClock(parts.clock().now_ms() + DELAY_MS + 1)
        worker = replace(close_parts.closure_worker(), clock=later)
        worker = replace(worker, erasure=replace(worker.erasure, stripe=lambda: None))
        look = partial(worker.advance, closing.teams.get(world.account_id))
        (undone, *_) = together(
            partial(closing.undo, world.account_id, world.by),
            *[look] * 2,
        )
        account = api_parts.api().accounts.me(world.account_id)
        left = closing.teams.get(world.account_id)
        if undone is None:
            assert (account.suspended, account.balance_micro_usd) == (None, micro_usd_of_cents(1_100))
            assert left.members
        else:
            # One that died on the way is looked at again.
            assert left.closing is None or worker.advance(left) is ClosureOutcome.ERASED
            assert api_parts.api().accounts.me(world.account_id).balance_micro_usd == 0
        assert check_ledger_parts.ledger_audit().check(world.account_id, full=True).drift is None


def together(*acts: Callable[[], Any]) -> list[Exception | None]:
    """Do all at once; return what each raised of what a person is told."""

    def caught(act: Callable[[], Any]) -> Exception | None:
        try:
            act()
        except (TeamError, ConcurrencyLimitedError) as error:
            return error
        return None

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(caught, acts))
