"""Events of one payment, many at once, on an emulator whose transactions hold."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.payments import COMPLETED, KEYS, PAID_LATER, event, session, signed
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition.api import ApiSettings
from tollgate.kit import aws
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
    aws.secrets_manager().put_secret_value(SecretId=arn, SecretString=json.dumps(KEYS))
    yield
    aws.secrets_manager().put_secret_value(SecretId=arn, SecretString="{}")


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
    assert check_ledger_parts.ledger_audit().drift_of(account_id) is None
