"""Streamable HTTP without sessions: requests are independent, so any process can serve them."""

import json
from collections.abc import Callable, MutableMapping
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from .service import TAGS_HEADER, Service
from .tools import server

MAX_BODY_BYTES = 1024 * 1024
# Of the service, not of this server: the document by which a client finds the sign-in (RFC 9728).
METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"
SCOPES = "media text"
SEND_A_KEY = "Send your API key: Authorization: Bearer tg_live_…"
# JSON-RPC's code for JSON that is not a request (https://www.jsonrpc.org/specification#error_object).
INVALID_REQUEST = -32600
# Callers authenticate with a key, never with a cookie, so a page of another origin gains nothing.
_ANY_HOST = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class McpApp:
    """The ASGI app. `base_url_of` returns the API's address for the scope of a request."""

    def __init__(self, version: str, base_url_of: Callable[[MutableMapping[str, Any]], str]) -> None:
        self._version = version
        self._base_url_of = base_url_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""
        request, base_url = Request(scope, receive), self._base_url_of(scope)
        refusal = _refusal(request, base_url)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        tags = request.headers.get(TAGS_HEADER, "")
        async with Service(base_url, _key(request), tags=tags) as service:
            await self._answer(service, request, send)

    async def _answer(self, service: Service, request: Request, send: Send) -> None:
        scope = request.scope
        # Checked on the first request, so that the client asks for another key instead of listing unusable
        # tools.
        if not await service.knows_key():
            message = "This API key is unknown, expired or revoked."
            refusal = _unauthorized(message, service.base_url, is_wrong=True)
            await refusal(scope, request.receive, send)
            return
        try:
            body = await _read(request)
        except ClientDisconnect:
            return
        if body is not None and not _has_good_id(body):
            await _invalid_request()(scope, request.receive, send)
            return
        made = server(service, self._version)
        # Created for each request. An app for the whole process would use one key for all callers.
        made.streamable_http_app(
            json_response=True,
            stateless_http=True,
            max_request_body_size=MAX_BODY_BYTES,
            transport_security=_ANY_HOST,
        )
        async with made.session_manager.run():
            await made.session_manager.handle_request(scope, _again(body, request.receive), send)


async def _read(request: Request) -> bytes | None:
    """Return the body, or `None` if it is too large. The rest of a large body is not read."""
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MAX_BODY_BYTES:
            return None
    return bytes(found)


def _again(body: bytes | None, receive: Receive) -> Receive:
    """Return a `receive` that returns the body again, or spaces of a refused length for a large body."""
    messages: list[Message] = [
        {"type": "http.request", "body": b" " * (MAX_BODY_BYTES + 1) if body is None else body}
    ]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _has_good_id(body: bytes) -> bool:
    """Return whether the id of a request, if there is one, is a string or an integer.

    With any other id the SDK treats it as a notification, ignores it and returns 202.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        # The SDK has an error for invalid JSON.
        return True
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return True
    return type(message["id"]) in (str, int)


def _refusal(request: Request, base_url: str) -> Response | None:
    """Return an error if the method is not POST or the key is missing, or else `None`."""
    if request.method != "POST":
        # Without sessions there is no stream to open and no session to end.
        error = _error(405, "method_not_allowed", "Use POST for this endpoint.", base_url)
        return JSONResponse(error, 405, {"allow": "POST"})
    return None if _key(request) else _unauthorized(SEND_A_KEY, base_url)


def _key(request: Request) -> str:
    """Return the key in `x-api-key` or in `Authorization: Bearer …`, or nothing."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    return request.headers.get("x-api-key", "").strip() or bearer


def challenge(base_url: str, *, is_wrong: bool = False) -> str:
    """Return the challenge of a 401 (RFC 6750, section 3, and RFC 9728, section 5.1).

    Only a wrong key has a reason. The scopes are those to ask for.
    """
    reason = ', error="invalid_token"' if is_wrong else ""
    found = f'resource_metadata="{base_url}{METADATA_PATH}", scope="{SCOPES}"'
    return f'Bearer realm="tollgate"{reason}, {found}'


def _unauthorized(message: str, base_url: str, *, is_wrong: bool = False) -> Response:
    error = _error(401, "invalid_api_key", message, base_url)
    return JSONResponse(error, 401, {"www-authenticate": challenge(base_url, is_wrong=is_wrong)})


def _invalid_request() -> Response:
    said = {"code": INVALID_REQUEST, "message": "Invalid Request: id must be a string or a whole number."}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": said}, 400)


def _error(status: int, code: str, message: str, base_url: str) -> dict[str, Any]:
    kind = "Unauthorized" if code == "invalid_api_key" else "MethodNotAllowed"
    docs = f"{base_url}/docs/errors#{code}"
    return {"code": status, "error": {"message": message, "type": kind, "code": code, "docsUrl": docs}}
