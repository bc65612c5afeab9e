"""Tables for spreadsheets: CSV (RFC 4180) in which no text is a formula, and numbers are numbers. Pure."""

import csv
from collections.abc import Iterable, Sequence
from decimal import Decimal
from io import StringIO

# A spreadsheet takes text that begins so for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | int | Decimal | None
"""Only a text is escaped. A number is an `int`, or a `Decimal`: digits, without a sign of a currency."""


def safe(text: str) -> str:
    """Return a text that a spreadsheet takes for one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]], rest: str | None = None) -> str:
    """Return rows with a header. `rest`, if the table was cut, is the last line."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(map(_cells, rows))
    if rest is not None:
        writer.writerow([rest])
    return text.getvalue()


def cut_line(count: int, what: str, cursor: str | None) -> str | None:
    """Return the last line of a table that was cut after `count` rows, with the cursor of the rest."""
    if cursor is None:
        return None
    return f"Cut after {count} {what}. For the rest, repeat with cursor={cursor}"


def _cells(row: Sequence[Cell]) -> list[str | int | None]:
    return [_cell(cell) for cell in row]


def _cell(cell: Cell) -> str | int | None:
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return safe(cell) if isinstance(cell, str) else cell
