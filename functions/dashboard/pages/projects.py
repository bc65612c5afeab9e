"""Projects: show their keys, budgets and spending, create, rename and delete them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import page, part, refused
from dashboard.security import SignedIn, Visitor
from dashboard.services import Services
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.accounts.scopes import Scope
from tollgate.accounts.views import KeyWithSecretView
from tollgate.budgets.views import BudgetView
from tollgate.kit.clock import iso
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.ledger.attribution import PROJECT
from tollgate.ledger.budgets import BudgetPeriod
from tollgate.members.roles import SPENDERS, ProjectRole
from tollgate.projects.views import ProjectView
from tollgate.usage.counts import Counts, CountsView
from tollgate.usage.period import CUSTOM, GROUP_BY
from tollgate.web.budgets import (
    CREATED_FIELDS,
    Bar,
    beside_fields,
    created_budget,
    rows_of_project,
)
from tollgate.web.languages import phrase
from tollgate.web.problems import in_words

# The form's name for a project that has no id yet.
NEW = "new"
# The scopes of keys that members of a project create.
KEY_SCOPES = [Scope.MEDIA, Scope.TEXT]
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
        services.api.projects.create(
            visitor.account_id, {"name": sent.get("name", "")}, by=None, who=visitor.name
        )
    except InvalidInputError as error:
        return _refused(request, NEW, error)
    return _list(services, request, visitor.account_id)


@router.get("/{project_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, project_id: str) -> Response:
    """Show a project's keys, budgets and spending."""
    return page(request, "project.html", **_one(services, visitor, project_id))


@router.post("/{project_id}")
def rename(services: Services, request: Request, visitor: SignedIn, sent: Sent, project_id: str) -> Response:
    """Rename a project."""
    body = {"name": sent.get("name", "")}
    try:
        services.api.projects.update(visitor.account_id, project_id, body, by=None, who=visitor.name)
    except InvalidInputError as error:
        return _refused(request, project_id, error)
    return _list(services, request, visitor.account_id)


@router.post("/{project_id}/delete")
def delete(services: Services, request: Request, visitor: SignedIn, project_id: str) -> Response:
    """Delete a project without keys."""
    services.api.projects.delete(visitor.account_id, project_id, by=None, who=visitor.name)
    return _list(services, request, visitor.account_id)


@router.post("/{project_id}/keys")
def create_key(
    services: Services, request: Request, visitor: SignedIn, sent: Sent, project_id: str
) -> Response:
    """Create a key of the project, which creates tasks and text, and show it once."""
    _check_role(services, visitor, project_id, ProjectRole.MEMBER)
    body = {"name": sent.get("name", ""), "scopes": KEY_SCOPES, "projectId": project_id}
    keys, by = services.api.keys, visitor.identity_id
    made = keys.create(visitor.account_id, body, None, who=visitor.name, made_by=by)
    return part(request, "project_parts.html", **_one(services, visitor, project_id, made))


@router.post("/{project_id}/keys/{key_id}/revoke")
def revoke_key(
    services: Services, request: Request, visitor: SignedIn, project_id: str, key_id: str
) -> Response:
    """End a key of the project. A member ends only their own."""
    shown = _one(services, visitor, project_id)
    if key_id not in {key["id"] for key in shown["keys"]}:
        raise KeyNotFoundError
    needed = ProjectRole.MEMBER if key_id in shown["own"] else ProjectRole.MANAGER
    _check_role(services, visitor, project_id, needed)
    services.api.keys.revoke(visitor.account_id, key_id, None, who=visitor.name)
    return part(request, "project_parts.html", **_one(services, visitor, project_id))


@router.post("/{project_id}/budgets")
def add_budget(
    services: Services, request: Request, visitor: SignedIn, sent: Sent, project_id: str
) -> Response:
    """Add a budget to the project. It can only lower the spending of the project."""
    _check_role(services, visitor, project_id, ProjectRole.MANAGER)
    form = {**dict(sent), "scope": PROJECT, "project": project_id}
    try:
        services.api.budgets.create(visitor.account_id, created_budget(form), None, who=visitor.name)
    except InvalidInputError as error:
        return refused(request, NEW, beside_fields(error.problems, PROJECT, CREATED_FIELDS), error.status)
    return part(request, "project_parts.html", **_one(services, visitor, project_id))


@router.post("/{project_id}/members")
def change_role(
    services: Services, request: Request, visitor: SignedIn, sent: Sent, project_id: str
) -> Response:
    """Change the role of a member in the project."""
    services.members.change_project_role(
        visitor.account_id,
        sent.get("member", ""),
        project_id,
        sent.get("role", ""),
        visitor.actor,
        projects=project_names(services, visitor.account_id),
    )
    return part(request, "project_parts.html", **_one(services, visitor, project_id))


def _check_role(services: Services, visitor: Visitor, project_id: str, needed: ProjectRole) -> None:
    """Raise `ForbiddenError` unless the visitor has this role in the project, and `ProjectNotFoundError`."""
    services.api.projects.one(visitor.account_id, project_id)
    role = services.members.team(visitor.account_id).role_in(project_id, visitor.identity_id)
    if role is not ProjectRole.MANAGER and role is not needed:
        message = f"This needs the role {needed} in the project."
        raise ForbiddenError(message, "Ask an owner of the account.")


def _one(
    services: Services, visitor: Visitor, project_id: str, made: KeyWithSecretView | None = None
) -> dict[str, Any]:
    """Return a project's keys, with a key that was just made, its budgets, spending and members."""
    account_id = visitor.account_id
    project = services.api.projects.one(account_id, project_id)
    periods = {
        phrase("Today"): {"range": "today"},
        phrase("7 days"): {"range": "7d"},
        phrase("This month"): _month(services.clock.now_ms()),
    }
    team = services.members.team(account_id)
    names = services.members.names([one.identity_id for one in team.members])
    by_maker = services.api.keys.by_maker(account_id)
    return {
        "project": project,
        "made": made,
        "keys": [key for key in services.api.keys.all(account_id) if key["id"] in project["keyIds"]],
        "own": {key.key_id for key in by_maker.get(visitor.identity_id, ())},
        "rows": rows_of_project(services.api.budgets.all(account_id), project_id, {}),
        "spent": {
            name: _spent(services, account_id, query).get(project_id, NOTHING)
            for name, query in periods.items()
        },
        "people": [
            {
                "id": one.identity_id,
                "name": names.get(one.identity_id, one.identity_id),
                "role": team.role_in(project_id, one.identity_id),
                "is_fixed": one.role in SPENDERS,
            }
            for one in team.members
        ],
        "mine": team.role_in(project_id, visitor.identity_id),
        "project_roles": list(ProjectRole),
        "periods": list(BudgetPeriod),
    }


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
