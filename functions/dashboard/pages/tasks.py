"""Tasks: a gallery of results, all details of one task, and its public page."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.languages import gettext, ngettext
from dashboard.render import MONEY_MOVED, base_url, frame, page, part, toast
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.artifacts.uploads import folder_of
from tollgate.composition.api import Api
from tollgate.kit.clock import MS_PER_DAY, iso
from tollgate.kit.errors import InvalidInputError, UploadNotFoundError
from tollgate.kit.http.query import QueryReader, date_ms
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.reference.snippets import media_snippets
from tollgate.tasks.errors import TaskNotEndedError
from tollgate.tasks.models import Task, TaskStatus
from tollgate.tasks.sharing import share_id_of
from tollgate.web.other_services import read_or
from tollgate.web.shared_input import labelled

FILTERS = ("status", "model", "cursor")
# UTC dates, both included.
DAYS = ("from", "to")
PAGE = 24
MAX_WORDS_CHARS = 200
# The page event on which the gallery is reloaded.
DELETED = "tasks-deleted"

router = APIRouter()


@router.get("/tasks")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the tasks that fit the filters and mention the words, newest first."""
    api = services.api
    query = {name: request.query_params[name] for name in FILTERS if request.query_params.get(name)}
    chosen = {name: request.query_params.get(name, "") for name in ("words", "status", "model", *DAYS)}
    chosen["words"] = chosen["words"][:MAX_WORDS_CHARS]
    asked = {**query, **_times(chosen), "limit": str(PAGE)}
    found = api.reader.found(visitor.caller, asked, chosen["words"])
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


@router.post("/tasks/delete")
def delete(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Delete the files of the chosen tasks. Tasks that have not ended are left as they are."""
    ids = sent.getlist("task")
    if not 1 <= len(ids) <= PAGE:
        raise InvalidInputError([Problem("/task", "Choose generations of one page.", f"1 to {PAGE}")])
    running = 0
    for task_id in ids:
        try:
            services.api.deletion.delete(visitor.caller, task_id, visitor.name)
        except TaskNotEndedError:
            running += 1
    count = len(ids) - running
    said = ngettext(
        "Files of {count} generation deleted.", "Files of {count} generations deleted.", count
    ).format(count=count)
    still = gettext("{count} still running.")
    answer = toast(request, f"{said} {still.format(count=running)}" if running else said)
    answer.headers["hx-trigger"] = DELETED
    return answer


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
    task = services.api.reader.find(visitor.caller, task_id)
    body = {"model": task.model, "input": task.values}
    return page(
        request,
        "task.html",
        task=task,
        share_id=share_id_of(task),
        before=read_or(None, "before", lambda: _before(services.api, task)),
        snippets=media_snippets(base_url(request), body),
    )


@router.post("/tasks/{task_id}/share")
def share(services: Services, request: Request, visitor: SignedIn, task_id: str, sent: Sent) -> Response:
    """Create the public page of a task's result, which shows the input if the form has `input`."""
    with_input = "input" in sent
    task = services.sharing.share(visitor.caller, task_id, visitor.name, with_input=with_input)
    return part(request, "task_share.html", task=task, share_id=share_id_of(task))


@router.post("/tasks/{task_id}/unshare")
def unshare(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """End the public page of a task."""
    task = services.sharing.end(visitor.caller, task_id, visitor.name)
    return part(request, "task_share.html", task=task, share_id=None)


@router.get("/shared/{share_id}")
def show_shared(services: Services, request: Request, share_id: str) -> Response:
    """Show a shared result. The address is the only permission."""
    task = services.sharing.shown(share_id)
    listing = services.api.listing
    known = listing.matching_cards({"kind": "media"})
    model = next((dto for dto in known if dto["id"] == task.model), None)
    params = listing.model_view(task.model)["params"] if model and task.shares_input else []
    return page(
        request,
        "shared.html",
        layout=frame(request),
        task=task,
        model=model,
        share_id=share_id,
        input=labelled(params, task.values),
    )


@router.get("/tasks/{task_id}/card")
def card(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Return a task as a card, which reloads itself until the task has ended."""
    task = services.api.reader.find(visitor.caller, task_id)
    answer = part(request, "task_card.html", task=task)
    if task.ended:
        # It may have been refunded.
        answer.headers["hx-trigger"] = MONEY_MOVED
    return answer


def _before(api: Api, task: Task) -> str | None:
    """Return the address of the image that a task changed, if it is stored here."""
    if not task.files or task.files[0].file_type != "image":
        return None
    uploaded = f"{api.results.storage_url}/{folder_of(task.account_id)}"
    for text in _texts(task.values.values()):
        if text.startswith(f"{api.results.storage_url}/media/"):
            return text
        # A task has the address of an uploaded file instead of its id.
        if text.startswith(uploaded):
            file_id = text.removeprefix(uploaded).partition("-")[0]
            try:
                return api.files.uploads.content_url(Caller.of_account(task.account_id), file_id)
            except UploadNotFoundError:
                continue
    return None


def _texts(values: Any) -> Iterator[str]:
    """Return the texts among values, and in their lists."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, str))
