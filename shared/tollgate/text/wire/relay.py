"""Responses in the client's own protocol, in one shape whatever the vendor.

An ordinary event is passed on byte for byte, except for the model id. The client gets the id that it sent,
because the catalog and its own cost tables use that id. The provider, and its name for the model, may change
between two requests. If a response has more details of its provider, it is rewritten without them
(`shown.py`). The usage of a chat is the billed usage, once, at the end.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.body.web_search import NAME
from tollgate.text.models import TextProtocol
from tollgate.text.usage import (
    Usage,
    chat_usage,
    latest,
    message_end_usage,
    messages_usage,
    read_chat_usage,
    read_messages_usage,
    read_web_searches,
)
from tollgate.text.wire.call_numbers import CallNumbers
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.faults import UNREADABLE, Fault, FaultError, chat_fault, fault_of, read_object
from tollgate.text.wire.rendering import KEEP_ALIVE
from tollgate.text.wire.shown import (
    CHAT_ID_PREFIX,
    CHUNK,
    MESSAGE_ID_PREFIX,
    ORDINARY_TIERS,
    may_pass,
    shown_chat,
    shown_message,
    shown_messages_event,
)
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import AnswerStream, Meter

DONE = b"[DONE]"
DONE_EVENT = b"data: " + DONE + b"\n\n"

# The end of an event, and the same with a usage that is not known yet (`stream_options.include_usage`).
_END, _NO_USAGE = b"}\n\n", b',"usage":null}\n\n'
# The same usage in a provider's event, with one of its commas. OpenAI's chunks have it only on request, and
# @openrouter/sdk 1.3.19 (npm) refuses a chunk with it.
_USAGE = b'"usage"'
_NULL_USAGE = re.compile(rb',\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,')
# Of a chunk that has only text.
_TEXT_CHOICE = frozenset({"index", "delta", "finish_reason", "logprobs"})
_TEXT_DELTA = frozenset({"role", "content"})
_DELIVERED_FIELDS = ("content", "refusal")
_DELTA_FIELDS = ("text", "thinking", "partial_json")


class Rename:
    """Replaces the value of a member in JSON text with ours, without parsing the text again."""

    def __init__(self, member: str) -> None:
        self._keys = (f'"{member}":'.encode(), f'"{member}": '.encode())
        self._known: tuple[str, str, list[tuple[bytes, bytes]]] | None = None

    def apply(self, raw: bytes, value: object, ours: object) -> bytes | None:
        """Return `raw` with the member's `value` replaced; `None` if the place is not clear."""
        if value == ours or not isinstance(value, str) or not isinstance(ours, str):
            return raw
        # Quotes inside JSON strings are escaped, so a match is a member. A single match is the right member.
        for old, new in self._pairs(value, ours):
            if raw.count(old) == 1:
                return raw.replace(old, new)
        return None

    def _pairs(self, value: str, ours: str) -> list[tuple[bytes, bytes]]:
        if self._known is None or self._known[:2] != (value, ours):
            old, new = dumps(value).encode(), dumps(ours).encode()
            self._known = (value, ours, [(key + old, key + new) for key in self._keys])
        return self._known[2]


