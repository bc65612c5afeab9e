"""Faults below HTTP: responses that never arrive or break off.

ASGI cannot close a connection, so the server's protocol class adds a function for that to each scope.
"""

import asyncio
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_CLOSE = "simulator.close_connection"
_CLOSE_WAIT_S = 5
"""How long a broken response waits for the end of its connection, because its last bytes may be pending."""


class ClosableProtocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 protocol, with a function in the scope that closes the connection."""

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
    """Sends the headers and the first half of the body, then closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send half of the body with the length of the whole body, then close."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await close_connection(scope, receive)


async def close_connection(scope: Scope, receive: Receive) -> None:
    """Close the connection after pending data, and wait until it is closed."""
    scope["extensions"][_CLOSE]()
    async with asyncio.timeout(_CLOSE_WAIT_S):
        while (await receive())["type"] != "http.disconnect":
            pass
