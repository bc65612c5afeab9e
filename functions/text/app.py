"""Trigger: API Gateway in streaming mode, by way of uvicorn behind the Lambda Web Adapter: the text routes.

Reads the request, calls the text service, and sends what it gives: whole, refused, or event by event.
Never ends a broken stream as if it were whole, and never ends an invocation with an open hold.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tollgate.accounts.models import ApiKey
from tollgate.accounts.models import Scope as KeyScope
from tollgate.accounts.networks import gateway_address
from tollgate.composition import text as text_parts
from tollgate.kit.errors import (
    InternalError,
    MethodNotAllowedError,
    PayloadTooLargeError,
    RouteNotFoundError,
    TollgateError,
)
from tollgate.kit.observability import begin_request, logger
from tollgate.text.errors import error_body
from tollgate.text.models import ChatProtocol
from tollgate.text.request import MAX_BODY_BYTES, TextRequest, read_request
from tollgate.text.response import CompleteResponse, Opened, Refused, SendEvents, StreamedResponse
from tollgate.text.upstream import encoded
from tollgate.text.views import models_view

KEEP_ALIVE_S = 15.0
KEEP_ALIVE = {
    ChatProtocol.OPENAI: b": keep-alive\n\n",
    ChatProtocol.ANTHROPIC: b'event: ping\ndata: {"type": "ping"}\n\n',
}
JSON = "application/json"
METHOD_NOT_ALLOWED = 405


async def chat_completions(request: Request) -> Response:
    """Answer in OpenAI's protocol."""
    return await _answer(request, ChatProtocol.OPENAI)


async def messages(request: Request) -> Response:
    """Answer in Anthropic's protocol."""
    return await _answer(request, ChatProtocol.ANTHROPIC)


async def count_tokens(request: Request) -> Response:
    """Count a request's input tokens; nothing is charged."""
    request_id = begin_request()
    try:
        key = await _authenticate(request)
        asked = read_request(ChatProtocol.ANTHROPIC, await _body(request), is_count=True)
        service = (await text_parts.text()).service
        return _json(await service.count_tokens(asked, key, dict(request.headers)), request_id)
    except TollgateError as error:
        return _error(ChatProtocol.ANTHROPIC, error, request_id)


async def list_models(request: Request) -> Response:
    """Return the text models with their prices per 1M tokens."""
    request_id = begin_request()
    try:
        key = await _authenticate(request)
        models = [model for model in text_parts.catalog().texts() if key.allows(model.id)]
        return _json(encoded(models_view(models)), request_id)
    except TollgateError as error:
        return _error(ChatProtocol.OPENAI, error, request_id)


async def _answer(request: Request, protocol: ChatProtocol) -> Response:
    """Answer, and tell the caller what is left of its minute."""
    response = await _answered(request, protocol)
    account_id = getattr(request.state, "account_id", None)
    if account_id is not None:
        billing = (await text_parts.text()).service.billing
        response.headers.update(billing.rate_headers(account_id))
    return response


async def healthz(_: Request) -> Response:
    """Tell the web adapter that the app is up; the gateway has no route to it."""
    return Response(status_code=204)


async def _answered(request: Request, protocol: ChatProtocol) -> Response:
    request_id = begin_request()
    try:
        key = await _authenticate(request)
        asked = read_request(protocol, await _body(request))
        service = (await text_parts.text()).service
        opening = asyncio.ensure_future(service.open(asked, key, request_id, dict(request.headers)))
        if asked.stream:
            # Whoever waits long for the first word is kept on the line; most never get here.
            await asyncio.wait({opening}, timeout=KEEP_ALIVE_S)
            if not opening.done():
                return EventStream(protocol, request_id, opening)
        return _opened(asked, await opening, request_id)
    except TollgateError as error:
        return _error(protocol, error, request_id)
    except Exception:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        logger.exception("text.fault")
        return _error(protocol, InternalError(), request_id)


def _opened(asked: TextRequest, opened: Opened, request_id: str) -> Response:
    match opened:
        case CompleteResponse(body, billed):
            logger.info("text.answered", charge_micro_usd=billed.charge_micro_usd)
            cost = {"x-tollgate-cost-micro-usd": str(billed.charge_micro_usd)}
            return _json(body, request_id, headers=cost)
        case Refused(status, body, headers):
            logger.info("text.refused", status=status)
            return _json(body, request_id, status, headers)
        case StreamedResponse():
            done: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
            done.set_result(opened)
            return EventStream(asked.protocol, request_id, done)


