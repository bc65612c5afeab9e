"""`GET /api/v1/task/stream/{id}`: the progress of a task as server-sent events."""

import json
from typing import Any

import pytest

from tests.functional.conftest import create
from tests.functional.test_api import CONTEXT, EVENT, call, handler_of
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.tasks.progress_events import KEEP_ALIVE, MAX_STREAM_S, RETRY
from tollgate.tasks.waiting import MAX_WAIT_S


def path_of(task_id: str) -> str:
    return f"/api/v1/task/stream/{task_id}"


def streamed(customer: OpenedAccount, task_id: str, last_id: str | None = None, path: str = "") -> str:
    path = path or path_of(task_id)
    headers = {"authorization": f"Bearer {customer.api_key}"} | (
        {"last-event-id": last_id} if last_id else {}
    )
    event = EVENT | {
        "httpMethod": "GET",
        "path": path,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "body": None,
    }
    answer = handler_of(path)(event, CONTEXT)
    assert answer["statusCode"] == 200, answer
    text: str = answer["body"]
    assert text.startswith(RETRY)
    return text.removeprefix(RETRY)


def events(text: str) -> list[tuple[str, Any, str | None]]:
    """Return name, data and id of each event, without comments."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"]), fields.get("id")))
    return found


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses, which take no time."""
    pauses: list[float] = []

    async def pass_time(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("anyio.sleep", pass_time)
    return pauses


def test_a_finished_task_shows_its_files_and_its_end(
    customer: OpenedAccount, clock: ManualClock, slept: list[float]
) -> None:
    task_id = create(customer)
    run_to_end(task_id, clock)
    status = call("GET", f"/api/v1/task/status/{task_id}", customer.api_key)[1]["data"]
    found = events(streamed(customer, task_id))
    assert [name for name, _, _ in found] == ["file", "end"]
    assert [found[0][1]] == status["files"]
    assert found[1][1] == status
    # The end comes again, because the client may have missed it.
    assert events(streamed(customer, task_id, found[1][2]))[-1] == found[1]
    assert slept == []


def test_each_state_comes_once_and_a_reconnection_does_not_repeat_it(
    customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = create(customer)

    async def pass_time(_: float) -> None:
        run_to_end(task_id, clock)

    text = streamed_while_queued(customer, task_id, monkeypatch)
    (queued,) = events(text)
    assert (queued[0], queued[1]["queue"]["position"]) == ("queued", 1)
    monkeypatch.setattr("anyio.sleep", pass_time)
    names = [name for name, _, _ in events(streamed(customer, task_id, queued[2]))]
    assert names == ["file", "end"]


def streamed_while_queued(customer: OpenedAccount, task_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    pauses: list[float] = []

    async def pass_time(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("anyio.sleep", pass_time)
    text = streamed(customer, task_id)
    # A queue may be long, and each stream occupies a process.
    assert MAX_WAIT_S <= sum(pauses) < MAX_WAIT_S + 2 < MAX_STREAM_S
    assert text.count(KEEP_ALIVE) == 1
    return text


def test_another_accounts_task_is_not_found(customer: OpenedAccount) -> None:
    task_id = create(customer)
    other = api_parts.api().accounts.open(0)
    status, body, _ = call("GET", path_of(task_id), other.api_key)
    assert (status, body["error"]["code"]) == (404, "task_not_found")
    assert call("GET", f"{path_of(task_id)}?key={customer.api_key}")[0] == 401
