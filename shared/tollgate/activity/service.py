"""What an account asked for, the newest first: page by page, or as one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tollgate.activity.query import ActivityQuery, read_query
from tollgate.activity.row import COLUMNS, SHOWN, Activity, ActivityKind, row_of
from tollgate.kit.pages import Page
from tollgate.kit.table import as_csv
from tollgate.ledger.entries import Entry
from tollgate.ledger.query import Position
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.repository import TaskRepository

DEFAULT_PAGE, MAX_PAGE = 50, 100
# Entries that one page reads at most: a rare match makes short pages, never long waits.
MAX_READ = 2_000
# Rows in one table: about 1 MB, of the 6 MB that Lambda answers with at most.
MAX_CSV = 5_000
MAX_CSV_READ = 10_000
# Entries whose tasks are read at once, which is what one read of DynamoDB takes.
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class ActivityService:
    """Shows what was asked for; changes nothing.

    The ledger says what there was and what it cost, the tasks how it went; texts are in the ledger alone.
    """

    ledger: LedgerRepository
    tasks: TaskRepository

    def page(self, account_id: str, query: Mapping[str, str]) -> Page[Activity]:
        """Return a page of the rows that fit.

        `query` may have `kind`, `model`, `key` (an id, or `dashboard`), `status`, `from` and `to` (dates,
        both included), `limit` and `cursor`. Raises `InvalidInputError`.
        """
        return self._read(account_id, read_query(query, DEFAULT_PAGE, MAX_PAGE), MAX_READ)

    def table(self, account_id: str, query: Mapping[str, str]) -> str:
        """The same as CSV, up to `MAX_CSV` rows; one that is cut says so in its last line."""
        page = self._read(account_id, read_query(query, MAX_CSV, MAX_CSV), MAX_CSV_READ)
        return as_csv(COLUMNS, (row.cells() for row in page.rows), page.cursor)

    def _read(self, account_id: str, wanted: ActivityQuery, max_read: int) -> Page[Activity]:
        entries = islice(self.ledger.by_time(account_id, wanted.entries, TOGETHER), max_read)
        rows: list[Activity] = []
        for read, (entry, row) in enumerate(self._rows(entries, wanted), start=1):
            if row is not None and wanted.fits(row):
                rows.append(row)
            if read == max_read or len(rows) == wanted.entries.limit:
                return Page(rows, Position(entry.created_at_ms, entry.entry_id).cursor())
        return Page(rows, None)

    def _rows(
        self, entries: Iterator[Entry], wanted: ActivityQuery
    ) -> Iterator[tuple[Entry, Activity | None]]:
        """Return each entry with its row, if it is one that can fit."""
        while some := list(islice(entries, TOGETHER)):
            fitting = [entry for entry in some if wanted.may_fit(entry)]
            tasks = {task.task_id: task for task in self.tasks.get_all(_task_ids(fitting))}
            rows = {entry.entry_id: row_of(entry, tasks.get(entry.task_id or "")) for entry in fitting}
            for entry in some:
                yield entry, rows.get(entry.entry_id)


def _task_ids(entries: Sequence[Entry]) -> list[str]:
    return [entry.task_id for entry in entries if entry.task_id and SHOWN[entry.kind] is ActivityKind.TASK]
