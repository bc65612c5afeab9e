"""Ids: prefix, uniqueness, order."""

import time

from tollgate.kit.ids import new_id


class TestNewId:
    def test_it_is_the_prefix_and_a_ulid(self) -> None:
        prefix, _, ulid = new_id("task").partition("_")
        assert prefix == "task"
        assert len(ulid) == 26
        # Crockford's base 32 leaves out I, L, O and U.
        assert set(ulid) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    def test_no_two_are_alike(self) -> None:
        assert len({new_id("req") for _ in range(1_000)}) == 1_000

    def test_a_later_one_sorts_later(self) -> None:
        first = new_id("evt")
        started_ms = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 == started_ms:
            pass
        assert first < new_id("evt")
