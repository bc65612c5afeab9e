"""A receiver that hangs holds up its own customer's webhooks and nobody else's (decision 0018)."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from deliver_webhook.app import handler
from local.machine.clients import Clients
from local.machine.events import Context, sqs_event
from tests.support.http_server import Received, http_server
from tests.support.samples import finished_task
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.clock import MS_PER_S, SystemClock
from tollgate.kit.http.outbound import Outbound
from tollgate.kit.ids import new_id
from tollgate.tasks.events import pending_delivery
from tollgate.webhooks.repository import MAX_IN_LANE, LaneRepository
from tollgate.webhooks.schedule import CLAIM_LEASE_MS

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.usefixtures("service"),
]

WORKERS = 16
"""As on one machine; on AWS it is 50."""
DELIVERIES = 200
PATIENCE_S = 60.0
"""Without lanes the other customer's event waits for 200 attempts of 10 s by 16 workers: 125 s."""


@pytest.fixture
def queue_url(stack_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Open the guard to this machine; give the queue of webhooks, and leave it empty."""
    monkeypatch.setenv("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "1")
    deliver_webhook_parts.webhook_sender.cache_clear()
    url = stack_environment["WEBHOOK_QUEUE_URL"]
    sqs = Clients.at(stack_environment["AWS_ENDPOINT_URL"]).sqs
    sqs.purge_queue(QueueUrl=url)
    yield url
    sqs.purge_queue(QueueUrl=url)


@pytest.fixture
def in_the_air(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return the most attempts that each URL had in the air at once."""
    most: Counter[str] = Counter()
    now: Counter[str] = Counter()
    lock = threading.Lock()
    post = Outbound.post

    def counted(self: Outbound, url: str, *rest: Any) -> Any:
        with lock:
            now[url] += 1
            most[url] = max(most[url], now[url])
        try:
            return post(self, url, *rest)
        finally:
            with lock:
                now[url] -= 1

    monkeypatch.setattr(Outbound, "post", counted)
    return most


@contextmanager
def workers(queue_url: str, endpoint: str) -> Iterator[None]:
    """Hand messages to the handler one by one, by as many workers as one machine has."""
    stopping = threading.Event()
    sqs = Clients.at(endpoint).sqs

    def work() -> None:
        while not stopping.is_set():
            answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=1, WaitTimeSeconds=1)
            for message in answer.get("Messages", []):
                event = sqs_event([message], "arn:aws:sqs:us-east-1:0:WebhookQueue", "us-east-1")
                assert handler(event, Context("DeliverWebhookFunction")) == {"batchItemFailures": []}
                sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])

    with ThreadPoolExecutor(WORKERS) as pool:
        running = [pool.submit(work) for _ in range(WORKERS)]
        try:
            yield
        finally:
            stopping.set()
            for one in running:
                one.result()


def owe(account_id: str, url: str) -> str:
    """End a task of the account with a webhook, and send the message that begins its delivery."""
    task = finished_task(task_id=new_id("task"), account_id=account_id)
    sender = deliver_webhook_parts.webhook_sender()
    run_task_parts.step_runner().tasks.create([task], [])
    delivery = pending_delivery(task, url, SystemClock().now_ms())
    sender.deliveries.add(delivery)
    sender.queue.send({"delivery_id": delivery.delivery_id, "seq": 0})
    return delivery.delivery_id


def test_200_events_for_a_receiver_that_hangs_do_not_delay_another_customers(
    queue_url: str, stack_environment: dict[str, str], in_the_air: Counter[str]
) -> None:
    hanging, other = (api_parts.api().accounts.open(0).account_id for _ in range(2))
    arrived, ended = threading.Event(), threading.Event()

    def hang(_: Received) -> int:
        ended.wait(PATIENCE_S)
        return 204

    def note(_: Received) -> int:
        arrived.set()
        return 204

    with http_server(hang) as slow_url, http_server(note) as url:
        with ThreadPoolExecutor(WORKERS) as pool:
            stuck = list(pool.map(lambda _: owe(hanging, slow_url), range(DELIVERIES)))
        owe(other, url)
        with workers(queue_url, stack_environment["AWS_ENDPOINT_URL"]):
            assert arrived.wait(PATIENCE_S)
            states = Counter(
                str(delivery.status)
                for first in range(0, DELIVERIES, 100)
                for delivery in deliver_webhook_parts.webhook_sender().deliveries.get_all(
                    stuck[first : first + 100]
                )
            )
            # Their receiver has answered none of them, and it has none the more workers for it.
            assert states == {"pending": DELIVERIES}
            assert in_the_air[slow_url] <= MAX_IN_LANE
            # Otherwise the workers would wait for the end of their attempts.
            ended.set()


def test_however_many_workers_enter_a_lane_at_once_ten_get_in(queue_url: str) -> None:
    lanes = deliver_webhook_parts.webhook_sender().lanes
    account_id, now_ms = new_id("usr"), SystemClock().now_ms()

    def entered(at_ms: int) -> list[str]:
        with ThreadPoolExecutor(WORKERS) as pool:
            slots = list(pool.map(lambda _: lanes.enter(account_id, at_ms), range(4 * WORKERS)))
        return [slot for slot in slots if slot is not None]

    assert len(entered(now_ms)) == MAX_IN_LANE
    # None of them ever comes back: their slots are given up together, and taken anew.
    assert len(entered(now_ms + CLAIM_LEASE_MS)) == MAX_IN_LANE
    assert entered(now_ms + CLAIM_LEASE_MS + MS_PER_S) == []


def test_slots_given_back_at_once_can_all_be_taken_again(queue_url: str) -> None:
    lanes: LaneRepository = deliver_webhook_parts.webhook_sender().lanes
    account_id, now_ms = new_id("usr"), SystemClock().now_ms()
    for _ in range(5):
        slots = [lanes.enter(account_id, now_ms) for _ in range(MAX_IN_LANE)]
        assert None not in slots
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda slot: lanes.leave(account_id, str(slot), slow=False), slots))
