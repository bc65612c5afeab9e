"""The laws of routing wishes: what is permitted, in which order, and what a refusal names."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.routing.facts import DataPolicy, Fact, Kept, KnownProviders, ProviderFacts
from tollgate.routing.selection import NO_POLICIES, Policies, select
from tollgate.routing.speeds import Speed
from tollgate.routing.wishes import COMPLETION, NO_WISHES, PROMPT, Sort, Wishes


@dataclass(frozen=True)
class Route:
    model_id: str
    provider: str
    prices: dict[str, Decimal] = field(default_factory=dict, hash=False)


NAMES = ("alpha", "beta", "gamma", "delta")
# alpha keeps nothing, beta does not train, gamma passes the wishes on, and nothing is known about delta.
KNOWN = KnownProviders.of(
    (
        ProviderFacts("alpha", "Alpha", data=DataPolicy(kept=Fact(Kept(0), "doc", "2026-11-26"))),
        ProviderFacts("beta", "Beta", data=DataPolicy(trains=Fact(False, "doc", "2026-11-26"))),
        ProviderFacts("gamma", "Gamma", data=DataPolicy(passes_wishes=Fact(True, "doc", "2026-11-26"))),
        ProviderFacts("delta", "Delta Cloud", ("d-cloud",)),
    )
)
PRIVATE = {"zdr": {"alpha", "gamma"}, "deny_data_collection": {"alpha", "beta", "gamma"}}
MODEL = [Route("m", name) for name in NAMES]

some_names = st.frozensets(st.sampled_from(NAMES))
wishes_of_any_kind = st.builds(
    Wishes,
    order=st.lists(st.sampled_from(NAMES), unique=True).map(tuple),
    only=st.none() | some_names,
    ignore=some_names,
    allow_fallbacks=st.booleans(),
    require_parameters=st.booleans(),
    deny_data_collection=st.booleans(),
    zdr=st.booleans(),
    max_price=st.dictionaries(st.sampled_from((PROMPT, COMPLETION)), st.decimals(0, 9, places=1), max_size=2),
    sort=st.none() | st.sampled_from(Sort),
    across_models=st.booleans(),
)
catalogs = st.lists(
    st.builds(
        Route,
        st.sampled_from(("m", "n")),
        st.sampled_from(NAMES),
        st.fixed_dictionaries({PROMPT: st.decimals(0, 9, places=1), COMPLETION: st.decimals(0, 9, places=1)}),
    ),
    max_size=6,
)


def fulfils(route: Route, wishes: Wishes) -> bool:
    """Return whether a wish's own words permit a route."""
    private = [names for name, names in PRIVATE.items() if getattr(wishes, name)]
    return (
        (wishes.only is None or route.provider in wishes.only)
        and route.provider not in wishes.ignore
        and all(route.provider in names for names in private)
        and all(route.prices[name] <= most for name, most in wishes.max_price.items())
        and (wishes.allow_fallbacks or not wishes.order or route.provider in wishes.order)
    )


def selected(routes: Sequence[Route], wishes: Wishes, policies: Policies = NO_POLICIES) -> list[Route]:
    """Return the permitted routes; none if they are refused."""
    try:
        return select(routes, wishes, policies, KNOWN)
    except (ForbiddenError, InvalidInputError):
        return []


class TestLaws:
    @given(catalogs, wishes_of_any_kind, wishes_of_any_kind, wishes_of_any_kind)
    def test_every_route_is_permitted_by_the_request_its_key_and_its_account(
        self, routes: list[Route], request: Wishes, key: Wishes, account: Wishes
    ) -> None:
        for route in selected(routes, request, Policies(account, key)):
            assert route in routes
            assert all(fulfils(route, wishes) for wishes in (request, key, account))

    @given(catalogs, wishes_of_any_kind, wishes_of_any_kind)
    def test_no_permitted_route_is_left_out(self, routes: list[Route], request: Wishes, key: Wishes) -> None:
        if not request.allow_fallbacks and not request.order:
            return
        permitted = [route for route in routes if fulfils(route, request) and fulfils(route, key)]
        found = selected(routes, request, Policies(key=key))
        assert sorted(found, key=repr) == sorted(permitted, key=repr)

    @given(catalogs, wishes_of_any_kind)
    def test_without_fallbacks_each_model_has_its_first_route(
        self, routes: list[Route], asked: Wishes
    ) -> None:
        alone = replace(asked, allow_fallbacks=False, order=())
        first: dict[str, Route] = {}
        for route in selected(routes, replace(alone, allow_fallbacks=True)):
            first.setdefault(route.model_id, route)
        assert selected(routes, alone) == list(first.values())

    @given(wishes_of_any_kind)
    def test_wishes_are_stored_whole(self, wishes: Wishes) -> None:
        assert Wishes.from_item(wishes.to_item()) == wishes


