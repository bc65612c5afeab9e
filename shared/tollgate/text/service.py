"""One text request from the client's body to the settled bill (design §5).

    place hold ─► route ─► answer whole      ─► record, settle ─► Whole
                    │  └─► stream has begun  ─► Live: relay … record, settle
                    │  └─► refused for what it asks ─► void ─► Refused
                    └─ busy, broken, slow: the next route; none left ─► void ─► Refused

Whatever happens, the hold is settled or voided before the request's invocation ends.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

import aiohttp

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb_async import DatabaseError
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.observability import logger
from tollgate.text.billing import Billed, Placed, TextBilling
from tollgate.text.breaker import Breaker
from tollgate.text.errors import (
    ProviderUnavailableError,
    UpstreamTimeoutError,
    error_body,
    fault_body,
    fault_status,
)
from tollgate.text.faults import BROKEN_OFF, TIMED_OUT, UNREACHABLE, UNREADABLE, Fault, FaultError, Verdict
from tollgate.text.metering import Demand
from tollgate.text.models import TextModel, TextRoute
from tollgate.text.request import TextRequest
from tollgate.text.sse import EventTooLargeError, SseSplitter
from tollgate.text.tokens import input_bound, input_estimate
from tollgate.text.unpriced import unpriced_problems
from tollgate.text.upstream import Exchange, HttpCall, TextOrder, TextUpstream, encoded, refusal

WHOLE_TIMEOUT_S = 100.0
"""A request that is not streamed and has no answer after this long is a 524 (interface.md, Limits)."""
IDLE_TIMEOUT_S = 300.0
"""Between two pieces of a stream; the gateway gives up after as long."""
STREAM_TIMEOUT_S = 14 * 60.0
"""Of a whole stream: less than the 15 minutes of the function, so that it ends in order."""
DRAIN_TIMEOUT_S = 120.0
"""How long an answer is read on, to be billed by its usage, after the client has gone."""
CONNECT_TIMEOUT_S = 5.0
MAX_WHOLE_BYTES = 32 * 1024 * 1024
MAX_ERROR_BYTES = 256 * 1024
FIRST_ERROR = 400

_STREAM_TIMEOUT = aiohttp.ClientTimeout(
    total=STREAM_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, sock_read=IDLE_TIMEOUT_S
)
_COUNT_TIMEOUT = aiohttp.ClientTimeout(total=WHOLE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)

SendEvents = Callable[[bytes], Awaitable[None]]
"""Sends whole events to the client; does nothing when it has gone."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole answer, paid for."""

    body: bytes
    billed: Billed


@dataclass(frozen=True, slots=True)
class Refused:
    """An error for the client; nothing was charged."""

    status: int
    body: bytes
    headers: Mapping[str, str]


@dataclass(slots=True)
class Live:
    """A streamed answer that has begun; it must be relayed to its end, which settles it."""

    placed: Placed
    model: TextModel
    exchange: Exchange
    response: aiohttp.ClientResponse
    splitter: SseSplitter
    first: bytes
    billing: TextBilling

    async def relay(self, send: SendEvents, client_gone: asyncio.Event) -> Billed:
        """Send the answer as it comes; settle, also when it breaks or the client goes."""
        stream = self.exchange.stream
        try:
            await send(self.first)
            await self._relay(send, client_gone)
        except (aiohttp.ClientError, TimeoutError, EventTooLargeError) as exc:
            slow = isinstance(exc, TimeoutError)
            await _send_if_any(send, stream.close(TIMED_OUT if slow else BROKEN_OFF))
        finally:
            self.response.close()
            # Not to be cut short: a stopped server still owes the customer the rest of the hold.
            billed = await asyncio.shield(asyncio.ensure_future(self._settle()))
        return billed

    async def _settle(self) -> Billed:
        """Bill the answer; where the database is gone the hold expires, at our own cost."""
        try:
            return await self.billing.settle(self.placed, self.model, self.exchange.meter.usage())
        except DatabaseError:
            logger.exception("text.not_settled", request_id=self.placed.hold.request_id)
            return Billed(0)

    async def _relay(self, send: SendEvents, client_gone: asyncio.Event) -> None:
        stream, splitter = self.exchange.stream, self.splitter
        drained_by: float | None = None
        async for piece in self.response.content.iter_any():
            await _send_if_any(send, b"".join([stream.feed(event) for event in splitter.feed(piece)]))
            if stream.done or stream.fault is not None:
                return
            if client_gone.is_set():
                drained_by = drained_by or time.monotonic() + DRAIN_TIMEOUT_S
                if time.monotonic() > drained_by:
                    return
        await _send_if_any(send, stream.close())


