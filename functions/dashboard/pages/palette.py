"""The list behind the shortcut Ctrl+K or ⌘K: pages, models, keys, latest tasks and docs."""

from collections.abc import Iterator
from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from dashboard.languages import gettext
from dashboard.permissions import may
from dashboard.render import home, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.ledger.callers import Caller
from tollgate.web.languages import phrase

# Tasks in the list. Any other is found by its id.
LATEST_TASKS = "20"
# Characters of a task's prompt.
PROMPT_LENGTH = 80
# Pages without a place in a menu.
PLACES = {
    "/tokens": "Run tokens",
    "/workflows": "Workflows",
    "/batches": "Batches",
    "/catalog/compare": "Compare models",
}

# For operators, as in `operator_base.html`.
CONSOLE = {
    "/providers": "Providers",
    "/models": "Prices",
    "/costs": "Costs",
    "/incidents": "Incidents",
    "/work": "Operations",
    "/log": "Log",
}

router = APIRouter(prefix="/palette")


class Goal(NamedTuple):
    """A place to go: its kind and name, its address, and more words by which it is found."""

    kind: str
    name: str
    href: str
    words: str = ""
    doc: str | None = None
    """The path of a page in the index of the docs."""


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the places besides the pages of the menus, which the browser has already."""
    role = getattr(request.state, "role", None)
    goals = [
        Goal(phrase("Page"), gettext(name), f"{home(request)}{path}")
        for path, name in PLACES.items()
        if may(role, f"GET {path}")
    ]
    if may(role, "GET /keys/{key_id}"):
        goals += _keys(services, request, visitor.account_id)
    goals += _projects(services, request, visitor.account_id)
    goals += _public(services, request)
    goals += _tasks(services, request, visitor.caller)
    return part(request, "palette.html", goals=goals)


def _keys(services: Services, request: Request, account_id: str) -> Iterator[Goal]:
    for key in services.api.keys.all(account_id):
        path = f"{home(request)}/keys/{key['id']}"
        yield Goal(phrase("API key"), key["name"] or key["id"], path, f"{key['id']} {key['prefix']}")


def _tasks(services: Services, request: Request, caller: Caller) -> Iterator[Goal]:
    for task in services.api.reader.found(caller, {"limit": LATEST_TASKS}).rows:
        prompt = str(task.values.get("prompt") or "")[:PROMPT_LENGTH]
        name = f"{task.model}: {prompt}" if prompt else task.model
        yield Goal(phrase("Task"), name, f"{home(request)}/tasks/{task.task_id}", task.task_id)


def _projects(services: Services, request: Request, account_id: str) -> Iterator[Goal]:
    for project in services.api.projects.all(account_id):
        path = f"{home(request)}/projects/{project['id']}"
        yield Goal(phrase("Project"), project["name"], path, project["id"])


def _public(services: Services, request: Request) -> Iterator[Goal]:
    root = request.base_url.path.rstrip("/")
    yield Goal(phrase("Page"), gettext("Status"), f"{root}/status")
    if request.session.get("desk"):
        for path, name in CONSOLE.items():
            yield Goal(phrase("Operator console"), gettext(name), f"{root}/admin{path}")
    for card in services.api.listing.matching_cards({}):
        yield Goal(phrase("Model"), card["name"], f"{root}/models/{card['id']}", card["id"])
    for doc in services.api.reference.site.pages.values():
        if not doc.path.startswith("models/"):
            yield Goal(phrase("Docs"), doc.title, f"{root}/docs/{doc.path}".rstrip("/"), doc.about, doc.path)
