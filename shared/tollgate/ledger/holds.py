"""Holds: money set aside for a text request whose price is known only when it is over. Pure.

Source: docs/architecture.md#money.

    place ──► record ──► settle        the request is billed: hold − charge goes back
      └─────────────────► void         it never happened: the whole hold goes back
      └──(20 minutes)───► expire       void or settle, whichever the ledger row says

A hold lives in the account's own row, so one conditional write takes the money and notes what for. It is
resolved at most once: every way out removes it, on the condition that it is still there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import UserNotFoundError
from tollgate.kit.rows import Item
from tollgate.kit.shards import due_shard
from tollgate.kit.writes import Write
from tollgate.ledger.caps import Allowance, add_spend, counters_of, release_spend
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.rate import RateWindow, count_request, rate_refused

HOLD_LIFETIME_MS = 20 * 60 * MS_PER_S
"""Longer than any request can live: a stream through the gateway ends after 15 minutes."""
MAX_HOLDS = 100
"""Text requests of one account at once (docs/contract.md#limits)."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Money set aside for one request; `counter` is the spending cap's that it was counted in, if any."""

    request_id: str
    amount_micro_usd: int
    expires_at_ms: int
    counter: str | None = None


class HoldRefusedError(Exception):
    """The account cannot place this hold now. What `holds` has may come back when their requests end.

    `counters` are those of spending caps, by name; `rate` is set where the request's minute is the reason,
    or one of the reasons.
    """

    def __init__(
        self,
        balance_micro_usd: int,
        holds: Sequence[Hold],
        counters: Mapping[str, int],
        rate: Exception | None = None,
    ) -> None:
        super().__init__("the balance, a cap, the number of open holds or of requests does not allow it")
        self.balance_micro_usd = balance_micro_usd
        self.holds = tuple(holds)
        self.counters = counters
        self.rate = rate

    @property
    def too_many(self) -> bool:
        """Return whether it is the number of requests at once, not the money."""
        return len(self.holds) >= MAX_HOLDS

    @property
    def held_micro_usd(self) -> int:
        """Return what the open holds have set aside."""
        return sum(hold.amount_micro_usd for hold in self.holds)

    def held_in(self, counter: str) -> int:
        """Return what the open holds have counted in a spending cap's counter."""
        return sum(hold.amount_micro_usd for hold in self.holds if hold.counter == counter)


class AlreadyRecordedError(Exception):
    """The request's charge is in the ledger already."""


class AlreadyResolvedError(Exception):
    """The hold was settled, voided or expired before; this time nothing moved."""


@dataclass(frozen=True, slots=True)
class HoldWrites:
    """The writes of a hold's life, for whichever client carries them out."""

    accounts_table: str
    ledger_table: str

    def place(
        self, account_id: str, hold: Hold, window: RateWindow, allowance: Allowance | None = None
    ) -> Write:
        """Return the write that sets the money aside and counts the request; the `allowance` is that of
        the hold's counter.

        Refused: `HoldRefusedError`, `UserNotFoundError`.
        """
        balance_covers_it = "balance_micro_usd >= :amount"
        has_room = "size(holds) < :max_holds"
        counter = {} if hold.counter is None else {"counter": hold.counter}
        place = Write(
            self.accounts_table,
            key={"account_id": account_id},
            update=(
                "SET balance_micro_usd = balance_micro_usd - :amount, holds.#id = :hold, "
                # The sweeper's timer is that of the earliest hold; it moves it on when it comes by.
                "wake_at = if_not_exists(wake_at, :expires), due_shard = :shard"
            ),
            condition=f"{balance_covers_it} AND {has_room}",
            names={"#id": hold.request_id},
            values={
                ":amount": hold.amount_micro_usd,
                ":hold": {"amount": hold.amount_micro_usd, "expires_at": hold.expires_at_ms, **counter},
                ":expires": hold.expires_at_ms,
                ":shard": due_shard(account_id),
                ":max_holds": MAX_HOLDS,
            },
            refused=lambda account: _place_refused(account, window),
            repeated=lambda account: hold.request_id in account.get("holds", {}),
        )
        return add_spend(count_request(place, window), allowance, hold.amount_micro_usd)

    def record(self, entry: Entry) -> Write:
        """Return the write of the exact charge into the ledger. Refused: `AlreadyRecordedError`."""
        return Write(
            self.ledger_table,
            item=entry.to_item(),
            condition="attribute_not_exists(entry_id)",
            refused=lambda _: AlreadyRecordedError(entry.entry_id),
        )

    def resolve(self, account_id: str, hold: Hold, charge_micro_usd: int) -> Write:
        """Return the write that returns `hold − charge` and removes the hold; a charge of 0 voids it.

        Refused: `AlreadyResolvedError`. Raises `ValueError` for a charge outside the hold.
        """
        if not 0 <= charge_micro_usd <= hold.amount_micro_usd:
            raise ValueError(f"{charge_micro_usd} is not within the hold of {hold.amount_micro_usd}")
        back = hold.amount_micro_usd - charge_micro_usd
        resolve = Write(
            self.accounts_table,
            key={"account_id": account_id},
            update="SET balance_micro_usd = balance_micro_usd + :back REMOVE holds.#id",
            condition="attribute_exists(holds.#id)",
            names={"#id": hold.request_id},
            values={":back": back},
            refused=lambda _: AlreadyResolvedError(hold.request_id),
        )
        return release_spend(resolve, hold.counter, back)

    def rearm(self, account_id: str, read: int, earliest: int | None) -> Write:
        """Return the write that moves the sweeper's timer from `read` to the earliest hold's end, if any.

        Refused: `AlreadyResolvedError`, when another sweep moved it.
        """
        return Write(
            self.accounts_table,
            key={"account_id": account_id},
            update="REMOVE wake_at, due_shard" if earliest is None else "SET wake_at = :earliest",
            # With no hold left the timer goes; a hold that was placed meanwhile must keep it.
            condition="wake_at = :read" + (" AND size(holds) = :none" if earliest is None else ""),
            values={":read": read} | ({":none": 0} if earliest is None else {":earliest": earliest}),
            refused=lambda _: AlreadyResolvedError(account_id),
        )


def text_entry_id(request_id: str) -> str:
    """Return the id of a text request's one charge."""
    return f"{request_id}#text"


def text_entry(
    account_id: str,
    request_id: str,
    counter: str | None = None,
    *,
    model: str,
    charge_micro_usd: int,
    usage: Mapping[str, Any],
    now_ms: int,
) -> Entry:
    """Return the entry that bills a text request; `usage` is what it was billed for."""
    return Entry(
        account_id,
        text_entry_id(request_id),
        EntryKind.TEXT,
        -charge_micro_usd,
        now_ms,
        request_id=request_id,
        model=model,
        usage=dict(usage),
        counter=counter,
    )


def holds_of(account: Item) -> list[Hold]:
    """Return the open holds in an account's row."""
    return [
        Hold(request_id, hold["amount"], hold["expires_at"], hold.get("counter"))
        for request_id, hold in account.get("holds", {}).items()
    ]


def charge_of(entry: Item | None) -> int:
    """Return what a hold is settled with: the recorded charge, or nothing where none was recorded."""
    return 0 if entry is None else -int(entry["amount_micro_usd"])


def _place_refused(account: Item | None, window: RateWindow) -> Exception:
    if account is None:
        return UserNotFoundError()
    return HoldRefusedError(
        account["balance_micro_usd"], holds_of(account), counters_of(account), rate_refused(account, window)
    )
