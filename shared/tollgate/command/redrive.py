"""Sends dead letters to their queues again."""

from enum import StrEnum
from typing import Annotated

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json
from tollgate.composition.command import Operator
from tollgate.kit.dead_letters import DeadLetters
from tollgate.kit.queue import Queue
from tollgate.tasks.redrive import ChangesRedrive

# About a minute of work for this process; what is left is for the next call.
MAX_REDRIVEN = 10_000


class Work(StrEnum):
    """What has a dead-letter queue."""

    TASKS = "tasks"
    """Steps of tasks, back to the task queue."""
    WEBHOOKS = "webhooks"
    """Attempts of deliveries, back to the webhook queue."""
    CHANGES = "changes"
    """Changes of tasks, read again from their stream and dispatched."""


def redrive(
    work: Annotated[Work, typer.Argument(help="Which dead letters.")],
    *,
    most: Annotated[int, typer.Option("--max", min=1, max=MAX_REDRIVEN, help="How many at most.")] = 1_000,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count them, and move nothing.")] = False,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Move dead letters back. What moved on meanwhile, or is there twice, is dropped where it arrives."""
    service = service_of(stack, local)
    letters, gone = _letters(service, work), 0
    waiting = letters.count()
    if dry_run:
        moved = 0
    elif work is Work.CHANGES:
        again = ChangesRedrive(service.changes, service.dispatcher)
        moved = letters.hand_over(again.take, most) - again.gone
        gone = again.gone
    else:
        moved = letters.hand_over(_queue(service, work).send_bodies, most)
    if as_json:
        print_json({"work": work, "dryRun": dry_run, "waiting": waiting, "moved": moved, "gone": gone})
        return
    typer.echo(f"About {waiting} dead letters of {work}; {moved} moved back.")
    if gone:
        typer.echo(
            f"{gone} were too old for the stream, and dropped: the sweeper finds what they were about."
        )


def _letters(service: Operator, work: Work) -> DeadLetters:
    urls = {
        Work.TASKS: service.settings.task_dead_letter_queue_url,
        Work.WEBHOOKS: service.settings.webhook_dead_letter_queue_url,
        Work.CHANGES: service.settings.changes_dead_letter_queue_url,
    }
    return service.dead_letters(urls[work])


def _queue(service: Operator, work: Work) -> Queue:
    urls = {Work.TASKS: service.settings.task_queue_url, Work.WEBHOOKS: service.settings.webhook_queue_url}
    return service.queue(urls[work])
