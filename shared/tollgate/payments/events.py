"""The meaning of a Stripe event for an account. Pure.

Shapes and types: Stripe's API reference (Event, Checkout Session, Charge, Dispute) and its guide
"Fulfill orders". An event has its object's state at that moment, so no event depends on earlier events.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr, ValidationError

from tollgate.audit.events import STRIPE, Action
from tollgate.audit.notes import AuditNotes
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import dollars, micro_usd_of_cents
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.payments.amounts import CENTS_PER_USD, MAX_USD, MIN_USD
from tollgate.payments.claims import Claim, ClaimKind

# The key of a session's metadata that names the account; other products' sessions lack it.
ACCOUNT: Final = "tollgate_account"
# The key of the requested amount.
CENTS: Final = "tollgate_cents"
# The key, in a payment from a saved card, of the number of the crossing of the account's threshold.
CROSSING: Final = "tollgate_fall"
# The key, in a payment from a saved card, of the tax that Stripe added, in cents.
TAX: Final = "tollgate_tax"
# The key of a session whose customer consented to saving the card.
SAVED: Final = "tollgate_saved"
CURRENCY: Final = "usd"

# Ids at Stripe have up to 255 characters.
_SESSION_ID = re.compile(r"cs_[A-Za-z0-9_]{1,250}")
# The two moments in which a session can be paid: at once, or days later if the bank is slow.
_COMPLETED = ("checkout.session.completed", "checkout.session.async_payment_succeeded")
_TOPPED_UP = "payment_intent.succeeded"
_TOTAL = "charge.refunded"
_REFUNDS = ("refund.created", "refund.updated", "refund.failed", "charge.refund.updated")
_WARNED = "radar.early_fraud_warning.created"
_REINSTATED = "charge.dispute.funds_reinstated"
_DISPUTES = (
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    _REINSTATED,
)
# With one of these statuses a dispute has ended well: it was won, or the inquiry was closed.
_WON = ("won", "warning_closed", "prevented")
# With one of these statuses a refund did not take place.
_NOT_REFUNDED = ("failed", "canceled")
# The bounds of a top-up; and Stripe's maximum, eight digits.
_OFFERED_CENTS = range(MIN_USD * CENTS_PER_USD, MAX_USD * CENTS_PER_USD + 1)
_MAX_CENTS = 99_999_999
_MAX_CROSSING = 10**12 - 1

Id = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9_]{1,255}$")]
Cents = Annotated[StrictInt, Field(ge=0, le=_MAX_CENTS)]
# The account ids of this service.
_ACCOUNT_ID = re.compile(r"usr_[A-Za-z0-9]{1,60}")


class Event(BaseModel):
    """The envelope of every Stripe event; `created` in seconds."""

    class Data(BaseModel):
        """The object of an event."""

        object: dict[str, Any]

    id: Id
    type: Annotated[StrictStr, Field(min_length=1, max_length=255)]
    livemode: StrictBool
    created: Annotated[StrictInt, Field(ge=0, le=2**40)] = 0
    data: Data


class AutomaticTax(BaseModel):
    """Whether Stripe Tax was on for a session."""

    enabled: StrictBool = False


class TotalDetails(BaseModel):
    """The parts of a session's total beside its price."""

    amount_tax: Cents = 0


class Session(BaseModel):
    """The needed fields of a Checkout Session; amounts in the currency's smallest unit."""

    id: Id
    payment_status: str
    currency: str | None = None
    # Strict: `true` is no number of cents.
    amount_total: Cents | None = None
    automatic_tax: AutomaticTax | None = None
    total_details: TotalDetails | None = None
    payment_intent: Id | None = None
    customer: Id | None = None
    metadata: dict[str, str] | None = None


class Intent(BaseModel):
    """The needed fields of a PaymentIntent that has succeeded."""

    id: Id
    currency: str
    amount_received: Cents
    metadata: dict[str, str]


class Charge(BaseModel):
    """A charge with refunds; `amount_refunded` is their sum."""

    id: Id
    amount_refunded: Cents
    payment_intent: Id | None = None
    metadata: dict[str, str] | None = None


class Refund(BaseModel):
    """A refund; `status` is missing for the oldest."""

    id: Id
    amount: Cents
    status: str | None = None
    payment_intent: Id | None = None


