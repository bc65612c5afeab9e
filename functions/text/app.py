"""Trigger: API Gateway in streaming mode, through uvicorn behind the Lambda Web Adapter: the text routes.

Authenticates (`callers.py`), reads the request, calls the text service, and sends its response. The routes of
stored things are in `stored.py`. Errors, request ids and rate headers are in
`tollgate/text/serving/middleware.py`. The stream is in `tollgate/text/serving/event_stream.py`. Never
completes a broken stream, and never ends an invocation with an open hold.
"""

from collections.abc import Callable
from functools import partial

from text.callers import api_url, authenticate, read_body, read_body_with_files
from text.stored import (
    batches,
    cancel_batch,
    cancel_message_batch,
    cancel_response,
    conversation,
    conversation_item,
    conversation_items,
    create_conversation,
    get_batch,
    input_items,
    message_batch,
    message_batch_results,
    message_batches,
    stored_response,
)
from tollgate.accounts.models import ApiKey
from tollgate.composition import text as text_parts
from tollgate.composition.parts import cors_headers
from tollgate.kit.errors import ModelNotFoundError
from tollgate.kit.http.forms import MAX_FORM_BYTES, read_form
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.kinds.completions import CompletionsRendering, own_names, read_completion_request
from tollgate.text.kinds.rerank import read_rerank_request
from tollgate.text.kinds.speech import CONTENT_TYPES, format_of, read_speech_request, wants_events
from tollgate.text.kinds.table import KINDS
from tollgate.text.kinds.transcription import is_plain, read_transcription_request
from tollgate.text.listing.endpoints import endpoints_view
from tollgate.text.listing.views import model_view, models_view
from tollgate.text.models import TextProtocol
from tollgate.text.serving.asgi import NO_CONTENT, Answer, Reply, Request, Routes
from tollgate.text.serving.event_stream import audio_response, http_response, in_plain_text
from tollgate.text.serving.middleware import HELPED, REQUEST_ID, TextMiddleware
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.rendering import Rendering, Unchanged


async def chat_completions(request: Request) -> Answer:
    """Respond in OpenAI's protocol."""
    return await _respond(request, TextProtocol.OPENAI)


async def completions(request: Request) -> Answer:
    """Respond in OpenAI's legacy protocol of completions."""
    key = await authenticate(request)
    asked = read_completion_request(await read_body(request))
    with own_names():
        return await _respond_to(request, key, asked, CompletionsRendering())


async def messages(request: Request) -> Answer:
    """Respond in Anthropic's protocol."""
    return await _respond(request, TextProtocol.ANTHROPIC)


async def count_tokens(request: Request) -> Answer:
    """Count a request's input tokens, without a charge."""
    key = await authenticate(request)
    body = await read_body_with_files(request, key)
    counted = read_request(TextProtocol.ANTHROPIC, body, is_count=True)
    service = text_parts.current().service
    request_id = request.state[REQUEST_ID]
    input_tokens = await service.count_tokens(counted, key, request_id, request.headers)
    return Reply(encoded({"input_tokens": input_tokens}))


async def list_models(request: Request) -> Answer:
    """Return a page of the text models with their prices per 1M tokens."""
    key = await authenticate(request)
    models = [model for model in text_parts.catalog().text_models() if key.allows(model.id)]
    return Reply(encoded(models_view(models, request.query)))


async def get_model(request: Request) -> Answer:
    """Return one model by any of its names, also a media model."""
    key = await authenticate(request)
    model = text_parts.catalog().find_by_name(request.path_id)
    if model is None or not key.allows(model.id):
        raise ModelNotFoundError("")
    return Reply(encoded(model_view(model)))


