"""Streamable HTTP without sessions: each request stands by itself, so any process can answer it."""

from collections.abc import Callable, MutableMapping
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from .service import Service
from .tools import server

MAX_BODY_BYTES = 1024 * 1024


class McpApp:
    """The ASGI app; `base_url_of` tells the API's address from the scope of a request."""

    def __init__(self, version: str, base_url_of: Callable[[MutableMapping[str, Any]], str]) -> None:
        self._version = version
        self._base_url_of = base_url_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope)
        refusal = _refusal(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        key = request.headers["authorization"].split(" ", 1)[1].strip()
        async with Service(self._base_url_of(scope), key) as service:
            manager = StreamableHTTPSessionManager(
                # The SDK's own app lives as long as its process, and would have one key for everybody.
                app=server(service, self._version)._lowlevel_server,
                json_response=True,
                stateless=True,
                max_request_body_size=MAX_BODY_BYTES,
            )
            async with manager.run():
                await manager.handle_request(scope, receive, send)


def _refusal(request: Request) -> Response | None:
    """Return the answer to a request that cannot be one of a tool: of another method, or without a key."""
    if request.method != "POST":
        # There are no sessions to listen to, or to end.
        return JSONResponse(
            _error(405, "method_not_allowed", "Use POST for this endpoint."), 405, {"allow": "POST"}
        )
    if not request.headers.get("authorization", "").lower().startswith("bearer "):
        body = _error(401, "invalid_api_key", "Send your API key: Authorization: Bearer tg_live_…")
        return JSONResponse(body, 401, {"www-authenticate": "Bearer"})
    return None


def _error(status: int, code: str, message: str) -> dict[str, Any]:
    kind = "Unauthorized" if code == "invalid_api_key" else "MethodNotAllowed"
    return {"code": status, "error": {"message": message, "type": kind, "code": code}}
