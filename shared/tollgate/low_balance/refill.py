"""From a fall to a payment and a mail: each step once, even if the process crashes between two of them.

    choose the card ─► pay at Stripe ─► credit ─► note that it is paid ─► notify

The row stores the last fall and its state. The payment's idempotency key consists of account and fall, so a
repeat gets the first one's outcome; the credit's id is derived from the payment's. Once the card is chosen,
the top-up cannot be stopped: until then the owner can cancel it, or the account be suspended.

The payment never waits for a mail. Mails come after it, one address at a time. A failed address does not
stop the other mails, and is tried again when the message is received again.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock
from tollgate.kit.contention import decided_anew
from tollgate.kit.errors import AccountSuspendedError, PaymentUnavailableError
from tollgate.kit.observability import logger
from tollgate.kit.ses import MAX_RECIPIENTS, Mailed, Mailer
from tollgate.ledger.repository import AccountClosedError, LedgerRepository
from tollgate.low_balance import mails
from tollgate.low_balance.repository import WatchMovedError, WatchRepository
from tollgate.low_balance.rules import (
    TopUpState,
    Watch,
    as_wished,
    called_off,
    is_too_old,
    paid,
    refused,
    told,
)
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.client import Charge, Declined, charge_saved_card, find_charge, saved_card
from tollgate.payments.events import Paid, ToCheck
from tollgate.payments.secret import StripeKeys
from tollgate.payments.service import tell_operators


class Refilled(StrEnum):
    """The result of a message."""

    STALE = "stale"  # There is a newer fall, or all is done.
    TOLD = "told"  # The owner was notified, and no top-up is set.
    PAID = "paid"  # The money is on the account, and the owner was notified.
    FAILED = "failed"  # The card was refused, and the owner was notified.
    CALLED_OFF = "called_off"  # Everything is switched off, or the account may not spend.


class NotToldError(Exception):
    """Some mails were not sent; the others were. The message is received again."""


_BECAME = {TopUpState.PAID: Refilled.PAID, TopUpState.FAILED: Refilled.FAILED}
NO_CARD = "There is no saved card."
TOO_LATE = "The payment could not be made in time."


@dataclass(frozen=True, slots=True)
class Refill:
    """Notifies owners of falls, and charges due top-ups; pages are at `dashboard_url`."""

    watches: WatchRepository
    accounts: AccountRepository
    ledger: LedgerRepository
    book: PaymentBook
    mailer: Mailer
    keys: Callable[[], StripeKeys | None]
    members: Callable[[str], Sequence[str]]
    """Returns the addresses of the account's members who want such mails."""
    dashboard_url: str
    clock: Clock

    def answer(self, account_id: str, fall: int) -> Refilled:
        """Do the remaining steps for a fall.

        Raises `PaymentUnavailableError` if Stripe does not answer, `WatchMovedError` and `NotToldError`. The
        message is received again then, and no step is done twice.
        """
        watch = self.watches.get(account_id)
        if watch.fall != fall or (watch.is_told and watch.top_up is not TopUpState.DUE):
            return Refilled.STALE
        watch = self._as_it_is_now(watch)
        if not watch.is_low and watch.top_up not in (TopUpState.PAID, TopUpState.FAILED):
            return Refilled.CALLED_OFF
        if watch.top_up is TopUpState.DUE:
            self._top_up(watch)
            watch = self.watches.get(account_id)
            if watch.fall != fall:
                return Refilled.STALE
        self._tell(watch)
        return _BECAME.get(watch.top_up, Refilled.TOLD)

    def _as_it_is_now(self, watch: Watch) -> Watch:
        """Return the fall under its owner's current settings; cancelled if the account may not spend."""
        account = self.accounts.get(watch.account_id)
        may_spend = account is not None and account.suspended is None
        changed = as_wished(watch) if may_spend else called_off(watch)
        return watch if changed == watch else self.watches.save(watch, changed)

    def _top_up(self, watch: Watch) -> None:
        """Charge the due top-up, and note its outcome."""
        try:
            outcome = self._charge(watch)
        except AccountSuspendedError:
            # Suspended since the check above: the next look cancels it.
            raise WatchMovedError(watch.account_id) from None
        except PaymentUnavailableError:
            # It may take hours, so notify the owner of the low balance meanwhile.
            with suppress(NotToldError):
                self._tell(self.watches.get(watch.account_id))
            raise
        if isinstance(outcome, Paid):
            self._paid(watch, outcome)
        else:
            self._failed(watch, outcome)

    def _tell(self, watch: Watch) -> None:
        """Mail the current state of the fall to all addresses that have no mail about it yet.

        Raises `NotToldError` if a mail was not sent and may be sent later.
        """
        if watch.is_told:
            return
        mail = mails.of_fall(watch, self.dashboard_url)
        readers = dict.fromkeys([*watch.wish.emails, *self.members(watch.account_id)])
        left = [each for each in readers if each not in watch.told][:MAX_RECIPIENTS]
        failed = [each for each in left if self.mailer.send(each, mail) is Mailed.FAILED]
        done = [each for each in readers if each not in failed]

        def note() -> None:
            current = self.watches.get(watch.account_id)
            if (current.fall, current.top_up) == (watch.fall, watch.top_up):
                self.watches.save(current, told(current, done, is_told=not failed))

        # Noted after: a mail that comes twice is better than a mail that never comes.
        decided_anew(note, WatchMovedError, what="This balance is")
        if failed:
            raise NotToldError(f"{len(failed)} of {len(left)}")

    def _charge(self, watch: Watch) -> Paid | Declined:
        """Charge the amount to the saved card at Stripe, or return the reason why not."""
        keys, customer = self.keys(), watch.payer or watch.customer
        if keys is None and watch.may_be_paid:
            raise PaymentUnavailableError
        if keys is None or customer is None:
            return Declined(NO_CARD)
        method = watch.payment_method or saved_card(keys, customer)
        if method is None:
            return Declined(NO_CARD)
        charge = Charge(watch.account_id, watch.top_up_cents, customer, method, watch.fall)
        if watch.may_be_paid and (made := find_charge(keys, charge, watch.fell_at_ms)) is not None:
            return made
        if is_too_old(watch, self.clock.now_ms()):
            return Declined(TOO_LATE)
        if not watch.may_be_paid:
            # A repeat must have the same parameters, or Stripe refuses the reuse of the idempotency key.
            asked = replace(watch, payment_method=method, payer=customer)
            self.watches.save(watch, asked, [self.ledger.may_spend(watch.account_id)])
        return charge_saved_card(keys, charge)

    def _paid(self, watch: Watch, found: Paid) -> None:
        now_ms = self.clock.now_ms()
        try:
            # Stripe's event of the same payment may have been faster: its credit has the same id.
            self.book.credit(found)
        except AccountClosedError:
            tell_operators(ToCheck("closed_account", found.payment_id, watch.account_id))
        current = self._still_due(watch)
        if current is not None:
            self.watches.save(current, paid(current, now_ms))
        logger.info("refill_balance.paid", account_id=watch.account_id, cents=found.cents)

    def _failed(self, watch: Watch, found: Declined) -> None:
        current = self._still_due(watch)
        if current is not None:
            self.watches.save(current, refused(current, found.reason))
            logger.warning("refill_balance.failed", account_id=watch.account_id, reason=found.code)

    def _still_due(self, watch: Watch) -> Watch | None:
        """Return the current row, unless another process has ended this fall."""
        current = self.watches.get(watch.account_id)
        is_due = current.fall == watch.fall and current.top_up is TopUpState.DUE
        return current if is_due else None
