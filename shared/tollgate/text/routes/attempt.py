"""One call of one route of a text request, until there is something for the client."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.error_help import REFUSALS
from tollgate.kit.http.response import ClosedIdleError, ConnectTimeoutError, HttpError
from tollgate.text.routes.response import Refused, encode_events
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, refusal
from tollgate.text.wire.errors import fault_body, fault_status
from tollgate.text.wire.faults import (
    IDLE_CONNECTION_CLOSED,
    NOT_CONNECTED,
    STREAM_BROKEN,
    TIMED_OUT,
    UNREACHABLE,
    UNREADABLE,
    Fault,
    FaultError,
    Verdict,
)
from tollgate.text.wire.sse import UnreadableStreamError

# Between two pieces of a stream; the gateway gives up after as long.
IDLE_TIMEOUT_S = 300.0
MAX_WHOLE_BYTES = 32 * 1024 * 1024
MAX_ERROR_BYTES = 256 * 1024
MAX_ANNOUNCED_BYTES = 64 * 1024
"""Of a stream before its output: a head of less than 1 KB, and pings."""
FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class Answered:
    """A route's response: a whole `body`, the beginning of a stream with its `response`, or a refusal."""

    routed: RoutedRequest
    exchange: Exchange
    body: bytes = b""
    response: Answer | None = None
    refused: Refused | None = None

    def close(self) -> None:
        """Read no more of it: another route was quicker."""
        if self.response is not None:
            self.response.close()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of one route. Its answer must be whole by `answer_by`, on the monotonic clock."""

    http: HttpClient
    routed: RoutedRequest
    exchange: Exchange
    answer_by: float

    async def outcome(self) -> Answered | Fault:
        """Call the route; a `Fault` says that another route may answer."""
        response: Answer | None = None
        try:
            response = await self._send(self.exchange.call)
            return await self._read(response)
        except ConnectTimeoutError:
            return NOT_CONNECTED
        except ClosedIdleError:
            return IDLE_CONNECTION_CLOSED
        except TimeoutError:
            return _closed(response, TIMED_OUT)
        except (HttpError, UnreadableStreamError):
            return _closed(response, UNREACHABLE if response is None else STREAM_BROKEN)
        except FaultError as exc:
            return self._refused(_closed(response, exc.fault))
        except asyncio.CancelledError:
            if response is not None:
                response.close()
            raise

    async def _send(self, call: HttpCall | Answer) -> Answer:
        """Return the answer to a call, once its headers are there."""
        if not isinstance(call, HttpCall):
            return call
        return await self.http.request(
            call.method,
            call.url,
            header_lines(call.headers),
            call.body,
            timeout_s=max(self.answer_by - time.monotonic(), 0.001),
            idle_timeout_s=IDLE_TIMEOUT_S if self.routed.request.stream else None,
        )

    async def _read(self, response: Answer) -> Answered | Fault:
        request, exchange = self.routed.request, self.exchange
        if response.status >= FIRST_ERROR:
            body = await _read_up_to(response, MAX_ERROR_BYTES)
            response.close()
            fault = exchange.fault(response.status, response.headers, body)
            if fault.verdict is not Verdict.ABOUT_REQUEST:
                return fault
            return self._refusal(*refusal(request.protocol, self.routed.route.protocol, body, fault), fault)
        if request.stream:
            return await self._begin(response)
        body = await _read_up_to(response, MAX_WHOLE_BYTES)
        return Answered(self.routed, exchange, exchange.read_whole(body))

    async def _begin(self, response: Answer) -> Answered | Fault:
        """Read until there is output for the client: until then, another route can still answer."""
        exchange, first = self.exchange, b""
        while piece := await response.readany():
            first += encode_events(exchange, exchange.splitter.feed(piece))
            # An error inside HTTP 200, before the first word.
            if exchange.stream.fault is not None and not exchange.meter.has_delivered:
                return self._refused(_closed(response, exchange.stream.fault))
            if first and (not exchange.stream.is_only_announced or len(first) > MAX_ANNOUNCED_BYTES):
                return Answered(self.routed, exchange, first, response)
        # Some events are complete only at the end.
        first += encode_events(exchange, exchange.splitter.close())
        if exchange.stream.fault is not None:
            return self._refused(_closed(response, exchange.stream.fault))
        if first and not exchange.stream.is_only_announced:
            return Answered(self.routed, exchange, first, response)
        return _closed(response, STREAM_BROKEN if first else UNREADABLE)

    def _refused(self, fault: Fault) -> Answered | Fault:
        """Return the answer to a fault inside HTTP 200 that is about the request; others may go elsewhere."""
        if fault.verdict is not Verdict.ABOUT_REQUEST:
            return fault
        protocol = self.routed.request.protocol
        return self._refusal(fault_status(protocol, fault), fault_body(protocol, fault), fault)

    def _refusal(self, status: int, body: Mapping[str, Any], fault: Fault) -> Answered:
        return Answered(self.routed, self.exchange, refused=Refused(status, body, {}, REFUSALS, fault.code))


def _closed(response: Answer | None, fault: Fault) -> Fault:
    if response is not None:
        response.close()
    return fault


async def _read_up_to(response: Answer, most: int) -> bytes:
    """Read a whole response. Raises `FaultError` if it is larger than `most` bytes."""
    found = bytearray()
    while part := await response.readany():
        found += part
        if len(found) > most:
            raise FaultError(UNREADABLE)
    return bytes(found)
