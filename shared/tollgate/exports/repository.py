"""The settings of exports, and the numbers of spans, in DynamoDB: rows of `BudgetsTable`.

exports         the settings
exports#bucket  the last complete day in the bucket, and the last failure
exports#spans   the spans that were sent and lost, and the last failure
"""

from collections.abc import Sequence
from typing import Any

from tollgate.exports.settings import ITEM, NO_EXPORTS, ExportSettings
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Add, Change, Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_if_unchanged

SPANS, BUCKET = f"{ITEM}#spans", f"{ITEM}#bucket"
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

    def sent(self, account_id: str, what: str) -> Item:
        """Return the row with the numbers of spans; empty if there is none. `what` is `SPANS` or `BUCKET`."""
        return self._db.get(self._table, _key(account_id, what)) or {}

    def count_spans(
        self, account_id: str, now_ms: int, *, sent: int = 0, lost: int = 0, error: str | None = None
    ) -> None:
        """Add to the numbers of spans, and note the failure, or that there is none."""
        numbers: list[Change] = [Add("sent", sent, start=0), Add("lost", lost, start=0)]
        changes = [*numbers, *_noted(error, now_ms)]
        # A transaction of one write, for its token: if the response is lost, nothing is counted twice.
        self._db.transact([CountingWrite(self._table, key=_key(account_id, SPANS), update=changes)])

    def note_error(self, account_id: str, what: str, error: str, now_ms: int) -> None:
        """Note a failure."""
        self._update(account_id, what, _noted(error, now_ms))

    def note_day(self, account_id: str, day: str, now_ms: int) -> None:
        """Note that all files of a day are in the bucket."""
        self._update(account_id, BUCKET, [Set("day", day), *_noted(None, now_ms)])

    def _update(self, account_id: str, what: str, changes: Sequence[Any]) -> None:
        self._db.write(Write(self._table, key=_key(account_id, what), update=changes))


def _noted(error: str | None, now_ms: int) -> list[Any]:
    if error is None:
        return [Set("sent_ms", now_ms), Remove("error")]
    return [Set("error", error[:MAX_ERROR])]


def _key(account_id: str, item: str) -> Item:
    return {"account_id": account_id, "item": item}
