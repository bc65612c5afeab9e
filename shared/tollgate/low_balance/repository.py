"""The watch of each account in DynamoDB: one row decides the reaction to a fall, once."""

from tollgate.kit.dynamodb import RowsAsRead
from tollgate.low_balance.rules import Watch


class WatchMovedError(Exception):
    """Another process wrote the row since it was read; nothing was written. Read it, and decide again."""


class WatchRepository(RowsAsRead[Watch]):
    """Reads watches, and writes each only if it is still as it was read."""

    moved = WatchMovedError

    def get(self, account_id: str) -> Watch:
        """Return the account's watch; an empty watch if nothing was set."""
        row = self._db.get(self._table, {"account_id": account_id})
        return Watch(account_id) if row is None else Watch.from_item(row)
