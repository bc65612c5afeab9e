"""Budgets: show their limits and spending, create, change and delete them."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Fields, Sent
from dashboard.pages.projects import project_names
from dashboard.render import page, part, refused
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.budgets import BudgetPeriod
from tollgate.web.budgets import (
    CHANGED_FIELDS,
    CREATED_FIELDS,
    beside_fields,
    changed_budget,
    created_budget,
    row_of,
)

# The form's name for a budget that has no id yet.
NEW = "new"

router = APIRouter(prefix="/budgets")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the account's budgets with their spending, and the form for a new one."""
    return page(request, "budgets.html", **_shown(services, visitor.account_id))


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a budget."""
    try:
        services.api.budgets.create(visitor.account_id, created_budget(sent), None, who=visitor.name)
    except InvalidInputError as error:
        return _refused(request, NEW, CREATED_FIELDS, sent, error)
    return _list(services, request, visitor.account_id)


@router.post("/{budget_id}")
def update(services: Services, request: Request, visitor: SignedIn, sent: Sent, budget_id: str) -> Response:
    """Change a budget to the values in its form."""
    try:
        services.api.budgets.update(
            visitor.account_id, budget_id, changed_budget(sent), by=None, who=visitor.name
        )
    except InvalidInputError as error:
        return _refused(request, budget_id, CHANGED_FIELDS, sent, error)
    return _list(services, request, visitor.account_id)


@router.post("/{budget_id}/delete")
def delete(services: Services, request: Request, visitor: SignedIn, budget_id: str) -> Response:
    """Delete a budget."""
    services.api.budgets.delete(visitor.account_id, budget_id, by=None, who=visitor.name)
    return _list(services, request, visitor.account_id)


def _shown(services: Services, account_id: str) -> dict[str, Any]:
    """Return the budgets and the choices in their forms."""
    keys = {key["id"]: key["name"] or key["id"] for key in services.api.keys.all(account_id)}
    projects = project_names(services, account_id)
    rows = [row_of(view, keys | projects) for view in services.api.budgets.all(account_id)]
    return {"rows": rows, "keys": keys, "projects": projects, "periods": list(BudgetPeriod)}


def _list(services: Services, request: Request, account_id: str) -> Response:
    return part(request, "budgets_list.html", **_shown(services, account_id))


def _refused(
    request: Request, form: str, fields: tuple[str, ...], sent: Fields, error: InvalidInputError
) -> Response:
    """Return the form's problems, to be shown beside its fields."""
    problems = beside_fields(error.problems, sent.get("scope", ""), fields)
    return refused(request, form, problems, error.status)