class Dispute(BaseModel):
    """A dispute, or an inquiry that precedes it; `amount` is the disputed amount."""

    id: Id
    amount: Cents
    currency: str
    status: str
    payment_intent: Id | None = None


class EarlyFraudWarning(BaseModel):
    """A warning by a card's bank: the payment may be fraud."""

    id: Id
    payment_intent: Id | None = None


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment that must be credited to an account, once.

    `session_id` is the Checkout session's, or the payment's id if there is no session. `customer` is the
    Stripe customer with the saved card, if it was saved; `crossing` is the crossing of the threshold that an
    automatic top-up is for.
    """

    account_id: str
    session_id: str
    payment_id: str
    event_id: str | None
    cents: int
    customer: str | None = None
    crossing: int | None = None
    paid_cents: int = 0
    """The whole payment, with the tax that Stripe added to `cents`; 0 if it had none."""

    def entry(self, now_ms: int) -> Entry:
        """Return the ledger's entry. Its id comes from the session, so several events credit it only once."""
        return Entry(
            self.account_id,
            credit_id(self.session_id),
            EntryKind.CREDIT,
            micro_usd_of_cents(self.cents),
            now_ms,
            reference=self.payment_id,
            event_id=self.event_id,
        )

    def noted(self, audit: AuditNotes) -> Write:
        """Return the audit log's line of the payment, for the transaction that credits it."""
        added = f" and {dollars(self.paid_cents - self.cents)} tax" if self.paid_cents else ""
        detail = f"{dollars(self.cents)}{added}, {self.payment_id}"
        return audit.note(self.account_id, STRIPE, Action.TOPPED_UP, credit_id(self.session_id), detail)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim against a payment. `account_id` is the account in Stripe's object, if any."""

    payment_id: str
    claim_id: str
    claim: Claim
    account_id: str | None = None


@dataclass(frozen=True, slots=True)
class ManualCheck:
    """Money that moved at Stripe and not here: an operator must check it. `reference` finds it at Stripe."""

    reason: str
    reference: str
    account_id: str | None = None
    what: str | None = None
    taken_micro_usd: int | None = None
    shortfall_micro_usd: int | None = None


def is_session_id(text: str) -> bool:
    """Return whether a customer's text can be the id of a session."""
    return _SESSION_ID.fullmatch(text) is not None


def credit_id(session_id: str) -> str:
    """Return the id of a session's one entry; `tollgate accounts credit --id <session>` gives the same id."""
    return f"credit_{session_id}"


def session_of_credit(entry_id: str) -> str | None:
    """Return the session of a payment's entry; `None` for other credits, such as an automatic top-up's."""
    session_id = entry_id.removeprefix("credit_")
    return session_id if entry_id != session_id and is_session_id(session_id) else None


def read_event(body: Mapping[str, Any]) -> Event:
    """Return an event of Stripe. Raises `InvalidInputError` for a shape that Stripe does not document."""
    return _read(Event, body, "")


def change_required_by(event: Event) -> Paid | Claimed | ManualCheck | None:
    """Return the change that an event requires; `None` for an event that moves nothing.

    Raises `InvalidInputError` for an object of a shape that Stripe does not document.
    """
    found = event.data.object
    if event.type in _COMPLETED:
        return _session(_object(Session, found), event.id)
    # A session's event reports its payment, so only automatic top-ups count here.
    if event.type == _TOPPED_UP:
        metadata = found.get("metadata")
        is_automatic = isinstance(metadata, Mapping | list) and CROSSING in metadata
        return _top_up(_object(Intent, found), event.id) if is_automatic else None
    claimed = _claim(event)
    if claimed is not None and not claimed.payment_id:
        return ManualCheck("reversed", claimed.claim_id, claimed.account_id)
    return claimed


