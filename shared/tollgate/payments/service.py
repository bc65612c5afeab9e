"""Top-ups, from the request to pay to the credit in the ledger (decision 0020)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol

from tollgate.kit.clock import Clock
from tollgate.kit.errors import RouteNotFoundError, UserNotFoundError
from tollgate.kit.observability import emit, logger
from tollgate.ledger.crediting import AccountClosedError
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.statement import view
from tollgate.payments.amounts import read_cents
from tollgate.payments.billing_details import BillingDetails
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.claims import Payment, TooManyClaimsError
from tollgate.payments.client import NO_DETAILS, open_checkout, receipt_url, signed_event
from tollgate.payments.errors import InvalidSignatureError
from tollgate.payments.events import (
    Claimed,
    ManualCheck,
    Paid,
    change_required_by,
    credit_id,
    is_session_id,
    read_event,
)
from tollgate.payments.secret import StripeKeys, StripeKeySource


class Outcome(StrEnum):
    """The result of an event."""

    CREDITED = "credited"  # The money is on the account now.
    REPEATED = "repeated"  # It was there already, or the event is not newer.
    REVERSED = "reversed"  # A payment was refunded or disputed: taken back and suspended; the alarm rings.
    RETURNED = "returned"  # The taken money is back on the account, which stays suspended; the alarm rings.
    IGNORED = "ignored"  # The event moves nothing, or belongs to another product of the same Stripe account.
    TO_CHECK = "to_check"  # Money moved at Stripe that did not move here: `PaymentToCheckAlarm` rings.


class SavedCards(Protocol):
    """Stores the Stripe customer with an account's saved card, and results of automatic top-ups."""

    def customer(self, account_id: str) -> str | None:
        """Return the Stripe customer with the account's saved card."""

    def save_customer(self, account_id: str, customer: str) -> None:
        """Store that customer. A repeat changes nothing."""

    def topped_up(self, account_id: str, crossing: int, credited_ms: int) -> None:
        """Record that the top-up for a crossing is on the account. A repeat changes nothing."""


