"""The payment and the mail after a balance crossed its threshold.

Each step is done once, even if the process crashes between two of them.

    choose the card ─► pay at Stripe ─► credit ─► record that it is paid ─► notify

The row stores the last crossing and its state. The payment's idempotency key consists of the account and the
number of the crossing, so a repeat gets the first one's outcome. The credit's id is derived from the
payment's. Once the card is chosen, the top-up cannot be stopped. Until then its owner or a suspension of the
account cancels it.

The payment never waits for a mail. Mails come after it, one address at a time. A failed address does not
stop the other mails, and is tried again when the message is received again.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock
from tollgate.kit.observability import logger
from tollgate.kit.retry import retry_change
from tollgate.ledger.crediting import AccountClosedError
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.ledger.repository import LedgerRepository
from tollgate.low_balance import mails
from tollgate.low_balance.repository import LowBalanceRepository, StaleLowBalanceError
from tollgate.low_balance.rules import (
    LowBalanceState,
    TopUpState,
    after_failed_top_up,
    after_mails,
    after_paid_top_up,
    cancelled,
    is_too_old,
    with_current_settings,
)
from tollgate.mail.sender import MAX_RECIPIENTS, Mailer, SendResult
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.client import Charge, Declined, charge_saved_card, find_charge, saved_card
from tollgate.payments.errors import PaymentUnavailableError
from tollgate.payments.events import ManualCheck, Paid
from tollgate.payments.secret import StripeKeys
from tollgate.payments.service import alert_operators


class RefillResult(StrEnum):
    """The result of a message."""

    STALE = "stale"  # There is a newer crossing, or all is done.
    NOTIFIED = "told"  # The owner was notified, and no top-up is set.
    PAID = "paid"  # The money is on the account, and the owner was notified.
    FAILED = "failed"  # The card was refused, and the owner was notified.
    CANCELLED = "called_off"  # Everything is switched off, or the account may not spend.


class MailsNotSentError(Exception):
    """Some mails were not sent; the others were. The message is received again."""


_RESULTS = {TopUpState.PAID: RefillResult.PAID, TopUpState.FAILED: RefillResult.FAILED}
NO_CARD = "There is no saved card."
TOO_LATE = "The payment did not complete in time."


@dataclass(frozen=True, slots=True)
class RefillWorker:
    """Notifies owners of low balances, and charges due top-ups; pages are at `dashboard_url`."""

    low_balances: LowBalanceRepository
    accounts: AccountRepository
    ledger: LedgerRepository
    book: PaymentBook
    mailer: Mailer
    keys: Callable[[], StripeKeys | None]
    members: Callable[[str], Sequence[str]]
    """Returns the addresses of the account's members who want such mails."""
    dashboard_url: str
    clock: Clock

    def run(self, account_id: str, crossing: int) -> RefillResult:
        """Do the remaining steps for a crossing.

        Raises `PaymentUnavailableError` if Stripe does not answer, `StaleLowBalanceError` and
        `MailsNotSentError`. The message is received again then, and no step is done twice.
        """
        state = self.low_balances.get(account_id)
        if state.crossing != crossing or (state.is_notified and state.top_up is not TopUpState.DUE):
            return RefillResult.STALE
        state = self._refreshed(state)
        if not state.is_low and state.top_up not in (TopUpState.PAID, TopUpState.FAILED):
            return RefillResult.CANCELLED
        if state.top_up is TopUpState.DUE:
            self._top_up(state)
            state = self.low_balances.get(account_id)
            if state.crossing != crossing:
                return RefillResult.STALE
        self._notify(state)
        return _RESULTS.get(state.top_up, RefillResult.NOTIFIED)

    def _refreshed(self, state: LowBalanceState) -> LowBalanceState:
        """Save and return the state under its owner's settings; cancelled if the account may not spend."""
        account = self.accounts.get(state.account_id)
        may_spend = account is not None and account.suspended is None
        changed = with_current_settings(state, self.clock.now_ms()) if may_spend else cancelled(state)
        return state if changed == state else self.low_balances.save(state, changed)

    def _top_up(self, state: LowBalanceState) -> None:
        """Charge the due top-up, and record its outcome."""
        try:
            outcome = self._charge(state)
        except AccountSuspendedError:
            # Suspended since the check above: the next run cancels it.
            raise StaleLowBalanceError(state.account_id) from None
        except PaymentUnavailableError:
            # It may take hours, so notify the owner of the low balance meanwhile.
            with suppress(MailsNotSentError):
                self._notify(self.low_balances.get(state.account_id))
            raise
        if isinstance(outcome, Paid):
            self._paid(state, outcome)
        else:
            self._failed(state, outcome)

    def _notify(self, state: LowBalanceState) -> None:
        """Mail the current state to all addresses that have no mail about it yet.

        Raises `MailsNotSentError` if a mail was not sent and may be sent later.
        """
        if state.is_notified:
            return
        mail = mails.low_balance_mail(state, self.dashboard_url)
        recipients = dict.fromkeys([*state.settings.emails, *self.members(state.account_id)])
        left = [each for each in recipients if each not in state.notified][:MAX_RECIPIENTS]
        failed = [each for each in left if self.mailer.send(each, mail) is SendResult.FAILED]
        done = [each for each in recipients if each not in failed]

        def record() -> None:
            current = self.low_balances.get(state.account_id)
            if (current.crossing, current.top_up) == (state.crossing, state.top_up):
                self.low_balances.save(current, after_mails(current, done, is_notified=not failed))

        # Recorded after the mails: a repeated mail is better than a lost mail.
        retry_change(record, StaleLowBalanceError, what="This balance is")
        if failed:
            raise MailsNotSentError(f"{len(failed)} of {len(left)}")

    def _charge(self, state: LowBalanceState) -> Paid | Declined:
        """Charge the amount to the saved card at Stripe, or return the reason why not."""
        keys, customer = self.keys(), state.payer or state.customer
        if keys is None and state.may_be_paid:
            raise PaymentUnavailableError
        if keys is None or customer is None:
            return Declined(NO_CARD)
        method = state.payment_method or saved_card(keys, customer)
        if method is None:
            return Declined(NO_CARD)
        charge = Charge(state.account_id, state.top_up_cents, customer, method, state.crossing)
        if state.may_be_paid and (made := find_charge(keys, charge, state.crossed_at_ms)) is not None:
            return made
        if is_too_old(state, self.clock.now_ms()):
            return Declined(TOO_LATE)
        if not state.may_be_paid:
            # A repeat must have the same parameters, or Stripe refuses the reuse of the idempotency key.
            requested = replace(state, payment_method=method, payer=customer)
            self.low_balances.save(state, requested, [self.ledger.may_spend(state.account_id)])
        return charge_saved_card(keys, charge)

    def _paid(self, state: LowBalanceState, found: Paid) -> None:
        now_ms = self.clock.now_ms()
        try:
            # Stripe's event of the same payment may have been faster: its credit has the same id.
            self.book.credit(found)
        except AccountClosedError:
            alert_operators(ManualCheck("closed_account", found.payment_id, state.account_id))
        current = self._still_due(state)
        if current is not None:
            self.low_balances.save(current, after_paid_top_up(current, now_ms))
        logger.info("refill_balance.paid", account_id=state.account_id, cents=found.cents)

    def _failed(self, state: LowBalanceState, found: Declined) -> None:
        current = self._still_due(state)
        if current is not None:
            self.low_balances.save(current, after_failed_top_up(current, found.reason))
            logger.warning("refill_balance.failed", account_id=state.account_id, reason=found.code)

    def _still_due(self, state: LowBalanceState) -> LowBalanceState | None:
        """Return the current state, unless another process has ended this crossing."""
        current = self.low_balances.get(state.account_id)
        is_due = current.crossing == state.crossing and current.top_up is TopUpState.DUE
        return current if is_due else None
