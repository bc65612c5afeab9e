"""Accounts with sub-accounts: money that moves between them, and the mark-up that a parent earns. Pure.

Source: site/subaccounts.md, docs/decisions/0075-sub-accounts.md.

    parent  − 5.00 transfer     child  + 5.00 transfer     one transaction, entries of the same id
                                child  − 0.12 charge       0.02 of it is mark-up: earned, not moved yet
    parent  + 0.02 markup       child    0.00 markup       one transaction, at most once an hour

A sub-account is an account: its requests touch no row of its parent. A charge names the part of it that is
mark-up, and the row that is charged counts this part, in the same write:

    markup_open_micro_usd      of tasks that have not ended: a refund takes it off again
    markup_earned_micro_usd    of text requests, and of tasks with a result; only this part is moved

So the money of a family is its payments less its charges at Tollgate's own prices, at every moment:

    Σ balances + Σ holds + Σ counters = Σ payments − Σ (charges − mark-up)
"""

from dataclasses import dataclass
from hashlib import sha256

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Add, AtLeast, Equals, Exists, Missing, Set, SetIfMissing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import CountingWrite, Counts, TransactWrite, Write, put_new, with_changes
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.wallets import EARNED, OPEN, PARENT

MOVED_AT = "markup_moved_at_ms"
# Mark-up is moved at most so often. So a parent has few entries, even with many requests of its sub-accounts.
MOVE_INTERVAL_MS = 60 * 60 * MS_PER_S
MAX_MARKUP_PERCENT = 1000
_KEY_LENGTH = 26


class StaleMarkupError(Exception):
    """Another process moved the mark-up; nothing was moved."""


class TransferShortError(Exception):
    """The account that pays a transfer has too little; `row` is its main row."""

    def __init__(self, row: Item) -> None:
        super().__init__("the balance does not cover the transfer")
        self.row = row


@dataclass(frozen=True, slots=True)
class Transfer:
    """Money that moves from a parent to its child; a negative amount moves back. Its `key` is unique."""

    parent: str
    child: str
    amount_micro_usd: int
    key: str
    reason: str | None = None
    """For both customers."""

    @property
    def entry_id(self) -> str:
        """Return the id of both entries: a repeat with the same key finds them."""
        digest = sha256(f"{self.parent} {self.child} {self.key}".encode()).hexdigest()[:_KEY_LENGTH]
        return f"{EntryKind.TRANSFER}_{digest}"

    @property
    def payer(self) -> str:
        """Return the account that the money leaves."""
        return self.parent if self.amount_micro_usd > 0 else self.child

    @property
    def receiver(self) -> str:
        """Return the account that gets the money."""
        return self.child if self.amount_micro_usd > 0 else self.parent

    def entries(self, now_ms: int) -> list[Entry]:
        """Return the entries, the parent's first."""
        kind, entry_id, amount = EntryKind.TRANSFER, self.entry_id, self.amount_micro_usd
        return [
            Entry(account_id, entry_id, kind, moved, now_ms, reason=self.reason, peer=peer)
            for account_id, peer, moved in (
                (self.parent, self.child, -amount),
                (self.child, self.parent, amount),
            )
        ]


def markup_entries(parent: str, child: str, amount_micro_usd: int, now_ms: int) -> list[Entry]:
    """Return the entries of mark-up that moves to the parent; the child's changes no balance."""
    kind, entry_id = EntryKind.MARKUP, new_id(EntryKind.MARKUP)
    return [
        Entry(parent, entry_id, kind, amount_micro_usd, now_ms, peer=child),
        Entry(child, entry_id, kind, 0, now_ms, peer=parent, markup_micro_usd=-amount_micro_usd),
    ]


def markup_of(row: Item) -> int:
    """Return the mark-up in an account's row that was not moved to the parent yet, in micro-USD."""
    return int(row.get(OPEN, 0) + row.get(EARNED, 0))


def move_due_ms(row: Item) -> int | None:
    """Return when the mark-up that a row has earned may be moved; `None` if it has none."""
    return int(row.get(MOVED_AT, 0)) + MOVE_INTERVAL_MS if row.get(EARNED) else None


def open_markup(write: Counts, amount_micro_usd: int) -> Counts:
    """Return a write of a row that also counts the mark-up of tasks that begin. Without any it stays."""
    return with_changes(write, Add(OPEN, amount_micro_usd, start=0)) if amount_micro_usd else write


def close_markup(write: Counts, row_id: str, amount_micro_usd: int, now_ms: int, *, earned: bool) -> Counts:
    """Return a write of a row that also counts the mark-up of a task that ends, as earned or not at all."""
    if not amount_micro_usd:
        return write
    closed = with_changes(write, Add(OPEN, -amount_micro_usd, start=amount_micro_usd))
    return earn_markup(closed, row_id, amount_micro_usd, now_ms) if earned else closed


def earn_markup(write: Counts, row_id: str, amount_micro_usd: int, now_ms: int) -> Counts:
    """Return a write of a row that also counts mark-up that is earned, and has the sweeper move it."""
    if not amount_micro_usd:
        return write
    return with_changes(
        write,
        Add(EARNED, amount_micro_usd, start=0),
        SetIfMissing("wake_at", now_ms),
        Set("due_shard", due_shard(row_id)),
    )


NO_MARKUP_IS_LEFT = Missing(EARNED) | Equals(EARNED, 0)


@dataclass(frozen=True, slots=True)
class FamilyWrites:
    """The writes that move money between a parent and a child."""

    accounts_table: str
    ledger_table: str

    def move(self, row: Item, child: str, now_ms: int) -> list[TransactWrite]:
        """Return the writes that move the mark-up that was read in a child's row to its parent.

        Refused: `StaleMarkupError`.
        """
        parent, amount = row[PARENT], row[EARNED]
        # Not moved since it was read; mark-up that came in since stays.
        is_still_there = AtLeast(EARNED, amount)
        take = CountingWrite(
            self.accounts_table,
            key={"account_id": row["account_id"]},
            update=(Add(EARNED, -amount), Set(MOVED_AT, now_ms)),
            condition=is_still_there,
            refused=lambda _: StaleMarkupError(child),
        )
        # A parent is erased after its sub-accounts, so its row is there and takes money.
        give = CountingWrite(
            self.accounts_table,
            key={"account_id": parent},
            update=(Add("balance_micro_usd", amount),),
            condition=Exists("account_id"),
            refused=lambda _: StaleMarkupError(parent),
        )
        return [take, give, *map(self._post, markup_entries(parent, child, amount, now_ms))]

    def _post(self, entry: Entry) -> Write:
        return put_new(self.ledger_table, entry.to_item(), "entry_id", lambda _: StaleMarkupError(entry.peer))
