"""Responses whose content is a list of parts, as ordinary chat responses: text and thinking have fields.

Mistral's models answer in parts while they think (`mistralai` 3.7.0, PyPI: `AssistantMessage`, `ThinkChunk`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.wire.sse import SseEvent, SseSplitter


def plain_completion(body: bytes) -> bytes:
    """Return a complete response without parts. Text that is no such response is returned unchanged."""
    return _plain(body, "message") or body


class PlainSplitter:
    """Splits a stream, in pieces of any size, into events without parts."""

    def __init__(self) -> None:
        self._sse = SseSplitter()

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Yield the events that `piece` completes. Raises `UnreadableStreamError`."""
        yield from map(_plain_event, self._sse.feed(piece))

    def close(self) -> Iterator[SseEvent]:
        """Yield the events that only the end of the stream completes. Raises `UnreadableStreamError`."""
        yield from map(_plain_event, self._sse.close())


def _plain_event(event: SseEvent) -> SseEvent:
    data = _plain(event.data, "delta") if event.data else None
    return event if data is None else SseEvent(b"data: " + data + b"\n\n", data, event.name)


def _plain(text: bytes, part: str) -> bytes | None:
    """Return a response, or a chunk of it, without parts; `None` if it has none."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return None
    choices = payload.get("choices") if isinstance(payload, dict) else None
    holders = [each.get(part) for each in choices if isinstance(each, dict)] if choices else []
    in_parts = [one for one in holders if isinstance(one, dict) and isinstance(one.get("content"), list)]
    for holder in in_parts:
        thought = "".join(_thought(each) for each in holder["content"])
        holder["content"] = "".join(_text(each) for each in holder["content"]) or None
        if thought:
            holder["reasoning_content"] = thought
    return dumps(payload).encode() if in_parts else None


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def _thought(part: Any) -> str:
    inner = part.get("thinking") if isinstance(part, Mapping) else None
    return "".join(map(_text, inner)) if isinstance(inner, list) else ""
