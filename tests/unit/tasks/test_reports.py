"""What is told of a step, and what is not."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.support.clock import START_MS
from tests.support.samples import finished_task
from tollgate.tasks.models import Attempt, Task, TaskError, TaskErrorCode, TaskStatus
from tollgate.tasks.reports import failed_attempt, report
from tollgate.tasks.step import StepReport, StepResult

FAILED = Attempt(
    "fal", START_MS, ended_at_ms=START_MS + 2_000, failure="provider_error", detail="no: 'a secret wish'"
)
RUNNING = finished_task(status=TaskStatus.RUNNING, files=(), finished_at_ms=None, attempts=(FAILED,))


def given_up(*, at_ms: int) -> Task:
    """Return a task that failed at `at_ms` with its one cent refunded."""
    error = TaskError(TaskErrorCode.PROVIDERS_EXHAUSTED, "No provider could make this.")
    return replace(
        RUNNING, status=TaskStatus.FAILED, error=error, refunded_micro_usd=10_000, finished_at_ms=at_ms
    )


class TestTheAttemptThatFailed:
    def test_one_that_leads_on_to_another_provider(self) -> None:
        assert failed_attempt(RUNNING) == FAILED

    def test_one_that_ends_the_task(self) -> None:
        assert failed_attempt(given_up(at_ms=START_MS + 2_000)) == FAILED

    def test_one_that_failed_in_an_earlier_step_is_not_told_again(self) -> None:
        assert failed_attempt(given_up(at_ms=START_MS + 9_000)) is None

    @pytest.mark.parametrize("failure", [None, "content_rejected", "cancelled", "deadline_passed"])
    def test_what_is_no_failure_of_a_provider(self, failure: str | None) -> None:
        ended = replace(FAILED, failure=failure)
        assert failed_attempt(replace(RUNNING, attempts=(ended,))) is None

    def test_a_task_that_was_never_handed_over(self) -> None:
        assert failed_attempt(replace(RUNNING, attempts=())) is None


@pytest.mark.parametrize(("cost", "level"), [(9_999, "INFO"), (10_001, "ERROR"), (None, None)])
def test_a_charge_that_a_provider_states(
    caplog: pytest.LogCaptureFixture, cost: int | None, level: str | None
) -> None:
    paid = Attempt("bfl", START_MS, ended_at_ms=START_MS + 2_000, cost_micro_usd=cost)
    report(StepReport(StepResult.ENDED, finished_task(attempts=(paid,), charge_micro_usd=10_000)))
    told = [record.levelname for record in caplog.records if record.message == "run_task.cost_stated"]
    assert told == ([level] if level else [])


class TestMetrics:
    def test_a_finished_task(self, capsys: pytest.CaptureFixture[str]) -> None:
        report(StepReport(StepResult.ENDED, finished_task()))
        (line,) = _metrics(capsys)
        assert (line["TasksFinished"], line["TimeToFinish"]) == ([1.0], [3_000.0])
        assert {"Name": "TimeToFinish", "Unit": "Milliseconds"} in _named(line)
        assert "Refunds" not in line

    def test_a_task_that_was_given_up(self, capsys: pytest.CaptureFixture[str]) -> None:
        report(StepReport(StepResult.ENDED, given_up(at_ms=START_MS + 2_000)))
        error, end = _metrics(capsys)
        assert (error["ProviderErrors"], error["provider"]) == ([1.0], "fal")
        assert error["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service", "provider"]]
        assert (end["TasksFailed"], end["TasksGivenUp"], end["Refunds"]) == ([1.0], [1.0], [1.0])
        assert end["RefundedMicroUsd"] == [10_000.0]
        # The alarms watch the service alone.
        assert end["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]

    @pytest.mark.parametrize("failure", ["refused_us", "not_configured"])
    def test_what_lasts_until_an_operator_acts_is_counted_besides(
        self, capsys: pytest.CaptureFixture[str], failure: str
    ) -> None:
        refused = replace(FAILED, failure=failure)
        report(StepReport(StepResult.CONTINUED, replace(RUNNING, attempts=(refused,))))
        assert [line.get("ProviderAccountErrors") for line in _metrics(capsys)] == [None, [1.0]]

    @pytest.mark.parametrize("result", [StepResult.STALE, StepResult.WAITING])
    def test_a_step_that_did_nothing(self, capsys: pytest.CaptureFixture[str], result: StepResult) -> None:
        report(StepReport(result, given_up(at_ms=START_MS + 2_000)))
        assert _metrics(capsys) == []


class TestLogs:
    def test_a_providers_own_words_are_not_in_them(
        self, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        report(StepReport(StepResult.ENDED, given_up(at_ms=START_MS + 2_000)))
        assert "run_task.attempt_failed" in caplog.messages
        assert all("a secret wish" not in str(vars(record)) for record in caplog.records)
        assert "a secret wish" not in capsys.readouterr().out


def _metrics(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line for line in lines if "_aws" in line]


def _named(line: dict[str, Any]) -> Any:
    return line["_aws"]["CloudWatchMetrics"][0]["Metrics"]
