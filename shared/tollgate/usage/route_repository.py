"""The measures of routes in DynamoDB: the calls of ended requests, each counted once.

    route#claude-haiku-4-5   m29921000   a minute: `anthropic up` 12, `anthropic l42` 3, `bedrock down` 1
    route#claude-haiku-4-5   h498683     the same for an hour

The rows are in the table of the roll-up and expire. `record_usage` writes them from the ledger's stream, so a
text request writes nothing for them.
"""

from collections.abc import Iterator, Sequence

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, Set
from tollgate.kit.dynamodb.writes import CountingWrite, Write, put_new
from tollgate.kit.observability import emit, logger
from tollgate.ledger.entries import Entry
from tollgate.routing.measures import (
    HOURS,
    KNOWN_MS,
    MAX_MODELS,
    MS_PER_HOUR,
    Measures,
    counted,
    key_of,
    measures_of,
    queries_of,
)
from tollgate.usage.repository import MARK_LIFETIME_MS, in_transactions
from tollgate.usage.route_calls import calls_of

# Marks and rows in one transaction; DynamoDB allows 100. An entry has a mark, and two rows for each model.
MAX_AT_ONCE = 100
# Attempts to count some entries; each but the first without those that were counted meanwhile.
MAX_ROUNDS = 3
# A row is read for a day after its last call.
ROW_LIFETIME_MS = (HOURS + 2) * MS_PER_HOUR


class CountedError(Exception):
    """Some entry was counted before; nothing was counted."""


class RouteMeter:
    """Counts the calls of ended requests.

    Measures are no money: if the database refuses them, they are left out with a line in the log, so that no
    bill waits for them. The metric `RoutesNotMeasured` counts them.
    """

    def __init__(self, db: Database, usage_table: str, counted_table: str, clock: Clock) -> None:
        self._db = db
        self._usage_table = usage_table
        self._counted_table = counted_table
        self._clock = clock

    def check_entries(self, entries: Sequence[Entry]) -> None:
        """Count the calls of some entries, each entry once."""
        measured = {entry.entry_id: entry for entry in entries if calls_of(entry)}
        for some in in_transactions(measured.values(), _writes_of, MAX_AT_ONCE):
            try:
                self._count(some)
            except (DatabaseError, CountedError):
                logger.exception("record_usage.routes_not_measured", entries=len(some))
                emit({"RoutesNotMeasured": len(some)})

    def _count(self, entries: Sequence[Entry]) -> None:
        """Count entries. Raises `DatabaseError`, and `CountedError` if others count the same all the time."""
        left = list(entries)
        for attempt in range(1, MAX_ROUNDS + 1):
            try:
                self._db.transact([*(self._mark(entry) for entry in left), *self._rows(left)])
            except CountedError:
                keys = [{"entry_id": _mark_of(entry)} for entry in left]
                marks = {row["entry_id"] for row in self._db.get_all(self._counted_table, keys)}
                left = [entry for entry in left if _mark_of(entry) not in marks]
                if left and attempt == MAX_ROUNDS:
                    raise
                if left:
                    continue
            return

    def _mark(self, entry: Entry) -> Write:
        ends_s = (self._clock.now_ms() + MARK_LIFETIME_MS) // MS_PER_S
        mark = {"entry_id": _mark_of(entry), "expires_at_s": ends_s}
        return put_new(self._counted_table, mark, "entry_id", lambda _: CountedError(entry.entry_id))

    def _rows(self, entries: Sequence[Entry]) -> Iterator[CountingWrite]:
        ends_s = (self._clock.now_ms() + ROW_LIFETIME_MS) // MS_PER_S
        rows = counted(call for entry in entries for call in calls_of(entry))
        for (model_id, name), counts in rows.items():
            changes = [Add(what, count, start=0) for what, count in counts.items()]
            update = [*changes, Set("expires_at_s", ends_s)]
            yield CountingWrite(self._usage_table, key=key_of(model_id, name), update=update)


class MeasuredRoutes:
    """Reads the measures of routes, of a model at most once a minute."""

    def __init__(self, db: Database, usage_table: str, clock: Clock) -> None:
        self._db = db
        self._usage_table = usage_table
        self._clock = clock
        self._known: BoundedCache[tuple[int, dict[str, Measures]]] = BoundedCache(MAX_MODELS)

    def of(self, model_id: str) -> dict[str, Measures]:
        """Return the measures of a model's routes, by provider; at most a minute old."""
        now_ms = self._clock.now_ms()
        known = self._known.get(model_id)
        if known is not None and now_ms - known[0] < KNOWN_MS:
            return known[1]
        rows = [
            row for query in queries_of(model_id, now_ms) for row in self._db.query(self._usage_table, query)
        ]
        found = measures_of(rows, now_ms)
        self._known[model_id] = (now_ms, found)
        return found


def _writes_of(entry: Entry) -> int:
    return 1 + 2 * len({call.model for call in calls_of(entry)})


def _mark_of(entry: Entry) -> str:
    """Return the id of an entry's mark, which differs from its mark of the roll-up."""
    return f"route#{entry.entry_id}"
