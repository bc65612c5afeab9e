"""`functions/deliver_webhook` against real receivers on loopback."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from deliver_webhook.app import handler
from local.machine.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import Worker, create, invoke, with_prompt
from tests.functional.test_api import call
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.http_server import Received, http_server
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.observability import logger
from tollgate.ledger.callers import Caller
from tollgate.webhooks.models import Delivery
from tollgate.webhooks.schedule import WAITS_S

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/deliver_webhook.json").read_text())


def noting(received: list[Received], status: int) -> Callable[[Received], int]:
    """Return a receiver that notes each request and answers with `status`."""

    def answer(request: Received) -> int:
        received.append(request)
        return status

    return answer


def ended_task(customer: OpenedAccount, clock: ManualClock, url: str, prompt: str = "fine") -> str:
    """Return the delivery of a task that ended."""
    task = run_to_end(create(customer, webhook=url, **with_prompt(prompt)), clock)
    return "evt_" + task.task_id.removeprefix("task_")


def delivery_of(delivery_id: str) -> Delivery:
    """Return the delivery as it is now."""
    found = deliver_webhook_parts.webhook_sender().deliveries.get(delivery_id)
    assert found is not None
    return found


def deliver(delivery_id: str, seq: int | None = None) -> Any:
    """Hand the message of this `seq`, or of the delivery as it is, to the handler."""
    message = {"delivery_id": delivery_id, "seq": delivery_of(delivery_id).seq if seq is None else seq}
    return invoke(handler, "WebhookQueue", json.dumps(message))


class TestTheEventFile:
    def test_a_message_for_a_delivery_that_is_gone_is_dropped(self, aws: Aws) -> None:
        assert handler(EVENT, Context("DeliverWebhookFunction")) == {"batchItemFailures": []}


@pytest.mark.usefixtures("webhooks_to_loopback")
class TestDelivery:
    @pytest.mark.parametrize(("prompt", "kind"), [("fine", "task.finished"), ("[[reject]]", "task.failed")])
    def test_the_receiver_gets_the_status_body_signed(
        self, customer: OpenedAccount, clock: ManualClock, prompt: str, kind: str
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            delivery_id = ended_task(customer, clock, url, prompt)
            # Standard Webhooks refuses old timestamps, so the attempt is made by the real clock.
            clock.set_to_now()
            assert deliver(delivery_id) == {"batchItemFailures": []}
        (request,) = received
        Webhook(customer.webhook_secret).verify(request.body.decode(), request.headers)
        event = json.loads(request.body)
        task_id = delivery_id.replace("evt_", "task_")
        assert event["type"] == kind
        assert event["data"] == api_parts.api().reader.status(Caller.of_account(customer.account_id), task_id)
        assert request.headers["webhook-id"] == delivery_id
        assert delivery_of(delivery_id).status == "delivered"
        assert logger.thread_safe_get_current_keys()["task_id"] == task_id

    def test_a_doubled_message_is_one_attempt(self, customer: OpenedAccount, clock: ManualClock) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            delivery_id = ended_task(customer, clock, url)
            for seq in (0, 0, 1, 2):
                deliver(delivery_id, seq)
        assert len(received) == 1

    @pytest.mark.parametrize("status", [301, 404, 410, 500])
    def test_anything_but_2xx_is_tried_again_ten_seconds_later(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, status: int
    ) -> None:
        with http_server(lambda _: status) as url:
            delivery_id = ended_task(customer, clock, url)
            deliver(delivery_id)
        delivery = delivery_of(delivery_id)
        assert (delivery.status, delivery.attempts, delivery.log[0].status) == ("pending", 1, status)
        assert delivery.next_attempt_at_ms == clock.now_ms() + 10_000

    def test_after_the_eighth_attempt_it_is_exhausted(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 500)) as url:
            delivery_id = ended_task(customer, clock, url)
            for _ in range(len(WAITS_S) + 2):
                deliver(delivery_id)
        assert len(received) == 8
        assert delivery_of(delivery_id).status == "failed"
        assert len({request.headers["webhook-id"] for request in received}) == 1


@pytest.mark.usefixtures("webhooks_to_loopback")
class TestProgress:
    def test_the_receiver_gets_the_start_of_a_task_that_asked_for_it_as_it_was(
        self, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            task_id = create(customer, webhook=url, webhookProgress=True)
            worker.start(task_id)
            worker.step()
            run_to_end(task_id, clock)
            (message,) = worker.aws.messages("WebhookQueue")
            invoke(handler, "WebhookQueue", message)
        (event,) = [json.loads(request.body) for request in received]
        assert event["type"] == "task.progress"
        assert (event["data"]["status"], event["data"]["sequence"]) == ("running", 1)
        assert event["data"].keys().isdisjoint({"files", "finishedAt"})
        status, body, _ = call("GET", f"/api/v1/webhooks/deliveries?taskId={task_id}", customer.api_key)
        kinds = [one["type"] for one in body["data"]["deliveries"]]
        assert (status, kinds) == (200, ["task.finished", "task.progress"])


@pytest.mark.usefixtures("webhooks_to_loopback")
class TestGuard:
    def test_an_address_that_turned_private_is_never_called(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            delivery_id = ended_task(customer, clock, url)
            monkeypatch.delenv("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS")
            deliver_webhook_parts.webhook_sender.cache_clear()
            deliver(delivery_id)
        assert received == []
        delivery = delivery_of(delivery_id)
        assert delivery.status == "pending"
        assert delivery.log[0].error == "Refused: the URL must point to a public address."


@pytest.mark.usefixtures("webhooks_to_loopback")
class TestLane:
    def test_an_account_with_ten_tries_in_the_air_waits_and_another_one_does_not(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        lanes = deliver_webhook_parts.webhook_sender().lanes
        for _ in range(10):
            assert lanes.enter(customer.account_id, clock.now_ms())
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            waiting = ended_task(customer, clock, url)
            going = ended_task(api_parts.api().accounts.open(micro_usd_of_cents(100)), clock, url)
            aws.messages("WebhookQueue")
            deliver(waiting)
            deliver(going)
        assert [request.headers["webhook-id"] for request in received] == [going]
        assert (delivery_of(waiting).status, delivery_of(waiting).attempts) == ("pending", 0)
