"""A text response on its way to the client: as one HTTP response, or event by event.

service.respond ─► done within KEEP_ALIVE_S ─► CompleteResponse, Refused ─► one HTTP response
              └─► streamed, or not done yet ─► EventStream: keep alive … relay … settle
"""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from types import MappingProxyType
from typing import Any

from tollgate.kit.observability import logger, note
from tollgate.text.asgi import SEND_TIMEOUT_S, Answer, Message, Receive, Reply, Send, encoded_headers
from tollgate.text.errors import error_body
from tollgate.text.middleware import public_error
from tollgate.text.rendering import Rendering
from tollgate.text.response import CompleteResponse, Refused, StreamedResponse, TextResponse
from tollgate.text.upstream import encoded

KEEP_ALIVE_S = 15.0
_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
}


async def http_response(
    respond: Coroutine[Any, Any, TextResponse], rendering: Rendering, *, stream: bool
) -> Answer:
    """Return what to send for the response that `respond` makes. Raises what refuses the request."""
    if not stream:
        return await _reply(await respond, rendering)
    responding = asyncio.ensure_future(respond)
    # Who waits long for the first word is kept on the line; most never get here.
    await asyncio.wait({responding}, timeout=KEEP_ALIVE_S)
    if not responding.done():
        return EventStream(rendering, responding)
    response = await responding
    if not isinstance(response, StreamedResponse):
        return await _reply(response, rendering)
    return EventStream(rendering, responding, _limited(response.placed.plan.passed_limit is not None))


async def _reply(response: TextResponse, rendering: Rendering) -> Reply:
    """Return a response that is whole."""
    match response:
        case CompleteResponse(body, billed):
            note("text.answered", charge_micro_usd=billed.charge_micro_usd)
            cost = {"x-tollgate-cost-micro-usd": str(billed.charge_micro_usd), **_limited(billed.is_limited)}
            return Reply(await rendering.whole(body), headers=cost)
        case Refused(status, body, headers):
            logger.info("text.refused", status=status)
            return Reply(body, status, headers)
        case StreamedResponse():
            raise AssertionError("nobody asked for a stream")


def _limited(is_limited: bool) -> dict[str, str]:
    """Return the header that says that the balance limits an answer, not what the client asked for."""
    return {"x-tollgate-limited-by": "balance"} if is_limited else {}


async def _send_nothing(_: Message) -> None:
    """Stand in until the server says how to send."""


class EventStream:
    """A stream of events, relayed as they come.

    It goes on when the client has gone, or no longer reads: the answer is read on and
    billed.
    """

    def __init__(
        self,
        rendering: Rendering,
        responding: "asyncio.Future[TextResponse]",
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._headers = encoded_headers({**_HEADERS, **headers})
        self._rendering = rendering
        self._responding = responding
        # Who waited for the first word hears from us at once.
        self._sent_at = time.monotonic() - (0 if responding.done() else KEEP_ALIVE_S)
        self._gone = asyncio.Event()
        self._stalled = False
        self._is_sending = False
        self._send: Send = _send_nothing

    async def send(self, receive: Receive, send: Send) -> None:
        """Send the stream and settle it."""
        self._send = send
        relaying = asyncio.current_task()
        await self._send_bounded({"type": "http.response.start", "status": 200, "headers": self._headers})
        helpers = [
            asyncio.ensure_future(self._watch(receive)),
            asyncio.ensure_future(self._keep_alive(relaying)),
        ]
        try:
            await self._relay()
        finally:
            for helper in helpers:
                helper.cancel()
        await self._send_bounded({"type": "http.response.body", "body": b"", "more_body": False})

    async def _relay(self) -> None:
        try:
            response = await self._responding
            if isinstance(response, StreamedResponse):
                billed = await response.relay(self._send_rendered, self._gone)
                note("text.streamed", charge_micro_usd=billed.charge_micro_usd)
                await self._send_events(await self._rendering.end())
                return
            # The stream had to begin before this was known, so the error is its last event.
            body = response.body if isinstance(response, Refused) else b""
        except Exception as exc:  # noqa: BLE001 - the boundary: a stream that has begun has no other answer
            body = encoded(error_body(self._rendering.protocol, public_error(exc)))
        await self._send_events(self._rendering.error(body))

    async def _send_rendered(self, chunk: bytes) -> None:
        await self._send_events(self._rendering.events(chunk))

    async def _send_events(self, chunk: bytes) -> None:
        """Send whole events; returns at once when the client has gone.

        There is no timer here, as it would cost each chunk a tenth more: `_keep_alive` watches the time.
        """
        if self._gone.is_set() or not chunk:
            return
        self._sent_at = time.monotonic()
        self._is_sending = True
        try:
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        except asyncio.CancelledError:
            if not self._stalled:
                raise
            # Only the send was to end: the answer is read on and billed.
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        finally:
            self._is_sending = False

    async def _send_bounded(self, message: Message) -> None:
        if self._gone.is_set():
            return
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._send(message)
        except TimeoutError:
            self._note_stalled()

    def _note_stalled(self) -> None:
        logger.warning("text.client_stalled")
        self._stalled = True
        self._gone.set()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        self._gone.set()

    async def _keep_alive(self, relaying: "asyncio.Task[object] | None") -> None:
        """Send a sign of life whenever the stream is quiet, and end a send that the client does not take."""
        while not self._gone.is_set():
            idle_s = time.monotonic() - self._sent_at
            left_s = (SEND_TIMEOUT_S if self._is_sending else KEEP_ALIVE_S) - idle_s
            if left_s > 0:
                await asyncio.sleep(min(left_s, KEEP_ALIVE_S))
            elif self._is_sending:
                self._note_stalled()
                if relaying is not None:
                    relaying.cancel()
            else:
                self._sent_at = time.monotonic()
                body = self._rendering.keep_alive
                await self._send_bounded({"type": "http.response.body", "body": body, "more_body": True})
