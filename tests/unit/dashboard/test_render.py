"""Money and times as people read them."""

import pytest

from dashboard.render import day, minute, usd, usd_of_cents


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


class TestTimes:
    def test_they_are_utc(self) -> None:
        assert minute(1_795_824_060_000) == "28 Nov 2026, 00:01"
        assert day("2026-11-28T00:01:00.000Z") == "28 Nov 2026"
