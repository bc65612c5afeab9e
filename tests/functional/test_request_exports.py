"""Requests that ended, sent to their customer through the handlers: the event of each, and spans."""

import json
from typing import Any

import pytest
from standardwebhooks import Webhook

from deliver_webhook.app import handler
from tests.conftest import Aws
from tests.functional.conftest import Worker, create, invoke, stream_records, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_deliver_webhook import deliver, delivery_of, noting
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.functional.test_statistics import ask
from tests.support.clock import ManualClock
from tests.support.http_server import Received, Reply, http_server
from tests.unit.exports.test_spans import decoded, facts
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.exports.sender import MAX_ATTEMPTS, event_id_of

pytestmark = pytest.mark.usefixtures("webhooks_to_loopback")

EXPORTS = "/api/v1/exports/settings"
BUCKET = {
    "name": "costs",
    "region": "eu-central-1",
    "roleArn": "arn:aws:iam::123456789012:role/tollgate-export",
}


def change(customer: OpenedAccount, **body: Any) -> Any:
    status, answer, _ = call("PATCH", EXPORTS, customer.api_key, body)
    assert status == 200, answer
    return answer["data"]


def shown(customer: OpenedAccount) -> Any:
    return call("GET", EXPORTS, customer.api_key)[1]["data"]


def messages(aws: Aws) -> list[dict[str, Any]]:
    """Take the messages about requests out of the webhook queue."""
    return [one for one in map(json.loads, aws.messages("WebhookQueue")) if "entries" in one]


def sent(message: dict[str, Any]) -> None:
    assert invoke(handler, "WebhookQueue", json.dumps(message)) == {"batchItemFailures": []}


