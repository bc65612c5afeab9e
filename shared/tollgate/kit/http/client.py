"""HTTP/1.1 requests over connections that are kept open: text's client for its providers and AWS.

    HttpClient.request ─► Response: status and headers are there ─► readany … b"" at the end, or close

A general client takes three to thirty times the CPU of a request, and text sends four for each response.
httptools reads the responses, as it reads uvicorn's requests. The client follows no redirect, uses no proxy
of the environment and keeps no cookie. Source: RFC 9110 and 9112.

A response must never reach the wrong caller. So a request is sent only on a connection with no unread bytes,
and a connection whose response did not end cleanly is closed.
"""

import asyncio
import re
import select
import ssl
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import httptools

from tollgate.kit.http.happy_eyeballs import connect
from tollgate.kit.http.response import ClosedIdleError, ConnectTimeoutError, HttpError, Response

CONNECT_TIMEOUT_S = 5.0
# An idle connection is not used after this long: the other end may have closed it, or this process slept.
KEEP_ALIVE_S = 15.0
# The most that may come between two parts of a body: the head, chunk extensions, trailers. It is checked
# after each read of the socket, which is at most 256 KiB.
MAX_HEAD_BYTES = 64 * 1024
# A request above this may be answered before the other end has read it.
LARGE_REQUEST_BYTES = 64 * 1024
# A new TLS connection may have session tickets to read. The loop takes a turn or two for them.
MAX_QUIET_TURNS = 10

# Matches a response in one piece with its length and usual headers, as most are. One match is cheaper than a
# call for each header. httptools reads all other responses, and a test compares the two.
_NAME = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PLAIN_HEADER = (
    rb"(?:(?i:connection: ?keep-alive)\r\n"
    rb"|(?!(?i:content-length|content-encoding|transfer-encoding|connection|upgrade):)"
    + _NAME
    + rb":(?:[\t -~\x80-\xff]*[!-~\x80-\xff])?\r\n)*+"
)
_PLAIN_ANSWER = re.compile(
    rb"HTTP/1\.1 (200|4(?!08)\d\d|5\d\d) [\t -~\x80-\xff]*\r\n"
    rb"(" + _PLAIN_HEADER + rb"(?i:content-length): ?(\d{1,8})\r\n" + _PLAIN_HEADER + rb")\r\n"
)
# Characters allowed in header names and targets (RFC 9110, 5.6.2 and 5.5; RFC 9112, 3.2).
_TOKEN = re.compile(_NAME.decode())
_VISIBLE = re.compile(r"[!-~]+")

# A compressed stream would be cut into events later than they were sent.
_ALWAYS = "user-agent:tollgate\r\naccept:*/*\r\naccept-encoding:identity\r\n"
_INTERIM, _SWITCHING_PROTOCOLS, _FINAL, _FIRST_ERROR, _REQUEST_TIMEOUT = 100, 101, 200, 400, 408


class Origin(NamedTuple):
    """The server of a connection; `host` is the value of the Host header."""

    host: str
    address: str
    port: int
    is_tls: bool


