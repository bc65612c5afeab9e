"""Workflows as rows of `TasksTable`. Their steps are JSON text, because inputs stay as they were sent."""

import json
from dataclasses import asdict
from typing import Any

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.ledger.reservations import Reservation
from tollgate.workflows.models import Step, StepError, StepKind, StepStatus, Workflow, WorkflowStatus

_PLAIN = (
    *("account_id", "key_id", "created_at_ms", "deadline_at_ms", "seq", "name", "webhook"),
    *("finished_at_ms", "correlation_id"),
)


def workflow_row(workflow: Workflow) -> Item:
    """Return the workflow as a row. A workflow that has not ended is in the DueIndex."""
    row: Item = {
        **{name: getattr(workflow, name) for name in _PLAIN},
        "task_id": workflow.workflow_id,
        "status": str(workflow.status),
        "steps": json.dumps(
            [_stored(step) for step in workflow.steps], separators=(",", ":"), ensure_ascii=False
        ),
        "quote_id": workflow.reservation.quote_id,
        "reservation": workflow.reservation.to_item(),
        "is_cancelled": workflow.is_cancelled or None,
    }
    if not workflow.has_ended:
        row |= {"wake_at": workflow.wake_at_ms, "due_shard": due_shard(workflow.workflow_id)}
    return {name: value for name, value in row.items() if value is not None}


def workflow_of(row: Item) -> Workflow:
    """Return the workflow that a row holds."""
    return Workflow(
        **{name: row[name] for name in _PLAIN if name in row},
        workflow_id=row["task_id"],
        status=WorkflowStatus(row["status"]),
        steps=tuple(map(_step, json.loads(row["steps"]))),
        reservation=Reservation.from_item(row["quote_id"], row["reservation"]),
        wake_at_ms=row.get("wake_at"),
        is_cancelled=row.get("is_cancelled", False),
    )


def _stored(step: Step) -> dict[str, Any]:
    return {name: value for name, value in asdict(step).items() if value not in (None, (), False, 0, {})}


def _step(stored: dict[str, Any]) -> Step:
    """Return the step in a row. Names of a later version are left out."""
    known = {name: value for name, value in stored.items() if name in Step.__slots__}
    error = known.pop("error", None)
    defaults = {"needs": (), "micro_usd": 0, "is_exact": False, "input": {}}
    return Step(
        **{
            **defaults,
            **known,
            "kind": StepKind(known["kind"]),
            "status": StepStatus(known["status"]),
            "needs": tuple(known.get("needs", ())),
            "files": tuple(known.get("files", ())),
            "error": None if error is None else StepError(**error),
        }
    )
