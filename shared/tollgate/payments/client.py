"""The only use of Stripe's library: a page to pay on, and the proof that an event is Stripe's.

Functions import `stripe` themselves: that takes a third of a second, which no other request should wait for.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.http.json_body import json_object
from tollgate.kit.observability import logger
from tollgate.payments.billing_details import BillingDetails
from tollgate.payments.errors import InvalidSignatureError, PaymentUnavailableError
from tollgate.payments.events import ACCOUNT, CENTS, CROSSING, CURRENCY, SAVED, TAX, Paid
from tollgate.payments.secret import StripeKeys

if TYPE_CHECKING:
    from stripe import PaymentIntent, StripeClient, StripeError
    from stripe.params import PaymentIntentCreateParams
    from stripe.params.checkout import (
        SessionCreateParams,
        SessionCreateParamsInvoiceCreationInvoiceData,
        SessionCreateParamsLineItemPriceData,
        SessionCreateParamsPaymentIntentData,
    )
    from stripe.params.tax import CalculationCreateParamsLineItem
    from stripe.tax import Calculation

# A person waits, and the gateway gives up after 29 s; two tries fit into that.
TIMEOUT_S = 8
MAX_RETRIES = 1
# How old a signature may be, so that a recorded event is useless later (Stripe's own default).
TOLERANCE_S = 300
PRODUCT = "Tollgate credit"
# Electronically supplied services (https://docs.stripe.com/tax/tax-codes).
TAX_CODE = "txcd_10000000"
NO_PLACE = "Stripe Tax needs the billing address of the saved card. Add credit once on the page Credit."
# Stripe's codes for a customer without an address that shows the tax.
_NO_PLACE_CODES = frozenset({"customer_tax_location_invalid", "invalid_tax_location"})
DECLINED = "The card was declined."
NO_DETAILS = BillingDetails()
# The difference between Stripe's clock and ours; the newest payments of a customer that a search covers.
SKEW_S, MAX_FOUND = 300, 100


@dataclass(frozen=True, slots=True)
class Charge:
    """A payment from a saved card, for one crossing of the threshold.

    `customer` and `payment_method` are Stripe's ids. `crossing` numbers the account's
    crossings: it is part of the idempotency key at Stripe, so a repeat charges nothing more.
    """

    account_id: str
    cents: int
    customer: str
    payment_method: str
    crossing: int


@dataclass(frozen=True, slots=True)
class Card:
    """A saved card. `method_id` is Stripe's id; the texts are empty if Stripe returned none."""

    method_id: str
    brand: str
    last4: str
    expires: str


@dataclass(frozen=True, slots=True)
class Declined:
    """A card that was not charged: the reason for its owner, and Stripe's code for the log."""

    reason: str
    code: str | None = None


def open_checkout(
    keys: StripeKeys,
    account_id: str,
    cents: int,
    *,
    success_url: str,
    cancel_url: str,
    customer: str | None = None,
    save_card: bool = False,
    billing: BillingDetails = NO_DETAILS,
) -> str:
    """Create a page at Stripe on which `cents` (US cents) can be paid for an account; return its address.

    With `save_card` it asks for consent to charge the card later. Stripe's invoice has the details of
    `billing`.

    Raises `PaymentUnavailableError` if Stripe does not create it.
    """
    import stripe  # noqa: PLC0415 - see above

    asked = _session(account_id, cents, customer, save_card=save_card)
    if keys.has_tax:
        _add_tax(asked, customer)
    asked["success_url"], asked["cancel_url"] = success_url, cancel_url
    if not billing.is_empty:
        asked["invoice_creation"] = {"enabled": True, "invoice_data": _invoice(billing)}
    try:
        session = _client(keys).v1.checkout.sessions.create(asked)
    except stripe.StripeError as exc:
        if customer is None or exc.code != "resource_missing":
            raise _unavailable("payments.checkout_failed", exc) from exc
        # The customer was deleted at Stripe, or belongs to another key: pay as a new customer.
        return open_checkout(
            keys,
            account_id,
            cents,
            success_url=success_url,
            cancel_url=cancel_url,
            save_card=save_card,
            billing=billing,
        )
    if session.url is None:
        raise PaymentUnavailableError
    return session.url


