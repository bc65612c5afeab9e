"""How much a customer may top up at once. Pure."""

from tollgate.kit.errors import InvalidInputError, Problem

OFFERED_USD = (10, 25, 50, 100)
# Below, a card's fixed fee takes too large a part; above, one stolen card could do too much harm.
MIN_USD, MAX_USD = 5, 2_000
CENTS_PER_USD = 100
_MAX_DIGITS = len(str(MAX_USD))


def read_cents(text: str) -> int:
    """Return the cents of an amount that was typed, in whole US dollars. Raises `InvalidInputError`."""
    typed = text.strip()
    is_number = typed.isascii() and typed.isdigit() and len(typed) <= _MAX_DIGITS
    usd = int(typed) if is_number else 0
    if not MIN_USD <= usd <= MAX_USD:
        raise InvalidInputError(
            [Problem("/amount", "Must be whole US dollars.", f"{MIN_USD} to {MAX_USD}, such as 25")]
        )
    return usd * CENTS_PER_USD
