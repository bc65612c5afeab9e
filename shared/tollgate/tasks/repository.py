"""Tasks in DynamoDB. `seq` guards every change: a step that read an older task writes nothing."""

from collections.abc import Sequence

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Below, Between, Condition, Equals, Exists, Missing
from tollgate.kit.dynamodb.writes import TransactWrite, Write
from tollgate.kit.ids import new_id
from tollgate.tasks.models import Task
from tollgate.tasks.rows import task_of, task_row

_EXAMPLES = "service#examples"


class StaleTaskError(Exception):
    """Another step moved the task since it was read; this change is stale and was not written."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"{task_id} was moved by another step")


class TaskRepository(OneTable):
    """Reads and writes tasks; `create` and `end` take the money's writes into their transaction."""

    def get(self, task_id: str) -> Task | None:
        """Return the task as it is now, or `None`."""
        return self._find({"task_id": task_id}, task_of)

    def create(self, tasks: Sequence[Task], before: Sequence[TransactWrite]) -> None:
        """Queue tasks together with the writes that come `before` them: all, or nothing.

        Raises the error of the first refused write, and `WriteConflictError` if it conflicts with other
        writes of the account.
        """
        # Ids are random; this only guards against our own repeats.
        id_is_new = Missing("task_id")
        self._db.transact([*before, *(self._put(task, id_is_new) for task in tasks)])

    def save(self, task: Task, others: Sequence[TransactWrite] = ()) -> None:
        """Write a step's outcome together with `others`, such as the write that takes its place.

        Raises `StaleTaskError` when another step came first, and the errors of the others.
        """
        if others:
            # Together: without its first attempt, the slot that it takes would stay taken.
            self._db.transact([self._put(task, _no_step_came_first(task)), *others])
            return
        token = new_id("step")
        self._db.write(
            Write(
                self._table,
                item={**task_row(task), "step_token": token},
                condition=_no_step_came_first(task),
                refused=lambda _: StaleTaskError(task.task_id),
                # The token distinguishes this write from another step's write with the same values.
            )
        )

    def end(self, task: Task, others: Sequence[TransactWrite]) -> None:
        """Write a task's end together with `others` (money, webhook), once.

        Raises `StaleTaskError` when the task moved or ended since it was read.
        """
        not_ended = Missing("finished_at_ms")
        self._db.transact([self._put(task, _no_step_came_first(task) & not_ended), *others])

    def amend(self, task: Task, others: Sequence[TransactWrite] = ()) -> None:
        """Write a change of a task that has ended (refund, files' end) with `others`: all, or nothing.

        Raises the error of the first refused one among the others, and `StaleTaskError`.
        """
        has_ended = Exists("finished_at_ms")
        self._db.transact([*others, self._put(task, _no_step_came_first(task) & has_ended)])

    def _put(self, task: Task, condition: Condition) -> Write:
        """Return the write of a task's current state; refused, it means that another step moved it."""
        return Write(
            self._table,
            item=task_row(task),
            condition=condition,
            refused=lambda _: StaleTaskError(task.task_id),
        )

    def get_all(self, task_ids: Sequence[str]) -> list[Task]:
        """Return the existing tasks among at most 100 ids, in any order."""
        rows = self._db.get_all(self._table, [{"task_id": task_id} for task_id in task_ids])
        return [task_of(row) for row in rows]

    def ids_of(
        self, account_id: str, after: str, before: str, limit: int, *, newest_first: bool = True
    ) -> list[str]:
        """Return the ids of an account's tasks from `after` on and before `before`, the newest first.

        With `newest_first=False` the oldest come first, and `after` itself is left out.
        """
        left_out = before if newest_first else after
        rows = self._db.query(
            self._table,
            # `Between` includes both ends; one of them is left out below.
            Equals("account_id", account_id) & Between("task_id", after, before),
            index="AccountIndex",
            limit=limit + 1,
            newest_first=newest_first,
        )
        return [row["task_id"] for row in rows if row["task_id"] != left_out][:limit]

    def waiting(self, row_id: str, limit: int) -> list[str]:
        """Return the ids of the waiting tasks that a row counts, the oldest first."""
        rows = self._db.query(
            self._table,
            # The index is sparse: a row has `waiting_account` until its task starts, and then leaves the
            # index.
            Equals("waiting_account", row_id),
            index="WaitingIndex",
            limit=limit,
        )
        return [row_id["task_id"] for row_id in rows]

    def count_ahead(self, task: Task, limit: int) -> int:
        """Return how many tasks wait before this one in its row, `limit` at most."""
        rows = self._db.query(
            self._table,
            Equals("waiting_account", task.row_id) & Below("task_id", task.task_id),
            index="WaitingIndex",
            limit=limit,
        )
        return sum(1 for _ in rows)


class ExampleRepository(OneTable):
    """The published examples of models: rows of `BudgetsTable`, in a partition that no account has."""

    def get(self, model_id: str) -> tuple[str, ...]:
        """Return the ids of the shared results of a model, the newest first."""
        row = self._db.get(self._table, _example_key(model_id))
        return () if row is None else tuple(row["shares"])

    def all(self) -> dict[str, tuple[str, ...]]:
        """Return the same for each model that has a row."""
        rows = self._db.query(self._table, Equals("account_id", _EXAMPLES))
        return {row["item"]: tuple(row["shares"]) for row in rows}

    def put(self, model_id: str, share_ids: Sequence[str]) -> None:
        """Replace the examples of a model. A repeat changes nothing."""
        self._db.write(Write(self._table, item={**_example_key(model_id), "shares": list(share_ids)}))


def _example_key(model_id: str) -> dict[str, str]:
    return {"account_id": _EXAMPLES, "item": model_id}


def _no_step_came_first(task: Task) -> Equals:
    """Return the condition that a task, whose `seq` this step has raised, is still as the step read it."""
    return Equals("seq", task.seq - 1)
