"""The writes that create, change and resolve holds (`holds.py`), for any client to carry out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypedDict

from tollgate.kit.dynamodb.expressions import (
    Add,
    AtLeast,
    Below,
    Change,
    Condition,
    Equals,
    Exists,
    Remove,
    RepeatableChange,
    Set,
    SetIfMissing,
    Size,
    Slot,
)
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.templates import FilledMark, Template
from tollgate.kit.dynamodb.writes import (
    Mark,
    MarkedWrite,
    SingleWrite,
    TransactWrite,
    Write,
    leave,
    put_new,
    take,
)
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.budget_writes import BudgetWrites
from tollgate.ledger.budgets import NO_BUDGETS, Budgets, has_budget_seq
from tollgate.ledger.caps import MAX_DROPPED, Allowance, add_spend, counters_of, release_spend
from tollgate.ledger.entries import Entry
from tollgate.ledger.families import NO_MARKUP_IS_LEFT, earn_markup
from tollgate.ledger.holds import (
    END,
    HOLDS,
    MAX_HOLDS,
    AlreadyRecordedError,
    AlreadyResolvedError,
    Hold,
    HoldRefusedError,
    LateChargeRefusedError,
    all_holds_of,
    end_mark,
    hold_path,
)
from tollgate.ledger.rate import RateWindow, counting, rate_refused, window_values
from tollgate.ledger.suspension import MAY_SPEND, suspended_refusal
from tollgate.ledger.wallets import Limits, account_of, lower_balance


@dataclass(frozen=True, slots=True)
class HoldWrites:
    """The writes that create, change and resolve holds, for any client to carry out."""

    accounts_table: str
    ledger_table: str
    budgets_table: str = ""
    """Without it, no hold can have budgets."""

    @property
    def budgets(self) -> BudgetWrites:
        """Return the writes of the rows of budgets."""
        return BudgetWrites(self.budgets_table)

    def place(
        self,
        row_id: str,
        hold: Hold,
        window: RateWindow,
        allowance: Allowance | None,
        *,
        budgets: Budgets,
        most: int = MAX_HOLDS,
        returns: bool = False,
    ) -> SingleWrite:
        """Return the write that sets the money aside and counts the request; `allowance` belongs to the
        hold's counter. `row_id` is the id of the main row or of a wallet, here and in the methods below.

        It requires that the account has these `budgets`. The hold's own budgets are counted by
        `BudgetWrites.take`, in the same transaction. Refused: `HoldRefusedError`, `UserNotFoundError`,
        `AccountSuspendedError`, `StaleBudgetsError`.
        """
        values: dict[str, Any] = {
            "account_id": row_id,
            "hold_id": hold.path[1],
            "hold": hold.to_value(),
            "amount": hold.amount_micro_usd,
            "taken": -hold.amount_micro_usd,
            "expires_at": hold.expires_at_ms,
            "due_shard": due_shard(row_id),
            "most": most,
            "budget_seq": budgets.seq,
            **window_values(window),
        }

        def refused(account: Item | None) -> Exception:
            return place_refused(account, window, most, budgets)

        # An old budget refuses nothing.
        foresees = budgets.foresees_stale if hold.budgets else None
        has_budgets = budgets.seq > 0
        if allowance is None:
            return FilledMark(
                self.accounts_table,
                key={"account_id": row_id},
                refused=refused,
                foresees=foresees,
                returns=returns,
                template=_place_template(opens=window.opens, has_budgets=has_budgets),
                values=values,
                mark=leave(hold.path, values["hold"]),
            )
        place = MarkedWrite(
            self.accounts_table,
            key={"account_id": row_id},
            refused=refused,
            foresees=foresees,
            returns=returns,
            **_placing(values, opens=window.opens, has_budgets=has_budgets),
        )
        return add_spend(place, allowance, hold.amount_micro_usd)

    def record(self, entry: Entry) -> Write:
        """Return the write of a row that is not there yet: the exact charge, or a void.

        Refused: `AlreadyRecordedError`, with the row that is there.
        """
        return put_new(
            self.ledger_table,
            entry.to_item(),
            "entry_id",
            already_recorded,
        )

    def renew(self, row_id: str, hold: Hold, expires_at_ms: int) -> Write:
        """Return the write that extends a hold until `expires_at_ms`. Refused: `AlreadyResolvedError`.

        The sweeper's timer stays: the sweeper runs at the earlier time, finds nothing, and moves it on.
        """
        # It was placed, and was not settled, voided or expired since.
        is_unresolved = Exists(hold.path)
        return Write(
            self.accounts_table,
            key={"account_id": row_id},
            update=(Set(hold.path, replace(hold, expires_at_ms=expires_at_ms).to_value()),),
            condition=is_unresolved,
            refused=lambda _: AlreadyResolvedError(hold.request_id),
        )

    def request_end(self, row_id: str, request_id: str) -> Write:
        """Return the write that asks a running request to end. Refused: `AlreadyResolvedError`."""
        # Its hold was placed, and was not settled, voided or expired since.
        is_running = Exists(hold_path(request_id))
        return Write(
            self.accounts_table,
            key={"account_id": row_id},
            update=(Set(end_mark(request_id), True),),
            condition=is_running,
            refused=lambda _: AlreadyResolvedError(request_id),
        )

    def charge_late(self, entry: Entry, allowance: Allowance | None) -> list[TransactWrite]:
        """Return the two writes of one transaction that bill a request whose hold was given back.

        Refused: `AlreadyRecordedError`, `LateChargeRefusedError`, `UserNotFoundError`.
        """
        amount = -entry.amount_micro_usd
        # The money may be spent by now: a late charge never makes a balance negative.
        debit = lower_balance(
            self.accounts_table,
            entry.account_id,
            amount,
            lambda found: LateChargeRefusedError(found) if found else UserNotFoundError(),
        )
        # The row first: a repeated charge is refused as a repeat, no matter what the balance is.
        debit = add_spend(debit, allowance, amount)
        markup, now_ms = entry.markup_micro_usd or 0, entry.created_at_ms
        return [self.record(entry), earn_markup(debit, entry.account_id, markup, now_ms)]

    def resolve(
        self,
        row_id: str,
        hold: Hold,
        charge_micro_usd: int,
        *,
        empty_until_ms: int | None = None,
        markup_micro_usd: int = 0,
    ) -> SingleWrite:
        """Return the write that returns `hold − charge` and removes the hold; a charge of 0 voids it.

        The mark-up is the part of the charge that the parent of a sub-account earns.
        A hold with budgets needs `returned_to_budgets` in the same transaction.
        With `empty_until_ms` an empty hold replaces it until then. Refused: `AlreadyResolvedError`, also for
        a reservation whose amount has changed since it was read.
        Raises `ValueError` for a charge outside the hold.
        """
        if not 0 <= charge_micro_usd <= hold.amount_micro_usd:
            raise ValueError(f"{charge_micro_usd} is not within the hold of {hold.amount_micro_usd}")
        back = hold.amount_micro_usd - charge_micro_usd
        # One write returns the money and removes its hold: neither can happen without the other, and a
        # second resolve finds no hold and moves nothing.
        mark, key = _end_mark_of(hold, empty_until_ms), {"account_id": row_id}

        def refused(_: Item | None) -> Exception:
            return AlreadyResolvedError(hold.request_id)

        is_plain = hold.counter is None and not hold.is_reservation
        if is_plain and empty_until_ms is None and not markup_micro_usd:
            values = {**key, "hold_id": hold.path[1], "back": back}
            return FilledMark(
                self.accounts_table, key=key, refused=refused, template=_RESOLVE, values=values, mark=mark
            )
        resolve = MarkedWrite(
            self.accounts_table,
            key=key,
            mark=mark,
            update=(Add("balance_micro_usd", back),),
            refused=refused,
        )
        resolve = earn_markup(resolve, row_id, markup_micro_usd, hold.expires_at_ms)
        return release_spend(resolve, hold.counter, back)

    def returned_to_budgets(self, row_id: str, hold: Hold, charge_micro_usd: int) -> list[TransactWrite]:
        """Return the writes that return `hold − charge` to the hold's budgets; none without budgets."""
        back = hold.amount_micro_usd - charge_micro_usd
        return [*self.budgets.give(account_of(row_id), hold.budgets, back)]

    def set_next_expiry(self, row_id: str, found: Item, earliest: int | None) -> Write:
        """Return the write that moves the sweeper's timer from the value found to the `earliest` time that
        something is due, if any, and drops the marks of requests that have ended.

        Refused: `AlreadyResolvedError`, when another sweep moved it.
        """
        no_sweep_came_first = Equals("wake_at", found["wake_at"])
        holds = found.get("holds", {})
        ends = [name for name in found if name.startswith(END) and name.removeprefix(END) not in holds]
        # With nothing left the timer goes; a hold that was placed meanwhile, or mark-up, must keep it.
        nothing_is_left = Equals(Size("holds"), 0) & NO_MARKUP_IS_LEFT
        timer: tuple[RepeatableChange, ...] = (Remove("wake_at"), Remove("due_shard"))
        if earliest is not None:
            timer = (Set("wake_at", earliest),)
        return Write(
            self.accounts_table,
            key={"account_id": row_id},
            update=(*timer, *(Remove(end) for end in ends[:MAX_DROPPED])),
            condition=no_sweep_came_first if earliest is not None else no_sweep_came_first & nothing_is_left,
            refused=lambda _: AlreadyResolvedError(row_id),
        )


