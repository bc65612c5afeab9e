"""Money and times as people read them."""

import pytest

from dashboard.render import balance, day, minute, money, unit_price, usd, usd_of_cents


class TestMoney:
    @pytest.mark.parametrize(
        ("micro_usd", "shown"),
        [
            (0, "$0.00"),
            (10_000, "$0.01"),
            (63, "$0.000063"),
            (15_500, "$0.0155"),
            (1_234_560_000, "$1,234.56"),
            (-220_000, "−$0.22"),
            (100_000, "$0.10"),
        ],
    )
    def test_whole_cents_have_two_places_and_parts_as_many_as_they_need(
        self, micro_usd: int, shown: str
    ) -> None:
        assert usd(micro_usd) == shown

    def test_cents(self) -> None:
        assert usd_of_cents(9_979) == "$99.79"


class TestMoneyInRunningText:
    @pytest.mark.parametrize(
        ("micro_usd", "shown"),
        [
            (0, "$0.00"),
            (1_197_096, '<data value="1.197096" title="$1.197096">$1.20</data>'),
            (-1_197_096, '<data value="-1.197096" title="−$1.197096">−$1.20</data>'),
            (15_000, '<data value="0.015" title="$0.015">$0.02</data>'),
            (9_999, '<data value="0.009999" title="$0.009999">$0.01</data>'),
            (1_796, '<data value="0.001796" title="$0.001796">$0.0018</data>'),
            (63, "$0.000063"),
            (1, "$0.000001"),
            (2_500_000, "$2.50"),
        ],
    )
    def test_two_digits_and_the_rest_on_hover(self, micro_usd: int, shown: str) -> None:
        assert str(money(micro_usd)) == shown

    @pytest.mark.parametrize(
        ("micro_usd", "shown"),
        [
            (124_789_776, '<data value="124.789776" title="$124.789776">$124.78</data>'),
            (9_999, '<data value="0.009999" title="$0.009999">$0.00</data>'),
            (-1, '<data value="-0.000001" title="−$0.000001">−$0.01</data>'),
            (100_000_000, "$100.00"),
        ],
    )
    def test_a_balance_is_never_more_than_there_is(self, micro_usd: int, shown: str) -> None:
        assert str(balance(micro_usd)) == shown

    @pytest.mark.parametrize(
        ("price", "shown"),
        [
            ("1.416", '<data value="1.416" title="$1.416">$1.42</data>'),
            ("0.084", "$0.084"),
            ("0.0375", '<data value="0.0375" title="$0.0375">$0.038</data>'),
            ("0.1", "$0.10"),
            ("1250", "$1,250.00"),
            ("1250.125", '<data value="1250.125" title="$1,250.125">$1,250.13</data>'),
        ],
    )
    def test_a_price_of_a_unit_has_two_digits_that_say_something(self, price: str, shown: str) -> None:
        assert str(unit_price(price)) == shown


class TestTimes:
    def test_they_say_their_zone(self) -> None:
        assert minute(1_795_824_060_000) == "28 Nov 2026, 00:01 UTC"
        assert day("2026-11-28T00:01:00.000Z") == "28 Nov 2026"
