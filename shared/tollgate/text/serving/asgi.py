"""A small web framework for the text routes: a request, a whole answer, and the way to its handler.

Source: https://asgi.readthedocs.io/en/stable/specs/www.html. Starlette's import would
lengthen the function's start by a fifth (decision 0007).
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import parse_qsl

from tollgate.kit.errors import MethodNotAllowedError, PayloadTooLargeError, RouteNotFoundError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# How long a client may stay connected without reading, before it counts as disconnected.
SEND_TIMEOUT_S = 60.0
JSON = "application/json"
NO_CONTENT = 204


class ClientLeftError(Exception):
    """The client went before its request was whole."""


class Request:
    """A request; `path_id` is the value of `{id}` in its route, `item_id` that of `{itemId}`."""

    def __init__(self, scope: Scope, receive: Receive, path_id: str, item_id: str = "") -> None:
        self._scope = scope
        self._receive = receive
        self.path_id = path_id
        self.item_id = item_id
        # Of several headers of one name the first counts.
        pairs = reversed(scope["headers"])
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}

    @property
    def scope(self) -> Scope:
        """Return the request in ASGI's form."""
        return self._scope

    @property
    def method(self) -> str:
        """Return the HTTP method."""
        method: str = self._scope["method"]
        return method

    @property
    def state(self) -> dict[str, Any]:
        """Return the request's state, which is not a part of the request."""
        state: dict[str, Any] = self._scope["state"]
        return state

    @property
    def peer(self) -> str | None:
        """Return the address at the other end of the connection."""
        client = self._scope.get("client")
        return client[0] if client else None

    @cached_property
    def query(self) -> dict[str, str]:
        """Return the query; of several values of one name the last."""
        return dict(parse_qsl(self._scope["query_string"].decode("latin-1"), keep_blank_values=True))

    async def body(self, most: int) -> bytes:
        """Return the body. Raises `PayloadTooLargeError` above `most` bytes, `ClientLeftError`."""
        parts, size = [], 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise PayloadTooLargeError(most)
            if not message.get("more_body"):
                return b"".join(parts)


class Answer(Protocol):
    """The result of a handler, which sends itself."""

    async def send(self, receive: Receive, send: Send) -> None:
        """Send it, and watch `receive` for the client's disconnect."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    async def send(self, receive: Receive, send: Send) -> None:
        """Send it. Raises `TimeoutError` if the client does not read it."""
        del receive
        named = {"content-length": str(len(self.body)), "content-type": JSON, **self.headers}
        headers = [] if self.status == NO_CONTENT else encoded_headers(named)
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await send({"type": "http.response.start", "status": self.status, "headers": headers})
            await send({"type": "http.response.body", "body": self.body})


def encoded_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return headers in ASGI's form."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


Handler = Callable[[Request], Awaitable[Answer]]


class Routes:
    """Handlers by path and method.

    `{id}`, and `{itemId}` after it, match one part of a path; `{name}` matches also a slash.
    """

    def __init__(
        self, routes: Iterable[tuple[str, str, Handler]], close: Callable[[], Awaitable[None]]
    ) -> None:
        self._plain: dict[str, dict[str, Handler]] = {}
        self._with_id: dict[re.Pattern[str], dict[str, Handler]] = {}
        self._close = close
        for methods, path, handler in routes:
            by_method = dict.fromkeys(methods.split(), handler)
            if "{" in path:
                pattern = path.replace("{name}", "(.+)")
                for name in ("{id}", "{itemId}"):
                    pattern = pattern.replace(name, "([^/]+)")
                self._with_id[re.compile(pattern)] = by_method
            else:
                self._plain[path] = by_method

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises `RouteNotFoundError`, `MethodNotAllowedError`, and handlers' errors."""
        if scope["type"] != "http":
            await self._live(scope, receive, send)
            return
        by_method, ids = self._find(scope["path"])
        handler = by_method.get(scope["method"])
        if handler is None:
            raise MethodNotAllowedError(by_method)
        answer = await handler(Request(scope, receive, *ids))
        await answer.send(receive, send)

    def _find(self, path: str) -> tuple[dict[str, Handler], Sequence[str]]:
        found = self._plain.get(path)
        if found is not None:
            return found, [""]
        for pattern, by_method in self._with_id.items():
            if match := pattern.fullmatch(path):
                return by_method, match.groups()
        raise RouteNotFoundError

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Report that the process has started, and close open resources on shutdown."""
        if scope["type"] != "lifespan":
            await send({"type": "websocket.close"})
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._close()
        await send({"type": "lifespan.shutdown.complete"})