async def _authenticate(request: Request) -> ApiKey:
    """Return the caller's key, from either protocol's header."""
    api_key = request.headers.get("x-api-key")
    authorization = f"Bearer {api_key}" if api_key else request.headers.get("authorization")
    authenticator = (await text_parts.text()).authenticator
    key = await authenticator.authenticate(authorization, KeyScope.TEXT, _address(request))
    request.state.account_id = key.account_id
    return key


def _address(request: Request) -> str | None:
    """Return the caller's address: behind the web adapter the one that the gateway saw."""
    if text_parts.settings().aws_lambda_exec_wrapper:
        return gateway_address(request.headers.get("x-amzn-request-context"))
    return request.client.host if request.client else None


async def _body(request: Request) -> bytes:
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MAX_BODY_BYTES:
            raise PayloadTooLargeError(MAX_BODY_BYTES)
    return bytes(found)


def _json(
    body: bytes, request_id: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(body, status, {"x-request-id": request_id, **(headers or {})}, JSON)


def _error(protocol: ChatProtocol, error: TollgateError, request_id: str) -> Response:
    logger.info("text.refused", status=error.status, code=error.code)
    return _json(encoded(error_body(protocol, error)), request_id, error.status, error.headers())


class EventStream(Response):
    """A stream of events, relayed as they come.

    Unlike Starlette's own it goes on when the client has gone: the answer is read on and billed.
    """

    media_type = "text/event-stream"

    def __init__(self, protocol: ChatProtocol, request_id: str, opening: "asyncio.Future[Opened]") -> None:
        super().__init__(
            headers={"x-request-id": request_id, "cache-control": "no-cache", "x-accel-buffering": "no"}
        )
        # A stream has no length.
        self.raw_headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        self._protocol = protocol
        self._opening = opening
        # Whoever waited for the first word hears from us at once.
        self._sent_at = time.monotonic() - (0 if opening.done() else KEEP_ALIVE_S)
        self._gone = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Send the stream and settle it."""

        async def send_events(chunk: bytes) -> None:
            self._sent_at = time.monotonic()
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        helpers = [
            asyncio.ensure_future(self._watch(receive)),
            asyncio.ensure_future(self._keep_alive(send_events)),
        ]
        try:
            await self._relay(send_events)
        finally:
            for helper in helpers:
                helper.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _relay(self, send_events: SendEvents) -> None:
        try:
            opened = await self._opening
            if isinstance(opened, StreamedResponse):
                billed = await opened.relay(send_events, self._gone)
                logger.info("text.streamed", charge_micro_usd=billed.charge_micro_usd)
                return
            # The stream had to begin before this was known, so the error is its last event.
            body = opened.body if isinstance(opened, Refused) else b""
        except TollgateError as error:
            body = encoded(error_body(self._protocol, error))
        except Exception:  # noqa: BLE001 - the boundary, as above
            logger.exception("text.fault")
            body = encoded(error_body(self._protocol, InternalError()))
        name = b"event: error\n" if self._protocol is ChatProtocol.ANTHROPIC else b""
        await send_events(name + b"data: " + body.replace(b"\n", b" ") + b"\n\n")

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        self._gone.set()

    async def _keep_alive(self, send_events: SendEvents) -> None:
        while True:
            idle = time.monotonic() - self._sent_at
            if idle >= KEEP_ALIVE_S:
                await send_events(KEEP_ALIVE[self._protocol])
            else:
                await asyncio.sleep(KEEP_ALIVE_S - idle)


async def unknown_route(_: Request, error: Exception) -> Response:
    """Answer an unknown path or method in the contract's shape."""
    wrong_method = isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED
    found = MethodNotAllowedError() if wrong_method else RouteNotFoundError()
    return _error(ChatProtocol.OPENAI, found, begin_request())


@asynccontextmanager
async def closing(_: Starlette) -> AsyncIterator[None]:
    """Settle what is under way when the process is told to end, and close the connections."""
    yield
    await text_parts.close()


# Starlette, which FastAPI is made of: nothing here uses more, and a cold start takes a third less.
app = Starlette(
    routes=[
        Route("/api/v1/chat/completions", chat_completions, methods=["POST"]),
        Route("/api/v1/messages", messages, methods=["POST"]),
        Route("/api/v1/messages/count_tokens", count_tokens, methods=["POST"]),
        Route("/api/v1/models", list_models, methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
    ],
    exception_handlers={HTTPException: unknown_route},
    lifespan=closing,
)
app.router.redirect_slashes = False
