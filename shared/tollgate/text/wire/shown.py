"""A provider's response as customers see it: the protocol's fields, and nothing about the provider. Pure.

Providers add fields of their own, such as our cost, their host name, and our account with them. So only the
names below pass. A field that a vendor adds later is omitted until its name is listed here.

Each function returns the same object if all of it may pass. Then a relay sends the provider's bytes
unchanged.

Source: the types of OpenAI's and Anthropic's SDKs. Fields that vendors add:
docs/providers/openai_compatible.md#what-is-left-out.
"""

import re
from collections.abc import Mapping
from typing import Any

from tollgate.text.models import TextProtocol
from tollgate.text.wire import overflow
from tollgate.text.wire.overflow import is_overflow

# Service tiers that may be shown. Other values reveal our contract with the provider.
ORDINARY_TIERS = (None, "auto", "default", "standard", "standard_only")

CHUNK = frozenset(
    {
        *("id", "object", "created", "model", "choices", "usage"),
        *("service_tier", "system_fingerprint", "obfuscation"),
    }
)
_PLAIN_CHOICE = frozenset({"index", "message", "delta", "finish_reason", "logprobs"})
# Of a message or a delta. Clients send back `reasoning_details`, the state of OpenRouter and MiniMax, and
# `extra_content`, Gemini's.
_PART = frozenset(
    {
        *("role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"),
        *("reasoning_content", "reasoning_details", "thinking_blocks", "extra_content"),
    }
)
_FINISHES = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
_MESSAGE = frozenset(
    {
        *("id", "type", "role", "content", "model", "usage"),
        *("stop_reason", "stop_sequence", "stop_details", "context_management", "container", "diagnostics"),
    }
)
# Fields that a message, its end, and its blocks always have, with their values if there is nothing to say.
# Source: `x: T | null` in the types of @anthropic-ai/sdk 1.14.0 (npm).
_STOP: Mapping[str, Any] = {
    "container": None,
    "stop_details": None,
    "stop_reason": None,
    "stop_sequence": None,
}
_BLOCKS: Mapping[str, Mapping[str, Any]] = {
    # An array and not null: the AI SDK refuses null.
    "text": {"citations": []},
    "tool_use": {"caller": {"type": "direct"}},
}
_MESSAGES_EVENTS = {
    "message_start": frozenset({"type", "message"}),
    "message_delta": frozenset({"type", "delta", "usage", "context_management"}),
    "message_stop": frozenset({"type"}),
    "content_block_start": frozenset({"type", "index", "content_block"}),
    "content_block_delta": frozenset({"type", "index", "delta"}),
    "content_block_stop": frozenset({"type", "index"}),
    "ping": frozenset({"type"}),
}
_ERRORS = {
    **dict.fromkeys(TextProtocol, (frozenset({"error"}), frozenset({"message", "type", "param", "code"}))),
    TextProtocol.ANTHROPIC: (frozenset({"type", "error"}), frozenset({"type", "message"})),
}
# Of an event that is one line of data: `data: ` before it, and a blank line after it.
_PLAIN_BYTES = 8
# Hosts of models that others made, by name or address: customers do not see which of them serves a request.
_HOSTS = re.compile(
    r"open\s?router|together\.(?:ai|xyz)|fireworks(?:\.ai| ai)|deepinfra|\bazure\b|\bbedrock\b|dashscope"
    r"|aliyuncs|alibaba\s?cloud|model studio",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_REFUSED = "The provider refused the request."
_NO_NAMES: Mapping[str, str] = {}
# Prefixes of ids of OpenAI, its Responses API, Anthropic, and OpenRouter, whose name is not shown.
_ID_PREFIXES = ("chatcmpl-", "resp_", "msg_", "gen-")
CHAT_ID_PREFIX = "chatcmpl-"
MESSAGE_ID_PREFIX = "msg_"


def shown_chat(
    payload: dict[str, Any], finish_names: Mapping[str, str] = _NO_NAMES, service: str = ""
) -> dict[str, Any]:
    """Return a chat completion, or a chunk of one, as customers see it, except for its usage.

    `finish_names` maps the vendor's finish reasons to OpenAI's. `service` is the requested service tier.
    """
    changes: dict[str, Any] = {}
    tier, choices, answer_id = payload.get("service_tier"), payload.get("choices"), payload.get("id")
    if tier and tier not in (*ORDINARY_TIERS, service):
        changes["service_tier"] = None
    if isinstance(choices, list):
        for choice in choices:
            # Nearly every choice is a plain one, and each chunk of a stream comes by here.
            if not _is_plain(choice):
                changes["choices"] = [_shown_choice(each, finish_names) for each in choices]
                break
    if isinstance(answer_id, str) and not answer_id.startswith(CHAT_ID_PREFIX):
        changes["id"] = CHAT_ID_PREFIX + bare_id(payload)
    return _only(payload, CHUNK, changes)


def shown_part(part: Any) -> dict[str, Any]:
    """Return a chat's message or delta as customers see it: reasoning has one name for all vendors."""
    if not isinstance(part, dict):
        return {}
    reasoning = part.get("reasoning")
    is_named = bool(part.get("reasoning_content")) or not isinstance(reasoning, str)
    return _only(part, _PART, {} if is_named else {"reasoning_content": reasoning})


def shown_message(payload: dict[str, Any], model: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as customers see it, with our id of its model, and its usage."""
    blocks = [shown_block(block) for block in payload.get("content") or []]
    named = {"diagnostics": None, **_STOP, **_only(payload, _MESSAGE, {})}
    return {**named, "model": model, "content": blocks, "usage": usage}


def shown_block(block: Any) -> Any:
    """Return a block of a message with the fields that Anthropic's own blocks always have."""
    kind = block.get("type") if isinstance(block, dict) else None
    known = _BLOCKS.get(str(kind))
    return block if known is None or known.keys() <= block.keys() else {**block, **known}


def message_end(delta: Any) -> dict[str, Any]:
    """Return the `delta` of an event `message_delta`."""
    return {**_STOP, **(delta if isinstance(delta, dict) else {})}


def shown_messages_event(payload: dict[str, Any]) -> dict[str, Any] | None:
    """Return an event of a streamed message as customers see it; `None` for an unknown event.

    Its `message` and its `usage` are the provider's still.
    """
    kind = payload.get("type")
    names = _MESSAGES_EVENTS.get(str(kind))
    if names is None:
        return None
    changes: dict[str, Any] = {}
    if kind == "content_block_start":
        block = payload.get("content_block")
        changes = {} if (shown := shown_block(block)) is block else {"content_block": shown}
    elif kind == "message_delta":
        changes = {"delta": message_end(payload.get("delta"))}
    return _only(payload, names, changes)


def shown_error(protocol: TextProtocol, payload: dict[str, Any]) -> dict[str, Any]:
    """Return an error body of `protocol`, whose `error` has a `message`, as customers see it."""
    outer, inner = _ERRORS[protocol]
    message = payload["error"]["message"]
    words = shown_words(message)
    is_too_long = is_overflow(message)
    if is_too_long:
        words = overflow.in_known_words(words)
    changes: dict[str, Any] = {} if words == message else {"message": words}
    if "param" in inner:
        # OpenAI's clients require all of them, and not every vendor has them, or as a text.
        given = {name: payload["error"].get(name) for name in ("type", "param", "code")}
        named = {name: None if value is None else str(value) for name, value in given.items()}
        changes |= {**named, "type": named["type"] or "invalid_request_error"}
        changes |= {"code": overflow.CODE} if is_too_long else {}
    error = _only(payload["error"], inner, changes)
    return _only(payload, outer, {} if error is payload["error"] else {"error": error})


def shown_words(message: str) -> str:
    """Return a provider's message without the sentences that name a host."""
    if not _HOSTS.search(message):
        return message
    kept = [each for each in _SENTENCE_END.split(message) if not _HOSTS.search(each)]
    return " ".join(kept) or _REFUSED


def may_pass(raw: bytes, data: bytes | None) -> bool:
    """Return whether an event has nothing beside its name and its `data`: a comment may name the host."""
    if data is not None and len(raw) == len(data) + _PLAIN_BYTES:
        return True
    return raw.startswith((b"data:", b"event:")) and b"\n:" not in raw and b"\nid" not in raw


def bare_id(payload: Mapping[str, Any]) -> str:
    """Return a response's id without a prefix that names the provider."""
    answer_id = str(payload.get("id") or "")
    for prefix in _ID_PREFIXES:
        answer_id = answer_id.removeprefix(prefix)
    return answer_id


def _is_plain(choice: Any) -> bool:
    if not isinstance(choice, dict) or not _PLAIN_CHOICE.issuperset(choice):
        return False
    part, finish = choice.get("delta") or choice.get("message"), choice.get("finish_reason")
    is_ours = not part or (isinstance(part, dict) and _PART.issuperset(part))
    return is_ours and (finish is None or (isinstance(finish, str) and finish in _FINISHES))


def _shown_choice(choice: Any, finish_names: Mapping[str, str]) -> Any:
    if not isinstance(choice, dict):
        return choice
    parts = {name: shown_part(choice[name]) for name in ("message", "delta") if name in choice}
    finish = choice.get("finish_reason")
    named = finish_names.get(str(finish), str(finish))
    shown = "stop" if named not in _FINISHES else named
    return _only(choice, _PLAIN_CHOICE, {**parts, "finish_reason": None if finish is None else shown})


def _only(payload: dict[str, Any], names: frozenset[str], changes: dict[str, Any]) -> dict[str, Any]:
    if not changes and names.issuperset(payload):
        return payload
    return {name: value for name, value in payload.items() if name in names} | changes
