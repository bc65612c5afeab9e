"""A rotation's body."""

from typing import Any

import pytest

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.rotation import read_overlap_s

DAY_S = 86_400


class TestOverlap:
    @pytest.mark.parametrize(
        ("body", "seconds"),
        [({}, DAY_S), ({"overlapS": 0}, 0), ({"overlapS": 7 * DAY_S}, 7 * DAY_S), ({"overlapS": 60.0}, 60)],
    )
    def test_it_is_a_day_by_default(self, body: dict[str, Any], seconds: int) -> None:
        assert read_overlap_s(body, 7 * DAY_S) == seconds

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"overlapS": -1}, ["/overlapS"]),
            ({"overlapS": 7 * DAY_S + 1}, ["/overlapS"]),
            ({"overlapS": None}, ["/overlapS"]),
            ({"overlapS": "60"}, ["/overlapS"]),
            ({"overlap": 5}, ["/overlap"]),
        ],
    )
    def test_anything_else_is_refused(self, body: dict[str, Any], paths: list[str]) -> None:
        with pytest.raises(InvalidInputError) as refused:
            read_overlap_s(body, 7 * DAY_S)
        assert [problem.path for problem in refused.value.problems] == paths
