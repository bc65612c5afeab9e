"""Tasks as rows. Free-form parts are stored as JSON text, so customers get them back unchanged."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from tollgate.artifacts.models import StoredFile
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.ledger.attribution import Attribution
from tollgate.tasks.models import Attempt, Origin, Share, Task, TaskError, TaskErrorCode, TaskStatus, Told

_PLAIN = (
    "task_id",
    "account_id",
    "model",
    "charge_micro_usd",
    "price_version",
    "created_at_ms",
    "deadline_at_ms",
    "seq",
    "progress",
    "webhook",
    "refunded_micro_usd",
    "finished_at_ms",
    "expires_at_ms",
    "files_deleted_at_ms",
    "counter",
    "correlation_id",
    "key_id",
    "expires_in_s",
    "workflow_id",
)
_JSON = ("values", "metadata", "output", "measured")


def task_row(task: Task) -> Item:
    """Return the task as a row. A task that has not ended, or whose files are to be deleted, is in the
    DueIndex; a waiting task is in the WaitingIndex too.
    """
    row: Item = {name: getattr(task, name) for name in _PLAIN}
    row |= {name: _text(getattr(task, name)) for name in _JSON}
    row |= {
        "status": str(task.status),
        "attempts": [attempt.to_item() for attempt in task.attempts],
        # Not in the attempts: the version of 2026-11-23 reads no name there that it does not know.
        "attempt_costs": [attempt.cost_micro_usd for attempt in task.attempts] if _has_costs(task) else None,
        "files": [file.to_item() for file in task.files] or None,
        "error": {"code": task.error.code, "message": task.error.message} if task.error else None,
        "origin": task.origin.to_item() if task.origin else None,
        "wallet": task.wallet or None,
        "markup": task.markup_micro_usd or None,
        "budgets": list(task.budgets) or None,
        "private": task.private or None,
        "told": task.told.to_item() if task.told else None,
        "share": task.share.to_item() if task.share else None,
        "routing": None if task.routing is None else list(task.routing),
        **task.attribution.stored(),
    }
    if task.wake_at_ms is not None:
        row |= {"wake_at": task.wake_at_ms, "due_shard": due_shard(task.task_id)}
    if task.status is TaskStatus.NOT_STARTED:
        row["waiting_account"] = task.row_id
    return {name: value for name, value in row.items() if value is not None}


def task_of(row: Item) -> Task:
    """Return the task that a row holds."""
    error, origin = row.get("error"), row.get("origin")
    return Task(
        **{name: row[name] for name in _PLAIN if name in row},
        **{name: json.loads(row[name]) for name in _JSON if name in row},
        status=TaskStatus(row["status"]),
        wake_at_ms=row.get("wake_at"),
        attempts=tuple(_attempts(row)),
        files=tuple(StoredFile(**file) for file in row.get("files", [])),
        error=TaskError(TaskErrorCode(error["code"]), error["message"]) if error else None,
        origin=Origin(**origin) if origin else None,
        wallet=row.get("wallet", 0),
        markup_micro_usd=row.get("markup", 0),
        budgets=tuple(row.get("budgets", ())),
        attribution=Attribution.from_item(row),
        private=row.get("private", False),
        told=Told(**row["told"]) if "told" in row else None,
        share=Share(**row["share"]) if "share" in row else None,
        routing=tuple(row["routing"]) if "routing" in row else None,
    )


def _has_costs(task: Task) -> bool:
    return any(attempt.cost_micro_usd is not None for attempt in task.attempts)


def _attempts(row: Item) -> Iterator[Attempt]:
    costs = row.get("attempt_costs", [])
    for attempt, cost in zip_longest(map(Attempt.from_item, row["attempts"]), costs):
        yield attempt if cost is None else replace(attempt, cost_micro_usd=cost)


def _text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
