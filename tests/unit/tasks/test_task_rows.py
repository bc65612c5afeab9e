"""Rows of tasks that two versions read at the same time, during a deployment or after a rollback."""

from dataclasses import replace

from tests.support.samples import finished_task
from tollgate.tasks.models import Attempt
from tollgate.tasks.rows import task_of, task_row

BEFORE = {
    *("provider", "started_at_ms", "handle", "polls", "bad_copies", "ended_at_ms", "failure", "detail"),
    *("submits", "callback_token", "reference", "silent_since_ms"),
}
"""The names in an attempt that the version of 2026-11-23 reads. It refuses a row with another one."""
FULL = Attempt("bfl", 1, {"id": 1}, 2, 3, 4, "lost", "no", 1, "token", "ref", 5, 6)


def test_the_version_before_reads_every_attempt() -> None:
    row = task_row(finished_task(attempts=(replace(FULL, cost_micro_usd=None), FULL)))
    assert [set(attempt) for attempt in row["attempts"]] == [BEFORE, BEFORE]


def test_a_cost_comes_back_to_its_attempt() -> None:
    task = finished_task(attempts=(replace(FULL, cost_micro_usd=None), FULL))
    assert task_of(task_row(task)) == task


def test_names_of_a_later_version_are_left_out() -> None:
    row = task_row(finished_task(attempts=(FULL,)))
    later = {**row, "attempts": [{**row["attempts"][0], "from_tomorrow": 1}]}
    assert task_of(later).attempts == (FULL,)
