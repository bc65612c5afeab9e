"""From a fall to a mail and a payment: each step once, whatever dies between any two of them.

    tell ─► choose the card ─► pay at Stripe ─► credit ─► note that it is paid

The row says which fall is the last one and how far it is. The payment has an idempotency key made of account
and fall, so a repeat gets the first one's outcome; the credit's id is made of the payment's.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.kit.clock import Clock
from tollgate.kit.observability import emit, logger
from tollgate.kit.ses import Mailer
from tollgate.ledger.repository import AlreadyPostedError, LedgerRepository
from tollgate.low_balance import mails
from tollgate.low_balance.repository import WatchRepository
from tollgate.low_balance.rules import TopUpState, Watch, is_too_old, paid, refused
from tollgate.payments.client import Charge, Declined, charge_saved_card, saved_card
from tollgate.payments.events import Paid
from tollgate.payments.secret import StripeKeys

NO_CARD = "There is no saved card."
NOT_KNOWN = "Stripe did not say in time what became of the payment."


class Refilled(StrEnum):
    """What became of a message."""

    STALE = "stale"  # Another fall came since, or all is done.
    TOLD = "told"  # The owner was told, and no top-up was wished for.
    PAID = "paid"  # The money is on the account.
    FAILED = "failed"  # The card was refused, and the owner was told.


@dataclass(frozen=True, slots=True)
class Refill:
    """Notifies owners of falls, and makes the top-ups that are due."""

    watches: WatchRepository
    ledger: LedgerRepository
    mailer: Mailer
    keys: Callable[[], StripeKeys | None]
    members: Callable[[str], Sequence[str]]
    """Returns the addresses of the account's members who want such mails."""
    clock: Clock

    def answer(self, account_id: str, fall: int) -> Refilled:
        """Do what is left to do about a fall.

        Raises `PaymentUnavailableError` where Stripe gives no answer, and `WatchMovedError`: the message
        comes again then, and nothing is done twice.
        """
        watch = self.watches.get(account_id)
        if watch.fall != fall or (watch.is_told and watch.top_up is not TopUpState.DUE):
            return Refilled.STALE
        if not watch.is_told:
            # Told first, noted after: a mail that comes twice is better than one that never comes.
            self.mailer.send(self._told(watch), mails.low_balance(watch))
            watch = self.watches.save(watch, replace(watch, is_told=True))
        if watch.top_up is not TopUpState.DUE:
            return Refilled.TOLD
        outcome = self._charge(watch)
        return self._paid(watch, outcome) if isinstance(outcome, Paid) else self._failed(watch, outcome)

    def _told(self, watch: Watch) -> list[str]:
        """Return whom mails go to, each address once: those that were typed in, and members who want them."""
        return list(dict.fromkeys([*watch.wish.emails, *self.members(watch.account_id)]))

    def _charge(self, watch: Watch) -> Paid | Declined:
        """Have Stripe take the amount from the saved card, or say why not."""
        keys = self.keys()
        if keys is None or watch.customer is None:
            return Declined(NO_CARD)
        if is_too_old(watch, self.clock.now_ms()):
            # Nobody knows what became of it, and asking again could pay twice: for people to look at.
            logger.error("payments.to_check", reason="top_up_unknown", reference=watch.customer)
            emit({"PaymentToCheck": 1})
            return Declined(NOT_KNOWN)
        method = watch.payment_method or saved_card(keys, watch.customer)
        if method is None:
            return Declined(NO_CARD)
        if watch.payment_method is None:
            # A repeat must ask for exactly the same, or Stripe refuses it as another request under this key.
            self.watches.save(watch, replace(watch, payment_method=method))
        charge = Charge(watch.account_id, watch.top_up_cents, watch.customer, method, watch.fall)
        return charge_saved_card(keys, charge)

    def _paid(self, watch: Watch, found: Paid) -> Refilled:
        now_ms = self.clock.now_ms()
        # Stripe's event of the same payment may have been quicker: its credit has the same id.
        with suppress(AlreadyPostedError):
            self.ledger.credit(found.entry(now_ms))
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
        self.mailer.send(self._told(watch), mails.top_up_failed(failed, current.top_up_cents))
        self.watches.save(current, failed)
        logger.warning("refill_balance.failed", account_id=watch.account_id, reason=found.code)
        return Refilled.FAILED

    def _still_due(self, watch: Watch) -> Watch | None:
        """Return the row as it is now, unless somebody else has ended this fall."""
        current = self.watches.get(watch.account_id)
        is_due = current.fall == watch.fall and current.top_up is TopUpState.DUE
        return current if is_due else None
