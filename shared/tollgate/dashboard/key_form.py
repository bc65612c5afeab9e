"""The form of an API key: from what was sent to the body that `KeyService` takes. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.errors import InvalidInputError, Problem

DAY_MS = 24 * 60 * 60 * MS_PER_S
# What the form offers; a key without one has no end.
LIFETIMES_DAYS = (7, 30, 90, 365)
# In the place of a lifetime: the key ends when it would have ended.
KEEP = "keep"
NO_LIMITS = {"expiresAt": None, "spendingCap": None, "models": None, "networks": None}
CENTS_PER_USD = 100
MAX_DIGITS = 15


def key_body(
    sent: Mapping[str, str], scopes: Sequence[str], models: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """Return the body of a new key; a field that was left empty means no limit.

    `sent` has `name`, `days`, `cap` (US dollars), `per` and `networks` (one a line). Raises
    `InvalidInputError` for what is no number; all other rules are those of the service.
    """
    networks = sent.get("networks", "").split()
    body: dict[str, Any] = {"name": sent.get("name", ""), "scopes": list(scopes)}
    if days := sent.get("days"):
        body["expiresAt"] = iso(now_ms + _days(days) * DAY_MS)
    if cap := sent.get("cap", "").strip():
        body["spendingCap"] = {"cents": _cents(cap), "per": sent.get("per", "")}
    if models:
        body["models"] = list(models)
    if networks:
        body["networks"] = networks
    return body


def changed_body(
    sent: Mapping[str, str], scopes: Sequence[str], models: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """Return the body that makes a key what the form says. As `key_body`, but `days` may also be `KEEP`."""
    if sent.get("days") != KEEP:
        return NO_LIMITS | key_body(sent, scopes, models, now_ms)
    body = NO_LIMITS | key_body({**sent, "days": ""}, scopes, models, now_ms)
    del body["expiresAt"]
    return body


def _days(text: str) -> int:
    if text not in {str(days) for days in LIFETIMES_DAYS}:
        raise InvalidInputError([Problem("/days", "Must be one of these.", list(LIFETIMES_DAYS))])
    return int(text)


def _cents(text: str) -> int:
    """Return whole cents of an amount in US dollars such as `2.50`."""
    try:
        cents = Decimal(text) * CENTS_PER_USD
    except ArithmeticError as exc:
        raise _wrong("Must be an amount in US dollars.") from exc
    # Not a number, infinity, or more digits than any amount has: none of them has a whole part to look at.
    if not cents.is_finite() or cents.adjusted() > MAX_DIGITS or cents != int(cents):
        raise _wrong("Must be whole cents.")
    return int(cents)


def _wrong(message: str) -> InvalidInputError:
    return InvalidInputError([Problem("/cap", message, "2.50")])
