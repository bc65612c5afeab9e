"""The low-balance state of each account in DynamoDB: one row decides the reaction to a crossing."""

from collections.abc import Sequence

from tollgate.kit.dynamodb.database import VersionedRepository
from tollgate.low_balance.rules import LowBalanceState


class StaleLowBalanceError(Exception):
    """Another process wrote the row since it was read. Nothing was written: read it, and decide again."""


class LowBalanceRepository(VersionedRepository[LowBalanceState]):
    """Reads states, and writes each only if it is unchanged since the read."""

    stale_error = StaleLowBalanceError

    def get(self, account_id: str) -> LowBalanceState:
        """Return the account's state; an empty state if nothing was set."""
        row = self._db.get(self._table, {"account_id": account_id})
        return LowBalanceState(account_id) if row is None else LowBalanceState.from_item(row)

    def read_all(self, account_ids: Sequence[str]) -> dict[str, LowBalanceState]:
        """Return the states of at most 100 accounts, by id."""
        rows = self._db.get_all(self._table, [{"account_id": each} for each in account_ids])
        found = {row["account_id"]: LowBalanceState.from_item(row) for row in rows}
        return {each: found.get(each, LowBalanceState(each)) for each in account_ids}
