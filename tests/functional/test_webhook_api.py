"""What customers do about their webhooks, through the API and the workers (moto, receivers on loopback)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from tests.conftest import Aws
from tests.functional.conftest import create, invoke, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.http_server import Received, Reply, http_server
from tests.support.resolver import resolving
from tollgate.accounts.keys import new_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.dynamodb.database import Database

pytestmark = pytest.mark.usefixtures("webhooks_to_loopback")

BASE = "/api/v1/webhooks"
HOUR_MS = 3_600_000


@dataclass
class Receiver:
    """A customer's server: answers with `reply`, keeps what it got."""

    url: str
    reply: Reply = field(default_factory=Reply)
    received: list[Received] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a receiver on loopback."""
    running = Receiver("")

    def answer(request: Received) -> Reply:
        running.received.append(request)
        return running.reply

    with http_server(answer) as url:
        running.url = url
        yield running


def ok(method: str, path: str, customer: OpenedAccount, body: Any = None) -> Any:
    """Return the `data` of an answer that must be 200."""
    status, answer, _ = call(method, BASE + path, customer.api_key, body)
    assert (status, answer["code"]) == (200, 200), answer
    return answer["data"]


def refused(method: str, path: str, customer: OpenedAccount, body: Any = None) -> tuple[int, str]:
    """Return status and code of an answer that must be an error."""
    status, answer, _ = call(method, BASE + path, customer.api_key, body)
    return status, answer["error"]["code"]


def delivery_of(customer: OpenedAccount, clock: ManualClock, url: str, prompt: str = "fine") -> str:
    """Return the id of the delivery of a task that ended."""
    task = run_to_end(create(customer, webhook=url, **with_prompt(prompt)), clock)
    return "evt_" + task.task_id.removeprefix("task_")


def try_once(delivery_id: str) -> None:
    """Hand the delivery's message to the worker, as the queue does."""
    from deliver_webhook.app import handler  # noqa: PLC0415 - Lambda's own entry

    found = deliver_webhook_parts.webhook_sender().deliveries.get(delivery_id)
    assert found is not None
    message = json.dumps({"delivery_id": delivery_id, "seq": found.seq})
    assert invoke(handler, "WebhookQueue", message) == {"batchItemFailures": []}


def fail_for_good(delivery_id: str) -> None:
    """Make all the attempts of a delivery whose receiver refuses them."""
    for _ in range(8):
        try_once(delivery_id)


def sent_test(customer: OpenedAccount, clock: ManualClock) -> str:
    """Return the id of a new test's delivery."""
    clock.advance_ms(5_000)
    return str(ok("POST", "/test", customer, {"url": "http://127.0.0.1:1/"})["deliveryId"])


