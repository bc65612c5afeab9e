"""The output of commands for people and programs, and questions to people."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from tollgate.command.errors import CommandError

# The width of the widest table in characters. Ids are meant to be copied, so they are never cut or wrapped.
WIDTH = 1_000

# The width of a field's name, with the space after the longest.
NAME_WIDTH = 19

# Text of a row is printed without interpretation. Without colours, the ends of lines can be found.
_console = Console(markup=False, highlight=False, color_system=None, width=WIDTH)


def print_json(answer: Mapping[str, Any]) -> None:
    """Print the one JSON document of `--json`."""
    typer.echo(json.dumps(answer, ensure_ascii=False))


def print_fields(row: Mapping[str, Any], *names: str) -> None:
    """Print the named fields that the row has, one per line."""
    for name in names:
        if row.get(name) is not None:
            typer.echo(f"{name:<{NAME_WIDTH}}{_text(row[name])}")


def print_table(title: str, rows: Sequence[Mapping[str, Any]], *columns: str) -> None:
    """Print rows as a table with the named columns that any row has. Print nothing if there are no rows."""
    if not rows:
        return
    there = [column for column in columns if any(row.get(column) is not None for row in rows)]
    table = Table(*there, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(_text(row.get(column)) for column in there))
    with _console.capture() as captured:
        _console.print(table)
    for line in captured.get().splitlines():
        # Without its padding, because that would add empty lines on a narrow terminal.
        typer.echo(line.rstrip())


def confirm(question: str, *, yes: bool, as_json: bool) -> None:
    """Ask for confirmation. Raises `CommandError` unless the answer is yes.

    `--yes` is that answer. A program, which uses `--json`, must also pass `--yes`.
    """
    if yes:
        return
    if as_json:
        raise CommandError("Nothing was done: --json also needs --yes.")
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort as exc:
        raise CommandError("Nothing was done: there was no answer. Use --yes to skip the question.") from exc
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
