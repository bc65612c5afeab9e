"""A balance that crosses its threshold downwards, and the reaction to it. Pure.

above ──crossing──► low, top-up due ──paid──► above; the next crossing is a new one
                          └─failed──► low, notified ──a credit, or the balance is up again──► above
above ──crossing──► low, nothing due ──────────────────┘
                          └─a new month, if the last one's limit skipped the top-up──► a new crossing

Until the payment is requested from Stripe, a top-up follows its owner's settings; then it stays as requested.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tollgate.kit.clock import MS_PER_S, utc_month
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import micro_usd_of_cents

# Stripe keeps an idempotency key for at least 24 hours: a payment with an unknown outcome must not be
# requested after that, because it could be a second payment.
MAX_TOP_UP_AGE_MS = 20 * 3600 * MS_PER_S
# It is retried for more than an hour; a message that was not redriven in a day is sent again, once a day.
RESEND_AFTER_MS = 24 * 3600 * MS_PER_S
# Rounds of mails about one crossing that new ledger entries start; after that only an operator starts one.
MAX_MAIL_ROUNDS = 5


class TopUpState(StrEnum):
    """The state of the top-up for the last crossing."""

    NONE = "none"  # No top-up was set.
    DUE = "due"  # Its amount is counted in the month; the payment may have been charged already.
    PAID = "paid"  # The money is on the account.
    FAILED = "failed"  # The card was refused; the owner was notified.
    OVER_LIMIT = "over_limit"  # It would have exceeded the month's limit; the owner was notified.


@dataclass(frozen=True, slots=True)
class LowBalanceSettings:
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


# The attributes of fields that were renamed, because old rows remain in the table.
_ATTRIBUTES = {
    "settings": "wish",
    "crossing": "fall",
    "crossed_at_ms": "fell_at_ms",
    "last_credit_ms": "answered_ms",
    "is_notified": "is_told",
    "notified": "told",
    "mail_rounds": "tellings",
}


@dataclass(frozen=True, slots=True)
class LowBalanceState:
    """The row of one account: its owner's settings, its Stripe customer, and the last crossing.

    `crossing` counts the times that the balance fell below the threshold; `seq` counts the writes, and guards
    each of them. `month_cents` is the sum of top-ups in `month`, including a due top-up. `last_credit_ms` is
    the time of the newest credit that ended a crossing. `resent_ms` is when its message was sent again,
    because the first one had no outcome. `payment_method` of the customer `payer` is the card to charge,
    stored before the request to Stripe.
    """

    account_id: str
    settings: LowBalanceSettings = field(default_factory=LowBalanceSettings)
    customer: str | None = None
    seq: int = 0
    crossing: int = 0
    is_low: bool = False
    crossed_at_ms: int = 0
    last_credit_ms: int = 0
    resent_ms: int = 0
    top_up: TopUpState = TopUpState.NONE
    top_up_cents: int = 0
    payment_method: str | None = None
    payer: str | None = None
    reason: str | None = None
    is_notified: bool = False
    notified: tuple[str, ...] = ()
    """The addresses that have the mail about the current state, while others still wait for theirs."""
    mail_rounds: int = 0
    """The number of rounds in which that mail was sent."""
    month: str = ""
    month_cents: int = 0

    @property
    def may_be_paid(self) -> bool:
        """Return whether the due payment may have been requested from Stripe: it cannot be cancelled then."""
        return self.top_up is TopUpState.DUE and self.payment_method is not None

    def to_item(self) -> Item:
        """Return the state as a row."""
        settings = {name: getattr(self.settings, name) for name in LowBalanceSettings.__slots__}
        values: Item = {name: getattr(self, name) for name in self.__slots__}
        values |= {
            "settings": {**settings, "emails": list(self.settings.emails)},
            "top_up": str(self.top_up),
            "notified": list(self.notified),
        }
        return {_ATTRIBUTES.get(name, name): value for name, value in values.items() if value is not None}

    @classmethod
    def from_item(cls, item: Item) -> "LowBalanceState":
        """Return the state that a row holds."""
        attributes = {name: _ATTRIBUTES.get(name, name) for name in cls.__slots__}
        values = {name: item[attribute] for name, attribute in attributes.items() if attribute in item}
        settings = {**values["settings"], "emails": tuple(values["settings"]["emails"])}
        values |= {
            "settings": LowBalanceSettings(**settings),
            "top_up": TopUpState(values["top_up"]),
            "notified": tuple(values.get("notified", ())),
        }
        return cls(**values)


def after_check(
    state: LowBalanceState, total_micro_usd: int, newest_credit_ms: int, now_ms: int
) -> LowBalanceState | None:
    """Return the state after a check of the balance, `None` if nothing changes.

    `total_micro_usd` is the balance and the amount that open holds may return; `newest_credit_ms` the time of
    the newest credit among the new entries, 0 for none. Only the process that pays ends a crossing with a due
    top-up, so no second payment can start beside it.
    """
    if not state.settings.is_on or state.top_up is TopUpState.DUE:
        return None
    if total_micro_usd >= micro_usd_of_cents(state.settings.threshold_cents):
        return replace(state, is_low=False) if state.is_low else None
    # A newer credit was not enough, or is spent already: that is another crossing.
    was_credited = newest_credit_ms > max(state.last_credit_ms, state.crossed_at_ms)
    # A new month has room for the top-up that the last month's limit skipped.
    has_new_month = state.top_up is TopUpState.OVER_LIMIT and utc_month(now_ms) != state.month
    if state.is_low and not was_credited and not has_new_month:
        return None
    return _crossed(state, max(newest_credit_ms, state.last_credit_ms), now_ms)


def after_paid_top_up(state: LowBalanceState, credited_ms: int) -> LowBalanceState:
    """Return the state when the top-up's money is on the account: the crossing has ended."""
    last_credit_ms = max(credited_ms, state.last_credit_ms)
    ended = replace(state, payment_method=None, payer=None)
    return replace(ended, top_up=TopUpState.PAID, is_low=False, last_credit_ms=last_credit_ms)


