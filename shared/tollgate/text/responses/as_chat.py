"""A request of the Responses protocol as a chat, which has the hold, the routes and the bill. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.fields import invalid
from tollgate.text.body.foreign import foreign_in_items
from tollgate.text.body.json_body import JsonBody
from tollgate.text.body.request import NativeRequest, TextRequest, checked_request
from tollgate.text.models import TextProtocol
from tollgate.text.responses.items import COMPACTION, ToolName, check_count, is_reference, summary_message
from tollgate.text.responses.request import (
    ChatBody,
    ResponsesRequest,
    path_in_responses,
    read_responses_request,
    unused_fields,
)

# A tool that is a function only in the chat is at most so much longer there, by its name and parameters.
TOOL_BYTES = 256
# The name of the protocol in the record of a request.
RESPONSES = "responses"
_INCOMPLETE = "A quote needs the complete input. Send the earlier items in it."


def chat_of(
    asked: ResponsesRequest, told: ChatBody, items: Sequence[Mapping[str, Any]], size_bytes: int
) -> TextRequest:
    """Return the chat of a request, from its body as a chat and all its items, which have `size_bytes`.

    Raises `InvalidInputError` with the fields by their names in this protocol.
    """
    with own_names(told.origins, asked.earlier_path):
        native = NativeRequest(asked.native(), [*map(_told_item, items)])
        chat = checked_request(TextProtocol.OPENAI, chat_body(told, size_bytes))
        return replace(
            chat,
            ignored=unused_fields(asked.fields),
            native=native,
            sent=asked.fields,
            translated=RESPONSES,
            asked=asked.routing,
        )


def complete_chat(fields: Mapping[str, Any], size_bytes: int) -> tuple[TextRequest, Sequence[int]]:
    """Return the chat of a request without stored items, and the origins of its messages.

    Raises `InvalidInputError`, also for a request that names stored items.
    """
    asked = read_responses_request(fields)
    if asked.previous_response_id is not None or asked.conversation_id is not None:
        raise invalid(asked.earlier_path, _INCOMPLETE)
    check_count(asked.items)
    items = [item for item in asked.items if isinstance(item, Mapping)]
    stored = [number for number, item in enumerate(asked.items) if item in items and is_reference(item)]
    if stored:
        raise invalid(f"/input/{stored[0]}", _INCOMPLETE)
    if foreign := foreign_in_items(items):
        raise InvalidInputError(foreign)
    told = asked.chat([], asked.items)
    return chat_of(asked, told, asked.items, size_bytes), told.origins


def chat_body(told: ChatBody, size_bytes: int) -> JsonBody:
    """Return a chat, with a bound of the input that is billed: each of its texts is in the request."""
    more = TOOL_BYTES * sum(tool != ToolName(name) for name, tool in told.tools.items())
    return JsonBody(told.fields, {}, size_bytes + more)


@contextmanager
def own_names(origins: Sequence[int], earlier_path: str = "") -> Iterator[None]:
    """Name fields in errors by their names in this protocol."""
    try:
        yield
    except InvalidInputError as exc:
        raise exc.renamed(lambda problem: _told(problem, origins, earlier_path)) from exc


def _told(problem: Problem, origins: Sequence[int], earlier_path: str) -> Problem:
    return Problem(path_in_responses(problem.path, origins, earlier_path), problem.message, problem.allowed)


def _told_item(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an item for a provider; our compactions are messages there."""
    return summary_message(item, "") if item.get("type") == COMPACTION else item
