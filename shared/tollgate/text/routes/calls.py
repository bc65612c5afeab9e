"""The calls of one text request's routes: the best first, the next if one fails or is silent.

The first route that answers is billed, or its stream is relayed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import emit, emit_provider_error, logger
from tollgate.ledger.trace import RouteCall
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel, TextRoute
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.placed import PlacedHold
from tollgate.text.routes.attempt import FIRST_ERROR, MAX_ERROR_BYTES, Answered, Attempt
from tollgate.text.routes.breaker import Breaker
from tollgate.text.routes.exchanges import exchanges
from tollgate.text.routes.finishing import Finishing
from tollgate.text.routes.race import Race
from tollgate.text.routes.reports import report_not_sold, report_stated
from tollgate.text.routes.response import (
    ROUTE_HEADER,
    CompleteResponse,
    Refused,
    StreamedResponse,
    TextResponse,
)
from tollgate.text.routes.switches import Switches
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest, TextUpstream
from tollgate.text.usage import read_token_count
from tollgate.text.wire.errors import RequestEndedError, error_body, error_of_failures
from tollgate.text.wire.faults import IDLE_CONNECTION_CLOSED, TIMED_OUT, Fault, Verdict

# A request that is not streamed and has no answer after this long is a 524 (site/limits.md#sizes-and-times).
WHOLE_TIMEOUT_S = 100.0
# Of a stream, all routes tried for it together: less than the function's 15 minutes, so it ends in order.
STREAM_TIMEOUT_S = 14 * 60.0
# How long a route may be silent before the next one is asked beside it: half of a whole answer's time. What
# takes longer is asked for twice, and may be billed to us twice; the customer is charged once.
MAX_SILENCE_S = 50.0
# The same before the first word of a stream: models that think show nothing until they have thought.
MAX_STREAM_SILENCE_S = 100.0
# Before the last route is called once more.
RETRY_PAUSE_S = 0.3
# The code of a call that another one has overtaken.
SILENT = "silent"


class CountsTokens(Protocol):
    """A provider that counts input tokens for nothing."""

    def count_call(
        self, request: TextRequest, model: TextModel, route: TextRoute, headers: Mapping[str, str]
    ) -> HttpCall | None:
        """Return the call that counts; `None` if it does not count this request."""


@dataclass(frozen=True, slots=True)
class RouteCalls:
    """Calls the routes of text requests."""

    upstreams: Callable[[], Awaitable[Mapping[str, TextUpstream]]]
    billing: TextBilling
    http: HttpClient
    breaker: Breaker
    clock: Clock
    detects_disconnects: bool = True
    """Whether the server is notified when a client closes its connection."""
    switches: Switches | None = None
    """The providers that an operator switched off."""
    whole_timeout_s: float | None = None
    """The time of a response that is not streamed, if no client waits at a connection."""
    finishing: Finishing = field(default_factory=Finishing)

    async def answer(
        self, request: TextRequest, model: TextModel, placed: PlacedHold, headers: Mapping[str, str]
    ) -> TextResponse:
        """Call the routes, best first, until one answers.

        Before that, raises the errors that refuse the request.
        """
        upstreams = await self.upstreams_now()
        # One bound for all routes together: the function itself is ended after 15 minutes.
        whole_s, silence_s = self.whole_timeout_s or WHOLE_TIMEOUT_S, MAX_SILENCE_S
        if self.whole_timeout_s is not None:
            silence_s = self.whole_timeout_s / 2
        answer_by = time.monotonic() + (STREAM_TIMEOUT_S if request.stream else whole_s)
        patience_s = MAX_STREAM_SILENCE_S if request.stream else silence_s
        last: RoutedRequest | None = None
        async with Race[Answered]() as race:
            for routed, exchange in self.exchanges(request, placed, headers, upstreams):
                if not self._may_call(routed, model):
                    continue
                # Not sent to the client before a route has answered: until then any failure leads to the next
                # route.
                call = placed.call(routed.route.provider, _called_model(routed))
                race.start(call.provider, self._attempt(placed, call, routed, exchange, answer_by))
                if first := await race.first(patience_s):
                    return await self._bill_or_relay(*first, placed)
                last = routed if isinstance(exchange.call, HttpCall) else None
                # The time left is too short for a whole response of another route.
                if not request.stream and TIMED_OUT in race.failures:
                    break  # the client's own 100 s are over
            if first := await race.first():
                return await self._bill_or_relay(*first, placed)
            may_retry = time.monotonic() + RETRY_PAUSE_S < answer_by and not placed.is_ending
            if last is not None and race.failures[-1].is_transient and may_retry:
                # No other route is left, and the client has received nothing. Most such failures end at once.
                await asyncio.sleep(RETRY_PAUSE_S)
                again = upstreams[last.route.provider].exchange(last)
                again.stream.request_id = placed.hold.request_id
                call = placed.call(last.route.provider, _called_model(last))
                race.start(call.provider, self._attempt(placed, call, last, again, answer_by))
                if first := await race.first():
                    return await self._bill_or_relay(*first, placed)
        return _given_up(request, placed, race.failures)

    async def _bill_or_relay(self, answered: Answered, silent: list[str], placed: PlacedHold) -> TextResponse:
        """Bill the first response, or begin to relay it. Providers that were `silent` meanwhile are slow."""
        for provider in silent:
            self._note_failure(provider, TIMED_OUT)
        for call in placed.calls:
            if call.provider in silent and call.ended_ms is None:
                call.ended_ms, call.code = placed.elapsed_ms(), SILENT
        routed, exchange, response = answered.routed, answered.exchange, answered.response
        # From here on this route is the one: the ledger names it.
        placed.provider, placed.plan = routed.route.provider, routed.hold
        if answered.refused is not None:
            return replace(answered.refused, headers={ROUTE_HEADER: placed.provider})
        ignored = [*routed.ignored, *exchange.ignored]
        if response is not None:
            placed.first_byte_ms = placed.elapsed_ms()
            ends_with_client = exchange.is_countable and self.detects_disconnects and not placed.completes
            return StreamedResponse(
                placed,
                routed.model,
                exchange,
                response,
                answered.body,
                self.billing,
                self.finishing,
                ends_with_client,
                ignored=ignored,
            )
        settlement = self.billing.settle(placed, routed.model, exchange.meter.usage())
        billed = await self.finishing.run(settlement)
        report_stated(exchange.meter, routed.model.id, placed.provider, billed)
        return CompleteResponse(answered.body, billed, ignored, placed.provider)

    async def _attempt(
        self, placed: PlacedHold, call: RouteCall, routed: RoutedRequest, exchange: Exchange, answer_by: float
    ) -> Answered | Fault:
        """Ask one route, and note how its provider did."""
        outcome = await Attempt(self.http, routed, exchange, answer_by).outcome()
        failed = outcome if isinstance(outcome, Fault) else outcome.refused
        if failed is not None:
            call.ended_ms, call.code = placed.elapsed_ms(), failed.code
        if not isinstance(outcome, Fault):
            self.breaker.succeeded(routed.route.provider)
        elif isinstance(exchange.call, HttpCall) and outcome is not IDLE_CONNECTION_CLOSED:
            if outcome.verdict is Verdict.NOT_SOLD:
                report_not_sold(routed)
            else:
                self._note_failure(routed.route.provider, outcome)
        return outcome

    async def upstreams_now(self) -> Mapping[str, TextUpstream]:
        """Return the providers by name, when the switches are known too."""
        if self.switches is not None:
            await self.switches.known()
        return await self.upstreams()

    def _may_call(self, routed: RoutedRequest, model: TextModel) -> bool:
        """Return whether to call a route of a request for `model`: it is on, and its provider is not down."""
        provider = routed.route.provider
        is_on = not self.is_off(provider, routed.model.id)
        if is_on and self.breaker.allows(provider, self.clock.now_ms()):
            return True
        if len({route.provider for route in model.routes}) == 1:
            emit({"SingleRouteDown": 1})
        return False

    def is_off(self, provider: str, model_id: str) -> bool:
        """Return whether an operator switched off a provider, or its route of a model."""
        return self.switches is not None and self.switches.is_off(provider, model_id)

    def exchanges(
        self,
        request: TextRequest,
        placed: PlacedHold,
        headers: Mapping[str, str],
        upstreams: Mapping[str, TextUpstream],
    ) -> Iterator[tuple[RoutedRequest, Exchange]]:
        """Return each route that can carry the request. Raises as `exchanges` does."""
        return exchanges(
            request,
            placed.routes,
            placed.plan,
            upstreams,
            headers=headers,
            created_s=self.clock.now_ms() // MS_PER_S,
            request_id=placed.hold.request_id,
            is_ending=lambda: placed.is_ending,
        )

    async def count_tokens(
        self, request: TextRequest, model: TextModel, placed: PlacedHold, headers: Mapping[str, str]
    ) -> int | None:
        """Return the number of input tokens from the first provider that counts; `None` if none does."""
        upstreams = await self.upstreams_now()
        for one in placed.routes.candidates:
            if self.is_off(one.provider, one.model_id):
                continue
            counter: CountsTokens | None = _token_counter(upstreams.get(one.provider))
            call = counter.count_call(request, model, one.route, headers) if counter is not None else None
            if call is not None and (counted := await self._count(call)) is not None:
                return counted
        return None

    async def _count(self, call: HttpCall) -> int | None:
        """Request a count from a provider; `None` if it cannot count now."""
        try:
            response = await self.http.request(
                call.method,
                call.url,
                header_lines(call.headers),
                call.body,
                timeout_s=WHOLE_TIMEOUT_S,
                repeatable=True,
            )
            body = await response.read(MAX_ERROR_BYTES)
        except (HttpError, TimeoutError):
            return None
        return read_token_count(body) if response.status < FIRST_ERROR else None

    def _note_failure(self, provider: str, fault: Fault) -> None:
        self.breaker.failed(provider, slow=fault.slow, now_ms=self.clock.now_ms())
        log = logger.error if fault.verdict is Verdict.OUR_ACCOUNT else logger.warning
        log("text.attempt_failed", provider=provider, status=fault.status, code=fault.code)
        emit_provider_error(provider, is_ours=fault.verdict is Verdict.OUR_ACCOUNT)


def _called_model(routed: RoutedRequest) -> str | None:
    """Return the model of a call, if the request permits several."""
    return routed.model.id if routed.request.asked.fallbacks else None


def _given_up(request: TextRequest, placed: PlacedHold, failures: Sequence[Fault]) -> Refused:
    """Return the answer to a request that no route answered."""
    if placed.is_ending:
        error: TollgateError = RequestEndedError()
    else:
        emit({"TextGivenUp": 1})
        error = error_of_failures(failures, stream=request.stream)
    body = error_body(request.protocol, error)
    return Refused(error.status, body, error.headers(), error.code, error.code)


def _token_counter(upstream: TextUpstream | None) -> CountsTokens | None:
    return cast("CountsTokens", upstream) if hasattr(upstream, "count_call") else None