def after_failed_top_up(state: LowBalanceState, reason: str) -> LowBalanceState:
    """Return the state after a failed top-up: no month counts it, and its owner is not notified yet."""
    ended = replace(state, payment_method=None, payer=None, reason=reason)
    unnotified = replace(ended, is_notified=False, notified=(), mail_rounds=0)
    month_cents = _month_cents_without_top_up(state)
    return replace(unnotified, top_up=TopUpState.FAILED, month_cents=month_cents)


def after_mails(state: LowBalanceState, notified: Iterable[str], *, is_notified: bool) -> LowBalanceState:
    """Return the state after a round of mails.

    The addresses in `notified` need no further mail. `is_notified` is true if no address needs one.
    """
    left = () if is_notified else tuple(notified)
    return replace(state, notified=left, is_notified=is_notified, mail_rounds=state.mail_rounds + 1)


def has_unsent_mail(state: LowBalanceState) -> bool:
    """Return whether mails about a crossing are missing, and new ledger entries may start a round of them."""
    return state.is_low and not state.is_notified and state.mail_rounds < MAX_MAIL_ROUNDS


def with_current_settings(state: LowBalanceState, now_ms: int) -> LowBalanceState:
    """Return the state under its owner's current settings: another amount, a lower limit, or none at all.

    The top-up counts in the current month, which may be later than its crossing.
    A payment that may have been requested from Stripe stays unchanged.
    """
    if state.top_up is not TopUpState.DUE or state.may_be_paid:
        return state
    if not state.settings.is_on:
        return cancelled(state)
    month = utc_month(now_ms)
    spent_cents = _month_cents_without_top_up(state) if state.month == month else 0
    return _with_top_up(replace(state, month=month), spent_cents)


def cancelled(state: LowBalanceState) -> LowBalanceState:
    """Return the state without the crossing, unless it may be paid. A later low balance is a new crossing."""
    if state.may_be_paid:
        return state
    month_cents = _month_cents_without_top_up(state) if state.top_up is TopUpState.DUE else state.month_cents
    top_up = TopUpState.NONE if state.top_up is TopUpState.DUE else state.top_up
    return replace(state, top_up=top_up, is_low=False, month_cents=month_cents)


def is_stuck(state: LowBalanceState, now_ms: int) -> bool:
    """Return whether a top-up has been due for so long that its message must be lost: then send it again."""
    since_ms = max(state.crossed_at_ms, state.resent_ms)
    return state.top_up is TopUpState.DUE and now_ms - since_ms > RESEND_AFTER_MS


def is_too_old(state: LowBalanceState, now_ms: int) -> bool:
    """Return whether the payment for a crossing is too old to be requested."""
    return now_ms - state.crossed_at_ms > MAX_TOP_UP_AGE_MS


def _crossed(state: LowBalanceState, last_credit_ms: int, now_ms: int) -> LowBalanceState:
    month = utc_month(now_ms)
    crossed = replace(
        state,
        crossing=state.crossing + 1,
        is_low=True,
        is_notified=False,
        notified=(),
        mail_rounds=0,
        crossed_at_ms=now_ms,
        last_credit_ms=last_credit_ms,
        payment_method=None,
        payer=None,
        reason=None,
        month=month,
    )
    return _with_top_up(crossed, state.month_cents if state.month == month else 0)


def _with_top_up(state: LowBalanceState, spent_cents: int) -> LowBalanceState:
    """Return the state with the top-up that is set, in a month that has `spent_cents` without it."""
    cents = state.settings.top_up_cents if state.customer is not None else 0
    top_up = TopUpState.NONE
    if cents:
        top_up = (
            TopUpState.DUE if spent_cents + cents <= state.settings.monthly_cents else TopUpState.OVER_LIMIT
        )
    due_cents = cents if top_up is TopUpState.DUE else 0
    return replace(state, top_up=top_up, top_up_cents=due_cents, month_cents=spent_cents + due_cents)


def _month_cents_without_top_up(state: LowBalanceState) -> int:
    """Return the month's sum without the top-up for this crossing."""
    return max(0, state.month_cents - state.top_up_cents)
