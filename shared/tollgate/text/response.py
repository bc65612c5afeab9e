"""What came of a text request: a whole answer, a refusal, or a stream that has begun and relays itself."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from tollgate.kit.dynamodb_async import DatabaseError
from tollgate.kit.http_response import HttpError
from tollgate.kit.observability import logger
from tollgate.text.billing import Billed, PlacedHold, TextBilling
from tollgate.text.faults import BROKEN_OFF, ENDED, TIMED_OUT
from tollgate.text.finishing import Finishing
from tollgate.text.models import TextModel
from tollgate.text.sse import SseEvent, UnreadableStreamError
from tollgate.text.upstream import Answer, Exchange

# How long an answer is read on, to be billed by its usage, after the client has gone.
DRAIN_TIMEOUT_S = 120.0

# How often a stream looks whether its owner asked for its end: one read of the account's row.
LOOK_EVERY_S = 5.0
# As many as the 15 minutes take that a stream may last.
MAX_LOOKS = 180

# Sends whole events to the client; does nothing when it has gone.
SendEvents = Callable[[bytes], Awaitable[None]]


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

    placed: PlacedHold
    model: TextModel
    exchange: Exchange
    response: Answer
    first: bytes
    billing: TextBilling
    finishing: Finishing
    end_asked: bool = False

    async def relay(self, send: SendEvents, client_gone: asyncio.Event) -> Billed:
        """Send the answer as it comes; settle, also when it breaks or the client goes."""
        stream = self.exchange.stream
        watch = asyncio.ensure_future(self._end_when_asked())
        try:
            await send(self.first)
            await self._relay(send, client_gone)
        except (HttpError, TimeoutError, UnreadableStreamError) as exc:
            slow = isinstance(exc, TimeoutError)
            fault = ENDED if self.end_asked else TIMED_OUT if slow else BROKEN_OFF
            await _send_if_any(send, stream.close(fault))
        finally:
            watch.cancel()
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
        exchange, response = self.exchange, self.response
        drained_by: float | None = None
        while not exchange.stream.ended:
            piece = b"" if self.end_asked else await response.readany()
            if not piece:
                rest = encode_events(exchange, exchange.splitter.close())
                fault = ENDED if self.end_asked else BROKEN_OFF
                await _send_if_any(send, rest + exchange.stream.close(fault))
                return
            await _send_if_any(send, encode_events(exchange, exchange.splitter.feed(piece)))
            if client_gone.is_set():
                drained_by = drained_by or time.monotonic() + DRAIN_TIMEOUT_S
                if time.monotonic() > drained_by:
                    return

    async def _end_when_asked(self) -> None:
        """Read no more of the provider's answer once the request's owner has asked for its end."""
        for _ in range(MAX_LOOKS):
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                self.end_asked = await self.billing.is_end_asked(self.placed)
            except DatabaseError:
                # The next look may do better; the answer itself needs no database until its end.
                logger.warning("text.not_looked")
            if self.end_asked:
                # Whoever waits for the next piece is woken by it.
                self.response.close()
                return


TextResponse = CompleteResponse | Refused | StreamedResponse


def encode_events(exchange: Exchange, events: Iterable[SseEvent]) -> bytes:
    """Return the bytes for the client that follow from `events`."""
    return b"".join(map(exchange.stream.feed, events))


async def _send_if_any(send: SendEvents, chunk: bytes) -> None:
    if chunk:
        await send(chunk)
