"""An image in OpenAI's protocol, for the official SDK: waited for by `get_status`, created by `api`."""

import asyncio
import base64
import io
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from openai import APIStatusError, AsyncOpenAI, BadRequestError, InternalServerError
from openai.types import ImagesResponse

from get_status import images
from get_status.app import app
from local.template import Template
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.played_lambda import PlayedLambda
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.http.json_body import MAX_MEDIA_BODY_BYTES
from tollgate.ledger.attribution import NONE
from tollgate.ledger.callers import Caller
from tollgate.tasks.image_creates import MAX_BODY_BYTES
from tollgate.tasks.waiting import LAST_PAUSE_S, MAX_HELD_S, MAX_WAIT_S

Pauses = Callable[[float], None]
IDLE_S = 300
"""After which the gateway cuts a streamed answer that says nothing, of a regional endpoint.

https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
"""


def tasks_of(customer: OpenedAccount, **query: str) -> Any:
    """Return the customer's tasks."""
    return api_parts.api().reader.page(Caller.of_account(customer.account_id), query)["tasks"]


def task_of(customer: OpenedAccount) -> Any:
    """Return the customer's one task."""
    (task,) = tasks_of(customer)
    return task


def started(task_id: str) -> None:
    """Take the first step of a task."""
    run_task_parts.step_runner().run(task_id, 0)


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Callable[[Pauses], list[float]]:
    """Return what moves the clock with each pause of a request, does something, and notes the pause."""

    def begin(then: Pauses) -> list[float]:
        made: list[float] = []

        async def pause(seconds: float) -> None:
            made.append(seconds)
            clock.advance_ms(int(seconds * MS_PER_S))
            then(sum(made))

        monkeypatch.setattr(images, "anyio", SimpleNamespace(sleep=pause))
        return made

    return begin


