"""Tables for spreadsheets: CSV (RFC 4180) in which no text is a formula. Pure."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

# A spreadsheet takes text that begins so for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """Return a text that a spreadsheet takes for one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str | int | None]], cursor: str | None) -> str:
    """Return rows with a header. `cursor`, if the table was cut, is in the last line for the next request."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([safe(cell) if isinstance(cell, str) else cell for cell in row])
        count += 1
    if cursor is not None:
        writer.writerow([f"Cut after {count} rows. The rest: the same with cursor={cursor}"])
    return text.getvalue()
