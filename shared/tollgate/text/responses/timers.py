"""The timer of a background response that runs, so that the sweep finds it if its process stops. Pure."""

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Equals, Remove, RepeatableChange, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import Write

# Enough for 1 000 responses a second, each with two writes. The sweep reads all of them every minute.
SHARDS = 2
CLAIM = "claim"
TIMER = (CLAIM, "due_shard", "wake_at")
"""The attributes that a row keeps until its timer is stopped, also if its owner deletes the response."""


class TimerStoppedError(Exception):
    """The response has ended, or its timer was stopped."""


def request_id_of(response_id: str) -> str:
    """Return the id of the request that created a response."""
    return f"req_{response_id.removeprefix('resp_')}"


def timed(response_id: str, token: str, ends_by_s: int) -> tuple[RepeatableChange, ...]:
    """Return the changes by which the process with a `token` takes a response, until a time."""
    return (
        Set(CLAIM, token),
        Set("due_shard", due_shard(response_id, SHARDS)),
        # The row of the end replaces this row, so it has no timer.
        Set("wake_at", ends_by_s * MS_PER_S),
    )


def stopped(table: str, row: Item) -> Write:
    """Return the write that stops the timer of a row, and takes the claim from its process.

    Refused: `TimerStoppedError`.
    """
    return Write(
        table,
        key={name: row[name] for name in ("account_id", "response_id")},
        update=tuple(Remove(name) for name in TIMER),
        condition=Equals(CLAIM, row[CLAIM]),
        refused=lambda _: TimerStoppedError(),
    )