@dataclass(frozen=True, slots=True)
class PaymentService:
    """Takes payments if the service has Stripe's keys."""

    source: StripeKeySource
    ledger: LedgerReader
    book: PaymentBook
    cards: SavedCards
    clock: Clock

    def is_on(self) -> bool:
        """Return whether customers can pay here."""
        return self.source.keys() is not None

    def has_tax(self) -> bool:
        """Return whether Stripe adds a tax to each payment."""
        keys = self.source.keys()
        return keys is not None and keys.has_tax

    def begin(
        self,
        account_id: str,
        amount: str,
        *,
        success_url: str,
        cancel_url: str,
        save_card: bool = False,
        billing: BillingDetails = NO_DETAILS,
    ) -> str:
        """Return the address of the page where `amount`, whole US dollars, can be paid.

        The invoice has the details of `billing`.

        Raises `InvalidInputError`, `PaymentUnavailableError`, and `RouteNotFoundError` without keys.
        """
        cents = read_cents(amount)
        return open_checkout(
            self._keys(),
            account_id,
            cents,
            success_url=success_url,
            cancel_url=cancel_url,
            customer=self.cards.customer(account_id),
            save_card=save_card,
            billing=billing,
        )

    def receive(self, body: bytes, signature: str | None) -> Outcome:
        """Take an event of Stripe's webhook; a payment counts once, with any repeats and in any order.

        Raises `InvalidSignatureError`, `InvalidInputError` for a shape that Stripe does not send, and
        `RouteNotFoundError` without keys.
        """
        keys = self._keys()
        event = read_event(_signed(keys, body, signature))
        # A live key with the secret of a test endpoint would turn test cards into money.
        is_play = keys.is_live and not event.livemode
        outcome = self._apply(ManualCheck("test_mode", event.id) if is_play else change_required_by(event))
        logger.info("payments.event", event_id=event.id, type=event.type, outcome=outcome)
        return outcome

    def receipt(self, account_id: str, session_id: str) -> Mapping[str, Any] | None:
        """Return the ledger's entry of a payment as the API shows it, once it is there."""
        # The id comes from the address bar: a text that cannot be a session's id is not looked up.
        known = [credit_id(session_id)] if is_session_id(session_id) else []
        found = self.ledger.named(account_id, known)
        return view(found[0]) if found else None

    def receipt_url(self, account_id: str, entry_id: str) -> str:
        """Return the address of Stripe's receipt of a payment of the account.

        Raises `PaymentUnavailableError`, and `RouteNotFoundError` if it is no payment of the account.
        """
        found = self.ledger.named(account_id, [entry_id])
        if not found or found[0].reference is None:
            raise RouteNotFoundError
        url = receipt_url(self._keys(), found[0].reference)
        if url is None:
            raise RouteNotFoundError
        return url

    def _apply(self, found: Paid | Claimed | ManualCheck | None) -> Outcome:
        match found:
            case None:
                return Outcome.IGNORED
            case ManualCheck():
                return _manual_check(found)
            case Claimed():
                return self._reverse(found)
        # The entry's id is derived from the session's, and the write requires that it is new: Stripe
        # sends each event at least once, and a session has two events that can mean "paid".
        try:
            is_first = self.book.credit(found)
        except UserNotFoundError:
            # Stripe would repeat it for days without a different result.
            return _manual_check(ManualCheck("unknown_account", found.session_id, found.account_id))
        except AccountClosedError:
            return _manual_check(ManualCheck("closed_account", found.session_id, found.account_id))
        # After the money, and at a repeat too: after a crash in between, Stripe's next try finishes it.
        if found.customer is not None:
            self.cards.save_customer(found.account_id, found.customer)
        if found.crossing is not None:
            self.cards.topped_up(found.account_id, found.crossing, self.clock.now_ms())
        return Outcome.CREDITED if is_first else Outcome.REPEATED

    def _reverse(self, found: Claimed) -> Outcome:
        """Take back the claimed amount of a payment, or return an amount that is no longer claimed."""
        try:
            before, now = self.book.record_claim(found)
        except AccountClosedError:
            account_id = self.book.rows.get(found.payment_id).account_id
            return _manual_check(ManualCheck("closed_account", found.payment_id, account_id))
        except TooManyClaimsError:
            return _manual_check(ManualCheck("too_many_claims", found.payment_id, found.account_id))
        if now.account_id is None:
            return _unknown(before, now, found)
        # An unsettled payment was left by a process that crashed before it could notify the operators.
        if before.is_settled and before.wanted_micro_usd == now.wanted_micro_usd:
            return Outcome.REPEATED
        taken, missing = now.taken_micro_usd, now.shortfall_micro_usd
        is_back = (now.wanted_micro_usd, taken) < (before.wanted_micro_usd, before.taken_micro_usd)
        outcome = Outcome.RETURNED if is_back else Outcome.REVERSED
        _manual_check(ManualCheck(str(outcome), now.payment_id, now.account_id, now.what(), taken, missing))
        return outcome

    def _keys(self) -> StripeKeys:
        keys = self.source.keys()
        if keys is None:
            raise RouteNotFoundError
        return keys


def _signed(keys: StripeKeys, body: bytes, signature: str | None) -> dict[str, Any]:
    """Return a signed event. Raises `InvalidSignatureError`, and alerts operators if it may be Stripe's."""
    try:
        return signed_event(keys, body, signature)
    except InvalidSignatureError:
        # Most strangers do not know the form of a signature. Stripe has it, with another endpoint's secret.
        if signature is not None and "v1=" in signature:
            logger.error("payments.event_refused", size=len(body))
            emit({"PaymentEventsRefused": 1})
        raise


def _unknown(before: Payment, now: Payment, found: Claimed) -> Outcome:
    """Return the result of a claim against a payment without a known credit: it waits for the credit."""
    if before.claims == now.claims:
        return Outcome.REPEATED
    # A refund does not name its product: it may be another product's, so no alarm. A dispute rings.
    if found.account_id is None and not now.claims[found.claim_id].is_of_a_bank:
        return Outcome.IGNORED
    return _manual_check(ManualCheck("unknown_payment", found.payment_id, found.account_id))


def alert_operators(found: ManualCheck) -> None:
    """Log the payment that an operator must check, and ring `PaymentToCheckAlarm`."""
    known = {name: each for name, each in asdict(found).items() if each is not None}
    logger.error("payments.to_check", **known)
    emit({"PaymentToCheck": 1})


def _manual_check(found: ManualCheck) -> Outcome:
    alert_operators(found)
    return Outcome.TO_CHECK
