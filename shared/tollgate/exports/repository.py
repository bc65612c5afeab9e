"""The settings of exports, and the numbers of spans, in DynamoDB: rows of `BudgetsTable`.

exports           the settings
exports#bucket#…  the last complete day in a bucket, the first failed day, and the last failure
exports#spans     spans that were sent and lost, and the last failure
"""

from collections.abc import Sequence
from typing import Any

from tollgate.exports.settings import ITEM, NO_EXPORTS, BucketTarget, ExportSettings
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Add, Change, Remove, Set, SetIfMissing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_if_unchanged

SPANS = f"{ITEM}#spans"
# The longest text of a receiver or of AWS that is stored.
MAX_ERROR = 300


class StaleExportsError(Exception):
    """The settings were changed since they were read; nothing was written."""


class ExportRepository(OneTable):
    """Reads and writes the settings, and counts spans."""

    def read(self, account_id: str) -> ExportSettings:
        """Return the settings of an account."""
        return self._find(_key(account_id, ITEM), ExportSettings.from_item) or NO_EXPORTS

    def change(self, account_id: str, changed: ExportSettings, *others: TransactWrite) -> None:
        """Write settings that have the `seq` of the read row. Raises `StaleExportsError`."""
        row = {**changed.to_item(account_id), "seq": changed.seq + 1}
        stale = StaleExportsError(account_id)
        self._db.transact([put_if_unchanged(self._table, row, "item", changed.seq, lambda _: stale), *others])

    def spans(self, account_id: str) -> Item:
        """Return the row with the numbers of spans; empty if there is none."""
        return self._db.get(self._table, _key(account_id, SPANS)) or {}

    def days(self, account_id: str, target: BucketTarget) -> Item:
        """Return the row with the last day in a bucket; empty if nothing was written there."""
        return self._db.get(self._table, _key(account_id, _item_of(target))) or {}

    def count_spans(
        self, account_id: str, now_ms: int, *, sent: int = 0, lost: int = 0, error: str | None = None
    ) -> None:
        """Add to the numbers of spans, and note the failure, or that there is none."""
        numbers: list[Change] = [Add("sent", sent, start=0), Add("lost", lost, start=0)]
        changes = [*numbers, *_noted(error, now_ms)]
        # A transaction of one write, for its token: if the response is lost, nothing is counted twice.
        self._db.transact([CountingWrite(self._table, key=_key(account_id, SPANS), update=changes)])

    def note_unsent_spans(self, account_id: str, error: str, now_ms: int) -> None:
        """Note that spans could not be sent."""
        self._update(account_id, SPANS, _noted(error, now_ms))

    def note_failure(self, account_id: str, target: BucketTarget, day: str, error: str, now_ms: int) -> None:
        """Note that a day could not be written to a bucket. The first such day is kept."""
        self._update(account_id, _item_of(target), [SetIfMissing("first", day), *_noted(error, now_ms)])

    def note_day(self, account_id: str, target: BucketTarget, day: str, now_ms: int) -> None:
        """Note that all files of a day are in the bucket."""
        self._update(account_id, _item_of(target), [Set("day", day), *_noted(None, now_ms)])

    def _update(self, account_id: str, item: str, changes: Sequence[Any]) -> None:
        self._db.write(Write(self._table, key=_key(account_id, item), update=changes))


def _noted(error: str | None, now_ms: int) -> list[Any]:
    if error is None:
        return [Set("sent_ms", now_ms), Remove("error")]
    return [Set("error", error[:MAX_ERROR])]


def _item_of(target: BucketTarget) -> str:
    return f"{ITEM}#bucket#{target.address}"


def _key(account_id: str, item: str) -> Item:
    return {"account_id": account_id, "item": item}
