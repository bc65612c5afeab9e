"""The plan of a request: the hold covers whichever permitted model answers, and nobody else is called."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import ANTHROPIC, OPENAI, text_model
from tests.unit.text.test_text_service import KEY, Desk, FakeHttp, answered
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.routing.facts import DataPolicy, Fact, Kept, KnownProviders, ProviderFacts
from tollgate.routing.selection import NO_POLICIES, Policies
from tollgate.routing.wishes import COMPLETION, NO_WISHES, PROMPT, Wishes
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import TextModel, TextRoute, TokenPrices
from tollgate.text.money.metering import Demand, charge_micro_usd
from tollgate.text.money.route_plan import RoutePlan, plan_from, plan_of
from tollgate.text.routes.response import CompleteResponse, Refused
from tollgate.text.usage import Usage

KNOWN = KnownProviders.of(
    (
        ProviderFacts("primary", "Primary", data=DataPolicy(kept=Fact(Kept(0), "doc", "2026-11-26"))),
        ProviderFacts("reserve", "Reserve", ("the-reserve",)),
    )
)
ROUTE = (TextRoute("primary", "m", ANTHROPIC),)

amounts = st.decimals("0.01", 60, places=2)
some_models = st.lists(
    st.builds(TokenPrices, amounts, amounts, st.none() | amounts, st.none() | amounts), min_size=1, max_size=4
).map(
    lambda found: [
        text_model(id=f"m{at}", prices=one, routes=ROUTE, max_output_tokens=1_000 * 4**at)
        for at, one in enumerate(found)
    ]
)


def plan(models: list[TextModel], demand: Demand, wishes: Wishes = NO_WISHES) -> RoutePlan:
    return plan_of([(model, demand) for model in models], wishes, NO_POLICIES, KNOWN)


class TestHold:
    @given(
        some_models, st.integers(0, 50_000), st.none() | st.integers(1, 100_000), st.integers(1, 3), st.data()
    )
    def test_covers_the_charge_of_every_model(
        self, models: list[TextModel], tokens: int, limit: int | None, answers: int, data: st.DataObject
    ) -> None:
        found = plan(models, Demand(tokens, limit, answers))
        balance = data.draw(st.integers(0, 10**9))
        for held in (found.full_hold(), found.affordable_hold(balance)):
            for one in found.candidates:
                own = found.hold_for(one, held)
                output = data.draw(st.integers(0, own.output_limit * answers))
                usage = Usage(input_tokens=tokens, output_tokens=output)
                assert own.output_limit <= one.model.max_output_tokens
                assert charge_micro_usd(usage, one.model) <= held.amount_micro_usd

    def test_one_model_keeps_its_own(self) -> None:
        found = plan([text_model(routes=ROUTE)], Demand(1_000, 100))
        held = found.affordable_hold(10**9)
        assert found.hold_for(found.candidates[0], held) is held


class TestPlan:
    def test_is_restored_by_the_process_that_continues(self) -> None:
        model = text_model(id="m", routes=(*ROUTE, TextRoute("reserve", "m", OPENAI)))
        found = plan([model], Demand(1, 1), Wishes(ignore=frozenset({"primary"}), require_parameters=True))
        again = plan_from(found.stored(), {"m": model}, lambda _: Demand(1, 1))
        assert again == found
        assert [one.provider for one in again.candidates] == ["reserve"]

    def test_a_price_is_the_highest_that_the_request_can_reach(self) -> None:
        model = text_model(routes=ROUTE)
        (one,) = plan([model], Demand(1, 1)).candidates
        assert (one.prices[PROMPT], one.prices[COMPLETION]) == (Decimal(2), Decimal(10))

    def test_wishes_about_data_of_the_policies_are_passed_on(self) -> None:
        policies = Policies(account=Wishes(zdr=True))
        found = plan_of([(text_model(routes=ROUTE), Demand(1, 1))], NO_WISHES, policies, KNOWN)
        assert found.private == {"zdr": True}


def desk(http: FakeHttp, **key: Any) -> Desk:
    made = Desk(http)
    made.service = replace(made.service, providers=KNOWN)
    return made


class TestCalls:
    def test_only_is_never_left_for_a_reserve(self) -> None:
        made = desk(FakeHttp(answered(529)))
        assert made.status(provider={"only": ["primary"]}) == 503
        assert set(made.http.asked) == {"primary"}
        assert (made.books.voided, made.books.settled) == (1, [])

    @pytest.mark.parametrize("name", ["reserve", "The-Reserve"])
    def test_the_order_is_followed_and_named(self, name: str) -> None:
        made = desk(FakeHttp(answered()))
        answer = asyncio.run(made.ask(provider={"order": [name]}))
        assert isinstance(answer, CompleteResponse)
        assert (answer.route, made.http.asked) == ("reserve", ["reserve"])

    def test_a_refusal_names_the_company_too(self) -> None:
        made = desk(FakeHttp(answered(400)))
        answer = asyncio.run(made.ask())
        assert isinstance(answer, Refused)
        assert answer.headers == {"x-tollgate-route": "primary"}

    @pytest.mark.parametrize(
        ("provider", "path"),
        [
            ({"only": ["nobody"]}, "/provider/only"),
            ({"ignore": ["primary", "reserve"]}, "/provider/ignore"),
            ({"only": ["reserve"], "zdr": True}, "/provider/zdr"),
            ({"max_price": {"completion": 9}}, "/provider/max_price/completion"),
        ],
    )
    def test_a_wish_that_leaves_nobody_costs_nothing(self, provider: dict[str, Any], path: str) -> None:
        made = desk(FakeHttp(answered()))
        with pytest.raises(InvalidInputError) as refused:
            asyncio.run(made.ask(provider=provider))
        assert [problem.path for problem in refused.value.problems] == [path]
        assert (made.http.asked, made.books.voided) == ([], 0)

    def test_the_keys_policy_bounds_the_request(self) -> None:
        made = desk(FakeHttp(answered()))
        key = replace(KEY, routing=Wishes(only=frozenset({"reserve"})))

        async def ask(**provider: Any) -> Any:
            from tests.unit.text.test_text_service import HI  # noqa: PLC0415

            body = dumps({**HI, "provider": provider}).encode()
            return await made.service.respond(read_request(ANTHROPIC, body), key, "req_1", {})

        assert asyncio.run(ask()).route == "reserve"
        with pytest.raises(InvalidInputError):
            asyncio.run(ask(only=["primary"]))
        key = replace(key, routing=Wishes(only=frozenset({"nobody"})))
        with pytest.raises(ForbiddenError):
            asyncio.run(ask())
        assert made.http.asked == ["reserve"]

    def test_required_parameters_exclude_a_provider_that_lacks_one(self) -> None:
        made = desk(FakeHttp(answered()))
        wish = {"require_parameters": True}
        with pytest.raises(InvalidInputError) as refused:
            asyncio.run(made.ask(OPENAI, seed=1, provider=wish))
        assert [problem.path for problem in refused.value.problems] == ["/provider/require_parameters"]
        assert (made.http.asked, made.books.voided) == ([], 1)
        assert made.status(OPENAI, provider=wish) == 200