@lru_cache(maxsize=256)
def split_url(url: str) -> tuple[Origin, str]:
    """Return the origin of `url` and the request target, unchanged, because it may have been signed.

    Raises `ValueError` for a URL that is not http or https, names a user, or must be encoded first.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the URL must begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise ValueError("the URL must not have a user name or a password in it; send a header")
    if not _VISIBLE.fullmatch(url):
        raise ValueError("the URL must be ASCII, without spaces and control characters")
    is_tls = parts.scheme == "https"
    origin = Origin(parts.netloc, parts.hostname, parts.port or (443 if is_tls else 80), is_tls)
    return origin, f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"


def header_lines(headers: Mapping[str, str]) -> str:
    """Return headers as lines, after those that every request has.

    Raises `ValueError` for a name that is no token, and for a control character in a value.
    """
    if not _are_tokens(tuple(headers)):
        raise ValueError("the name of a header is not a token")
    if not "".join(headers.values()).isprintable():
        raise ValueError("a header has a line break or another control character")
    return _ALWAYS + "".join([f"{name}:{value}\r\n" for name, value in headers.items()])


@lru_cache(maxsize=256)
def _are_tokens(names: tuple[str, ...]) -> bool:
    return all(map(_TOKEN.fullmatch, names))


class _Connection(asyncio.Protocol):
    """One connection, with one request at a time. While it is idle, it is in `kept`."""

    def __init__(self, kept: "deque[_Connection]") -> None:
        self.idle_since = 0.0
        self._is_reused = False
        self._loop = asyncio.get_running_loop()
        self._now = self._loop.time
        self._kept = kept
        self._transport: asyncio.Transport | None = None
        self._unread = select.poll()
        self._response: Response | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._feed = self._parser.feed_data
        self._framing_bytes = 0
        self._has_body = False
        self._may_be_plain = True
        self._is_head = False
        self._is_large = False
        self._has_end = False

    @property
    def is_ready(self) -> bool:
        """Return whether a request may be sent: the connection is open, and nothing lies unread on it.

        The loop may have been busy while bytes arrived, so this looks at the socket itself. No client can
        tell bytes that arrive later from an answer.
        """
        return self._transport is not None and not self._transport.is_closing() and not self._unread.poll(0)

    def send(self, request: bytes, timeout_s: float, idle_timeout_s: float | None) -> Response:
        """Send a request; return its response, which is still empty."""
        self._framing_bytes = 0
        self._has_end = False
        self._is_head = request.startswith(b"HEAD ")
        self._is_large = len(request) > LARGE_REQUEST_BYTES
        self._may_be_plain = not (self._is_head or self._is_large)
        self._response = response = Response(self, self._loop, timeout_s, idle_timeout_s)
        if self._transport is not None:
            self._transport.write(request)
        return response

    def listen(self, *, listens: bool) -> None:
        """Read on, or pause."""
        if self._transport is not None and not self._transport.is_closing():
            (self._transport.resume_reading if listens else self._transport.pause_reading)()

    def abort(self) -> None:
        """Close it at once, because later bytes would be read as the response to another request."""
        self._response = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport  # type: ignore[assignment]
        self._unread.register(transport.get_extra_info("socket"), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        response = self._response
        if response is None:
            # There was no request.
            self.abort()
            return
        if self._may_be_plain:
            self._may_be_plain = False
            # The parser is at a message start too, because it ends every message before the next request.
            found = _PLAIN_ANSWER.match(data)
            if found is not None and len(data) - found.end() == int(found[3]):
                self._response = None
                response.take_whole(int(found[1]), found[2], data[found.end() :])
                self._keep()
                return
        try:
            self._feed(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as exc:
            response.fail(HttpError(f"not HTTP: {exc}"))
            self.abort()
        response.received_at = self._now()
        if self._has_body:
            self._has_body = False
            self._framing_bytes = 0
            return
        self._framing_bytes += len(data)
        if self._framing_bytes > MAX_HEAD_BYTES:
            response.fail(HttpError("the headers are too long"))

    def on_message_begin(self) -> None:
        """Close the connection if no request waits for this response."""
        if self._response is None:
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header. Trailers are ignored, because merged headers could change their meaning."""
        response = self._response
        if response is None or response.status:
            return
        response.raw_headers.append((name, value))
        lowered = name.lower()
        if lowered == b"transfer-encoding" and (value.strip().lower() != b"chunked" or self._has_end):
            response.fail(HttpError("a transfer-encoding that was not asked for"))
        elif lowered in (b"content-length", b"transfer-encoding"):
            self._has_end = True

    def on_headers_complete(self) -> None:
        """Hand on the head of the answer; skip interim answers (1xx)."""
        response, status = self._response, self._parser.get_status_code()
        if response is None:
            return
        if status < _INTERIM or status == _SWITCHING_PROTOCOLS:
            response.fail(HttpError(f"status {status}"))
        elif status == _REQUEST_TIMEOUT and self._is_reused and response.is_just_asked:
            # The server sent it because the connection was idle, while the request was on its way (RFC 9110,
            # 15.5.9).
            response.fail(ClosedIdleError("408 on an idle connection"))
        elif status >= _FINAL:
            response.take_head(status)
            if self._is_head:
                # The parser would wait for the body that the headers describe.
                self._end()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._has_body = True
        if self._response is not None:
            self._response.take(body)

    def on_message_complete(self) -> None:
        """End the answer; keep the connection for the next request if it is clean."""
        response = self._response
        if response is None:
            return
        if response.status:
            self._end(keeps=self._parser.should_keep_alive() and self._is_clean_after(response))
        else:
            # 100 Continue and similar: the final response follows.
            response.raw_headers.clear()
            self._has_end = False

    def _is_clean_after(self, response: Response) -> bool:
        """Return whether nothing is left of the request and its answer, in either direction.

        A server that answers a large request early may never read the rest of it. If the reader was slow, TLS
        may hold bytes that are no longer in the socket. After a 408 the other end closes.
        """
        is_early = self._is_large and (
            response.status >= _FIRST_ERROR
            or (self._transport is not None and self._transport.get_write_buffer_size() > 0)
        )
        return not (is_early or response.is_full or response.status == _REQUEST_TIMEOUT)

    def _end(self, *, keeps: bool = False) -> None:
        """End the answer; keep the connection, or close it."""
        response, self._response = self._response, None
        if response is not None:
            response.finish()
        if self._transport is None or self._transport.is_closing():
            return
        if keeps:
            self._keep()
        else:
            self._transport.close()

    def _keep(self) -> None:
        """Stand by for the next request."""
        self._is_reused = True
        self.idle_since = self._now()
        self._kept.append(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the answer that is under way: a body without a length is whole now."""
        response, self._response = self._response, None
        self._transport = None
        if response is None:
            return
        if response.status and not self._has_end and exc is None:
            response.finish()
            return
        nothing_came = not response.status and not self._framing_bytes
        is_idle = self._is_reused and nothing_came and response.is_just_asked
        response.fail((ClosedIdleError if is_idle else HttpError)(f"closed: {exc!r}"))


class HttpClient:
    """The connections of one event loop. Callers limit how many requests run at once."""

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
        repeatable: bool = False,
    ) -> Response:
        """Send a request; return the response when its headers are there.

        Host and length are added to the header `lines`. The whole response has `timeout_s`, and
        `idle_timeout_s` between two pieces.

        A request is `repeatable` if doing it twice equals doing it once. Only such a request is sent once
        more, over a new connection, if its kept connection was closed under it, because the first request may
        have been carried out (RFC 9110, 9.2.2).

        Raises `HttpError`, or its subclass `ClosedIdleError` if a kept connection was closed under a request
        that is not repeatable. Raises `ConnectTimeoutError`, `TimeoutError`, and `ValueError` as `split_url`
        does.
        """
        origin, target = split_url(url)
        lines = f"host:{origin.host}\r\ncontent-length:{len(body)}\r\n{lines}"
        request = f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode() + body
        kept = self._idle(origin)
        if kept is not None:
            try:
                return await _begun(kept.send(request, timeout_s, idle_timeout_s))
            except ClosedIdleError:
                # The others have been idle for longer.
                self._drop(origin)
                if not repeatable:
                    raise
        connection = await self._connect(origin, min(connect_timeout_s, timeout_s))
        return await _begun(connection.send(request, timeout_s, idle_timeout_s))

    def close(self) -> None:
        """Close the connections that are idle."""
        for origin in self._kept:
            self._drop(origin)

    def _drop(self, origin: Origin) -> None:
        """Close the idle connections to one origin."""
        kept = self._kept[origin]
        while kept:
            kept.pop().abort()

    def _idle(self, origin: Origin) -> _Connection | None:
        """Return the connection that was used last and is still good; close the others before it."""
        kept = self._kept.get(origin)
        if not kept:
            return None
        oldest = asyncio.get_running_loop().time() - KEEP_ALIVE_S
        while kept and kept[0].idle_since <= oldest:
            kept.popleft().abort()
        while kept:
            connection = kept.pop()
            if connection.is_ready:
                return connection
            connection.abort()
        return None

    async def _connect(self, origin: Origin, within_s: float) -> _Connection:
        """Return a new connection that is ready. Raises `ConnectTimeoutError` and `HttpError`."""
        kept = self._kept.setdefault(origin, deque())
        try:
            async with asyncio.timeout(within_s):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _Connection(kept),
                    sock=await connect(origin.address, origin.port),
                    ssl=self._tls_context() if origin.is_tls else None,
                    server_hostname=origin.address if origin.is_tls else None,
                )
        except TimeoutError as exc:
            raise ConnectTimeoutError(f"not connected to {origin.host} in time") from exc
        except (OSError, UnicodeError) as exc:
            raise HttpError(f"not connected to {origin.host}: {exc}") from exc
        for _ in range(MAX_QUIET_TURNS):
            if connection.is_ready:
                return connection
            # Let the loop read the pending bytes: TLS tickets are consumed, and a response closes the
            # connection.
            await asyncio.sleep(0)
        connection.abort()
        raise HttpError(f"{origin.host} spoke or closed before it was asked")

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


async def _begun(response: Response) -> Response:
    """Return a response once its headers are there. Raises as `Response.begin` does; then it is closed."""
    try:
        await response.begin()
    except BaseException:
        response.close()
        raise
    return response
