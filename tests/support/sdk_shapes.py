"""Answers held against the types of OpenAI's and Anthropic's SDKs, strictly: no other field, none missing.

The Python types say which fields there are. The TypeScript types of the same specifications also say which of
them are always there though they may be null (`x: T | null`, not `x?: T`), and `ALWAYS` lists those. Source:
npm's openai 7.57.0 and @anthropic-ai/sdk 1.14.0, and `required` in OpenAI's OpenAPI document of 21 Aug 2026.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.shared import ErrorResponse
from openai.types import CreateEmbeddingResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, ValidationError

# Fields that the types lack, by class: ours, which docs/text-protocols.md describes, and two that OpenAI's
# service or its OpenAPI document has.
_COST = {"cost", "cost_details", "is_byok"}
OURS = {
    **dict.fromkeys(("CompletionUsage", "Usage", "MessageDeltaUsage", "ResponseUsage"), _COST),
    # OpenRouter's SDKs refuse an answer without the penalties
    "Response": {"store", "frequency_penalty", "presence_penalty"},
    "ResponseFunctionCallArgumentsDoneEvent": {"name"},
    "ChatCompletionMessage": {"reasoning_content", "reasoning_details", "thinking_blocks", "extra_content"},
    "ChoiceDelta": {"reasoning_content", "reasoning_details", "thinking_blocks", "extra_content"},
    "ChatCompletionMessageFunctionToolCall": {"extra_content"},
    "ChoiceDeltaToolCall": {"extra_content"},
    "ErrorResponse": {"code"},
}
OUR_ERROR = {"code", "docsUrl", "requestId", "details", "message", "type"}
"""The members of an error by the contract, and by site/errors.md."""

_STOP = {"container", "stop_details", "stop_reason", "stop_sequence"}
_COUNTS = {
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens_details",
    "server_tool_use",
}
ALWAYS: Mapping[str, set[str]] = {
    "chat_completion.Choice": {"logprobs"},
    "ChatCompletionMessage": {"content", "refusal"},
    "chat_completion_chunk.Choice": {"finish_reason"},
    "CompletionUsage": {"completion_tokens_details", "prompt_tokens_details"},
    "Response": {
        *("access_programs", "error", "incomplete_details", "instructions"),
        *("metadata", "temperature", "top_p", "status"),
    },
    "ResponseErrorEvent": {"code", "param"},
    "Message": {"diagnostics", *_STOP},
    "raw_message_delta_event.Delta": _STOP,
    "TextBlock": {"citations"},
    "ToolUseBlock": {"caller"},
    "Usage": {"cache_creation", "inference_geo", "service_tier", "speed", *_COUNTS},
    "MessageDeltaUsage": {"input_tokens", *_COUNTS},
    "ErrorResponse": {"request_id"},
}
NO_NULLS = {"CompletionUsage", "CompletionTokensDetails", "PromptTokensDetails"}
"""Types whose fields may be left out, but are not null (`x?: T` in TypeScript)."""


def faults_of(shape: type[BaseModel], payload: Any) -> list[str]:
    """Return the faults of a JSON object that should have this shape."""
    try:
        found = shape.model_validate_json(json.dumps(payload), strict=True)
    except ValidationError as refused:
        return [
            f"{shape.__name__}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in refused.errors()
        ]
    return list(_faults(found))


def event_shape(events: Any, payload: Mapping[str, Any]) -> type[BaseModel] | None:
    """Return the class of a streamed event, from the union of all `events`."""
    return _by_type(events).get(str(payload.get("type")))


@cache
def _by_type(events: Any) -> dict[str, type[BaseModel]]:
    union = get_args(events)[0]
    return {get_args(each.model_fields["type"].annotation)[0]: each for each in get_args(union)}


def _faults(found: Any) -> Iterator[str]:
    if isinstance(found, list | tuple):
        for each in found:
            yield from _faults(each)
    if not isinstance(found, BaseModel):
        return
    name = type(found).__name__
    place = f"{type(found).__module__.rpartition('.')[2]}.{name}"
    extra = set(found.model_extra or {}) - OURS.get(name, set())
    missing = ALWAYS.get(place, ALWAYS.get(name, set())) - found.model_fields_set
    yield from (f"{place}: {field} is in no type" for field in extra)
    yield from (f"{place}: {field} is missing" for field in missing)
    for field in found.model_fields_set:
        value = getattr(found, field)
        if value is None and name in NO_NULLS:
            yield f"{place}: {field} is null"
        yield from _faults(value)


__all__ = [
    "ChatCompletion",
    "ChatCompletionChunk",
    "CreateEmbeddingResponse",
    "ErrorResponse",
    "Message",
    "RawMessageStreamEvent",
    "Response",
    "ResponseStreamEvent",
    "event_shape",
    "faults_of",
]
