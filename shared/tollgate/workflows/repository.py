"""The rows of workflows in DynamoDB, among the tasks. `seq` guards every change."""

from collections.abc import Sequence

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Between, Equals, Exists
from tollgate.kit.dynamodb.writes import TransactWrite, Write, put_new
from tollgate.kit.ids import first_id, new_id
from tollgate.tasks.models import WORKFLOW_PREFIX
from tollgate.workflows.models import Workflow
from tollgate.workflows.rows import workflow_of, workflow_row


class StaleWorkflowError(Exception):
    """Another worker or request has changed the workflow since it was read; nothing was written."""


class WorkflowRepository(OneTable):
    """Reads and writes workflows."""

    def get(self, workflow_id: str) -> Workflow | None:
        """Return a workflow as it is now, or `None`."""
        return self._find({"task_id": workflow_id}, workflow_of)

    def get_all(self, workflow_ids: Sequence[str]) -> list[Workflow]:
        """Return the existing workflows among at most 100 ids, in any order."""
        rows = self._db.get_all(self._table, [{"task_id": each} for each in workflow_ids])
        return [workflow_of(row) for row in rows]

    def ids_of(self, account_id: str, before: str, limit: int) -> list[str]:
        """Return the ids of an account's workflows before an id, the newest first."""
        rows = self._db.query(
            self._table,
            # `Between` includes `before`, which is left out below.
            Equals("account_id", account_id) & Between("task_id", first_id(WORKFLOW_PREFIX, 0), before),
            index="AccountIndex",
            limit=limit + 1,
            newest_first=True,
        )
        return [row["task_id"] for row in rows if row["task_id"] != before][:limit]

    def added(self, workflow: Workflow) -> Write:
        """Return the write of a new workflow."""
        used = "a new id was used before"
        return put_new(self._table, workflow_row(workflow), "task_id", lambda _: AssertionError(used))

    def changed(self, workflow: Workflow) -> Write:
        """Return the write of the next version of a workflow. Refused: `StaleWorkflowError`."""
        nobody_wrote_since = Equals("seq", workflow.seq - 1) & Exists("wake_at")
        return Write(
            self._table,
            # The token distinguishes this write from another worker's write with the same values.
            item={**workflow_row(workflow), "step_token": new_id("step")},
            condition=nobody_wrote_since,
            refused=lambda _: StaleWorkflowError(workflow.workflow_id),
        )

    def save(self, workflow: Workflow) -> None:
        """Write the next version of a workflow. Raises `StaleWorkflowError`."""
        self._db.write(self.changed(workflow))

    def start(self, workflow: Workflow, others: Sequence[TransactWrite]) -> None:
        """Write the next version together with the charge and the task of a step: all, or nothing.

        Raises `StaleWorkflowError`, and the errors of the refused others.
        """
        self._db.transact([self.changed(workflow), *others])

    def end(self, workflow: Workflow, others: Sequence[TransactWrite]) -> None:
        """Write the end of a workflow together with its webhook's delivery. Raises `StaleWorkflowError`."""
        self._db.transact([self.changed(workflow), *others])
