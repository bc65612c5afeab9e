"""What came of a text request: a whole answer, a refusal, or a stream that has begun and relays itself."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

import aiohttp

from tollgate.kit.dynamodb_async import DatabaseError
from tollgate.kit.observability import logger
from tollgate.text.billing import Billed, Placed, TextBilling
from tollgate.text.faults import BROKEN_OFF, TIMED_OUT
from tollgate.text.finishing import Finishing
from tollgate.text.models import TextModel
from tollgate.text.sse import SseEvent, UnreadableStreamError
from tollgate.text.upstream import Answer, Exchange

DRAIN_TIMEOUT_S = 120.0
"""How long an answer is read on, to be billed by its usage, after the client has gone."""

SendEvents = Callable[[bytes], Awaitable[None]]
"""Sends whole events to the client; does nothing when it has gone."""


@dataclass(frozen=True, slots=True)
class CompleteResponse:
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
class StreamedResponse:
    """A streamed answer that has begun; it must be relayed to its end, which settles it."""

    placed: Placed
    model: TextModel
    exchange: Exchange
    response: Answer
    first: bytes
    billing: TextBilling
    finishing: Finishing

    async def relay(self, send: SendEvents, client_gone: asyncio.Event) -> Billed:
        """Send the answer as it comes; settle, also when it breaks or the client goes."""
        stream = self.exchange.stream
        try:
            await send(self.first)
            await self._relay(send, client_gone)
        except (aiohttp.ClientError, TimeoutError, UnreadableStreamError) as exc:
            slow = isinstance(exc, TimeoutError)
            await _send_if_any(send, stream.close(TIMED_OUT if slow else BROKEN_OFF))
        finally:
            self.response.close()
            # Not to be cut short: a stopped server still owes the customer the rest of the hold.
            billed = await self.finishing.run(self._settle())
        return billed

    async def _settle(self) -> Billed:
        """Bill the answer; where the database is gone the hold expires, at our own cost."""
        try:
            return await self.billing.settle(self.placed, self.model, self.exchange.meter.usage())
        except DatabaseError:
            logger.exception("text.not_settled")
            return Billed(0)

    async def _relay(self, send: SendEvents, client_gone: asyncio.Event) -> None:
        exchange, content = self.exchange, self.response.content
        drained_by: float | None = None
        while not exchange.stream.ended:
            piece = await content.readany()
            if not piece:
                await _send_if_any(
                    send, encode_events(exchange, exchange.splitter.close()) + exchange.stream.close()
                )
                return
            await _send_if_any(send, encode_events(exchange, exchange.splitter.feed(piece)))
            if client_gone.is_set():
                drained_by = drained_by or time.monotonic() + DRAIN_TIMEOUT_S
                if time.monotonic() > drained_by:
                    return


TextResponse = CompleteResponse | Refused | StreamedResponse


def encode_events(exchange: Exchange, events: Iterable[SseEvent]) -> bytes:
    """Return the bytes for the client that follow from `events`."""
    return b"".join(map(exchange.stream.feed, events))


async def _send_if_any(send: SendEvents, chunk: bytes) -> None:
    if chunk:
        await send(chunk)
