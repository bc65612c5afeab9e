"""What an event of Stripe means for an account. Pure.

Shapes and types: Stripe's API reference (Event, Checkout Session, Charge, Dispute) and its guide
"Fulfill orders"; an event has the object of its own moment, so no event is judged by what came before it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, StrictInt

from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind

# The key of a session's metadata that says whose it is; sessions without it are not ours.
ACCOUNT: Final = "tollgate_account"
# The key that says how much was asked for.
CENTS: Final = "tollgate_cents"
# The key of a payment from a saved card that says which fall of the balance it is for.
FALL: Final = "tollgate_fall"
# The key of a session on which its customer let us keep the card.
SAVED: Final = "tollgate_saved"
CURRENCY: Final = "usd"

# Ids at Stripe have up to 255 characters.
_SESSION_ID = re.compile(r"cs_[A-Za-z0-9_]{1,250}")
# The two moments in which a session can be paid: at once, or days later where the bank takes its time.
_COMPLETED = ("checkout.session.completed", "checkout.session.async_payment_succeeded")
_TOPPED_UP = "payment_intent.succeeded"
_REFUNDED, _DISPUTED = "charge.refunded", "charge.dispute.created"
# A dispute that was won, and a refund that the customer's bank did not take: the money is ours again.
_RETURNED = ("charge.dispute.funds_reinstated", "refund.failed")


class Session(BaseModel):
    """A Checkout Session, as far as it matters here; amounts in the currency's smallest unit."""

    id: str
    payment_status: str
    currency: str | None = None
    # Strict: `true` is no cent.
    amount_total: StrictInt | None = None
    payment_intent: str | None = None
    customer: str | None = None
    metadata: dict[str, str] | None = None


class Intent(BaseModel):
    """A PaymentIntent that has succeeded, as far as it matters here."""

    id: str
    currency: str
    amount_received: StrictInt
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment that is to be on an account, once.

    `session_id` is the Checkout session's, or the payment's own where there was none. `customer` is who at
    Stripe has the saved card, where it was saved; `fall` what an automatic top-up is for.
    """

    account_id: str
    session_id: str
    payment_id: str
    event_id: str | None
    cents: int
    customer: str | None = None
    fall: int | None = None

    def entry(self, now_ms: int) -> Entry:
        """Return the ledger's entry. Its id is of the session, which is paid once by whatever events."""
        return Entry(
            self.account_id,
            credit_id(self.session_id),
            EntryKind.CREDIT,
            micro_usd_of_cents(self.cents),
            now_ms,
            reference=self.payment_id,
            event_id=self.event_id,
        )


@dataclass(frozen=True, slots=True)
class ToCheck:
    """Money that moved at Stripe and not here: somebody has to look. `reference` finds it at Stripe."""

    reason: str
    reference: str
    account_id: str | None = None


def is_session_id(text: str) -> bool:
    """Return whether a text that a customer gave can be the id of a session."""
    return _SESSION_ID.fullmatch(text) is not None


def credit_id(session_id: str) -> str:
    """Return the id of a session's one entry; `tollgate accounts credit --id <session>` makes the same."""
    return f"credit_{session_id}"


def read_event(event: Mapping[str, Any]) -> Paid | ToCheck | None:
    """Return what an event asks for; `None` for one that moves nothing.

    Raises pydantic's `ValidationError` for an object of another shape than Stripe documents.
    """
    found = event["data"]["object"]
    if event["type"] in _COMPLETED:
        return _session(Session.model_validate(found), event["id"])
    metadata = found.get("metadata") or {}
    account_id = metadata.get(ACCOUNT)
    # The payment of a session is told of by the session: only one from a saved card is for a fall.
    if event["type"] == _TOPPED_UP:
        return _top_up(Intent.model_validate(found), event["id"]) if FALL in metadata else None
    # Stripe gives a charge the metadata of its payment, but a dispute none: it may be another product's.
    if event["type"] == _DISPUTED or (event["type"] == _REFUNDED and account_id is not None):
        return ToCheck("reversed", found.get("payment_intent") or found["id"], account_id)
    if event["type"] in _RETURNED:
        return ToCheck("returned", found.get("payment_intent") or found["id"], account_id)
    return None


def _session(session: Session, event_id: str) -> Paid | ToCheck | None:
    metadata = session.metadata or {}
    if session.payment_status != "paid" or ACCOUNT not in metadata:
        return None
    account_id, cents = metadata[ACCOUNT], session.amount_total or 0
    # A tax or a discount of the Stripe account would make it another amount than we asked for.
    if session.currency != CURRENCY or str(cents) != metadata.get(CENTS):
        return ToCheck("other_amount", session.id, account_id)
    customer = session.customer if SAVED in metadata else None
    return Paid(account_id, session.id, session.payment_intent or session.id, event_id, cents, customer)


def _top_up(intent: Intent, event_id: str) -> Paid | ToCheck:
    account_id, cents = intent.metadata.get(ACCOUNT, ""), intent.amount_received
    if intent.currency != CURRENCY or str(cents) != intent.metadata.get(CENTS):
        return ToCheck("other_amount", intent.id, account_id)
    return Paid(account_id, intent.id, intent.id, event_id, cents, fall=int(intent.metadata[FALL]))
