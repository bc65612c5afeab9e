"""ConverseStream's binary messages as the events of a messages stream (docs/providers/bedrock.md)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.aws.eventstream import EventMessage, EventStreamDecoder, EventStreamError
from tollgate.providers.text.bedrock.answer import ConverseEvents
from tollgate.text.body.json_body import dumps
from tollgate.text.wire.relay import messages_event
from tollgate.text.wire.sse import SseEvent, UnreadableStreamError


class ConverseSplitter:
    """Splits the bytes of ConverseStream, in pieces of any size, into events in Anthropic's format.

    `names`: see `text/translation/tool_names.py`.
    """

    def __init__(self, message_id: str, names: Mapping[str, str]) -> None:
        self._decoder = EventStreamDecoder()
        self._events = ConverseEvents(message_id, names)

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Yield the events that follow from `piece`. Raises `UnreadableStreamError`."""
        try:
            for message in self._decoder.feed(piece):
                yield from map(_event, self._events.feed(_name(message), _payload(message)))
        except EventStreamError as exc:
            raise UnreadableStreamError from exc

    def close(self) -> Iterator[SseEvent]:
        """Return the events that follow from the end of the stream."""
        return map(_event, self._events.close())


def _name(message: EventMessage) -> str:
    """Return the name of the event or of the exception in a message."""
    for header in (":exception-type", ":error-code", ":event-type"):
        if header in message.headers:
            return message.headers[header]
    raise UnreadableStreamError


def _payload(message: EventMessage) -> dict[str, Any]:
    if ":error-code" in message.headers:
        return {"message": message.headers.get(":error-message")}
    try:
        payload = json.loads(message.payload)
    except (ValueError, RecursionError) as exc:
        raise UnreadableStreamError from exc
    if not isinstance(payload, dict):
        raise UnreadableStreamError
    return payload


def _event(payload: dict[str, Any]) -> SseEvent:
    return SseEvent(messages_event(payload), dumps(payload).encode())
