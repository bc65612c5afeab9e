"""What the overview shows of an account's statistics."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tollgate.dashboard.spending import spending

DAYS = [f"2026-11-{day:02}" for day in range(1, 31)]
MODELS = ("gpt-5.4-mini", "suno", "test-image")
AMOUNTS = st.integers(0, 10**9)
ROWS = st.lists(
    st.tuples(st.sampled_from(DAYS), st.sampled_from(MODELS), AMOUNTS, AMOUNTS, st.integers(0, 9)),
    max_size=30,
)
Row = tuple[str, str, int, int, int]
"""Day, model, spent and refunded micro-USD, tasks; as many text requests."""


def statistics(rows: list[Row]) -> dict[str, Any]:
    """Return what `GET /stats` would (docs/contract.md#account), as far as money and counts go."""

    def counts(of: list[Row]) -> dict[str, int]:
        tasks = sum(row[4] for row in of)
        spent, refunded = sum(row[2] for row in of), sum(row[3] for row in of)
        return {"spentMicroUsd": spent, "refundedMicroUsd": refunded, "tasks": tasks, "requests": tasks}

    models = sorted({row[1] for row in rows})
    return {
        "total": counts(rows),
        "byDay": [{"date": day, **counts([row for row in rows if row[0] == day])} for day in DAYS],
        "byModel": [{"model": name, **counts([row for row in rows if row[1] == name])} for name in models],
    }


class TestSpending:
    @given(ROWS)
    def test_days_and_total_are_what_was_spent_less_what_came_back(self, rows: list[Row]) -> None:
        expected = sum(spent - refunded for _, _, spent, refunded, _ in rows)
        found = spending(statistics(rows))
        assert found.total_micro_usd == expected
        assert sum(amount for _, amount in found.by_day) == expected
        assert [day for day, _ in found.by_day] == DAYS
        assert found.tasks == found.requests == sum(row[4] for row in rows)

    def test_the_dearest_model_comes_first_and_a_refunded_one_not_at_all(self) -> None:
        rows = [
            ("2026-11-29", "test-image", 900, 0, 1),
            ("2026-11-30", "test-image", 0, 900, 0),
            ("2026-11-30", "suno", 500, 400, 5),
            ("2026-11-30", "gpt-5.4-mini", 200, 0, 1),
        ]
        found = spending(statistics(rows))
        assert found.by_model == [("gpt-5.4-mini", 200), ("suno", 100)]
        assert found.by_day[-2:] == [("2026-11-29", 900), ("2026-11-30", -600)]

    def test_at_most_8_models_are_named(self) -> None:
        rows: list[Row] = [("2026-11-30", f"model-{n}", n, 0, 1) for n in range(1, 20)]
        assert [amount for _, amount in spending(statistics(rows)).by_model] == list(range(19, 11, -1))
