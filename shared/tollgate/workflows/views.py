"""Workflows as the API shows them. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NotRequired

from tollgate.artifacts.models import Address, FileView
from tollgate.kit.clock import iso
from tollgate.kit.money import cents_up
from tollgate.kit.response_shapes import Cents, Shape, Timestamp
from tollgate.tasks.models import Task
from tollgate.workflows.models import Step, StepKind, StepStatus, Workflow, WorkflowStatus

NO_TASKS: Mapping[str, Task] = MappingProxyType({})


class WorkflowStepEstimateView(Shape):
    """The price of a step."""

    id: str
    model: str
    priceMicroUsd: int
    """The price of a generation, or the most that the step can cost."""
    isExact: bool
    """True if it is charged exactly this amount."""


class WorkflowEstimateView(Shape):
    """The amount that a workflow with the same body would reserve."""

    totalCents: Cents
    """The sum, rounded up."""
    totalMicroUsd: int
    steps: list[WorkflowStepEstimateView]
    """In the order of the body."""


class WorkflowErrorView(Shape):
    """Why there is no result."""

    code: str
    message: str


class WorkflowStepView(Shape):
    """A step of a workflow."""

    id: str
    kind: StepKind
    model: str
    status: StepStatus
    priceMicroUsd: int
    isExact: bool
    costMicroUsd: int
    """The charge of the step, 0 before it starts."""
    refundedMicroUsd: int
    taskId: NotRequired[str]
    """The task of a generation."""
    requestId: NotRequired[str]
    """The text request of a chat."""
    files: NotRequired[list[FileView]]
    filesDeletedAt: NotRequired[Timestamp]
    private: NotRequired[bool]
    """The addresses of its files are valid for an hour. Each answer has new addresses."""
    text: NotRequired[str]
    """The answer of a chat."""
    isCut: NotRequired[bool]
    """True if the answer was longer."""
    error: NotRequired[WorkflowErrorView]
    startedAt: NotRequired[Timestamp]
    endedAt: NotRequired[Timestamp]


class WorkflowView(Shape):
    """A workflow and its steps, in its status and in the webhook."""

    id: str
    status: WorkflowStatus
    name: NotRequired[str]
    createdAt: Timestamp
    finishedAt: NotRequired[Timestamp]
    totalMicroUsd: int
    """The amount that was reserved."""
    costMicroUsd: int
    """The sum of the charges so far, without refunds."""
    isCancelled: bool
    steps: list[WorkflowStepView]


class WorkflowPageView(Shape):
    """A page of workflows, the newest first."""

    workflows: list[WorkflowView]
    cursor: NotRequired[str]
    """Missing on the last page."""


def estimate_view(steps: tuple[Step, ...]) -> WorkflowEstimateView:
    """Return the `data` of an estimate."""
    total = sum(step.micro_usd for step in steps)
    return {
        "totalCents": cents_up(total),
        "totalMicroUsd": total,
        "steps": [
            {
                "id": step.step_id,
                "model": step.model,
                "priceMicroUsd": step.micro_usd,
                "isExact": step.is_exact,
            }
            for step in steps
        ],
    }


def workflow_view(
    workflow: Workflow, tasks: Mapping[str, Task] = NO_TASKS, address: Address = str
) -> WorkflowView:
    """Return the `data` of a workflow. `tasks` has the tasks of its finished generations, by id.

    `address` returns the address of a file.
    """
    shown: WorkflowView = {
        "id": workflow.workflow_id,
        "status": workflow.status,
        "createdAt": iso(workflow.created_at_ms),
        "totalMicroUsd": workflow.total_micro_usd,
        "costMicroUsd": sum(step.cost_micro_usd - step.refunded_micro_usd for step in workflow.steps),
        "isCancelled": workflow.is_cancelled,
        "steps": [step_view(step, tasks.get(step.task_id or ""), address) for step in workflow.steps],
    }
    if workflow.name is not None:
        shown["name"] = workflow.name
    if workflow.finished_at_ms is not None:
        shown["finishedAt"] = iso(workflow.finished_at_ms)
    return shown


def step_view(step: Step, task: Task | None, address: Address) -> WorkflowStepView:
    """Return a step as its workflow shows it. A finished generation has a `task` with files."""
    shown: WorkflowStepView = {
        "id": step.step_id,
        "kind": step.kind,
        "model": step.model,
        "status": step.status,
        "priceMicroUsd": step.micro_usd,
        "isExact": step.is_exact,
        "costMicroUsd": step.cost_micro_usd,
        "refundedMicroUsd": step.refunded_micro_usd,
    }
    if step.task_id is not None:
        shown["taskId"] = step.task_id
    if step.request_id is not None:
        shown["requestId"] = step.request_id
    _add_results(shown, step, task, address)
    if step.error is not None:
        shown["error"] = {"code": step.error.code, "message": step.error.message}
    if step.started_at_ms is not None:
        shown["startedAt"] = iso(step.started_at_ms)
    if step.ended_at_ms is not None:
        shown["endedAt"] = iso(step.ended_at_ms)
    return shown


def _add_results(shown: WorkflowStepView, step: Step, task: Task | None, address: Address) -> None:
    if step.options.get("private"):
        shown["private"] = True
    if task is not None and task.files:
        shown["files"] = [file.view(address) for file in task.files]
    if task is not None and task.files_deleted_at_ms is not None:
        shown["filesDeletedAt"] = iso(task.files_deleted_at_ms)
    if step.text is not None:
        shown["text"] = step.text
    if step.is_cut:
        shown["isCut"] = True
