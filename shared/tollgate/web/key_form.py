"""The form of an API key: from the sent fields to the body that `KeyService` takes. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem, one_of

DAY_MS = 24 * 60 * 60 * MS_PER_S
# The lifetimes in the form. A key without a lifetime does not expire.
LIFETIMES_DAYS = (7, 30, 90, 365)
# Sent instead of a lifetime: the key keeps its expiry.
KEEP = "keep"
NO_LIMITS = {"expiresAt": None, "spendingCap": None, "models": None, "networks": None}
CENTS_PER_USD = 100
MAX_DIGITS = 15


def key_body(
    sent: Mapping[str, str], scopes: Sequence[str], models: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """Return the body of a new key; an empty field means no limit.

    `sent` has `name`, `project`, `days`, `cap` (US dollars), `per` and `networks` (one per line). Raises
    `InvalidInputError` if `days` or `cap` is invalid; the service checks all other rules.
    """
    networks = sent.get("networks", "").split()
    body: dict[str, Any] = {"name": sent.get("name", ""), "scopes": list(scopes)}
    # A form without the field, of an account without projects, leaves a key in its project.
    if "project" in sent:
        body["projectId"] = sent["project"] or None
    if days := sent.get("days"):
        body["expiresAt"] = iso(now_ms + _days(days) * DAY_MS)
    if cap := sent.get("cap", "").strip():
        body["spendingCap"] = {"capCents": cents_of(cap, "/cap"), "per": sent.get("per", "")}
    if models:
        body["models"] = list(models)
    if networks:
        body["networks"] = networks
    return body


def changed_body(
    sent: Mapping[str, str], scopes: Sequence[str], models: Sequence[str], now_ms: int
) -> dict[str, Any]:
    """Return the body that changes a key. Like `key_body`, but `days` may be `KEEP`."""
    if sent.get("days") != KEEP:
        return NO_LIMITS | key_body(sent, scopes, models, now_ms)
    body = NO_LIMITS | key_body({**sent, "days": ""}, scopes, models, now_ms)
    del body["expiresAt"]
    return body


def _days(text: str) -> int:
    if text not in {str(days) for days in LIFETIMES_DAYS}:
        raise InvalidInputError([one_of("/days", LIFETIMES_DAYS)])
    return int(text)


def cents_of(text: str, path: str) -> int:
    """Return the cents of an amount in US dollars such as `2.50`.

    Raises `InvalidInputError` with the `path` of the field.
    """
    try:
        cents = Decimal(text) * CENTS_PER_USD
    except ArithmeticError as exc:
        raise _wrong(path, "Must be an amount in US dollars.") from exc
    # NaN and infinity have no integer part, and a huge exponent would take long to convert.
    if not cents.is_finite() or cents.adjusted() > MAX_DIGITS or cents != int(cents):
        raise _wrong(path, "Must be whole cents.")
    return int(cents)


def _wrong(path: str, message: str) -> InvalidInputError:
    return InvalidInputError([Problem(path, message, "an amount such as 2.50")])
