"""Counts of an hour in `BudgetsTable`, for things that cost nothing and are stored. Pure.

tokens#2026-11-26T14       the run tokens that an account created in this hour
quotes#2026-11-26T14       its quotes
"""

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.dynamodb.expressions import Add, Below, Missing, SetIfMissing
from tollgate.kit.dynamodb.writes import CountingWrite, Refused

# The count of an hour is useless after it.
_KEPT_MS = 2 * 60 * 60 * MS_PER_S
_HOUR_LENGTH = len("2026-11-26T14")


def count_in_hour(
    table: str, account_id: str, beginning: str, at_ms: int, *, most: int, refused: Refused
) -> CountingWrite:
    """Return the write that counts one more in the hour of `at_ms`, up to `most`.

    `beginning` is the first part of the row's sort key.
    """
    first, has_room = Missing("count"), Below("count", most)
    return CountingWrite(
        table,
        key={"account_id": account_id, "item": f"{beginning}{iso(at_ms)[:_HOUR_LENGTH]}"},
        update=(Add("count", 1, start=0), SetIfMissing("expires_at_s", (at_ms + _KEPT_MS) // MS_PER_S)),
        condition=first | has_room,
        refused=refused,
    )
