"""A worker that dies at any point of an attempt loses no webhook, and keeps no slot in its account's lane.

Every effect of an attempt (a write, the request itself, a message) is counted. Just before each, which
is just after the one before it, the process dies once and does nothing more; then messages that are still
there are handled, and the sweeper runs as time passes.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tests.support.samples import finished_task
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.http.outbound import Outbound, OutboundAnswer
from tollgate.kit.ids import new_id
from tollgate.tasks.events import pending_delivery
from tollgate.webhooks.models import Delivery, DeliveryStatus
from tollgate.webhooks.schedule import CLAIM_LEASE_MS

MAX_ROUNDS = 10
ROUND_MS = 60 * MS_PER_S
URL = "https://receiver.test/hook"
EFFECTS = ((Database, "write"), (Outbound, "post"), (Queue, "send"))


class Died(BaseException):
    """The process is gone."""


class Fate:
    """Counts effects, and lets the process die at one of them; what is dead has no effects."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.die_before(None)
        for owner, name in EFFECTS:
            monkeypatch.setattr(owner, name, self._fated(getattr(owner, name)))

    def die_before(self, effect: int | None) -> None:
        self.count, self.dead, self._last = 0, False, effect

    def _fated(self, effect: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.dead = self.dead or self.count == self._last
            if self.dead:
                raise Died
            self.count += 1
            return effect(*args, **kwargs)

        return call


class Receiver:
    """What was heard, and with which statuses it answers; the last one stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.statuses: list[int] = []
        # `Fate` wraps it in a function, so it is called with the client that it stands in for.
        monkeypatch.setattr(Outbound, "post", self._post)

    def _post(self, _: Outbound, __: str, body: bytes, headers: dict[str, str], *___: Any) -> OutboundAnswer:
        self.heard.append((headers["webhook-id"], body))
        return OutboundAnswer(self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0], b"")


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """Return the receiver behind every URL."""
    return Receiver(monkeypatch)


@pytest.fixture
def fate(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Fate:
    """Return the fate of the workers; the receiver's answers are among the effects."""
    return Fate(monkeypatch)


class Life:
    """One delivery from its task's end on."""

    def __init__(self, aws: Aws, clock: ManualClock, fate: Fate, account_id: str) -> None:
        self._aws, self._clock, self._fate = aws, clock, fate
        task = finished_task(task_id=new_id("task"), account_id=account_id)
        run_task_parts.step_runner().tasks.create([task], [])
        self._delivery_id = "evt_" + task.task_id.removeprefix("task_")
        deliver_webhook_parts.webhook_sender().deliveries.add(pending_delivery(task, URL, clock.now_ms()))
        self._send = [{"delivery_id": self._delivery_id, "seq": 0}]

    @property
    def delivery(self) -> Delivery:
        found = deliver_webhook_parts.webhook_sender().deliveries.get(self._delivery_id)
        assert found is not None
        return found

    def run(self, effect: int) -> None:
        """Live until the delivery is over; the process dies once, and another one takes its slot."""
        self._fate.die_before(effect)
        for _ in range(MAX_ROUNDS):
            for message in [*self._send, *map(json.loads, self._aws.messages("WebhookQueue"))]:
                self._survive(partial(deliver_webhook_parts.webhook_sender().deliver, **message))
            self._send = []
            if self.delivery.status is not DeliveryStatus.PENDING:
                return
            self._clock.advance_ms(ROUND_MS)
            self._survive(sweep_parts.sweeper().sweep)
        pytest.fail(f"it did not end: {self.delivery}")

    def _survive(self, call: Callable[[], Any]) -> None:
        """A process that dies takes its message with it here: that is worse than SQS, which redelivers."""
        try:
            call()
        except Died:
            self._fate.die_before(None)


def free_slots(account_id: str, now_ms: int) -> int:
    """Return how many attempts of the account may begin."""
    lanes = deliver_webhook_parts.webhook_sender().lanes
    return sum(lanes.enter(account_id, now_ms) is not None for _ in range(12))


# A lane that is new takes three writes to enter: refused, opened, taken. Then claim, request, record, leave.
FIRST_TRY = 7
# Once there is a lane: taken, claim, request, record, leave; between two attempts a message.
TWO_ATTEMPTS = FIRST_TRY + 1 + 5


def test_a_death_at_any_effect_loses_no_webhook(
    aws: Aws, clock: ManualClock, receiver: Receiver, fate: Fate
) -> None:
    statuses = [500, 200]
    for effect in range(TWO_ATTEMPTS):
        receiver.heard, receiver.statuses = [], list(statuses)
        customer: OpenedAccount = api_parts.api().accounts.open(0)
        life = Life(aws, clock, fate, customer.account_id)
        life.run(effect)
        where = f"died before effect {effect}"
        assert life.delivery.status is DeliveryStatus.DELIVERED, where
        assert life.delivery.wake_at_ms is None, where
        # At least once; a death costs one repeat at most, and a repeat is the same event.
        assert 1 <= len(receiver.heard) <= len(statuses) + 1, where
        assert len(set(receiver.heard)) == 1, where
        assert free_slots(customer.account_id, clock.now_ms() + CLAIM_LEASE_MS) == 10, where


def test_the_effects_of_a_whole_life_are_all_of_those(
    aws: Aws, clock: ManualClock, receiver: Receiver, fate: Fate
) -> None:
    """So that no place to die at is left out when an attempt gets another effect."""
    receiver.statuses = [500, 200]
    life = Life(aws, clock, fate, api_parts.api().accounts.open(0).account_id)
    handled: list[int] = []
    for _ in range(2):
        fate.die_before(None)
        deliver_webhook_parts.webhook_sender().deliver(life.delivery.delivery_id, life.delivery.seq)
        handled.append(fate.count)
    assert handled == [FIRST_TRY + 1, TWO_ATTEMPTS - FIRST_TRY - 1]
