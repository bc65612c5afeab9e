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

# Service tiers that may be shown. Other values reveal our contract with the provider.
ORDINARY_TIERS = (None, "auto", "default", "standard", "standard_only")

_COMPLETION = frozenset(
    {
        *("id", "object", "created", "model", "choices", "usage"),
        *("service_tier", "system_fingerprint", "obfuscation"),
    }
)
_PLAIN_CHOICE = frozenset({"index", "message", "delta", "finish_reason", "logprobs"})
_MESSAGE = frozenset(
    {
        *("id", "type", "role", "content", "model", "usage"),
        *("stop_reason", "stop_sequence", "stop_details", "context_management"),
    }
)
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
    TextProtocol.OPENAI: (frozenset({"error"}), frozenset({"message", "type", "param", "code"})),
    TextProtocol.EMBEDDINGS: (frozenset({"error"}), frozenset({"message", "type", "param", "code"})),
    TextProtocol.ANTHROPIC: (frozenset({"type", "error"}), frozenset({"type", "message"})),
}
# Of a usage: counts, by how their names end, and objects of counts.
_COUNT_ENDS = ("_tokens", "_requests")
_COUNTS = frozenset(
    {
        *(
            "prompt_tokens_details",
            "completion_tokens_details",
            "input_tokens_details",
            "output_tokens_details",
        ),
        *("cache_creation", "server_tool_use"),
    }
)
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
# Prefixes of ids of OpenAI, its Responses API, Anthropic, and OpenRouter, whose name is not shown.
_ID_PREFIXES = ("chatcmpl-", "resp_", "msg_", "gen-")
CHAT_ID_PREFIX = "chatcmpl-"


def shown_chat(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a chat completion, or a chunk of one, as customers see it, except for its usage."""
    changes: dict[str, Any] = {}
    tier, choices, answer_id = payload.get("service_tier"), payload.get("choices"), payload.get("id")
    if tier and tier not in ORDINARY_TIERS:
        changes["service_tier"] = None
    if isinstance(choices, list):
        for choice in choices:
            # Nearly every choice is a plain one, and each chunk of a stream comes by here.
            if not isinstance(choice, dict) or not _PLAIN_CHOICE.issuperset(choice):
                changes["choices"] = [_shown_choice(each) for each in choices]
                break
    if isinstance(answer_id, str) and not answer_id.startswith(CHAT_ID_PREFIX):
        changes["id"] = CHAT_ID_PREFIX + bare_id(payload)
    return _only(payload, _COMPLETION, changes)


def shown_message(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a message as customers see it."""
    return _only(payload, _MESSAGE, _changed_usage(payload))


def shown_messages_event(payload: dict[str, Any]) -> dict[str, Any] | None:
    """Return an event of a streamed message as customers see it; `None` for an unknown event."""
    names = _MESSAGES_EVENTS.get(str(payload.get("type")))
    if names is None:
        return None
    changes = _changed_usage(payload)
    message = payload.get("message")
    if isinstance(message, dict) and (shown := shown_message(message)) is not message:
        changes["message"] = shown
    return _only(payload, names, changes)


def shown_usage(usage: Any) -> Any:
    """Return the counts of a provider's usage, in either protocol's names; `None` if it is no object."""
    if not isinstance(usage, dict):
        return None
    shown = {
        name: shown_usage(value) if name in _COUNTS else value
        for name, value in usage.items()
        if name in _COUNTS or _is_count(name, value)
    }
    is_whole = len(shown) == len(usage) and all(shown[name] is usage[name] for name in _COUNTS & shown.keys())
    return usage if is_whole else shown


def shown_error(protocol: TextProtocol, payload: dict[str, Any]) -> dict[str, Any]:
    """Return an error body of `protocol`, whose `error` has a `message`, as customers see it."""
    outer, inner = _ERRORS[protocol]
    message = payload["error"]["message"]
    words = shown_words(message)
    changes = {} if words == message else {"message": words}
    if "param" in inner:
        # Not every vendor has the field, which OpenAI's clients require.
        changes["param"] = payload["error"].get("param")
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


def _shown_choice(choice: Any) -> Any:
    if not isinstance(choice, dict):
        return choice
    return _only(choice, _PLAIN_CHOICE, {})


def _changed_usage(payload: Mapping[str, Any]) -> dict[str, Any]:
    usage = payload.get("usage")
    if usage is None or (counts := shown_usage(usage)) is usage:
        return {}
    return {"usage": counts}


def _only(payload: dict[str, Any], names: frozenset[str], changes: dict[str, Any]) -> dict[str, Any]:
    if not changes and names.issuperset(payload):
        return payload
    return {name: value for name, value in payload.items() if name in names} | changes


def _is_count(name: str, value: Any) -> bool:
    if name == "service_tier":
        return value in ORDINARY_TIERS
    return name.endswith(_COUNT_ENDS) and (value is None or type(value) is int)
