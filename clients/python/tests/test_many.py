"""Workflows and batches: their requests, waits, streams and results. A mock transport is the service."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import tollgate_client
from test_wire import client, failed, in_turn
from tollgate_client import many

STEPS: list[tollgate_client.WorkflowStep] = [{"id": "image", "model": "m", "input": {"prompt": "x"}}]


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("time.sleep", found.append)
    return found


def workflow(status: str = "running", **step: Any) -> dict[str, Any]:
    kept = {"id": "image", "kind": "media", "model": "m", "status": status}
    money = {"costMicroUsd": 10, "refundedMicroUsd": 0}
    return {
        "id": "wfl_1",
        "status": status,
        "totalMicroUsd": 10,
        "costMicroUsd": 10,
        "isCancelled": False,
        "steps": [{**kept, **money, **step}],
    }


def batch(status: str, **more: Any) -> dict[str, Any]:
    counts = {"total": 2, "completed": 1, "failed": 1}
    return {"id": "batch_1", "status": status, "endpoint": many.CHATS, "request_counts": counts, **more}


def data(found: Any) -> httpx.Response:
    return httpx.Response(200, json={"code": 200, "data": found})


class TestWorkflows:
    def test_a_create_is_sent_again_with_the_same_key_and_its_end_is_waited_for(self) -> None:
        files = [{"fileUrl": "https://files.test/a.png", "fileType": "image"}]
        answers = (failed(503), data(workflow()), data(workflow()), data(workflow("finished", files=files)))
        answer, seen = in_turn(*answers)
        made = client(answer).create_workflow(STEPS, name="cover", max_cost_cents=5)
        told: list[str] = []
        ended = made.wait(on_progress=lambda each: told.append(each.status))
        assert told == ["running", "running", "finished"]
        assert ended.step("image").files[0].url == files[0]["fileUrl"]
        assert json.loads(seen[1].content) == {"steps": STEPS, "name": "cover", "maxCostCents": 5}
        assert len({request.headers["idempotency-key"] for request in seen[:2]}) == 1
        assert [request.url.path for request in seen] == [
            *["/api/v1/workflows"] * 2,
            *["/api/v1/workflows/wfl_1"] * 2,
        ]

    def test_a_failed_one_raises_with_the_results_of_the_others(self) -> None:
        error = {"code": "content_rejected", "message": "No."}
        answer, _ = in_turn(data(workflow("failed", error=error)))
        with pytest.raises(tollgate_client.WorkflowFailedError, match=r"wfl_1 failed: image: No\.") as raised:
            client(answer).workflow("wfl_1").wait()
        assert raised.value.workflow.steps[0].error == error

    def test_a_wait_has_an_end(self) -> None:
        answer, _ = in_turn(data(workflow()))
        with pytest.raises(tollgate_client.WaitTimeoutError, match="Workflow wfl_1 is still running"):
            client(answer).workflow("wfl_1").wait(timeout=-1)

    def test_a_stream_that_ends_is_opened_again_after_the_last_event(self, slept: list[float]) -> None:
        def events(*found: tuple[str, int, str]) -> httpx.Response:
            text = "retry: 2000\n\n: keep-alive\n\n" + "".join(
                f"event: {name}\nid: {number}\ndata: {json.dumps(workflow(status))}\n\n"
                for name, number, status in found
            )
            return httpx.Response(200, text=text)

        answer, seen = in_turn(
            data(workflow()),
            events(("progress", 0, "running"), ("progress", 3, "running")),
            httpx.ReadError("gone"),
            events(("end", 4, "finished")),
        )
        made = client(answer).workflow("wfl_1")
        assert [each.status for each in made.stream()] == ["running", "running", "finished"]
        assert made.seen.ended
        assert [request.headers.get("last-event-id") for request in seen[1:]] == [None, "3", "3"]
        assert slept == [many.RECONNECT_S] * 2

    def test_a_stream_that_is_refused_raises(self) -> None:
        answer, _ = in_turn(data(workflow()), failed(404, "workflow_not_found"))
        with pytest.raises(tollgate_client.NotFoundError):
            list(client(answer).workflow("wfl_1").stream())

    def test_pages_are_read_to_their_end_and_a_price_is_told_before(self) -> None:
        estimate = {"totalCents": 1, "totalMicroUsd": 10, "steps": [{"id": "image", "priceMicroUsd": 10}]}
        answer, seen = in_turn(
            data({"workflows": [workflow()], "cursor": "wfl_1"}), data({"workflows": []}), data(estimate)
        )
        service = client(answer)
        assert [each.id for each in service.workflows()] == ["wfl_1"]
        assert seen[1].url.params["cursor"] == "wfl_1"
        assert service.estimate_workflow(STEPS).steps == {"image": 10}


LINES = [
    {"id": "1", "custom_id": "a", "response": {"status_code": 200, "body": {"x": 1}}, "error": None},
    {
        "id": "2",
        "custom_id": "b",
        "response": None,
        "error": {"code": "batch_expired", "message": "Late."},
    },
]


class TestBatches:
    def answers(self) -> Iterator[httpx.Response | Exception]:
        upload = {"id": "file_1", "upload": {"url": "https://bucket.test/", "fields": {"key": "k"}}}
        yield from (data(upload), httpx.Response(204))
        yield httpx.Response(200, json=batch("validating"))
        yield httpx.Response(200, json=batch("completed", output_file_id="file_2", error_file_id="file_3"))
        for line in LINES:
            yield httpx.Response(302, headers={"location": "https://bucket.test/signed"})
            yield httpx.Response(200, text=json.dumps(line) + "\n")

    def test_requests_become_a_file_and_its_results_are_read(self) -> None:
        answer, seen = in_turn(*self.answers())
        made = client(answer).create_batch({"a": {"model": "m"}, "b": {"model": "n"}}, metadata={"run": "7"})
        assert made.wait().completed == 1
        assert [(one.custom_id, one.status, one.body, one.error) for one in made.results()] == [
            ("a", 200, {"x": 1}, None),
            ("b", None, None, LINES[1]["error"]),
        ]
        size = json.loads(seen[0].content)["bytes"]
        file = seen[1].content.partition(b'{"custom_id"')
        lines = [json.loads(line) for line in (file[1] + file[2]).splitlines()[:2]]
        assert [(line["custom_id"], line["url"], line["body"]) for line in lines] == [
            ("a", many.CHATS, {"model": "m"}),
            ("b", many.CHATS, {"model": "n"}),
        ]
        assert size == sum(len(json.dumps(line, separators=(",", ":"))) + 1 for line in lines)
        assert json.loads(seen[2].content)["metadata"] == {"run": "7"}
        # The storage gets no API key.
        assert [("authorization" in request.headers) for request in seen[4:]] == [True, False] * 2

    def test_asyncio_does_the_same(self) -> None:
        async def run() -> list[str]:
            answer, _ = in_turn(*self.answers())
            transport = httpx.MockTransport(answer)
            async with tollgate_client.AsyncClient("k", "https://x.test", transport=transport) as service:
                made = await service.create_batch({"a": {}, "b": {}})
                await made.status()
                return [one.custom_id async for one in made.results()]

        assert asyncio.run(run()) == ["a", "b"]

    def test_results_of_a_batch_that_runs_are_not_an_empty_list(self) -> None:
        answer, _ = in_turn(httpx.Response(200, json=batch("in_progress")))
        with pytest.raises(tollgate_client.TollgateError, match=r"Batch batch_1 is in_progress\. Call wait"):
            list(client(answer).batch("batch_1").results())

    def test_a_batch_without_requests_is_not_sent(self) -> None:
        answer, seen = in_turn()
        with pytest.raises(ValueError, match="at least one request"):
            client(answer).create_batch({})
        assert seen == []

    def test_one_that_cannot_be_read_raises(self) -> None:
        errors = {"object": "list", "data": [{"code": "x", "message": "Line 1 is no JSON.", "line": 1}]}
        answer, _ = in_turn(httpx.Response(200, json=batch("failed", errors=errors)))
        with pytest.raises(tollgate_client.BatchFailedError, match=r"batch_1 failed: Line 1 is no JSON\."):
            client(answer).batch("batch_1").wait()

    def test_pages_are_read_to_their_end(self) -> None:
        page = {"object": "list", "data": [batch("completed")], "first_id": "batch_1", "last_id": "batch_1"}
        answer, seen = in_turn(
            httpx.Response(200, json={**page, "has_more": True}),
            httpx.Response(200, json={**page, "has_more": False}),
        )
        assert len(list(client(answer).batches())) == 2
        assert seen[1].url.params["after"] == "batch_1"
