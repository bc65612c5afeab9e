"""The owners' settings for a low balance, from the form to the row."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tollgate.audit.events import OWNER, STRIPE, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError, InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.money import dollars
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.kit.retry import retry_change
from tollgate.low_balance.repository import LowBalanceRepository, StaleLowBalanceError
from tollgate.low_balance.rules import LowBalanceSettings, LowBalanceState, TopUpState, after_paid_top_up
from tollgate.mail.addresses import ALLOWED, address_of
from tollgate.payments.amounts import CENTS_PER_USD, MAX_USD, MIN_USD
from tollgate.webhooks.receivers import check_host, url_problem

MAX_THRESHOLD_USD = 10_000
MAX_MONTHLY_USD = 20_000
MAX_EMAILS = 5


@dataclass(frozen=True, slots=True)
class LowBalanceService:
    """Shows and changes the settings for a low balance.

    The transaction that changes them also writes a line of the audit log. `guard` checks webhook addresses.
    """

    low_balances: LowBalanceRepository
    audit: AuditLog
    guard: AddressGuard

    def get(self, account_id: str) -> LowBalanceState:
        """Return the settings, and the state of the last crossing."""
        return self.low_balances.get(account_id)

    def change(self, account_id: str, sent: Mapping[str, str], who: str = OWNER) -> LowBalanceState:
        """Store a form's fields: `threshold`, `emails`, `webhook`, `amount` and `monthly`; empty is off.

        Amounts are whole US dollars. Raises `InvalidInputError`, `ConcurrencyLimitedError`.
        """
        settings = read_settings(sent)
        if settings.webhook is not None:
            problem = url_problem("/webhook", settings.webhook, self.guard)
            if problem is not None:
                raise InvalidInputError([problem])
            check_host("/webhook", settings.webhook, self.guard)

        def changed(state: LowBalanceState) -> LowBalanceState:
            if settings.top_up_cents and state.customer is None:
                raise InvalidInputError(
                    [Problem("/amount", "Save a card first: pay once with “Save this card” selected.")]
                )
            # A changed threshold needs a new check of the balance; a running payment ends automatically.
            is_low = state.is_low and state.top_up is TopUpState.DUE
            return replace(state, settings=settings, is_low=is_low)

        note = self.audit.note(
            account_id, who, Action.LOW_BALANCE_CHANGED, "Low balance", _in_words(settings)
        )
        return self._write(account_id, changed, [note])

    def customer(self, account_id: str) -> str | None:
        """Return the Stripe customer with the account's saved card."""
        return self.low_balances.get(account_id).customer

    def save_customer(self, account_id: str, customer: str) -> None:
        """Store the Stripe customer with the account's saved card. A repeat changes nothing."""
        noted = self.audit.note(account_id, STRIPE, Action.CARD_SAVED, "Card")
        self._write(account_id, lambda state: replace(state, customer=customer), [noted])

    def check_idle(self, account_id: str) -> None:
        """Raise `ConcurrencyLimitedError` while a top-up is in progress."""
        if self.low_balances.get(account_id).top_up is TopUpState.DUE:
            raise ConcurrencyLimitedError("A top-up is in progress.")

    def forget_card(self, account_id: str, who: str) -> None:
        """Remove the Stripe customer, and end automatic top-ups. A repeat changes nothing."""

        def changed(state: LowBalanceState) -> LowBalanceState:
            settings = replace(state.settings, top_up_cents=0, monthly_cents=0)
            return replace(state, customer=None, settings=settings)

        noted = self.audit.note(account_id, who, Action.CARD_REMOVED, "Card")
        self._write(account_id, changed, [noted])

    def topped_up(self, account_id: str, crossing: int, credited_ms: int) -> None:
        """Record that the top-up for a crossing is on the account, unless there is a newer crossing."""

        def changed(state: LowBalanceState) -> LowBalanceState:
            is_due = state.crossing == crossing and state.top_up is TopUpState.DUE
            return after_paid_top_up(state, credited_ms) if is_due else state

        self._write(account_id, changed)

    def _write(
        self,
        account_id: str,
        change: Callable[[LowBalanceState], LowBalanceState],
        others: Sequence[Write] = (),
    ) -> LowBalanceState:
        def write() -> LowBalanceState:
            state = self.low_balances.get(account_id)
            changed = change(state)
            return state if changed == state else self.low_balances.save(state, changed, others)

        return retry_change(write, StaleLowBalanceError, what="These settings are")


def _in_words(settings: LowBalanceSettings) -> str:
    if not settings.is_on:
        return "off"
    top_up = f"top up by {dollars(settings.top_up_cents)}, at most {dollars(settings.monthly_cents)} a month"
    return f"below {dollars(settings.threshold_cents)}; {top_up if settings.top_up_cents else 'no top-up'}"


def read_settings(sent: Mapping[str, str]) -> LowBalanceSettings:
    """Return the settings in a form. Raises `InvalidInputError` with every problem."""
    problems: list[Problem] = []

    def usd(name: str, least: int, most: int) -> int:
        text = sent.get(name, "").strip()
        if not text:
            return 0
        amount_usd = digits(text, least, most)
        if amount_usd is None:
            problems.append(Problem(f"/{name}", "Must be whole US dollars.", f"{least} to {most}, or empty"))
            return 0
        return amount_usd * CENTS_PER_USD

    emails = dict.fromkeys(re.split(r"[\s,]+", sent.get("emails", "")))
    settings = LowBalanceSettings(
        threshold_cents=usd("threshold", 1, MAX_THRESHOLD_USD),
        emails=tuple(address_of(email) or email for email in emails if email),
        webhook=sent.get("webhook", "").strip() or None,
        top_up_cents=usd("amount", MIN_USD, MAX_USD),
        monthly_cents=usd("monthly", MIN_USD, MAX_MONTHLY_USD),
    )
    if len(settings.emails) > MAX_EMAILS:
        problems.append(Problem("/emails", "Too many e-mail addresses.", f"at most {MAX_EMAILS}"))
    elif not all(address_of(email) for email in settings.emails):
        problems.append(Problem("/emails", "Must be valid e-mail addresses.", ALLOWED))
    if settings.top_up_cents:
        problems += _top_up_problems(settings)
    if problems:
        raise InvalidInputError(problems)
    return settings


def _top_up_problems(settings: LowBalanceSettings) -> list[Problem]:
    problems = []
    if not settings.threshold_cents:
        problems.append(Problem("/threshold", "Required with an automatic top-up."))
    # Otherwise the balance would still be low afterwards, and nothing would top it up again.
    if settings.top_up_cents < settings.threshold_cents:
        problems.append(Problem("/amount", "Must not be less than the threshold."))
    if settings.monthly_cents < settings.top_up_cents:
        problems.append(Problem("/monthly", "Must not be less than the top-up."))
    return problems
