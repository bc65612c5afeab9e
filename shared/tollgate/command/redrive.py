"""Sends dead letters to their queues again."""

from dataclasses import asdict
from typing import Annotated

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json
from tollgate.operator.dead_letters import MAX_REDRIVEN, Redriven, Work


def redrive(
    work: Annotated[Work, typer.Argument(help="The queue of dead letters.")],
    *,
    most: Annotated[int, typer.Option("--max", min=1, max=MAX_REDRIVEN, help="The maximum number.")] = 1_000,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count them.")] = False,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Move dead letters back to their queue.

    Outdated and repeated messages are then dropped by the worker. Exits with 1 if some failed again.
    """
    console = service_of(stack, local).dead_letter_console
    done = Redriven(console.letters[work].count()) if dry_run else console.redrive(work, most)
    if as_json:
        print_json({"work": work, "dryRun": dry_run, **asdict(done)})
    else:
        _print(work, done)
    if done.failed:
        raise typer.Exit(1)


def _print(work: Work, done: Redriven) -> None:
    typer.echo(f"About {done.waiting} dead letters of {work}; {done.moved} moved back.")
    if done.gone:
        typer.echo(
            f"{done.gone} were too old for the stream and were dropped. The sweeper finds their tasks. "
            "Ledger entries stay missing in the statistics."
        )
    if done.failed:
        typer.echo(f"{done.failed} failed again and stay. The first one: {done.reason}")
