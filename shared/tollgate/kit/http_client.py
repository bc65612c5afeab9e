"""HTTP/1.1 requests over connections that are kept open: what text asks of its providers and of AWS.

    HttpClient.request ─► Response: status and headers are there ─► readany … b"" at the end, or close

A general client takes three to thirty times the CPU of a request, and text makes four for each answer.
httptools reads the answers, as it reads uvicorn's requests. No redirect is followed, no proxy of the
environment asked, no cookie kept. A request is sent again only where the other end closed a kept connection
while it was on its way there (`ClosedIdleError`). Source: RFC 9110 and 9112.
"""

import asyncio
import re
import ssl
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import httptools

from tollgate.kit.http_response import ClosedIdleError, ConnectTimeoutError, HttpError, Response

CONNECT_TIMEOUT_S = 5.0
# An idle connection is not used after this long: the other end may have closed it, or this process slept.
KEPT_S = 15.0
MAX_HEAD_BYTES = 64 * 1024

# An answer in one piece with its length and nothing unusual, as most are: read by one match, and not by a
# call for each header. All else is httptools' to read, and a test holds the two equal.
_NAME = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PLAIN_HEADER = (
    rb"(?:(?i:connection: ?keep-alive)\r\n"
    rb"|(?!(?i:content-length|content-encoding|transfer-encoding|connection|upgrade):)"
    + _NAME
    + rb":(?:[\t -~\x80-\xff]*[!-~\x80-\xff])?\r\n)*+"
)
_PLAIN_ANSWER = re.compile(
    rb"HTTP/1\.1 (200|[45]\d\d) [\t -~\x80-\xff]*\r\n"
    rb"(" + _PLAIN_HEADER + rb"(?i:content-length): ?(\d{1,8})\r\n" + _PLAIN_HEADER + rb")\r\n"
)

# A compressed stream would be cut into events later than it was said.
_ALWAYS = "user-agent:tollgate\r\naccept:*/*\r\naccept-encoding:identity\r\n"
_FINAL = 200


class Origin(NamedTuple):
    """Where a connection goes to; `host` is the header of this name."""

    host: str
    address: str
    port: int
    is_tls: bool


@lru_cache(maxsize=256)
def split_url(url: str) -> tuple[Origin, str]:
    """Return where `url` leads to and what is asked for there, as it stands: what is signed stays so."""
    parts = urlsplit(url)
    is_tls = parts.scheme == "https"
    origin = Origin(parts.netloc, parts.hostname or "", parts.port or (443 if is_tls else 80), is_tls)
    return origin, f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"


def header_lines(headers: Mapping[str, str]) -> str:
    """Return headers as lines, after what every request has. Raises `ValueError` for a line break in one."""
    lines = "".join([f"{name}:{value}\r\n" for name, value in headers.items()])
    if lines.count("\n") != len(headers) or lines.count("\r") != len(headers):
        raise ValueError("a header has more than one line")
    return f"{_ALWAYS}{lines}"


