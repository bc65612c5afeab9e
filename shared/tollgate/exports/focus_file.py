"""The FOCUS file of an account's day, in pages of one table each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tollgate.exports.focus import COLUMNS, KINDS, row_of
from tollgate.kit.clock import MS_PER_DAY, Clock, utc_day
from tollgate.kit.csv_table import Cell, as_csv
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.http.query import QueryReader, date_ms
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.query import Position, position_of
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.service import last_settled_day

# Rows of one page: about 3 MB. A response of Lambda has at most 6 MB.
MAX_ROWS = 5_000
# Entries that one page reads. The others are payments, and requests without a charge.
MAX_READ = 20_000
A_DAY = "a UTC day such as 2026-11-21"


@dataclass(frozen=True, slots=True)
class FocusPage:
    """A part of the file of one day: a CSV table with its header, and the cursor of the next part, if any."""

    day: str
    text: str
    rows: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class FocusFiles:
    """Reads the files from the ledger; changes nothing."""

    ledger: LedgerReader
    clock: Clock

    def page(self, account_id: str, query: Mapping[str, str]) -> FocusPage:
        """Return a page of the file of `date` in `query`, which may have a `cursor`.

        A day has a file half an hour after its end, when its entries are complete. Raises
        `InvalidInputError`.
        """
        reader = QueryReader(query, ("date", "cursor"))
        day_ms = reader.read("date", date_ms, None, "Not a calendar date.", A_DAY)
        after = reader.read("cursor", position_of, None, "Not a cursor of an earlier page.")
        if "date" not in query:
            reader.problems.append(Problem("/date", "Required.", A_DAY))
        last = last_settled_day(self.clock.now_ms())
        if day_ms is not None and utc_day(day_ms) > last:
            reader.problems.append(Problem("/date", "This day is not complete yet.", f"at most {last}"))
        if day_ms is not None and after and not day_ms <= after.created_at_ms < day_ms + MS_PER_DAY:
            reader.problems.append(Problem("/cursor", "Not a cursor of a page of this date."))
        reader.finish()
        return self.part(account_id, day_ms or 0, after)

    def part(
        self, account_id: str, day_ms: int, after: Position | None = None, most: int = MAX_ROWS
    ) -> FocusPage:
        """Return the part after a position, of at most `most` rows."""
        rows: list[Sequence[Cell]] = []
        cursor = None
        entries = islice(self.entries(account_id, day_ms, after), max(MAX_READ, most))
        read = 0
        for together in _chunks(entries):
            read += len(together)
            rows += self._rows(account_id, together)
            last = Position(together[-1].created_at_ms, together[-1].entry_id)
            if len(rows) > most - MAX_KEYS or read >= max(MAX_READ, most):
                cursor = last.cursor()
                break
        return FocusPage(utc_day(day_ms), as_csv(COLUMNS, rows), len(rows), cursor)

    def entries(self, account_id: str, day_ms: int, after: Position | None) -> Iterator[Entry]:
        """Return the entries of a day after a position, the oldest first."""
        first_ms = day_ms if after is None else after.created_at_ms
        found = self.ledger.oldest_first(account_id, first_ms, day_ms + MS_PER_DAY)
        seen = (0, "") if after is None else (after.created_at_ms, after.entry_id)
        return (entry for entry in found if (entry.created_at_ms, entry.entry_id) > seen)

    def _rows(self, account_id: str, entries: Sequence[Entry]) -> Iterator[Sequence[Cell]]:
        charges = [entry.answers for entry in entries if entry.kind is EntryKind.REFUND and entry.answers]
        found = self.ledger.named(account_id, charges) if charges else []
        charged_ms = {charge.entry_id: charge.created_at_ms for charge in found}
        return (
            row_of(entry, charged_ms.get(entry.answers or "")) for entry in entries if entry.kind in KINDS
        )


def _chunks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield the entries in parts whose charges one read finds."""
    left = iter(entries)
    while some := list(islice(left, MAX_KEYS)):
        yield some
