"""A chat response for a Responses client: event by event, or whole; stored before its end is sent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.text.models import TextProtocol
from tollgate.text.responses.events import (
    CANCELLED,
    ResponseEvents,
    encoded_events,
    failed_stream_event,
    response_of_completion,
)
from tollgate.text.responses.items import COMPLETED, ToolName
from tollgate.text.responses.keeping import Keeping
from tollgate.text.responses.native_events import NativeEvents
from tollgate.text.responses.output_items import Event
from tollgate.text.responses.relay import ENDS
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.relay import DONE
from tollgate.text.wire.sse import SseSplitter


@dataclass(slots=True)
class ResponsesRendering:
    """One response under way.

    `tools` are the request's own names of its tools, by their names in the chat. The last event of a stream
    waits until the response is billed and stored, because a client may continue from it at once. The same is
    true of a background response that broke off; any other one is not stored.
    """

    skeleton: Mapping[str, Any]
    tools: Mapping[str, ToolName]
    keeping: Keeping
    clock: Clock
    protocol: TextProtocol = TextProtocol.OPENAI
    keep_alive: bytes = b": keep-alive\n\n"
    _splitter: SseSplitter = field(default_factory=SseSplitter)
    _last: list[Event] = field(default_factory=list)
    _of_chat: ResponseEvents = field(init=False)
    _native: NativeEvents | None = None

    def __post_init__(self) -> None:
        """Start without output."""
        self._of_chat = ResponseEvents(self.skeleton, self.tools)

    @property
    def response(self) -> dict[str, Any]:
        """Return the response so far."""
        return self._stream.response

    @property
    def is_cancelled(self) -> bool:
        """Return whether its owner ended it."""
        return bool(self.response["status"] == CANCELLED)

    def begin(self) -> bytes:
        """Return the events of a response that has not been asked for yet."""
        return encoded_events(self._of_chat.start())

    def bill(self, usage: Mapping[str, Any]) -> None:
        """Note the usage of a response that broke off."""
        self.response["usage"] = self.response["usage"] or usage

    def events(self, chunk: bytes) -> bytes:
        """Return the events of a response that follow from the chat's events."""
        found: list[Event] = []
        for event in self._splitter.feed(chunk):
            if event.data is not None:
                found += self._told(event.data)
        return encoded_events(found)

    def error(self, body: bytes) -> bytes:
        """Return the error event of a response that never began."""
        return encoded_events([failed_stream_event(json.loads(body)["error"])])

    async def end(self) -> bytes:
        """Return the event that ends the response, which is stored by now."""
        if not self._last:
            return b""
        self._note_end(self.response)
        await self.keeping.keep(self.response)
        return encoded_events([{**self._last[0], "response": self.response}])

    async def whole(self, body: bytes) -> bytes:
        """Return a whole completion as a response; it is stored by now."""
        payload = json.loads(body)
        if payload.get("object") == "response":
            response = NativeEvents(self.skeleton).whole(payload)
        else:
            response = response_of_completion(payload, self.skeleton, self.tools)
        self._note_end(response)
        await self.keeping.keep(response)
        return encoded(response)

    def _note_end(self, response: dict[str, Any]) -> None:
        """Note the second in which a response was completed, if its provider does not state it."""
        if response["status"] == COMPLETED and response["completed_at"] is None:
            response["completed_at"] = self.clock.now_ms() // MS_PER_S

    def _told(self, data: bytes) -> list[Event]:
        if data == DONE:
            *said, last = self._of_chat.finish()
            self._last = [last]
            return said
        payload = json.loads(data)
        if str(payload.get("type")).startswith("response."):
            return self._told_natively(payload)
        error = payload.get("error")
        found = [] if self._stream.has_begun else self._stream.start()
        if error is not None:
            found += self._stream.fail(str(error.get("code")), str(error.get("message")))
            if self.skeleton["background"]:
                self._last = [found.pop()]
            return found
        return [*found, *self._of_chat.chunk(payload)]

    def _told_natively(self, payload: Mapping[str, Any]) -> list[Event]:
        """Return the events that follow from an event of a provider that has this protocol."""
        native = self._native = self._native or NativeEvents(self.skeleton, self._of_chat.count)
        found = [] if native.has_begun else native.start()
        if payload["type"] in ENDS:
            self._last = [native.end(payload)]
            return found
        return [*found, native.event(payload)]

    @property
    def _stream(self) -> ResponseEvents | NativeEvents:
        return self._native or self._of_chat
