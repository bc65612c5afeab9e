"""The days that a query means, and every way in which it can be wrong."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.errors import InvalidInputError
from tollgate.usage.period import Period, read_period

NOON_MS = 1_795_262_400_000  # 2026-11-21T12:00:00Z
TODAY = date(2026, 11, 21)


def paths(query: dict[str, str]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        read_period(query, NOON_MS)
    return [problem.path for problem in caught.value.problems]


class TestRanges:
    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ({}, TODAY),
            ({"range": "today"}, TODAY),
            ({"range": "7d"}, date(2026, 11, 15)),
            ({"range": "30d"}, date(2026, 10, 23)),
        ],
    )
    def test_a_range_ends_today(self, query: dict[str, str], first: date) -> None:
        assert read_period(query, NOON_MS) == Period(query.get("range", "today"), first, TODAY)

    @pytest.mark.parametrize(("later_ms", "day"), [(0, 21), (MS_PER_DAY // 2 - 1, 21), (MS_PER_DAY // 2, 22)])
    def test_today_is_the_utc_day(self, later_ms: int, day: int) -> None:
        assert read_period({}, NOON_MS + later_ms).last.day == day

    @given(st.dates(max_value=date(9998, 12, 31)), st.integers(0, 365))
    def test_both_ends_of_a_custom_range_are_in_it(self, first: date, more: int) -> None:
        last = date.fromordinal(first.toordinal() + more)
        query = {"range": "custom", "from": first.isoformat(), "to": last.isoformat()}
        days = read_period(query, NOON_MS).days()
        assert (len(days), days[0], days[-1]) == (more + 1, first.isoformat(), last.isoformat())


class TestProblems:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"range": "90d"}, ["/range"]),
            ({"range": ""}, ["/range"]),
            ({"range": "custom"}, ["/from", "/to"]),
            ({"range": "custom", "from": "2026-11-01"}, ["/to"]),
            ({"range": "custom", "to": "2026-11-01"}, ["/from"]),
            ({"range": "custom", "from": "2026-11-02", "to": "2026-11-01"}, ["/from"]),
            ({"range": "custom", "from": "2025-11-20", "to": "2026-11-21"}, ["/to"]),  # 367 days
            ({"range": "custom", "from": "2026-02-29", "to": "2026-03-01"}, ["/from"]),
            ({"range": "custom", "from": "20261101", "to": "2026-W45-1"}, ["/from", "/to"]),
            ({"range": "custom", "from": "2026-11-01T00:00:00Z", "to": "yesterday"}, ["/from", "/to"]),
            ({"from": "2026-11-01", "to": "2026-11-02"}, ["/from", "/to"]),
            ({"range": "7d", "to": "2026-11-02"}, ["/to"]),
            ({"days": "7"}, ["/days"]),
        ],
    )
    def test_each_is_named(self, query: dict[str, str], expected: list[str]) -> None:
        assert paths(query) == expected
