"""Refuses options without a price, by name, before anything is sent.

Source: docs/architecture.md#money.

Providers charge more for faster or reserved service, per use for tools that run on their side (whose results
also become input that our bounds do not include), and for additional models that they call. `fields.py` names
these fields; this module checks values. A field is refused on every route of a model if it costs extra on
any of them, because the route is not known yet.
Unknown fields pass only to vendors that refuse them themselves (`ChatDialect.passes`).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.routing.reading import FIELDS as ROUTING
from tollgate.text.body.fields import AT_PROVIDER, CHAT, refused_fields
from tollgate.text.body.images import NO_PRICE, image_problems
from tollgate.text.body.request import LIMIT_FIELDS, TextRequest
from tollgate.text.body.web_search import (
    CHAT_FIELDS,
    chat_problems,
    is_search_tool,
    only_reads_files,
    search_problems,
)
from tollgate.text.models import BATCH, ChatImages, TextProtocol

_ORDINARY = {
    "service_tier": ("auto", "default", "standard_only", "standard"),
    "speed": ("standard",),
    "inference_geo": ("global", "not_available"),
}
# Types of tools that the client runs itself, or that cost tokens only.
_CLIENT_TOOLS = ("function", "custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_")
# Fields of a tool of chat completions. Gemini and Qwen read their own tools beside it.
_CHAT_TOOL = frozenset({"type", "function", "cache_control", "strict"})
# Fields of a tool of messages without a type. A tool without them is another vendor's.
_TOOL_OF_MESSAGES = frozenset({"name", "input_schema"})
# Edits of the context that cost nothing. Compaction is billed in `usage.iterations`, beside the total.
_EDITS = ("clear_tool_uses_", "clear_thinking_")

# Parts with sound, parts that can have it, and the beginnings of their data URLs and media types.
_SOUNDS = ("input_audio", "audio_url")
_MEDIA = ("image_url", "video_url", "file", "image", "document")
_SOUND_STARTS = ("data:audio/", "audio/")
_LONGEST_START = max(map(len, _SOUND_STARTS))
_NO_AUDIO = "Audio is not supported, because Tollgate has no price for it with this model."
_FUNCTIONS_ONLY = "Chat completions take functions only. Custom tools need the Responses protocol."
_NOT_LETTERS = re.compile(r"[^a-z0-9]")
# Fields that change the cost of a request, compared only by their letters.
_NAMES = {
    _NOT_LETTERS.sub("", name): name
    for name in (
        *_ORDINARY,
        *(limit for limits in LIMIT_FIELDS.values() for limit in limits),
        *(
            "model",
            "messages",
            "n",
            "stream",
            "stream_options",
            "modalities",
            "image_config",
            "tools",
            "context_management",
        ),
        *CHAT_FIELDS,
        *ROUTING,
    )
}


_SPELLED = frozenset(_NAMES.values())


def unpriced_problems(
    request: TextRequest,
    *,
    searches: bool = False,
    services: Collection[str] = (),
    images: ChatImages | None = None,
) -> list[Problem]:
    """Return the options in a body, of either protocol, that have no price.

    `searches`: searches of the web have a price with this model. `services` are its priced service tiers, and
    `images` the images in its responses.
    """
    fields = request.fields
    return [
        *_other_spellings(fields),
        *_costlier_service(fields, services if request.protocol is TextProtocol.OPENAI else ()),
        *image_problems(fields, images, is_chat=request.translated is None),
        *refused_fields(request.protocol, fields),
        *_context_edits(fields.get("context_management")),
        *_server_tools(request.protocol, fields, searches),
        *(search_problems(request) if searches else _chat_searches(request.protocol, fields)),
    ]


def audio_problems(request: TextRequest) -> list[Problem]:
    """Return the parts with sound, for a model without a price for it.

    Vendors charge more for tokens of audio than for text: Gemini 3.1 Flash-Lite twice as much
    (https://ai.google.dev/gemini-api/docs/pricing).
    """
    return [
        Problem(f"/messages/{position}/content/{at}", _NO_AUDIO)
        for position, message in enumerate(request.fields["messages"])
        if isinstance(message.get("content"), list)
        for at, part in enumerate(message["content"])
        if isinstance(part, dict) and _has_sound(part)
    ]


def _has_sound(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if kind in _SOUNDS or kind not in _MEDIA:
        return kind in _SOUNDS
    holders = [part, *(each for each in part.values() if isinstance(each, dict))]
    texts = [each for holder in holders for each in holder.values() if isinstance(each, str)]
    # Only the beginning of a text: a data URL can have megabytes.
    return any(text[:_LONGEST_START].lower().startswith(_SOUND_STARTS) for text in texts)


def _other_spellings(fields: Mapping[str, Any]) -> Iterator[Problem]:
    # A vendor that reads names loosely would take them for the field that we did not see.
    for name in [name for name in fields if name not in _SPELLED]:
        meant = _NAMES.get(_NOT_LETTERS.sub("", name.lower()))
        if meant is not None:
            yield Problem(f"/{name}", f"Did you mean '{meant}'?", [meant])


def service_of(request: TextRequest, services: Collection[str]) -> str:
    """Return the service tier of a request, if it is one of `services`; otherwise an empty text."""
    wanted = request.fields.get("service_tier")
    is_sold = isinstance(wanted, str) and wanted in services and request.protocol is TextProtocol.OPENAI
    return str(wanted) if is_sold and wanted != BATCH else ""


def _costlier_service(fields: Mapping[str, Any], services: Collection[str]) -> Iterator[Problem]:
    for name, usual in _ORDINARY.items():
        value = fields.get(name)
        sold = [each for each in services if each != BATCH] if name == "service_tier" else []
        ordinary = (*usual, *sold)
        if value is not None and value not in ordinary:
            yield Problem(f"/{name}", NO_PRICE, list(ordinary))


def _context_edits(management: Any) -> Iterator[Problem]:
    if not isinstance(management, dict):
        return
    edits = management.get("edits")
    for position, edit in enumerate(edits if isinstance(edits, list) else []):
        kind = edit.get("type") if isinstance(edit, dict) else None
        if not isinstance(kind, str) or not kind.startswith(_EDITS):
            path = f"/context_management/edits/{position}/type"
            yield Problem(path, NO_PRICE, [f"{known}…" for known in _EDITS])


def _chat_searches(protocol: TextProtocol, fields: Mapping[str, Any]) -> Iterator[Problem]:
    if protocol is not TextProtocol.OPENAI:
        return
    if only_reads_files(fields):
        yield from chat_problems(fields)
        fields = {**fields, "plugins": None}
    for name in CHAT_FIELDS:
        if CHAT[name].has_effect(fields.get(name)):
            yield Problem(f"/{name}", AT_PROVIDER)


def _server_tools(protocol: TextProtocol, fields: Mapping[str, Any], searches: bool) -> Iterator[Problem]:
    tools = fields.get("tools")
    if not isinstance(tools, list | None):
        yield Problem("/tools", "Must be a list.")
        return
    for position, tool in enumerate(tools or []):
        path = f"/tools/{position}"
        if not isinstance(tool, dict):
            yield Problem(path, "Must be a tool object.")
            continue
        kind = tool.get("type")
        if _is_untyped_client_tool(protocol, tool) or (searches and _is_search(protocol, tool)):
            continue
        if not isinstance(kind, str):
            yield _untyped(protocol, tool, path)
        elif not kind.startswith(_CLIENT_TOOLS):
            yield Problem(f"{path}/type", AT_PROVIDER)
        elif protocol is TextProtocol.OPENAI and kind != "function":
            # Only OpenAI's own chats have others. Most hosts of a model would drop them in silence.
            yield Problem(f"{path}/type", _FUNCTIONS_ONLY, ["function"])
        elif protocol is TextProtocol.OPENAI:
            for name in sorted(tool.keys() - _CHAT_TOOL):
                yield Problem(f"{path}/{name}", "A function tool has no such field.", sorted(_CHAT_TOOL))


def _untyped(protocol: TextProtocol, tool: Mapping[str, Any], path: str) -> Problem:
    """Return the problem of a tool whose type is missing or no text."""
    if protocol is not TextProtocol.ANTHROPIC:
        message = "A tool needs a type. Use function for a tool that you run."
        return Problem(f"{path}/type", message, ["function"])
    # Of a tool that the client runs, one field may be missing. A tool without both is another vendor's.
    missing = _TOOL_OF_MESSAGES - tool.keys()
    name = min(missing) if tool.get("type") is None and len(missing) == 1 else "type"
    message = "A tool that you run needs a name and an input_schema, and may have the type custom."
    return Problem(f"{path}/{name}", message, ["custom"] if name == "type" else None)


def _is_untyped_client_tool(protocol: TextProtocol, tool: Mapping[str, Any]) -> bool:
    is_plain = tool.get("type") is None and tool.keys() >= _TOOL_OF_MESSAGES
    return is_plain and protocol is TextProtocol.ANTHROPIC


def _is_search(protocol: TextProtocol, tool: Mapping[str, Any]) -> bool:
    # A chat's tools are functions only.
    return protocol is TextProtocol.ANTHROPIC and is_search_tool(protocol, tool)
