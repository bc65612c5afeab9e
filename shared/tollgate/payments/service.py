"""Top-ups, from the wish to pay to the credit in the ledger (decision 0020)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from tollgate.kit.clock import Clock
from tollgate.kit.errors import RouteNotFoundError, UserNotFoundError
from tollgate.kit.observability import emit, logger
from tollgate.ledger.repository import AccountClosedError, AlreadyPostedError, LedgerRepository
from tollgate.ledger.statement import view
from tollgate.payments.amounts import read_cents
from tollgate.payments.client import open_checkout, receipt_url, signed_event
from tollgate.payments.events import Paid, ToCheck, credit_id, is_session_id, read_event
from tollgate.payments.secret import StripeKeys, StripeKeySource


class Outcome(StrEnum):
    """What became of an event."""

    CREDITED = "credited"  # The money is on the account now.
    REPEATED = "repeated"  # It was there already.
    IGNORED = "ignored"  # The event moves nothing, or is of another product of the same Stripe account.
    TO_CHECK = "to_check"  # Money moved at Stripe that did not move here: `PaymentToCheckAlarm` rings.


class SavedCards(Protocol):
    """Keeps who at Stripe has an account's saved card, and what became of automatic top-ups."""

    def customer(self, account_id: str) -> str | None:
        """Return who at Stripe has the account's saved card."""

    def save_customer(self, account_id: str, customer: str) -> None:
        """Note who has it. A repeat changes nothing."""

    def topped_up(self, account_id: str, fall: int, credited_ms: int) -> None:
        """Note that the top-up of a fall is on the account. A repeat changes nothing."""


@dataclass(frozen=True, slots=True)
class PaymentService:
    """Takes payments where the service has Stripe's keys."""

    source: StripeKeySource
    ledger: LedgerRepository
    cards: SavedCards
    clock: Clock

    def is_on(self) -> bool:
        """Return whether customers can pay here."""
        return self.source.keys() is not None

    def begin(
        self, account_id: str, amount: str, *, success_url: str, cancel_url: str, save_card: bool = False
    ) -> str:
        """Return the address of the page where `amount`, whole US dollars, can be paid.

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
        )

    def receive(self, body: bytes, signature: str | None) -> Outcome:
        """Take an event of Stripe's webhook; any number of times and in any order, a payment counts once.

        Raises `InvalidSignatureError`, and `RouteNotFoundError` without keys.
        """
        keys = self._keys()
        event = signed_event(keys, body, signature)
        # A live key beside the secret of a test endpoint: test cards would be money.
        is_play = keys.is_live and not event["livemode"]
        outcome = self._apply(ToCheck("test_mode", event["id"]) if is_play else read_event(event))
        logger.info("payments.event", event_id=event["id"], type=event["type"], outcome=outcome)
        return outcome

    def receipt(self, account_id: str, session_id: str) -> Mapping[str, Any] | None:
        """Return the ledger's entry of a payment as the API shows it, once it is there."""
        # The id comes from the address bar: what cannot be a session's is looked up nowhere.
        known = [credit_id(session_id)] if is_session_id(session_id) else []
        found = self.ledger.named(account_id, known)
        return view(found[0]) if found else None

    def receipt_url(self, account_id: str, entry_id: str) -> str:
        """Return the address of Stripe's receipt of a payment of the account.

        Raises `PaymentUnavailableError`, and `RouteNotFoundError` for what is no payment of the account.
        """
        found = self.ledger.named(account_id, [entry_id])
        if not found or found[0].reference is None:
            raise RouteNotFoundError
        url = receipt_url(self._keys(), found[0].reference)
        if url is None:
            raise RouteNotFoundError
        return url

    def _apply(self, found: Paid | ToCheck | None) -> Outcome:
        match found:
            case None:
                return Outcome.IGNORED
            case ToCheck():
                return _to_check(found)
        # The entry's id is made of the session's, and is written on the condition that it is new: Stripe
        # sends each event at least once, and both events of a session that can mean "paid".
        now_ms = self.clock.now_ms()
        outcome = Outcome.CREDITED
        try:
            self.ledger.credit(found.entry(now_ms))
        except AlreadyPostedError:
            outcome = Outcome.REPEATED
        except UserNotFoundError:
            # Stripe would send it again for days, and nothing would be different then.
            return _to_check(ToCheck("unknown_account", found.session_id, found.account_id))
        except AccountClosedError:
            return _to_check(ToCheck("closed_account", found.session_id, found.account_id))
        # After the money, and at a repeat too: a crash in between is mended by Stripe's next try.
        if found.customer is not None:
            self.cards.save_customer(found.account_id, found.customer)
        if found.fall is not None:
            self.cards.topped_up(found.account_id, found.fall, now_ms)
        return outcome

    def _keys(self) -> StripeKeys:
        keys = self.source.keys()
        if keys is None:
            raise RouteNotFoundError
        return keys


def tell_operators(found: ToCheck) -> None:
    """Log what somebody has to look at, and ring `PaymentToCheckAlarm`."""
    logger.error(
        "payments.to_check", reason=found.reason, reference=found.reference, account_id=found.account_id
    )
    emit({"PaymentToCheck": 1})


def _to_check(found: ToCheck) -> Outcome:
    tell_operators(found)
    return Outcome.TO_CHECK
