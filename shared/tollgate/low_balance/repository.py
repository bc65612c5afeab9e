"""The watch of each account in DynamoDB: the one row that decides what is done about a fall, once."""

from tollgate.kit.dynamodb import RowsAsRead
from tollgate.low_balance.rules import Watch


class WatchMovedError(Exception):
    """Somebody else wrote the row since it was read; nothing was written. Read it, and decide anew."""


class WatchRepository(RowsAsRead[Watch]):
    """Reads watches, and writes each only as it was read."""

    moved = WatchMovedError

    def get(self, account_id: str) -> Watch:
        """Return the account's watch; one that nobody set anything on watches nothing."""
        row = self._db.get(self._table, {"account_id": account_id})
        return Watch(account_id) if row is None else Watch.from_item(row)
