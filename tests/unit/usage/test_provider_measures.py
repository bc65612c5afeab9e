"""How providers did: counts of text calls, and the attempts of tasks."""

from dataclasses import replace

import pytest

from tests.support.samples import PAID_IMAGE
from tollgate.operator.provider_measures import DAY_MS, ProviderMeasure, of_media, of_text
from tollgate.routing.measures import Call, counted
from tollgate.tasks.models import Attempt, Task, TaskStatus

NOW_MS = 10 * DAY_MS


def task(status: TaskStatus, *attempts: Attempt) -> Task:
    """Return a task with these attempts."""
    made = Task("task_1", "usr_1", PAID_IMAGE, {}, 1, "v", NOW_MS, NOW_MS)
    return replace(made, status=status, attempts=attempts)


def tried(provider: str, seconds: int, failure: str | None = None) -> Attempt:
    """Return an attempt that began an hour ago and took so long."""
    began = NOW_MS - 3_600_000
    return Attempt(provider, began, ended_at_ms=began + seconds * 1000, failure=failure)


class TestMedia:
    def test_each_attempt_counts_for_its_own_provider(self) -> None:
        tasks = [
            task(TaskStatus.FINISHED, tried("fal", 5, "timeout"), tried("wavespeed", 4)),
            *(task(TaskStatus.FINISHED, tried("fal", seconds)) for seconds in range(1, 20)),
        ]
        assert of_media(tasks, NOW_MS) == {
            "fal": ProviderMeasure("fal", 20, 95.0, 10_000, 19_000),
            "wavespeed": ProviderMeasure("wavespeed", 1, 100.0, 4_000, 4_000),
        }

    @pytest.mark.parametrize(
        "left_out",
        [
            pytest.param(task(TaskStatus.RUNNING, Attempt("fal", NOW_MS)), id="running"),
            pytest.param(task(TaskStatus.FAILED, tried("fal", 5)), id="cancelled"),
            pytest.param(
                task(TaskStatus.FINISHED, Attempt("fal", NOW_MS - DAY_MS - 1, ended_at_ms=NOW_MS)), id="old"
            ),
        ],
    )
    def test_what_says_nothing_of_a_provider_does_not_count(self, left_out: Task) -> None:
        assert of_media([left_out], NOW_MS) == {}


class TestText:
    def test_failed_calls_count_and_percentiles_are_of_answers(self) -> None:
        calls = [Call("m", "openai", NOW_MS, is_up=True, latency_ms=ms) for ms in (100, 200, 300)]
        calls.append(Call("m", "openai", NOW_MS, is_up=False))
        rows = counted(calls)
        hour = next(counts for (_, name), counts in rows.items() if name.startswith("h"))
        (found,) = of_text({"openai": {name.partition(" ")[2]: count for name, count in hour.items()}})
        assert (found.calls, found.percent) == (4, 75.0)
        assert found.p50_ms == pytest.approx(200, rel=0.1)
        assert found.p95_ms == pytest.approx(300, rel=0.1)
