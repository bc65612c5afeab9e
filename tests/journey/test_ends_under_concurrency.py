"""A worker, a customer and an operator all end a task at once, on an emulator whose transactions hold."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import command as operator_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import EntryKind
from tollgate.operator.errors import OperatorError
from tollgate.tasks.errors import TaskNotEndedError
from tollgate.tasks.models import Task

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.usefixtures("service"),
]

TASKS, STEPS, AT_ONCE = 8, 1_000, 8
PRICE_CENTS = 1
# One is made by nobody and refunded by itself, the other is made.
PROMPTS = ("[[reject]]", "a lighthouse")
# What each of them is told when another one was quicker.
QUICKER = (OperatorError, TaskNotEndedError)


def task_of(task_id: str) -> Task:
    """Return a task as it is now."""
    task = run_task_parts.step_runner().tasks.get(task_id)
    assert task is not None
    return task


def until_ended(task_id: str, act: Callable[[], object]) -> None:
    """Do something over and over, until the task has ended and once more."""
    for _ in range(STEPS):
        has_ended = task_of(task_id).ended
        try:
            with suppress(*QUICKER):
                act()
        except StorageBusyError:
            # Its writes collided with another's, and it has to be repeated.
            continue
        if has_ended:
            return
    pytest.fail(f"{task_id} has not ended")


def test_whoever_ends_it_a_task_ends_once_and_its_money_comes_back_once() -> None:
    api, operator, runner = api_parts.api(), operator_parts.operator(), run_task_parts.step_runner()
    account_id = api.accounts.open(micro_usd_of_cents(TASKS * PRICE_CENTS)).account_id
    made = [
        str(
            create_task(
                account_id,
                {"model": PAID_IMAGE, "input": {"prompt": PROMPTS[number % 2], "size": "1:1"}},
            )["taskId"]
        )
        for number in range(TASKS)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for task_id in made:
            acts: list[Callable[[], object]] = [
                *[lambda task_id=task_id: runner.run(task_id, task_of(task_id).seq)] * 2,
                partial(runner.cancel, task_id),
                *[partial(operator.task_console.refund, task_id, "race")] * 2,
                *[partial(api.deletion.delete, Caller.of_account(account_id), task_id, "race")] * 2,
            ]
            list(pool.map(partial(until_ended, task_id), acts))
    entries = list(runner.ledger.entries(account_id))
    for task_id in made:
        task = task_of(task_id)
        assert task.ended
        refunds = [one for one in entries if one.task_id == task_id and one.kind is EntryKind.REFUND]
        assert sum(one.amount_micro_usd for one in refunds) == task.refunded_micro_usd
        assert len(refunds) == 1
        assert task.files == ()
    account = api.accounts.me(account_id)
    assert (account.balance_micro_usd, account.open_tasks, account.running_tasks) == (
        micro_usd_of_cents(TASKS * PRICE_CENTS),
        0,
        0,
    )
    assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None
