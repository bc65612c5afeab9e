"""Wallets: an account's money in several rows, for accounts with too many requests for one row. Pure.

Source: docs/decisions/0029-wallets.md.

    usr_…              the account's main row, its wallet 0: credits come here, capped keys spend here
    usr_…#1, #2, …     wallets beside it, each with its own balance, holds and counters

A wallet works like an account that has only one row: the same writes under the same conditions. A limit of
the account is divided, so each row has its part of it. Money moves from one row to another only in a
transaction, and in two ways: `fund` gives a wallet a part of the main row's balance, `gather` returns
everything to the main row when a wallet has too little. So neither changes the sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.expressions import (
    Add,
    AtLeast,
    Below,
    Condition,
    Equals,
    Exists,
    Missing,
    Set,
)
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Refused, Write, put_new

# A row with so many holds is less than 1 KB, so a write of it costs one write unit.
HOLDS_PER_WALLET = 20
# One transaction reads or gathers all of them, and DynamoDB accepts 100 rows in one.
MAX_WALLETS = 50
# A share must cover so many requests. Smaller amounts stay in the main row.
MIN_REQUESTS_PER_SHARE = 4
# How long a process caches an account's limits.
CACHE_MS = 60 * MS_PER_S
# Accounts whose limits a process caches.
MAX_CACHED_ACCOUNTS = 10_000
SEPARATOR = "#"
# The attribute of each row with the version of the account's budgets (`budgets.py`).
BUDGET_SEQ = "budget_seq"
# The attributes of a sub-account's rows: its parent, and the counters of its mark-up (`families.py`).
PARENT, OPEN, EARNED = "parent", "markup_open_micro_usd", "markup_earned_micro_usd"


class StaleWalletsError(Exception):
    """Another process moved or spent the money meanwhile; nothing was moved. Read again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a row, `None` for the default of all accounts; the account has `wallets` rows."""

    text_at_once: int | None = None
    requests_per_minute: int | None = None
    running_tasks: int | None = None
    open_tasks: int | None = None
    wallets: int = 1
    completes_answers: bool = False
    """Not a limit, but read with them: text answers are completed after their client has disconnected."""

    @classmethod
    def of(cls, row: Item) -> "Limits":
        """Return the limits in a row."""
        return cls(
            **row.get("limits", {}),
            wallets=row.get("wallets", 1),
            completes_answers=row.get("completes_answers", False),
        )

    def to_item(self) -> Item:
        """Return the limits that are set."""
        named = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in named.items() if value is not None}

    def share(self) -> "Limits":
        """Return the limits of each row, from the account's limits."""
        shares = {name: -(-value // self.wallets) for name, value in self.to_item().items()}
        return replace(self, **shares)

    def whole(self) -> "Limits":
        """Return the account's limits, from one row's limits."""
        return replace(self, **{name: value * self.wallets for name, value in self.to_item().items()})


NAMES = ("text_at_once", "requests_per_minute", "running_tasks", "open_tasks")
DEFAULT = Limits()


class KnownLimits:
    """A process's cache of accounts' limits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: BoundedCache[tuple[int, Limits]] = BoundedCache(MAX_CACHED_ACCOUNTS)

    def get(self, account_id: str) -> Limits | None:
        """Return the limits of each row of an account, or `None` if they must be read."""
        known = self._known.get(account_id)
        return known[1] if known is not None and self._clock.now_ms() < known[0] else None

    def learn(self, account_id: str, row: Item) -> Limits:
        """Cache the limits in the account's main row, and return them."""
        return self.put(account_id, Limits.of(row))

    def put(self, account_id: str, limits: Limits) -> Limits:
        """Cache limits, and return them."""
        self._known[account_id] = (self._clock.now_ms() + CACHE_MS, limits)
        return limits


def wallet_row_id(account_id: str, wallet: int) -> str:
    """Return the id of a wallet's row."""
    return f"{account_id}{SEPARATOR}{wallet}" if wallet else account_id


def row_ids(account_id: str, wallets: int) -> list[str]:
    """Return the ids of all rows of an account, the main row first."""
    return [wallet_row_id(account_id, wallet) for wallet in range(wallets)]


def account_of(row_id: str) -> str:
    """Return the account that a row belongs to."""
    return row_id.partition(SEPARATOR)[0]


def wallet_number(row_id: str) -> int:
    """Return the number of a row's wallet; 0 for the main row."""
    return int(row_id.partition(SEPARATOR)[2] or 0)


def is_wallet(row_id: str) -> bool:
    """Return whether a row is a wallet beside the account's main row."""
    return SEPARATOR in row_id


def rows_to_try(account_id: str, wallets: int, start: int) -> list[str]:
    """Return all rows of an account in the order to try them, from `start` on."""
    return [wallet_row_id(account_id, (start + n) % wallets) for n in range(wallets)]


def merged_rows(rows: Sequence[Item]) -> Item:
    """Return an account's rows, the main row first, merged into one row."""
    joined = dict(rows[0])
    for row in rows[1:]:
        for name in ("balance_micro_usd", "open_tasks", "running_tasks"):
            joined[name] = joined.get(name, 0) + row.get(name, 0)
        # The counters of a sub-account's mark-up (`families.py`)
        for name in {OPEN, EARNED} & row.keys():
            joined[name] = joined.get(name, 0) + row[name]
        joined["holds"] = {**joined["holds"], **row["holds"]}
    return joined


def share_of(balance_micro_usd: int, wallets: int, needed_micro_usd: int) -> int:
    """Return how much of the main row's balance a wallet is given; 0 if that would be too little."""
    share = balance_micro_usd // (2 * wallets)
    return share if share >= MIN_REQUESTS_PER_SHARE * needed_micro_usd else 0


def lower_balance(table: str, row_id: str, amount_micro_usd: int, refused: Refused) -> CountingWrite:
    """Return the write that takes money off a row; refused if the row has less, so no balance is negative."""
    balance_covers_it = AtLeast("balance_micro_usd", amount_micro_usd)
    return CountingWrite(
        table,
        key={"account_id": row_id},
        update=(Add("balance_micro_usd", -amount_micro_usd),),
        condition=balance_covers_it,
        refused=refused,
    )


@dataclass(frozen=True, slots=True)
class WalletWrites:
    """The writes that move money between the rows of one account."""

    accounts_table: str

    def fund(self, wallet: str, amount_micro_usd: int, needed_micro_usd: int) -> list[CountingWrite]:
        """Return the writes that give a wallet `amount` from the account's main row.

        Refused: `StaleWalletsError`.
        """
        # The money to share is still there.
        own_row_has_it = AtLeast("balance_micro_usd", amount_micro_usd)
        # Another request, which needed money at the same time, was not given it already.
        still_needs_it = Below("balance_micro_usd", needed_micro_usd)
        return [
            self._move(account_of(wallet), -amount_micro_usd, own_row_has_it),
            self._move(wallet, amount_micro_usd, still_needs_it),
        ]

    def gather(self, rows: Sequence[Item]) -> list[CountingWrite]:
        """Return the writes that move the wallets' money to the main row, given all rows as they were read.

        Empty if the wallets have nothing. Refused: `StaleWalletsError`.
        """
        main_row, *wallets = rows
        full = [row for row in wallets if row["balance_micro_usd"]]
        taken = [
            # Not spent since it was read; money that came in since stays in the wallet.
            self._move(
                row["account_id"],
                -row["balance_micro_usd"],
                AtLeast("balance_micro_usd", row["balance_micro_usd"]),
            )
            for row in full
        ]
        total = sum(row["balance_micro_usd"] for row in full)
        return [*taken, self._move(main_row["account_id"], total, Exists("account_id"))] if full else []

    def _move(self, row_id: str, amount_micro_usd: int, condition: Any) -> CountingWrite:
        return CountingWrite(
            self.accounts_table,
            key={"account_id": row_id},
            update=(Add("balance_micro_usd", amount_micro_usd),),
            condition=condition,
            refused=lambda _: StaleWalletsError(row_id),
        )

    def open(self, row_id: str, limits: Limits, main_row: Item) -> Write:
        """Return the write that opens an empty wallet, from the account's main row.

        Refused: `StaleWalletsError`, if it is there.
        """
        wallet = wallet_row(row_id, limits, main_row)
        return put_new(self.accounts_table, wallet, "account_id", lambda _: StaleWalletsError(row_id))

    def limit(self, row_id: str, limits: Limits, main_row: Item) -> Write:
        """Return the write of a row's limits; only an account's main row stores the number of rows.

        The row gets the budgets of the main row as it was read. It is refused if they have changed since.
        """
        seq = main_row.get(BUDGET_SEQ)
        budgets = () if seq is None else (Set(BUDGET_SEQ, seq),)
        wallets = () if is_wallet(row_id) else (Set("wallets", limits.wallets),)
        is_there: Condition = Exists("account_id")
        if wallets:
            is_there &= Missing(BUDGET_SEQ) if seq is None else Equals(BUDGET_SEQ, seq)
        return Write(
            self.accounts_table,
            key={"account_id": row_id},
            update=(Set("limits", limits.to_item()), *budgets, *wallets),
            condition=is_there,
            refused=lambda _: StaleWalletsError(row_id),
        )


def wallet_row(row_id: str, limits: Limits, main_row: Item) -> Item:
    """Return the row of an empty wallet; it has the main row's suspension, budgets and parent."""
    kept: Item = {name: main_row[name] for name in ("suspended", BUDGET_SEQ, PARENT) if name in main_row}
    return {
        **kept,
        "account_id": row_id,
        "balance_micro_usd": 0,
        "open_tasks": 0,
        "running_tasks": 0,
        "holds": {},
        "limits": limits.to_item(),
    }


def wallets_for(text_at_once: int, default: int) -> int:
    """Return how many rows an account needs for so many text requests at once; 1 for the default limit."""
    return 1 if text_at_once <= default else min(MAX_WALLETS, -(-text_at_once // HOLDS_PER_WALLET))


def total(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return the sum of an account's rows, in micro-USD."""
    return sum(row["balance_micro_usd"] for row in rows)
