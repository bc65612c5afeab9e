"""Tasks: show a task, list an account's tasks, cancel a task, refund a task."""

from typing import Annotated

import typer

from tollgate.command.options import LOCAL, AsJson, Local, ShownReason, Stack, Yes
from tollgate.command.service import service_of
from tollgate.command.terminal import confirm, print_fields, print_json, print_table
from tollgate.ledger.callers import Caller
from tollgate.tasks.models import TaskStatus
from tollgate.tasks.query import MAX_PAGE

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="The task's id, task_….")]

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command()
def show(task: TaskId, stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show a task: its status, its attempts at providers, its money, its webhook. Its input is not shown."""
    console = service_of(stack, local).task_console
    shown = console.shown(console.get(task))
    if as_json:
        print_json(shown)
        return
    print_fields(shown, "taskId", "accountId", "correlationId", "model", "status", "progress", "queue")
    print_fields(shown, "createdAt", "deadlineAt", "nextLookAt", "finishedAt")
    print_fields(shown, "costCents", "refundedCents", "error")
    attempt = ("provider", "startedAt", "endedAt", "failure", "detail", "polls", "badCopies", "job")
    print_table("Attempts", shown["attempts"], *attempt)
    print_table("Ledger", shown["ledger"], "createdAt", "kind", "amountUsd", "id", "provider", "answers")
    print_table("Files", shown.get("files", []), "fileType", "contentType", "bytes", "fileUrl")
    for delivery in shown["deliveries"]:
        typer.echo("Delivery")
        print_fields(delivery, "deliveryId", "url", "state", "attemptCount", "nextAttemptAt", "deliveredAt")
        print_table(
            "Attempts", delivery["attempts"], "attemptedAt", "durationMs", "status", "error", "answer"
        )


@cli.command("list")
def list_(
    *,
    account: Annotated[str, typer.Option(help="The account's id, usr_….")],
    status: Annotated[TaskStatus | None, typer.Option(help="Only those.")] = None,
    model: Annotated[str | None, typer.Option(help="Only those.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MAX_PAGE, help="How many.")] = 20,
    cursor: Annotated[str | None, typer.Option(help="The cursor of the previous page.")] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """List an account's tasks, the newest first."""
    service = service_of(stack, local)
    caller = Caller.of_account(service.account_console.get(account).account_id)
    asked = {"status": status, "model": model, "limit": limit, "cursor": cursor}
    query = {name: str(value) for name, value in asked.items() if value is not None}
    page = service.api.reader.page(caller, query)
    if as_json:
        print_json(page)
        return
    columns = (
        "taskId",
        "status",
        "model",
        "createdAt",
        "finishedAt",
        "costCents",
        "refundedCents",
        "error",
    )
    print_table("", page["tasks"], *columns)
    typer.echo(
        f"{len(page['tasks'])} tasks"
        + (f", continue with --cursor {page['cursor']}" if "cursor" in page else "")
    )


@cli.command()
def cancel(
    task: TaskId, stack: Stack = None, local: Local = LOCAL, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Cancel a task. It is refunded if it ends without a result. A task that has ended does not change."""
    console = service_of(stack, local).task_console
    found = console.get(task)
    if not found.ended:
        confirm(
            f"Cancel {task} ({found.status}, {found.model}) of {found.account_id}?", yes=yes, as_json=as_json
        )
    shown = console.cancel(task)
    if as_json:
        print_json({"asked": not found.ended, "task": shown})
    elif found.ended:
        typer.echo(f"It has already ended: {found.status}.")
    else:
        typer.echo(
            "Cancellation requested. It is refunded, unless a provider has started it and cannot stop."
        )


@cli.command()
def refund(
    task: TaskId,
    *,
    reason: ShownReason,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Refund the whole charge of a task that has ended, once. Its files stay."""
    console = service_of(stack, local).task_console
    found = console.get(task)
    confirm(f"Refund {task} ({found.status}, {found.model}) of {found.account_id}?", yes=yes, as_json=as_json)
    refunded = console.refund(task, reason)
    if as_json:
        print_json({"taskId": task, "refunded": refunded})
    else:
        typer.echo(f"Refunded {task}." if refunded else "It was already refunded; nothing changed.")
