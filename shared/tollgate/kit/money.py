"""Money is an integer number of micro-USD, and is rounded here and nowhere else.

One US dollar is 1 000 000 micro-USD, one cent is 10 000. Prices are `Decimal`, made from strings, and
turn into money by `micro_usd_up`, which rounds in the house's favour once per charge
(docs/architecture.md#money).

How an amount is written, everywhere:

- A bill is exact: statements, single requests and generations, and the ledger use `usd_of_micro`. Tables for
  machines (CSV, JSON) use `usd_decimal` or `usd_text`: the same digits, without a sign of a currency.
- Running text on a page is short, and has the exact amount on hover: `usd_in_text`, `price_in_text`.
- A balance is in whole cents rounded down (`cents_down`), and spending beside a limit in whole cents rounded
  up (`cents_up`), so neither promises more than there is. Mails and the audit log show these too.
- Payments and limits are whole cents: `dollars`.
"""

from decimal import ROUND_HALF_UP, Decimal

MICRO_USD_PER_USD = 1_000_000
MICRO_USD_PER_CENT = 10_000
_CENT = Decimal("0.01")
# A price below this has two significant digits: $0.075 for a million tokens is not $0.08.
_PRICE_IN_CENTS_FROM = Decimal("0.1")
_PLACES = 2


def micro_usd_up(amount_usd: Decimal) -> int:
    """Return `amount_usd` (US dollars) as whole micro-USD, rounded up.

    Raises `ValueError` for a negative or non-finite amount: no charge is ever either.
    """
    if not amount_usd.is_finite() or amount_usd < 0:
        raise ValueError(f"not an amount of money: {amount_usd}")
    # As a fraction of integers: a decimal context would first round to its own number of digits.
    numerator, denominator = amount_usd.as_integer_ratio()
    return -(-numerator * MICRO_USD_PER_USD // denominator)


def cents_up(amount_micro_usd: int) -> int:
    """Return micro-USD as whole cents, rounded up: the amount of a media charge."""
    return -(-amount_micro_usd // MICRO_USD_PER_CENT)


def cents_down(amount_micro_usd: int) -> int:
    """Return micro-USD as whole cents, rounded down: the balance a customer sees."""
    return amount_micro_usd // MICRO_USD_PER_CENT


def micro_usd_of_cents(amount_cents: int) -> int:
    """Return whole cents as micro-USD, exactly."""
    return amount_cents * MICRO_USD_PER_CENT


def usd_text(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars in decimals, exactly and signed: `-22`, `-0.000063`."""
    return f"{usd_decimal(amount_micro_usd):f}"


def usd_decimal(amount_micro_usd: int) -> Decimal:
    """Return micro-USD as dollars, exactly and signed, with the fewest digits."""
    return (Decimal(amount_micro_usd) / MICRO_USD_PER_USD).normalize()


def usd_number(amount_micro_usd: int) -> float:
    """Return micro-USD as dollars for a JSON number: its digits are exact for amounts below $9 billion."""
    return amount_micro_usd / MICRO_USD_PER_USD


def dollars(amount_cents: int) -> str:
    """Return whole cents as a person reads them: `$0.01`, `$1,234.50`, `-$0.05`."""
    whole, cents = divmod(abs(amount_cents), 100)
    return f"{'-' if amount_cents < 0 else ''}${whole:,}.{cents:02}"


def usd(amount_usd: Decimal) -> str:
    """Return US dollars exactly, with two places at least: `$0.10`, `$0.0375`, `−$1.197096`."""
    # Never rounded, because fractions of a cent per million tokens are billed.
    places = max(_PLACES, -int(amount_usd.normalize().as_tuple().exponent))
    return f"{'−' if amount_usd < 0 else ''}${abs(amount_usd):,.{places}f}"


def usd_of_micro(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars, exactly, as `usd` does."""
    return usd(Decimal(amount_micro_usd) / MICRO_USD_PER_USD)


def usd_in_text(amount_usd: Decimal) -> str:
    """Return an amount for running text: whole cents, half a cent up; below a cent its first two digits."""
    return usd(_short(amount_usd, _CENT))


def price_in_text(price_usd: Decimal) -> str:
    """Return a price of one unit for running text: whole cents; below ten of them its first two digits."""
    return usd(_short(price_usd, _PRICE_IN_CENTS_FROM))


def _short(amount_usd: Decimal, in_cents_from: Decimal) -> Decimal:
    first_two = Decimal(1).scaleb(amount_usd.adjusted() - 1)
    step = _CENT if abs(amount_usd) >= in_cents_from or first_two > _CENT else first_two
    return amount_usd.quantize(step, ROUND_HALF_UP)