class ChatRelay(AnswerStream):
    """A stream of chat completions for an OpenAI client."""

    def __init__(self, meter: Meter, public_model: str, dialect: ChatDialect, *, wants_usage: bool) -> None:
        super().__init__(TextProtocol.OPENAI, meter)
        self._model = public_model
        self._rename, self._rename_id = Rename("model"), Rename("id")
        self._dialect = dialect
        self._wants_usage = wants_usage
        self._head: dict[str, Any] = {}
        self._numbers: dict[Any, CallNumbers] = {}

    def _blank(self, event: SseEvent) -> bytes:
        # A comment before the first chunk only says that the provider waits too (OpenRouter's do): passed on,
        # it would tie the client to a route that may yet fail. Its words name the provider.
        del event
        return KEEP_ALIVE[self.protocol] if self._head else b""

    def _is_end_mark(self, data: bytes) -> bool:
        return data == DONE

    def _end(self, event: SseEvent) -> bytes:
        del event
        self.done = True
        self.meter.final = self.meter.reported is not None
        return self._usage_chunk() + DONE_EVENT if self._wants_usage else DONE_EVENT

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        # Nearly every chunk has a piece of text and nothing else, and is passed on with our ids.
        text = _only_text(payload, self.meter) if self._head else None
        if text is not None and (raw := self._renamed(event, payload)) is not None:
            self.meter.deliver(text)
            return raw
        fault = read_chat_answer(payload, "delta", self._dialect, self.meter)
        if fault is not None:
            return self.fail(fault)
        shown = self._numbered(shown_chat(payload, self._dialect.finish_names, self.meter.service))
        if not self._head:
            named = CHAT_ID_PREFIX + self.meter.id_of(payload)
            self._head = {"id": named, "created": shown.get("created")}
        if not payload.get("choices") and payload.get("usage"):
            return b""  # Ours follows at the end: some vendors report it several times, or in other words.
        return self._passed(event, payload, shown) or chat_event(self._chunk(shown))

    def _numbered(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return a chunk whose tool calls have the index that clients need: the same object if they do."""
        choices = shown.get("choices")
        if not isinstance(choices, list) or not any(map(_calls_of, choices)):
            return shown
        numbered = [self._numbered_choice(choice) for choice in choices]
        is_same = all(new is old for new, old in zip(numbered, choices, strict=True))
        return shown if is_same else {**shown, "choices": numbered}

    def _numbered_choice(self, choice: dict[str, Any]) -> dict[str, Any]:
        calls = _calls_of(choice)
        numbers = self._numbers.setdefault(choice.get("index"), CallNumbers())
        found = [numbers.of(call) for call in calls]
        if found == [call.get("index") for call in calls]:
            return choice
        named = [{**call, "index": number} for call, number in zip(calls, found, strict=True)]
        return {**choice, "delta": {**choice["delta"], "tool_calls": named}}

    def _passed(self, event: SseEvent, payload: Mapping[str, Any], shown: Mapping[str, Any]) -> bytes | None:
        """Return the provider's own bytes with our ids; `None` if the event has to be written again."""
        is_same = shown is payload or (
            len(shown) == len(payload)
            and all(shown.get(name) is value for name, value in payload.items() if name != "id")
        )
        return self._renamed(event, payload) if is_same and not payload.get("usage") else None

    def _renamed(self, event: SseEvent, payload: Mapping[str, Any]) -> bytes | None:
        """Return the bytes of an event that may pass, with our ids; `None` if it has to be written again."""
        if not may_pass(event.raw, event.data):
            return None
        raw = self._rename.apply(event.raw, payload.get("model"), self._model)
        if raw is not None:
            raw = self._rename_id.apply(raw, payload.get("id"), self._head["id"])
        if raw is None or ("usage" in payload) is self._wants_usage:
            return raw
        if not self._wants_usage:
            return _NULL_USAGE.sub(b"", raw) if raw.count(_USAGE) == 1 else None
        return raw.removesuffix(_END) + _NO_USAGE if raw.endswith(_END) else None

    def _chunk(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in shown.items() if name != "usage"}
        named = {"id": self._head["id"], "model": self._model}
        return {**kept, **named, **({"usage": None} if self._wants_usage else {})}

    def _usage_chunk(self) -> bytes:
        shown = {**self._head, "object": "chat.completion.chunk", "model": self._model}
        return chat_event({**shown, "choices": [], "usage": self.meter.told(chat_usage)})


class MessagesRelay(AnswerStream):
    """A stream of messages for an Anthropic client."""

    def __init__(self, meter: Meter, public_model: str) -> None:
        super().__init__(TextProtocol.ANTHROPIC, meter)
        self._model = public_model

    def _blank(self, event: SseEvent) -> bytes:
        del event
        return KEEP_ALIVE[self.protocol]

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        kind = payload.get("type")
        if kind == "error":
            return self.fail(messages_fault(payload))
        read_messages_event(payload, self.meter)
        if kind == "message_stop":
            self.done = True
        shown = shown_messages_event(payload)
        if shown is None:
            return b""
        if kind == "message_start":
            known = self.meter.reported or Usage(self.meter.input_estimate, 0)
            message = payload.get("message")
            started = message if isinstance(message, dict) else {}
            named = {**started, "id": MESSAGE_ID_PREFIX + self.meter.id_of(started)}
            shown = {**shown, "message": shown_message(named, self._model, messages_usage(known))}
        elif kind == "message_delta":
            shown = {**shown, "usage": self.meter.told(message_end_usage)}
        is_passed = shown is payload and may_pass(event.raw, event.data)
        return event.raw if is_passed else messages_event(shown)


def _only_text(payload: Mapping[str, Any], meter: Meter) -> str | None:
    """Return the text of a chunk that says nothing else of the response than `meter` knows; or `None`."""
    choices, tier = payload.get("choices"), payload.get("service_tier")
    if not CHUNK.issuperset(payload) or payload.get("usage") or meter.named is None:
        return None
    if tier is not None and (tier != meter.served or tier not in ORDINARY_TIERS):
        return None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    choice = choices[0]
    delta = choice.get("delta")
    if not _TEXT_CHOICE.issuperset(choice) or choice.get("finish_reason") is not None:
        return None
    if not isinstance(delta, dict) or not _TEXT_DELTA.issuperset(delta):
        return None
    text = delta.get("content")
    return text if isinstance(text, str) else None


def relay_completion(body: bytes, meter: Meter, public_model: str, dialect: ChatDialect) -> bytes:
    """Return a chat completion as clients read it, and read it into `meter`. Raises `FaultError`."""
    payload = read_completion(body, meter, dialect)
    shown = shown_chat(payload, dialect.finish_names, meter.service)
    choices = [_whole_choice(choice) for choice in shown["choices"]]
    ours = {"id": CHAT_ID_PREFIX + meter.id_of(payload), "model": public_model, "choices": choices}
    named = {"system_fingerprint": None, **shown, **ours}
    return dumps({**named, "usage": meter.told(chat_usage, is_whole=True)}).encode()


def _whole_choice(choice: dict[str, Any]) -> dict[str, Any]:
    """Return a choice with the fields that OpenAI's types require, and some vendors leave out."""
    message = choice.get("message")
    said = {"message": {"content": None, "refusal": None, **message}} if isinstance(message, dict) else {}
    return {"logprobs": None, **choice, **said}


def relay_message(body: bytes, meter: Meter, public_model: str) -> bytes:
    """Return a message as clients read it, and read it into `meter`. Raises `FaultError`."""
    payload = read_message(body, meter)
    payload["id"] = MESSAGE_ID_PREFIX + meter.id_of(payload)
    return dumps(shown_message(payload, public_model, meter.told(messages_usage, is_whole=True))).encode()


def read_completion(body: bytes, meter: Meter, dialect: ChatDialect) -> dict[str, Any]:
    """Read a whole chat completion into `meter` and give it. Raises `FaultError`."""
    payload = read_object(body)
    fault = read_chat_answer(payload, "message", dialect, meter)
    if fault is not None or not isinstance(payload.get("choices"), list):
        raise FaultError(fault or UNREADABLE)
    meter.final = meter.reported is not None
    return payload


def read_message(body: bytes, meter: Meter) -> dict[str, Any]:
    """Read a whole message into `meter` and give it. Raises `FaultError`."""
    payload = read_object(body)
    if payload.get("type") == "error" or not isinstance(payload.get("content"), list):
        raise FaultError(messages_fault(payload) if payload.get("type") == "error" else UNREADABLE)
    meter.note(payload.get("model"), payload.get("usage"))
    for block in payload["content"]:
        _read_block(block, meter)
        _count_search(block, meter)
    meter.reported = read_messages_usage(payload.get("usage"))
    meter.final = meter.reported is not None
    return payload


def read_chat_answer(
    payload: Mapping[str, Any], part: str, dialect: ChatDialect, meter: Meter
) -> Fault | None:
    """Read a chunk (`part` is `delta`) or a completion (`message`) into `meter`; return its fault, if any.

    Usage counts in any place. Vendors report it in a separate chunk, with the last content, inside a choice,
    or as a running total with every chunk, so the last report is used.
    """
    fault = chat_fault(payload, dialect.code_statuses)
    if fault is not None:
        return fault
    meter.serve(payload)
    reported = payload.get("usage")
    choices = payload.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if not isinstance(choice, dict):
            return UNREADABLE
        if choice.get("finish_reason") in dialect.faulty_finishes:
            return Fault(503, "The provider broke off its response.", "ServiceUnavailable", "provider_error")
        _read_part(choice.get(part), meter)
        reported = reported or choice.get("usage")
    meter.note(payload.get("model"), reported)
    meter.web_searches = max(meter.web_searches, read_web_searches(reported))
    usage = read_chat_usage(reported, dialect.reasoning_count) if reported else None
    if usage is not None:
        meter.reported = usage
        meter.final = not choices
    return None


def read_messages_event(payload: Mapping[str, Any], meter: Meter) -> None:
    """Read one event of a messages stream into `meter`."""
    kind = payload.get("type")
    if kind == "content_block_delta":
        _read_block(payload.get("delta"), meter)
    elif kind == "content_block_start":
        _read_block(payload.get("content_block"), meter)
        _count_search(payload.get("content_block"), meter)
    elif kind in ("message_start", "message_delta"):
        holder = payload.get("message") if kind == "message_start" else payload
        if isinstance(holder, dict):
            meter.note(holder.get("model"), holder.get("usage"))
        usage = read_messages_usage(holder.get("usage")) if isinstance(holder, dict) else None
        if usage is not None:
            meter.reported = latest(meter.reported, usage)
            # Only the input is known from the start; the output only here, at the end.
            meter.final = kind == "message_delta"


def messages_fault(payload: Mapping[str, Any]) -> Fault:
    """Return the fault in an Anthropic error with HTTP 200, by its type."""
    error = payload.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    return fault_of(payload, MESSAGES_STATUSES.get(str(kind), 502))


def chat_event(payload: Mapping[str, Any]) -> bytes:
    """Return a chunk as a server-sent event."""
    return f"data: {dumps(payload)}\n\n".encode()


def messages_event(payload: Mapping[str, Any]) -> bytes:
    """Return an event of a messages stream, named by its type."""
    return f"event: {payload['type']}\ndata: {dumps(payload)}\n\n".encode()


# The HTTP status of Anthropic's error types (docs/providers/anthropic.md).
MESSAGES_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def _deliver(holder: Mapping[str, Any], fields: Sequence[str], meter: Meter) -> None:
    """Count the content of these fields, in a response or a part of it, as delivered."""
    for name in fields:
        if text := holder.get(name):
            meter.deliver(text)


def _read_part(part: Any, meter: Meter) -> None:
    if not isinstance(part, dict):
        return
    _deliver(part, _DELIVERED_FIELDS, meter)
    if thought := part.get("reasoning_content") or part.get("reasoning"):
        meter.deliver(thought)
    calls = part.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            meter.deliver(function.get("name"))
            meter.deliver(function.get("arguments"))


def _calls_of(choice: Any) -> list[dict[str, Any]]:
    """Return the pieces of tool calls in a choice of a stream, if they can be read."""
    delta = choice.get("delta") if isinstance(choice, dict) else None
    calls = delta.get("tool_calls") if isinstance(delta, dict) else None
    if not isinstance(calls, list):
        return []
    return calls if all(isinstance(call, dict) for call in calls) else []


def _count_search(block: Any, meter: Meter) -> None:
    if isinstance(block, dict) and block.get("type") == "server_tool_use" and block.get("name") == NAME:
        meter.web_searches += 1


def _read_block(block: Any, meter: Meter) -> None:
    if not isinstance(block, dict):
        return
    _deliver(block, _DELTA_FIELDS, meter)
    if block.get("type") == "tool_use":
        meter.deliver(block.get("name"))
        if block.get("input"):
            meter.deliver(dumps(block["input"]))
