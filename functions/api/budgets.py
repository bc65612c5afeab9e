"""Budgets: list, create, change and delete them."""

from fastapi import APIRouter, Response

from api.http import Body, KeyOfNow, Services, envelope

router = APIRouter(prefix="/api/v1/budgets")


@router.get("")
def list_budgets(api: Services, key: KeyOfNow) -> Response:
    """Return the account's budgets with their spending in the current period."""
    return envelope({"budgets": api.budgets.all(key.account_id)})


@router.post("")
def create_budget(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Create a budget."""
    return envelope(api.budgets.create(key.account_id, body, key))


@router.get("/{budget_id}")
def get_budget(api: Services, key: KeyOfNow, budget_id: str) -> Response:
    """Return one budget."""
    return envelope(api.budgets.one(key.account_id, budget_id))


@router.patch("/{budget_id}")
def update_budget(api: Services, key: KeyOfNow, budget_id: str, body: Body) -> Response:
    """Change the fields of a budget that the body contains."""
    return envelope(api.budgets.update(key.account_id, budget_id, body, key))


@router.delete("/{budget_id}")
def delete_budget(api: Services, key: KeyOfNow, budget_id: str) -> Response:
    """Delete a budget."""
    return envelope(api.budgets.delete(key.account_id, budget_id, key))
