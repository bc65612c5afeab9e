"""Tasks: a gallery of results, and all details of one task."""

from fastapi import APIRouter, Request, Response

from dashboard.render import MONEY_MOVED, base_url, page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.reference.snippets import media_snippets
from tollgate.tasks.models import TaskStatus

FILTERS = ("status", "model", "cursor")
PAGE = "24"

router = APIRouter()


@router.get("/tasks")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the tasks that fit the filters, newest first."""
    api = services.api
    query = {name: request.query_params[name] for name in FILTERS if request.query_params.get(name)}
    found = api.reader.found(visitor.account_id, {**query, "limit": PAGE})
    return page(
        request,
        "tasks.html",
        tasks=found.rows,
        cursor=found.cursor,
        chosen={"status": query.get("status", ""), "model": query.get("model", "")},
        is_later=bool(query),
        statuses=list(TaskStatus),
        models=[dto["id"] for dto in api.listing.matching_cards({"kind": "media"})],
    )


@router.get("/tasks/{task_id}")
def show_task(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Show one task: its result, its attempts, its cost."""
    task = services.api.reader.find(visitor.account_id, task_id)
    body = {"model": task.model, "input": task.values}
    return page(request, "task.html", task=task, snippets=media_snippets(base_url(request), body))


@router.get("/tasks/{task_id}/card")
def card(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Return a task as a card, which reloads itself until the task has ended."""
    task = services.api.reader.find(visitor.account_id, task_id)
    answer = part(request, "task_card.html", task=task)
    if task.ended:
        # It may have been refunded.
        answer.headers["hx-trigger"] = MONEY_MOVED
    return answer