def _session(account_id: str, cents: int, customer: str | None, *, save_card: bool) -> "SessionCreateParams":
    """Return the parameters of the page in Stripe's types."""
    ours = {ACCOUNT: account_id, CENTS: str(cents)}
    # The charge gets the metadata too, so that its refunds differ from refunds of other products.
    payment: SessionCreateParamsPaymentIntentData = {"metadata": ours}
    price: SessionCreateParamsLineItemPriceData = {
        "currency": CURRENCY,
        "unit_amount": cents,
        "product_data": {"name": PRODUCT},
    }
    asked: SessionCreateParams = {
        "mode": "payment",
        "invoice_creation": {"enabled": True},
        "client_reference_id": account_id,
        "line_items": [{"quantity": 1, "price_data": price}],
        "metadata": {**ours, SAVED: "1"} if save_card else ours,
        "payment_intent_data": payment,
    }
    if save_card:
        payment["setup_future_usage"] = "off_session"
    # Reuse the Stripe customer: saved cards and invoices belong to it.
    if customer is not None:
        asked["customer"] = customer
    elif save_card:
        asked["customer_creation"] = "always"
    return asked


def _add_tax(asked: "SessionCreateParams", customer: str | None) -> None:
    """Have Stripe add the tax of the payer's place to the price, and show it on the invoice.

    https://docs.stripe.com/tax/checkout, https://docs.stripe.com/tax/checkout/tax-ids
    """
    asked["automatic_tax"] = {"enabled": True}
    asked["tax_id_collection"] = {"enabled": True}
    for item in asked.get("line_items", ()):
        item["price_data"]["tax_behavior"] = "exclusive"
        item["price_data"]["product_data"]["tax_code"] = TAX_CODE
    # Stripe needs the address, and a customer with a tax id has a name.
    if customer is not None:
        asked["customer_update"] = {"address": "auto", "name": "auto"}


def _invoice(billing: BillingDetails) -> "SessionCreateParamsInvoiceCreationInvoiceData":
    """Return the details in Stripe's types; the address has more lines than a field of an invoice."""
    data: SessionCreateParamsInvoiceCreationInvoiceData = {
        "custom_fields": [{"name": label, "value": value} for label, value in billing.on_invoice()]
    }
    if billing.address:
        data["footer"] = f"Billed to:\n{billing.address}"
    return data


def saved_card(keys: StripeKeys, customer: str) -> str | None:
    """Return the id of a customer's newest saved card. Raises `PaymentUnavailableError`."""
    found = card_of(keys, customer)
    return None if found is None else found.method_id


def card_of(keys: StripeKeys, customer: str) -> Card | None:
    """Return a customer's newest saved card. Raises `PaymentUnavailableError`."""
    import stripe  # noqa: PLC0415 - see above

    try:
        found = _client(keys).v1.customers.payment_methods.list(customer, {"type": "card", "limit": 1})
    except stripe.InvalidRequestError:
        # The customer was deleted at Stripe, and the cards with it.
        return None
    except stripe.StripeError as exc:
        raise _unavailable("payments.cards_failed", exc) from exc
    if not found.data:
        return None
    method = found.data[0]
    card = getattr(method, "card", None)
    if card is None:
        return Card(method.id, "", "", "")
    return Card(method.id, card.brand.capitalize(), card.last4, f"{card.exp_month:02}/{card.exp_year}")


