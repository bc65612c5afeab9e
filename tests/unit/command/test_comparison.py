"""What differs between two catalogs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.command.comparison import Change, compare_catalogs

NAMES = st.sampled_from(["key", "provider", "a", "b"])
JSON = st.recursive(
    st.booleans() | st.integers(0, 3) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
MODELS = st.dictionaries(st.sampled_from("mn"), st.dictionaries(NAMES, JSON, max_size=3), max_size=2)


def changes(live: Any, shipped: Any) -> list[Change]:
    """Return the changes of one model that both have."""
    return compare_catalogs({"m": live}, {"m": shipped}).changed.get("m", [])


class TestCompare:
    @given(MODELS, MODELS)
    def test_it_is_the_same_when_nothing_at_all_differs(
        self, live: dict[str, Any], shipped: dict[str, Any]
    ) -> None:
        assert compare_catalogs(live, live).is_same
        assert compare_catalogs(live, shipped).is_same == (live == shipped)

    def test_names_the_models_that_only_one_has(self) -> None:
        found = compare_catalogs({"b": {}, "a": {}, "both": {}}, {"c": {}, "both": {}})
        assert (found.only_live, found.only_shipped, found.changed) == (["a", "b"], ["c"], {})
        assert not found.is_same

    @pytest.mark.parametrize(
        ("live", "shipped", "change"),
        [
            ({"name": "A"}, {"name": "B"}, Change("name", "A", "B")),
            ({"id": "m"}, {"id": "m", "deadlineS": 300}, Change("deadlineS", None, 300)),
            ({"id": "m", "pageUpdatedAt": "x"}, {"id": "m"}, Change("pageUpdatedAt", "x", None)),
            ({"tags": ["a"]}, {"tags": ["a", "b"]}, Change("tags", ["a"], ["a", "b"])),
            ({"texts": {"de": "x"}}, {"texts": {"de": "y"}}, Change("texts.de", "x", "y")),
        ],
    )
    def test_names_the_field(self, live: Any, shipped: Any, change: Change) -> None:
        assert changes(live, shipped) == [change]

    def test_a_price_goes_by_its_key_and_a_route_by_its_provider_wherever_they_stand(self) -> None:
        live = {
            "prices": [{"key": "480p", "price": "0.01"}, {"key": "720p", "price": "0.02"}],
            "routes": [{"provider": "fal", "enabled": True}, {"provider": "poyo"}],
        }
        shipped = {
            "prices": [{"key": "720p", "price": "0.03"}, {"key": "480p", "price": "0.01"}],
            "routes": [{"provider": "fal", "enabled": False}, {"provider": "poyo"}],
        }
        assert changes(live, shipped) == [
            Change("prices", ["480p", "720p"], ["720p", "480p"]),
            Change("prices.720p.price", "0.02", "0.03"),
            Change("routes.fal.enabled", True, False),
        ]

    def test_entries_without_a_name_go_by_their_number(self) -> None:
        assert changes({"costs": [{"cost": "1"}, {"cost": "2"}]}, {"costs": [{"cost": "1"}]}) == [
            Change("costs", ["1", "2"], ["1"]),
            Change("costs.2.cost", "2", None),
        ]

    def test_a_second_route_of_a_provider_is_not_lost(self) -> None:
        live = {"routes": [{"provider": "fal", "mapping": "a"}, {"provider": "fal", "mapping": "b"}]}
        shipped = {"routes": [{"provider": "fal", "mapping": "a"}, {"provider": "fal", "mapping": "c"}]}
        assert changes(live, shipped) == [Change("routes.fal#2.mapping", "b", "c")]

    def test_an_order_of_routes_is_a_change(self) -> None:
        one, other = {"provider": "fal"}, {"provider": "poyo"}
        assert changes({"routes": [one, other]}, {"routes": [other, one]}) == [
            Change("routes", ["fal", "poyo"], ["poyo", "fal"])
        ]

    def test_its_view_is_for_programs(self) -> None:
        assert compare_catalogs({"m": {"a": 1}, "x": {}}, {"m": {"a": 2}}).view() == {
            "same": False,
            "onlyLive": ["x"],
            "onlyShipped": [],
            "changed": {"m": [{"path": "a", "live": 1, "shipped": 2}]},
        }
