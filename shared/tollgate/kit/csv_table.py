"""Tables for spreadsheets: CSV (RFC 4180) in which no text is a formula, and numbers are numbers. Pure."""

import csv
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from io import StringIO
from typing import TypeVar

# A response of Lambda has at most 6 MB, in which the text is a JSON string: a quote takes two bytes.
MAX_BYTES = 2_900_000
# A spreadsheet takes text that begins so for a formula (OWASP, CSV injection). The last four are wide.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Cell = str | int | Decimal | None
"""Only a text is escaped. A number is an `int`, or a `Decimal`: digits, without a sign of a currency."""


def safe(text: str) -> str:
    """Return a text that a spreadsheet takes for one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


_Row = TypeVar("_Row")


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows with a header."""
    return "".join(map(_line, [columns, *rows]))


def page_as_csv(
    columns: Sequence[str],
    rows: Sequence[_Row],
    cursor: str | None,
    what: str,
    *,
    cells_of: Callable[[_Row], Sequence[Cell]],
    cursor_after: Callable[[_Row], str],
) -> str:
    """Return rows with a header, up to `MAX_BYTES`. The last line notes if rows are missing.

    `cursor` leads to the rows that follow, if there are any. `cursor_after` returns the cursor after a row.
    `what` names the rows.
    """
    lines, size = [_line(columns)], 0
    for count, row in enumerate(rows):
        line = _line(cells_of(row))
        size += len(line.encode())
        if size > MAX_BYTES:
            cursor = cursor_after(rows[count - 1])
            break
        lines.append(line)
    if cursor is not None:
        lines.append(_line([f"Cut after {len(lines) - 1} {what}. For the rest, repeat with cursor={cursor}"]))
    return "".join(lines)


def _line(row: Sequence[Cell]) -> str:
    text = StringIO()
    csv.writer(text).writerow(_cells(row))
    return text.getvalue()


def _cells(row: Sequence[Cell]) -> list[str | int | None]:
    return [_cell(cell) for cell in row]


def _cell(cell: Cell) -> str | int | None:
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return safe(cell) if isinstance(cell, str) else cell