def _claim(event: Event) -> Claimed | None:
    """Return the claim and its payment; the payment is `""` if Stripe does not name it."""
    found, at_s = event.data.object, event.created
    if event.type == _TOTAL:
        charge = _object(Charge, found)
        account_id = (charge.metadata or {}).get(ACCOUNT)
        total = Claim(ClaimKind.TOTAL, charge.amount_refunded, at_s, is_open=True)
        # Stripe copies a payment's metadata to its charge. A charge without ours is another product's.
        return Claimed(charge.payment_intent or "", charge.id, total, account_id) if account_id else None
    if event.type in _REFUNDS:
        refund = _object(Refund, found)
        is_open = event.type != "refund.failed" and refund.status not in _NOT_REFUNDED
        claim = Claim(ClaimKind.REFUND, refund.amount, at_s, is_open=is_open)
        return Claimed(refund.payment_intent or "", refund.id, claim)
    if event.type in _DISPUTES:
        dispute = _object(Dispute, found)
        is_open = event.type != _REINSTATED and dispute.status not in _WON
        # An amount in another currency is not comparable: then the claim is the whole payment.
        cents = dispute.amount if dispute.currency == CURRENCY else _MAX_CENTS
        claim = Claim(ClaimKind.DISPUTE, cents, at_s, is_open=is_open)
        return Claimed(dispute.payment_intent or "", dispute.id, claim)
    if event.type == _WARNED:
        warning = _object(EarlyFraudWarning, found)
        claim = Claim(ClaimKind.WARNING, _MAX_CENTS, at_s, is_open=True)
        return Claimed(warning.payment_intent or "", warning.id, claim)
    return None


ModelT = TypeVar("ModelT", bound=BaseModel)


def _object(model: type[ModelT], found: Mapping[str, Any]) -> ModelT:
    return _read(model, found, "/data/object")


def _read(model: type[ModelT], found: Mapping[str, Any], path: str) -> ModelT:
    try:
        return model.model_validate(found)
    except ValidationError as exc:
        problems = [
            Problem("/".join([path, *map(str, each["loc"])]), f"{each['msg']}.")
            for each in exc.errors(include_input=False, include_url=False)
        ]
        raise InvalidInputError(problems) from exc


def _session(session: Session, event_id: str) -> Paid | ManualCheck | None:
    metadata = session.metadata or {}
    if session.payment_status != "paid" or ACCOUNT not in metadata:
        return None
    account_id, total = _account_of(metadata), session.amount_total
    _check_paid(total, "amount_total")
    # The balance gets the price. A tax belongs to the state, and stands on the invoice.
    tax = _tax_of(session)
    cents = None if total is None else total - tax
    if cents is None or not _is_as_asked(cents, session.currency, metadata):
        return ManualCheck("other_amount", session.id, account_id)
    customer = session.customer if SAVED in metadata else None
    payment_id = session.payment_intent or session.id
    whole = cents + tax if tax else 0
    return Paid(account_id, session.id, payment_id, event_id, cents, customer, paid_cents=whole)


def _tax_of(session: Session) -> int:
    """Return the tax that Stripe Tax added to a session's total."""
    is_taxed = session.automatic_tax is not None and session.automatic_tax.enabled
    return session.total_details.amount_tax if is_taxed and session.total_details is not None else 0


def _top_up(intent: Intent, event_id: str) -> Paid | ManualCheck:
    account_id, total = _account_of(intent.metadata), intent.amount_received
    _check_paid(total, "amount_received")
    tax = digits(intent.metadata.get(TAX, "0"), 0, _MAX_CENTS) or 0
    cents = total - tax
    if not _is_as_asked(cents, intent.currency, intent.metadata):
        return ManualCheck("other_amount", intent.id, account_id)
    crossing = digits(intent.metadata[CROSSING], 0, _MAX_CROSSING)
    if crossing is None:
        raise InvalidInputError(
            [Problem(f"/data/object/metadata/{CROSSING}", "Must be a number that we set.")]
        )
    return Paid(
        account_id, intent.id, intent.id, event_id, cents, crossing=crossing, paid_cents=total if tax else 0
    )


def _account_of(metadata: Mapping[str, str]) -> str:
    account_id = metadata.get(ACCOUNT, "")
    if not _ACCOUNT_ID.fullmatch(account_id):
        raise InvalidInputError(
            [Problem(f"/data/object/metadata/{ACCOUNT}", "Must be the id of an account.")]
        )
    return account_id


def _check_paid(cents: int | None, name: str) -> None:
    # A payment of 0 is no payment.
    if cents == 0:
        raise InvalidInputError([Problem(f"/data/object/{name}", "Must be above 0 for a paid session.")])


def _is_as_asked(cents: int, currency: str | None, metadata: Mapping[str, str]) -> bool:
    """Return whether a payment is as requested; a discount at Stripe would change it."""
    return currency == CURRENCY and cents in _OFFERED_CENTS and str(cents) == metadata.get(CENTS)
