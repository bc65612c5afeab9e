"""Wallets: an account's money in several rows, where one row would not bear its requests. Pure.

Source: docs/decisions/0029-wallets.md.

    usr_…              the account's own row, which is its wallet 0: credits come here, capped keys spend here
    usr_…#1, #2, …     wallets beside it, each with a balance, holds and counters of its own

What happens in a wallet is what happens in an account that has only one row: the same writes under the same
conditions. A limit of the account is shared out, so each row has its part of it. Money goes from one row to
another in a transaction, and in two ways only: `fund` shares out what the account's own row has plenty of,
`gather` brings everything back to it when a wallet has too little. So the sum of them never changes by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.expressions import Add, AtLeast, Below, Exists, Set
from tollgate.kit.remembered import Newest
from tollgate.kit.rows import Item
from tollgate.kit.writes import CountingWrite, Refused, Write, put_new

# A row with so many is less than 1 KB: a write of it is one write unit.
HOLDS_PER_WALLET = 20
# One transaction reads or gathers them all, and DynamoDB takes 100 rows in one.
MAX_WALLETS = 50
# Requests that a share must pay for; with less, all money stays in one row, where all of it counts.
PLENTY = 4
# How long a process remembers an account's limits.
KEPT_MS = 60 * MS_PER_S
# Accounts whose limits a process remembers.
MAX_REMEMBERED = 10_000
SEPARATOR = "#"


class WalletsMovedError(Exception):
    """Somebody moved or spent the money meanwhile; nothing was moved. Look again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a row of an account may have, `None` where it is what all may; the account has `wallets` rows."""

    text_at_once: int | None = None
    requests_per_minute: int | None = None
    running_tasks: int | None = None
    open_tasks: int | None = None
    wallets: int = 1
    completes_answers: bool = False
    """No limit, but read with them: the account lets answers complete when their client has gone."""

    @classmethod
    def of(cls, row: Item) -> "Limits":
        """Return the limits that a row has."""
        return cls(
            **row.get("limits", {}),
            wallets=row.get("wallets", 1),
            completes_answers=row.get("completes_answers", False),
        )

    def to_item(self) -> Item:
        """Return those that are set."""
        named = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in named.items() if value is not None}

    def share(self) -> "Limits":
        """Return what each of the rows may have, where these are the account's."""
        shares = {name: -(-value // self.wallets) for name, value in self.to_item().items()}
        return replace(self, **shares)

    def whole(self) -> "Limits":
        """Return what the account may have, where these are one row's."""
        return replace(self, **{name: value * self.wallets for name, value in self.to_item().items()})


NAMES = ("text_at_once", "requests_per_minute", "running_tasks", "open_tasks")
DEFAULT = Limits()


class KnownLimits:
    """What a process knows of accounts' limits, for a while."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: Newest[tuple[int, Limits]] = Newest(MAX_REMEMBERED)

    def get(self, account_id: str) -> Limits | None:
        """Return the limits of each row of an account, or `None` where they are to be read."""
        known = self._known.get(account_id)
        return known[1] if known is not None and self._clock.now_ms() < known[0] else None

    def learn(self, account_id: str, row: Item) -> Limits:
        """Remember what the account's own row says, and return it."""
        return self.put(account_id, Limits.of(row))

    def put(self, account_id: str, limits: Limits) -> Limits:
        """Remember limits, and return them."""
        self._known[account_id] = (self._clock.now_ms() + KEPT_MS, limits)
        return limits


def row_id(account_id: str, wallet: int) -> str:
    """Return the id of a wallet's row."""
    return f"{account_id}{SEPARATOR}{wallet}" if wallet else account_id


def row_ids(account_id: str, wallets: int) -> list[str]:
    """Return the ids of all rows of an account, its own first."""
    return [row_id(account_id, wallet) for wallet in range(wallets)]


def account_of(row: str) -> str:
    """Return the account that a row is of."""
    return row.partition(SEPARATOR)[0]


def is_wallet(row: str) -> bool:
    """Return whether a row is one beside the account's own."""
    return SEPARATOR in row


def spread(account_id: str, wallets: int, start: int) -> list[str]:
    """Return all rows of an account, in the order in which they are tried, from one of them on."""
    return [row_id(account_id, (start + n) % wallets) for n in range(wallets)]


def together(rows: Sequence[Item]) -> Item:
    """Return an account's rows, its own first, as the one row that they would be."""
    joined = dict(rows[0])
    for row in rows[1:]:
        for name in ("balance_micro_usd", "open_tasks", "running_tasks"):
            joined[name] = joined.get(name, 0) + row.get(name, 0)
        joined["holds"] = {**joined["holds"], **row["holds"]}
    return joined


def share_of(balance_micro_usd: int, wallets: int, needed_micro_usd: int) -> int:
    """Return how much of the own row's balance a wallet is given; 0 where that would be too little."""
    share = balance_micro_usd // (2 * wallets)
    return share if share >= PLENTY * needed_micro_usd else 0


def lower_balance(table: str, row: str, amount_micro_usd: int, refused: Refused) -> CountingWrite:
    """Return the write that takes money off a row; refused where that has less, so no balance is negative."""
    balance_covers_it = AtLeast("balance_micro_usd", amount_micro_usd)
    return CountingWrite(
        table,
        key={"account_id": row},
        update=(Add("balance_micro_usd", -amount_micro_usd),),
        condition=balance_covers_it,
        refused=refused,
    )


@dataclass(frozen=True, slots=True)
class WalletWrites:
    """The writes that move money between the rows of one account."""

    accounts_table: str

    def fund(self, wallet: str, amount_micro_usd: int, needed_micro_usd: int) -> list[CountingWrite]:
        """Return the writes that give a wallet `amount` from the account's own row.

        Refused: `WalletsMovedError`.
        """
        # What is shared out is still there.
        own_row_has_it = AtLeast("balance_micro_usd", amount_micro_usd)
        # Nobody else, who needed some at the same time, was given it already.
        still_needs_it = Below("balance_micro_usd", needed_micro_usd)
        return [
            self._move(account_of(wallet), -amount_micro_usd, own_row_has_it),
            self._move(wallet, amount_micro_usd, still_needs_it),
        ]

    def gather(self, rows: Sequence[Item]) -> list[CountingWrite]:
        """Return the writes that bring what wallets have to the own row, by all rows as they were read.

        There are none where they have nothing. Refused: `WalletsMovedError`.
        """
        own, *wallets = rows
        full = [row for row in wallets if row["balance_micro_usd"]]
        taken = [
            # Not spent since it was read; what came in since stays where it is.
            self._move(
                row["account_id"],
                -row["balance_micro_usd"],
                AtLeast("balance_micro_usd", row["balance_micro_usd"]),
            )
            for row in full
        ]
        total = sum(row["balance_micro_usd"] for row in full)
        return [*taken, self._move(own["account_id"], total, Exists("account_id"))] if full else []

    def _move(self, row: str, amount_micro_usd: int, condition: Any) -> CountingWrite:
        return CountingWrite(
            self.accounts_table,
            key={"account_id": row},
            update=(Add("balance_micro_usd", amount_micro_usd),),
            condition=condition,
            refused=lambda _: WalletsMovedError(row),
        )

    def open(self, row: str, limits: Limits, own: Item) -> Write:
        """Return the write of a wallet with nothing in it, of an account by its own row.

        Refused: `WalletsMovedError`, if it is there.
        """
        wallet = wallet_row(row, limits, own)
        return put_new(self.accounts_table, wallet, "account_id", lambda _: WalletsMovedError(row))

    def limit(self, row: str, limits: Limits) -> Write:
        """Return the write of a row's limits; only an account's own row says how many there are."""
        wallets = () if is_wallet(row) else (Set("wallets", limits.wallets),)
        is_there = Exists("account_id")
        return Write(
            self.accounts_table,
            key={"account_id": row},
            update=(Set("limits", limits.to_item()), *wallets),
            condition=is_there,
            refused=lambda _: WalletsMovedError(row),
        )


def wallet_row(row: str, limits: Limits, own: Item) -> Item:
    """Return the row of a wallet with nothing in it; it may spend if the account's own row may."""
    standing = {"suspended": own["suspended"]} if "suspended" in own else {}
    return {
        **standing,
        "account_id": row,
        "balance_micro_usd": 0,
        "open_tasks": 0,
        "running_tasks": 0,
        "holds": {},
        "limits": limits.to_item(),
    }


def wallets_for(text_at_once: int, default: int) -> int:
    """Return how many rows an account needs for so many text requests at once; one for what all may."""
    return 1 if text_at_once <= default else min(MAX_WALLETS, -(-text_at_once // HOLDS_PER_WALLET))


def total(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return what an account's rows have together, in micro-USD."""
    return sum(row["balance_micro_usd"] for row in rows)