_KEY = ("account_id",)


class _Placing(TypedDict):
    """The parts of the write that places a hold."""

    update: tuple[Change, ...]
    condition: Condition
    mark: Mark


def _placing(values: Mapping[str, Any], *, opens: bool, has_budgets: bool) -> _Placing:
    """Return the parts of the write that places a hold, from its values or from their slots."""
    # The balance is the credits less all charges and holds so far; this write keeps it at 0 or more.
    balance_covers_it = AtLeast("balance_micro_usd", values["amount"])
    # Fewer requests than may run at once are between their place and their settle.
    has_room = Below(Size("holds"), values["most"])
    has_these_budgets = has_budget_seq(values["budget_seq"] if has_budgets else 0)
    count, has_room_in_minute = counting(values, opens=opens)
    return {
        "update": (
            Add("balance_micro_usd", values["taken"]),
            # The sweeper's timer is the end of the earliest hold; the sweeper moves it on when it runs.
            SetIfMissing("wake_at", values["expires_at"]),
            Set("due_shard", values["due_shard"]),
            count,
        ),
        "condition": balance_covers_it & has_room & MAY_SPEND & has_these_budgets & has_room_in_minute,
        # A request has one hold: a copy of this write finds it, and does not take the money twice.
        "mark": leave((HOLDS, values["hold_id"]), values["hold"]),
    }


