"""Time in and out."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.clock import SystemClock, iso

YEAR_2200_MS = 7_258_118_400_000


class TestIso:
    @pytest.mark.parametrize(
        ("epoch_ms", "shown"),
        [
            (0, "1970-01-01T00:00:00.000Z"),
            (1, "1970-01-01T00:00:00.001Z"),
            (1_762_943_400_000, "2025-11-12T10:30:00.000Z"),
            (1_762_943_400_123, "2025-11-12T10:30:00.123Z"),
            (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
        ],
    )
    def test_it_is_utc_with_milliseconds(self, epoch_ms: int, shown: str) -> None:
        assert iso(epoch_ms) == shown

    @given(st.integers(min_value=0, max_value=YEAR_2200_MS))
    def test_no_millisecond_is_lost(self, epoch_ms: int) -> None:
        epoch = datetime(1970, 1, 1, tzinfo=UTC)
        assert (datetime.fromisoformat(iso(epoch_ms)) - epoch) // timedelta(milliseconds=1) == epoch_ms


class TestSystemClock:
    def test_it_tells_epoch_milliseconds(self) -> None:
        # Between the years 2020 and 2100: neither seconds nor microseconds.
        assert 1_577_836_800_000 < SystemClock().now_ms() < 4_102_444_800_000
