"""The routes that may answer a text request, in order, and the hold that covers each of them. Pure.

Law: the hold is at least the charge of whichever permitted model answers, if the provider keeps the limit.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.kit.money import MICRO_USD_PER_USD
from tollgate.routing.facts import KnownProviders
from tollgate.routing.selection import Policies, select
from tollgate.routing.speeds import NO_SPEEDS, Speeds
from tollgate.routing.wishes import COMPLETION, PROMPT, REQUEST, Wishes
from tollgate.text.models import TextModel, TextRoute
from tollgate.text.money.metering import (
    Demand,
    HoldPlan,
    affordable_hold,
    dearest_prices,
    full_hold,
    hold_within,
)


class ProviderExcludedError(Exception):
    """The wishes of a request, its key or its account exclude the provider of a stored answer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A route of a model that may answer, and the most that the request can use of that model."""

    model: TextModel
    route: TextRoute
    demand: Demand

    @property
    def model_id(self) -> str:
        """Return the id of the model."""
        return self.model.id

    @property
    def provider(self) -> str:
        """Return the name of the provider."""
        return self.route.provider

    @property
    def prices(self) -> Mapping[str, Decimal]:
        """Return the highest published prices that the request can have, in USD (`routing/wishes.py`)."""
        source, output = dearest_prices(self.demand, self.model)
        searches = self.demand.search_units * self.model.prices.search
        searches += self.demand.searches * self.model.prices.of_web_search()
        return {PROMPT: source, COMPLETION: output, REQUEST: searches / MICRO_USD_PER_USD}


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """The candidates, best first. `required`: a provider must get every field of the request.

    `private` are the wishes about data that a provider gets which passes them on.
    """

    candidates: tuple[Candidate, ...]
    required: bool = False
    private: Mapping[str, Any] = field(default_factory=dict)

    def marked_up(self, percent: int) -> "RoutePlan":
        """Return the plan at the prices of a sub-account, which are higher by a percentage."""
        marked = (replace(one, model=one.model.marked_up(percent)) for one in self.candidates)
        return replace(self, candidates=tuple(marked)) if percent else self

    def full_hold(self) -> HoldPlan:
        """Return the hold that covers the client's limit, whichever model answers."""
        return _dearest(full_hold(one.demand, one.model) for one in self._models())

    def affordable_hold(self, balance_micro_usd: int) -> HoldPlan:
        """Return the hold for an account with that balance, as `metering.affordable_hold` does."""
        return _dearest(affordable_hold(one.demand, one.model, balance_micro_usd) for one in self._models())

    def hold_for(self, candidate: Candidate, held: HoldPlan) -> HoldPlan:
        """Return the part of the hold `held` that pays for a candidate: its own limit of output."""
        if len(self._models()) == 1:
            return held
        return hold_within(candidate.demand, candidate.model, held)

    @property
    def answers(self) -> int:
        """Return the number of answers in the request."""
        return self.candidates[0].demand.answers

    def _models(self) -> Collection[Candidate]:
        return {one.model.id: one for one in self.candidates}.values()

    def stored(self) -> dict[str, Any]:
        """Return the plan as a map of plain values, for the process that continues the request."""
        return {
            "routes": [[one.model.id, one.route.provider] for one in self.candidates],
            "required": self.required,
            "private": dict(self.private),
        }


NO_ROUTES = RoutePlan(())
Choose = Callable[[Wishes], RoutePlan]
"""Returns the plan of a request under the stored wishes of its account. Raises as `select` does."""


def _dearest(holds: Iterator[HoldPlan]) -> HoldPlan:
    return max(holds, key=lambda hold: hold.amount_micro_usd)


def plan_of(
    demands: Sequence[tuple[TextModel, Demand]],
    wishes: Wishes,
    policies: Policies,
    known: KnownProviders,
    *,
    speeds: Speeds = NO_SPEEDS,
) -> RoutePlan:
    """Return the plan of a request; `demands` are its model and its fallbacks, in their order.

    Raises as `select` does.
    """
    try:
        return _plan(demands, wishes, policies, known, speeds)
    except (ForbiddenError, InvalidInputError):
        if not any(demand.searches and demand.may_skip_search for _, demand in demands):
            raise
        # Only routes without searches are permitted, and the request is answered without them.
        plain = [(model, demand.searching(0)) for model, demand in demands]
        return _plan(plain, wishes, policies, known, speeds)


def _plan(
    demands: Sequence[tuple[TextModel, Demand]],
    wishes: Wishes,
    policies: Policies,
    known: KnownProviders,
    speeds: Speeds,
) -> RoutePlan:
    options = [
        Candidate(model, route, demand)
        for model, demand in demands
        for route in model.routes
        if (route.searches or not demand.searches)
        and (demand.service in route.services or not demand.service)
    ]
    asked = (policies.account, policies.key, wishes)
    private = {
        **({"data_collection": "deny"} if any(one.deny_data_collection for one in asked) else {}),
        **({"zdr": True} if any(one.zdr for one in asked) else {}),
    }
    return RoutePlan(
        tuple(select(options, wishes, policies, known, speeds=speeds)),
        any(one.require_parameters for one in asked),
        private,
    )


def plan_from(
    stored: Mapping[str, Any], models: Mapping[str, TextModel], demand_of: Callable[[TextModel], Demand]
) -> RoutePlan:
    """Return a stored plan, as far as its models and routes are still there."""
    found = [
        Candidate(model, route, demand_of(model))
        for model_id, provider in stored["routes"]
        if (model := models.get(model_id.casefold())) is not None
        for route in model.routes
        if route.provider == provider
    ]
    return RoutePlan(tuple(found), stored["required"], stored["private"])
