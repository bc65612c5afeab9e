"""Holds: money set aside for a text request whose price is known only when it has ended. Pure.

Source: docs/architecture.md#money. The writes are in `hold_writes.py`.

    place ──► record ──► settle        the request is billed: hold − charge goes back
      └─────────────────► void         the request failed: the whole hold goes back
      └──(3 minutes)────► expire       void or settle, whichever the ledger row says
                            └────────► late: a separate row bills as much of the charge as the balance covers

A hold lives in the row of its money, the account's own or a wallet's (`wallets.py`), so one conditional write
takes the money and stores its purpose. A hold is resolved at most once: each of these writes removes it, on
the condition that it is still there. DynamoDB bills a write by the size of its row, so a hold is as small as
possible: its request's id without the prefix, and one number for amount and end (`Hold.to_value`).

A request and the sweep that finds its hold expired may both want to end it. The ledger row `<request>#text`
decides: the request writes its charge there, the sweep a `void` of 0, each on the condition that there is no
row. Only then does either of them resolve the hold, with the content of that row. So every row stands for
money that moved, in whatever order the writes arrive and wherever a process dies.

A write can succeed although its response was lost, so each of these writes may arrive twice. The second
`place` finds the hold, the second `resolve` finds none. The first copy of a `place` can even arrive after
the request has ended. So a hold whose place was sent more than once is resolved into an empty hold
(`is_over`), which refuses the late copy and is removed when it expires.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.entries import Entry
from tollgate.ledger.wallets import DEFAULT, Limits

# Longer than any unstreamed answer takes (100 s, and the writes after it). A stream renews its hold, so
# a crash blocks an account's money for minutes, not for as long as a stream may run.
HOLD_LIFETIME_MS = 3 * 60 * MS_PER_S
# How long an empty hold refuses late copies of its place. AWS refuses a signed request that reaches it more
# than five minutes after its time stamp; a minute is for clocks that differ.
# Source: https://docs.aws.amazon.com/general/latest/gr/sigv4-date-handling.html
EMPTY_LIFETIME_MS = 6 * 60 * MS_PER_S
# How long after it was placed or renewed a hold is renewed: a minute before its end, because clocks
# differ and the write may have to be retried.
RENEW_AFTER_MS = 2 * 60 * MS_PER_S
# The pause before a renewal that failed is tried again. Each try is several requests in about 2 s.
RENEWAL_RETRY_MS = 3 * MS_PER_S
# As many tries as fit in the minute before the hold's end. If all fail, the request is billed late.
MAX_RENEWAL_FAILURES = 20
# As many as fit in the 15 minutes that a request through the gateway may last.
MAX_RENEWALS = 7
# Text requests of one account at once (site/limits.md).
MAX_HOLDS = 100

HOLDS = "holds"
"""The attribute of a row with its holds."""
_PREFIX = "req_"
RESERVATION_PREFIX = "quo_"
"""The prefix of a quote's id, which its hold has instead of a request's id (`reservations.py`)."""
# More than any hold's end has milliseconds since the epoch.
_TIMES = 10**14


@dataclass(frozen=True, slots=True)
class Hold:
    """Money set aside for one request.

    `counter` is the counter of the spending cap, if any, and `budgets` are the rows of budgets that count it.

    `has_full_id_key` is true for a hold that an earlier release stored under the request's whole id. After a
    deployment there are such holds, of requests that still run in that release's processes or that crashed.
    """

    request_id: str
    amount_micro_usd: int
    expires_at_ms: int
    counter: str | None = None
    has_full_id_key: bool = False
    budgets: tuple[str, ...] = ()
    is_over: bool = False
    """Whether it was resolved, and only keeps a late copy of its `place` from taking the money again."""

    @property
    def is_reservation(self) -> bool:
        """Return whether it is the hold of a quote, from which requests take their holds."""
        return self.request_id.startswith(RESERVATION_PREFIX)

    @property
    def has_entry(self) -> bool:
        """Return whether an entry of the ledger decides how it ends."""
        return not (self.is_over or self.is_reservation)

    @property
    def path(self) -> tuple[str, str]:
        """Return its path in the row."""
        return (HOLDS, self.request_id) if self.has_full_id_key else hold_path(self.request_id)

    def to_value(self) -> Any:
        """Return its stored value: one number, or a map if it has more fields."""
        if self.is_over:
            return -self.expires_at_ms
        if self.counter is None and not self.budgets and not self.is_reservation:
            return self.amount_micro_usd * _TIMES + self.expires_at_ms
        value: Item = {"amount": self.amount_micro_usd, "expires_at": self.expires_at_ms}
        if self.counter is not None:
            value["counter"] = self.counter
        return {**value, "budgets": list(self.budgets)} if self.budgets else value

    @classmethod
    def from_value(cls, key: str, value: Any) -> "Hold":
        """Return the hold that a row stores under `key`."""
        if key.startswith(_PREFIX):
            return cls(key, value["amount"], value["expires_at"], value.get("counter"), has_full_id_key=True)
        request_id = key if key.startswith(RESERVATION_PREFIX) else f"{_PREFIX}{key}"
        if isinstance(value, int):
            if value < 0:
                return cls(request_id, 0, -value, is_over=True)
            return cls(request_id, *divmod(value, _TIMES))
        budgets = tuple(value.get("budgets", ()))
        return cls(request_id, value["amount"], value["expires_at"], value.get("counter"), budgets=budgets)


class HoldRefusedError(Exception):
    """The account cannot place this hold now. The money in `holds` may come back when their requests end.

    `counters` are the counters of spending caps, by name; `rate` is set if the requests per minute are among
    the reasons.
    """

    def __init__(
        self,
        balance_micro_usd: int,
        holds: Sequence[Hold],
        counters: Mapping[str, int],
        rate: Exception | None = None,
        *,
        limits: Limits = DEFAULT,
        most: int = MAX_HOLDS,
    ) -> None:
        super().__init__("the balance, a cap, or a limit of holds or requests does not allow it")
        self.balance_micro_usd = balance_micro_usd
        self.holds = tuple(holds)
        self.counters = counters
        self.rate = rate
        self.limits = limits
        """The limits in the row, which may have changed."""
        self._most = most

    @property
    def too_many(self) -> bool:
        """Return whether it is the number of requests at once, not the money."""
        return len(self.holds) >= self._most

    @property
    def held_micro_usd(self) -> int:
        """Return the amount that the open holds have set aside."""
        return sum(hold.amount_micro_usd for hold in self.holds)

    def held_in(self, counter: str) -> int:
        """Return the amount that the open holds have counted in a spending cap's counter."""
        return sum(hold.amount_micro_usd for hold in self.holds if hold.counter == counter)


