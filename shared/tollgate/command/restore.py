"""Restores a stack's tables to a point in time: first as copies, then by replacing the current rows.

`copy` does not change the running service. `swap` stops every function of the stack, writes the copies' rows
into the tables, and starts the functions again. The tables themselves stay, so streams, roles and the stack
are not affected. Every row that is overwritten or removed is kept in a file. `drop` deletes the copies. All
steps: docs/runbook.md#restore
"""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from botocore.exceptions import ClientError

from tollgate.command.checks import Stack as StackOfDoctor
from tollgate.command.errors import CommandError
from tollgate.command.options import AsJson, Yes
from tollgate.command.swap import Row, Swap
from tollgate.command.target import BOUNDS, aws_session, stack_facts
from tollgate.command.terminal import confirm, print_json

TABLE = "AWS::DynamoDB::Table"
FUNCTION, SOURCE = "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping"
POLL_S = 10.0
# Six hours. A restore takes minutes to hours, depending on the size of the table and its indexes.
MAX_POLLS = 2160
# The longest time that a function can run after the stop: the timeout of a text stream.
LONGEST_RUN_S = 900

cli = typer.Typer(no_args_is_help=True, help=__doc__)

Stack = Annotated[str, typer.Option(help="The service's stack.")]
To = Annotated[
    datetime,
    typer.Option(formats=["%Y-%m-%dT%H:%M:%SZ"], help="The point in time, such as 2026-11-22T12:00:00Z."),
]


@cli.command()
def copy(stack: Stack, to: To, as_json: AsJson = False) -> None:
    """Restore each table of the stack into a copy, and wait until all copies are ready."""
    found, client = _tables(stack), aws_session().client("dynamodb", config=BOUNDS)
    at = to.replace(tzinfo=UTC)
    for table in found.values():
        try:
            client.restore_table_to_point_in_time(
                SourceTableName=table, TargetTableName=copy_of(table, at), RestoreDateTime=at
            )
        except ClientError as exc:
            # Requested by an earlier run. This run waits for it.
            if exc.response["Error"]["Code"] != "TableAlreadyExistsException":
                raise
    for table in found.values():
        _wait_until_active(client, copy_of(table, at))
    copies = {name: copy_of(table, at) for name, table in found.items()}
    message = f"{len(copies)} tables are copied as of {at.isoformat()}. Nothing else has changed."
    print_json({"copies": copies}) if as_json else typer.echo(message)


@cli.command()
def swap(  # noqa: PLR0917 - typer takes them by name
    stack: Stack,
    to: To,
    removed: Annotated[Path, typer.Option(help="A file for all overwritten and deleted rows.")],
    drain_s: Annotated[
        int, typer.Option(min=0, help="Seconds to wait until all functions have stopped.")
    ] = LONGEST_RUN_S,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Stop the service, replace the current rows by the copies' rows, and start the service again.

    If it is interrupted, the service stays stopped. Then repeat the same command with the same file.
    """
    client, at = aws_session().client("dynamodb", config=BOUNDS), to.replace(tzinfo=UTC)
    tables = _tables(stack)
    # All copies are checked before the stop, because a missing copy would extend the outage.
    for table in tables.values():
        _check_copy(client, copy_of(table, at))
    question = f"Stop {stack}, and undo all writes to {len(tables)} tables since {at.isoformat()}?"
    confirm(question, yes=yes, as_json=as_json)
    pause = pause_of(stack)
    # Recorded before the stop, because a second run would read the zeros of the first.
    reservations = _reservations_before(removed, {"stack": stack, "to": at.isoformat()}, pause)
    pause.begin()
    typer.echo(f"{stack} is stopped. If this breaks off, run the same command again.", err=True)
    time.sleep(drain_s)
    with removed.open("a") as file:

        def keep(table: str, row: Row) -> None:
            file.write(json.dumps({"table": table, "row": row}, default=str) + "\n")
            # Before the row is overwritten, so that a crash cannot lose a row that only this file has.
            file.flush()

        # No `finally`: the service must not run with half of its tables restored.
        done = {
            name: asdict(Swap(client, keep).run(table, copy_of(table, at))) for name, table in tables.items()
        }
    pause.end(reservations)
    if as_json:
        print_json({"tables": done, "removed": str(removed)})
        return
    for name, counts in done.items():
        typer.echo(f"{name:<22}{counts['put_back']} put back, {counts['removed']} removed")
    typer.echo(f"The service is running again. Now check it: tollgate check-ledger --stack {stack}")


@cli.command()
def drop(stack: Stack, to: To, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete the copies for that point in time."""
    client, at = aws_session().client("dynamodb", config=BOUNDS), to.replace(tzinfo=UTC)
    copies = [copy_of(table, at) for table in _tables(stack).values()]
    confirm(f"Delete {len(copies)} copies?", yes=yes, as_json=as_json)
    dropped = []
    for each in copies:
        try:
            client.delete_table(TableName=each)
        except client.exceptions.ResourceNotFoundException:
            continue
        dropped.append(each)
    print_json({"dropped": dropped}) if as_json else typer.echo(f"{len(dropped)} copies were deleted.")


def copy_of(table: str, at: datetime) -> str:
    """Return the name of a table's copy."""
    return f"{table}-at-{at:%Y%m%dT%H%M%SZ}"


def _stack(name: str) -> StackOfDoctor:
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), name)
    return StackOfDoctor(facts, lambda service: session.client(service, config=BOUNDS))  # type: ignore[call-overload]


