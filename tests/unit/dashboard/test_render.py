"""Money and times as people read them."""

import pytest

from dashboard.render import day, minute, money, usd, usd_of_cents


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
            (1_197_096, '<span title="$1.197096">$1.20</span>'),
            (-1_197_096, '<span title="−$1.197096">−$1.20</span>'),
            (15_000, '<span title="$0.015">$0.02</span>'),
            (9_999, '<span title="$0.009999">$0.01</span>'),
            (1_796, '<span title="$0.001796">$0.0018</span>'),
            (63, "$0.000063"),
            (1, "$0.000001"),
            (2_500_000, "$2.50"),
        ],
    )
    def test_two_digits_and_the_rest_on_hover(self, micro_usd: int, shown: str) -> None:
        assert str(money(micro_usd)) == shown


class TestTimes:
    def test_they_say_their_zone(self) -> None:
        assert minute(1_795_824_060_000) == "28 Nov 2026, 00:01 UTC"
        assert day("2026-11-28T00:01:00.000Z") == "28 Nov 2026"
