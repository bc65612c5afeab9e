"""An Anthropic message as an OpenAI chat completion, whole and streamed.

Source: docs/text-protocols.md#chat-to-messages.

Both ways give the same message and the same usage. Signed thinking goes along in `thinking_blocks`, beside
the plain `reasoning_content`, so that a client can send it back.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.models import TextProtocol
from tollgate.text.usage import chat_usage
from tollgate.text.wire.relay import DONE_EVENT, chat_event, messages_fault, read_message, read_messages_event
from tollgate.text.wire.shown import CHAT_ID_PREFIX
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import AnswerStream, Meter

_FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "compaction": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


def completion_of_message(body: bytes, meter: Meter, public_model: str, created_s: int) -> bytes:
    """Return a whole message as a chat completion; `created_s` is the time now, in epoch seconds.

    Raises `FaultError` for an answer that is no message.
    """
    payload = read_message(body, meter)
    blocks = [block for block in payload["content"] if isinstance(block, dict)]
    message = {"role": "assistant", "content": _joined(blocks, "text"), **_refusal(payload)}
    if annotations := list(_annotations(blocks)):
        message["annotations"] = annotations
    if calls := [_call(block) for block in blocks if block.get("type") == "tool_use"]:
        message["tool_calls"] = calls
    if reasoning := _joined(blocks, "thinking"):
        message["reasoning_content"] = reasoning
    if thoughts := [_thought(block) for block in blocks if _is_thought(block)]:
        message["thinking_blocks"] = thoughts
    finish = finish_of(payload.get("stop_reason"))
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    head = {"id": CHAT_ID_PREFIX + meter.id_of(payload), "object": "chat.completion", "created": created_s}
    head |= {"model": public_model, "system_fingerprint": None}
    return dumps({**head, "choices": [choice], "usage": meter.told(chat_usage, is_whole=True)}).encode()


def finish_of(stop_reason: object) -> str:
    """Return OpenAI's finish reason for Anthropic's stop reason."""
    return _FINISHES.get(str(stop_reason), "stop")


@dataclass(slots=True)
class _Block:
    """One content block under way. `call` is its number among the tool calls."""

    kind: str
    call: int = 0
    input: Any = None
    has_arguments: bool = False
    thought: dict[str, Any] = field(default_factory=dict)
    start: int = 0
    citations: list[Any] = field(default_factory=list)


class ChatFromMessages(AnswerStream):
    """A stream of messages, as chunks for an OpenAI client."""

    def __init__(self, meter: Meter, public_model: str, created_s: int, *, wants_usage: bool) -> None:
        super().__init__(TextProtocol.OPENAI, meter)
        self._head = {"id": "", "object": "chat.completion.chunk", "created": created_s}
        self._model = public_model
        self._wants_usage = wants_usage
        self._blocks: dict[int, _Block] = {}
        self._calls = self._chars = 0

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        del event
        kind = payload.get("type")
        if kind == "error":
            return self.fail(messages_fault(payload))
        read_messages_event(payload, self.meter)
        if kind == "message_start":
            self._head["id"] = CHAT_ID_PREFIX + self.meter.id_of(_part(payload, "message"))
            return self._delta({"role": "assistant", "content": ""})
        if kind == "message_delta":
            delta = _part(payload, "delta")
            return self._delta(_refusal(delta, stream=True), finish_of(delta.get("stop_reason")))
        return self._stop() if kind == "message_stop" else self._take_block(kind, payload)

    def _take_block(self, kind: object, payload: dict[str, Any]) -> bytes:
        index = payload.get("index")
        number = index if isinstance(index, int) else 0
        if kind == "content_block_start":
            return self._open(number, _part(payload, "content_block"))
        if kind == "content_block_delta":
            return self._continue(self._blocks.get(number), _part(payload, "delta"))
        return self._close_block(self._blocks.pop(number, None)) if kind == "content_block_stop" else b""

    def _open(self, index: int, start: Mapping[str, Any]) -> bytes:
        block = _Block(str(start.get("type")), self._calls, start.get("input"), start=self._chars)
        self._blocks[index] = block
        if block.kind == "tool_use":
            self._calls += 1
            function = {"name": start.get("name"), "arguments": ""}
            return self._call(block, {"id": start.get("id"), "type": "function", "function": function})
        if block.kind in ("thinking", "redacted_thinking"):
            block.thought = dict(start)
            return self._text("reasoning_content", start.get("thinking"))
        return self._content(start.get("text")) if block.kind == "text" else b""

    def _continue(self, block: _Block | None, delta: Mapping[str, Any]) -> bytes:
        kind = delta.get("type")
        if block is None:
            return b""
        if kind == "text_delta":
            return self._content(delta.get("text"))
        if kind == "citations_delta":
            block.citations.append(delta.get("citation"))
        if kind == "thinking_delta":
            block.thought["thinking"] = f"{block.thought.get('thinking', '')}{delta.get('thinking', '')}"
            return self._text("reasoning_content", delta.get("thinking"))
        if kind == "signature_delta":
            block.thought["signature"] = delta.get("signature")
        if kind == "input_json_delta" and block.kind == "tool_use" and delta.get("partial_json"):
            block.has_arguments = True
            return self._call(block, {"function": {"arguments": delta["partial_json"]}})
        return b""

    def _close_block(self, block: _Block | None) -> bytes:
        if block is None:
            return b""
        if block.kind == "tool_use" and not block.has_arguments:
            # Without arguments, or with all of them in the block's start.
            return self._call(block, {"function": {"arguments": _arguments(block.input)}})
        if found := list(_cited(block.citations, block.start, self._chars)):
            return self._delta({"annotations": found})
        is_kept = _is_thought(block.thought)
        return self._delta({"thinking_blocks": [_thought(block.thought)]}) if is_kept else b""

    def _stop(self) -> bytes:
        self.done = True
        usage = self._chunk({"choices": [], "usage": self.meter.told(chat_usage)})
        return usage + DONE_EVENT if self._wants_usage else DONE_EVENT

    def _text(self, name: str, text: object) -> bytes:
        return self._delta({name: text}) if isinstance(text, str) and text else b""

    def _content(self, text: object) -> bytes:
        self._chars += len(text) if isinstance(text, str) else 0
        return self._text("content", text)

    def _call(self, block: _Block, call: dict[str, Any]) -> bytes:
        return self._delta({"tool_calls": [{"index": block.call, **call}]})

    def _delta(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        unknown = {"usage": None} if self._wants_usage else {}
        return self._chunk({"choices": [choice], **unknown})

    def _chunk(self, rest: dict[str, Any]) -> bytes:
        return chat_event({**self._head, "model": self._model, **rest})


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = payload.get(name)
    return value if isinstance(value, dict) else {}


def _joined(blocks: list[dict[str, Any]], kind: str) -> str | None:
    texts = [str(block.get(kind, "")) for block in blocks if block.get("type") == kind]
    return "".join(texts) or None


def _annotations(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    start = 0
    for block in blocks:
        if block.get("type") == "text":
            end = start + len(str(block.get("text", "")))
            yield from _cited(block.get("citations"), start, end)
            start = end


def _cited(citations: Any, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield the citations of pages in OpenAI's form, for the whole text's part from `start` to `end`."""
    for each in citations if isinstance(citations, list) else []:
        if isinstance(each, dict) and each.get("type") == "web_search_result_location":
            page = {
                "url": each.get("url"),
                "title": each.get("title") or "",
                "content": each.get("cited_text"),
            }
            yield {"type": "url_citation", "url_citation": {**page, "start_index": start, "end_index": end}}


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": block.get("name"), "arguments": _arguments(block.get("input"))}
    return {"id": block.get("id"), "type": "function", "function": function}


def _arguments(given: Any) -> str:
    """Return a tool's input as the text that Claude streams, which has spaces and no escapes."""
    return json.dumps(given or {}, ensure_ascii=False)


def _is_thought(block: Mapping[str, Any]) -> bool:
    return block.get("type") in ("thinking", "redacted_thinking")


def _thought(block: Mapping[str, Any]) -> dict[str, Any]:
    names = ("type", "thinking", "signature", "data")
    return {name: block[name] for name in names if block.get(name) is not None}


def _refusal(holder: Mapping[str, Any], *, stream: bool = False) -> dict[str, Any]:
    explanation = _part(holder, "stop_details").get("explanation")
    is_refused = holder.get("stop_reason") == "refusal" and bool(explanation)
    if is_refused:
        return {"refusal": explanation}
    return {} if stream else {"refusal": None}