class TestWaiting:
    def test_an_image_of_40_s_comes_in_one_request(
        self, customer: OpenedAccount, clock: ManualClock, passing: Any
    ) -> None:
        def work(waited_s: float) -> None:
            task = task_of(customer)
            if task["status"] == "not_started":
                started(task["taskId"])
            if waited_s >= 40 and task["status"] != "finished":
                run_to_end(task["taskId"], clock)

        waited = passing(work)
        made = asyncio.run(generate(customer.api_key))
        assert 40 <= sum(waited) < 43
        assert made.data is not None
        assert made.output_format == "png"
        assert [image.url for image in made.data] == [file["fileUrl"] for file in task_of(customer)["files"]]
        assert balance_cents(customer) == 99

    def test_its_bytes(self, customer: OpenedAccount, clock: ManualClock, passing: Any) -> None:
        passing(lambda _: run_to_end(task_of(customer)["taskId"], clock))
        body = {"model": PAID_IMAGE, "prompt": "a lighthouse at dusk", "response_format": "b64_json"}
        status, made, headers = call("POST", "/api/v1/images/generations", customer.api_key, body)
        task = task_of(customer)
        assert (status, headers["x-tollgate-task-id"]) == (200, task["taskId"])
        assert made["output_format"] == "png"
        assert len(base64.b64decode(made["data"][0]["b64_json"])) == task["files"][0]["bytes"]

    def test_one_that_takes_longer_than_the_gateway_waits_names_its_task_and_goes_on(
        self, customer: OpenedAccount, passing: Any
    ) -> None:
        waited = passing(lambda waited_s: None if waited_s else started(task_of(customer)["taskId"]))
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key))
        assert (raised.value.status_code, raised.value.code) == (504, "task_pending")
        assert sum(waited) == MAX_HELD_S
        body: Any = raised.value.body
        task = task_of(customer)
        assert (task["taskId"], task["status"]) == (body["taskId"], "running")
        # Once: the SDK did not repeat it by itself.
        assert balance_cents(customer) == 99

    def test_one_that_waits_for_its_turn_is_held_as_long_as_a_status(
        self, customer: OpenedAccount, passing: Any
    ) -> None:
        waited = passing(lambda _: None)
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key))
        assert raised.value.code == "task_pending"
        assert MAX_WAIT_S <= sum(waited) < MAX_WAIT_S + LAST_PAUSE_S
        assert task_of(customer)["status"] == "not_started"

    def test_it_ends_before_gateway_and_function_do(self, template: Template) -> None:
        # Two creates at most are waited for before (`kit/aws/sdk.py`), the second one if an answer was lost.
        create_s = template.functions()["ApiFunction"]["Timeout"]
        function_s = template.functions()["GetStatusFunction"]["Timeout"]
        assert MAX_HELD_S + 2 * create_s < function_s <= IDLE_S

    def test_a_failure_is_told_with_the_money_back(
        self, customer: OpenedAccount, clock: ManualClock, passing: Any
    ) -> None:
        passing(lambda _: run_to_end(task_of(customer)["taskId"], clock))
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key, prompt="[[fail]]"))
        assert (raised.value.status_code, raised.value.code) == (502, "generation_failed")
        assert raised.value.message.count("refunded") == 1
        body: Any = raised.value.body
        assert body["taskId"] == task_of(customer)["taskId"]
        assert balance_cents(customer) == 100

    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize(
        ("prompt", "code"), [("[[reject]]", "moderation_blocked"), ("[[status 422]]", "input_rejected")]
    )
    def test_a_rejection_is_a_bad_request_with_the_money_back(
        self,
        customer: OpenedAccount,
        clock: ManualClock,
        passing: Any,
        prompt: str,
        code: str,
        stream: bool,
    ) -> None:
        waited = passing(lambda _: run_to_end(task_of(customer)["taskId"], clock))
        with pytest.raises(BadRequestError) as raised:
            asyncio.run(generate(customer.api_key, prompt=prompt, stream=stream))
        assert raised.value.code == code
        assert raised.value.message.lower().count("refunded") == 1
        body: Any = raised.value.body
        assert (body["taskId"], body["param"]) == (task_of(customer)["taskId"], None)
        assert balance_cents(customer) == 100
        assert len(waited) == 1, "the SDK did not repeat it by itself"

    def test_a_client_that_goes_is_waited_for_no_longer(self, customer: OpenedAccount, passing: Any) -> None:
        waited = passing(lambda _: None)
        assert asyncio.run(left_after_its_body(customer.api_key)) == 499
        assert len(waited) == 1
        # It is paid for, and goes on.
        assert task_of(customer)["status"] == "not_started"
        assert balance_cents(customer) == 99


