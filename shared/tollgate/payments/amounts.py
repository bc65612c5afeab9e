"""The least and the most that a customer may top up at once. Pure."""

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem

OFFERED_USD = (10, 25, 50, 100)
# Below, the card's fixed fee takes too large a part; above, one stolen card could do too much harm.
MIN_USD, MAX_USD = 5, 2_000
CENTS_PER_USD = 100


def read_cents(text: str) -> int:
    """Return the cents of a typed amount in whole US dollars. Raises `InvalidInputError`."""
    usd = digits(text.strip(), MIN_USD, MAX_USD)
    if usd is None:
        raise InvalidInputError(
            [Problem("/amount", "Must be whole US dollars.", f"{MIN_USD} to {MAX_USD}, such as 25")]
        )
    return usd * CENTS_PER_USD
