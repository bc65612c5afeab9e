"""The states of a background response in its row. Pure.

    queued ──claim──► in_progress ──► ended: its row has no state any more
       └──cancel──► ended

A state has an end. After it, readers see a failed response. The sweep returns its charge (`stopped.py`).
"""

from collections.abc import Mapping
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Equals, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.text.responses.events import FAILED, QUEUED, error_of_response
from tollgate.text.responses.output_items import IN_PROGRESS
from tollgate.text.responses.timers import CLAIM, timed

# How long a response may wait for a process that runs it.
QUEUED_S = 10 * 60
# The hold is still there when the process starts.
HOLD_MS = (QUEUED_S + 60) * MS_PER_S
# Longer than the function that runs it can live (15 minutes), so the function has stopped.
RUNNING_S = 16 * 60
RUNNING = (QUEUED, IN_PROGRESS)

_STOPPED = "The response stopped and cannot continue. Create it again."


class MovedOnError(Exception):
    """Another process changed the state of the response since it was read."""


def queued(now_s: int, *, is_streamed: bool) -> Item:
    """Return the attributes of a new row. The events of a streamed response are stored as well."""
    return {"state": QUEUED, "ends_by_s": now_s + QUEUED_S, "is_streamed": is_streamed}


def is_running(row: Item, now_s: int) -> bool:
    """Return whether the response of a row is queued or in progress."""
    return row.get("state") in RUNNING and now_s < int(row["ends_by_s"])


def shown(response: Mapping[str, Any], row: Item, now_s: int) -> Mapping[str, Any]:
    """Return a stored response with its present status."""
    if row.get("state") not in RUNNING:
        return response
    if is_running(row, now_s):
        return {**response, "status": row["state"]}
    return {**response, "status": FAILED, "error": error_of_response("server_error", _STOPPED)}


def claim(table: str, row: Item, token: str, now_s: int) -> Write:
    """Return the write by which one process, with a new `token`, takes a queued response, with a timer.

    Refused: `MovedOnError`.
    """
    ends_by_s = now_s + RUNNING_S
    return Write(
        table,
        key={name: row[name] for name in ("account_id", "response_id")},
        update=(
            Set("state", IN_PROGRESS),
            Set("ends_by_s", ends_by_s),
            *timed(row["response_id"], token, ends_by_s),
        ),
        condition=Equals("state", QUEUED),
        refused=lambda _: MovedOnError(),
    )


def is_claimed_by(token: str) -> Equals:
    """Return the condition that this process has taken the response, and its owner has not deleted it."""
    return Equals(CLAIM, token)


def is_unclaimed() -> Equals:
    """Return the condition that no process has taken the response."""
    return Equals("state", QUEUED)
