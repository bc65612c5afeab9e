import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import money_examples
from tests.unit.text.samples import prices, text_model, tiered_model
from tollgate.text.models import BATCH, LongContextTier, TextModel, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.cost import shown_cost
from tollgate.text.money.metering import (
    Demand,
    HoldPlan,
    affordable_hold,
    charge_and_input,
    charge_micro_usd,
    dearest_prices,
    full_hold,
    hold_within,
    unit_prices,
)
from tollgate.text.money.route_plan import Candidate, RoutePlan
from tollgate.text.usage import Usage

PRICES = st.decimals("0", "100", places=3)
MAYBE = st.none() | PRICES
TOKEN_PRICES = st.builds(
    TokenPrices, PRICES, PRICES, MAYBE, MAYBE, MAYBE, web_search=st.none() | st.decimals(0, 50_000, places=0)
)
TIERS = st.lists(st.builds(LongContextTier, st.integers(1, 300_000), TOKEN_PRICES), max_size=3)
SERVICES = {"flex": Decimal("0.5"), "priority": Decimal("2.5"), BATCH: Decimal("0.5")}
SERVICE = st.sampled_from(("", *SERVICES))


SEARCHES = replace(prices("0", "0"), search=Decimal(2_000))
MINUTES = replace(prices("0", "0"), minute=Decimal("0.006"))


def served_of(data: st.DataObject, demand: Demand) -> str:
    """Return the tier that answers: a provider may answer in the ordinary one, but not in a batch."""
    return data.draw(st.sampled_from([demand.service] if demand.service == BATCH else ["", demand.service]))


MODELS = st.builds(
    lambda base, tiers, most: text_model(
        prices=base, tiers=tuple(tiers), max_output_tokens=most, services=SERVICES
    ),
    TOKEN_PRICES,
    TIERS,
    st.integers(1, 200_000),
)
DEMANDS = st.builds(
    Demand,
    st.integers(0, 400_000),
    st.none() | st.integers(0, 300_000),
    st.integers(1, 8),
    service=SERVICE,
)
SEARCHING = st.builds(
    Demand,
    st.integers(0, 400_000),
    st.none() | st.integers(0, 300_000),
    searches=st.integers(1, 20),
    search_steps=st.sampled_from((0, 10)),
    may_skip_search=st.booleans(),
    service=SERVICE,
)
USAGES = st.builds(Usage, *[st.integers(0, 300_000)] * 5, web_searches=st.integers(0, 20), service=SERVICE)
BALANCES = st.integers(0, 50_000_000)


class TestShownCost:
    @settings(max_examples=money_examples(100))
    @given(USAGES, MODELS, st.integers(0, 50_000_000))
    def test_its_digits_are_the_charge_and_its_parts_add_up(
        self, usage: Usage, model: TextModel, hold: int
    ) -> None:
        told = json.loads(json.dumps(shown_cost(usage, model, hold)), parse_float=Decimal)
        assert told["cost"] * 1_000_000 == min(charge_micro_usd(usage, model), hold)
        assert sum(part for part in told["cost_details"].values() if part is not None) == told["cost"]


class TestChargeMicroUsd:
    def test_each_kind_of_token_has_its_price(self) -> None:
        # 10 x 2 + 100 x 0.1 + 20 x 2.5 + 4 x (2 x 2, an hour's cache) + 5 x 10 = 146
        assert charge_micro_usd(Usage(10, 5, 100, 20, 4), text_model()) == 146

    def test_parts_of_a_micro_usd_are_rounded_up_once(self) -> None:
        model = text_model(prices=prices("0.15", "0.47"))
        # 3 x 0.15 + 3 x 0.47 = 1.86; rounded one by one it would be 3
        assert charge_micro_usd(Usage(3, 3), model) == 2

    def test_nothing_costs_nothing(self) -> None:
        assert charge_micro_usd(Usage(0, 0), text_model()) == 0

    def test_cached_input_without_a_price_of_its_own_is_input(self) -> None:
        assert charge_micro_usd(Usage(1, 0, 1, 1, 1), text_model(prices=prices("3", "15"))) == 12

    def test_below_the_tier(self) -> None:
        assert charge_micro_usd(Usage(99_999, 1_000), tiered_model()) == 10_500  # 9 999.9 + 500

    def test_from_the_tier_on_all_tokens_have_its_prices(self) -> None:
        assert charge_micro_usd(Usage(100_000, 1_000), tiered_model()) == 52_500

    def test_cached_input_counts_for_the_tier(self) -> None:
        # 40 000 x 0.5 + 60 000 x 0.01 = 20 600
        assert charge_micro_usd(Usage(40_000, 0, 60_000), tiered_model()) == 20_600

    def test_the_highest_of_several_tiers_holds(self) -> None:
        tiers = (
            LongContextTier(128_000, prices("3", "15")),
            LongContextTier(32_000, prices("1.8", "9")),
            LongContextTier(256_000, prices("6", "60")),
        )
        model = text_model(prices=prices("1", "5"), tiers=tiers)
        assert [charge_micro_usd(Usage(count, 0), model) for count in (31_999, 32_000, 128_000, 256_000)] == [
            *(31_999, 57_600, 384_000, 1_536_000)
        ]


