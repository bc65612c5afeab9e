"""The rows of budgets: their keys, and how much a row has left. Pure."""

from collections.abc import Mapping

from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.budgets import MAIN, BudgetShortError, Use

DEFINITIONS = "budgets"
"""The sort key of the row with an account's budgets."""
ROUTING = "routing"
"""The sort key of the row with an account's routing policy."""


def definitions_key(account_id: str) -> Item:
    """Return the key of the row with an account's budgets."""
    return {"account_id": account_id, "item": DEFINITIONS}


def routing_key(account_id: str) -> Item:
    """Return the key of the row with an account's routing policy.

    It is another row than the budgets' own, because earlier versions write that row whole.
    """
    return {"account_id": account_id, "item": ROUTING}


def rows_of(account_id: str, use: Use, wallets: int) -> list[Item]:
    """Return the keys of a budget's rows, the main row first."""
    return [row_key(account_id, use.item(wallet)) for wallet in range(wallets)]


def rows_to_fund(account_id: str, short: BudgetShortError) -> list[Item]:
    """Return the keys of the main row and of the row that is short."""
    return [row_key(account_id, short.use.item(wallet)) for wallet in (MAIN, short.wallet)]


def left_of(use: Use, rows: Mapping[int, Item]) -> int:
    """Return how much of a budget is left, from its rows by wallet."""
    return sum(left_in(row, use, wallet) for wallet, row in rows.items())


def wallet_of(item: str) -> int:
    """Return the wallet that a budget's row belongs to, from its sort key."""
    return int(item.split("#")[2])


def counted_item(item: str) -> str:
    """Return the sort key of the main row of the budget that a row belongs to."""
    budget_id, stamp, _, digest = item.split("#")
    return f"{budget_id}#{stamp}#{MAIN}#{digest}"


def items_of(main: str, wallets: int) -> list[str]:
    """Return the sort keys of all rows of a budget's value, from its main row's."""
    budget_id, stamp, _, digest = main.split("#")
    return [f"{budget_id}#{stamp}#{wallet}#{digest}" for wallet in range(wallets)]


def budget_of(item: str) -> str:
    """Return the id of the budget of a row, from its sort key."""
    return item.partition("#")[0]


def period_of(item: str) -> str:
    """Return the budget and the period of a row, the beginning of its sort key."""
    return item.rsplit("#", 2)[0]


def row_key(account_id: str, item: str) -> Item:
    """Return the key of a row, from its sort key."""
    return {"account_id": account_id, "item": item}


def left_in(row: Item, use: Use, wallet: int) -> int:
    """Return how much of a budget its row beside a wallet has left, in micro-USD."""
    if wallet != MAIN:
        return int(row.get("left_micro_usd", 0))
    return int(use.budget.limit_micro_usd - row.get("spent_micro_usd", 0))