_PLACED = (
    *("hold_id", "hold", "amount", "taken", "expires_at", "due_shard", "most", "budget_seq"),
    *("floor", "first", "last"),
)
"""The values of the write that places a hold."""


@cache
def _place_template(*, opens: bool, has_budgets: bool) -> Template:
    """Return the template of the write that places a hold without a spending cap."""
    parts = _placing({name: Slot(name) for name in _PLACED}, opens=opens, has_budgets=has_budgets)
    return Template(_KEY, *parts["update"], condition=parts["condition"], mark=parts["mark"])


# Ends a hold that has no spending cap and earns no mark-up.
_RESOLVE = Template(_KEY, Add("balance_micro_usd", Slot("back")), mark=take((HOLDS, Slot("hold_id"))))


def _end_mark_of(hold: Hold, empty_until_ms: int | None) -> Mark:
    """Return the mark of the write that ends a hold."""
    if hold.is_reservation:
        # Requests take their holds from it, so exactly the amount that was read must still be there.
        return Mark(Remove(hold.path), Equals((*hold.path, "amount"), hold.amount_micro_usd), tells=False)
    return take(hold.path) if empty_until_ms is None else _emptied(hold, empty_until_ms)


def _emptied(hold: Hold, until_ms: int) -> Mark:
    """Return the mark of a write that replaces an open hold by an empty one."""
    empty = replace(hold, amount_micro_usd=0, expires_at_ms=until_ms, counter=None, budgets=(), is_over=True)
    # An open hold is a number from 0 on, or a map with its amount; an empty one is below 0.
    is_open = AtLeast(hold.path, 0) | Exists((*hold.path, "amount"))
    return Mark(Set(hold.path, empty.to_value()), is_open, tells=False)


def already_recorded(found: Item | None) -> AlreadyRecordedError:
    """Return the error for a row that is already there."""
    return AlreadyRecordedError(Entry.from_item(found or {}))


def place_refused(
    account: Item | None, window: RateWindow, most: int, budgets: Budgets = NO_BUDGETS
) -> Exception:
    """Return the error for a hold that could not be placed in the row found."""
    if account is None:
        return UserNotFoundError()
    if (suspended := suspended_refusal(account)) is not None:
        return suspended
    if (stale := budgets.stale(account)) is not None:
        return stale
    return HoldRefusedError(
        account["balance_micro_usd"],
        all_holds_of(account),
        counters_of(account),
        rate_refused(account, window),
        limits=Limits.of(account),
        most=most,
    )