class AlreadyRecordedError(Exception):
    """The ledger already has the row that decides: `entry`, the charge or a void."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"{entry.entry_id} is already in the ledger ({entry.kind})")
        self.entry = entry


class LateChargeRefusedError(Exception):
    """The balance or the cap does not cover a late charge of the `account` found; nothing was written."""

    def __init__(self, account: Item) -> None:
        super().__init__("the balance or the cap does not cover it")
        self.account = account


class AlreadyResolvedError(Exception):
    """The hold was settled, voided or expired before; this write moved nothing."""


END = "end#"
"""The beginning of each attribute that asks a request to end."""


def hold_path(request_id: str) -> tuple[str, str]:
    """Return the path of a request's hold in its row."""
    return (HOLDS, request_id.removeprefix(_PREFIX))


def end_mark(request_id: str) -> str:
    """Return the attribute of a row that asks a running request to end."""
    return f"{END}{request_id.removeprefix(_PREFIX)}"


def holds_of(account: Item) -> list[Hold]:
    """Return the open holds in an account's row."""
    return [hold for hold in all_holds_of(account) if not hold.is_over]


def all_holds_of(account: Item) -> list[Hold]:
    """Return the holds in an account's row, including the holds that are over."""
    return [Hold.from_value(key, value) for key, value in account.get("holds", {}).items()]


def is_end_requested(account: Item, request_id: str) -> bool:
    """Return whether the owner of a running request asked for its end."""
    return end_mark(request_id) in account
