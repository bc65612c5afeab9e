"""The speeds that a process measures of the routes that it called."""

import pytest

from tollgate.routing.speeds import MAX_CALLS, MIN_TOKENS, WINDOW_MS, RecentSpeeds, Speed

ROUTE, OTHER = ("m", "alpha"), ("m", "beta")


class TestRecentSpeeds:
    def test_are_medians_of_each_route(self) -> None:
        speeds = RecentSpeeds()
        for first_ms, tokens in ((100, 50), (300, 100), (200, 150)):
            speeds.note(ROUTE, 1, first_ms, first_ms + 1_000, tokens)
        assert speeds.of([ROUTE, OTHER], 1) == {ROUTE: Speed(200, 100)}

    def test_a_complete_answer_counts_all_of_its_time(self) -> None:
        speeds = RecentSpeeds()
        speeds.note(ROUTE, 1, 2_000, 2_000, 100)
        assert speeds.of([ROUTE], 1) == {ROUTE: Speed(2_000, 50)}

    @pytest.mark.parametrize(
        ("first_ms", "total_ms", "tokens", "speed"),
        [
            (100, 200, MIN_TOKENS - 1, Speed(100, None)),
            (100, 200, MIN_TOKENS, Speed(100, 10 * MIN_TOKENS)),
            (0, 0, 100, Speed(0, None)),
            (100, 101, 100, Speed(100, 100_000)),
        ],
    )
    def test_a_short_answer_has_no_throughput(
        self, first_ms: int, total_ms: int, tokens: int, speed: Speed
    ) -> None:
        speeds = RecentSpeeds()
        speeds.note(ROUTE, 1, first_ms, total_ms, tokens)
        assert speeds.of([ROUTE], 1) == {ROUTE: speed}

    def test_are_of_the_newest_calls(self) -> None:
        speeds = RecentSpeeds()
        for first_ms in [*[900] * 2 * MAX_CALLS, *[5] * MAX_CALLS]:
            speeds.note(ROUTE, 1, first_ms, first_ms + 1_000, 50)
        assert speeds.of([ROUTE], 1) == {ROUTE: Speed(5, 50)}

    def test_forget_old_calls(self) -> None:
        speeds = RecentSpeeds()
        speeds.note(ROUTE, 1, 100, 1_100, 50)
        assert speeds.of([ROUTE], WINDOW_MS) == {ROUTE: Speed(100, 50)}
        assert speeds.of([ROUTE], WINDOW_MS + 1) == {}
