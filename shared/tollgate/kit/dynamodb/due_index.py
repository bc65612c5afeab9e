"""The DueIndex of a table: finds rows whose wake-up time has passed.

An unfinished row has `wake_at` (epoch milliseconds), `due_shard` (`shards.py`), and a counter `seq` that each
write increments. A finished row has neither `wake_at` nor `due_shard`, so it is never due again.
"""

from dataclasses import dataclass

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import AtMost, Equals, Exists, Set
from tollgate.kit.dynamodb.shards import DUE_SHARDS
from tollgate.kit.dynamodb.writes import Write


class StaleDueRowError(Exception):
    """The row is done, or was written since it was read; its timer is another one now."""


@dataclass(frozen=True, slots=True)
class Due:
    """A row that nothing has moved for too long."""

    row_id: str
    seq: int


class DueIndex:
    """The timers of one table, whose key is the one attribute `key`."""

    def __init__(self, db: Database, table: str, key: str) -> None:
        self._db = db
        self._table = table
        self.key = key

    def due(self, now_ms: int, limit: int) -> list[Due]:
        """Return rows whose `wake_at` has passed, at most `limit` of each shard."""
        found: list[Due] = []
        # Several partitions, so that all rows that wait do not write to one.
        for shard in range(DUE_SHARDS):
            rows = self._db.query(
                self._table,
                Equals("due_shard", str(shard)) & AtMost("wake_at", now_ms),
                index="DueIndex",
                limit=limit,
            )
            found += [Due(row[self.key], row["seq"]) for row in rows]
        return found

    def postpone(self, due: Due, wake_at_ms: int) -> None:
        """Move a due row's timer, so that it is not found again at once. Raises `StaleDueRowError`."""
        not_moved_by_a_step = Equals("seq", due.seq)
        # A finished row must never get a timer again.
        not_done = Exists("wake_at")
        self._db.write(
            Write(
                self._table,
                key={self.key: due.row_id},
                update=(Set("wake_at", wake_at_ms),),
                condition=not_moved_by_a_step & not_done,
                refused=lambda _: StaleDueRowError(due.row_id),
            )
        )
