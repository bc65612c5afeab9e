"""From a fall to a mail and a payment: each step once, whatever dies between any two of them.

    tell ─► choose the card ─► pay at Stripe ─► credit ─► note that it is paid

The row says which fall is the last one and how far it is. The payment has an idempotency key made of account
and fall, so a repeat gets the first one's outcome; the credit's id is made of the payment's. To
choose the card is the point of no return: until then the owner can call it off, or the account be suspended.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock
from tollgate.kit.errors import AccountSuspendedError, PaymentUnavailableError
from tollgate.kit.observability import logger
from tollgate.kit.ses import Mailer
from tollgate.ledger.repository import AccountClosedError, AlreadyPostedError, LedgerRepository
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
)
from tollgate.payments.client import Charge, Declined, charge_saved_card, find_charge, saved_card
from tollgate.payments.events import Paid, ToCheck
from tollgate.payments.secret import StripeKeys
from tollgate.payments.service import tell_operators

NO_CARD = "There is no saved card."
TOO_LATE = "The payment could not be made in time."


class Refilled(StrEnum):
    """What became of a message."""

    STALE = "stale"  # Another fall came since, or all is done.
    TOLD = "told"  # The owner was told, and no top-up was wished for.
    PAID = "paid"  # The money is on the account.
    FAILED = "failed"  # The card was refused, and the owner was told.
    CALLED_OFF = "called_off"  # Nothing is wished for any more, or the account may not spend.


@dataclass(frozen=True, slots=True)
class Refill:
    """Notifies owners of falls, and makes the top-ups that are due; pages are at `dashboard_url`."""

    watches: WatchRepository
    accounts: AccountRepository
    ledger: LedgerRepository
    mailer: Mailer
    keys: Callable[[], StripeKeys | None]
    members: Callable[[str], Sequence[str]]
    """Returns the addresses of the account's members who want such mails."""
    dashboard_url: str
    clock: Clock

    def answer(self, account_id: str, fall: int) -> Refilled:
        """Do what is left to do about a fall.

        Raises `PaymentUnavailableError` where Stripe gives no answer, and `WatchMovedError`: the message
        comes again then, and nothing is done twice.
        """
        watch = self.watches.get(account_id)
        if watch.fall != fall or (watch.is_told and watch.top_up is not TopUpState.DUE):
            return Refilled.STALE
        watch = self._as_it_is_now(watch)
        if not watch.is_low:
            return Refilled.CALLED_OFF
        if not watch.is_told:
            # Told first, noted after: a mail that comes twice is better than one that never comes.
            self.mailer.send(self._told(watch), mails.low_balance(watch, self.dashboard_url))
            watch = self.watches.save(watch, replace(watch, is_told=True))
        if watch.top_up is not TopUpState.DUE:
            return Refilled.TOLD
        try:
            outcome = self._charge(watch)
        except AccountSuspendedError:
            # Since it was looked at above: the next look calls it off.
            raise WatchMovedError(account_id) from None
        return self._paid(watch, outcome) if isinstance(outcome, Paid) else self._failed(watch, outcome)

    def _as_it_is_now(self, watch: Watch) -> Watch:
        """Return the fall by what its owner wishes now; called off where the account may not spend."""
        account = self.accounts.get(watch.account_id)
        may_spend = account is not None and account.suspended is None
        changed = as_wished(watch) if may_spend else called_off(watch)
        return watch if changed == watch else self.watches.save(watch, changed)

    def _told(self, watch: Watch) -> list[str]:
        """Return whom mails go to, each address once: those that were typed in, and members who want them."""
        return list(dict.fromkeys([*watch.wish.emails, *self.members(watch.account_id)]))

    def _charge(self, watch: Watch) -> Paid | Declined:
        """Have Stripe take the amount from the saved card, or say why not."""
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
            # A repeat must ask for exactly the same, or Stripe refuses it as another request under this key.
            asked = replace(watch, payment_method=method, payer=customer)
            self.watches.save(watch, asked, [self.ledger.may_spend(watch.account_id)])
        return charge_saved_card(keys, charge)

    def _paid(self, watch: Watch, found: Paid) -> Refilled:
        now_ms = self.clock.now_ms()
        try:
            # Stripe's event of the same payment may have been quicker: its credit has the same id.
            with suppress(AlreadyPostedError):
                self.ledger.credit(found.entry(now_ms))
        except AccountClosedError:
            tell_operators(ToCheck("closed_account", found.payment_id, watch.account_id))
        current = self._still_due(watch)
        if current is not None:
            self.watches.save(current, paid(current, now_ms))
        logger.info("refill_balance.paid", account_id=watch.account_id, cents=found.cents)
        return Refilled.PAID

    def _failed(self, watch: Watch, found: Declined) -> Refilled:
        current = self._still_due(watch)
        if current is None:
            return Refilled.STALE
        failed = refused(current, found.reason)
        self.mailer.send(
            self._told(watch), mails.top_up_failed(failed, current.top_up_cents, self.dashboard_url)
        )
        self.watches.save(current, failed)
        logger.warning("refill_balance.failed", account_id=watch.account_id, reason=found.code)
        return Refilled.FAILED

    def _still_due(self, watch: Watch) -> Watch | None:
        """Return the row as it is now, unless somebody else has ended this fall."""
        current = self.watches.get(watch.account_id)
        is_due = current.fall == watch.fall and current.top_up is TopUpState.DUE
        return current if is_due else None
