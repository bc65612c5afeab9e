"""The outcome of a text request: a whole response, a refusal, or a stream that relays itself."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import logger
from tollgate.ledger.trace import Ending
from tollgate.text.models import TextModel
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import charge_micro_usd
from tollgate.text.money.placed import Billed, PlacedHold
from tollgate.text.routes.finishing import Finishing
from tollgate.text.routes.reports import report_stated
from tollgate.text.upstream.exchange import Answer, Exchange
from tollgate.text.usage import Usage
from tollgate.text.wire.errors import ENDED
from tollgate.text.wire.faults import STREAM_BROKEN, TIMED_OUT
from tollgate.text.wire.sse import SseEvent, UnreadableStreamError

# The header that names the provider which answered.
ROUTE_HEADER = "x-tollgate-route"
# The header that asks for the cache and, in a response, tells whether it is from there.
CACHE_HEADER, HIT, MISS = "x-tollgate-cache", "hit", "miss"
# How often a stream checks whether its owner asked to end it: one read of the account's row.
READ_INTERVAL_S = 5.0
# Of a response that is kept in the cache.
MAX_KEPT_BYTES = 1024 * 1024
# As many as the 15 minutes take that a stream may last.
MAX_READS = 180

# Sends whole events to the client; does nothing after it has disconnected.
SendEvents = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class CompleteResponse:
    """A whole answer, paid for."""

    body: bytes
    billed: Billed
    ignored: Sequence[str] = ()
    """The request's fields that the provider was not sent (`text/body/fields.py`)."""
    route: str = ""
    """The provider that answered."""
    cache: str = ""
    """`hit` or `miss` for a request that asked for the cache."""
    age_s: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """An error for the client; nothing was charged."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    anchor: str
    """The place of the error on the errors page of the docs."""
    code: str | None = None
    """The code of the error, for the record of the request."""


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
    ends_with_client: bool = False
    """Whether the answer ends when the client goes. Else it is read to its end, and billed by its report."""
    is_ended: bool = False
    """Whether the client gets nothing more: it has disconnected, or its owner has ended the response."""
    ending: Ending | None = None
    """How it ended if it is ended."""
    is_late: bool = False
    """Whether its client got keep-alives before the first event, and so can know the request's id."""
    ignored: Sequence[str] = ()
    """The request's fields that the provider was not sent."""
    cache: str = ""
    """`hit` or `miss` for a request that asked for the cache."""
    age_s: int = 0
    keep: Callable[[bytes], Awaitable[None]] | None = None
    """Keeps the events of a whole response, if they are to be kept."""
    sent: bytearray = field(default_factory=bytearray, repr=False)
    """The events so far, as long as they are to be kept."""

    @property
    def ends_on(self) -> str:
        """Return the actions that end the provider's work and the bill, in the header's form."""
        if not self.exchange.is_countable:
            return "nothing"
        return "disconnect, delete" if self.ends_with_client else "delete"

    @property
    def is_broken(self) -> bool:
        """Return whether the client got less than the whole response."""
        return self.exchange.stream.fault is not None or self.is_ended

    @property
    def known_micro_usd(self) -> int | None:
        """Return the charge of the whole response if it is known before its end."""
        known = self.exchange.meter.known()
        return None if known is None else charge_micro_usd(known, self.model)

    async def relay(self, send: SendEvents, client_gone: asyncio.Event) -> Billed:
        """Send the answer as it comes; settle, also when it breaks or the client goes."""
        stream = self.exchange.stream
        watch = asyncio.ensure_future(self._watch_for_end(send, client_gone))
        try:
            await self._send_if_any(send, self.first)
            await self._relay(send)
        except (HttpError, TimeoutError, UnreadableStreamError) as exc:
            slow = isinstance(exc, TimeoutError)
            fault = ENDED if self.is_ended else TIMED_OUT if slow else STREAM_BROKEN
            await self._send_if_any(send, stream.close(fault))
        finally:
            watch.cancel()
            self.response.close()
            # Not to be cut short: a stopped server still owes the customer the rest of the hold.
            billed = await self.finishing.run(self._settle())
        if self.keep is not None and stream.done and not self.is_broken:
            await self.keep(bytes(self.sent))
        return billed

    async def abandon(self) -> None:
        """Settle an answer that has begun and is not relayed."""
        self.response.close()
        await self.finishing.run(self._settle())

    async def _settle(self) -> Billed:
        """Bill the response. If the database is unavailable, the hold expires, at our cost."""
        fault = self.exchange.stream.fault
        if self.ending is not None:
            self.placed.failed(self.ending)
        elif fault is not None:
            self.placed.failed(Ending.CUT, fault.status, fault.code)
        try:
            billed = await self.billing.settle(self.placed, self.model, self._usage())
        except DatabaseError:
            logger.exception("text.not_settled")
            return Billed(0)
        report_stated(self.exchange.meter, self.model.id, self.placed.provider, billed)
        return billed

    def _usage(self) -> Usage:
        """Return the usage to bill. A stream that its provider broke off before any output is free."""
        meter = self.exchange.meter
        is_provider_at_fault = self.exchange.stream.fault is not None and self.ending is None
        has_nothing = not (meter.has_delivered or meter.web_searches)
        return Usage(0, 0) if is_provider_at_fault and has_nothing else meter.usage()

    async def _relay(self, send: SendEvents) -> None:
        exchange, response = self.exchange, self.response
        while not exchange.stream.ended and not (self.is_ended and exchange.is_countable):
            piece = await response.readany()
            if not piece:
                rest = encode_events(exchange, exchange.splitter.close())
                await self._send_if_any(send, rest + exchange.stream.close(STREAM_BROKEN))
                return
            await self._send_if_any(send, encode_events(exchange, exchange.splitter.feed(piece)))

    async def _watch_for_end(self, send: SendEvents, client_gone: asyncio.Event) -> None:
        """End the response if its owner asked for that, or the client disconnects."""
        if self.is_ended:
            return
        # This event is never set, because the response does not end with its client.
        gone = client_gone if self.ends_with_client else asyncio.Event()
        # The wait of a late stream ended between two looks, so this one is due now.
        wait_s = 0.0 if self.is_late else READ_INTERVAL_S
        for _ in range(MAX_READS):
            has_left = await is_set_within(gone, wait_s)
            if has_left or await self.billing.is_end_requested(self.placed):
                self.ending = Ending.DISCONNECTED if has_left else Ending.CANCELLED
                await self._end(send)
                return
            wait_s = READ_INTERVAL_S

    async def _end(self, send: SendEvents) -> None:
        """Send the last event that the client gets, and close a countable answer at its provider."""
        logger.info("text.ended", counted=self.exchange.is_countable)
        self.is_ended = True
        await send(self.exchange.stream.error(ENDED))
        if self.exchange.is_countable:
            # The relay, which waits for the next piece, is woken by it.
            self.response.close()

    async def _send_if_any(self, send: SendEvents, chunk: bytes) -> None:
        if chunk and not self.is_ended:
            if self.keep is not None:
                self.sent += chunk
                self.keep = self.keep if len(self.sent) <= MAX_KEPT_BYTES else None
            await send(chunk)


TextResponse = CompleteResponse | Refused | StreamedResponse


def encode_events(exchange: Exchange, events: Iterable[SseEvent]) -> bytes:
    """Return the bytes for the client that follow from `events`."""
    return b"".join(map(exchange.stream.feed, events))


async def is_set_within(event: asyncio.Event, within_s: float) -> bool:
    """Return whether an event is set within that time."""
    try:
        async with asyncio.timeout(within_s):
            return await event.wait()
    except TimeoutError:
        return False
