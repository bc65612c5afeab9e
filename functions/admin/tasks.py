"""A task: its attempts at providers, its money, its webhook; cancel and refund it."""

from fastapi import APIRouter, Request, Response

from admin.services import Services, done, operator_page
from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.security import OperatorSignedIn
from tollgate.kit.errors import RouteNotFoundError
from tollgate.operator.errors import OperatorError

router = APIRouter(prefix="/tasks")


@router.get("/{task_id}")
def show(services: Services, request: Request, _: OperatorSignedIn, task_id: str) -> Response:
    """Show a task without its input."""
    try:
        task = services.task_console.get(task_id)
    except OperatorError as exc:
        raise RouteNotFoundError(request.method, request.url.path) from exc
    shown = services.task_console.shown(task)
    return operator_page(request, "operator_task.html", shown=shown, ended=task.ended)


@router.post("/{task_id}/refund")
def refund(
    services: Services, request: Request, operator: OperatorSignedIn, sent: Sent, task_id: str
) -> Response:
    """Refund the whole charge of a task that has ended."""
    reason = sent.get("reason", "")
    console = services.task_console.by(operator.name)

    def refund_once() -> str:
        is_first = console.refund(task_id, reason)
        return (
            gettext("The whole charge is refunded.")
            if is_first
            else gettext("Nothing was done: it was refunded before.")
        )

    about = {"action": "refund", "task_id": task_id, "reason": reason}
    return done(request, operator, refund_once, f"/tasks/{task_id}", **about)


@router.post("/{task_id}/cancel")
def cancel(services: Services, request: Request, operator: OperatorSignedIn, task_id: str) -> Response:
    """Request the cancellation of a task."""

    def ask() -> str:
        services.task_console.by(operator.name).cancel(task_id)
        return gettext("Cancellation was requested.")

    return done(request, operator, ask, f"/tasks/{task_id}", action="cancel", task_id=task_id)
