"""The first steps of a new account."""

from typing import Any

import pytest

from tollgate.web.first_steps import SHOWN_MS, first_steps, is_shown

NEW: dict[str, Any] = {"lastUsedAt": None, "spendingCap": None}
USED = {**NEW, "lastUsedAt": "2026-11-26T18:00:00.000Z"}
CAPPED = {**USED, "spendingCap": {"capCents": 100}}


class TestSteps:
    @pytest.mark.parametrize(
        ("keys", "has_tasks", "has_budget", "done"),
        [
            ([], False, False, []),
            ([], True, False, [0]),
            ([NEW], False, False, [1]),
            ([NEW, USED], True, False, [0, 1, 2]),
            ([CAPPED], True, False, [0, 1, 2, 3]),
            ([], False, True, [3]),
        ],
    )
    def test_each_is_done_by_what_the_account_has(
        self, keys: list[dict[str, Any]], has_tasks: bool, has_budget: bool, done: list[int]
    ) -> None:
        steps = first_steps(keys, has_tasks=has_tasks, has_budget=has_budget)
        assert [at for at, step in enumerate(steps) if step.is_done] == done
        assert len(steps) == 4

    def test_they_go_away_when_all_are_done_and_the_account_is_no_longer_new(self) -> None:
        done = first_steps([CAPPED], has_tasks=True, has_budget=False)
        assert is_shown(done, SHOWN_MS - 1)
        assert not is_shown(done, SHOWN_MS)
        assert is_shown(first_steps([], has_tasks=True, has_budget=True), 100 * SHOWN_MS)
