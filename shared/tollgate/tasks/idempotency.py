"""Idempotency-Key: the same key returns the same task, for a day (site/tasks.md#create)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Below, Missing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.callers import Caller
from tollgate.tasks.models import Task

LIFETIME_S = 24 * 60 * 60


class AlreadyCreatedError(Exception):
    """The key created tasks before; `request_hash` is the hash of that body."""

    def __init__(self, task_ids: Sequence[str], request_hash: str, created_at_ms: int) -> None:
        super().__init__(f"this key made {', '.join(task_ids)}")
        self.task_ids = tuple(task_ids)
        self.request_hash = request_hash
        self.created_at_ms = created_at_ms


@dataclass(frozen=True, slots=True)
class IdempotencyStore:
    """The table of keys; only the transaction that creates a task writes its row."""

    table: str
    read: Callable[[str, Item], Item | None]
    """Returns a row of a table as it is now."""

    def earlier(self, caller: Caller, key: str, now_ms: int) -> "AlreadyCreatedError | None":
        """Return the tasks that a key created within a day, if any."""
        row = self.read(self.table, {"idempotency_id": caller.idempotency_id(key)})
        return None if row is None or row["expires_at_s"] < now_ms // MS_PER_S else _made(row)

    def remember(self, tasks: Sequence[Task], key: str, request_hash: str) -> Write:
        """Return the write that ties `key` to the `tasks` of one request.

        Refused with `AlreadyCreatedError`.
        """
        first = tasks[0]
        ids = [task.task_id for task in tasks]
        return self.tie(first.creator, ids, first.created_at_ms, key, request_hash)

    def tie(
        self, creator: Caller, ids: Sequence[str], created_at_ms: int, key: str, request_hash: str
    ) -> Write:
        """Return the write that ties `key` to the `ids` that one request created.

        Refused: `AlreadyCreatedError`.
        """
        created_at_s = created_at_ms // MS_PER_S
        # DynamoDB deletes expired rows late, so the row's own time decides.
        never_used, used_long_ago = Missing("idempotency_id"), Below("expires_at_s", created_at_s)
        return Write(
            self.table,
            item={
                "idempotency_id": creator.idempotency_id(key),
                "request_hash": request_hash,
                # Also the only id in the rows of most requests, and all that a rolled back version reads.
                "task_id": ids[0],
                **({"task_ids": list(ids)} if len(ids) > 1 else {}),
                "created_at_ms": created_at_ms,
                "expires_at_s": created_at_s + LIFETIME_S,
            },
            condition=never_used | used_long_ago,
            refused=_made_before,
        )


def _made_before(row: Item | None) -> Exception:
    if row is None:
        return AssertionError("an idempotency row was refused but is not there")
    return _made(row)


def _made(row: Item) -> AlreadyCreatedError:
    task_ids = row.get("task_ids", [row["task_id"]])
    return AlreadyCreatedError(task_ids, row["request_hash"], row["created_at_ms"])
