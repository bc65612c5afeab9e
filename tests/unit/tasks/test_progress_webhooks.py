"""Events about the progress of a task: bounded, spread, and numbered in order."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.tasks.models import Task, TaskStatus, Told
from tollgate.tasks.progress_webhooks import progress_event_of, with_progress_event
from tollgate.webhooks.models import Delivery, delivery_ids_of

START = 1_795_297_360_000
TASK = Task(
    task_id="task_01M7Y320TY6K5J1TP5KNRBNYR5",
    account_id="usr_1",
    model="test-image",
    values={},
    charge_micro_usd=10_000,
    price_version="v",
    created_at_ms=START,
    deadline_at_ms=START + 600_000,
    status=TaskStatus.RUNNING,
    webhook="https://example.com/hook",
    metadata={"share": 0.5},
    told=Told(),
)
STEPS = st.lists(st.tuples(st.integers(0, 60_000), st.none() | st.integers(0, 100)), max_size=120)


def events(task: Task, steps: list[tuple[int, int | None]]) -> tuple[list[Delivery], Task]:
    """Return the events of steps, each some milliseconds after the one before, and the task at the end."""
    now_ms, found = START, []
    for after_ms, progress in steps:
        now_ms += after_ms
        task, event = with_progress_event(replace(task, progress=progress), now_ms)
        found += [] if event is None else [event]
    return found, task


@given(STEPS)
def test_they_are_few_spread_numbered_and_each_tells_something_new(
    steps: list[tuple[int, int | None]],
) -> None:
    found, _ = events(TASK, steps)
    assert len(found) <= 30
    assert [(one.data or {})["sequence"] for one in found] == list(range(1, len(found) + 1))
    for one, after in pairwise(found):
        # A thirtieth of the model's 600 s.
        assert after.created_at_ms - one.created_at_ms >= 20_000
        assert (after.data or {})["progress"] != (one.data or {})["progress"]
    ids = [one.delivery_id for one in found]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(delivery_ids_of(TASK.task_id))


@pytest.mark.parametrize(
    ("task", "steps", "progress"),
    [
        pytest.param(TASK, [(0, None)], [None], id="its start"),
        pytest.param(TASK, [(0, None), (19_999, 10)], [None], id="too early"),
        pytest.param(TASK, [(0, None), (19_999, 10), (1, 10)], [None, 10], id="at the gap"),
        pytest.param(TASK, [(0, 5), (60_000, 5)], [5], id="nothing new"),
        pytest.param(replace(TASK, told=None), [(0, 5)], [], id="not asked for"),
        pytest.param(
            replace(TASK, deadline_at_ms=START + 1),
            [(0, 1), (9_999, 2), (1, 3)],
            [1, 3],
            id="never within 10 s",
        ),
    ],
)
def test_one_is_due(task: Task, steps: list[tuple[int, int | None]], progress: list[int | None]) -> None:
    assert [(one.data or {})["progress"] for one in events(task, steps)[0]] == progress


def test_it_shows_the_task_as_it_was() -> None:
    (event,), task = events(TASK, [(0, 40)])
    ended = replace(task, status=TaskStatus.FAILED, finished_at_ms=START + 9, refunded_micro_usd=10_000)
    shown = progress_event_of(ended, event)
    assert (shown.type, shown.at_ms) == ("task.progress", START)
    assert shown.data == {
        "taskId": TASK.task_id,
        "status": "running",
        "model": "test-image",
        "createdAt": "2026-11-21T21:42:40.000Z",
        "createdTime": "2026-11-21T21:42:40.000Z",
        "costCents": 1,
        "refundedCents": 0,
        "progress": 40,
        "metadata": {"share": 0.5},
        "sequence": 1,
    }
