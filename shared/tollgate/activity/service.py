"""The requests of an account, the newest first, as pages or as one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tollgate.activity.query import ActivityQuery, read_query
from tollgate.activity.row import COLUMNS, SHOWN, Activity, ActivityKind, row_of
from tollgate.kit.csv_table import as_csv
from tollgate.kit.dynamodb.pages import Page
from tollgate.ledger.entries import Entry
from tollgate.ledger.query import Position
from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.repository import TaskRepository

DEFAULT_PAGE, MAX_PAGE = 50, 100
# The most entries that one page reads. A rare match gives short pages instead of long waits.
MAX_READ = 2_000
# Rows in one table: about 1 MB. A response of Lambda has at most 6 MB.
MAX_CSV = 5_000
MAX_CSV_READ = 10_000
# Entries whose tasks are read together: the limit of DynamoDB's BatchGetItem.
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class ActivityService:
    """Reads the activity; changes nothing.

    The ledger has each request and its cost, the tasks have its status. Only the ledger has text requests.
    """

    ledger: LedgerRepository
    tasks: TaskRepository

    def page(self, account_id: str, query: Mapping[str, str]) -> Page[Activity]:
        """Return a page of the matching rows.

        `query` may have `kind`, `model`, `key` (an id, or `dashboard`), `status`, `from` and `to` (dates,
        both included), `limit` and `cursor`. Raises `InvalidInputError`.
        """
        return self._read(account_id, read_query(query, DEFAULT_PAGE, MAX_PAGE), MAX_READ)

    def table(self, account_id: str, query: Mapping[str, str]) -> str:
        """Return the same rows as CSV, up to `MAX_CSV`. The last line notes if rows are missing."""
        page = self._read(account_id, read_query(query, MAX_CSV, MAX_CSV), MAX_CSV_READ)
        return as_csv(COLUMNS, (row.cells() for row in page.rows), page.cursor)

    def _read(self, account_id: str, wanted: ActivityQuery, max_read: int) -> Page[Activity]:
        entries = islice(self.ledger.by_time(account_id, wanted.entries, TOGETHER), max_read)
        rows: list[Activity] = []
        for read, (entry, row) in enumerate(self._rows(entries, wanted), start=1):
            if row is not None and wanted.matches(row):
                rows.append(row)
            if read == max_read or len(rows) == wanted.entries.limit:
                return Page(rows, Position(entry.created_at_ms, entry.entry_id).cursor())
        return Page(rows, None)

    def _rows(
        self, entries: Iterator[Entry], wanted: ActivityQuery
    ) -> Iterator[tuple[Entry, Activity | None]]:
        """Yield each entry with its row, or `None` if the row cannot match."""
        while some := list(islice(entries, TOGETHER)):
            fitting = [entry for entry in some if wanted.may_match(entry)]
            tasks = {task.task_id: task for task in self.tasks.get_all(_task_ids(fitting))}
            rows = {entry.entry_id: row_of(entry, tasks.get(entry.task_id or "")) for entry in fitting}
            for entry in some:
                yield entry, rows.get(entry.entry_id)


def _task_ids(entries: Sequence[Entry]) -> list[str]:
    return [entry.task_id for entry in entries if entry.task_id and SHOWN[entry.kind] is ActivityKind.TASK]
