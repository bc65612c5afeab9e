"""A balance that falls below its threshold, and the reaction to it. Pure.

above ──fall──► low, top-up due ──paid──► above: the next fall is another one
                      └─refused─► low, told ──a credit, or the balance is up again──► above
above ──fall──► low, nothing due ──────────────────┘

Until Stripe is asked for the payment, a top-up follows its owner's settings; then it stays as requested.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tollgate.kit.clock import MS_PER_S, utc_month
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.rows import Item

# Stripe keeps an idempotency key for at least 24 hours: a payment with an unknown outcome must not be
# requested after that, because it could be a second payment.
MAX_TOP_UP_AGE_MS = 20 * 3600 * MS_PER_S
# It is retried for more than an hour; a message that was not redriven in a day is sent again, once a day.
RESEND_AFTER_MS = 24 * 3600 * MS_PER_S
# Rounds of mails about one fall that new ledger entries start; after that only an operator starts one.
MAX_TELLINGS = 5


class TopUpState(StrEnum):
    """The state of the top-up for the last fall."""

    NONE = "none"  # No top-up was set.
    DUE = "due"  # Its amount is counted in the month; the payment may have been charged already.
    PAID = "paid"  # The money is on the account.
    FAILED = "failed"  # The card was refused; the owner was notified.
    OVER_LIMIT = "over_limit"  # It would have exceeded the month's limit; the owner was notified.


@dataclass(frozen=True, slots=True)
class Wish:
    """An owner's settings. `top_up_cents` 0 means no automatic top-up; `monthly_cents` limits it."""

    threshold_cents: int = 0
    emails: tuple[str, ...] = ()
    webhook: str | None = None
    top_up_cents: int = 0
    monthly_cents: int = 0

    @property
    def is_on(self) -> bool:
        """Return whether a threshold is set."""
        return self.threshold_cents > 0


@dataclass(frozen=True, slots=True)
class Watch:
    """The row of one account: its owner's settings, its Stripe customer, and the last fall.

    `fall` counts the falls; `seq` counts the writes, and guards each of them. `month_cents` is the sum of
    top-ups in `month`, including a due top-up. `answered_ms` is the newest credit that ended a fall.
    `resent_ms` is when its message was sent again, because the first one had no outcome.
    `payment_method` of the customer `payer` is the card to charge, stored before the request to Stripe.
    """

    account_id: str
    wish: Wish = field(default_factory=Wish)
    customer: str | None = None
    seq: int = 0
    fall: int = 0
    is_low: bool = False
    fell_at_ms: int = 0
    answered_ms: int = 0
    resent_ms: int = 0
    top_up: TopUpState = TopUpState.NONE
    top_up_cents: int = 0
    payment_method: str | None = None
    payer: str | None = None
    reason: str | None = None
    is_told: bool = False
    told: tuple[str, ...] = ()
    """The addresses that have the mail about the current state, while others still wait for theirs."""
    tellings: int = 0
    """The number of rounds in which that mail was sent."""
    month: str = ""
    month_cents: int = 0

    @property
    def may_be_paid(self) -> bool:
        """Return whether Stripe may have been asked for the due payment: then it cannot be cancelled."""
        return self.top_up is TopUpState.DUE and self.payment_method is not None

    def to_item(self) -> Item:
        """Return the watch as a row."""
        row: Item = {name: getattr(self, name) for name in self.__slots__}
        wish: dict[str, Any] = {name: getattr(self.wish, name) for name in Wish.__slots__}
        row |= {"top_up": str(self.top_up), "wish": {**wish, "emails": list(self.wish.emails)}}
        row["told"] = list(self.told)
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_item(cls, item: Item) -> "Watch":
        """Return the watch that a row holds."""
        wish = Wish(**{**item["wish"], "emails": tuple(item["wish"]["emails"])})
        fields = {name: item[name] for name in cls.__slots__ if name in item}
        told = tuple(item.get("told", ()))
        return cls(**{**fields, "wish": wish, "top_up": TopUpState(item["top_up"]), "told": told})


