"""One attempt of one delivery, with everything around it in memory."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import httpx
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from tests.support.clock import ManualClock
from tests.support.http_server import HANG, Answer, Raw, Received, Reply, http_server
from tests.support.samples import finished_task
from tollgate.accounts.models import Account
from tollgate.accounts.webhook_secrets import WebhookSecret
from tollgate.kit.http.addresses import AddressGuard, ForbiddenAddressError
from tollgate.kit.http.outbound import Outbound, OutboundAnswer
from tollgate.tasks.events import event_of, pending_delivery
from tollgate.tasks.models import Task
from tollgate.webhooks import sender as sender_module
from tollgate.webhooks.models import Delivery, DeliveryAttempt, DeliveryStatus
from tollgate.webhooks.repository import StaleDeliveryError
from tollgate.webhooks.schedule import CLAIM_LEASE_MS, new_test_delivery
from tollgate.webhooks.sender import SLOW_MS, DeliveryOutcome, WebhookSender

SECRETS = tuple(WebhookSecret("whsec_" + b64encode(bytes([n]) * 32).decode(), 0) for n in (1, 2))
URL = "https://receiver.test/hook"
Behaviour = Callable[[], int]


class CrashError(BaseException):
    """The end of the process, at this very line."""


class MemoryDeliveries:
    """Deliveries under the rules of the repository's write conditions."""

    def __init__(self, delivery: Delivery) -> None:
        self.stored: dict[str, Delivery] = {delivery.delivery_id: delivery}

    def get(self, delivery_id: str) -> Delivery | None:
        return self.stored.get(delivery_id)

    def save(self, delivery: Delivery) -> None:
        if self.stored[delivery.delivery_id].seq != delivery.seq - 1:
            raise StaleDeliveryError(delivery.delivery_id)
        self.stored[delivery.delivery_id] = delivery


class MemoryLanes:
    """A lane that is full or not; notes who came and went."""

    def __init__(self) -> None:
        self.full = False
        self.inside: set[str] = set()
        self.notes: list[bool | None] = []

    def enter(self, account_id: str, now_ms: int) -> str | None:
        if self.full:
            return None
        self.inside.add(account_id)
        return f"slot of {account_id}"

    def leave(self, account_id: str, slot: str, *, slow: bool | None) -> None:
        assert slot == f"slot of {account_id}"
        self.inside.remove(account_id)
        self.notes.append(slow)


