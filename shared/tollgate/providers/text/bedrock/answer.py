"""Converse responses as Anthropic messages, complete and as events (docs/providers/bedrock.md)."""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.providers.text.bedrock.facts import STOPS, status_of
from tollgate.text.wire.errors import messages_type
from tollgate.text.wire.faults import UNREADABLE, FaultError

_NOTHING: Mapping[str, Any] = {}


def message_of_converse(
    answer: Mapping[str, Any], message_id: str, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the message in a Converse response, which has no id.

    `names`: see `text/translation/tool_names.py`. Raises `FaultError` for other JSON.
    """
    blocks = _part(_part(answer, "output"), "message").get("content")
    if not isinstance(blocks, list):
        raise FaultError(UNREADABLE)
    content = [_block(block, names) for block in blocks if isinstance(block, dict)]
    stop = str(answer.get("stopReason"))
    shown = {"id": message_id, "type": "message", "role": "assistant", "model": ""}
    ended = {"stop_reason": STOPS.get(stop, stop), "stop_sequence": None}
    return {**shown, "content": content, **ended, "usage": usage_of_converse(_part(answer, "usage"))}


def usage_of_converse(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return Converse's usage in Anthropic's format. The counts are disjoint in both."""
    details = usage.get("cacheDetails")
    for_an_hour = sum(
        detail.get("inputTokens", 0)
        for detail in (details if isinstance(details, list) else ())
        if isinstance(detail, dict) and detail.get("ttl") == "1h"
    )
    written = usage.get("cacheWriteInputTokens", 0)
    lifetimes = {"ephemeral_5m_input_tokens": written - for_an_hour, "ephemeral_1h_input_tokens": for_an_hour}
    return {
        "input_tokens": usage.get("inputTokens", 0),
        "cache_read_input_tokens": usage.get("cacheReadInputTokens", 0),
        "cache_creation_input_tokens": written,
        "cache_creation": lifetimes,
        "output_tokens": usage.get("outputTokens", 0),
    }


class ConverseEvents:
    """Turns the parsed events of ConverseStream into the events of an Anthropic stream.

    Converse announces only tool blocks, so other blocks begin with their first delta. Its usage comes after
    its stop reason, so both are sent together.
    """

    def __init__(self, message_id: str, names: Mapping[str, str]) -> None:
        self._message_id = message_id
        self._names = names
        self._opened: set[int] = set()
        self._stop: str | None = None

    def feed(self, name: str, payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the events that follow from one event of Converse, or from an exception with that name."""
        if name.endswith(("Exception", "exception")):
            yield _error(name, payload)
        elif name == "messageStart":
            yield self._message_start()
        elif name == "contentBlockStart":
            tool = _part(_part(payload, "start"), "toolUse")
            named = _named(tool, self._names)
            yield self._open(_index(payload), {"type": "tool_use", **named, "input": {}})
        elif name == "contentBlockDelta":
            yield from self._delta(_index(payload), _part(payload, "delta"))
        elif name == "contentBlockStop":
            yield from self._close_block(_index(payload))
        elif name == "messageStop":
            self._stop = str(payload.get("stopReason"))
        elif name == "metadata":
            yield from self._end(usage_of_converse(_part(payload, "usage")))

    def close(self) -> Iterator[dict[str, Any]]:
        """Yield the end of a stream that had a stop reason but no metadata."""
        if self._stop is not None:
            yield from self._end({})

    def _message_start(self) -> dict[str, Any]:
        shown = {"id": self._message_id, "type": "message", "role": "assistant", "model": ""}
        ended = {"stop_reason": None, "stop_sequence": None}
        usage = {"input_tokens": 0, "output_tokens": 0}
        return {"type": "message_start", "message": {**shown, "content": [], **ended, "usage": usage}}

    def _open(self, index: int, block: dict[str, Any]) -> dict[str, Any]:
        self._opened.add(index)
        return {"type": "content_block_start", "index": index, "content_block": block}

    def _close_block(self, index: int) -> Iterator[dict[str, Any]]:
        if index not in self._opened:
            yield self._open(index, _opening(_NOTHING))
        yield {"type": "content_block_stop", "index": index}

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        thought = _part(delta, "reasoningContent")
        if index not in self._opened:
            yield self._open(index, _opening(thought))
        for piece in _pieces(delta, thought):
            yield {"type": "content_block_delta", "index": index, "delta": piece}

    def _end(self, usage: dict[str, Any]) -> Iterator[dict[str, Any]]:
        stop = self._stop or "end_turn"
        self._stop = None
        delta = {"stop_reason": STOPS.get(stop, stop), "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": usage}
        yield {"type": "message_stop"}


def _opening(thought: Mapping[str, Any]) -> dict[str, Any]:
    if "redactedContent" in thought:
        return {"type": "redacted_thinking", "data": thought["redactedContent"]}
    if thought:
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {"type": "text", "text": ""}


def _pieces(delta: Mapping[str, Any], thought: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if "text" in delta:
        yield {"type": "text_delta", "text": delta["text"]}
    if "toolUse" in delta:
        yield {"type": "input_json_delta", "partial_json": _part(delta, "toolUse").get("input", "")}
    if "text" in thought:
        yield {"type": "thinking_delta", "thinking": thought["text"]}
    if "signature" in thought:
        yield {"type": "signature_delta", "signature": thought["signature"]}


def _block(block: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    if "toolUse" in block:
        tool = _part(block, "toolUse")
        return {"type": "tool_use", **_named(tool, names), "input": tool.get("input") or {}}
    thought = _part(block, "reasoningContent")
    if "redactedContent" in thought:
        return {"type": "redacted_thinking", "data": thought["redactedContent"]}
    if thought:
        said = _part(thought, "reasoningText")
        return {"type": "thinking", "thinking": said.get("text"), "signature": said.get("signature", "")}
    return {"type": "text", "text": block.get("text", "")}


def _named(tool: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    name = tool.get("name")
    return {"id": tool.get("toolUseId"), "name": names.get(str(name), name)}


def _error(name: str, payload: Any) -> dict[str, Any]:
    message = payload.get("message") if isinstance(payload, Mapping) else None
    named = {"type": messages_type(status_of(name)), "message": message or name}
    return {"type": "error", "error": {**named, "details": {"error_code": name}}}


def _index(payload: Mapping[str, Any]) -> int:
    index = payload.get("contentBlockIndex")
    return index if isinstance(index, int) else 0


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = payload.get(name)
    return value if isinstance(value, Mapping) else _NOTHING