def looked_at(watch: Watch, worth_micro_usd: int, newest_credit_ms: int, now_ms: int) -> Watch | None:
    """Return the watch after a look at the balance, `None` if nothing changes.

    `worth_micro_usd` is the balance and the amount that open holds may return; `newest_credit_ms` the time of
    the newest credit among the new entries, 0 for none. The paying process ends a fall with a due
    top-up, so that no second payment can start beside it.
    """
    if not watch.wish.is_on or watch.top_up is TopUpState.DUE:
        return None
    if worth_micro_usd >= micro_usd_of_cents(watch.wish.threshold_cents):
        return replace(watch, is_low=False) if watch.is_low else None
    # Money came since, and it was not enough or is spent already: that is another fall.
    was_answered = newest_credit_ms > max(watch.answered_ms, watch.fell_at_ms)
    if watch.is_low and not was_answered:
        return None
    return _fallen(watch, max(newest_credit_ms, watch.answered_ms), now_ms)


def paid(watch: Watch, credited_ms: int) -> Watch:
    """Return the watch once the top-up's money is on the account: the fall has ended."""
    answered_ms = max(credited_ms, watch.answered_ms)
    ended = replace(watch, payment_method=None, payer=None)
    return replace(ended, top_up=TopUpState.PAID, is_low=False, answered_ms=answered_ms)


def refused(watch: Watch, reason: str) -> Watch:
    """Return the watch after a failed top-up: no month counts it, and its owner is not notified yet."""
    ended = replace(watch, payment_method=None, payer=None, reason=reason)
    untold = replace(ended, is_told=False, told=(), tellings=0)
    return replace(untold, top_up=TopUpState.FAILED, month_cents=_others_cents(watch))


def told(watch: Watch, readers: Iterable[str], *, is_told: bool) -> Watch:
    """Return the watch after a round of mails; `readers` need no further mail, `is_told` if all are done."""
    return replace(
        watch, told=() if is_told else tuple(readers), is_told=is_told, tellings=watch.tellings + 1
    )


def has_mail_left(watch: Watch) -> bool:
    """Return whether mails about a fall are missing, and new ledger entries may start a round of them."""
    return watch.is_low and not watch.is_told and watch.tellings < MAX_TELLINGS


def as_wished(watch: Watch) -> Watch:
    """Return the watch under its owner's current settings: another amount, a lower limit, or none at all.

    A payment that Stripe may have been asked for stays unchanged.
    """
    if watch.top_up is not TopUpState.DUE or watch.may_be_paid:
        return watch
    return _with_top_up(watch, _others_cents(watch)) if watch.wish.is_on else called_off(watch)


def called_off(watch: Watch) -> Watch:
    """Return the watch without the fall: a later low balance is a new fall. Not if it may be paid."""
    if watch.may_be_paid:
        return watch
    month_cents = _others_cents(watch) if watch.top_up is TopUpState.DUE else watch.month_cents
    state = TopUpState.NONE if watch.top_up is TopUpState.DUE else watch.top_up
    return replace(watch, top_up=state, is_low=False, month_cents=month_cents)


def is_stuck(watch: Watch, now_ms: int) -> bool:
    """Return whether a top-up has been due for so long that its message must be lost: then send it again."""
    since_ms = max(watch.fell_at_ms, watch.resent_ms)
    return watch.top_up is TopUpState.DUE and now_ms - since_ms > RESEND_AFTER_MS


def is_too_old(watch: Watch, now_ms: int) -> bool:
    """Return whether the payment of a fall is too old to be requested."""
    return now_ms - watch.fell_at_ms > MAX_TOP_UP_AGE_MS


def _fallen(watch: Watch, answered_ms: int, now_ms: int) -> Watch:
    month = utc_month(now_ms)
    fallen = replace(
        watch,
        fall=watch.fall + 1,
        is_low=True,
        is_told=False,
        told=(),
        tellings=0,
        fell_at_ms=now_ms,
        answered_ms=answered_ms,
        payment_method=None,
        payer=None,
        reason=None,
        month=month,
    )
    return _with_top_up(fallen, watch.month_cents if watch.month == month else 0)


def _with_top_up(watch: Watch, spent_cents: int) -> Watch:
    """Return the watch with the top-up that is set, in a month that has `spent_cents` without it."""
    cents = watch.wish.top_up_cents if watch.customer is not None else 0
    state = TopUpState.NONE
    if cents:
        state = TopUpState.DUE if spent_cents + cents <= watch.wish.monthly_cents else TopUpState.OVER_LIMIT
    due_cents = cents if state is TopUpState.DUE else 0
    return replace(watch, top_up=state, top_up_cents=due_cents, month_cents=spent_cents + due_cents)


def _others_cents(watch: Watch) -> int:
    """Return the month's sum without the top-up of this fall."""
    return max(0, watch.month_cents - watch.top_up_cents)
