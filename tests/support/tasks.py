"""Tasks of tests that are about other things: a member creates them, so no key limits them."""

from collections.abc import Mapping
from typing import Any

from tollgate.composition import api as api_parts
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.tasks.models import CreatedTaskView


def create_task(
    account_id: str,
    body: Mapping[str, Any],
    idempotency_key: str | None = None,
    *,
    attribution: Attribution = NONE,
) -> CreatedTaskView:
    """Charge and queue a task, as `TaskService.create` does for a member."""
    tasks = api_parts.api().tasks
    return tasks.create(account_id, body, idempotency_key, key=None, attribution=attribution)


def estimated_cents(account_id: str, body: Mapping[str, Any]) -> int:
    """Return the price of a body in cents, as a member sees it."""
    return api_parts.api().tasks.estimate(account_id, body, key=None)["price"]
