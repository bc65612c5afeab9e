"""The errors of payments with Stripe."""

from tollgate.kit.errors import TollgateError


class InvalidSignatureError(TollgateError, status=400, code="invalid_signature"):
    """The event is not signed by Stripe, or the signature is too old. The event was not read."""

    default_message = "The Stripe-Signature header is not a recent signature of this body."


class PaymentUnavailableError(TollgateError, status=503, code="payment_unavailable"):
    """Stripe did not create the payment page; nothing was paid."""

    retry_after_s = 5
    default_message = "The payment page could not be opened. Nothing was paid. Try again in a moment."
