"""The query of a list of tasks: which tasks a page selects. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.kit.http.query import A_TIME, QueryReader, epoch_ms, id_of
from tollgate.kit.ids import first_id
from tollgate.kit.problems import Problem
from tollgate.tasks.models import Task, TaskStatus

DEFAULT_PAGE, MAX_PAGE = 20, 100
METADATA = "metadata."
PARAMETERS = ("status", "model", "from", "to", "limit", "cursor", f"{METADATA}<key>")
# The latest time that a ULID can have.
LAST_MS = 2**48 - 1


@dataclass(frozen=True, slots=True)
class TaskQuery:
    """Selects the tasks of a page: `after` and `before` bound their ids, the newest come first."""

    limit: int
    after: str
    before: str
    status: TaskStatus | None = None
    model: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def matches(self, task: Task) -> bool:
        """Return whether a task matches."""
        of_status = self.status is None or task.status is self.status
        of_model = self.model is None or task.model == self.model
        own = task.metadata or {}
        has = all(name in own and _text(own[name]) == value for name, value in self.metadata.items())
        return of_status and of_model and has


def mentions(task: Task, words: str) -> bool:
    """Return whether all words occur in a task's id, model or texts of its input, in any case."""
    texts = [value for value in task.values.values() if isinstance(value, str)]
    said = " ".join([task.task_id, task.model, *texts]).casefold()
    return all(word in said for word in words.casefold().split())


def read_query(query: Mapping[str, str]) -> TaskQuery:
    """Read a list's query. Raises `InvalidInputError` with every problem."""
    metadata = {name.removeprefix(METADATA): query[name] for name in query if name.startswith(METADATA)}
    others = {name: query[name] for name in query if not name.startswith(METADATA)}
    reader = QueryReader(others, PARAMETERS)
    earliest, latest = first_id("task", 0), first_id("task", LAST_MS)
    wanted = TaskQuery(
        limit=reader.limit(DEFAULT_PAGE, MAX_PAGE),
        after=reader.read("from", _first_id, earliest, "Not a time.", A_TIME),
        before=reader.read("to", _first_id, latest, "Not a time.", A_TIME),
        status=reader.choose("status", TaskStatus, None, TaskStatus),
        model=query.get("model"),
        metadata=metadata,
    )
    cursor = reader.read("cursor", id_of("task"), None, "Not a cursor of an earlier page.")
    # DynamoDB refuses a range of keys that ends before it starts.
    if wanted.after >= wanted.before:
        reader.problems.append(Problem("/from", "Must be before `to`."))
    if cursor is not None and cursor < wanted.after:
        reader.problems.append(Problem("/cursor", "Not a cursor of a page from `from` on."))
    reader.finish()
    return wanted if cursor is None else replace(wanted, before=min(wanted.before, cursor))


def _first_id(text: str) -> str:
    """Return the smallest id that a task of a time can have."""
    return first_id("task", epoch_ms(text))


def _text(value: Any) -> str:
    """Return a metadata value as a query writes it: text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class VideoQuery:
    """A page of videos: those after the task id `after`, in the order of their creation."""

    limit: int
    after: str | None
    oldest_first: bool
