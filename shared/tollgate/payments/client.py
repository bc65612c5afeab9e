"""Stripe's own library, and nothing else of it: a page to pay on, and the proof that an event is Stripe's.

Imported where it is used: it takes a third of a second, which no other request should wait for.
"""

from typing import Any

from tollgate.kit.errors import InvalidSignatureError, PaymentUnavailableError
from tollgate.kit.json_body import json_object
from tollgate.kit.observability import logger
from tollgate.payments.events import ACCOUNT, CENTS, CURRENCY
from tollgate.payments.secret import StripeKeys

# A person waits, and the gateway gives up after 29 s; with one more try this is within it.
TIMEOUT_S = 8
MAX_RETRIES = 1
# How old a signature may be: an event that somebody kept is of no use later (Stripe's own default).
TOLERANCE_S = 300
PRODUCT = "Tollgate credit"


def open_checkout(keys: StripeKeys, account_id: str, cents: int, *, success_url: str, cancel_url: str) -> str:
    """Have Stripe make a page on which `cents` (US cents) can be paid for an account; give its address.

    Raises `PaymentUnavailableError` when Stripe does not make it.
    """
    import stripe  # noqa: PLC0415 - see above

    client = stripe.StripeClient(
        keys.secret_key,
        http_client=stripe.RequestsClient(timeout=TIMEOUT_S),
        max_network_retries=MAX_RETRIES,
        base_addresses={"api": keys.base_url} if keys.base_url else {},
    )
    ours = {ACCOUNT: account_id, CENTS: str(cents)}
    price: Any = {"currency": CURRENCY, "unit_amount": cents, "product_data": {"name": PRODUCT}}
    try:
        session = client.v1.checkout.sessions.create(
            {
                "mode": "payment",
                "client_reference_id": account_id,
                "line_items": [{"quantity": 1, "price_data": price}],
                "metadata": ours,
                # The charge gets it too, so a refund can be told from those of other products.
                "payment_intent_data": {"metadata": ours},
                "success_url": success_url,
                "cancel_url": cancel_url,
            }
        )
    except stripe.StripeError as exc:
        logger.error("payments.checkout_failed", reason=type(exc).__name__, stripe_request=exc.request_id)
        raise PaymentUnavailableError from exc
    if session.url is None:
        raise PaymentUnavailableError
    return session.url


def signed_event(keys: StripeKeys, body: bytes, signature: str | None) -> dict[str, Any]:
    """Return the event in a body, exactly as it came, that Stripe signed lately.

    Raises `InvalidSignatureError`; before the check nothing of the body is read.
    """
    from stripe import SignatureVerificationError, WebhookSignature  # noqa: PLC0415 - see above

    # Stripe's own comparison takes no other text.
    if signature is None or not signature.isascii():
        raise InvalidSignatureError
    try:
        WebhookSignature.verify_header(body, signature, keys.webhook_secret, TOLERANCE_S)
    except (SignatureVerificationError, UnicodeDecodeError) as exc:
        raise InvalidSignatureError from exc
    return json_object(body)