class _Connection(asyncio.Protocol):
    """One connection: a request at a time. `kept` is where it stands while it is idle."""

    def __init__(self, kept: "deque[_Connection]") -> None:
        self.idle_since = 0.0
        self._is_reused = False
        self._loop = asyncio.get_running_loop()
        self._kept = kept
        self._transport: asyncio.Transport | None = None
        self._response: Response | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._head_bytes = 0
        self._ends_by_closing = True

    @property
    def is_open(self) -> bool:
        """Return whether another request may be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def send(self, request: bytes, timeout_s: float, idle_timeout_s: float | None) -> Response:
        """Send a request; return its response, of which nothing is there yet."""
        self._head_bytes = 0
        self._ends_by_closing = True
        self._response = response = Response(self, self._loop, timeout_s, idle_timeout_s)
        if self._transport is not None:
            self._transport.write(request)
        return response

    def listen(self, *, listens: bool) -> None:
        """Read on, or no more for now."""
        if self._transport is not None and not self._transport.is_closing():
            (self._transport.resume_reading if listens else self._transport.pause_reading)()

    def abort(self) -> None:
        """Close it at once: what comes later would be taken for the answer to another request."""
        self._response = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Read on."""
        response = self._response
        if response is None:
            # Nothing was asked.
            self.abort()
            return
        if not response.status:
            # The parser stands at a beginning too, as it ends every message before the next one is asked for.
            if not self._head_bytes and (found := _PLAIN_ANSWER.match(data)) is not None:
                body = data[found.end() :]
                if len(body) == int(found[3]):
                    self._response = None
                    response.take_whole(int(found[1]), found[2], body)
                    self._keep()
                    return
            self._head_bytes += len(data)
        response.note_received()
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as exc:
            response.fail(HttpError(f"not HTTP: {exc}"))
            self.abort()
        if not response.status and self._head_bytes > MAX_HEAD_BYTES:
            response.fail(HttpError("the headers are too long"))

    def on_message_begin(self) -> None:
        """See to it that there is a request to each answer."""
        if self._response is None:
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        if self._response is not None:
            self._response.raw_headers.append((name, value))
            if name.lower() in (b"content-length", b"transfer-encoding"):
                self._ends_by_closing = False

    def on_headers_complete(self) -> None:
        """Hand on the head of the answer; what comes before it (1xx) says nothing."""
        if self._response is not None and self._parser.get_status_code() >= _FINAL:
            self._response.take_head(self._parser.get_status_code())

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        if self._response is not None:
            self._response.take(body)

    def on_message_complete(self) -> None:
        """End the answer, and be kept for the next request."""
        response = self._response
        if response is None:
            return
        if not response.status:
            # 100 Continue and its like: the answer is still to come.
            response.raw_headers.clear()
            return
        self._response = None
        response.finish()
        if self._parser.should_keep_alive() and self.is_open:
            if response.is_full:
                self.listen(listens=True)
            self._keep()
        elif self._transport is not None:
            self._transport.close()

    def _keep(self) -> None:
        """Stand by for the next request."""
        self._is_reused = True
        self.idle_since = self._loop.time()
        self._kept.append(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End what waits for an answer: a body without a length is whole then."""
        response, self._response = self._response, None
        self._transport = None
        if response is None:
            return
        if response.status and self._ends_by_closing and exc is None:
            response.finish()
        elif self._is_reused and not self._head_bytes and response.is_just_asked:
            response.fail(ClosedIdleError(f"closed: {exc!r}"))
        else:
            response.fail(HttpError(f"closed: {exc!r}"))


class HttpClient:
    """The connections of one event loop. They are not limited here: who asks limits what runs at once."""

    def __init__(self) -> None:
        self._kept: dict[Origin, deque[_Connection]] = {}
        self._tls: ssl.SSLContext | None = None

    async def request(
        self,
        method: str,
        url: str,
        lines: str,
        body: bytes = b"",
        *,
        timeout_s: float,
        idle_timeout_s: float | None = None,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> Response:
        """Send a request; return the response when its headers are there.

        To the header `lines` host and length are added. The whole answer has `timeout_s`, and
        `idle_timeout_s` between two pieces. Raises `HttpError`, `ConnectTimeoutError`, `TimeoutError`.

        Who asks must be able to ask twice: where a kept connection was closed under the request, it is sent
        once more over a new one, and nobody can tell for sure that the first was not heard.
        """
        origin, target = split_url(url)
        lines = f"host:{origin.host}\r\ncontent-length:{len(body)}\r\n{lines}"
        request = f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode() + body
        kept = self._idle(origin)
        if kept is not None:
            try:
                return await _begun(kept.send(request, timeout_s, idle_timeout_s))
            except ClosedIdleError:
                # The others are no younger.
                self._drop(origin)
        connection = await self._connect(origin, min(connect_timeout_s, timeout_s))
        return await _begun(connection.send(request, timeout_s, idle_timeout_s))

    def close(self) -> None:
        """Close the connections that are idle."""
        for origin in self._kept:
            self._drop(origin)

    def _drop(self, origin: Origin) -> None:
        """Close the connections to one origin that are idle."""
        kept = self._kept[origin]
        while kept:
            kept.pop().abort()

    def _idle(self, origin: Origin) -> _Connection | None:
        """Return the connection that was used last, if it is still good; close those that are too old."""
        kept = self._kept.get(origin)
        if not kept:
            return None
        oldest = asyncio.get_running_loop().time() - KEPT_S
        while kept and kept[0].idle_since <= oldest:
            kept.popleft().abort()
        while kept:
            connection = kept.pop()
            if connection.is_open:
                return connection
        return None

    async def _connect(self, origin: Origin, within_s: float) -> _Connection:
        if origin.is_tls and self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        kept = self._kept.setdefault(origin, deque())
        try:
            async with asyncio.timeout(within_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _Connection(kept),
                    origin.address,
                    origin.port,
                    ssl=self._tls if origin.is_tls else None,
                )
        except TimeoutError as exc:
            raise ConnectTimeoutError(f"not connected to {origin.host} in time") from exc
        except OSError as exc:
            raise HttpError(f"not connected to {origin.host}: {exc}") from exc
        return connection


async def _begun(response: Response) -> Response:
    """Return a response once its headers are there. Raises as `Response.begin` does; then it is closed."""
    try:
        await response.begin()
    except BaseException:
        response.close()
        raise
    return response
