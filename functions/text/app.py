"""Trigger: API Gateway in streaming mode, by way of uvicorn behind the Lambda Web Adapter: the text routes.

Authenticates, reads the request, calls the text service, and sends what it gives. Errors, request ids and
rate headers are `tollgate/text/middleware.py`, the stream is `tollgate/text/event_stream.py`.
Never ends a broken stream as if it were whole, and never ends an invocation with an open hold.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from tollgate.accounts.models import ApiKey, Scope
from tollgate.accounts.networks import gateway_address
from tollgate.composition import text as text_parts
from tollgate.composition.parts import cors_headers
from tollgate.kit.errors import ModelNotFoundError, PayloadTooLargeError
from tollgate.text.embeddings import read_embedding_request
from tollgate.text.event_stream import http_response
from tollgate.text.middleware import ACCOUNT_ID, JSON, REQUEST_ID, TextMiddleware
from tollgate.text.models import TextProtocol
from tollgate.text.rendering import AsItIs
from tollgate.text.request import MAX_BODY_BYTES, read_request
from tollgate.text.upstream import encoded
from tollgate.text.views import model_view, models_view


async def chat_completions(request: Request) -> Response:
    """Answer in OpenAI's protocol."""
    return await _respond(request, TextProtocol.OPENAI)


async def messages(request: Request) -> Response:
    """Answer in Anthropic's protocol."""
    return await _respond(request, TextProtocol.ANTHROPIC)


async def count_tokens(request: Request) -> Response:
    """Count a request's input tokens; nothing is charged."""
    key = await _authenticate(request)
    counted = read_request(TextProtocol.ANTHROPIC, await _body(request), is_count=True)
    service = (await text_parts.text()).service
    request_id = request.scope["state"][REQUEST_ID]
    body = await service.count_tokens(counted, key, request_id, dict(request.headers))
    return Response(body, media_type=JSON)


async def list_models(request: Request) -> Response:
    """Return the text models with their prices per 1M tokens."""
    key = await _authenticate(request)
    models = [model for model in text_parts.catalog().texts() if key.allows(model.id)]
    return Response(encoded(models_view(models)), media_type=JSON)


async def get_model(request: Request) -> Response:
    """Return one text model, by any of its names."""
    key = await _authenticate(request)
    named = (await text_parts.text()).service.models.get(request.path_params["id"].casefold())
    found = [model for model in text_parts.catalog().texts() if named is not None and model.id == named.id]
    if not found or not key.allows(found[0].id):
        raise ModelNotFoundError
    return Response(encoded(model_view(found[0])), media_type=JSON)


async def responses(request: Request) -> Response:
    """Answer in OpenAI's Responses protocol."""
    key = await _authenticate(request)
    body = await _body(request)
    made = await text_parts.text()
    call = await made.responses.read(body, key.account_id)
    request_id = request.scope["state"][REQUEST_ID]
    responding = asyncio.ensure_future(call.respond(made.service, key, request_id, dict(request.headers)))
    return await http_response(responding, call.rendering, stream=call.chat.stream)


async def embeddings(request: Request) -> Response:
    """Answer with a vector for each input, in OpenAI's protocol."""
    key = await _authenticate(request)
    asked = read_embedding_request(await _body(request))
    service = (await text_parts.text()).service
    request_id = request.scope["state"][REQUEST_ID]
    responding = asyncio.ensure_future(service.respond(asked, key, request_id, dict(request.headers)))
    return await http_response(responding, AsItIs(TextProtocol.OPENAI), stream=False)


async def stored_response(request: Request) -> Response:
    """Return a stored response, or delete it."""
    key = await _authenticate(request)
    service = (await text_parts.text()).responses
    asked = service.delete if request.method == "DELETE" else service.response
    return Response(await asked(key.account_id, request.path_params["id"]), media_type=JSON)


async def input_items(request: Request) -> Response:
    """List the input of a stored response."""
    key = await _authenticate(request)
    service = (await text_parts.text()).responses
    response_id, query = request.path_params["id"], request.query_params
    return Response(await service.input_items(key.account_id, response_id, query), media_type=JSON)


async def healthz(_: Request) -> Response:
    """Answer the web adapter that the app is up; the gateway has no route to it."""
    return Response(status_code=204)


async def _respond(request: Request, protocol: TextProtocol) -> Response:
    key = await _authenticate(request)
    text_request = read_request(protocol, await _body(request))
    service = (await text_parts.text()).service
    request_id = request.scope["state"][REQUEST_ID]
    responding = asyncio.ensure_future(service.respond(text_request, key, request_id, dict(request.headers)))
    return await http_response(responding, AsItIs(protocol), stream=text_request.stream)


async def _authenticate(request: Request) -> ApiKey:
    """Return the caller's key, from either protocol's header."""
    api_key = request.headers.get("x-api-key")
    authorization = f"Bearer {api_key}" if api_key else request.headers.get("authorization")
    authenticator = (await text_parts.text()).authenticator
    key = await authenticator.authenticate(authorization, Scope.TEXT, _address(request))
    request.scope["state"][ACCOUNT_ID] = key.account_id
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


@asynccontextmanager
async def closing(_: Router) -> AsyncIterator[None]:
    """Settle what is under way when the process is told to end, and close the connections."""
    yield
    await text_parts.close()


# Starlette's router alone: nothing here uses more, and each layer less is time in a cold start and per chunk.
routes = Router(
    routes=[
        Route("/api/v1/chat/completions", chat_completions, methods=["POST"]),
        Route("/api/v1/messages", messages, methods=["POST"]),
        Route("/api/v1/messages/count_tokens", count_tokens, methods=["POST"]),
        Route("/api/v1/responses", responses, methods=["POST"]),
        Route("/api/v1/embeddings", embeddings, methods=["POST"]),
        Route("/api/v1/responses/{id}", stored_response, methods=["GET", "DELETE"]),
        Route("/api/v1/responses/{id}/input_items", input_items, methods=["GET"]),
        Route("/api/v1/models", list_models, methods=["GET"]),
        Route("/api/v1/models/{id}", get_model, methods=["GET"]),
        Route("/healthz", healthz, methods=["GET"]),
    ],
    redirect_slashes=False,
    lifespan=closing,
)
app = TextMiddleware(routes, text_parts.rate_headers, cors_headers)
