"""Customers' reads of their workflows: one, or page by page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tollgate.artifacts.models import Address
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.dynamodb.pages import read_page
from tollgate.kit.ids import is_id
from tollgate.ledger.callers import Caller
from tollgate.tasks.models import WORKFLOW_PREFIX, Task
from tollgate.workflows.errors import WorkflowNotFoundError
from tollgate.workflows.models import Workflow
from tollgate.workflows.query import read_query
from tollgate.workflows.repository import WorkflowRepository
from tollgate.workflows.views import WorkflowPageView, WorkflowView, workflow_view


@dataclass(frozen=True, slots=True)
class WorkflowReader:
    """Shows workflows. A workflow that the caller may not see is reported as not found.

    `tasks_of` reads at most 100 tasks, and `address` returns the address of a file.
    """

    workflows: WorkflowRepository
    tasks_of: Callable[[Sequence[str]], Sequence[Task]]
    address: Address

    def find(self, caller: Caller, workflow_id: str) -> Workflow:
        """Return a workflow. Raises `WorkflowNotFoundError`."""
        found = self.workflows.get(workflow_id) if is_id(WORKFLOW_PREFIX, workflow_id) else None
        if found is None or not caller.may_see(found.creator):
            raise WorkflowNotFoundError
        return found

    def one(self, caller: Caller, workflow_id: str) -> WorkflowView:
        """Return a workflow as its status shows it. Raises `WorkflowNotFoundError`."""
        return self.view(self.find(caller, workflow_id))

    def view(self, workflow: Workflow) -> WorkflowView:
        """Return a workflow as its status shows it."""
        (shown,) = self._views([workflow])
        return shown

    def page(self, caller: Caller, query: Mapping[str, str]) -> WorkflowPageView:
        """Return a page of workflows, the newest first. Raises `InvalidInputError`."""
        wanted = read_query(query)
        page = read_page(
            wanted.before,
            wanted.limit,
            lambda before, limit: self.workflows.ids_of(caller.account_id, before, limit),
            lambda ids: {each.workflow_id: each for each in self.workflows.get_all(ids)},
            lambda each: caller.may_see(each.creator),
        )
        shown: WorkflowPageView = {"workflows": self._views(page.rows)}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def _views(self, workflows: Sequence[Workflow]) -> list[WorkflowView]:
        """Return views with the files as they are now: their customer may have deleted them."""
        ids = [task_id for each in workflows for task_id in each.finished_tasks()]
        groups = [ids[start : start + MAX_KEYS] for start in range(0, len(ids), MAX_KEYS)]
        tasks = {task.task_id: task for group in groups for task in self.tasks_of(group)}
        return [workflow_view(each, tasks, self.address) for each in workflows]
