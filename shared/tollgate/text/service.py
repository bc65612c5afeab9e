"""One text request from the client's body to the settled bill (docs/architecture.md#text).

    place hold ─► route ─► answer complete   ─► record, settle ─► CompleteResponse
                    │  └─► stream has begun  ─► StreamedResponse: relay … record, settle
                    │  └─► refused for its content ─► void ─► Refused
                    └─ busy, broken, silent: the next route; none left ─► void ─► Refused

In every case, the hold is settled or voided before the request's invocation ends.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import Clock
from tollgate.kit.errors import InternalError, InvalidInputError, TollgateError
from tollgate.kit.http.error_help import REFUSALS
from tollgate.ledger.attribution import attribution_of
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.holds import HOLD_LIFETIME_MS
from tollgate.ledger.reservations import QUOTE_HEADER
from tollgate.ledger.trace import Ending
from tollgate.routing.facts import KnownProviders
from tollgate.routing.reading import MODELS, resolved
from tollgate.routing.selection import NO_POLICIES, Policies
from tollgate.routing.speeds import NO_SPEEDS, Speeds
from tollgate.routing.wishes import NO_WISHES, Sort, Wishes
from tollgate.text.body.request import TextRequest
from tollgate.text.body.tokens import input_estimate
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.handover import at_prices
from tollgate.text.money.metering import Demand
from tollgate.text.money.placed import PlacedHold
from tollgate.text.money.route_plan import Choose, ProviderExcludedError, RoutePlan, plan_from, plan_of
from tollgate.text.routes.admission import UseOf, check_references, demand_of, model_named
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.finishing import Finishing
from tollgate.text.routes.measures import KnownMeasures
from tollgate.text.routes.response import Refused, TextResponse
from tollgate.text.wire.errors import RequestEndedError

# The ledger's text for a request whose client disconnected, or that failed inside.
NO_ANSWER = "Ended before there was a response; nothing was charged."
NOTHING = Demand(0, 0, 1)
FAST = {Sort.THROUGHPUT, Sort.LATENCY}


class Responder(Protocol):
    """A service that answers text requests."""

    async def respond(
        self, request: TextRequest, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer a request, or begin to."""