class TestUnitPrices:
    @pytest.mark.parametrize(
        ("usage", "priced", "expected"),
        [
            (Usage(10, 5), prices("2", "10"), {"input_tokens": "2", "output_tokens": "10"}),
            (Usage(10, 5), prices("0", "0"), {"input_tokens": "0", "output_tokens": "0"}),
            # Tokens are only counted if searches have the price.
            (Usage(10, 0, search_units=1), SEARCHES, {"search_units": "2000"}),
            (Usage(0, 0, seconds=90), MINUTES, {"seconds": "0.006"}),
        ],
        ids=["tokens", "free tokens", "searches", "minutes"],
    )
    def test_each_count_that_has_a_price(
        self, usage: Usage, priced: TokenPrices, expected: dict[str, str]
    ) -> None:
        assert unit_prices(usage, text_model(prices=priced)) == expected


class TestFullHold:
    def test_the_clients_limit(self) -> None:
        # dearest input is an hour's cache: 1 000 x 4 + 100 x 10
        assert full_hold(Demand(1_000, 100), text_model()) == HoldPlan(5_000, 100)

    def test_the_models_maximum_where_the_client_gave_none(self) -> None:
        assert full_hold(Demand(1_000, None), text_model()) == HoldPlan(1_284_000, 128_000)

    def test_a_limit_above_the_models_maximum_is_that_maximum(self) -> None:
        assert full_hold(Demand(0, 10**9), text_model()).output_limit == 128_000

    def test_every_answer_may_be_as_long(self) -> None:
        assert full_hold(Demand(0, 100, answers=3), text_model()).amount_micro_usd == 3_000

    def test_a_tier_within_reach_prices_it(self) -> None:
        # 200 000 x 1 (an hour's cache at twice 0.5) + 1 000 x 2.5
        assert full_hold(Demand(200_000, 1_000), tiered_model()).amount_micro_usd == 202_500

    def test_a_tier_prices_it_from_its_first_token_on(self) -> None:
        # The tier begins at 100 000 tokens: 99 999 x 0.2 before, 100 000 x 1 from there on.
        amounts = [
            full_hold(Demand(tokens, 0), tiered_model()).amount_micro_usd for tokens in (99_999, 100_000)
        ]
        assert amounts == [20_000, 100_000]


def test_the_input_has_no_part_of_output_and_searches() -> None:
    model = text_model(prices=TokenPrices(Decimal(1), Decimal(2), web_search=Decimal(50)))
    assert charge_and_input(Usage(100, 10, web_searches=3), model) == (100 + 20 + 150, 100)


@pytest.mark.parametrize(("tokens", "dearest"), [(99_999, ("0.1", "0.5")), (100_000, ("0.5", "2.5"))])
def test_a_route_is_as_dear_as_the_dearest_tier_within_reach(tokens: int, dearest: tuple[str, str]) -> None:
    assert dearest_prices(Demand(tokens, 0), tiered_model()) == tuple(map(Decimal, dearest))


