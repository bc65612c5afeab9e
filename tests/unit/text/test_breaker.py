"""An outage costs one slow request per window, and not every request."""

from tollgate.text.routes.breaker import FAST_FAILURES, WINDOW_MS, Breaker

NOW = 1_700_000_000_000


class TestBreaker:
    def test_a_provider_nobody_knows_is_asked(self) -> None:
        assert Breaker().allows("openai", NOW)

    def test_one_slow_failure_is_enough_and_one_request_a_window_may_try_again(self) -> None:
        breaker = Breaker()
        breaker.failed("openai", slow=True, now_ms=NOW)
        assert not breaker.allows("openai", NOW + WINDOW_MS - 1)
        assert breaker.allows("openai", NOW + WINDOW_MS)
        # The one above is the probe; the others wait for it.
        assert not breaker.allows("openai", NOW + WINDOW_MS)

    def test_fast_failures_cost_nobody_time_so_it_takes_several(self) -> None:
        breaker = Breaker()
        for _ in range(FAST_FAILURES - 1):
            breaker.failed("openai", slow=False, now_ms=NOW)
        # It is not open, so every request is sent and not only a probe.
        assert breaker.allows("openai", NOW)
        assert breaker.allows("openai", NOW)
        breaker.failed("openai", slow=False, now_ms=NOW)
        assert not breaker.allows("openai", NOW)

    def test_an_answer_makes_it_good_again(self) -> None:
        breaker = Breaker()
        breaker.failed("openai", slow=True, now_ms=NOW)
        assert breaker.allows("openai", NOW + WINDOW_MS)
        breaker.succeeded("openai")
        assert breaker.allows("openai", NOW + WINDOW_MS)

    def test_providers_do_not_answer_for_each_other(self) -> None:
        breaker = Breaker()
        breaker.failed("openai", slow=True, now_ms=NOW)
        assert breaker.allows("anthropic", NOW)
