"""What is read again after a while, and what is forgotten first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.clock import ManualClock
from tollgate.kit.cache import REPEAT_MS, BoundedCache, CachedValue


class TestRemembered:
    def test_it_is_read_again_when_its_time_is_over_and_not_before(self) -> None:
        clock, reads = ManualClock(), iter(range(10))
        known = CachedValue(lambda: next(reads), 5_000, clock)
        assert (known.get(), known.get()) == (0, 0)
        clock.advance_ms(4_999)
        assert known.get() == 0
        clock.advance_ms(1)
        assert (known.get(), known.get()) == (1, 1)

    def test_nothing_is_a_value_too(self) -> None:
        reads: list[None] = []
        known = CachedValue(lambda: reads.append(None), 5_000, ManualClock())
        assert (known.get(), known.get(), len(reads)) == (None, None, 1)

    def test_a_read_that_failed_is_made_again(self) -> None:
        answers = iter([ZeroDivisionError(), "read"])

        def read() -> str:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return str(answer)

        known = CachedValue(read, 5_000, ManualClock())
        with pytest.raises(ZeroDivisionError):
            known.get()
        assert known.get() == "read"

    def test_what_was_read_outlasts_failures_that_are_reported(self) -> None:
        clock, failed = ManualClock(), ValueError("no secret")
        answers: list[str | Exception] = ["first", failed, failed, "second"]

        def read() -> str:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        reported: list[Exception] = []
        known = CachedValue(read, 50_000, clock, reported.append)
        found = []
        for later_ms in (0, 50_000, REPEAT_MS - 1, 1, REPEAT_MS):
            clock.advance_ms(later_ms)
            found.append(known.get())
        assert found == ["first", "first", "first", "first", "second"]
        assert reported == [failed, failed]

    def test_a_failure_at_first_is_raised(self) -> None:
        def read() -> str:
            raise ValueError("no secret")

        known = CachedValue(read, 5_000, ManualClock(), lambda _: None)
        with pytest.raises(ValueError, match="no secret"):
            known.get()


class TestNewest:
    @given(st.lists(st.sampled_from("abcdef"), max_size=40), st.integers(1, 4))
    def test_what_was_set_last_is_there(self, keys: list[str], most: int) -> None:
        newest: BoundedCache[int] = BoundedCache(most)
        for number, key in enumerate(keys):
            newest[key] = number
        last = {key: number for number, key in enumerate(keys)}
        expected = sorted(last, key=lambda key: last[key])[-most:]
        assert list(newest.items()) == [(key, last[key]) for key in expected]
