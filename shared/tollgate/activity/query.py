"""The filters of the activity. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tollgate.activity.found import SHOWN, ActivityKind, Found, ending_of, status_of
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.http.query import A_TIME, QueryReader, date_ms, epoch_ms
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry
from tollgate.ledger.query import END_MS, LABELS, StatementQuery, position_of, read_labels
from tollgate.ledger.trace import Ending
from tollgate.tasks.models import TaskStatus

PARAMETERS = ("kind", "model", "status", *LABELS, "from", "to", "limit", "cursor")
_A_DATE = "a date such as 2026-11-21"


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """The filters; `None` matches every request. `entries` has the labels and the time.

    `status` is the status that the dashboard shows, `ending` the status of a record.
    """

    entries: StatementQuery
    kind: ActivityKind | None = None
    model: str | None = None
    status: TaskStatus | None = None
    ending: Ending | None = None

    def may_match(self, entry: Entry) -> bool:
        """Return whether the request of an entry can match, from the fields that the entry has."""
        kind = SHOWN.get(entry.kind)
        of_kind = kind is not None and self.kind in (None, kind)
        return of_kind and self.model in (None, entry.model) and self.entries.labels.matches(entry)

    def matches(self, found: Found) -> bool:
        """Return whether a request matches the filters that need the task."""
        is_of_status = self.status is None or self.status is status_of(found)
        return is_of_status and (self.ending is None or self.ending is ending_of(found))


def read_query(query: Mapping[str, str], default_limit: int, max_limit: int) -> ActivityQuery:
    """Read a query of the dashboard; `from` and `to` are UTC dates, both included.

    Raises `InvalidInputError`.
    """
    reader = QueryReader(query, PARAMETERS)
    first_ms = reader.read("from", date_ms, 0, "Not a calendar date.", _A_DATE)
    last_ms = reader.read("to", date_ms, END_MS - MS_PER_DAY, "Not a calendar date.", _A_DATE)
    wanted = _read(reader, query, (first_ms, last_ms + MS_PER_DAY), (default_limit, max_limit))
    found = replace(wanted, status=reader.choose("status", TaskStatus, None, TaskStatus))
    _check_times(reader, found.entries, "Must not be after `to`.", "Not a cursor of a page of these days.")
    reader.finish()
    return found


def read_records_query(query: Mapping[str, str], default_limit: int, max_limit: int) -> ActivityQuery:
    """Read a query of the API; `from` and `to` are times, and `to` itself is not in.

    Raises `InvalidInputError`.
    """
    reader = QueryReader(query, PARAMETERS)
    first_ms = reader.read("from", epoch_ms, 0, "Not a time.", A_TIME)
    end_ms = reader.read("to", epoch_ms, END_MS, "Not a time.", A_TIME)
    wanted = _read(reader, query, (first_ms, end_ms), (default_limit, max_limit))
    found = replace(wanted, ending=reader.choose("status", Ending, None, Ending))
    _check_times(reader, found.entries, "Must be before `to`.", "Not a cursor of a page from `from` to `to`.")
    reader.finish()
    return found


def _read(
    reader: QueryReader, query: Mapping[str, str], times: tuple[int, int], limits: tuple[int, int]
) -> ActivityQuery:
    default_limit, max_limit = limits
    entries = StatementQuery(
        limit=reader.limit(default_limit, max_limit),
        first_ms=times[0],
        end_ms=times[1],
        after=reader.read("cursor", position_of, None, "Not a cursor of an earlier page."),
        labels=read_labels(reader),
    )
    kind = reader.choose("kind", ActivityKind, None, ActivityKind)
    return ActivityQuery(entries, kind=kind, model=query.get("model"))


def _check_times(reader: QueryReader, entries: StatementQuery, order: str, cursor: str) -> None:
    """Add the problem of a period that is empty, or of a cursor outside of it."""
    if entries.first_ms >= entries.end_ms:
        reader.problems.append(Problem("/from", order))
    elif entries.after and not entries.first_ms <= entries.after.created_at_ms < entries.end_ms:
        reader.problems.append(Problem("/cursor", cursor))
