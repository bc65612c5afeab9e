"""Reservations: the hold of a quote or a workflow, from which its requests take their money. Pure.

Source: site/quotes.md, docs/decisions/0077-quotes.md, docs/decisions/0103-workflows.md.

    reserve ──► draw ──► record ──► settle     a request takes its hold from it, not from the balance
       ├──────► take_share ──► record, settle  the same for a line that a vendor's batch has answered
       ├──────► pay                            a generation takes its charge from it
       └──────► release                        the rest goes back: cancelled, ended, or its time is over

A reservation is an ordinary hold in the row of its money, under the id of its quote. Its amount falls with
each request. So the proof of the ledger, the sweep and a version before quotes need nothing new. The budgets
and the spending cap that counted it have counted its requests too, so these need no other write.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.expressions import Add, AtLeast, Below, RepeatableChange, Set, SetIfMissing, Size
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import CountingWrite, MarkedWrite, leave
from tollgate.kit.errors import ConcurrencyLimitedError, UserNotFoundError
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import Budgets
from tollgate.ledger.hold_writes import HoldWrites, place_refused
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold, all_holds_of, hold_path
from tollgate.ledger.rate import RateWindow, count_request
from tollgate.ledger.suspension import MAY_SPEND, suspended_refusal

QUOTE_HEADER = "x-tollgate-quote"
"""The header of a text request that is paid by a quote."""
QUOTE_PREFIX = "quo"
# How long the requests of a quote may begin.
RESERVED_MS = 60 * 60 * MS_PER_S


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reserved money of a quote's text requests.

    `row_id` is the row of its money. `key_id` is the only key that may use it, and `labels` are the
    labels of all its requests.
    """

    quote_id: str
    row_id: str
    key_id: str
    ends_at_ms: int
    labels: Attribution
    counter: str | None = None
    budgets: tuple[str, ...] = ()

    @property
    def amount_path(self) -> tuple[str, str, str]:
        """Return the path of its present amount in the row."""
        return (*hold_path(self.quote_id), "amount")

    def share(self, request_id: str, amount_micro_usd: int, expires_at_ms: int) -> Hold:
        """Return the hold of a request that is taken from it."""
        return Hold(request_id, amount_micro_usd, expires_at_ms, self.counter, budgets=self.budgets)

    def to_item(self) -> Item:
        """Return the reservation as a map of plain values."""
        row = {
            "row_id": self.row_id,
            "key_id": self.key_id,
            "ends_at_ms": self.ends_at_ms,
            "labels": self.labels.stored(),
            "counter": self.counter,
            "budgets": list(self.budgets) or None,
        }
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_item(cls, quote_id: str, item: Item) -> "Reservation":
        """Return the reservation that a map holds."""
        return cls(
            quote_id,
            item["row_id"],
            item["key_id"],
            item["ends_at_ms"],
            Attribution.from_item(item["labels"]),
            item.get("counter"),
            tuple(item.get("budgets", ())),
        )


def quote_key(account_id: str, quote_id: str) -> Item:
    """Return the key of a quote's row, which has its reservation, in the table of budgets."""
    return {"account_id": account_id, "item": quote_id}


def reserving(hold: Hold, row_id: str, now_ms: int) -> tuple[RepeatableChange, ...]:
    """Return the changes by which the transaction that takes the money stores a reservation."""
    return (
        Set(hold.path, hold.to_value()),
        # The sweep looks as early as for the hold of a request, because later holds do not move its timer.
        SetIfMissing("wake_at", now_ms + HOLD_LIFETIME_MS),
        Set("due_shard", due_shard(row_id)),
    )


def draw(
    writes: HoldWrites,
    reservation: Reservation,
    share: Hold,
    window: RateWindow,
    *,
    most: int,
    budgets: Budgets,
) -> MarkedWrite:
    """Return the write that takes the hold of one request from a reservation, and counts the request.

    It requires that the account has these `budgets`, because its routing policy has the same version.
    Refused: `HoldRefusedError`, `UserNotFoundError`, `AccountSuspendedError`, `StaleBudgetsError`.
    """
    amount = reservation.amount_path
    # Missing if the quote was cancelled, or its time is over.
    reservation_covers_it = AtLeast(amount, share.amount_micro_usd)
    has_room = Below(Size("holds"), most)
    taken = MarkedWrite(
        writes.accounts_table,
        key={"account_id": reservation.row_id},
        mark=leave(share.path, share.to_value()),
        update=(
            Add(amount, -share.amount_micro_usd),
            SetIfMissing("wake_at", share.expires_at_ms),
            Set("due_shard", due_shard(reservation.row_id)),
        ),
        condition=reservation_covers_it & has_room & MAY_SPEND & budgets.is_current(),
        refused=lambda account: place_refused(account, window, most, budgets),
    )
    return count_request(taken, window)


class ReservationShortError(Exception):
    """The reservation was released, or has less than the amount; nothing was written."""


def pay_from(
    accounts_table: str, reservation: Reservation, amount_micro_usd: int, most_tasks: int
) -> CountingWrite:
    """Return the write that takes the charge of one task from a reservation, and counts the task as open.

    It belongs to the transaction that writes the task. Refused: `ReservationShortError`,
    `ConcurrencyLimitedError`, `AccountSuspendedError`, `UserNotFoundError`.
    """
    amount = reservation.amount_path

    def refused(account: Item | None) -> Exception:
        if account is None:
            return UserNotFoundError()
        rest = reserved_in(all_holds_of(account), reservation.quote_id)
        if rest is None or rest.amount_micro_usd < amount_micro_usd:
            return ReservationShortError(reservation.quote_id)
        full = f"This account has {account['open_tasks']} open tasks, the most allowed."
        return suspended_refusal(account) or ConcurrencyLimitedError(full)

    # Missing if its time is over.
    reservation_covers_it = AtLeast(amount, amount_micro_usd)
    has_room = Below("open_tasks", most_tasks)
    return CountingWrite(
        accounts_table,
        key={"account_id": reservation.row_id},
        update=(Add(amount, -amount_micro_usd), Add("open_tasks", 1)),
        condition=reservation_covers_it & has_room & MAY_SPEND,
        refused=refused,
    )


def take_share(accounts_table: str, reservation: Reservation, share: Hold) -> MarkedWrite:
    """Return the write that takes the hold of a request from a reservation after the request was answered.

    The request was counted and permitted with the reservation. Refused: `ReservationShortError`.
    """
    amount = reservation.amount_path
    # Missing if the reservation was released, or its time is over.
    reservation_covers_it = AtLeast(amount, share.amount_micro_usd)
    return MarkedWrite(
        accounts_table,
        key={"account_id": reservation.row_id},
        mark=leave(share.path, share.to_value()),
        update=(
            Add(amount, -share.amount_micro_usd),
            SetIfMissing("wake_at", share.expires_at_ms),
            Set("due_shard", due_shard(reservation.row_id)),
        ),
        condition=reservation_covers_it,
        refused=lambda _: ReservationShortError(reservation.quote_id),
    )


def reserved_in(holds: Iterable[Hold], quote_id: str) -> Hold | None:
    """Return the hold of a quote among the holds of a row, if it is there."""
    return next((hold for hold in holds if hold.request_id == quote_id), None)