async def _send_if_any(send: SendEvents, chunk: bytes) -> None:
    if chunk:
        await send(chunk)


Opened = Whole | Refused | Live


class CountsTokens(Protocol):
    """A provider that counts input tokens for nothing."""

    def count_call(self, request: TextRequest, route: TextRoute, headers: Mapping[str, str]) -> HttpCall:
        """Give the call that counts."""


@dataclass(frozen=True, slots=True)
class TextService:
    """Answers text requests."""

    models: Mapping[str, TextModel]
    upstreams: Callable[[], Awaitable[Mapping[str, TextUpstream]]]
    billing: TextBilling
    http: aiohttp.ClientSession
    breaker: Breaker
    clock: Clock

    async def open(
        self, request: TextRequest, account_id: str, request_id: str, headers: Mapping[str, str]
    ) -> Opened:
        """Answer a request, or begin to. Raises what refuses it before any provider is asked."""
        model = self.model_of(request)
        problems = unpriced_problems(request.fields)
        if problems:
            raise InvalidInputError(problems)
        demand = Demand(input_bound(request, model), request.output_limit, request.answers)
        placed = await self.billing.place(account_id, request_id, demand, model)
        try:
            opened = await self._ask_in_turn(request, model, placed, headers)
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(self.billing.void(placed)))
            raise
        if isinstance(opened, Refused):
            await self.billing.void(placed)
        return opened

    async def count_tokens(self, request: TextRequest, headers: Mapping[str, str]) -> bytes:
        """Give Anthropic's token count: the provider's own where it counts, else our estimate."""
        model = self.model_of(request)
        upstreams = await self.upstreams()
        for route in model.routes:
            counting: CountsTokens | None = _counting(upstreams.get(route.provider))
            if counting is not None:
                counted = await self._count(counting.count_call(request, route, headers))
                if counted is not None:
                    return counted
        return encoded({"input_tokens": input_estimate(request, model)})

    async def _count(self, call: HttpCall) -> bytes | None:
        """Ask a provider to count; `None` where it cannot now."""
        try:
            async with self.http.request(
                call.method, call.url, headers=call.headers, data=call.body, timeout=_COUNT_TIMEOUT
            ) as response:
                body = await _read_up_to(response, MAX_ERROR_BYTES)
                return body if response.status < FIRST_ERROR else None
        except (aiohttp.ClientError, TimeoutError, FaultError):
            return None

    def model_of(self, request: TextRequest) -> TextModel:
        """Give the model that a request names. Raises `InvalidInputError` (400, as the contract says)."""
        model = self.models.get(request.model)
        if model is None or request.protocol not in model.protocols:
            message = "Unknown model, or not one of this protocol. GET /api/v1/models lists them."
            raise InvalidInputError([Problem("/model", message)])
        return model

    async def _ask_in_turn(
        self, request: TextRequest, model: TextModel, placed: Placed, headers: Mapping[str, str]
    ) -> Opened:
        upstreams = await self.upstreams()
        estimate = input_estimate(request, model)
        created_s = self.clock.now_ms() // MS_PER_S
        timed_out = False
        answer_by = time.monotonic() + WHOLE_TIMEOUT_S
        for route in model.routes:
            upstream = upstreams.get(route.provider)
            if upstream is None or not self.breaker.allows(route.provider, self.clock.now_ms()):
                continue
            order = TextOrder(request, model, route, placed.plan, estimate, created_s, headers)
            outcome = await self._ask(order, upstream, placed, answer_by)
            if not isinstance(outcome, Fault):
                self.breaker.succeeded(route.provider)
                return outcome
            timed_out = outcome is TIMED_OUT
            self._note_failure(placed, route, outcome)
            if timed_out and not request.stream:
                break  # the client's own 100 s are over
        error = UpstreamTimeoutError() if timed_out and not request.stream else ProviderUnavailableError()
        return Refused(error.status, encoded(error_body(request.protocol, error)), error.headers())

    async def _ask(
        self, order: TextOrder, upstream: TextUpstream, placed: Placed, answer_by: float
    ) -> Opened | Fault:
        """Ask one route; a `Fault` says that another may answer.

        A whole answer has to be there by `answer_by` (on the monotonic clock), whichever route it is from.
        """
        exchange = upstream.exchange(order)
        call = exchange.call
        left_s = max(answer_by - time.monotonic(), 0.001)
        whole = aiohttp.ClientTimeout(total=left_s, connect=CONNECT_TIMEOUT_S)
        timeout = _STREAM_TIMEOUT if order.request.stream else whole
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self.http.request(
                call.method,
                call.url,
                headers=call.headers,
                data=call.body,
                timeout=timeout,
                allow_redirects=False,
            )
            return await self._read(order, exchange, response, placed)
        except TimeoutError:
            return _closed(response, TIMED_OUT)
        except (aiohttp.ClientError, EventTooLargeError):
            return _closed(response, UNREACHABLE if response is None else BROKEN_OFF)
        except FaultError as exc:
            return _refused(order.request, _closed(response, exc.fault))

    async def _read(
        self, order: TextOrder, exchange: Exchange, response: aiohttp.ClientResponse, placed: Placed
    ) -> Opened | Fault:
        if response.status >= FIRST_ERROR:
            body = await _read_up_to(response, MAX_ERROR_BYTES)
            response.close()
            fault = exchange.fault(response.status, body)
            if fault.verdict is not Verdict.ABOUT_REQUEST:
                return fault
            status, shown = refusal(order.request.protocol, order.route.protocol, body, fault)
            return Refused(status, shown, {})
        if order.request.stream:
            return await self._begin(order, exchange, response, placed)
        body = await _read_up_to(response, MAX_WHOLE_BYTES)
        shown = exchange.read_whole(body)
        billed = await self.billing.settle(placed, order.model, exchange.meter.usage())
        return Whole(shown, billed)

    async def _begin(
        self, order: TextOrder, exchange: Exchange, response: aiohttp.ClientResponse, placed: Placed
    ) -> Opened | Fault:
        """Read until there is something for the client: from there on this route is the one."""
        splitter, stream = SseSplitter(), exchange.stream
        async for piece in response.content.iter_any():
            first = b"".join([stream.feed(event) for event in splitter.feed(piece)])
            if stream.fault is not None and not exchange.meter.delivered_bytes:
                return _refused(order.request, _closed(response, stream.fault))
            if first:
                return Live(placed, order.model, exchange, response, splitter, first, self.billing)
        return _closed(response, UNREADABLE)

    def _note_failure(self, placed: Placed, route: TextRoute, fault: Fault) -> None:
        self.breaker.failed(route.provider, slow=fault is TIMED_OUT, now_ms=self.clock.now_ms())
        log = logger.error if fault.verdict is Verdict.OUR_ACCOUNT else logger.warning
        log(
            "text.attempt_failed",
            request_id=placed.hold.request_id,
            provider=route.provider,
            status=fault.status,
            code=fault.code,
        )


def _refused(request: TextRequest, fault: Fault) -> Refused | Fault:
    """Give the answer to a fault inside HTTP 200 that is about the request; others may go elsewhere."""
    if fault.verdict is not Verdict.ABOUT_REQUEST:
        return fault
    body = encoded(fault_body(request.protocol, fault))
    return Refused(fault_status(request.protocol, fault), body, {})


def _counting(upstream: TextUpstream | None) -> CountsTokens | None:
    return cast("CountsTokens", upstream) if hasattr(upstream, "count_call") else None


def _closed(response: aiohttp.ClientResponse | None, fault: Fault) -> Fault:
    if response is not None:
        response.close()
    return fault


async def _read_up_to(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Read a whole answer. Raises `FaultError` for one that is larger than `most` bytes."""
    found = bytearray()
    async for part in response.content.iter_any():
        found += part
        if len(found) > most:
            raise FaultError(UNREADABLE)
    return bytes(found)
