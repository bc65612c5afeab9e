"""The progress and the result of a day's reconciliation, in the table of checkpoints.

Nothing else reads them. A lost row costs the time to read the day again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from functools import partial

from tollgate.kit.clock import MS_PER_DAY, utc_day
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import put_if_unchanged
from tollgate.reconciliation.books import Booked
from tollgate.reconciliation.comparison import Row
from tollgate.reconciliation.reports import Line

# No account has such an id.
_PREFIX = "reconciliation#"


class DayChangedError(Exception):
    """Another run saved the day."""


@dataclass(frozen=True, slots=True)
class Day:
    """One day. `after` is the last account whose entries are in the books, `None` before the first.

    `skipped` has the reason of each provider that is not compared. `attempts` counts the attempts to read the
    reports.
    """

    day: str
    after: str | None = None
    is_read: bool = False
    books: Mapping[Line, Booked] = field(default_factory=dict)
    attempts: int = 0
    rows: tuple[Row, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    done: bool = False
    seq: int = 0
    """The number of times that the row was saved."""


class ReconciliationRepository(OneTable):
    """Reads and replaces days."""

    def get(self, day: str) -> Day:
        """Return a day; a new one if it was not begun."""
        row = self._db.get(self._table, {"account_id": f"{_PREFIX}{day}"})
        if row is None:
            return Day(day)
        return Day(
            day,
            row.get("after"),
            row["is_read"],
            _books(row["books"]),
            row["attempts"],
            tuple(Row(**one) for one in json.loads(row["rows"])),
            row["skipped"],
            row["done"],
            row["seq"],
        )

    def newest(self, now_ms: int, count: int) -> list[Day]:
        """Return the finished days among the last `count`, the newest first."""
        last_ms = [now_ms - back * MS_PER_DAY for back in range(1, count + 1)]
        return [day for day in map(self.get, map(utc_day, last_ms)) if day.done]

    def save(self, day: Day) -> Day:
        """Replace a day, and return it as it is now stored.

        Raises `DayChangedError` if it was saved since it was read. A write that arrives late changes nothing.
        """
        books = [
            [*line, one.requests, str(one.cost_micro_usd), one.charged_micro_usd, one.unknown]
            for line, one in day.books.items()
        ]
        item = {
            "account_id": f"{_PREFIX}{day.day}",
            "is_read": day.is_read,
            "books": json.dumps(books),
            "attempts": day.attempts,
            "rows": json.dumps([asdict(row) for row in day.rows]),
            "skipped": dict(day.skipped),
            "done": day.done,
            "seq": day.seq + 1,
        }
        if day.after is not None:
            item["after"] = day.after
        refused = partial(_changed, day.day)
        self._db.write(put_if_unchanged(self._table, item, "account_id", day.seq, refused))
        return replace(day, seq=day.seq + 1)


def _changed(day: str, _: Item | None) -> Exception:
    return DayChangedError(day)


def _books(text: str) -> dict[Line, Booked]:
    return {
        Line(provider, model): Booked(requests, Decimal(cost), charged, unknown)
        for provider, model, requests, cost, charged, unknown in json.loads(text)
    }
