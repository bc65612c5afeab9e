"""The query of a statement: which entries of the ledger it selects. Pure."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.http.query import A_TIME, QueryReader, epoch_ms, id_of
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import is_tag_name
from tollgate.ledger.entries import Entry, EntryKind, charge_id, refund_id
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id

LABELS = ("key", "user", "tag", "project", "token")
PARAMETERS = ("kind", "taskId", "requestId", *LABELS, "from", "to", "limit", "cursor")
# Used instead of a key's id, for requests from the dashboard.
DASHBOARD = "dashboard"
A_TAG = "a tag such as team=search, or a name such as team for all of its values"
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


def cursor_after(entry: Entry) -> str:
    """Return the cursor of the entries that follow an entry."""
    return Position(entry.created_at_ms, entry.entry_id).cursor()


@dataclass(frozen=True, slots=True)
class LabelFilter:
    """Selects entries by the key and the labels of their request; `None` matches every entry.

    `key` is an id, or `dashboard`. `tag` is a name and a value, or a name and `None` for all values.
    """

    key: str | None = None
    user: str | None = None
    tag: tuple[str, str | None] | None = None
    token: str | None = None
    """The id of a run token."""
    project: str | None = None
    """The id of the project at the time of the request."""

    @property
    def is_empty(self) -> bool:
        """Return whether it matches every entry."""
        return self == EVERYTHING

    def matches(self, entry: Entry) -> bool:
        """Return whether an entry matches."""
        of_key = self.key in (None, entry.key_id or DASHBOARD)
        wanted, found = (self.user, self.token, self.project), (entry.user, entry.token, entry.project)
        is_labelled = all(one in (None, own) for one, own in zip(wanted, found, strict=True))
        return of_key and is_labelled and self._has_tag(entry)

    def _has_tag(self, entry: Entry) -> bool:
        if self.tag is None:
            return True
        name, value = self.tag
        found = (entry.tags or {}).get(name)
        return found is not None and value in (None, found)


EVERYTHING = LabelFilter()


def read_labels(reader: QueryReader) -> LabelFilter:
    """Read the filters `LABELS`. The problems are added to the reader's."""
    message = "Must be a name, or name=value."
    return LabelFilter(
        reader.text("key"),
        reader.text("user"),
        reader.read("tag", _tag, None, message, A_TAG),
        reader.text("token"),
        reader.text("project"),
    )


def _tag(text: str) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    if not is_tag_name(name):
        raise ValueError(text)
    return name, value if equals else None


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
    labels: LabelFilter = EVERYTHING

    @property
    def is_selective(self) -> bool:
        """Return whether it leaves out entries of its time."""
        return self.kind is not None or not self.labels.is_empty

    def matches(self, entry: Entry) -> bool:
        """Return whether an entry matches; `after` is ignored."""
        in_time = self.first_ms <= entry.created_at_ms < self.end_ms
        return in_time and (self.kind is None or entry.kind is self.kind) and self.labels.matches(entry)


def read_query(query: Mapping[str, str], default_limit: int, max_limit: int) -> StatementQuery:
    """Read a statement's query. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, PARAMETERS)
    task_id = reader.read("taskId", id_of("task"), None, "Not the id of a task.")
    request_id = reader.read("requestId", id_of("req"), None, "Not the id of a request.")
    wanted = StatementQuery(
        limit=reader.limit(default_limit, max_limit),
        first_ms=reader.read("from", epoch_ms, 0, "Not a time.", A_TIME),
        end_ms=reader.read("to", epoch_ms, END_MS, "Not a time.", A_TIME),
        after=reader.read("cursor", position_of, None, "Not a cursor of an earlier page."),
        kind=reader.choose("kind", EntryKind, None, EntryKind),
        entry_ids=_entry_ids(task_id, request_id),
        labels=read_labels(reader),
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
