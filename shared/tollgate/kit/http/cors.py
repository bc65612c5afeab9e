"""What lets a page of another origin read our answers (the Fetch standard, CORS protocol).

Callers are known by a key that they send themselves, never by a cookie, so nothing is let in that was not
before. The preflight is the gateway's (template.yaml, Cors); the dashboard, which has cookies, is left out of
both.
"""

from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The one answer without these headers (site/conventions.md#web-pages).
TIMEOUT_STATUS = 524


def headers_for(allowed_origin: str) -> dict[str, str]:
    """Return the headers of every response. `*` exposes all its headers, because no cookie was sent."""
    return {"access-control-allow-origin": allowed_origin, "access-control-expose-headers": "*"}


class CrossOrigin:
    """Puts the headers on each response, errors too; `headers` is called at the first response."""

    def __init__(self, app: ASGIApp, headers: Callable[[], Mapping[str, str]]) -> None:
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_shared(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in self._headers().items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, send_shared)
