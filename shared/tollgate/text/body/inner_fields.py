"""The hints inside messages, parts and tools that a translation leaves out. Pure.

`fields.py` has the fields of the body itself. If a request has such a hint, the header
`x-tollgate-ignored` names it with its kind of object, such as `document.citations`. Hints for a provider's
cache can be in any object and have no kind. A test compares the tables with the types of the SDKs
(`tests/unit/text/test_inner_fields.py`).

State of another model is left out without a name (docs/decisions/0057-state-of-responses.md).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tollgate.text.body.fields import Field, Rule
from tollgate.text.body.request import NativeRequest

_CACHE = {
    name: Field(Rule.HINT, "It helps a provider's cache.")
    for name in ("cache_control", "prompt_cache_breakpoint")
}


def _hint(about: str, *neutral: Any) -> Field:
    return Field(Rule.HINT, about, (False, [], {}, *neutral))


_LOADING = _hint("All tools are loaded.")
_CALLERS = _hint("The model calls the tool itself.", ["direct"])
_DETAIL = _hint("The model's own resolution is used.", "auto")
_ASYNC = _hint("The model waits for the result.")

Tables = Mapping[str, Mapping[str, Field]]

OF_MESSAGES: Tables = {
    "messages": {
        "clear_at": _hint("The message stays."),
        "output_config": _hint("The effort of the request applies to all of it."),
    },
    "text": {},
    "image": {"transformations": _hint("The image is sent unchanged.")},
    "document": {"citations": _hint("Answers have no citations.", {"enabled": False})},
    "search_result": {"citations": _hint("Answers have no citations.", {"enabled": False})},
    "tool_use": {},
    "tool_result": {"toolset_name": _hint("Tools have no sets.")},
    "tools": {
        "defer_loading": _LOADING,
        "allowed_callers": _CALLERS,
        "eager_input_streaming": _hint("The provider decides."),
        "input_examples": _hint("The schema describes the input."),
    },
    "thinking": {
        "display": _hint("Thinking is shown if the provider sends it."),
        "block_binding": _hint("Signatures have the provider's own form."),
    },
}
"""Messages for a provider of chat completions."""
OF_CONVERSE: Tables = {
    **{kind: table for kind, table in OF_MESSAGES.items() if kind != "thinking"},
    "document": {**OF_MESSAGES["document"], "title": _hint("A document's name has few characters there.")},
}
"""Messages for Bedrock."""
OF_CHAT: Tables = {
    "messages": {"name": _hint("Claude has no names of participants.")},
    "text": {},
    "file": {},
    "image_url": {"detail": _DETAIL},
    "json_schema": {"description": _hint("Put it into the schema.")},
}
"""A chat for Claude."""
OF_RESPONSES: Tables = {
    "tools": {
        "defer_loading": _LOADING,
        "allowed_callers": _CALLERS,
        "async": _ASYNC,
        "output_schema": _hint("The schema of a result is not used."),
    },
    "input_text": {},
    "input_image": {"detail": _hint("The model's own resolution is used.", "auto", "low", "high")},
    "input_file": {"detail": _DETAIL},
    "reasoning": {"context": _hint("The provider decides which reasoning it reads.", "auto")},
}
"""A Responses request for a provider without that protocol. Its chat may have more hints for Claude."""


def hints_of_messages(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of the hints in a messages request that a chat has no place for."""
    return _hints_of_messages(fields, OF_MESSAGES)


def hints_of_converse(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of the hints in a messages request that Bedrock has no place for."""
    return _hints_of_messages(fields, OF_CONVERSE, without=("cache_control",))


def _hints_of_messages(fields: Mapping[str, Any], tables: Tables, without: tuple[str, ...] = ()) -> list[str]:
    messages = _objects(fields.get("messages"))
    blocks = [block for one in messages for block in _objects(one.get("content"))]
    inner = [
        each
        for block in blocks
        if block.get("type") == "tool_result"
        for each in _objects(block.get("content"))
    ]
    typed = [*_objects(fields.get("system")), *blocks, *inner]
    return _names(
        tables,
        [
            *(("messages", message) for message in messages),
            *((str(block.get("type")), block) for block in typed),
            *(("tools", tool) for tool in _objects(fields.get("tools"))),
            ("thinking", _object(fields.get("thinking"))),
        ],
        without,
    )


def hints_of_chat(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of the hints in a chat that Claude has no place for."""
    messages = _objects(fields.get("messages"))
    parts = [part for one in messages for part in _objects(one.get("content"))]
    wanted = _object(fields.get("response_format"))
    return _names(
        OF_CHAT,
        [
            *(("messages", message) for message in messages),
            *((str(part.get("type")), part) for part in parts),
            *(("image_url", _object(part.get("image_url"))) for part in parts),
            ("json_schema", _object(wanted.get("json_schema"))),
        ],
        # Claude gets it (`translate_request_to_messages.py`).
        without=("cache_control",),
    )


def hints_of_response(native: NativeRequest | None) -> list[str]:
    """Return the names of the hints in a Responses request that its chat has no place for."""
    if native is None:
        return []
    items = _objects(native.items)
    parts = [part for item in items for name in ("content", "output") for part in _objects(item.get(name))]
    return _names(
        OF_RESPONSES,
        [
            *(("tools", tool) for tool in _objects(native.fields.get("tools"))),
            *((str(part.get("type")), part) for part in parts),
            ("reasoning", _object(native.fields.get("reasoning"))),
        ],
    )


def _names(
    tables: Tables, objects: Iterable[tuple[str, Mapping[str, Any]]], without: tuple[str, ...] = ()
) -> list[str]:
    found = dict.fromkeys(name for kind, each in objects for name in _hints(tables.get(kind), kind, each))
    return [name for name in found if name not in without]


def _hints(table: Mapping[str, Field] | None, kind: str, each: Mapping[str, Any]) -> Iterator[str]:
    for name, field in _CACHE.items():
        if field.has_effect(each.get(name)):
            yield name
    for name, field in (table or {}).items():
        if field.has_effect(each.get(name)):
            yield f"{kind}.{name}"


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list | tuple) else []