class TestRequestWebhook:
    def test_a_text_request_is_one_signed_event_with_its_record(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            change(customer, requestWebhook=url)
            request_id = ask(aws, customer, 30, 63)
            assert record(counted_records(aws)) == {"batchItemFailures": []}
            (message,) = messages(aws)
            clock.set_to_now()
            # Twice, as a queue may deliver it
            sent(message)
            sent(message)
            deliver(event_id_of(request_id))
        (request,) = received
        Webhook(customer.webhook_secret).verify(request.body.decode(), request.headers)
        event = json.loads(request.body)
        record_of_api = call("GET", f"/api/v1/requests/{request_id}", customer.api_key)[1]["data"]
        assert event["type"] == "request.completed"
        assert {**event["data"], "memberId": ""} == {**record_of_api, "memberId": ""}
        assert event["data"]["costMicroUsd"] == 63

    def test_a_generation_is_one_too_beside_the_event_of_its_task(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        change(customer, requestWebhook="http://127.0.0.1:9/requests")
        task = create(customer, webhook="http://127.0.0.1:9/task", **with_prompt("[[reject]]"))
        run_to_end(task, clock)
        worker.dispatch(stream_records(aws))
        (message,) = messages(aws)
        sent(message)
        delivery = delivery_of(event_id_of(task))
        assert (delivery.url, delivery.event) == ("http://127.0.0.1:9/requests", "request.completed")
        assert delivery.data is not None
        assert (delivery.data["id"], delivery.data["status"]) == (task, "refused")
        assert delivery.data["refundedMicroUsd"] == delivery.data["costMicroUsd"] > 0
        assert delivery_of("evt_" + task.removeprefix("task_")).url == "http://127.0.0.1:9/task"

    def test_an_account_without_exports_sends_nothing(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        ask(aws, customer, 30, 63)
        run_to_end(create(customer), clock)
        record(counted_records(aws))
        worker.dispatch(stream_records(aws))
        assert messages(aws) == []


class TestSpans:
    def exported(self, aws: Aws, customer: OpenedAccount, url: str, **spans: Any) -> dict[str, Any]:
        """Have one request of a customer ready to be sent to a receiver."""
        change(customer, spans={"endpoint": url, "headers": {"x-key": "secret"}, **spans})
        ask(aws, customer, 30, 63)
        record(counted_records(aws))
        (message,) = messages(aws)
        return message

    def test_a_request_becomes_a_span_with_the_secret_header(self, aws: Aws, customer: OpenedAccount) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            sent(self.exported(aws, customer, url))
        (request,) = received
        assert (request.headers["x-key"], request.headers["content-type"]) == ("secret", "application/json")
        assert facts(decoded(request.body))["tollgate.cost.micro_usd"] == 63
        found = shown(customer)["spans"]
        assert (found["sent"], found["lost"], found["headerNames"]) == (1, 0, ["x-key"])
        assert "secret" not in json.dumps(found)
        assert "lastError" not in found

    def test_a_sample_of_nothing_sends_nothing(self, aws: Aws, customer: OpenedAccount) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            sent(self.exported(aws, customer, url, sampleRate=0))
        assert received == []

    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    def test_a_busy_receiver_gets_them_again_and_at_last_they_are_lost(
        self, aws: Aws, customer: OpenedAccount, status: int
    ) -> None:
        received: list[Received] = []

        def busy(request: Received) -> Reply:
            received.append(request)
            return Reply(status, b"later", {"retry-after": "0"})

        with http_server(busy) as url:
            message = self.exported(aws, customer, url)
            for attempt in range(1, MAX_ATTEMPTS + 1):
                assert message["attempt"] == attempt
                sent(message)
                assert shown(customer)["spans"]["lost"] == (attempt == MAX_ATTEMPTS)
                if attempt < MAX_ATTEMPTS:
                    (message,) = messages(aws)
        assert messages(aws) == []
        assert len({request.body for request in received}) == 1
        assert shown(customer)["spans"]["lastError"] == f"HTTP {status}: later"

    @pytest.mark.parametrize("status", [301, 400, 401, 404, 500])
    def test_another_status_is_final(self, aws: Aws, customer: OpenedAccount, status: int) -> None:
        with http_server(lambda _: status) as url:
            sent(self.exported(aws, customer, url))
        assert (messages(aws), shown(customer)["spans"]["lost"]) == ([], 1)

    def test_refused_spans_of_a_partial_success_are_lost(self, aws: Aws, customer: OpenedAccount) -> None:
        partial = b'{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}'
        with http_server(lambda _: Reply(200, partial)) as url:
            sent(self.exported(aws, customer, url))
        found = shown(customer)["spans"]
        assert (found["sent"], found["lost"]) == (0, 1)
        assert "too old" in found["lastError"]

    def test_a_receiver_that_is_not_there_is_tried_again(self, aws: Aws, customer: OpenedAccount) -> None:
        sent(self.exported(aws, customer, "http://127.0.0.1:9/v1/traces"))
        (again,) = messages(aws) or [{"attempt": 0}]
        assert again["attempt"] in (0, 2)
        assert "No response" in shown(customer)["spans"]["lastError"]

    def test_an_internal_address_is_never_called(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 200)) as url:
            message = self.exported(aws, customer, url)
            monkeypatch.delenv("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS")
            from tollgate.composition import parts  # noqa: PLC0415 - only here

            parts.forget()
            sent(message)
        assert received == []


class TestSettings:
    def test_headers_stay_only_with_the_same_endpoint(self, customer: OpenedAccount) -> None:
        one, other = "https://example.com/v1/traces", "https://example.org/v1/traces"
        change(customer, spans={"endpoint": one, "headers": {"x-key": "secret"}})
        assert change(customer, spans={"endpoint": one, "sampleRate": 0.25})["spans"]["headerNames"] == [
            "x-key"
        ]
        assert change(customer, spans={"endpoint": other})["spans"]["headerNames"] == []
        assert change(customer, spans=None)["spans"] is None

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"webhook": 1}, "/webhook"),
            ({"requestWebhook": "ftp://example.com"}, "/requestWebhook"),
            ({"requestWebhook": "http://169.254.169.254/"}, "/requestWebhook"),
            ({"bucket": {**BUCKET, "roleArn": "arn:aws:iam::123456789012:role/admin"}}, "/bucket/roleArn"),
            ({"bucket": {**BUCKET, "name": "a.b"}}, "/bucket/name"),
            ({"bucket": {**BUCKET, "region": "moon"}}, "/bucket/region"),
            ({"bucket": {**BUCKET, "prefix": "a/../"}}, "/bucket/prefix"),
            ({"bucket": {**BUCKET, "prefix": "*/"}}, "/bucket/prefix"),
            ({"spans": []}, "/spans"),
            ({"spans": {}}, "/spans/endpoint"),
            ({"spans": {"endpoint": "http://10.0.0.1/"}}, "/spans/endpoint"),
            ({"spans": {"endpoint": "https://example.com", "sampleRate": 1.5}}, "/spans/sampleRate"),
            ({"spans": {"endpoint": "https://example.com", "sampleRate": 0.1234567}}, "/spans/sampleRate"),
            ({"spans": {"endpoint": "https://example.com", "sampleRate": "1"}}, "/spans/sampleRate"),
            ({"spans": {"endpoint": "https://example.com", "headers": {"a\nb": "x"}}}, "/spans/headers"),
            ({"spans": {"endpoint": "https://example.com", "headers": {"host": "x"}}}, "/spans/headers"),
            (
                {"spans": {"endpoint": "https://example.com", "headers": {"a": "x\r\nb: c"}}},
                "/spans/headers/a",
            ),
            ({"spans": {"endpoint": "https://example.com", "includeContent": 1}}, "/spans/includeContent"),
        ],
    )
    def test_a_wrong_body_is_refused(self, customer: OpenedAccount, body: Any, field: str) -> None:
        status, answer, _ = call("PATCH", EXPORTS, customer.api_key, body)
        assert (status, set(details(answer))) == (400, {field})

    def test_a_key_of_a_project_cannot_change_them(self, customer: OpenedAccount) -> None:
        project = api_parts.api().projects.create(customer.account_id, {"name": "Website"}, by=None)
        body = {"name": "own", "projectId": project["id"], "scopes": ["account"]}
        key = api_parts.api().keys.create(customer.account_id, body, None)
        status, answer, _ = call("PATCH", EXPORTS, key["key"], {"requestWebhook": None})
        assert (status, answer["error"]["code"]) == (403, "forbidden")
