"""Rolls back a deployment within seconds, and deletes versions that are too old for that."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from tollgate.command import versions
from tollgate.command.checks import Stack
from tollgate.command.errors import CommandError
from tollgate.command.options import AsJson, Yes
from tollgate.command.target import BOUNDS, aws_session, stack_facts
from tollgate.command.terminal import confirm, print_json
from tollgate.command.versions import Published

NOT_UNDONE = (
    "Not rolled back: the data, the template (tables, routes, roles, parameters), and functions without an "
    "alias, which run their newest code."
)

StackName = Annotated[str, typer.Option("--stack", help="The service's stack.")]


@dataclass(frozen=True, slots=True)
class Move:
    """The new version of a function's alias; the current version if nothing has to change."""

    function: Published
    to: int

    @property
    def is_done(self) -> bool:
        """Return whether all requests already go to this version."""
        return self.to == self.function.live and not self.function.shared_with

    def line(self) -> str:
        """Return the move as one line for people."""
        if self.is_done:
            return f"{self.function.name}: stays at {self.to} (deployed: {self.function.deployed})"
        at = {each.number: f"{each.at:%Y-%m-%d %H:%M}" for each in self.function.versions}
        return f"{self.function.name}: {self.function.live} -> {self.to} (published {at[self.to]} UTC)"


def rollback(
    stack: StackName,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Return to the last deployed version.")] = False,
    to: Annotated[
        list[str] | None,
        typer.Option(help="Another version, FUNCTION=NUMBER. Can be repeated for each function."),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Point the alias of every function at the version before the deployed one.

    Repeating it has no effect. The data, the template and functions without an alias do not change.
    """
    found, client = _found(stack)
    moves = _chosen(found, to) if to else [_move(each, undo=undo) for each in found]
    if not as_json:
        for move in moves:
            typer.echo(move.line())
    waiting = [move for move in moves if not move.is_done]
    if waiting:
        confirm(f"Send all requests of {stack} there?", yes=yes, as_json=as_json)
    for move in waiting:
        versions.point_at(client, move.function, move.to)
    if as_json:
        print_json(
            {
                "functions": [
                    {"function": each.function.name, "from": each.function.live, "to": each.to}
                    for each in moves
                ]
            }
        )
    else:
        typer.echo(f"Changed: {len(waiting)} of {len(moves)} aliases. {NOT_UNDONE}")


def prune_versions(stack: StackName, *, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete versions that are older than the previous one. AWS charges for their snapshots by the hour."""
    found, client = _found(stack)
    old = [(each, number) for each in found for number in each.prunable(datetime.now(UTC))]
    if old:
        confirm(f"Delete {len(old)} unused versions?", yes=yes, as_json=as_json)
    for function, number in old:
        client.delete_function(FunctionName=function.name, Qualifier=str(number))
    deleted = [{"function": function.name, "version": number} for function, number in old]
    print_json({"deleted": deleted}) if as_json else typer.echo(f"Deleted: {len(deleted)} versions.")


def _found(stack: str) -> tuple[list[Published], Any]:
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    looked_at = Stack(facts, lambda service: session.client(service, config=BOUNDS))  # type: ignore[call-overload]
    found = versions.published(looked_at)
    if not found:
        raise CommandError(f"No function of the stack {stack} has an alias.")
    return found, looked_at.client("lambda")


def _move(function: Published, *, undo: bool) -> Move:
    if undo:
        return Move(function, function.deployed)
    # Already rolled back. A repeat must not go back by two versions.
    if function.live != function.deployed:
        return Move(function, function.live)
    if function.before is None:
        raise CommandError(f"{function.name} has no version before {function.deployed}. Nothing was changed.")
    return Move(function, function.before)


def _chosen(found: list[Published], to: list[str]) -> list[Move]:
    moves = []
    for each in to:
        name, _, number = each.partition("=")
        known = [function for function in found if function.name == name]
        if not known or number not in {str(version.number) for version in known[0].versions}:
            names = ", ".join(
                f"{function.name} ({' '.join(str(version.number) for version in function.versions)})"
                for function in found
            )
            raise CommandError(f"There is no version {each}. There are: {names}.")
        moves.append(Move(known[0], int(number)))
    return moves