async def list_endpoints(request: Request) -> Answer:
    """Return the routes of one model by any of its names, also of a media model."""
    key = await authenticate(request)
    model = text_parts.catalog().find_by_name(request.path_id)
    if model is None or not key.allows(model.id):
        raise ModelNotFoundError("")
    made = text_parts.current()
    measures = made.service.measures
    measured = {} if measures is None else await measures.of(model.id)
    await made.switches.known()
    view = endpoints_view(model, text_parts.providers(), measured, made.switches.is_off)
    return Reply(encoded({"data": view}))


async def responses(request: Request) -> Answer:
    """Respond in OpenAI's Responses protocol."""
    key = await authenticate(request)
    body = await read_body_with_files(request, key)
    made = text_parts.current()
    request_id = request.state[REQUEST_ID]
    call = await made.responses.read(body, key, request_id)
    if call.asked is not None and call.asked.background:
        queued = await made.background.start(call, key, request_id, request.headers)
        if call.asked.stream:
            return made.responses.follow(key, queued)
        return Reply(encoded(queued.response))
    responding = call.respond(made.cached, key, request_id, request.headers)
    end_if_asked = partial(made.service.end_if_asked, request_id) if call.chat.stream else None
    return await http_response(responding, call.rendering, request.state[HELPED], end_if_asked)


async def compact(request: Request) -> Answer:
    """Return a conversation with a summary in the place of its answers."""
    key = await authenticate(request)
    body = await read_body_with_files(request, key)
    made = text_parts.current()
    request_id = request.state[REQUEST_ID]
    call = await made.responses.compact(body, key, request_id)
    responding = call.respond(made.service, key, request_id, request.headers)
    return await http_response(responding, call.rendering, request.state[HELPED])


async def count_response_tokens(request: Request) -> Answer:
    """Count the input tokens of a Responses request, without a charge."""
    key = await authenticate(request)
    body = await read_body_with_files(request, key)
    made = text_parts.current()
    counted = (await made.responses.read(body, key)).chat
    request_id = request.state[REQUEST_ID]
    input_tokens = await made.service.count_tokens(counted, key, request_id, request.headers)
    return Reply(encoded({"object": "response.input_tokens", "input_tokens": input_tokens}))


async def embeddings(request: Request) -> Answer:
    """Return a vector for each input, in OpenAI's protocol."""
    return await _respond_in(request, KINDS[TextProtocol.EMBEDDINGS].read)


async def rerank(request: Request) -> Answer:
    """Return the relevance of documents, in the protocol of Cohere's first version and of OpenRouter."""
    return await _respond_in(request, read_rerank_request)


async def rerank_v2(request: Request) -> Answer:
    """Return the relevance of documents, in Cohere's second version, which returns no documents."""
    return await _respond_in(request, partial(read_rerank_request, returns_documents=False))


async def moderations(request: Request) -> Answer:
    """Return whether inputs are harmful, in OpenAI's protocol."""
    return await _respond_in(request, KINDS[TextProtocol.MODERATIONS].read)


async def speech(request: Request) -> Answer:
    """Speak a text: the audio's bytes or, if asked for, OpenAI's events of it."""
    key = await authenticate(request)
    asked = read_speech_request(await read_body(request))
    if wants_events(asked):
        return await _respond_to(request, key, asked, Unchanged(TextProtocol.SPEECH))
    service = text_parts.current().service
    responding = service.respond(asked, key, request.state[REQUEST_ID], request.headers)
    return await audio_response(responding, CONTENT_TYPES[format_of(asked)], request.state[HELPED])


async def transcriptions(request: Request) -> Answer:
    """Return the text of a recording."""
    return await _transcribe(request, translates=False)


async def translations(request: Request) -> Answer:
    """Return the text of a recording in English."""
    return await _transcribe(request, translates=True)


async def _transcribe(request: Request, *, translates: bool) -> Answer:
    key = await authenticate(request)
    form = await read_form(request.headers, await request.body(MAX_FORM_BYTES))
    asked = read_transcription_request(form, translates=translates)
    parts = text_parts.current()
    # Before its file is read.
    parts.service.model(asked.model, asked.protocol, key)
    asked = await parts.prober.measured(asked)
    answer = await _respond_to(request, key, asked, Unchanged(asked.protocol))
    return in_plain_text(answer) if is_plain(asked) else answer


