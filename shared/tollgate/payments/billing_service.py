"""Owners' billing details, and their card at Stripe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.errors import RouteNotFoundError
from tollgate.kit.retry import retry_change
from tollgate.ledger.reader import LedgerReader
from tollgate.payments.billing_details import BillingDetails, read_details
from tollgate.payments.client import Card, card_of, forget_customer, invoice_url
from tollgate.payments.events import session_of_credit
from tollgate.payments.repository import BillingRepository, StaleBillingError
from tollgate.payments.secret import StripeKeys


class CardSettings(Protocol):
    """Stores the Stripe customer with an account's saved card."""

    def customer(self, account_id: str) -> str | None:
        """Return the Stripe customer with the account's saved card."""

    def forget_card(self, account_id: str, who: str) -> None:
        """Remove the customer, and end automatic top-ups. A repeat changes nothing."""

    def check_idle(self, account_id: str) -> None:
        """Raise `ConcurrencyLimitedError` while a top-up is in progress."""


@dataclass(frozen=True, slots=True)
class BillingService:
    """Shows and changes billing details, and shows and removes the saved card.

    `keys` returns Stripe's keys, or None if the service has none.
    """

    rows: BillingRepository
    cards: CardSettings
    ledger: LedgerReader
    audit: AuditLog
    keys: Callable[[], StripeKeys | None]

    def details(self, account_id: str) -> BillingDetails:
        """Return the billing details; empty if none were set."""
        return self.rows.get(account_id)

    def change(self, account_id: str, sent: Mapping[str, str], who: str = OWNER) -> BillingDetails:
        """Store the fields of a form. Raises `InvalidInputError`, `ConcurrencyLimitedError`."""

        def write() -> BillingDetails:
            known = self.rows.get(account_id)
            changed = read_details(sent, known.seq + 1)
            if replace(changed, seq=known.seq) == known:
                return known
            detail = ", ".join(value for _, value in changed.on_invoice())
            note = self.audit.note(account_id, who, Action.BILLING_CHANGED, "Billing details", detail)
            self.rows.save(account_id, changed, note)
            return changed

        return retry_change(write, StaleBillingError, what="These details are")

    def card(self, account_id: str) -> Card | None:
        """Return the saved card, if there is one. Raises `PaymentUnavailableError`."""
        keys, customer = self.keys(), self.cards.customer(account_id)
        return None if keys is None or customer is None else card_of(keys, customer)

    def remove_card(self, account_id: str, who: str) -> None:
        """Delete the card at Stripe, then end automatic top-ups. A repeat changes nothing.

        Raises `PaymentUnavailableError`, and `ConcurrencyLimitedError` while a top-up is in progress.
        """
        keys, customer = self.keys(), self.cards.customer(account_id)
        if customer is None:
            return
        self.cards.check_idle(account_id)
        # The card first: after a crash in between, a repeat finds the customer and finishes.
        if keys is not None:
            forget_customer(keys, customer)
        self.cards.forget_card(account_id, who)

    def invoice_url(self, account_id: str, entry_id: str) -> str:
        """Return the address of Stripe's invoice of a payment of the account.

        Raises `PaymentUnavailableError`, and `RouteNotFoundError` if the payment has no invoice.
        """
        keys, session_id = self.keys(), session_of_credit(entry_id)
        if keys is None or session_id is None or not self.ledger.named(account_id, [entry_id]):
            raise RouteNotFoundError
        url = invoice_url(keys, session_id)
        if url is None:
            raise RouteNotFoundError
        return url