@pytest.mark.parametrize(("may_skip", "fewest"), [(True, 0), (False, 1)])
def test_a_balance_of_nothing_holds_the_fewest_searches(may_skip: bool, fewest: int) -> None:
    demand = Demand(0, 10, searches=3, may_skip_search=may_skip)
    model = text_model(prices=TokenPrices(Decimal(1), Decimal(2), web_search=Decimal(50)))
    assert affordable_hold(demand, model, 0).searches == fewest


class TestOneOfSeveralModels:
    """The hold covers the dearest of them; the others may write more for it."""

    @pytest.mark.parametrize(
        ("limit", "held", "expected"),
        [
            (None, 250_000, HoldPlan(250_000, 24_600, 24_600)),
            (100, 250_000, HoldPlan(250_000, 100)),
            (None, 4_000, HoldPlan(4_000, 1, 1)),
        ],
    )
    def test_its_limit_is_what_the_hold_pays(self, limit: int | None, held: int, expected: HoldPlan) -> None:
        assert hold_within(Demand(1_000, limit), text_model(), HoldPlan(held, 7)) == expected

    @settings(max_examples=money_examples(100))
    @given(data=st.data(), demand=DEMANDS, models=st.tuples(MODELS, MODELS), balance=BALANCES)
    def test_whichever_answers_its_charge_never_exceeds_the_hold(
        self, data: st.DataObject, demand: Demand, models: tuple[TextModel, TextModel], balance: int
    ) -> None:
        route = TextRoute("some", "m", TextProtocol.OPENAI)
        plan = RoutePlan(
            tuple(Candidate(replace(one, id=str(n)), route, demand) for n, one in enumerate(models))
        )
        held = plan.affordable_hold(balance)
        for candidate in plan.candidates:
            own = plan.hold_for(candidate, held)
            assert own.amount_micro_usd == held.amount_micro_usd
            output = data.draw(st.integers(0, own.output_limit * demand.answers))
            usage = Usage(demand.input_tokens, output, service=served_of(data, demand))
            assert charge_micro_usd(usage, candidate.model) <= held.amount_micro_usd


class TestCuts:
    @pytest.mark.parametrize(
        ("passed_limit", "answers", "output_tokens", "cut"),
        [(5, 1, 5, True), (5, 1, 4, False), (5, 2, 10, True), (5, 2, 9, False), (None, 1, 10**6, False)],
    )
    def test_the_balance_cut_what_is_as_long_as_its_limit(
        self, passed_limit: int | None, answers: int, output_tokens: int, cut: bool
    ) -> None:
        assert HoldPlan(10, 5, passed_limit).cuts(output_tokens, answers) is cut


