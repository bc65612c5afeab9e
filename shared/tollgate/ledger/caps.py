"""Spending caps: how much one API key may spend in a UTC day or month. Pure.

Source: site/keys.md#spending-caps.

The account's main row counts the spending of each key in a period, as `spent#<key>#<period>`. The write that
takes money also counts it, under its own condition. The write that returns money takes it off the counter
that counted it, no matter how late it is. There is no moment at which the two disagree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.dynamodb.expressions import Add, AtMost, Exists, Missing, Remove, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Counts, Write, with_changes
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.errors import KeyLimitReachedError, SpendingCapReachedError

# A counter is kept this long after its period: clocks differ, and a write that began before may be late.
GRACE_MS = 60 * 60 * MS_PER_S
# In one account at a time. Each is about 50 bytes, and DynamoDB bills a write by the size of its row.
MAX_COUNTERS = 500
# Old counters that one write drops, as DynamoDB bounds the length of an expression.
MAX_DROPPED = 100
DAY_MS = 24 * 60 * 60 * MS_PER_S

_PREFIX = "spent#"


class CapPeriod(StrEnum):
    """The period of a cap."""

    DAY = "day"  # A calendar day, UTC.
    MONTH = "month"  # A calendar month, UTC.


_STAMP_LENGTH = {CapPeriod.DAY: len("2026-11-21"), CapPeriod.MONTH: len("2026-11")}


@dataclass(frozen=True, slots=True)
class Allowance:
    """The allowance of a key in the current period: at most `limit_micro_usd` in `counter`."""

    counter: str
    limit_micro_usd: int
    resets_at_ms: int

    def left(self, counters: Mapping[str, int]) -> int | None:
        """Return the amount that may still be spent; `None` before the period's counter is opened."""
        return None if self.counter not in counters else self.limit_micro_usd - counters[self.counter]


@dataclass(frozen=True, slots=True)
class SpendingCap:
    """The most that a key may spend per day or month."""

    limit_micro_usd: int
    per: CapPeriod

    def to_item(self) -> Item:
        """Return the cap as a map of plain values."""
        return {"limit": self.limit_micro_usd, "per": str(self.per)}

    @classmethod
    def from_item(cls, item: Item) -> "SpendingCap":
        """Return the cap that a map holds."""
        return cls(item["limit"], CapPeriod(item["per"]))

    def at(self, key_id: str, now_ms: int) -> Allowance:
        """Return the allowance that the cap grants at `now_ms`."""
        stamp = iso(now_ms)[: _STAMP_LENGTH[self.per]]
        return Allowance(f"{_PREFIX}{key_id}#{stamp}", self.limit_micro_usd, self._end(now_ms))

    def _end(self, now_ms: int) -> int:
        if self.per is CapPeriod.DAY:
            return (now_ms // DAY_MS + 1) * DAY_MS
        month = datetime.fromtimestamp(now_ms // MS_PER_S, tz=UTC)
        year, ended = month.year, month.month
        # December is 12: 12 // 12 adds the year, 12 % 12 + 1 is January.
        following = datetime(year + ended // 12, ended % 12 + 1, 1, tzinfo=UTC)
        return int(following.timestamp()) * MS_PER_S


def cap_reached(
    allowance: Allowance,
    counters: Mapping[str, int],
    required_micro_usd: int,
    *,
    waiting_helps: bool | None = None,
) -> SpendingCapReachedError:
    """Return the error of a charge that the cap does not cover."""
    # Rounded so that no cap is said to be higher than it is, and no spending lower.
    return SpendingCapReachedError(
        cents_down(allowance.limit_micro_usd),
        cents_up(counters.get(allowance.counter, 0)),
        cents_up(required_micro_usd),
        resets_at=iso(allowance.resets_at_ms),
        waiting_helps=waiting_helps,
    )


class AlreadyOpenError(Exception):
    """The counter of this period is there."""


def key_of(counter: str) -> str:
    """Return the id of the key whose spending a counter counts."""
    return counter.removeprefix(_PREFIX).rpartition("#")[0]


def counters_of(account: Item) -> dict[str, int]:
    """Return the counters in an account's row."""
    return {name: value for name, value in account.items() if name.startswith(_PREFIX)}


def add_spend(write: Counts, allowance: Allowance | None, amount_micro_usd: int) -> Counts:
    """Return a write of the account's row that also counts `amount_micro_usd`, and is refused above the cap.

    The counter must be open. Without an allowance the write stays as it is.
    """
    if allowance is None:
        return write
    # The spending of this key in this period, including this request, stays within the cap.
    cap_covers_it = AtMost(allowance.counter, allowance.limit_micro_usd - amount_micro_usd)
    return with_changes(write, Add(allowance.counter, amount_micro_usd), condition=cap_covers_it)


def release_spend(write: Counts, counter: str | None, amount_micro_usd: int) -> Counts:
    """Return a write of the account's row that also takes `amount_micro_usd` off `counter`, if any."""
    if counter is None:
        return write
    # A counter that was dropped after its period has nothing to be taken off.
    return with_changes(write, Add(counter, -amount_micro_usd, start=amount_micro_usd))


def open_period(
    accounts_table: str, account_id: str, allowance: Allowance, counters: Mapping[str, int], now_ms: int
) -> Write:
    """Return the write that starts a period's counter at 0 and drops those of old periods.

    `counters` are the row's as it was read. Refused: `AlreadyOpenError`. Raises `KeyLimitReachedError` when
    too many are in use.
    """
    old = sorted(name for name in counters if _is_old(name, now_ms))
    if len(counters) - len(old) >= MAX_COUNTERS:
        raise KeyLimitReachedError(
            f"{MAX_COUNTERS} API keys with a spending cap were used in this period, the most allowed.",
            "Use any of these keys, or a key without a cap.",
        )
    account_is_there = Exists("account_id")
    # Another request may have opened it first and counted something.
    nobody_opened_it = Missing(allowance.counter)
    return Write(
        accounts_table,
        key={"account_id": account_id},
        update=(Set(allowance.counter, 0), *(Remove(name) for name in old[:MAX_DROPPED])),
        condition=account_is_there & nobody_opened_it,
        refused=lambda _: AlreadyOpenError(allowance.counter),
    )


def _is_old(counter: str, now_ms: int) -> bool:
    stamp = counter.rpartition("#")[2]
    # A day compares with a day and a month with a month: ISO stamps of one length sort as text.
    return stamp < iso(now_ms - GRACE_MS)[: len(stamp)]
