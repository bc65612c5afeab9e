"""The query of a statement: which entries of the ledger it selects. Pure."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.errors import Problem
from tollgate.kit.http.query import A_TIME, QueryReader, epoch_ms, id_of, page_size
from tollgate.kit.numbers import digits
from tollgate.ledger.entries import Entry, EntryKind, charge_id, refund_id
from tollgate.ledger.holds import late_entry_id, text_entry_id

PARAMETERS = ("kind", "taskId", "requestId", "from", "to", "limit", "cursor")
# DynamoDB's own bound for a sort key.
MAX_ID_BYTES = 1024
# Later than any time that ISO 8601 can write.
END_MS = 2**48


@dataclass(frozen=True, slots=True)
class Position:
    """A position in an account's entries by time; ids order the entries of one millisecond."""

    created_at_ms: int
    entry_id: str

    def cursor(self) -> str:
        """Return the position as a cursor for customers: no character of it needs escaping in an address."""
        return urlsafe_b64encode(f"{self.created_at_ms}#{self.entry_id}".encode()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class StatementQuery:
    """Selects entries from `first_ms` on, before `end_ms`, and older than `after`, the last one shown."""

    limit: int
    first_ms: int
    end_ms: int
    after: Position | None = None
    kind: EntryKind | None = None
    entry_ids: tuple[str, ...] | None = None
    """The ids of all possible entries of the requested task or request."""

    def matches(self, entry: Entry) -> bool:
        """Return whether an entry matches; `after` is ignored."""
        in_time = self.first_ms <= entry.created_at_ms < self.end_ms
        return in_time and (self.kind is None or entry.kind is self.kind)


def read_query(query: Mapping[str, str], default_limit: int, max_limit: int) -> StatementQuery:
    """Read a statement's query. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, PARAMETERS)
    limit, limits = page_size(max_limit), f"1 to {max_limit}"
    task_id = reader.read("taskId", id_of("task"), None, "Not the id of a task.")
    request_id = reader.read("requestId", id_of("req"), None, "Not the id of a request.")
    wanted = StatementQuery(
        limit=reader.read("limit", limit, default_limit, f"Must be a whole number, {limits}.", limits),
        first_ms=reader.read("from", epoch_ms, 0, "Not a time.", A_TIME),
        end_ms=reader.read("to", epoch_ms, END_MS, "Not a time.", A_TIME),
        after=reader.read("cursor", position_of, None, "Not a cursor of an earlier page."),
        kind=reader.choose("kind", EntryKind, None, EntryKind),
        entry_ids=_entry_ids(task_id, request_id),
    )
    if wanted.first_ms >= wanted.end_ms:
        reader.problems.append(Problem("/from", "Must be before `to`."))
    if "taskId" in query and "requestId" in query:
        reader.problems.append(Problem("/requestId", "Not together with taskId."))
    if wanted.after and not wanted.first_ms <= wanted.after.created_at_ms < wanted.end_ms:
        reader.problems.append(Problem("/cursor", "Not a cursor of a page from `from` to `to`."))
    reader.finish()
    return wanted


def _entry_ids(task_id: str | None, request_id: str | None) -> tuple[str, ...] | None:
    if task_id is not None:
        return charge_id(task_id), refund_id(task_id)
    return None if request_id is None else (text_entry_id(request_id), late_entry_id(request_id))


def position_of(text: str) -> Position:
    """Read a cursor of an earlier page. Raises `ValueError`."""
    padded = text + "=" * (-len(text) % 4)
    time, _, entry_id = urlsafe_b64decode(padded).decode().partition("#")
    created_at_ms = digits(time, 0, END_MS)
    if created_at_ms is None or not 0 < len(entry_id.encode()) <= MAX_ID_BYTES:
        raise ValueError(text)
    found = Position(created_at_ms, entry_id)
    # The decoder skips characters outside base64, so only a cursor of this service encodes to itself again.
    if found.cursor() != text:
        raise ValueError(text)
    return found