class TestAffordableHold:
    def test_a_balance_that_covers_the_maximum_limits_nothing(self) -> None:
        assert affordable_hold(Demand(1_000, None), text_model(), 1_284_000) == HoldPlan(1_284_000, 128_000)

    def test_a_smaller_balance_holds_a_quarter(self) -> None:
        # a quarter of 1 000 000 is 250 000; less 4 000 of input it pays 24 600 tokens
        found = affordable_hold(Demand(1_000, None), text_model(), 1_000_000)
        assert found == HoldPlan(250_000, 24_600, 24_600)

    def test_a_part_of_a_token_is_none(self) -> None:
        # a quarter of 400 036 is 100 009; less 4 000 it pays 9 600.9 tokens
        found = affordable_hold(Demand(1_000, None), text_model(), 400_036)
        assert found == HoldPlan(100_000, 9_600, 9_600)

    def test_never_less_than_4096_tokens(self) -> None:
        # a quarter of 100 000 would pay 2 100 tokens
        found = affordable_hold(Demand(1_000, None), text_model(), 100_000)
        assert found == HoldPlan(44_960, 4_096, 4_096)

    def test_above_the_balance_it_is_what_it_would_take(self) -> None:
        assert affordable_hold(Demand(1_000, None), text_model(), 44_959).amount_micro_usd == 44_960

    def test_a_client_with_a_large_limit_gets_what_one_without_gets(self) -> None:
        for balance in (1_000_000, 100_000, 44_960):
            large = affordable_hold(Demand(1_000, 128_000), text_model(), balance)
            assert large == affordable_hold(Demand(1_000, None), text_model(), balance)
            assert large.passed_limit == large.output_limit

    def test_a_client_never_gets_more_than_its_own_limit(self) -> None:
        assert affordable_hold(Demand(1_000, 5_000), text_model(), 10**9) == HoldPlan(54_000, 5_000)
        # Less than what is worth starting is held in full, or it is 402.
        assert affordable_hold(Demand(1_000, 100), text_model(), 5) == HoldPlan(5_000, 100)

    def test_a_model_that_never_says_4096_tokens(self) -> None:
        model = text_model(max_output_tokens=1_000)
        assert affordable_hold(Demand(0, None), model, 9_999) == HoldPlan(10_000, 1_000)

    def test_free_output_is_not_limited(self) -> None:
        model = text_model(prices=prices("1", "0"))
        assert affordable_hold(Demand(100_000, None), model, 50_000).output_limit == 128_000

    @settings(max_examples=money_examples(100))
    @given(demand=DEMANDS, model=MODELS, balance=BALANCES)
    def test_a_hold_within_the_balance_or_the_least_there_is(
        self, demand: Demand, model: TextModel, balance: int
    ) -> None:
        plan = affordable_hold(demand, model, balance)
        least = min(4_096, model.max_output_tokens)
        wanted = Demand(demand.input_tokens, min(least, demand.output_limit or least))
        needed = full_hold(replace(wanted, answers=demand.answers, service=demand.service), model)
        assert plan.amount_micro_usd <= max(balance, needed.amount_micro_usd)

    @settings(max_examples=money_examples(100))
    @given(data=st.data(), demand=DEMANDS, model=MODELS, balance=BALANCES)
    def test_the_charge_never_exceeds_the_hold(
        self, data: st.DataObject, demand: Demand, model: TextModel, balance: int
    ) -> None:
        plan = affordable_hold(demand, model, balance)
        left = demand.input_tokens
        counts = []
        for _ in range(4):
            counts.append(data.draw(st.integers(0, left)))
            left -= counts[-1]
        output = data.draw(st.integers(0, plan.output_limit * demand.answers))
        served = served_of(data, demand)
        usage = Usage(counts[0], output, counts[1], counts[2], counts[3], service=served)
        assert charge_micro_usd(usage, model) <= plan.amount_micro_usd

    def test_each_search_reads_the_results_so_far_and_no_more(self) -> None:
        demand = Demand(1_000, 500, searches=3)
        assert demand.total_input(1_000_000) == 4 * 1_000 + (1 + 2 + 3) * 16_384
        assert demand.total_input(20_000) == 1_000 + 17_384 + 2 * 20_000

    @settings(max_examples=money_examples(100))
    @given(data=st.data(), demand=SEARCHING, model=MODELS, balance=BALANCES)
    def test_it_covers_all_that_searches_of_the_web_can_read(
        self, data: st.DataObject, demand: Demand, model: TextModel, balance: int
    ) -> None:
        plan = affordable_hold(demand, model, balance)
        assert (0 if demand.may_skip_search else 1) <= plan.searches <= demand.searches
        done, read = 0, demand.input_tokens
        # At most 10 steps. Each reads the input again with up to 16,384 tokens for each search so far.
        for _ in range(data.draw(st.integers(0, 10 if plan.searches else 0))):
            least = 0 if demand.search_steps else 1
            if plan.searches - done < least:
                break
            done += data.draw(st.integers(least, plan.searches - done))
            read += min(demand.input_tokens + 16_384 * done, model.context_tokens)
        output = data.draw(st.integers(0, plan.output_limit))
        served = served_of(data, demand)
        usage = Usage(0, output, cache_write_tokens=read, web_searches=done, service=served)
        assert charge_micro_usd(usage, model) <= plan.amount_micro_usd

    @settings(max_examples=money_examples(100))
    @given(model=MODELS, usages=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=20))
    def test_a_charge_is_never_below_its_exact_price_and_less_than_one_above(
        self, model: TextModel, usages: list[tuple[int, int]]
    ) -> None:
        for fresh, output in usages:
            of_tier = model.prices_for(fresh)
            exact = fresh * of_tier.input + output * of_tier.output
            assert Decimal(0) <= charge_micro_usd(Usage(fresh, output), model) - exact < 1
