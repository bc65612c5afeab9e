"""Projects: show their keys, budgets and spending, create, rename and delete them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import page, part, refused
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.budgets.views import BudgetView
from tollgate.kit.clock import iso
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.attribution import PROJECT
from tollgate.projects.views import ProjectView
from tollgate.usage.counts import Counts, CountsView
from tollgate.usage.period import CUSTOM, GROUP_BY
from tollgate.web.budgets import Bar, rows_of_project
from tollgate.web.problems import in_words

# The form's name for a project that has no id yet.
NEW = "new"
NOTHING = Counts().view()
_MONTH_LENGTH, _DATE_LENGTH = len("2026-11"), len("2026-11-26")

router = APIRouter(prefix="/projects")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the account's projects with their spending, and the form for a new one."""
    return page(request, "projects.html", **_shown(services, visitor.account_id))


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a project."""
    try:
        services.api.projects.create(visitor.account_id, {"name": sent.get("name", "")}, who=visitor.name)
    except InvalidInputError as error:
        return _refused(request, NEW, error)
    return _list(services, request, visitor.account_id)


@router.get("/{project_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, project_id: str) -> Response:
    """Show a project's keys, budgets and spending."""
    account_id = visitor.account_id
    project = services.api.projects.one(account_id, project_id)
    periods = {
        "Today": {"range": "today"},
        "7 days": {"range": "7d"},
        "This month": _month(services.clock.now_ms()),
    }
    return page(
        request,
        "project.html",
        project=project,
        keys=[key for key in services.api.keys.all(account_id) if key["id"] in project["keyIds"]],
        rows=rows_of_project(services.api.budgets.all(account_id), project_id, {}),
        spent={
            name: _spent(services, account_id, query).get(project_id, NOTHING)
            for name, query in periods.items()
        },
    )


@router.post("/{project_id}")
def rename(services: Services, request: Request, visitor: SignedIn, sent: Sent, project_id: str) -> Response:
    """Rename a project."""
    body = {"name": sent.get("name", "")}
    try:
        services.api.projects.update(visitor.account_id, project_id, body, who=visitor.name)
    except InvalidInputError as error:
        return _refused(request, project_id, error)
    return _list(services, request, visitor.account_id)


@router.post("/{project_id}/delete")
def delete(services: Services, request: Request, visitor: SignedIn, project_id: str) -> Response:
    """Delete a project without keys."""
    services.api.projects.delete(visitor.account_id, project_id, who=visitor.name)
    return _list(services, request, visitor.account_id)


def project_names(services: Services, account_id: str) -> dict[str, str]:
    """Return the names of the account's projects by their ids."""
    return {each.project_id: each.name for each in services.api.projects.projects.read(account_id).projects}


def _shown(services: Services, account_id: str) -> dict[str, Any]:
    """Return the projects, each with its spending of this month and a bar for each of its budgets."""
    budgets = services.api.budgets.all(account_id)
    spent = _spent(services, account_id, _month(services.clock.now_ms()))
    rows = [
        {"view": view, "spent": spent.get(view["id"], NOTHING), "bars": _bars(budgets, view)}
        for view in services.api.projects.all(account_id)
    ]
    return {"rows": rows}


def _bars(budgets: Iterable[BudgetView], project: ProjectView) -> list[Bar]:
    rows = rows_of_project(budgets, project["id"], {})
    return [replace(bar, name=f"{row.view['name']}, {row.limit}") for row in rows for bar in row.bars]


def _month(now_ms: int) -> dict[str, str]:
    """Return the query of the days of this month."""
    today = iso(now_ms)[:_DATE_LENGTH]
    return {"range": CUSTOM, "from": f"{today[:_MONTH_LENGTH]}-01", "to": today}


def _spent(services: Services, account_id: str, query: dict[str, str]) -> dict[str, CountsView]:
    """Return the sums of each project by its id."""
    found = services.api.statistics.of(account_id, {**query, GROUP_BY: PROJECT})
    return {group["value"]: group for group in found.get("groups", [])}


def _list(services: Services, request: Request, account_id: str) -> Response:
    return part(request, "projects_list.html", **_shown(services, account_id))


def _refused(request: Request, form: str, error: InvalidInputError) -> Response:
    """Return the form's problem, to be shown beside its only field."""
    return refused(request, form, {"name": in_words(error.problems, beside=1)}, error.status)
