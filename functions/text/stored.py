"""The routes of things that are stored: responses, batches and conversations."""

from text.callers import api_url, authenticate, read_body, read_body_with_files
from tollgate.composition import text as text_parts
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import one_of
from tollgate.text.serving.asgi import Answer, Reply, Request
from tollgate.text.serving.event_stream import STREAM_HEADERS


async def stored_response(request: Request) -> Answer:
    """Return a stored response, whole or as a stream, or delete it."""
    key = await authenticate(request)
    service = text_parts.current().responses
    wanted = request.query.get("stream", "false")
    if wanted not in ("true", "false"):
        raise InvalidInputError([one_of("/stream", ("true", "false"))])
    if request.method != "DELETE" and wanted == "true":
        events = await service.replayed(key, request.path_id, request.query)
        return Reply(events, headers=STREAM_HEADERS) if isinstance(events, bytes) else events
    asked = service.delete if request.method == "DELETE" else service.response
    return Reply(await asked(key, request.path_id))


async def cancel_response(request: Request) -> Answer:
    """Cancel a background response."""
    key = await authenticate(request)
    service = text_parts.current().background
    return Reply(await service.cancel(key, request.path_id))


async def input_items(request: Request) -> Answer:
    """List the input of a stored response."""
    key = await authenticate(request)
    service = text_parts.current().responses
    return Reply(await service.input_items(key, request.path_id, request.query))


async def batches(request: Request) -> Answer:
    """Create a batch in OpenAI's protocol, or list batches."""
    key = await authenticate(request)
    service = text_parts.current().batches
    if request.method == "POST":
        return Reply(await service.create(key, await read_body(request), request.headers))
    return Reply(await service.list(key, request.query))


async def get_batch(request: Request) -> Answer:
    """Return a batch in OpenAI's shape."""
    key = await authenticate(request)
    return Reply(await text_parts.current().batches.get(key, request.path_id))


async def cancel_batch(request: Request) -> Answer:
    """Cancel a batch in OpenAI's protocol."""
    key = await authenticate(request)
    return Reply(await text_parts.current().batches.cancel(key, request.path_id))


async def message_batches(request: Request) -> Answer:
    """Create a batch in Anthropic's protocol, or list batches."""
    key = await authenticate(request)
    service, url = text_parts.current().batches, api_url(request.scope)
    if request.method == "POST":
        return Reply(await service.create_messages(key, await read_body(request), request.headers, url))
    return Reply(await service.list_messages(key, request.query, url))


async def message_batch(request: Request) -> Answer:
    """Return a batch in Anthropic's shape, or delete it."""
    key = await authenticate(request)
    service = text_parts.current().batches
    if request.method == "DELETE":
        return Reply(await service.delete_messages(key, request.path_id))
    return Reply(await service.get_messages(key, request.path_id, api_url(request.scope)))


async def cancel_message_batch(request: Request) -> Answer:
    """Cancel a batch in Anthropic's protocol."""
    key = await authenticate(request)
    service = text_parts.current().batches
    return Reply(await service.cancel_messages(key, request.path_id, api_url(request.scope)))


async def message_batch_results(request: Request) -> Answer:
    """Return the results of a batch in Anthropic's protocol, one per line."""
    key = await authenticate(request)
    service = text_parts.current().batches
    return await service.results(key, request.path_id, request.headers.get("accept", ""))


async def create_conversation(request: Request) -> Answer:
    """Store a new conversation."""
    key = await authenticate(request)
    service = text_parts.current().conversations
    return Reply(await service.create(key, await read_body_with_files(request, key)))


async def conversation(request: Request) -> Answer:
    """Return a conversation, replace its metadata, or delete it."""
    key = await authenticate(request)
    service = text_parts.current().conversations
    if request.method == "POST":
        return Reply(await service.update(key, request.path_id, await read_body(request)))
    asked = service.delete if request.method == "DELETE" else service.get
    return Reply(await asked(key, request.path_id))


async def conversation_items(request: Request) -> Answer:
    """List the items of a conversation, or add items to it."""
    key = await authenticate(request)
    service = text_parts.current().conversations
    if request.method == "POST":
        body = await read_body_with_files(request, key)
        return Reply(await service.add_items(key, request.path_id, body))
    return Reply(await service.items(key, request.path_id, request.query))


async def conversation_item(request: Request) -> Answer:
    """Return an item of a conversation, or delete it."""
    key = await authenticate(request)
    service = text_parts.current().conversations
    asked = service.remove_item if request.method == "DELETE" else service.item
    return Reply(await asked(key, request.path_id, request.item_id))
