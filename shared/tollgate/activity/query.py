"""The filters of the activity. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from tollgate.activity.row import SHOWN, Activity, ActivityKind
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.errors import Problem
from tollgate.kit.http.query import QueryReader, epoch_ms, page_size
from tollgate.ledger.entries import Entry
from tollgate.ledger.query import END_MS, StatementQuery, position_of
from tollgate.tasks.models import TaskStatus

PARAMETERS = ("kind", "model", "key", "status", "from", "to", "limit", "cursor")
# Used instead of a key's id, for requests from the dashboard.
DASHBOARD = "dashboard"
_A_DATE = "a date such as 2026-11-21"


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """The filters; `None` matches every row."""

    entries: StatementQuery
    kind: ActivityKind | None = None
    model: str | None = None
    key: str | None = None
    status: TaskStatus | None = None

    def may_match(self, entry: Entry) -> bool:
        """Return whether the row of an entry can match, from the fields that the entry has."""
        kind = SHOWN.get(entry.kind)
        of_kind = kind is not None and self.kind in (None, kind)
        of_model = self.model in (None, entry.model)
        of_key = self.key in (None, entry.key_id or DASHBOARD)
        return of_kind and of_model and of_key

    def matches(self, row: Activity) -> bool:
        """Return whether a row matches the filters that need the task."""
        return self.status in (None, row.status)


def read_query(query: Mapping[str, str], default_limit: int, max_limit: int) -> ActivityQuery:
    """Read a query; `from` and `to` are UTC dates, both included. Raises `InvalidInputError`."""
    reader = QueryReader(query, PARAMETERS)
    first_ms = reader.read("from", _day_ms, 0, "Not a calendar date.", _A_DATE)
    last_ms = reader.read("to", _day_ms, END_MS - MS_PER_DAY, "Not a calendar date.", _A_DATE)
    entries = StatementQuery(
        limit=reader.read(
            "limit", page_size(max_limit), default_limit, f"Must be a whole number, 1 to {max_limit}."
        ),
        first_ms=first_ms,
        end_ms=last_ms + MS_PER_DAY,
        after=reader.read("cursor", position_of, None, "Not a cursor of an earlier page."),
    )
    wanted = ActivityQuery(
        entries,
        kind=reader.choose("kind", ActivityKind, None, ActivityKind),
        model=query.get("model"),
        key=query.get("key"),
        status=reader.choose("status", TaskStatus, None, TaskStatus),
    )
    if entries.first_ms >= entries.end_ms:
        reader.problems.append(Problem("/from", "Must not be after `to`."))
    elif entries.after and not entries.first_ms <= entries.after.created_at_ms < entries.end_ms:
        reader.problems.append(Problem("/cursor", "Not a cursor of a page of these days."))
    reader.finish()
    return wanted


def _day_ms(text: str) -> int:
    """Read `YYYY-MM-DD`; raise `ValueError` for the other formats of ISO 8601."""
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)
    return epoch_ms(text)