async def healthz(_: Request) -> Answer:
    """Respond to the web adapter's check that the app is running. The gateway has no route to it."""
    return Reply(status=NO_CONTENT)


async def _respond(request: Request, protocol: TextProtocol) -> Answer:
    key = await authenticate(request)
    text_request = read_request(protocol, await read_body_with_files(request, key))
    return await _respond_to(request, key, text_request, Unchanged(protocol))


async def _respond_in(request: Request, read: Callable[[bytes], TextRequest]) -> Answer:
    """Respond to a request that is no chat."""
    key = await authenticate(request)
    return await _respond_to(request, key, read(await read_body(request)), Unchanged(TextProtocol.OPENAI))


async def _respond_to(
    request: Request, key: ApiKey, text_request: TextRequest, rendering: Rendering
) -> Answer:
    made = text_parts.current()
    request_id = request.state[REQUEST_ID]
    responding = made.cached.respond(text_request, key, request_id, request.headers)
    end_if_asked = partial(made.service.end_if_asked, request_id) if text_request.stream else None
    return await http_response(responding, rendering, request.state[HELPED], end_if_asked)


routes = Routes(
    [
        ("POST", "/api/v1/chat/completions", chat_completions),
        ("POST", "/api/v1/completions", completions),
        ("POST", "/api/v1/messages", messages),
        ("POST", "/api/v1/messages/count_tokens", count_tokens),
        ("POST", "/api/v1/responses", responses),
        ("POST", "/api/v1/responses/input_tokens", count_response_tokens),
        ("POST", "/api/v1/responses/compact", compact),
        ("GET HEAD POST", "/api/v1/batches", batches),
        ("GET HEAD", "/api/v1/batches/{id}", get_batch),
        ("POST", "/api/v1/batches/{id}/cancel", cancel_batch),
        ("GET HEAD POST", "/api/v1/messages/batches", message_batches),
        ("GET HEAD DELETE", "/api/v1/messages/batches/{id}", message_batch),
        ("POST", "/api/v1/messages/batches/{id}/cancel", cancel_message_batch),
        ("GET HEAD", "/api/v1/messages/batches/{id}/results", message_batch_results),
        ("POST", "/api/v1/embeddings", embeddings),
        ("POST", "/api/v1/rerank", rerank),
        ("POST", "/api/v1/v2/rerank", rerank_v2),
        ("POST", "/api/v1/moderations", moderations),
        ("POST", "/api/v1/audio/speech", speech),
        ("POST", "/api/v1/audio/transcriptions", transcriptions),
        ("POST", "/api/v1/audio/translations", translations),
        ("GET HEAD DELETE", "/api/v1/responses/{id}", stored_response),
        ("GET HEAD", "/api/v1/responses/{id}/input_items", input_items),
        ("POST", "/api/v1/responses/{id}/cancel", cancel_response),
        ("POST", "/api/v1/conversations", create_conversation),
        ("GET HEAD POST DELETE", "/api/v1/conversations/{id}", conversation),
        ("GET HEAD POST", "/api/v1/conversations/{id}/items", conversation_items),
        ("GET HEAD DELETE", "/api/v1/conversations/{id}/items/{itemId}", conversation_item),
        ("GET HEAD", "/api/v1/models", list_models),
        ("GET HEAD", "/api/v1/models/{name}/endpoints", list_endpoints),
        ("GET HEAD", "/api/v1/models/{name}", get_model),
        ("GET HEAD", "/healthz", healthz),
    ],
    # Running requests are settled before the process ends.
    close=text_parts.close,
)
app = TextMiddleware(routes, text_parts.rate_headers, text_parts.share_count, cors_headers, api_url)