def charge_saved_card(keys: StripeKeys, charge: Charge) -> Paid | Declined:
    """Charge a saved card without its owner; a repeat of the same charge returns the first one's result.

    Raises `PaymentUnavailableError` if the outcome is unknown: search for the payment, then try again.
    https://docs.stripe.com/payments/save-during-payment, https://docs.stripe.com/api/idempotent_requests
    """
    import stripe  # noqa: PLC0415 - see above

    client = _client(keys)
    metadata = {ACCOUNT: charge.account_id, CENTS: str(charge.cents), CROSSING: str(charge.crossing)}
    asked: PaymentIntentCreateParams = {
        "amount": charge.cents,
        "currency": CURRENCY,
        "customer": charge.customer,
        "payment_method": charge.payment_method,
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
        "off_session": True,
        "confirm": True,
        # The owner cannot authenticate now: treat it as a refusal, not as a pending payment.
        "error_on_requires_action": True,
        "description": PRODUCT,
        "metadata": metadata,
    }
    try:
        if keys.has_tax:
            found = _tax(client, charge)
            asked["amount"] = found.amount_total
            asked["metadata"] = {**metadata, TAX: str(found.amount_total - charge.cents)}
            # Stripe books the tax when the payment succeeds, and again when it is refunded.
            asked["hooks"] = {"inputs": {"tax": {"calculation": found.id or ""}}}
        intent = client.v1.payment_intents.create(asked, {"idempotency_key": _key(charge)})
        # A repeat gets the first response, so read the current state.
        if intent.status != "succeeded":
            intent = client.v1.payment_intents.retrieve(intent.id)
    except stripe.CardError as exc:
        return Declined(exc.user_message or DECLINED, exc.code)
    except stripe.StripeError as exc:
        # The card or its customer was deleted at Stripe, so no payment was started.
        if exc.code == "resource_missing":
            return Declined("The saved card no longer exists.", exc.code)
        # The calculation comes before the payment.
        if exc.code in _NO_PLACE_CODES:
            return Declined(NO_PLACE, exc.code)
        raise _unavailable("payments.top_up_failed", exc) from exc
    return _outcome(charge, intent)


def _key(charge: Charge) -> str:
    return f"tollgate-{charge.account_id}-{charge.crossing}"


def _tax(client: "StripeClient", charge: Charge) -> "Calculation":
    """Return Stripe's calculation of the tax on a charge; a repeat returns the first one.

    https://docs.stripe.com/tax/payment-intent
    """
    item: CalculationCreateParamsLineItem = {
        "amount": charge.cents,
        "reference": PRODUCT,
        "tax_behavior": "exclusive",
        "tax_code": TAX_CODE,
    }
    return client.v1.tax.calculations.create(
        {"currency": CURRENCY, "customer": charge.customer, "line_items": [item]},
        {"idempotency_key": f"{_key(charge)}-tax"},
    )


