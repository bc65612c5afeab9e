"""Faults below HTTP: answers that never come, or that break off.

ASGI has no word for closing a connection, so the server's protocol class puts one into each request's scope.
"""

import asyncio
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_CLOSE = "simulator.close_connection"
_CLOSE_WAIT_S = 5
"""How long a broken answer waits for its connection to be gone: its last bytes may still be on the way."""


class ClosableProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, with a function in the scope that closes the connection after what was written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        serve = self.app

        async def serve_closable(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("extensions", {})[_CLOSE] = self.transport.close
            await serve(scope, receive, send)

        self.app = serve_closable


class NoAnswer(Response):
    """Closes the connection without a byte."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's shape
        """Close the connection and wait until it is gone."""
        await close_connection(scope, receive)


class BrokenOff(Response):
    """Sends its headers and the first half of its body, then closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send half of the body under the length of the whole, then close."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await close_connection(scope, receive)


async def close_connection(scope: Scope, receive: Receive) -> None:
    """Close the connection after what was written, and wait until it is gone."""
    scope["extensions"][_CLOSE]()
    async with asyncio.timeout(_CLOSE_WAIT_S):
        while (await receive())["type"] != "http.disconnect":
            pass
