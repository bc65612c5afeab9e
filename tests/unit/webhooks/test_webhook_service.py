"""One try of one delivery, with everything around it in memory."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import httpx
import pytest
from standardwebhooks import Webhook

from tests.support.clock import ManualClock
from tests.support.http_server import HANG, Answer, Received, Reply, http_server
from tests.support.samples import finished_task
from tollgate.accounts.models import Account
from tollgate.kit.addresses import AddressGuard, ForbiddenAddressError
from tollgate.kit.outbound import Answer as OutboundAnswer
from tollgate.kit.outbound import Outbound
from tollgate.tasks.models import Task
from tollgate.webhooks import service as service_module
from tollgate.webhooks.models import Delivery, DeliveryStatus
from tollgate.webhooks.repository import DeliveryMovedError
from tollgate.webhooks.schedule import CLAIM_LEASE_MS, LATE_MS
from tollgate.webhooks.service import TryOutcome, WebhookService

SECRETS = tuple("whsec_" + b64encode(bytes([n]) * 32).decode() for n in (1, 2))
Behaviour = Callable[[], int]


class CrashError(BaseException):
    """The end of the process, at this very line."""


class MemoryDeliveries:
    """Deliveries under the rules of the repository's write conditions."""

    def __init__(self, delivery: Delivery) -> None:
        self.stored: dict[str, Delivery] = {delivery.delivery_id: delivery}

    def get(self, delivery_id: str) -> Delivery | None:
        return self.stored.get(delivery_id)

    def claim(self, delivery: Delivery) -> None:
        self._save(delivery, delivery.attempt - 1)

    def record(self, delivery: Delivery) -> None:
        self._save(delivery, delivery.attempt)

    def _save(self, delivery: Delivery, read_attempt: int) -> None:
        found = self.stored[delivery.delivery_id]
        if found.attempt != read_attempt or found.wake_at_ms is None:
            raise DeliveryMovedError(delivery.delivery_id)
        self.stored[delivery.delivery_id] = delivery


