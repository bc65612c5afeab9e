"""HEAD requests (RFC 9110, 9.3.2): the response of GET without its body."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadLikeGet:
    """ASGI middleware: lets the app handle HEAD as GET, and drops the body of the response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request. The headers, with the body's length, stay."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self._app({**scope, "method": "GET"}, receive, send_without_body)