class TestSeveral:
    """`n` images of one request: one transaction, n tasks."""

    @pytest.fixture
    def ending(self, customer: OpenedAccount, clock: ManualClock, passing: Any) -> None:
        def work(_: float) -> None:
            for task in tasks_of(customer):
                if task["status"] == "not_started":
                    run_to_end(task["taskId"], clock)

        passing(work)

    def test_three_are_three_tasks_and_one_request(self, customer: OpenedAccount, ending: None) -> None:
        made = asyncio.run(generate(customer.api_key, n=3))
        tasks = tasks_of(customer)
        assert made.data is not None
        assert {one.url for one in made.data} == {task["files"][0]["fileUrl"] for task in tasks}
        assert len(made.data) == 3
        assert balance_cents(customer) == 97

    def test_none_is_charged_if_the_balance_does_not_cover_all(
        self, customer: OpenedAccount, passing: Any
    ) -> None:
        passing(lambda _: None)
        for _ in range(10):
            api_parts.api().tasks.create_copies(
                customer.account_id, PAID_BODY, None, key=None, attribution=NONE, copies=9
            )
        assert balance_cents(customer) == 10
        create_task(customer.account_id, PAID_BODY)
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key, n=10))
        assert raised.value.code == "insufficient_balance"
        assert balance_cents(customer) == 9
        assert len(tasks_of(customer, limit="100")) == 91

    def test_a_repeat_with_the_key_returns_the_same_images(
        self, customer: OpenedAccount, ending: None
    ) -> None:
        key = {"idempotency-key": "k"}
        first, again = (asyncio.run(generate(customer.api_key, n=2, extra_headers=key)) for _ in range(2))
        assert first.data is not None
        assert again.data is not None
        assert [one.url for one in again.data] == [one.url for one in first.data]
        assert balance_cents(customer) == 98
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key, n=3, extra_headers=key))
        assert raised.value.code == "idempotency_key_reused"

    def test_those_that_failed_are_refunded_and_named(
        self, customer: OpenedAccount, clock: ManualClock, passing: Any
    ) -> None:
        failed: list[str] = []

        def work(_: float) -> None:
            tasks = tasks_of(customer)
            for task in tasks:
                if task["status"] == "not_started" and not failed:
                    failed.append(task["taskId"])
                    api_parts.api().tasks.cancel(Caller.of_account(customer.account_id), task["taskId"])
                    run_task_parts.step_runner().cancel(task["taskId"])
                elif task["status"] == "not_started":
                    run_to_end(task["taskId"], clock)

        passing(work)
        body = {"model": PAID_IMAGE, "prompt": "a lighthouse at dusk", "n": 2}
        status, made, headers = call("POST", "/api/v1/images/generations", customer.api_key, body)
        assert (status, len(made["data"])) == (200, 1)
        assert headers["x-tollgate-failed-task-id"] == failed[0]
        assert failed[0] in headers["x-tollgate-task-id"].split(", ")
        assert balance_cents(customer) == 99

    def test_all_that_failed_are_an_error(self, customer: OpenedAccount, ending: None) -> None:
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key, prompt="[[fail]]", n=2))
        assert raised.value.code == "generation_failed"
        assert balance_cents(customer) == 100

    def test_a_stream_has_an_event_for_each(self, customer: OpenedAccount, ending: None) -> None:
        async def streamed() -> list[Any]:
            wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(app))
            async with AsyncOpenAI(
                base_url="https://api.test/api/v1", api_key=customer.api_key, http_client=wire
            ) as client:
                events = await client.images.generate(
                    model=PAID_IMAGE, prompt="a lighthouse at dusk", n=2, stream=True, partial_images=2
                )
                return [event async for event in events]

        events = asyncio.run(streamed())
        assert [event.type for event in events] == ["image_generation.completed"] * 2
        assert [event.output_format for event in events] == ["png", "png"]
        assert all(base64.b64decode(event.b64_json).startswith(b"\x89PNG") for event in events)

    def test_bytes_end_where_the_response_has_no_more_room(
        self, customer: OpenedAccount, ending: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, first, _ = call(
            "POST", "/api/v1/images/generations", customer.api_key, {"model": PAID_IMAGE, "prompt": "a"}
        )
        size = next(
            file["bytes"] for file in task_of(customer)["files"] if file["fileUrl"] == first["data"][0]["url"]
        )
        monkeypatch.setattr(images, "MAX_INLINE_BYTES", size * 3 // 2)
        body = {"model": PAID_IMAGE, "prompt": "a", "n": 2, "response_format": "b64_json"}
        _, made, _ = call("POST", "/api/v1/images/generations", customer.api_key, body)
        assert [list(one) for one in made["data"]] == [["b64_json"], ["url"]]


class TestCreate:
    def test_it_takes_bodies_as_large_as_api_does(self) -> None:
        assert MAX_BODY_BYTES == MAX_MEDIA_BODY_BYTES

    @pytest.fixture
    def played(self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> PlayedLambda:
        made = PlayedLambda()
        monkeypatch.setattr(sdk, "lambda_for_creates", lambda: made)
        return made

    def test_a_create_whose_answer_was_lost_is_one_task(
        self, customer: OpenedAccount, clock: ManualClock, passing: Any, played: PlayedLambda
    ) -> None:
        played.lost = 1
        passing(lambda _: run_to_end(task_of(customer)["taskId"], clock))
        assert asyncio.run(generate(customer.api_key)).data
        assert balance_cents(customer) == 99

    def test_two_requests_without_a_key_are_two_tasks(
        self, customer: OpenedAccount, passing: Any, played: PlayedLambda
    ) -> None:
        passing(lambda _: None)
        for _ in range(2):
            with pytest.raises(APIStatusError):
                asyncio.run(generate(customer.api_key))
        assert balance_cents(customer) == 98

    def test_the_caller_s_key_is_the_one_that_counts(
        self, customer: OpenedAccount, passing: Any, played: PlayedLambda
    ) -> None:
        passing(lambda _: None)
        for _ in range(2):
            with pytest.raises(APIStatusError):
                asyncio.run(generate(customer.api_key, extra_headers={"Idempotency-Key": "poster-1"}))
        assert balance_cents(customer) == 99

    def test_what_is_refused_goes_on_as_it_is(self, customer: OpenedAccount, played: PlayedLambda) -> None:
        with pytest.raises(BadRequestError) as raised:
            asyncio.run(generate(customer.api_key, size="1000x999"))
        body: Any = raised.value.body
        assert [each["path"] for each in body["details"]] == ["/size"]
        assert raised.value.response.headers["x-request-id"].startswith("req_")
        assert "x-ratelimit-remaining" in raised.value.response.headers
        assert balance_cents(customer) == 100

    def test_the_address_is_the_one_that_the_gateway_saw(
        self, customer: OpenedAccount, passing: Any, played: PlayedLambda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_LAMBDA_EXEC_WRAPPER", "/opt/bootstrap")
        passing(lambda _: None)
        context = json.dumps({"identity": {"sourceIp": "203.0.113.7"}})
        with pytest.raises(APIStatusError):
            asyncio.run(generate(customer.api_key, extra_headers={"x-amzn-request-context": context}))
        (event,) = played.events
        assert event["requestContext"]["identity"]["sourceIp"] == "203.0.113.7"
        assert not [name for name in event["headers"] if name.startswith("x-amzn")]

    def test_a_create_that_died_is_a_fault_of_ours(
        self, customer: OpenedAccount, played: PlayedLambda
    ) -> None:
        died = {"FunctionError": "Unhandled", "Payload": io.BytesIO(b'{"errorType": "Sandbox.Timedout"}')}
        played.answers.append(died)
        with pytest.raises(InternalServerError) as raised:
            asyncio.run(generate(customer.api_key, max_retries=0))
        assert (raised.value.status_code, raised.value.code) == (500, "internal_error")


async def generate(
    api_key: str, prompt: str = "a lighthouse at dusk", max_retries: int = 2, **more: Any
) -> ImagesResponse:
    """Ask for an image, as the SDK's documentation has it."""
    wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(app))
    async with AsyncOpenAI(
        base_url="https://api.test/api/v1", api_key=api_key, http_client=wire, max_retries=max_retries
    ) as client:
        made: ImagesResponse = await client.images.generate(model=PAID_IMAGE, prompt=prompt, **more)
        return made


async def left_after_its_body(api_key: str) -> int:
    """Send a request and go; return the status that is logged."""
    body = json.dumps({"model": PAID_IMAGE, "prompt": "a lighthouse at dusk"}).encode()
    sent = [{"type": "http.request", "body": body, "more_body": False}]
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return sent.pop(0) if sent else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"authorization", f"Bearer {api_key}".encode()), (b"content-type", b"application/json")]
    path = "/api/v1/images/generations"
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "scheme": "https",
        "server": ("127.0.0.1", 443),
    }
    await app({**scope, "http_version": "1.1", "client": ("127.0.0.1", 1)}, receive, send)
    return statuses[0]
