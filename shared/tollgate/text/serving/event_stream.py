"""A text response on its way to the client: as one HTTP response, or event by event.

service.respond ─► done within KEEP_ALIVE_S ─► CompleteResponse, Refused ─► one HTTP response
              └─► streamed, or not done yet ─► EventStream: keep alive … relay … settle
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from tollgate.kit.observability import logger, note
from tollgate.ledger.trace import Ending
from tollgate.text.models import TextProtocol
from tollgate.text.routes.response import (
    CACHE_HEADER,
    HIT,
    MAX_READS,
    READ_INTERVAL_S,
    ROUTE_HEADER,
    CompleteResponse,
    Refused,
    StreamedResponse,
    TextResponse,
)
from tollgate.text.serving.asgi import SEND_TIMEOUT_S, Answer, Message, Receive, Reply, Send, encoded_headers
from tollgate.text.serving.middleware import public_error
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import RequestEndedError, error_body
from tollgate.text.wire.rendering import Bare, Rendering

KEEP_ALIVE_S = 15.0
OK = 200
COST_HEADER = "x-tollgate-cost-micro-usd"
# The header that names the ways to end the provider's work and the bill. A whole response always completes.
ENDS_ON_HEADER = "x-tollgate-ends-on"
# The header that names the fields which the provider was not sent (site/fields.md), at most so many.
IGNORED = "x-tollgate-ignored"
MAX_IGNORED = 20
# A client may name its fields as it likes.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
STREAM_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
}


AddHelp = Callable[[Mapping[str, Any], str], Mapping[str, Any]]
"""Adds the link to the docs and the request id to an error body, with the anchor of the link."""


EndIfAsked = Callable[[], Awaitable[bool]]
"""Ends a request that has no response yet if its owner asked for that; returns whether it is ending."""


async def http_response(
    respond: Coroutine[Any, Any, TextResponse],
    rendering: Rendering,
    add_help: AddHelp,
    end_if_asked: EndIfAsked | None = None,
) -> Answer:
    """Return the response of `respond` in sendable form. Raises the errors that refuse the request.

    It is a stream if it has `end_if_asked`.
    """
    if end_if_asked is None:
        return await _reply(await respond, rendering, add_help)
    responding = asyncio.ensure_future(respond)
    # If the first event takes long, the client gets keep-alives. Most responses begin before that.
    try:
        await asyncio.wait({responding}, timeout=KEEP_ALIVE_S)
    except asyncio.CancelledError:
        # `wait` does not cancel its futures, so only this call releases the hold.
        await _abandon(responding)
        raise
    if not responding.done():
        return EventStream(rendering, responding, add_help, end_if_asked)
    response = await responding
    if not isinstance(response, StreamedResponse):
        return await _reply(response, rendering, add_help)
    return EventStream(rendering, responding, add_help, end_if_asked, _begun(response))


def in_plain_text(answer: Answer) -> Answer:
    """Return an answer that says that its body is text, unless it is an error."""
    if not isinstance(answer, Reply) or answer.status != OK:
        return answer
    return replace(answer, headers={**answer.headers, "content-type": "text/plain; charset=utf-8"})


async def audio_response(
    respond: Coroutine[Any, Any, TextResponse], content_type: str, add_help: AddHelp
) -> Answer:
    """Return the response of `respond` as bytes of that type; they begin when there are any.

    Such a stream has no place for an error, so its connection is cut. Raises as `http_response`.
    """
    responding = asyncio.ensure_future(respond)
    try:
        response = await asyncio.shield(responding)
    except asyncio.CancelledError:
        await _abandon(responding)
        raise
    rendering = Bare(TextProtocol.SPEECH)
    if not isinstance(response, StreamedResponse):
        return await _reply(response, rendering, add_help)
    headers = {**_begun(response), "content-type": content_type}
    if (known := response.known_micro_usd) is not None:
        headers[COST_HEADER] = str(known)
    return EventStream(rendering, responding, add_help, _never_asked, headers, is_bare=True)


async def _never_asked() -> bool:
    return False


def _begun(response: StreamedResponse) -> dict[str, str]:
    """Return the headers of a stream that has begun."""
    limited = _limited(response.placed.plan.passed_limit is not None)
    named = {ENDS_ON_HEADER: response.ends_on, **_route(response.placed.provider or "")}
    return {**named, **limited, **_ignored(response.ignored), **_cache(response)}


async def _reply(response: TextResponse, rendering: Rendering, add_help: AddHelp) -> Reply:
    """Return a response that is whole."""
    match response:
        case CompleteResponse(body, billed, ignored, route):
            note("text.answered", charge_micro_usd=billed.charge_micro_usd)
            cost = {COST_HEADER: str(billed.charge_micro_usd), ENDS_ON_HEADER: "nothing", **_cache(response)}
            return Reply(
                await rendering.whole(body),
                headers={**cost, **_route(route), **_limited(billed.is_limited), **_ignored(ignored)},
            )
        case Refused(status, refusal, headers, anchor):
            logger.info("text.refused", status=status)
            return Reply(encoded(add_help({"code": status, **refusal}, anchor)), status, headers)
        case StreamedResponse():
            raise AssertionError("no stream was requested")


async def _abandon(responding: "asyncio.Future[TextResponse]") -> None:
    """End a response that is not relayed: release its hold, or settle it if it has begun."""
    if responding.cancel() or responding.exception() is not None:
        return
    if isinstance(response := responding.result(), StreamedResponse):
        await response.abandon()


def _limited(is_limited: bool) -> dict[str, str]:
    """Return the header that marks a response as limited by the balance, not by the client."""
    return {"x-tollgate-limited-by": "balance"} if is_limited else {}


def _route(provider: str) -> dict[str, str]:
    """Return the header that names the provider which answered."""
    return {ROUTE_HEADER: provider} if provider else {}


def _cache(response: CompleteResponse | StreamedResponse) -> dict[str, str]:
    """Return the headers that tell whether a response is from the cache, and its age in seconds."""
    age = {"age": str(response.age_s)} if response.cache == HIT else {}
    return {CACHE_HEADER: response.cache, **age} if response.cache else {}


def _ignored(names: Sequence[str]) -> dict[str, str]:
    """Return the header that names the fields of the request which the provider was not sent."""
    plain = [name for name in dict.fromkeys(names) if _PLAIN_NAME.fullmatch(name)]
    return {IGNORED: ", ".join(plain[:MAX_IGNORED])} if plain else {}


async def _send_nothing(_: Message) -> None:
    """A placeholder until the server provides `send`."""


class EventStream:
    """A stream of events, relayed as they come. A stream that `is_bare` has bytes instead, and no errors.

    A client that disconnected or stopped reading gets nothing more. Its response is still settled.
    """

    def __init__(
        self,
        rendering: Rendering,
        responding: "asyncio.Future[TextResponse]",
        add_help: AddHelp,
        end_if_asked: EndIfAsked,
        headers: Mapping[str, str] = MappingProxyType({}),
        *,
        is_bare: bool = False,
    ) -> None:
        self._headers = encoded_headers({**STREAM_HEADERS, **headers})
        self._rendering = rendering
        self._responding = responding
        self._add_help = add_help
        self._end_if_asked = end_if_asked
        self._send: Send = _send_nothing
        self._relaying: asyncio.Task[Any] | None = None
        self._gone = asyncio.Event()
        self._has_begun = False
        self._is_bare = is_bare
        self._is_cut = False
        """Whether the client must see that bytes are missing: the server closes the connection then."""
        self._is_sending = False
        """Whether the relay waits for the client. A keep-alive that waits has its own timer."""
        self._sent_at = _now()

    async def send(self, receive: Receive, send: Send) -> None:
        """Send the stream and settle it."""
        self._send = send
        self._relaying = asyncio.current_task()
        helpers = (asyncio.ensure_future(self._watch(receive)), asyncio.ensure_future(self._keep_alive()))
        try:
            await self._relay()
            if not self._is_cut:
                await self._send_events(b"", more=False)
        finally:
            # The server stops before the response has begun, so its hold is released.
            self._responding.cancel()
            for helper in helpers:
                helper.cancel()

    async def _relay(self) -> None:
        is_late = not self._responding.done()
        try:
            if is_late:
                await self._wait()
            response = await self._responding
            if not isinstance(response, Refused):
                # A stream has no complete response.
                streamed = cast("StreamedResponse", response)
                streamed.is_late = is_late
                await self._settle(streamed)
                self._is_cut = self._is_bare and streamed.is_broken
                await self._send_events(await self._rendering.end())
                return
            # The stream had to begin before this was known, so the error is its last event.
            body, anchor = response.body, response.anchor
        except Exception as exc:  # noqa: BLE001 - the boundary: a stream that has begun has no other answer
            error = public_error(exc)
            body, anchor = error_body(self._rendering.protocol, error), error.code
        await self._send_events(self._rendering.error(encoded(self._add_help(body, anchor))))
        if not self._responding.done():
            await self._settle_unread()

    async def _wait(self) -> None:
        """Wait for the response to begin. Raises `RequestEndedError` if its owner ends it before that."""
        # A client that has waited long for the first word hears from us at once.
        await self._send_events(self._rendering.keep_alive)
        for _ in range(MAX_READS):
            if (await asyncio.wait({self._responding}, timeout=READ_INTERVAL_S))[0]:
                return
            if await self._end_if_asked():
                raise RequestEndedError

    async def _settle_unread(self) -> None:
        """Wait for a response that was ended before it began, and settle it. Its client gets nothing more."""
        try:
            response = await self._responding
        except Exception as exc:  # noqa: BLE001 - as above; its hold was released
            public_error(exc)
            return
        if isinstance(response, StreamedResponse):
            response.is_ended, response.ending = True, Ending.CANCELLED
            await self._settle(response)

    async def _settle(self, response: StreamedResponse) -> None:
        billed = await response.relay(self._send_rendered, self._gone)
        note("text.streamed", charge_micro_usd=billed.charge_micro_usd)

    async def _send_rendered(self, chunk: bytes) -> None:
        await self._send_events(self._rendering.events(chunk))

    async def _send_events(self, chunk: bytes, *, more: bool = True) -> None:
        """Send whole events; return at once when the client has gone.

        There is no timer here, because it would make each chunk a tenth more expensive: `_keep_alive` watches
        the time.
        """
        if self._gone.is_set() or (more and not chunk):
            return
        self._sent_at = _now()
        self._is_sending = True
        try:
            for message in self._messages(chunk, more=more):
                await self._send(message)
        except OSError:
            # A server may raise this after the client has disconnected.
            self._gone.set()
        except asyncio.CancelledError:
            # `_leave` ends the send, not the relay. Another cancellation is for the relay itself.
            if not self._gone.is_set() or self._relaying is None or self._relaying.uncancel():
                raise
        finally:
            self._is_sending = False

    def _messages(self, chunk: bytes, *, more: bool = True) -> list[Message]:
        """Return the messages that send a chunk. Headers precede the first chunk."""
        body: Message = {"type": "http.response.body", "body": chunk, "more_body": more}
        if self._has_begun:
            return [body]
        self._has_begun = True
        return [{"type": "http.response.start", "status": 200, "headers": self._headers}, body]

    def _leave(self) -> None:
        """Send nothing more, and end the send that waits for the client."""
        if self._gone.is_set():
            return
        self._gone.set()
        if self._is_sending and self._relaying is not None:
            self._relaying.cancel()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        self._leave()

    async def _keep_alive(self) -> None:
        """Send a sign of life whenever the stream is quiet, and leave a client that takes nothing."""
        while not self._gone.is_set():
            most_s = SEND_TIMEOUT_S if self._is_sending else KEEP_ALIVE_S
            left_s = most_s - (_now() - self._sent_at)
            if left_s > 0:
                await asyncio.sleep(min(left_s, KEEP_ALIVE_S))
            elif self._is_sending or not await self._has_taken_a_sign():
                logger.warning("text.client_stalled")
                self._leave()

    async def _has_taken_a_sign(self) -> bool:
        """Send a keep-alive; return whether the client took it in time, or has gone."""
        self._sent_at = _now()
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                for message in self._messages(self._rendering.keep_alive):
                    await self._send(message)
        except TimeoutError:
            return False
        except OSError:
            self._leave()
        return True


def _now() -> float:
    return asyncio.get_running_loop().time()