class TestNarrows:
    """A key may only create keys whose routing policy narrows its own. A policy has no `allow_fallbacks`."""

    POLICY = Wishes(
        only=frozenset({"alpha", "beta", "delta"}),
        ignore=frozenset({"delta"}),
        require_parameters=True,
        deny_data_collection=True,
        zdr=True,
        max_price={PROMPT: Decimal(5)},
    )

    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"only": frozenset({"alpha"}), "ignore": frozenset()},
            {"ignore": frozenset({"alpha", "delta"})},
            {"max_price": {PROMPT: Decimal(4), COMPLETION: Decimal(1)}},
            {"sort": Sort.PRICE, "order": ("beta",)},
        ],
    )
    def test_the_same_and_less(self, change: dict[str, Any]) -> None:
        assert replace(self.POLICY, **change).narrows(self.POLICY)

    @pytest.mark.parametrize(
        "change",
        [
            {"only": None},
            {"only": frozenset({"alpha", "gamma"})},
            {"ignore": frozenset()},
            {"require_parameters": False},
            {"deny_data_collection": False},
            {"zdr": False},
            {"max_price": {}},
            {"max_price": {PROMPT: Decimal(6)}},
        ],
    )
    def test_more(self, change: dict[str, Any]) -> None:
        assert not replace(self.POLICY, **change).narrows(self.POLICY)

    def test_an_ignored_provider_is_left_out_by_either_list(self) -> None:
        policy = Wishes(ignore=frozenset({"delta"}))
        found = [wishes.narrows(policy) for wishes in (policy, Wishes(only=frozenset({"alpha"})), NO_WISHES)]
        assert found == [True, True, False]
        assert NO_WISHES.narrows(NO_WISHES)

    @given(catalogs, wishes_of_any_kind, wishes_of_any_kind)
    def test_nothing_is_permitted_beyond_the_policy(
        self, routes: list[Route], narrow: Wishes, policy: Wishes
    ) -> None:
        policy = replace(policy, allow_fallbacks=True)
        for wishes in (narrow, replace(policy, only=narrow.only), replace(policy, ignore=narrow.ignore)):
            if wishes.narrows(policy):
                assert all(fulfils(route, policy) for route in routes if fulfils(route, wishes))


class TestOrder:
    def test_the_catalogs_order_is_the_default(self) -> None:
        assert selected(MODEL, NO_WISHES) == MODEL

    def test_named_providers_come_first_in_their_order_and_the_others_follow(self) -> None:
        found = selected(MODEL, Wishes(order=("gamma", "beta")))
        assert [route.provider for route in found] == ["gamma", "beta", "alpha", "delta"]

    def test_fast_routes_come_first_and_unmeasured_ones_last(self) -> None:
        speeds = {("m", "beta"): Speed(900, 20), ("m", "delta"): Speed(100, 90)}

        def order(sort: Sort) -> list[str]:
            return [
                one.provider for one in select(MODEL, Wishes(sort=sort), NO_POLICIES, KNOWN, speeds=speeds)
            ]

        assert order(Sort.THROUGHPUT) == ["delta", "beta", "alpha", "gamma"]
        assert order(Sort.LATENCY) == ["delta", "beta", "alpha", "gamma"]

    def test_a_price_sorts_models_only_if_the_request_mixes_them(self) -> None:
        dear, cheap = (
            Route("dear", "alpha", {PROMPT: Decimal(9)}),
            Route("cheap", "alpha", {PROMPT: Decimal(1)}),
        )
        assert selected([dear, cheap], Wishes(sort=Sort.PRICE)) == [dear, cheap]
        assert selected([dear, cheap], Wishes(sort=Sort.PRICE, across_models=True)) == [cheap, dear]

    def test_the_keys_order_applies_to_a_request_without_one(self) -> None:
        policies = Policies(account=Wishes(order=("beta",)), key=Wishes(order=("delta",)))
        assert selected(MODEL, NO_WISHES, policies)[0].provider == "delta"
        assert selected(MODEL, Wishes(order=("gamma",)), policies)[0].provider == "gamma"


class TestPrices:
    def test_a_route_at_the_highest_price_is_permitted_and_one_without_a_price_is_free(self) -> None:
        routes = [Route("m", "alpha", {PROMPT: Decimal(5)}), Route("m", "beta")]
        assert selected(routes, Wishes(max_price={PROMPT: Decimal(5), COMPLETION: Decimal(0)})) == routes


class TestRefusals:
    @pytest.mark.parametrize(
        ("wishes", "path", "allowed"),
        [
            (Wishes(only=frozenset()), "/provider/only", ["alpha", "beta", "delta", "gamma"]),
            (Wishes(ignore=frozenset(NAMES)), "/provider/ignore", ["alpha", "beta", "delta", "gamma"]),
            (Wishes(only=frozenset({"delta"}), zdr=True), "/provider/zdr", ["delta"]),
            (
                Wishes(only=frozenset({"delta"}), deny_data_collection=True),
                "/provider/data_collection",
                ["delta"],
            ),
            (
                Wishes(order=("omega",), allow_fallbacks=False),
                "/provider/order",
                ["alpha", "beta", "delta", "gamma"],
            ),
        ],
    )
    def test_the_field_and_the_providers_that_were_left(
        self, wishes: Wishes, path: str, allowed: list[str]
    ) -> None:
        with pytest.raises(InvalidInputError) as refused:
            select(MODEL, wishes, NO_POLICIES, KNOWN)
        (problem,) = refused.value.problems
        assert (problem.path, problem.allowed) == (path, allowed)
        # Others of the model's providers may lack the input.
        assert problem.message.startswith("No provider of m that can run this request is ")

    def test_a_price_names_the_lowest(self) -> None:
        routes = [Route("m", "alpha", {PROMPT: Decimal("2.5")}), Route("n", "beta", {PROMPT: Decimal(4)})]
        with pytest.raises(InvalidInputError) as refused:
            select(routes, Wishes(max_price={PROMPT: Decimal(2)}), NO_POLICIES, KNOWN)
        (problem,) = refused.value.problems
        assert (problem.path, problem.allowed) == ("/provider/max_price/prompt", "2.5 or more")

    @pytest.mark.parametrize(
        ("policies", "whose"),
        [
            (Policies(key=Wishes(only=frozenset({"omega"}))), "API key"),
            (Policies(account=Wishes(ignore=frozenset(NAMES))), "account"),
        ],
    )
    def test_a_policy_that_permits_nothing_names_its_owner(self, policies: Policies, whose: str) -> None:
        with pytest.raises(
            ForbiddenError, match=f"policy of this {whose} permits no provider of m that can run"
        ):
            select(MODEL, NO_WISHES, policies, KNOWN)
