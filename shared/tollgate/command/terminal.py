"""What commands say to people and to programs, and what they ask people."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from tollgate.command.errors import CommandError

# Of the widest table, in characters: ids are to be copied, so they are neither cut nor broken.
WIDTH = 1_000

# Of a field's name, with the space after the longest.
NAME_WIDTH = 17

# What a row says is shown as it is. No colours, so that the ends of lines can be told.
_console = Console(markup=False, highlight=False, color_system=None, width=WIDTH)


def print_json(answer: Mapping[str, Any]) -> None:
    """Print the one JSON document of `--json`."""
    typer.echo(json.dumps(answer, ensure_ascii=False))


def print_fields(row: Mapping[str, Any], *names: str) -> None:
    """Print those of the named fields that a row has, one a line."""
    for name in names:
        if row.get(name) is not None:
            typer.echo(f"{name:<{NAME_WIDTH}}{_text(row[name])}")


def print_table(title: str, rows: Sequence[Mapping[str, Any]], *columns: str) -> None:
    """Print rows under the names of those columns that any of them has; nothing where there are none."""
    if not rows:
        return
    there = [column for column in columns if any(row.get(column) is not None for row in rows)]
    table = Table(*there, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_text(row.get(column)) for column in there))
    with _console.capture() as captured:
        _console.print(table)
    for line in captured.get().splitlines():
        # Padding to the widest cell would be empty lines on a narrow terminal.
        typer.echo(line.rstrip())


def confirm(question: str, *, yes: bool, as_json: bool) -> None:
    """Ask before something is done that matters. Raises `CommandError` unless the answer is yes.

    `--yes` is that answer; a program, which `--json` is for, has to give it.
    """
    if yes:
        return
    if as_json:
        raise CommandError("Nothing was done: with --json, give --yes as well.")
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort as exc:
        raise CommandError("Nothing was done: there was no answer. With --yes nothing is asked.") from exc
    if not agreed:
        raise CommandError("Nothing was done.")


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
