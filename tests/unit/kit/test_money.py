"""Money: its laws, and the examples of docs/architecture.md#money."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.money import (
    MICRO_USD_PER_CENT,
    MICRO_USD_PER_USD,
    cents_down,
    cents_up,
    dollars,
    micro_usd_of_cents,
    micro_usd_up,
    price_in_text,
    usd,
    usd_in_text,
    usd_text,
)

AMOUNTS_MICRO_USD = st.integers(min_value=-(10**15), max_value=10**15)
PRICES_USD = st.decimals(min_value=0, max_value=10**6, places=9)


class TestMicroUsdUp:
    @pytest.mark.parametrize(
        ("amount_usd", "micro_usd"),
        [
            ("0", 0),
            ("0.01", 10_000),
            ("0.118", 118_000),
            ("0.000001", 1),
            ("0.0000001", 1),
            ("1.0000001", 1_000_001),
            ("123456789.123456", 123_456_789_123_456),
        ],
    )
    def test_a_part_of_a_micro_dollar_costs_a_whole_one(self, amount_usd: str, micro_usd: int) -> None:
        assert micro_usd_up(Decimal(amount_usd)) == micro_usd

    @given(PRICES_USD)
    def test_it_is_the_smallest_whole_amount_that_covers_the_price(self, price_usd: Decimal) -> None:
        charged = micro_usd_up(price_usd)
        assert type(charged) is int
        assert charged - 1 < price_usd * MICRO_USD_PER_USD <= charged

    @pytest.mark.parametrize("amount_usd", ["-0.01", "NaN", "Infinity", "-Infinity", "sNaN"])
    def test_what_is_no_amount_of_money_is_refused(self, amount_usd: str) -> None:
        with pytest.raises(ValueError, match="not an amount of money"):
            micro_usd_up(Decimal(amount_usd))

    def test_more_digits_than_a_decimal_context_holds_are_still_rounded_up(self) -> None:
        # 30 digits after the point: the default context keeps 28 in all.
        assert micro_usd_up(Decimal("1." + "0" * 29 + "1")) == 1_000_001


class TestCents:
    @pytest.mark.parametrize(
        ("micro_usd", "up", "down"),
        [(0, 0, 0), (1, 1, 0), (9_999, 1, 0), (10_000, 1, 1), (10_001, 2, 1), (-1, 0, -1), (-10_000, -1, -1)],
    )
    def test_a_charge_rounds_up_and_a_balance_down(self, micro_usd: int, up: int, down: int) -> None:
        assert (cents_up(micro_usd), cents_down(micro_usd)) == (up, down)

    @given(AMOUNTS_MICRO_USD)
    def test_up_and_down_are_the_next_whole_cents_on_either_side(self, micro_usd: int) -> None:
        up, down = cents_up(micro_usd), cents_down(micro_usd)
        assert type(up) is type(down) is int
        assert down * MICRO_USD_PER_CENT <= micro_usd <= up * MICRO_USD_PER_CENT
        assert up - down == (0 if micro_usd % MICRO_USD_PER_CENT == 0 else 1)

    @given(st.integers(min_value=-(10**12), max_value=10**12))
    def test_whole_cents_come_back_exactly(self, cents: int) -> None:
        micro_usd = micro_usd_of_cents(cents)
        assert type(micro_usd) is int
        assert cents_up(micro_usd) == cents_down(micro_usd) == cents

    @given(st.integers(min_value=0, max_value=10**15), st.integers(min_value=0, max_value=10**9))
    def test_a_charge_in_whole_cents_lowers_the_visible_balance_by_itself(
        self, balance_micro_usd: int, charge_cents: int
    ) -> None:
        after = balance_micro_usd - micro_usd_of_cents(charge_cents)
        assert cents_down(balance_micro_usd) - cents_down(after) == charge_cents


class TestUsdText:
    @pytest.mark.parametrize(
        ("amount_micro_usd", "text"),
        [
            (0, "0"),
            (-22_000_000, "-22"),
            (-63, "-0.000063"),
            (100_000_000, "100"),
            (1_050_000, "1.05"),
            (1, "0.000001"),
        ],
    )
    def test_it_is_exact_and_signed(self, amount_micro_usd: int, text: str) -> None:
        assert usd_text(amount_micro_usd) == text

    @given(AMOUNTS_MICRO_USD)
    def test_nothing_is_lost(self, amount_micro_usd: int) -> None:
        text = usd_text(amount_micro_usd)
        assert "E" not in text
        assert Decimal(text) * MICRO_USD_PER_USD == amount_micro_usd


class TestDollars:
    @pytest.mark.parametrize(
        ("cents", "shown"),
        [
            (0, "$0.00"),
            (1, "$0.01"),
            (100, "$1.00"),
            (123_450, "$1,234.50"),
            (-5, "-$0.05"),
            (-101, "-$1.01"),
        ],
    )
    def test_cents_are_shown_as_people_read_them(self, cents: int, shown: str) -> None:
        assert dollars(cents) == shown


class TestMoneyInText:
    @given(PRICES_USD)
    def test_it_is_off_by_half_a_cent_at_most_and_by_a_twentieth_below_one(self, amount: Decimal) -> None:
        for shown in (usd_in_text(amount), price_in_text(amount)):
            off = abs(Decimal(shown.strip("$").replace(",", "")) - amount)
            assert off <= Decimal("0.005")
            assert off <= amount / 20 or amount >= Decimal("0.01")

    @given(PRICES_USD)
    def test_exactly_is_exactly(self, amount: Decimal) -> None:
        assert Decimal(usd(amount).strip("$").replace(",", "")) == amount

    @pytest.mark.parametrize(
        ("amount", "charge", "price"),
        [
            ("0", "$0.00", "$0.00"),
            ("0.00184", "$0.0018", "$0.0018"),
            ("0.0149", "$0.01", "$0.015"),
            ("0.0999", "$0.10", "$0.10"),
            ("1.416", "$1.42", "$1.42"),
            ("-0.0149", "−$0.01", "−$0.015"),
        ],
    )
    def test_a_price_of_a_unit_keeps_two_digits_below_ten_cents(
        self, amount: str, charge: str, price: str
    ) -> None:
        assert (usd_in_text(Decimal(amount)), price_in_text(Decimal(amount))) == (charge, price)
