"""Which provider's work each row of a ledger paid for: for operators, customers are not shown it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.ledger.repository import LedgerRepository
from tollgate.tasks.models import TaskStatus
from tollgate.tasks.repository import TaskRepository


def with_routes(
    ledger: LedgerRepository, tasks: TaskRepository, account_id: str, entries: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return at most 100 entries as a statement shows them, with `provider` where somebody's work was paid.

    A text row says it itself; a task's charge was posted before anybody was asked, so its task says it.
    """
    rows = ledger.named(account_id, [entry["id"] for entry in entries])
    charged = tasks.get_all([entry["taskId"] for entry in entries if entry["kind"] == "charge"])
    providers = {row.entry_id: row.provider for row in rows} | {
        f"{task.task_id}#charge": task.attempts[-1].provider
        for task in charged
        if task.status is TaskStatus.FINISHED
    }
    named = ((entry, providers.get(entry["id"])) for entry in entries)
    return [{**entry, **({} if name is None else {"provider": name})} for entry, name in named]
