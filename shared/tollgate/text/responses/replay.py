"""A stored response as a stream: the events of a response whose text came at once. Pure.

Source: `openai.types.responses.response_retrieve_params`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.text.responses.output_items import IN_PROGRESS, Event

# The member of each item that its deltas fill, and the events of it.
_TEXTS = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": ("input", "response.custom_tool_call_input"),
}
# An item's state before its content.
_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "message": {"content": []},
    "reasoning": {"summary": []},
    "function_call": {"arguments": ""},
    "custom_tool_call": {"input": ""},
    "tool_search_call": {"arguments": {}},
}


def replayed(response: Mapping[str, Any]) -> list[Event]:
    """Return the events of a stored response, from its beginning to its end."""
    begun = {**response, "status": IN_PROGRESS, "output": [], "usage": None, "incomplete_details": None}
    events: list[Event] = [
        {"type": f"response.{state}", "response": begun} for state in ("created", IN_PROGRESS)
    ]
    for index, item in enumerate(response["output"]):
        events += events_of_item(item, index)
    events.append({"type": f"response.{response['status']}", "response": response})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def events_of_item(item: Mapping[str, Any], index: int) -> Iterator[Event]:
    """Yield the events of an item whose content came at once, without their numbers."""
    kind = item["type"]
    status = {"status": IN_PROGRESS} if "status" in item else {}
    empty = {**item, **_EMPTY.get(kind, {}), **status}
    yield {"type": "response.output_item.added", "output_index": index, "item": empty}
    place = {"item_id": item["id"], "output_index": index}
    if kind == "message":
        for at, part in enumerate(item["content"]):
            yield from _of_part(part, {**place, "content_index": at})
    elif kind == "reasoning":
        for at, part in enumerate(item["summary"]):
            yield from _of_summary(part, {**place, "summary_index": at})
    elif kind in _TEXTS:
        name, event = _TEXTS[kind]
        named = {"name": item["name"]} if name == "arguments" else {}
        yield {"type": f"{event}.delta", **place, "delta": item[name]}
        yield {"type": f"{event}.done", **place, **named, name: item[name]}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _of_part(part: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Event]:
    kind = part["type"]
    name = "refusal" if kind == "refusal" else "text"
    logprobs = {} if kind == "refusal" else {"logprobs": part.get("logprobs") or []}
    yield {"type": "response.content_part.added", **place, "part": {**part, name: ""}}
    yield {"type": f"response.{kind}.delta", **place, "delta": part[name], **logprobs}
    yield {"type": f"response.{kind}.done", **place, name: part[name], **logprobs}
    yield {"type": "response.content_part.done", **place, "part": part}


def _of_summary(part: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Event]:
    event = "response.reasoning_summary"
    yield {"type": f"{event}_part.added", **place, "part": {**part, "text": ""}}
    yield {"type": f"{event}_text.delta", **place, "delta": part["text"]}
    yield {"type": f"{event}_text.done", **place, "text": part["text"]}
    yield {"type": f"{event}_part.done", **place, "part": part}
