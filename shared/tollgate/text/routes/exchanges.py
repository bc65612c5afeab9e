"""The routes that can carry a request, each with its call. Pure.

A route cannot carry a request if it is too long for it, or has a field that its provider does not take.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.routing.facts import KnownProviders
from tollgate.routing.reading import resolved
from tollgate.routing.selection import Policies
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel
from tollgate.text.money.metering import Demand, HoldPlan
from tollgate.text.money.route_plan import RoutePlan, plan_of
from tollgate.text.routes.admission import estimate_of
from tollgate.text.upstream.exchange import Exchange, RoutedRequest, TextUpstream

REQUEST_PREFIX = "req_"

CheckRoutes = Callable[[TextRequest, Sequence[tuple[TextModel, Demand]]], None]
"""Checks the wishes and the fields of a request. Raises as `RouteCheck` does."""


def exchanges(
    request: TextRequest,
    routes: RoutePlan,
    held: HoldPlan,
    upstreams: Mapping[str, TextUpstream],
    *,
    headers: Mapping[str, str],
    created_s: int,
    request_id: str,
    is_ending: Callable[[], bool],
) -> Iterator[tuple[RoutedRequest, Exchange]]:
    """Yield each route that can carry a request, best first, when its turn comes; no more once it is ending.

    `headers` are the client's, with lower-case names, and `created_s` is the time now, in epoch seconds.
    Raises `InvalidInputError`, with the first route's message, if no route can carry it.
    """
    refused: InvalidInputError | None = None
    carried = False
    estimates: dict[str, int] = {}
    for one in routes.candidates:
        if is_ending():
            return
        upstream = upstreams.get(one.provider)
        if one.model_id not in estimates:
            estimates[one.model_id] = estimate_of(request, one.model)
        routed = RoutedRequest(
            request,
            one.model,
            one.route,
            routes.hold_for(one, held),
            estimates[one.model_id],
            created_s,
            headers,
            request_id.removeprefix(REQUEST_PREFIX),
            routes.private,
        )
        # A fallback with a smaller window would refuse a request that the model accepts: a client error.
        if upstream is None or not one.route.holds(routed.input_estimate, routed.sent_limit):
            continue
        try:
            exchange = upstream.exchange(routed)
            if routes.required:
                _check_required(routed, exchange)
        except InvalidInputError as exc:
            # Use the best route's message, because the customer would want to change the field that it names.
            refused = refused or exc
            continue
        carried = True
        exchange.stream.request_id = request_id
        yield routed, exchange
    if refused is not None and not carried:
        raise refused


@dataclass(frozen=True, slots=True)
class RouteCheck:
    """Checks a request before its money is reserved. No provider is called.

    `upstreams` only translate requests, so they need no credentials.
    """

    providers: KnownProviders
    upstreams: Mapping[str, TextUpstream]

    def under(self, policies: Policies) -> CheckRoutes:
        """Return the check under the policies of an account and a key."""
        return partial(self._check, policies)

    def _check(
        self, policies: Policies, request: TextRequest, demands: Sequence[tuple[TextModel, Demand]]
    ) -> None:
        """Raise the errors by which the request's own endpoint would refuse its wishes and its fields.

        `demands` are its model and its fallbacks, in their order, each with the most that it can use. Raises
        `InvalidInputError`, and `ForbiddenError` if the policies permit no route.
        """
        wishes, problems = resolved(request.asked.wishes, self.providers)
        if problems:
            raise InvalidInputError(problems)
        plan = plan_of(demands, wishes, policies, self.providers)
        found = exchanges(
            request,
            plan,
            plan.full_hold(),
            self.upstreams,
            headers={},
            created_s=0,
            request_id=REQUEST_PREFIX,
            is_ending=lambda: False,
        )
        next(found, None)


def _check_required(routed: RoutedRequest, exchange: Exchange) -> None:
    """Raise `InvalidInputError` if the provider does not get every field of the request."""
    ignored = list(dict.fromkeys([*routed.ignored, *exchange.ignored]))
    if ignored:
        message = f"No provider of {routed.model.id} supports all fields of this request."
        raise InvalidInputError(
            [Problem("/provider/require_parameters", message, f"without {', '.join(ignored)}")]
        )