def _tables(stack: str) -> dict[str, str]:
    """Return the names of all tables of the stack, by logical id. Their rows refer to each other."""
    found = _stack(stack).physical(TABLE)
    if not found:
        raise CommandError(f"The stack {stack} has no tables.")
    return dict(sorted(found.items()))


def _check_copy(client: Any, name: str) -> None:
    try:
        state = client.describe_table(TableName=name)["Table"]["TableStatus"]
    except client.exceptions.ResourceNotFoundException as exc:
        raise CommandError(f"There is no copy {name}: run `tollgate restore copy` first.") from exc
    if state != "ACTIVE":
        raise CommandError(f"The copy {name} is {state}: wait, or run `tollgate restore copy` again.")


def _wait_until_active(client: Any, name: str) -> None:
    for _ in range(MAX_POLLS):
        if client.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE":
            return
        time.sleep(POLL_S)
    raise CommandError(f"{name} is not restored yet. Run the same command again to continue waiting.")


@dataclass(frozen=True, slots=True)
class StackPause:
    """Stops a stack: its functions get no concurrency, and its queues and streams are not read."""

    client: Any
    functions: list[str]
    sources: list[str]

    def reservations(self) -> dict[str, int | None]:
        """Return the reserved concurrency of each function; `None` if it has no reservation."""
        return {
            name: self.client.get_function_concurrency(FunctionName=name).get("ReservedConcurrentExecutions")
            for name in self.functions
        }

    def begin(self) -> None:
        """Stop the service."""
        # Event sources first, so that messages do not fail and become dead letters.
        for source in self.sources:
            self.client.update_event_source_mapping(UUID=source, Enabled=False)
        for name in self.functions:
            self.client.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)

    def end(self, reservations: Mapping[str, int | None]) -> None:
        """Start the service again."""
        for name, own in reservations.items():
            # A function without a reservation uses the account's concurrency again.
            if own is None:
                self.client.delete_function_concurrency(FunctionName=name)
            else:
                self.client.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=own)
        for source in self.sources:
            self.client.update_event_source_mapping(UUID=source, Enabled=True)


def pause_of(stack: str) -> StackPause:
    """Return the `StackPause` of a stack."""
    found = _stack(stack)
    functions, sources = found.physical(FUNCTION), found.physical(SOURCE)
    return StackPause(found.client("lambda"), sorted(functions.values()), sorted(sources.values()))


def _reservations_before(file: Path, of: dict[str, str], pause: StackPause) -> dict[str, int | None]:
    """Return the functions' reservations before the stop. The first run writes them to the file.

    `of` names the restore. Raises `CommandError` for the file of another one, whose reservations are old.
    """
    if file.exists() and file.stat().st_size:
        with file.open() as lines:
            match _json(lines.readline()):
                case {"places": dict() as known, **rest} if rest == of:
                    return known
        raise CommandError(f"{file} is not of this restore: name another file with --removed.")
    reservations = pause.reservations()
    file.write_text(json.dumps({**of, "places": reservations}) + "\n")
    return reservations


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
