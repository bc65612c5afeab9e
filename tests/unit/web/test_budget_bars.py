"""The bars of budgets and run tokens, from exact amounts."""

import pytest

from tollgate.web.budgets import bar_of


class TestBar:
    @pytest.mark.parametrize(
        ("spent_micro_usd", "limit_cents", "shown", "level"),
        [
            # One micro-dollar of a cent is a cent if it is rounded up, and far from used up.
            (1, 1, (1, 0, 0), ""),
            (8_000, 1, (1, 0, 80), "near"),
            (9_999, 1, (1, 0, 99), "near"),
            (10_000, 1, (1, 0, 100), "full"),
            (0, 0, (0, 0, 100), "full"),
            # The limit was lowered.
            (30_000, 2, (3, 0, 150), "full"),
        ],
    )
    def test_only_a_spent_limit_is_used_up(
        self, spent_micro_usd: int, limit_cents: int, shown: tuple[int, int, int], level: str
    ) -> None:
        bar = bar_of("alice", spent_micro_usd, limit_cents)
        assert (bar.spent_cents, bar.left_cents, bar.percent) == shown
        assert bar.level == level
