"""The budgets of accounts in DynamoDB: their definitions, and their counted spending."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import BeginsWith, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import TransactWrite, Write
from tollgate.kit.observability import logger
from tollgate.ledger.budget_rows import (
    counted_item,
    definitions_key,
    items_of,
    period_of,
    routing_key,
    wallet_of,
)
from tollgate.ledger.budget_writes import BudgetWrites, announce
from tollgate.ledger.budgets import NO_BUDGETS, Budget, Budgets, Counted
from tollgate.ledger.runs import Run, run_of
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import MAX_WALLETS, row_ids
from tollgate.routing.wishes import Wishes

# Rows that one list of a budget's values reads.
MAX_ROWS = 5_000
# Rows of one account that one proof reads.
MAX_PROVED_ROWS = 50_000
_AMOUNTS = ("spent_micro_usd", "left_micro_usd")
_COUNTER = ("item", "value", *_AMOUNTS, "expires_at_s")


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

    def routing(self, account_id: str) -> Wishes:
        """Return the routing policy of an account."""
        row = self._db.get(self._writes.table, routing_key(account_id)) or {}
        return Wishes.from_item(row.get("wishes"))

    def policy_write(self, account_id: str, wishes: Wishes) -> Write:
        """Return the write of an account's routing policy, for `change`."""
        return self._writes.route(account_id, wishes)

    def read_all(self, account_ids: Sequence[str]) -> dict[str, Budgets]:
        """Return the budgets of at most 100 accounts, by id."""
        rows = self._db.get_all(self._writes.table, [definitions_key(each) for each in account_ids])
        found = {row["account_id"]: Budgets.from_item(row) for row in rows}
        return {each: found.get(each, NO_BUDGETS) for each in account_ids}

    def first(self, account_id: str, budgets: Budgets) -> Write:
        """Return the write of the first version of a new account's budgets, which its row already names."""
        return self._writes.define(account_id, NO_BUDGETS, budgets)

    def change(self, account_id: str, read: Budgets, changed: Budgets, *others: TransactWrite) -> None:
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
        """Return the spending of one value, by the sort key of its main row.

        The value is empty if all its rows were dropped.
        """
        wallets = self._wallets.limits(account_id).wallets
        keys = [{"account_id": account_id, "item": item} for item in items_of(main, wallets)]
        rows = self._db.get_all(self._writes.table, keys)
        value = next((row["value"] for row in rows if "value" in row), "")
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

    def counters(self, account_id: str, now_ms: int) -> dict[str, int]:
        """Return the spending of each value in each period, with open holds, in micro-USD by main row.

        Rows that may be dropped from now on are left out: money that comes back later does not find them. It
        reads `MAX_PROVED_ROWS` rows at most, and logs a warning if an account has more.
        """
        rows = list(
            islice(
                self._db.query(self._writes.table, Equals("account_id", account_id), fields=_COUNTER),
                MAX_PROVED_ROWS + 1,
            )
        )
        unread = None
        if len(rows) > MAX_PROVED_ROWS:
            # The rows of a period follow each other, and some of this period's were not read.
            unread = period_of(rows[-1]["item"])
            logger.warning("check_ledger.budgets_unread", account_id=account_id, period=unread)
        spent: dict[str, int] = defaultdict(int)
        lasting = set()
        for row in rows:
            # The account's other rows in this table count no money.
            if row.keys().isdisjoint(_AMOUNTS) or period_of(row["item"]) == unread:
                continue
            main = counted_item(row["item"])
            spent[main] += _spent_in(row)
            if row["item"] == main and _is_kept(row, now_ms // MS_PER_S):
                lasting.add(main)
        return {main: spent[main] for main in lasting}


def _is_kept(row: Item, now_s: int) -> bool:
    # A row that was dropped, and then written again for a refund, has no value.
    return "value" in row and ("expires_at_s" not in row or row["expires_at_s"] > now_s)


def _spent_in(row: Item) -> int:
    # The main row counts the shares of wallets as spent.
    return int(-row["left_micro_usd"] if wallet_of(row["item"]) else row["spent_micro_usd"])
