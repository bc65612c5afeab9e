"""The watch of each account in DynamoDB: the one row that decides what is done about a fall, once."""

from collections.abc import Sequence
from dataclasses import replace

from tollgate.kit.dynamodb import OneTable
from tollgate.kit.expressions import Equals, Missing
from tollgate.kit.writes import Write
from tollgate.low_balance.rules import Watch


class WatchMovedError(Exception):
    """Somebody else wrote the row since it was read; nothing was written. Read it, and judge it again."""


class WatchRepository(OneTable):
    """Reads watches, and writes each only as it was read."""

    def get(self, account_id: str) -> Watch:
        """Return the account's watch; one that nobody set anything on watches nothing."""
        row = self._db.get(self._table, {"account_id": account_id})
        return Watch(account_id) if row is None else Watch.from_item(row)

    def save(self, read: Watch, changed: Watch, others: Sequence[Write] = ()) -> Watch:
        """Write a change, together with other writes; return the watch as it is then.

        Raises `WatchMovedError`, or what the first refused one of the others means.
        """
        saved = replace(changed, seq=read.seq + 1)
        self._db.transact([self._put(read, saved), *others])
        return saved

    def change(self, read: Watch, changed: Watch) -> Write:
        """Return the write of a change, for another transaction. Refused: `WatchMovedError`."""
        return self._put(read, replace(changed, seq=read.seq + 1))

    def _put(self, read: Watch, saved: Watch) -> Write:
        is_new = Missing("account_id")
        nobody_wrote_since = Equals("seq", read.seq)
        return Write(
            self._table,
            item=saved.to_item(),
            condition=nobody_wrote_since if read.seq else is_new,
            refused=lambda _: WatchMovedError(read.account_id),
        )
