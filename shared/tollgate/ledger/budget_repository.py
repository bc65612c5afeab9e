"""The budgets of accounts in DynamoDB: their definitions, and their counted spending."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import BeginsWith, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import TransactWrite
from tollgate.ledger.budgets import (
    Budget,
    Budgets,
    BudgetWrites,
    Counted,
    announce,
    definitions_key,
    items_of,
    wallet_of,
)
from tollgate.ledger.runs import Run, run_of
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import MAX_WALLETS, row_ids

# Rows that one list of a budget's values reads.
MAX_ROWS = 5_000


class BudgetRepository:
    """Reads and changes the budgets of accounts."""

    def __init__(self, db: Database, accounts_table: str, budgets_table: str) -> None:
        self._db = db
        self._accounts_table = accounts_table
        self._writes = BudgetWrites(budgets_table)
        self._wallets = WalletRepository(db, accounts_table)

    def read(self, account_id: str) -> Budgets:
        """Return the budgets of an account."""
        return Budgets.from_item(self._db.get(self._writes.table, definitions_key(account_id)))

    def change(
        self, account_id: str, read: Budgets, changed: Sequence[Budget], *others: TransactWrite
    ) -> None:
        """Replace the budgets that were read, together with other writes.

        Every later charge is checked by the new budgets. Raises `UserNotFoundError`, and
        `StaleBudgetsError` if the budgets or the account's rows were changed meanwhile.
        """
        wallets = self._wallets.limits(account_id).wallets
        announced = [
            announce(self._accounts_table, row_id, read, wallets) for row_id in row_ids(account_id, wallets)
        ]
        self._db.transact([self._writes.define(account_id, read, changed), *announced, *others])

    def counted(self, account_id: str, main: str) -> Counted:
        """Return the spending of one value, by the sort key of its main row."""
        wallets = self._wallets.limits(account_id).wallets
        keys = [{"account_id": account_id, "item": item} for item in items_of(main, wallets)]
        rows = self._db.get_all(self._writes.table, keys)
        value = next((row["value"] for row in rows), "")
        return Counted(value, sum(map(_spent_in, rows)))

    def run(self, account_id: str, token_id: str) -> Run | None:
        """Return a run token with its spending, or `None`."""
        of_token = Equals("account_id", account_id) & BeginsWith("item", f"{token_id}#")
        return run_of(list(self._db.query(self._writes.table, of_token, limit=MAX_WALLETS)))

    def spent(self, account_id: str, budget: Budget, stamp: str) -> Mapping[str, int]:
        """Return the spending of each value of a budget in a period, with open holds, in micro-USD.

        It reads `MAX_ROWS` rows at most.
        """
        rows = self._db.query(
            self._writes.table,
            Equals("account_id", account_id) & BeginsWith("item", f"{budget.budget_id}#{stamp}#"),
        )
        found: dict[str, int] = defaultdict(int)
        for row in islice(rows, MAX_ROWS):
            found[row["value"]] += _spent_in(row)
        return found


def _spent_in(row: Item) -> int:
    # The main row counts the shares of wallets as spent.
    return int(-row["left_micro_usd"] if wallet_of(row["item"]) else row["spent_micro_usd"])
