"""Events of one payment, many at once, on an emulator whose transactions hold."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from tests.support.payments import COMPLETED, KEYS, PAID_LATER, dispute, event, refund, session, signed
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition.api import ApiSettings
from tollgate.kit.aws import sdk
from tollgate.kit.errors import ConcurrencyLimitedError, StorageBusyError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.payments.service import Outcome

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

AT_ONCE = 8
EVENTS = 24
SESSIONS = 3
CENTS = 1_000


@pytest.fixture
def with_keys(service: None) -> Iterator[None]:
    """Fill in Stripe's keys for this test alone."""
    arn = ApiSettings.from_env().stripe_secret_arn
    sdk.secrets_manager().put_secret_value(SecretId=arn, SecretString=json.dumps(KEYS))
    yield
    sdk.secrets_manager().put_secret_value(SecretId=arn, SecretString="{}")


@pytest.mark.usefixtures("with_keys")
def test_each_payment_is_credited_once() -> None:
    joined = api_parts.api()
    account_id = joined.accounts.open(0).account_id
    bodies = [
        event(
            session(account_id, CENTS, id=f"{account_id}_{number % SESSIONS}"),
            (COMPLETED, PAID_LATER)[number % 2],
            f"evt_{number}",
        )
        for number in range(EVENTS)
    ]

    def receive(body: str) -> Any:
        return joined.payments.receive(body.encode(), signed(body))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = Counter(pool.map(receive, bodies))
    assert outcomes == {Outcome.CREDITED: SESSIONS, Outcome.REPEATED: EVENTS - SESSIONS}
    assert joined.accounts.me(account_id).view()["balance"] == SESSIONS * CENTS
    assert check_ledger_parts.ledger_audit().check(account_id).drift is None


@pytest.mark.usefixtures("with_keys")
def test_what_is_claimed_is_taken_once_whatever_comes_at_once() -> None:
    """The payment, its dispute and refunds, each event several times."""
    joined = api_parts.api()
    account_id = joined.accounts.open(0).account_id
    found = session(account_id, CENTS, id=f"cs_{account_id}", payment_intent=f"pi_{account_id}")
    about = {"payment_intent": f"pi_{account_id}"}
    events = [
        event(found, COMPLETED, "evt_1"),
        event(dispute(600, **about), "charge.dispute.created", "evt_2", 1),
        event(dispute(600, **about), "charge.dispute.funds_withdrawn", "evt_3", 2),
        event(refund(100, **about), "refund.created", "evt_4", 3),
        event(refund(100, status="failed", **about), "refund.failed", "evt_5", 4),
        event(refund(50, "re_2", **about), "refund.created", "evt_6", 5),
    ]
    bodies = [events[number % len(events)] for number in range(EVENTS)]
    Random(1).shuffle(bodies)  # noqa: S311 - an order, the same each time

    def receive(body: str) -> None:
        # Stripe sends again what was not answered with 200.
        for _ in range(EVENTS):
            with suppress(ConcurrencyLimitedError, StorageBusyError):
                joined.payments.receive(body.encode(), signed(body))
                return
        raise AssertionError("an event is refused for ever")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(receive, bodies))
    me = joined.accounts.me(account_id)
    assert me.balance_micro_usd == micro_usd_of_cents(CENTS - 650)
    assert me.suspended is not None
    payment = joined.payments.book.rows.get(f"pi_{account_id}")
    assert (payment.taken_micro_usd, payment.shortfall_micro_usd) == (micro_usd_of_cents(650), 0)
    assert check_ledger_parts.ledger_audit().check(account_id).drift is None