class TestLog:
    def test_each_attempt_is_shown_with_what_the_receiver_said(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        delivery_id = delivery_of(customer, clock, receiver.url)
        receiver.reply = Reply(500, b"database is down\x00")
        try_once(delivery_id)
        clock.advance_ms(10_000)
        receiver.reply = Reply(204)
        try_once(delivery_id)
        shown = ok("GET", f"/deliveries/{delivery_id}", customer)
        assert (
            shown.pop("createdAt")
            < shown["attempts"][0]["attemptedAt"]
            < shown["attempts"][1].pop("attemptedAt")
        )
        assert shown.pop("deliveredAt")
        assert shown["attempts"][0].pop("attemptedAt")
        assert shown == {
            "deliveryId": delivery_id,
            "type": "task.finished",
            "taskId": delivery_id.replace("evt_", "task_"),
            "url": receiver.url,
            "state": "delivered",
            "redeliveries": 0,
            "attemptCount": 2,
            "attempts": [
                {"durationMs": 0, "status": 500, "answer": "database is down\ufffd"},
                {"durationMs": 0, "status": 204, "answer": ""},
            ],
        }

    def test_while_it_waits_it_says_until_when(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        receiver.reply = Reply(500)
        clock.set(1_699_999_000_000)
        delivery_id = delivery_of(customer, clock, receiver.url)
        clock.set(1_700_000_000_000)
        try_once(delivery_id)
        shown = ok("GET", f"/deliveries/{delivery_id}", customer)
        assert (shown["state"], shown["nextAttemptAt"]) == ("pending", "2023-11-14T22:13:30.000Z")

    def test_where_nobody_answered_it_says_why(self, customer: OpenedAccount, clock: ManualClock) -> None:
        with http_server(lambda _: 200) as url:
            pass
        delivery_id = delivery_of(customer, clock, url)
        try_once(delivery_id)
        (made,) = ok("GET", f"/deliveries/{delivery_id}", customer)["attempts"]
        assert made["error"].startswith("No connection")
        assert made.keys() == {"attemptedAt", "durationMs", "error"}

    def test_anothers_delivery_and_one_that_never_was_are_the_same_404(
        self, customer: OpenedAccount, stranger: OpenedAccount, clock: ManualClock
    ) -> None:
        theirs = delivery_of(customer, clock, "https://receiver.test/")
        for delivery_id in (theirs, "evt_01JD5R6Q00EXAMP1ETASK00002", "evt_", "nonsense", "x" * 3_000):
            for method, path in (("GET", "/deliveries/{}"), ("POST", "/deliveries/{}/redeliver")):
                answer = refused(method, path.format(delivery_id), stranger)
                assert answer == (404, "delivery_not_found")


class TestList:
    def ids(self, data: Any) -> list[str]:
        return [delivery["deliveryId"] for delivery in data["deliveries"]]

    def test_the_newest_come_first_page_by_page(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = [sent_test(customer, clock) for _ in range(5)]
        first = ok("GET", "/deliveries?limit=2", customer)
        second = ok("GET", f"/deliveries?limit=2&cursor={first['cursor']}", customer)
        third = ok("GET", f"/deliveries?limit=2&cursor={second['cursor']}", customer)
        assert self.ids(first) + self.ids(second) + self.ids(third) == sorted(made, reverse=True)
        assert "cursor" not in third
        assert first["deliveries"][0] == ok("GET", f"/deliveries/{self.ids(first)[0]}", customer)

    def test_by_state_and_by_task(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        heard = delivery_of(customer, clock, receiver.url)
        failed, waiting = sent_test(customer, clock), sent_test(customer, clock)
        for delivery_id in (heard, failed):
            try_once(delivery_id)
        for state, delivery_id in (("delivered", heard), ("failed", failed), ("pending", waiting)):
            assert self.ids(ok("GET", f"/deliveries?state={state}", customer)) == [delivery_id]
        task_id = heard.replace("evt_", "task_")
        assert self.ids(ok("GET", f"/deliveries?taskId={task_id}", customer)) == [heard]
        assert self.ids(ok("GET", f"/deliveries?taskId={task_id}&state=pending", customer)) == []

    def test_never_anothers(
        self, customer: OpenedAccount, stranger: OpenedAccount, clock: ManualClock
    ) -> None:
        theirs = delivery_of(customer, clock, "https://receiver.test/")
        mine = sent_test(stranger, clock)
        assert self.ids(ok("GET", "/deliveries", stranger)) == [mine]
        assert self.ids(ok("GET", f"/deliveries?taskId={theirs.replace('evt_', 'task_')}", stranger)) == []
        # A cursor says where a page begins and nothing about whose it is.
        before = max(theirs, mine)
        assert theirs not in self.ids(ok("GET", f"/deliveries?cursor={before}", stranger))

    def test_every_problem_is_named_at_once(self, customer: OpenedAccount) -> None:
        _, body, _ = call("GET", f"{BASE}/deliveries?state=x&limit=x&cursor=x&more=x", customer.api_key)
        assert set(details(body)) == {"/state", "/limit", "/cursor", "/more"}


class TestRedeliver:
    def test_one_that_was_given_up_is_sent_again_under_its_own_id(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        receiver.reply = Reply(500)
        delivery_id = delivery_of(customer, clock, receiver.url)
        fail_for_good(delivery_id)
        aws.messages("WebhookQueue")
        receiver.reply = Reply(200)
        clock.set_to_now()
        shown = ok("POST", f"/deliveries/{delivery_id}/redeliver", customer)
        assert (shown["state"], shown["redeliveries"]) == ("pending", 1)
        (message,) = aws.messages("WebhookQueue")
        assert json.loads(message)["delivery_id"] == delivery_id
        try_once(delivery_id)
        assert len({request.headers["webhook-id"] for request in receiver.received}) == 1
        assert len({request.body for request in receiver.received}) == 1
        Webhook(customer.webhook_secret).verify(receiver.received[-1].body, receiver.received[-1].headers)
        assert ok("GET", f"/deliveries/{delivery_id}", customer)["state"] == "delivered"

    def test_a_double_click_sends_once(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        delivery_id = delivery_of(customer, clock, receiver.url)
        try_once(delivery_id)
        aws.messages("WebhookQueue")
        clicks = [ok("POST", f"/deliveries/{delivery_id}/redeliver", customer) for _ in range(2)]
        try_once(delivery_id)
        clicks.append(ok("POST", f"/deliveries/{delivery_id}/redeliver", customer))
        assert [click["redeliveries"] for click in clicks] == [1, 1, 1]
        assert len(aws.messages("WebhookQueue")) == 1
        assert len(receiver.received) == 2

    def test_two_clicks_at_the_same_moment_send_once(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with http_server(lambda _: 200) as url:
            delivery_id = delivery_of(customer, clock, url)
            try_once(delivery_id)
        aws.messages("WebhookQueue")
        service = api_parts.api().webhooks
        read = service.deliveries.get(delivery_id)
        ok("POST", f"/deliveries/{delivery_id}/redeliver", customer)
        # The other click had read the delivery before this one wrote it.
        reads = iter([read, service.deliveries.get(delivery_id)])
        monkeypatch.setattr(service.deliveries, "get", lambda _: next(reads))
        assert ok("POST", f"/deliveries/{delivery_id}/redeliver", customer)["redeliveries"] == 1
        assert len(aws.messages("WebhookQueue")) == 1

    def test_the_sweeper_sends_it_where_the_message_was_lost(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        delivery_id = delivery_of(customer, clock, receiver.url)
        try_once(delivery_id)
        ok("POST", f"/deliveries/{delivery_id}/redeliver", customer)
        aws.messages("WebhookQueue")
        clock.advance_ms(60_000)
        sweep_parts.sweeper().sweep()
        assert [json.loads(body)["delivery_id"] for body in aws.messages("WebhookQueue")] == [delivery_id]

    def test_after_twenty_it_is_refused(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        delivery_id = delivery_of(customer, clock, receiver.url)
        try_once(delivery_id)
        deliveries = deliver_webhook_parts.webhook_sender().deliveries
        found = deliveries.get(delivery_id)
        assert found is not None
        deliveries.save(replace(found, seq=found.seq + 1, redeliveries=20))
        path = f"/deliveries/{delivery_id}/redeliver"
        assert refused("POST", path, customer) == (409, "redelivery_limit_reached")
        assert deliveries.get(delivery_id) == replace(found, seq=found.seq + 1, redeliveries=20)


class TestSendTest:
    def test_a_signed_test_event_arrives_once_and_its_answer_can_be_read(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        receiver.reply = Reply(418, b"a teapot")
        clock.set_to_now()
        shown = ok("POST", "/test", customer, {"url": receiver.url})
        assert (shown["type"], shown["state"], shown["attempts"]) == ("webhook.test", "pending", [])
        assert receiver.received == []
        (message,) = aws.messages("WebhookQueue")
        assert json.loads(message) == {"delivery_id": shown["deliveryId"], "seq": 0}
        for _ in range(3):
            try_once(shown["deliveryId"])
        (request,) = receiver.received
        event = Webhook(customer.webhook_secret).verify(request.body, request.headers)
        assert event["type"] == "webhook.test"
        over = ok("GET", f"/deliveries/{shown['deliveryId']}", customer)
        assert (over["state"], over["attempts"][0]["status"], over["attempts"][0]["answer"]) == (
            "failed",
            418,
            "a teapot",
        )
        assert "taskId" not in over

    def test_an_address_that_is_refused_is_refused_at_once_with_the_rule(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        resolving(monkeypatch, {"inside.test": [["10.0.0.1"]]})
        for url in ("http://169.254.169.254/latest", "https://[64:ff9b::10.0.0.1]/", "https://inside.test/"):
            status, body, _ = call("POST", f"{BASE}/test", customer.api_key, {"url": url})
            assert status == 400
            assert details(body) == {"/url": "The URL must point to a public address."}
        assert aws.messages("WebhookQueue") == []

    def test_a_name_that_turns_private_after_the_check_is_not_called(
        self, customer: OpenedAccount, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        resolving(monkeypatch, {"rebind.test": [["93.184.216.34"], ["10.0.0.1"]]})
        url = receiver.url.replace("127.0.0.1", "rebind.test")
        shown = ok("POST", "/test", customer, {"url": url})
        try_once(shown["deliveryId"])
        (made,) = ok("GET", f"/deliveries/{shown['deliveryId']}", customer)["attempts"]
        assert made["error"] == "Refused: the URL must point to a public address."
        assert receiver.received == []

    def test_a_double_click_is_one_test_and_another_url_has_to_wait(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        clock.set(1_700_000_000_000)
        first = ok("POST", "/test", customer, {"url": receiver.url})
        assert ok("POST", "/test", customer, {"url": receiver.url}) == first
        other = {"url": receiver.url + "/2"}
        clock.advance_ms(4_999)
        status, body, headers = call("POST", f"{BASE}/test", customer.api_key, other)
        assert (status, body["error"]["code"]) == (429, "concurrency_limited")
        assert headers["retry-after"] == "5"
        assert len(aws.messages("WebhookQueue")) == 1
        clock.advance_ms(1)
        assert ok("POST", "/test", customer, other)["deliveryId"] != first["deliveryId"]

    def test_it_is_listed_among_the_deliveries(self, customer: OpenedAccount, receiver: Receiver) -> None:
        shown = ok("POST", "/test", customer, {"url": receiver.url})
        assert ok("GET", "/deliveries", customer)["deliveries"] == [shown]


class TestSecret:
    def signed_by(self, receiver: Receiver, *secrets: str) -> list[bool]:
        request = receiver.received[-1]

        def verifies(secret: str) -> bool:
            try:
                Webhook(secret).verify(request.body, request.headers)
            except WebhookVerificationError:
                return False
            return True

        return [verifies(secret) for secret in secrets]

    def send(self, customer: OpenedAccount, receiver: Receiver) -> None:
        try_once(ok("POST", "/test", customer, {"url": receiver.url})["deliveryId"])

    def test_it_is_the_one_that_the_account_was_opened_with(self, customer: OpenedAccount) -> None:
        (secret,) = ok("GET", "/secret", customer)["secrets"]
        assert secret["secret"] == customer.webhook_secret
        assert secret["masked"] == customer.webhook_secret[:10] + "…"
        assert secret.keys() == {"secret", "masked", "createdAt"}

    def test_both_sign_until_the_overlap_is_over_and_then_the_old_one_is_gone(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        clock.set_to_now()
        old = customer.webhook_secret
        # The clock goes back: the standard refuses timestamps that are more than minutes off.
        clock.advance_ms(-HOUR_MS)
        new, leaving = ok("POST", "/secret/rotate", customer, {"overlapS": 3_600})["secrets"]
        assert leaving["secret"] == old
        assert ok("GET", "/secret", customer)["secrets"] == [new, leaving]
        clock.advance_ms(HOUR_MS - 1)
        self.send(customer, receiver)
        assert self.signed_by(receiver, new["secret"], old) == [True, True]
        clock.advance_ms(5_001)
        self.send(customer, receiver)
        assert self.signed_by(receiver, new["secret"], old) == [True, False]
        assert ok("GET", "/secret", customer)["secrets"] == [new]

    def test_without_a_word_the_overlap_is_a_day(self, customer: OpenedAccount, clock: ManualClock) -> None:
        clock.set(1_700_000_000_000)
        _, leaving = ok("POST", "/secret/rotate", customer)["secrets"]
        assert leaving["expiresAt"] == "2023-11-15T22:13:20.000Z"

    def test_a_double_click_rotates_once_and_says_until_when(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        clock.set(1_700_000_000_000)
        rotated = ok("POST", "/secret/rotate", customer)
        status, body, _ = call("POST", f"{BASE}/secret/rotate", customer.api_key)
        assert (status, body["error"]["code"]) == (409, "rotation_in_progress")
        assert body["error"]["endsAt"] == "2023-11-15T22:13:20.000Z"
        assert ok("GET", "/secret", customer) == rotated

    def test_a_leaked_secret_can_be_ended_at_once(
        self, customer: OpenedAccount, clock: ManualClock, receiver: Receiver
    ) -> None:
        clock.set_to_now()
        ok("POST", "/secret/rotate", customer)
        (new,) = ok("POST", "/secret/rotate", customer, {"overlapS": 0})["secrets"]
        self.send(customer, receiver)
        assert self.signed_by(receiver, new["secret"], customer.webhook_secret) == [True, False]

    def test_an_account_from_before_rotation_can_rotate(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": customer.account_id}},
            UpdateExpression="SET webhook_secrets = :bare",
            ExpressionAttributeValues={":bare": {"L": [{"S": "whsec_b2xk"}]}},
        )
        assert [one["secret"] for one in ok("GET", "/secret", customer)["secrets"]] == ["whsec_b2xk"]
        assert ok("POST", "/secret/rotate", customer)["secrets"][1]["secret"] == "whsec_b2xk"

    def test_of_two_rotations_at_the_same_moment_one_is_made(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service = api_parts.api().webhooks
        read = service.accounts.get(customer.account_id)
        rotated = ok("POST", "/secret/rotate", customer)
        reads = iter([read, service.accounts.get(customer.account_id)])
        with monkeypatch.context() as patch:
            patch.setattr(service.accounts, "get", lambda _: next(reads))
            assert refused("POST", "/secret/rotate", customer) == (409, "rotation_in_progress")
        assert ok("GET", "/secret", customer) == rotated

    def test_an_overlap_that_is_none_is_refused(self, customer: OpenedAccount) -> None:
        status, body, _ = call("POST", f"{BASE}/secret/rotate", customer.api_key, {"overlapS": -1})
        assert (status, list(details(body))) == (400, ["/overlapS"])
        assert len(ok("GET", "/secret", customer)["secrets"]) == 1


class TestScopes:
    @pytest.mark.parametrize(
        ("scope", "routes"),
        [
            (
                Scope.MEDIA,
                [
                    ("GET", "/deliveries"),
                    ("GET", "/deliveries/evt_1"),
                    ("POST", "/deliveries/evt_1/redeliver"),
                    ("POST", "/test"),
                ],
            ),
            (Scope.ACCOUNT, [("GET", "/secret"), ("POST", "/secret/rotate")]),
        ],
    )
    def test_a_route_wants_one_scope(
        self, aws: Aws, customer: OpenedAccount, scope: Scope, routes: list[tuple[str, str]]
    ) -> None:
        keys = ApiKeyRepository(Database(aws.clients.dynamodb), aws.stack.refs["ApiKeysTable"])
        fresh = new_key()
        keys.add(ApiKey(fresh.key_id, customer.account_id, fresh.digest, frozenset(Scope) - {scope}, 0))
        for method, path in routes:
            status, body, _ = call(method, BASE + path, fresh.text, {})
            assert (status, body["error"]["code"]) == (403, "forbidden")
            assert call(method, BASE + path, None, {})[0] == 401
