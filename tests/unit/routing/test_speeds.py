"""The speeds that a process measures of the routes that it called."""

from tollgate.routing.speeds import MAX_CALLS, WINDOW_MS, RecentSpeeds, Speed

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

    def test_a_short_answer_has_no_throughput(self) -> None:
        speeds = RecentSpeeds()
        speeds.note(ROUTE, 1, 100, 200, 3)
        assert speeds.of([ROUTE], 1) == {ROUTE: Speed(100, None)}

    def test_forget_old_calls(self) -> None:
        speeds = RecentSpeeds()
        speeds.note(ROUTE, 1, 100, 1_100, 50)
        assert speeds.of([ROUTE], WINDOW_MS) == {ROUTE: Speed(100, 50)}
        assert speeds.of([ROUTE], WINDOW_MS + 1) == {}
        for _ in range(MAX_CALLS + 1):
            speeds.note(ROUTE, 2, 5, 1_005, 50)
        assert speeds.of([ROUTE], 2) == {ROUTE: Speed(5, 50)}