class FakeOutbound:
    """Answers with what `behaviour` gives or raises; keeps what was posted."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.posts: list[tuple[str, bytes, dict[str, str]]] = []

    def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, max_answer_bytes: int
    ) -> OutboundAnswer:
        assert timeout_s == 10.0
        self.posts.append((url, body, dict(headers)))
        return OutboundAnswer(self.behaviour(), b"")


class FakeQueue:
    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], int]] = []

    def send(self, message: dict[str, Any], delay_s: int = 0) -> None:
        self.sent.append((message, delay_s))


class Post:
    """A service with one delivery, due now."""

    def __init__(self, behaviour: Behaviour = lambda: 200) -> None:
        self.clock = ManualClock()
        self.clock.set_to_now()
        self.queue = FakeQueue()
        self.outbound = FakeOutbound(behaviour)
        self.task: Task | None = finished_task()
        self.account: Account | None = Account("usr_1", 0, 0, 0, SECRETS)
        now_ms = self.clock.now_ms()
        self.deliveries = MemoryDeliveries(
            Delivery(
                "evt_1", "usr_1", "task_1", "https://receiver.test/hook", now_ms, wake_at_ms=now_ms + LATE_MS
            )
        )

    def deliver(self, attempt: int = 0) -> TryOutcome:
        return self.service().deliver("evt_1", attempt)

    def service(self) -> WebhookService:
        return WebhookService(
            deliveries=cast("Any", self.deliveries),
            task=lambda _: self.task,
            account=lambda _: self.account,
            outbound=cast("Any", self.outbound),
            queue=cast("Any", self.queue),
            clock=self.clock,
        )

    @property
    def delivery(self) -> Delivery:
        return self.deliveries.stored["evt_1"]


def raising(error: BaseException) -> Behaviour:
    def behaviour() -> int:
        raise error

    return behaviour


class TestDelivered:
    @pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
    def test_any_2xx_ends_it(self, status: int) -> None:
        post = Post(lambda: status)
        assert post.deliver() is TryOutcome.DELIVERED
        assert post.delivery.status is DeliveryStatus.DELIVERED
        assert post.delivery.attempt == 1
        assert post.delivery.last_result == f"HTTP {status}"
        assert post.delivery.wake_at_ms is None
        assert post.queue.sent == []

    def test_what_was_sent_is_the_signed_status_of_the_task(self) -> None:
        post = Post()
        post.deliver()
        ((url, body, headers),) = post.outbound.posts
        assert url == "https://receiver.test/hook"
        assert json.loads(body)["data"] == finished_task().view()
        assert headers["webhook-id"] == "evt_1"
        for secret in SECRETS:
            Webhook(secret).verify(body, headers)

    def test_every_try_has_the_same_id_and_a_timestamp_of_its_own(self) -> None:
        post = Post(lambda: 500)
        post.deliver(0)
        post.clock.advance(10_000)
        post.deliver(1)
        first, second = [headers for _, _, headers in post.outbound.posts]
        assert first["webhook-id"] == second["webhook-id"]
        assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 10


class TestStale:
    """Nothing is sent, nothing is written."""

    def unmoved(self, post: Post, attempt: int = 0, delivery_id: str = "evt_1") -> bool:
        before = dict(post.deliveries.stored)
        assert post.service().deliver(delivery_id, attempt) is TryOutcome.STALE
        return post.outbound.posts == [] and post.queue.sent == [] and post.deliveries.stored == before

    def test_an_unknown_delivery(self) -> None:
        assert self.unmoved(Post(), delivery_id="evt_2")

    @pytest.mark.parametrize("attempt", [0, 2, 3])
    def test_a_message_of_another_try(self, attempt: int) -> None:
        post = Post()
        post.deliveries.stored["evt_1"] = replace(post.delivery, attempt=1)
        assert self.unmoved(post, attempt)

    @pytest.mark.parametrize("status", [DeliveryStatus.DELIVERED, DeliveryStatus.EXHAUSTED])
    def test_a_delivery_that_is_over(self, status: DeliveryStatus) -> None:
        post = Post()
        post.deliveries.stored["evt_1"] = replace(post.delivery, status=status, wake_at_ms=None)
        assert self.unmoved(post)

    def test_a_try_that_another_worker_claims_at_the_same_moment(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post = Post()
        read = post.delivery
        post.deliveries.stored["evt_1"] = replace(read, attempt=1)
        monkeypatch.setattr(post.deliveries, "get", lambda _: read)
        assert self.unmoved(post)

    def test_a_result_that_comes_after_another_worker_took_over_is_not_written(self) -> None:
        post = Post()

        def taken_over() -> int:
            post.deliveries.stored["evt_1"] = replace(post.delivery, attempt=2)
            return 200

        post.outbound.behaviour = taken_over
        assert post.deliver() is TryOutcome.STALE
        assert post.delivery.attempt == 2
        assert post.delivery.status is DeliveryStatus.PENDING
        assert post.queue.sent == []


class TestFailure:
    @pytest.mark.parametrize("status", [100, 199, 300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503])
    def test_anything_but_2xx_is_tried_again(self, status: int) -> None:
        post = Post(lambda: status)
        assert post.deliver() is TryOutcome.RETRY
        assert post.delivery.last_result == f"HTTP {status}"
        assert post.queue.sent == [({"delivery_id": "evt_1", "attempt": 1}, 10)]

    @pytest.mark.parametrize(
        ("error", "result"),
        [
            (httpx.ReadTimeout("late"), "ReadTimeout"),
            (httpx.ConnectError("nobody there"), "ConnectError"),
            (httpx.RemoteProtocolError("no HTTP"), "RemoteProtocolError"),
            (httpx.InvalidURL("what"), "InvalidURL"),
            (
                ForbiddenAddressError("must point to a public address"),
                "the URL must point to a public address",
            ),
        ],
    )
    def test_what_goes_wrong_on_the_way_is_tried_again(self, error: Exception, result: str) -> None:
        post = Post(raising(error))
        assert post.deliver() is TryOutcome.RETRY
        assert post.delivery.last_result == result
        assert post.delivery.status is DeliveryStatus.PENDING

    @pytest.mark.parametrize("gone", ["task", "account"])
    def test_without_task_or_account_nothing_is_sent_and_it_is_tried_again(self, gone: str) -> None:
        post = Post()
        setattr(post, gone, None)
        assert post.deliver() is TryOutcome.RETRY
        assert post.outbound.posts == []

    def test_all_the_tries_and_waits_until_it_is_exhausted(self) -> None:
        post = Post(lambda: 500)
        outcomes = [post.deliver(attempt) for attempt in range(8)]
        assert outcomes == [TryOutcome.RETRY] * 7 + [TryOutcome.EXHAUSTED]
        # The queue holds a message for 15 minutes; the sweeper times the hours.
        assert post.queue.sent == [
            ({"delivery_id": "evt_1", "attempt": n}, wait_s) for n, wait_s in enumerate((10, 30, 120, 600), 1)
        ]
        assert len(post.outbound.posts) == 8
        assert post.delivery.status is DeliveryStatus.EXHAUSTED
        assert post.deliver(8) is TryOutcome.STALE

    def test_a_success_after_failures_ends_it(self) -> None:
        answers = iter([500, 500, 200])
        post = Post(lambda: next(answers))
        outcomes = [post.deliver(attempt) for attempt in range(3)]
        assert outcomes == [TryOutcome.RETRY, TryOutcome.RETRY, TryOutcome.DELIVERED]


class TestCrash:
    """Between the claim and the record: nobody knows whether the receiver heard it."""

    def crash(self, post: Post, attempt: int) -> None:
        working, post.outbound.behaviour = post.outbound.behaviour, raising(CrashError())
        with pytest.raises(CrashError):
            post.deliver(attempt)
        post.outbound.behaviour = working

    def test_the_message_comes_again_and_is_stale_while_the_lease_lasts(self) -> None:
        post = Post()
        self.crash(post, 0)
        assert post.deliver(0) is TryOutcome.STALE
        assert post.delivery.wake_at_ms == post.clock.now_ms() + CLAIM_LEASE_MS

    def test_the_sweeper_finds_it_by_its_lease_and_it_is_tried_again(self) -> None:
        post = Post()
        self.crash(post, 0)
        post.clock.advance(CLAIM_LEASE_MS)
        assert post.delivery.wake_at_ms == post.clock.now_ms()
        assert post.deliver(post.delivery.attempt) is TryOutcome.DELIVERED
        assert post.delivery.attempt == 2

    def test_a_try_that_crashes_every_time_comes_to_an_end(self) -> None:
        post = Post()
        for attempt in range(8):
            self.crash(post, attempt)
        assert post.deliver(8) is TryOutcome.EXHAUSTED
        assert len(post.outbound.posts) == 8
        assert post.delivery.status is DeliveryStatus.EXHAUSTED
        assert post.delivery.last_result == "the last try did not end"


class TestRealReceivers:
    """The same over sockets."""

    def post_to(self, answer: Answer, monkeypatch: pytest.MonkeyPatch, guard: AddressGuard) -> Delivery:
        monkeypatch.setattr(service_module, "TIMEOUT_S", 0.2)
        post = Post()
        with http_server(answer) as url:
            post.deliveries.stored["evt_1"] = replace(post.delivery, url=url)
            outbound = replace(post.service(), outbound=Outbound(guard))
            outbound.deliver("evt_1", 0)
        return post.delivery

    @pytest.mark.parametrize(
        ("answer", "result"),
        [
            (Reply(200, b"x" * 1_000_000), "HTTP 200"),
            (Reply(302, headers={"location": "http://127.0.0.1:1/"}), "HTTP 302"),
            (HANG, "ReadTimeout"),
        ],
        ids=["a long answer", "a redirect", "no answer"],
    )
    def test_what_they_answer_is_noted(
        self, monkeypatch: pytest.MonkeyPatch, answer: Any, result: str
    ) -> None:
        guard = AddressGuard(allow_loopback=True)
        assert self.post_to(lambda _: answer, monkeypatch, guard).last_result == result

    def test_where_loopback_is_closed_it_is_never_called(self, monkeypatch: pytest.MonkeyPatch) -> None:
        received: list[Received] = []

        def keep(request: Received) -> int:
            received.append(request)
            return 200

        delivery = self.post_to(keep, monkeypatch, AddressGuard())
        assert delivery.last_result == "the URL must point to a public address"
        assert received == []
