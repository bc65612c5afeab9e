"""The provider of each ledger entry. Only operators see it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.ledger.reader import LedgerReader
from tollgate.tasks.models import TaskStatus
from tollgate.tasks.repository import TaskRepository


def with_routes(
    ledger: LedgerReader, tasks: TaskRepository, account_id: str, entries: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return at most 100 entries of a statement, each with its `provider` if there is one.

    The entry of a text request contains its provider. A task is charged before it is sent to a provider, so
    its provider is read from the task.
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