@dataclass(frozen=True, slots=True)
class TextService:
    """Answers text requests."""

    models: Mapping[str, TextModel]
    calls: RouteCalls
    use_of: UseOf
    providers: KnownProviders = field(default_factory=KnownProviders)
    """The facts by which requests are routed."""
    measures: KnownMeasures | None = None
    """The measures of routes, for requests that sort by them."""
    _waiting: dict[str, PlacedHold] = field(default_factory=dict)
    """The requests without a response so far, by their ids."""

    @property
    def billing(self) -> TextBilling:
        """Return the holds, charges and refunds of requests."""
        return self.calls.billing

    @property
    def finishing(self) -> Finishing:
        """Return the writes that are completed even if their request is cancelled."""
        return self.calls.finishing

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        return self.calls.clock

    def model(self, name: str, protocol: TextProtocol, key: ApiKey) -> TextModel:
        """Return the model with this name. Raises as `model_named` does."""
        return model_named(name, protocol, self.models, self.use_of, key)

    async def respond(
        self, request: TextRequest, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer a request, or begin to. Raises the errors that refuse it before any provider is called."""
        model, placed = await self.hold(request, key, request_id, headers)
        return await self.answer(request, model, placed, headers)

    async def hold_nothing(
        self,
        request: TextRequest,
        model: TextModel,
        key: ApiKey,
        request_id: str,
        headers: Mapping[str, str],
        *,
        provider: str,
    ) -> PlacedHold | None:
        """Place an empty hold for a request with a stored answer of a `provider`.

        It counts in the rate window.

        Returns `None` if the request, its key or its account exclude the provider; then nothing is counted.
        Raises as `hold` does.
        """
        choose_any = await self._chooser(request, key, [model], NOTHING)

        def choose(account: Wishes) -> RoutePlan:
            plan = choose_any(account)
            if all(one.provider != provider for one in plan.candidates):
                raise ProviderExcludedError
            return plan

        spender = key.spender(attribution_of(headers, request.sent or request.fields))
        allowance = key.allowance(self.clock.now_ms())
        try:
            placed = await self.billing.place(key.account_id, request_id, choose, allowance, spender=spender)
        except ProviderExcludedError:
            return None
        placed.api = request.api
        return placed

    async def hold(
        self,
        request: TextRequest,
        key: ApiKey,
        request_id: str,
        headers: Mapping[str, str],
        lifetime_ms: int = HOLD_LIFETIME_MS,
    ) -> tuple[TextModel, PlacedHold]:
        """Place the hold of a request, or take it from the quote that its header names.

        Raises the errors that refuse it before any provider is called.
        """
        model = self.model(request.model, request.protocol, key)
        choose = await self._chooser(request, key, [model, *self._fallbacks(request, key)])
        if (quote_id := headers.get(QUOTE_HEADER)) is not None:
            placed = await self.billing.draw(quote_id, key, request_id, choose, lifetime_ms=lifetime_ms)
            placed.api = request.api
            return model, placed
        allowance = key.allowance(self.clock.now_ms())
        placed = await self.billing.place(
            key.account_id,
            request_id,
            choose,
            allowance,
            spender=key.spender(attribution_of(headers, request.sent or request.fields)),
            lifetime_ms=lifetime_ms,
        )
        placed.api = request.api
        return model, placed

    def _fallbacks(self, request: TextRequest, key: ApiKey) -> list[TextModel]:
        """Return the models that may answer instead of the first one. Raises as `model_named`."""
        return [
            model_named(name, request.protocol, self.models, self.use_of, key, path=f"/{MODELS}")
            for name in request.asked.fallbacks
        ]

    async def _chooser(
        self, request: TextRequest, key: ApiKey, models: Sequence[TextModel], demand: Demand | None = None
    ) -> Choose:
        """Return the function that chooses the routes of a request among the routes of `models`.

        Raises `InvalidInputError` for wishes that name an unknown provider, and as `demand_of` does.
        """
        wishes, problems = resolved(request.asked.wishes, self.providers)
        if problems:
            raise InvalidInputError(problems)
        demands = [(model, demand or demand_of(request, model)) for model in models]
        # The wish of the account is read with its balance, so it uses earlier measures.
        if self.measures is not None and {wishes.sort, key.routing.sort} & FAST:
            for model in models:
                await self.measures.of(model.id)

        def choose(account: Wishes) -> RoutePlan:
            policies = Policies(account, key.routing)
            sorts = {one.sort for one in (wishes, account, key.routing)}
            speeds = self._speeds(demands) if sorts & FAST else NO_SPEEDS
            return plan_of(demands, wishes, policies, self.providers, speeds=speeds)

        return choose

    def _speeds(self, demands: Sequence[tuple[TextModel, Demand]]) -> Speeds:
        """Return the known speeds of the models' routes: of all requests, or else of this process."""
        routes = [(model.id, route.provider) for model, _ in demands for route in model.routes]
        own = self.billing.speeds.of(routes, self.clock.now_ms())
        return own if self.measures is None else {**own, **self.measures.speeds(routes)}

    def resume(self, request: TextRequest, handed: Mapping[str, Any], placed: PlacedHold) -> None:
        """Restore the routes of a request that another process has accepted, at the prices of its start.

        An earlier version stored no routes, because it permitted all of the model, and no prices.
        """
        model = self.models.get(request.model.casefold())
        if "routes" in handed:
            prices = handed["prices"]
            models = {name: at_prices(one, prices.get(one.id)) for name, one in self.models.items()}
            stored = plan_from(handed["routes"], models, lambda one: demand_of(request, one))
            placed.routes = stored.marked_up(placed.markup_percent)
        elif model is not None:
            demands = [(model, demand_of(request, model))]
            placed.routes = plan_of(demands, NO_WISHES, NO_POLICIES, self.providers)

    async def check_routes(self, request: TextRequest, placed: PlacedHold) -> None:
        """Raise `InvalidInputError` if no route can carry the request. No provider is called."""
        next(self.calls.exchanges(request, placed, {}, await self.calls.upstreams()), None)

    async def answer(
        self, request: TextRequest, model: TextModel, placed: PlacedHold, headers: Mapping[str, str]
    ) -> TextResponse:
        """Answer a request whose hold is placed, or begin to. Raises as `respond` does."""
        request_id = placed.hold.request_id
        self._waiting[request_id] = placed
        try:
            response = await self.calls.answer(request, model, placed, headers)
        # Includes cancellation, which is no Exception: the hold must not wait for the sweeper.
        except BaseException as exc:
            placed.failed(*_ending_of(exc))
            await self.finishing.run(self.billing.fail(placed, model.id, NO_ANSWER))
            raise
        finally:
            self._waiting.pop(request_id, None)
        if isinstance(response, Refused):
            placed.failed(_ending_of_refusal(response), response.status, response.code)
            refused = f"Ended with HTTP {response.status}; nothing was charged."
            await self.finishing.run(self.billing.fail(placed, model.id, refused))
        return response

    async def end_if_asked(self, request_id: str) -> bool:
        """End a request without a response if its owner asked for that; return whether it is ending.

        No other route is called. The routes that were called continue: they may have processed the input.
        """
        placed = self._waiting.get(request_id)
        if placed is None:
            return False
        placed.is_ending = await self.billing.is_end_requested(placed)
        return placed.is_ending

    async def count_tokens(
        self, request: TextRequest, key: ApiKey, request_id: str, headers: Mapping[str, str]
    ) -> int:
        """Return the number of input tokens: from the provider if it counts, else our estimate.

        It is free, but counts as one of the account's requests per minute, by an empty hold.
        """
        model = self.model(request.model, request.protocol, key)
        check_references(request)
        # The prompt goes only to a provider that the wishes permit.
        choose = await self._chooser(request, key, [model], NOTHING)
        # No cap and no budget counts it, because it costs nothing.
        placed = await self.billing.place(key.account_id, request_id, choose, None, spender=NOBODY)
        await self.finishing.run(self.billing.void(placed))
        counted = await self.calls.count_tokens(request, model, placed, headers)
        return input_estimate(request, model) if counted is None else counted


def _ending_of(exc: BaseException) -> tuple[Ending, int | None, str | None]:
    """Return how a request without a response ended, and its error's status and code."""
    if isinstance(exc, asyncio.CancelledError):
        return Ending.DISCONNECTED, None, None
    error = exc if isinstance(exc, TollgateError) else InternalError()
    return Ending.FAILED, error.status, error.code


def _ending_of_refusal(response: Refused) -> Ending:
    if response.anchor == REFUSALS:
        return Ending.REFUSED
    return Ending.CANCELLED if response.code == RequestEndedError.code else Ending.FAILED
