"""Tasks in DynamoDB. `seq` guards every change: whoever read an older task writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.kit.dynamodb import Database
from tollgate.kit.ids import new_id
from tollgate.kit.shards import DUE_SHARDS
from tollgate.kit.writes import Write
from tollgate.tasks.models import Task
from tollgate.tasks.rows import task_of, task_row


class TaskMovedError(Exception):
    """Someone else moved the task since it was read; this change is stale and was not made."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"{task_id} was moved by another step")


@dataclass(frozen=True, slots=True)
class DueTask:
    """A task that nothing has moved for too long."""

    task_id: str
    seq: int


class TaskRepository:
    """Reads and writes tasks; `create` and `end` take the money's writes into their transaction."""

    def __init__(self, db: Database, tasks_table: str) -> None:
        self._db = db
        self._tasks_table = tasks_table

    def get(self, task_id: str) -> Task | None:
        """Give the task as it is now, or `None`."""
        row = self._db.get(self._tasks_table, {"task_id": task_id})
        return None if row is None else task_of(row)

    def create(self, task: Task, before: Sequence[Write]) -> None:
        """Queue a task together with the writes that come `before` it: everything, or nothing.

        Raises what the first refused write means, and `WriteConflictError` when other writes of the
        account stood in the way.
        """
        put = Write(
            self._tasks_table,
            item=task_row(task),
            # Ids are random; this guards against our own repeats only.
            condition="attribute_not_exists(task_id)",
            refused=lambda _: TaskMovedError(task.task_id),
        )
        self._db.transact([*before, put])

    def save(self, task: Task) -> None:
        """Write a step's outcome. Raises `TaskMovedError` when another step came first."""
        token = new_id("step")
        self._db.write(
            Write(
                self._tasks_table,
                item={**task_row(task), "step_token": token},
                condition="seq = :read",
                values={":read": task.seq - 1},
                refused=lambda _: TaskMovedError(task.task_id),
                repeated=lambda row: row.get("step_token") == token,
            )
        )

    def end(self, task: Task, others: Sequence[Write]) -> None:
        """Write a task's end together with `others` (money, webhook), once.

        Raises `TaskMovedError` when the task moved or ended since it was read.
        """
        # A terminal task has no `wake_at`; a task that has not ended always has one.
        not_ended = "attribute_exists(wake_at)"
        put = Write(
            self._tasks_table,
            item=task_row(task),
            condition=f"seq = :read AND {not_ended}",
            values={":read": task.seq - 1},
            refused=lambda _: TaskMovedError(task.task_id),
        )
        self._db.transact([put, *others])

    def due(self, now_ms: int, limit: int) -> list[DueTask]:
        """Give tasks whose `wake_at` has passed, at most `limit` of each shard."""
        found: list[DueTask] = []
        for shard in range(DUE_SHARDS):
            rows = self._db.query(
                self._tasks_table,
                "due_shard = :shard AND wake_at <= :now",
                {":shard": str(shard), ":now": now_ms},
                index="DueIndex",
                limit=limit,
            )
            found += [DueTask(row["task_id"], row["seq"]) for row in rows]
        return found

    def postpone(self, due: DueTask, wake_at_ms: int) -> None:
        """Move a due task's alarm, so that it is not sent again at once. Raises `TaskMovedError`."""
        self._db.write(
            Write(
                self._tasks_table,
                key={"task_id": due.task_id},
                update="SET wake_at = :wake_at",
                # Not moved by a step, and not ended: a terminal task must never get a timer again.
                condition="seq = :read AND attribute_exists(wake_at)",
                values={":wake_at": wake_at_ms, ":read": due.seq},
                refused=lambda _: TaskMovedError(due.task_id),
            )
        )