def find_charge(keys: StripeKeys, charge: Charge, since_ms: int) -> Paid | Declined | None:
    """Return the outcome of a charge that was requested since a time, `None` if Stripe created no payment.

    Stripe repeats a 500 under its idempotency key even if the charge succeeded: only this search shows it.
    Raises `PaymentUnavailableError`. https://docs.stripe.com/error-low-level#server-errors
    """
    import stripe  # noqa: PLC0415 - see above

    ours = {ACCOUNT: charge.account_id, CROSSING: str(charge.crossing)}
    try:
        made = _client(keys).v1.payment_intents.list(
            {
                "customer": charge.customer,
                "created": {"gte": since_ms // MS_PER_S - SKEW_S},
                "limit": MAX_FOUND,
            }
        )
    except stripe.StripeError as exc:
        if exc.code == "resource_missing":
            return None
        raise _unavailable("payments.search_failed", exc) from exc
    for intent in made.data:
        if ours.items() <= intent.metadata.to_dict().items():
            return _outcome(charge, intent)
    return None


def _outcome(charge: Charge, intent: "PaymentIntent") -> Paid | Declined:
    if intent.status == "succeeded":
        return Paid(
            charge.account_id,
            intent.id,
            intent.id,
            None,
            charge.cents,
            crossing=charge.crossing,
            paid_cents=intent.amount_received if intent.amount_received > charge.cents else 0,
        )
    if intent.status == "canceled" or intent.last_payment_error is not None:
        return Declined(DECLINED, intent.status)
    # It is processing: the outcome is unknown.
    raise PaymentUnavailableError


def forget_customer(keys: StripeKeys, customer: str) -> None:
    """Delete a customer and their saved cards at Stripe; payments and invoices stay. A repeat is harmless.

    Raises `PaymentUnavailableError`. https://docs.stripe.com/api/customers/delete
    """
    import stripe  # noqa: PLC0415 - see above

    try:
        _client(keys).v1.customers.delete(customer)
    except stripe.InvalidRequestError as exc:
        # It is gone already; any other refusal needs a person.
        if exc.code != "resource_missing":
            raise _unavailable("payments.forget_failed", exc) from exc
    except stripe.StripeError as exc:
        raise _unavailable("payments.forget_failed", exc) from exc


def invoice_url(keys: StripeKeys, session_id: str) -> str | None:
    """Return the address of a session's invoice, `None` if it has none. Raises `PaymentUnavailableError`.

    https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-invoice
    """
    import stripe  # noqa: PLC0415 - see above

    try:
        session = _client(keys).v1.checkout.sessions.retrieve(session_id, {"expand": ["invoice"]})
    except stripe.StripeError as exc:
        raise _unavailable("payments.invoice_failed", exc) from exc
    return getattr(session.invoice, "hosted_invoice_url", None)


def receipt_url(keys: StripeKeys, payment_id: str) -> str | None:
    """Return the address of Stripe's receipt of a payment. Raises `PaymentUnavailableError`."""
    import stripe  # noqa: PLC0415 - see above

    try:
        intent = _client(keys).v1.payment_intents.retrieve(payment_id, {"expand": ["latest_charge"]})
    except stripe.StripeError as exc:
        raise _unavailable("payments.receipt_failed", exc) from exc
    return getattr(intent.latest_charge, "receipt_url", None)


def _client(keys: StripeKeys) -> "StripeClient":
    import stripe  # noqa: PLC0415 - see above

    return stripe.StripeClient(
        keys.secret_key,
        http_client=stripe.RequestsClient(timeout=TIMEOUT_S),
        max_network_retries=MAX_RETRIES,
        base_addresses={"api": keys.base_url} if keys.base_url else {},
    )


def _unavailable(event: str, exc: "StripeError") -> PaymentUnavailableError:
    logger.error(event, reason=type(exc).__name__, stripe_request=exc.request_id)
    return PaymentUnavailableError()


def signed_event(keys: StripeKeys, body: bytes, signature: str | None) -> dict[str, Any]:
    """Return the event in a body if Stripe signed these exact bytes recently.

    Raises `InvalidSignatureError`; the body is not parsed before the check.
    """
    from stripe import SignatureVerificationError, WebhookSignature  # noqa: PLC0415 - see above

    # Stripe's comparison accepts only ASCII text.
    if signature is None or not signature.isascii():
        raise InvalidSignatureError
    try:
        WebhookSignature.verify_header(body, signature, keys.webhook_secret, TOLERANCE_S)
    except (SignatureVerificationError, UnicodeDecodeError) as exc:
        raise InvalidSignatureError from exc
    # Stripe's library only rejects old signatures: a future time would let an event be replayed for longer.
    if _signed_at_s(signature) > time.time() + TOLERANCE_S:
        raise InvalidSignatureError
    return json_object(body)


def _signed_at_s(signature: str) -> int:
    """Return the time in a verified signature header, parsed as Stripe's library does."""
    parts = dict(part.split("=", 1) for part in reversed(signature.split(",")))
    return int(parts["t"])
