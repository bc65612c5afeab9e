"""Trigger: the task queue, one message at a time; the poll queue, up to ten `{task_id, seq, poll}` at once.

Carries out the step of a message, `{task_id, seq}` or `{task_id, cancel}`: submit, poll, copy, cancel or end.
It then sends the next message. A message has `woken` if a slot of the account became free for the task. Never
trusts a message: the state of a task is in its row.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import run_task as run_task_parts
from tollgate.kit.aws.batches import Record, message_of, process_at_once
from tollgate.kit.observability import begin_log
from tollgate.tasks.reports import report
from tollgate.tasks.step import StepReport


def step(record: Record) -> None:
    """Carry out one step. An exception returns the message to the queue."""
    message = message_of(record)
    begin_log(**message)
    report(_take_step(message))


def _take_step(message: dict[str, Any]) -> StepReport:
    runner, task_id = run_task_parts.step_runner(), message["task_id"]
    if "cancel" in message:
        return runner.cancel(task_id, message["cancel"])
    if "poll" in message:
        return runner.poll(task_id, message["seq"])
    return runner.run(task_id, message["seq"], was_woken="woken" in message)


def handler(event: dict[str, Any], context: LambdaContext) -> Any:  # noqa: ARG001 - Lambda's shape
    """Process a batch of messages; return the failures in the format of Lambda."""
    run_task_parts.step_runner()  # before any thread runs: each would join the parts for itself
    return process_at_once(event, step)
