"""Tasks: a gallery of results, and all details of one task."""

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from dashboard.render import MONEY_MOVED, base_url, page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.clock import MS_PER_DAY, iso
from tollgate.kit.http.query import QueryReader, date_ms
from tollgate.reference.snippets import media_snippets
from tollgate.tasks.models import TaskStatus

FILTERS = ("status", "model", "cursor")
# UTC dates, both included.
DAYS = ("from", "to")
PAGE = "24"

router = APIRouter()


@router.get("/tasks")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the tasks that fit the filters, newest first."""
    api = services.api
    query = {name: request.query_params[name] for name in FILTERS if request.query_params.get(name)}
    chosen = {name: request.query_params.get(name, "") for name in ("status", "model", *DAYS)}
    found = api.reader.found(visitor.account_id, {**query, **_times(chosen), "limit": PAGE})
    return page(
        request,
        "tasks.html",
        tasks=found.rows,
        cursor=found.cursor,
        chosen=chosen,
        is_later=bool(query) or any(chosen.values()),
        statuses=list(TaskStatus),
        models=[dto["id"] for dto in api.listing.matching_cards({"kind": "media"})],
    )


def _times(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the chosen days in the form of the list of tasks. Raises `InvalidInputError`."""
    reader = QueryReader({name: chosen[name] for name in DAYS if chosen[name]}, DAYS)
    days_ms = {name: reader.read(name, date_ms, None, "Not a calendar date.", "2026-11-21") for name in DAYS}
    reader.finish()
    added_ms = {"from": 0, "to": MS_PER_DAY}
    return {name: iso(ms + added_ms[name]) for name, ms in days_ms.items() if ms is not None}


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
