"""Workflows: a list, and one workflow with the results and costs of its steps."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.languages import gettext
from dashboard.render import home, moved_saying, page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.workflows.models import StepStatus

PAGE = "15"

router = APIRouter(prefix="/workflows")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, cursor: str = "") -> Response:
    """Show the workflows, newest first."""
    query = {"limit": PAGE, **({"cursor": cursor} if cursor else {})}
    found = services.api.workflows.reader.page(visitor.caller, query)
    shown: dict[str, Any] = {
        "workflows": found["workflows"],
        "cursor": found.get("cursor"),
        "is_later": bool(cursor),
    }
    return page(request, "workflows.html", ended=_ENDED, **shown)


@router.get("/{workflow_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, workflow_id: str) -> Response:
    """Show one workflow. Its page reloads until it has ended."""
    found = services.api.workflows.reader.one(visitor.caller, workflow_id)
    ids = [step["taskId"] for step in found["steps"] if "taskId" in step]
    tasks = {task.task_id: task for task in services.api.deletion.tasks.get_all(ids)}
    shown: dict[str, Any] = {"workflow": found, "tasks": tasks, "ended": _ENDED}
    return page(request, "workflow.html", **shown)


@router.post("/{workflow_id}/cancel")
def cancel(services: Services, request: Request, visitor: SignedIn, workflow_id: str) -> Response:
    """Start no further step of a workflow."""
    services.api.workflows.cancel(visitor.caller, workflow_id)
    message = gettext("Cancelled. Steps that did not start cost nothing.")
    return moved_saying(request, f"{home(request)}/workflows/{workflow_id}", message)


_ENDED = (StepStatus.FINISHED, StepStatus.FAILED, StepStatus.SKIPPED)