class FakeOutbound:
    """Answers with what `behaviour` gives or raises; keeps what was posted."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.posts: list[tuple[str, bytes, dict[str, str]]] = []

    def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, max_answer_bytes: int
    ) -> OutboundAnswer:
        assert (timeout_s, max_answer_bytes) == (10.0, 1024)
        self.posts.append((url, body, dict(headers)))
        return OutboundAnswer(self.behaviour(), b"said\x00so")


class FakeQueue:
    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], int]] = []

    def send(self, message: dict[str, Any], delay_s: int = 0) -> None:
        self.sent.append((message, delay_s))


class FakeFailing:
    """Keeps which deliveries it was shown after their attempts."""

    def __init__(self) -> None:
        self.shown: list[DeliveryStatus] = []

    def record_failure(self, delivery: Delivery, now_ms: int) -> None:
        assert now_ms > 0
        self.shown.append(delivery.status)


class Post:
    """A sender with one delivery, due now."""

    def __init__(self, behaviour: Behaviour = lambda: 200) -> None:
        self.clock = ManualClock()
        self.clock.set_to_now()
        self.queue = FakeQueue()
        self.failing = FakeFailing()
        self.lanes = MemoryLanes()
        self.outbound = FakeOutbound(behaviour)
        self.task: Task | None = finished_task()
        self.account: Account | None = Account("usr_1", 0, 0, 0, SECRETS)
        self.deliveries = MemoryDeliveries(pending_delivery(finished_task(), URL, self.clock.now_ms()))

    def deliver(self, seq: int | None = None) -> DeliveryOutcome:
        """Handle the message of this `seq`, or of the delivery as it is."""
        return self.sender().deliver("evt_1", self.delivery.seq if seq is None else seq)

    def sender(self) -> WebhookSender:
        return WebhookSender(
            deliveries=cast("Any", self.deliveries),
            lanes=cast("Any", self.lanes),
            event_of_task=lambda _: None if self.task is None else event_of(self.task),
            account=lambda _: self.account,
            outbound=cast("Any", self.outbound),
            queue=cast("Any", self.queue),
            failing=cast("Any", self.failing),
            clock=self.clock,
        )

    @property
    def delivery(self) -> Delivery:
        return self.deliveries.stored["evt_1"]

    @property
    def last_attempt(self) -> DeliveryAttempt:
        return self.delivery.log[-1]


def raising(error: BaseException) -> Behaviour:
    def behaviour() -> int:
        raise error

    return behaviour


class TestDelivered:
    @pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
    def test_any_2xx_ends_it(self, status: int) -> None:
        post = Post(lambda: status)
        assert post.deliver() is DeliveryOutcome.DELIVERED
        assert post.delivery.status is DeliveryStatus.DELIVERED
        assert post.delivery.attempts == 1
        assert post.delivery.wake_at_ms is None
        assert post.queue.sent == []

    def test_what_was_sent_is_the_signed_status_of_the_task(self) -> None:
        post = Post()
        post.deliver()
        ((url, body, headers),) = post.outbound.posts
        assert url == URL
        assert json.loads(body)["data"] == finished_task().view()
        assert headers["webhook-id"] == "evt_1"
        for secret in SECRETS:
            Webhook(secret.text).verify(body, headers)

    def test_a_secret_whose_time_is_over_signs_no_more(self) -> None:
        post = Post()
        ended = replace(SECRETS[1], expires_at_ms=post.clock.now_ms())
        post.account = Account("usr_1", 0, 0, 0, (SECRETS[0], ended))
        post.deliver()
        ((_, body, headers),) = post.outbound.posts
        Webhook(SECRETS[0].text).verify(body, headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRETS[1].text).verify(body, headers)

    def test_every_attempt_has_the_same_id_and_a_timestamp_of_its_own(self) -> None:
        post = Post(lambda: 500)
        post.deliver()
        post.clock.advance_ms(10_000)
        post.deliver()
        first, second = [headers for _, _, headers in post.outbound.posts]
        assert first["webhook-id"] == second["webhook-id"]
        assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 10

    def test_a_test_says_so_and_needs_no_task(self) -> None:
        post = Post()
        test = new_test_delivery("usr_1", URL, post.clock.now_ms())
        post.deliveries.stored = {test.delivery_id: test}
        assert post.sender().deliver(test.delivery_id, 0) is DeliveryOutcome.DELIVERED
        ((_, body, headers),) = post.outbound.posts
        assert json.loads(body)["type"] == "webhook.test"
        Webhook(SECRETS[0].text).verify(body, headers)


class TestLog:
    def test_an_attempt_that_was_answered(self) -> None:
        post = Post(lambda: post.clock.advance_ms(150) or 503)  # type: ignore[func-returns-value]
        began_ms = post.clock.now_ms()
        post.deliver()
        assert post.delivery.log == (DeliveryAttempt(began_ms, 150, status=503, answer="said\ufffdso"),)

    def test_an_attempt_without_an_answer(self) -> None:
        def hang() -> int:
            post.clock.advance_ms(10_000)
            raise httpx.ReadTimeout("late")

        post = Post(hang)
        began_ms = post.clock.now_ms()
        post.deliver()
        assert post.delivery.log == (
            DeliveryAttempt(began_ms, 10_000, error="No response in time; 10 s are allowed."),
        )

    def test_the_attempts_stand_one_after_the_other(self) -> None:
        answers = iter([500, 404, 200])
        post = Post(lambda: next(answers))
        for _ in range(3):
            post.deliver()
        assert [one.status for one in post.delivery.log] == [500, 404, 200]


class TestLane:
    def test_where_it_is_full_nothing_is_sent_and_it_asks_again(self) -> None:
        post = Post()
        post.lanes.full = True
        assert post.deliver() is DeliveryOutcome.WAITING
        assert post.outbound.posts == []
        ((message, wait_s),) = post.queue.sent
        assert message == {"delivery_id": "evt_1", "seq": 1}
        assert wait_s in (1, 2)
        assert (post.delivery.attempts, post.delivery.status) == (0, DeliveryStatus.PENDING)

    def test_a_turn_that_was_doubled_stays_one(self) -> None:
        post = Post()
        post.lanes.full = True
        post.deliver(0)
        assert post.deliver(0) is DeliveryOutcome.STALE
        assert len(post.queue.sent) == 1

    def test_once_there_is_room_it_is_sent(self) -> None:
        post = Post()
        post.lanes.full = True
        post.deliver()
        post.lanes.full = False
        assert post.deliver() is DeliveryOutcome.DELIVERED

    @pytest.mark.parametrize(("took_ms", "slow"), [(0, False), (SLOW_MS - 1, False), (SLOW_MS, True)])
    def test_the_slot_is_given_back_with_a_word_on_how_long_it_took(self, took_ms: int, slow: bool) -> None:
        post = Post(lambda: post.clock.advance_ms(took_ms) or 200)  # type: ignore[func-returns-value]
        post.deliver()
        assert (post.lanes.inside, post.lanes.notes) == (set(), [slow])

    def test_an_attempt_that_another_worker_claimed_gives_its_slot_back(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post = Post()
        read = post.delivery
        post.deliveries.stored["evt_1"] = replace(read, seq=1)
        monkeypatch.setattr(post.deliveries, "get", lambda _: read)
        assert post.deliver(0) is DeliveryOutcome.STALE
        assert (post.lanes.inside, post.lanes.notes) == (set(), [None])


class TestStale:
    """Nothing is sent, nothing is written."""

    def unmoved(self, post: Post, seq: int = 0, delivery_id: str = "evt_1") -> bool:
        before = dict(post.deliveries.stored)
        assert post.sender().deliver(delivery_id, seq) is DeliveryOutcome.STALE
        return post.outbound.posts == [] and post.queue.sent == [] and post.deliveries.stored == before

    def test_an_unknown_delivery(self) -> None:
        assert self.unmoved(Post(), delivery_id="evt_2")

    @pytest.mark.parametrize("seq", [0, 2, 3])
    def test_a_message_of_another_attempt(self, seq: int) -> None:
        post = Post()
        post.deliveries.stored["evt_1"] = replace(post.delivery, seq=1)
        assert self.unmoved(post, seq)

    @pytest.mark.parametrize("status", [DeliveryStatus.DELIVERED, DeliveryStatus.FAILED])
    def test_a_delivery_that_is_over(self, status: DeliveryStatus) -> None:
        post = Post()
        post.deliveries.stored["evt_1"] = replace(post.delivery, status=status, wake_at_ms=None)
        assert self.unmoved(post)

    def test_a_result_that_comes_after_another_worker_took_over_is_not_written(self) -> None:
        post = Post()

        def taken_over() -> int:
            post.deliveries.stored["evt_1"] = replace(post.delivery, seq=2)
            return 200

        post.outbound.behaviour = taken_over
        assert post.deliver() is DeliveryOutcome.STALE
        assert post.delivery.seq == 2
        assert post.delivery.status is DeliveryStatus.PENDING
        assert post.queue.sent == []


class TestFailure:
    @pytest.mark.parametrize("status", [100, 199, 300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503])
    def test_anything_but_2xx_is_tried_again(self, status: int) -> None:
        post = Post(lambda: status)
        assert post.deliver() is DeliveryOutcome.RETRY
        assert post.last_attempt.status == status
        assert post.queue.sent == [({"delivery_id": "evt_1", "seq": 2}, 10)]

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (httpx.ReadTimeout("late"), "No response in time; 10 s are allowed."),
            (httpx.ConnectError("nobody there"), "No connection, or no HTTP response: nobody there"),
            (httpx.RemoteProtocolError("\x1b[31m"), "No connection, or no HTTP response: \ufffd[31m"),
            (httpx.InvalidURL("what"), "No connection, or no HTTP response: what"),
            (
                ForbiddenAddressError("must point to a public address"),
                "Refused: the URL must point to a public address.",
            ),
        ],
    )
    def test_what_goes_wrong_on_the_way_is_noted_and_tried_again(self, error: Exception, said: str) -> None:
        post = Post(raising(error))
        assert post.deliver() is DeliveryOutcome.RETRY
        assert (post.last_attempt.status, post.last_attempt.error) == (None, said)
        assert post.delivery.status is DeliveryStatus.PENDING

    @pytest.mark.parametrize("gone", ["task", "account"])
    def test_without_task_or_account_nothing_is_sent_and_it_is_tried_again(self, gone: str) -> None:
        post = Post()
        setattr(post, gone, None)
        assert post.deliver() is DeliveryOutcome.RETRY
        assert post.outbound.posts == []
        assert post.last_attempt.error == f"The {gone} no longer exists."

    def test_all_the_tries_and_waits_until_it_is_exhausted(self) -> None:
        post = Post(lambda: 500)
        outcomes = [post.deliver() for _ in range(8)]
        assert outcomes == [DeliveryOutcome.RETRY] * 7 + [DeliveryOutcome.EXHAUSTED]
        # The queue holds a message for 15 minutes; the sweeper times the hours.
        assert [wait_s for _, wait_s in post.queue.sent] == [10, 30, 120, 600]
        assert len(post.outbound.posts) == 8
        assert post.delivery.status is DeliveryStatus.FAILED
        assert post.deliver() is DeliveryOutcome.STALE


class TestCrash:
    """Between the claim and the record: nobody knows whether the receiver heard it."""

    def crash(self, post: Post) -> None:
        working, post.outbound.behaviour = post.outbound.behaviour, raising(CrashError())
        with pytest.raises(CrashError):
            post.deliver()
        post.outbound.behaviour = working

    def test_the_message_comes_again_and_is_stale_while_the_lease_lasts(self) -> None:
        post = Post()
        self.crash(post)
        assert post.deliver(0) is DeliveryOutcome.STALE
        assert post.delivery.wake_at_ms == post.clock.now_ms() + CLAIM_LEASE_MS

    def test_the_sweeper_finds_it_by_its_lease_and_it_is_tried_again(self) -> None:
        post = Post()
        self.crash(post)
        post.clock.advance_ms(CLAIM_LEASE_MS)
        assert post.delivery.wake_at_ms == post.clock.now_ms()
        assert post.deliver() is DeliveryOutcome.DELIVERED
        assert post.delivery.attempts == 2

    def test_an_attempt_that_crashes_every_time_comes_to_an_end(self) -> None:
        post = Post()
        for _ in range(8):
            self.crash(post)
        assert post.deliver() is DeliveryOutcome.EXHAUSTED
        assert len(post.outbound.posts) == 8
        assert post.delivery.status is DeliveryStatus.FAILED
        ended_ms = post.clock.now_ms()
        error = "The attempt did not end; it may have arrived."
        assert post.last_attempt == DeliveryAttempt(ended_ms, 0, error=error)


def dripping() -> Raw:
    """Return an answer that says 200 and then never ends."""
    return Raw((b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\nfirst", *(b"." for _ in range(100))), 0.1)


class TestRealReceivers:
    """The same over sockets."""

    def post_to(self, answer: Answer, monkeypatch: pytest.MonkeyPatch, guard: AddressGuard) -> Delivery:
        monkeypatch.setattr(sender_module, "TIMEOUT_S", 0.3)
        post = Post()
        with http_server(answer) as url:
            post.deliveries.stored["evt_1"] = replace(post.delivery, url=url)
            replace(post.sender(), outbound=Outbound(guard)).deliver("evt_1", 0)
        return post.delivery

    @pytest.mark.parametrize(
        ("answer", "status", "said"),
        [
            (lambda: Reply(200, b"x" * 1_000_000), 200, "x" * 1_024),
            (lambda: Reply(302, headers={"location": "http://127.0.0.1:1/"}), 302, ""),
            (lambda: Reply(500, b"\xff oh\x00"), 500, "\ufffd oh\ufffd"),
            (lambda: HANG, None, None),
        ],
        ids=["a long answer", "a redirect", "no text", "no answer"],
    )
    def test_what_they_answer_is_noted(
        self, monkeypatch: pytest.MonkeyPatch, answer: Any, status: int | None, said: str | None
    ) -> None:
        guard = AddressGuard(allow_loopback=True)
        (made,) = self.post_to(lambda _: answer(), monkeypatch, guard).log
        assert (made.status, made.answer) == (status, said)
        assert (made.error is None) is (status is not None)

    def test_one_that_says_yes_and_never_ends_has_heard_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        delivery = self.post_to(lambda _: dripping(), monkeypatch, AddressGuard(allow_loopback=True))
        assert delivery.status is DeliveryStatus.DELIVERED
        assert str(delivery.log[0].answer).startswith("first")

    def test_where_loopback_is_closed_it_is_never_called(self, monkeypatch: pytest.MonkeyPatch) -> None:
        received: list[Received] = []

        def keep(request: Received) -> int:
            received.append(request)
            return 200

        delivery = self.post_to(keep, monkeypatch, AddressGuard())
        assert delivery.log[0].error == "Refused: the URL must point to a public address."
        assert received == []
