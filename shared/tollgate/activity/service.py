"""The requests of an account, the newest first, as pages or as one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tollgate.activity.found import SHOWN, ActivityKind, Found
from tollgate.activity.query import ActivityQuery, read_query
from tollgate.activity.row import COLUMNS, Activity, row_of
from tollgate.kit.csv_table import page_as_csv
from tollgate.kit.dynamodb.pages import Page
from tollgate.ledger.entries import Entry
from tollgate.ledger.query import cursor_after
from tollgate.ledger.reader import LedgerReader
from tollgate.tasks.repository import TaskRepository

DEFAULT_PAGE, MAX_PAGE = 50, 100
# The most entries that one page reads. A rare match gives short pages instead of long waits.
MAX_READ = 2_000
# Rows in one table: about 1 MB, or more with long labels (`csv_table.MAX_BYTES`).
MAX_CSV = 5_000
MAX_CSV_READ = 10_000
# Requests that are summed for a chart, and entries that are read for it.
MAX_SUMMED = 5_000
# Entries whose tasks are read together: the limit of DynamoDB's BatchGetItem.
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class ActivityService:
    """Reads the activity; changes nothing.

    The ledger has each request and its cost, the tasks have its status. Only the ledger has text requests.
    """

    ledger: LedgerReader
    tasks: TaskRepository

    def page(self, account_id: str, query: Mapping[str, str]) -> Page[Activity]:
        """Return a page of the matching rows.

        `query` may have `kind`, `model`, `key` (an id, or `dashboard`), `user`, `tag`, `status`, `from` and
        `to` (dates, both included), `limit` and `cursor`. Raises `InvalidInputError`.
        """
        found = self.found(account_id, read_query(query, DEFAULT_PAGE, MAX_PAGE), MAX_READ)
        return Page(list(map(row_of, found.rows)), found.cursor)

    def table(self, account_id: str, query: Mapping[str, str]) -> str:
        """Return the same rows as CSV, up to `MAX_CSV`. The last line notes if rows are missing."""
        page = self.found(account_id, read_query(query, MAX_CSV, MAX_CSV), MAX_CSV_READ)
        return page_as_csv(
            COLUMNS,
            page.rows,
            page.cursor,
            "rows",
            cells_of=lambda found: row_of(found).cells(),
            cursor_after=lambda found: cursor_after(found.entry),
        )

    def newest(self, account_id: str, query: Mapping[str, str]) -> Page[Found]:
        """Return the newest matching requests, up to `MAX_SUMMED`; a cursor shows that some are missing.

        Raises `InvalidInputError`.
        """
        return self.found(account_id, read_query(query, MAX_SUMMED, MAX_SUMMED), MAX_SUMMED)

    def found(self, account_id: str, wanted: ActivityQuery, max_read: int) -> Page[Found]:
        """Return a page of the matching requests, from at most `max_read` entries."""
        entries = islice(self.ledger.by_time(account_id, wanted.entries, TOGETHER), max_read)
        rows: list[Found] = []
        for read, (entry, found) in enumerate(self._requests(entries, wanted), start=1):
            if found is not None and wanted.matches(found):
                rows.append(found)
            if read == max_read or len(rows) == wanted.entries.limit:
                return Page(rows, cursor_after(entry))
        return Page(rows, None)

    def _requests(
        self, entries: Iterator[Entry], wanted: ActivityQuery
    ) -> Iterator[tuple[Entry, Found | None]]:
        """Yield each entry with its request, or `None` if it cannot match."""
        while some := list(islice(entries, TOGETHER)):
            fitting = [entry for entry in some if wanted.may_match(entry)]
            tasks = {task.task_id: task for task in self.tasks.get_all(_task_ids(fitting))}
            found = {entry.entry_id: Found(entry, tasks.get(entry.task_id or "")) for entry in fitting}
            for entry in some:
                yield entry, found.get(entry.entry_id)


def _task_ids(entries: Sequence[Entry]) -> list[str]:
    return [entry.task_id for entry in entries if entry.task_id and SHOWN[entry.kind] is ActivityKind.TASK]
