"""A chat answer as a response: the events of a streamed one, and the object that they end with.

    created, in_progress ─► output_item.added ─► … delta … ─► output_item.done ─► completed | incomplete
                                                                              └─► failed

A whole answer takes the same way as one chunk, and only its last event is shown: so both say the same.
"""

from collections.abc import Mapping
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.responses.items import COMPLETED, ToolName
from tollgate.text.responses.output_items import (
    IN_PROGRESS,
    CallItem,
    Event,
    MessageItem,
    OutputItem,
    ReasoningItem,
)
from tollgate.text.translation.call_state import state_block
from tollgate.text.translation.message_state import text_state, thinking_state
from tollgate.text.usage import responses_usage
from tollgate.text.wire import overflow
from tollgate.text.wire.errors import RequestEndedError

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
# Codes with an equivalent in `openai.types.responses.ResponseError` (3.57.0).
# No code there says that an input is too long.
_SAME_CODES = (
    "rate_limit_exceeded",
    "invalid_prompt",
    "invalid_image",
    "image_too_large",
    "image_parse_error",
)
_ERROR_CODES = {**{code: code for code in _SAME_CODES}, overflow.CODE: "invalid_prompt"}
INCOMPLETE, FAILED = "incomplete", "failed"
QUEUED, CANCELLED = "queued", "cancelled"


def encoded_events(events: list[Event]) -> bytes:
    """Return events as they go over the wire."""
    return b"".join(f"event: {event['type']}\ndata: {dumps(event)}\n\n".encode() for event in events)


def failed_stream_event(error: Mapping[str, Any]) -> Event:
    """Return the one event of a stream that failed before its response began.

    OpenAI's types have the fields at the top, its service and other clients in `error`: both are there.
    """
    named = {"code": error.get("code"), "message": error.get("message"), "param": None}
    return {"type": "error", **named, "error": {**error, "param": None}, "sequence_number": 0}


def error_of_response(code: str, message: str) -> dict[str, str]:
    """Return the error of a failed response. Its code is one that OpenAI documents."""
    return {"code": _ERROR_CODES.get(code, "server_error"), "message": message}


def broken_off(response: Mapping[str, Any], code: str, message: str) -> dict[str, Any]:
    """Return the members by which a response states that it broke off.

    Only a background response is cancelled: the client of another one has left, or gets the error.
    """
    if response["background"] and code == RequestEndedError.code:
        return {"status": CANCELLED}
    return {"status": FAILED, "error": error_of_response(code, message)}


def response_of_completion(
    completion: Mapping[str, Any], skeleton: Mapping[str, Any], tools: Mapping[str, ToolName]
) -> dict[str, Any]:
    """Return a whole chat completion as a response."""
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    message = choice.get("message") or {}
    calls = [{**call, "index": index} for index, call in enumerate(message.get("tool_calls") or [])]
    whole = {**choice, "delta": {**message, "tool_calls": calls}}
    stream = ResponseEvents(skeleton, tools)
    stream.chunk({"choices": [whole], "usage": completion.get("usage")})
    stream.finish()
    return stream.response


class ResponseEvents:
    """One response in progress. Feed it chat chunks; `response` is the result.

    `skeleton` is the response without output, `tools` are the request's own names of its tools, by their
    names in the chat.
    """

    def __init__(self, skeleton: Mapping[str, Any], tools: Mapping[str, ToolName]) -> None:
        self.response: dict[str, Any] = {**skeleton, "output": []}
        self._tools = tools
        self._sequence = 0
        self._reasoning: ReasoningItem | None = None
        self._message: MessageItem | None = None
        self._calls: dict[int, CallItem] = {}
        self._finish_reason: str | None = None
        self._last_state: list[dict[str, Any]] = []

    @property
    def has_begun(self) -> bool:
        """Return whether any event was created."""
        return self._sequence > 0

    @property
    def count(self) -> int:
        """Return how many events were created."""
        return self._sequence

    def start(self) -> list[Event]:
        """Return the events before anything is known."""
        return [self._state("response.created"), self._state("response.in_progress")]

    def chunk(self, payload: Mapping[str, Any]) -> list[Event]:
        """Return the events that follow from a chunk of the chat."""
        if isinstance(payload.get("usage"), Mapping):
            self.response["usage"] = responses_usage(payload["usage"])
        # A response has room only for the first choice, and a request cannot ask for more.
        choices = [one for one in payload.get("choices") or [] if one.get("index", 0) == 0][:1]
        return [event for choice in choices for event in self._choice(choice)]

    def finish(self) -> list[Event]:
        """Return the events of the end: every item done, and the whole response."""
        # A reasoning item after the message, because it may change until its end.
        events = [*self._think(None, self._last_state), *self._close_all()]
        reason = _INCOMPLETE.get(self._finish_reason or "")
        self.response["status"] = INCOMPLETE if reason else COMPLETED
        self.response["incomplete_details"] = {"reason": reason} if reason else None
        return [*events, self._state(f"response.{self.response['status']}")]

    def fail(self, code: str, message: str) -> list[Event]:
        """Return the events of a response that broke off. Its items stay, and are marked incomplete."""
        events = self._close_all(INCOMPLETE)
        self.response |= broken_off(self.response, code, message)
        return [*events, self._state("response.failed")]

    def _choice(self, choice: Mapping[str, Any]) -> list[Event]:
        delta = choice.get("delta") or {}
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        self._last_state += text_state(delta)
        blocks = [*(delta.get("thinking_blocks") or []), *thinking_state(delta)]
        events = self._think(delta.get("reasoning_content"), blocks)
        events += self._say("output_text", delta.get("content"))
        events += self._cite(delta.get("annotations"))
        events += self._say("refusal", delta.get("refusal"))
        for call in delta.get("tool_calls") or []:
            events += self._call(call)
        return events

    def _think(self, text: Any, blocks: Any) -> list[Event]:
        if not text and not blocks:
            return []
        events: list[Event] = []
        if self._reasoning is None:
            events += self._close_message()
            self._reasoning = ReasoningItem(self._id("rs"), self._next_index())
            events += self._added(self._reasoning)
        self._reasoning.blocks += blocks or []
        return [*events, *self._numbered(self._reasoning.delta(text))] if text else events

    def _say(self, kind: str, text: Any) -> list[Event]:
        if not text:
            return []
        events = self._close_reasoning()
        if self._message is None:
            self._message = MessageItem(self._id("msg"), self._next_index())
            events += self._added(self._message)
        return [*events, *self._numbered(self._message.delta(kind, str(text)))]

    def _cite(self, annotations: Any) -> list[Event]:
        # Citations of pages are all that a chat has, and they follow their text.
        found = [each["url_citation"] for each in annotations or [] if "url_citation" in each]
        if self._message is None or not found:
            return []
        events = self._message.cited([{"type": "url_citation", **each} for each in found])
        return self._numbered(events)

    def _call(self, call: Mapping[str, Any]) -> list[Event]:
        number, function = call.get("index", 0), call.get("function") or {}
        events: list[Event] = []
        if number not in self._calls:
            state, self._last_state = self._last_state, []
            events += self._think(None, [*state, *state_block(str(call.get("id")), call)])
            events += [*self._close_reasoning(), *self._close_message()]
            told = str(function.get("name"))
            named = self._tools.get(told, ToolName(told))
            made = CallItem(
                self._id("ctc" if named.is_custom else "tsc" if named.is_search else "fc"),
                self._next_index(),
                str(call.get("id")),
                named,
            )
            self._calls[number] = made
            events += self._added(made)
        return [*events, *self._numbered(self._calls[number].delta(str(function.get("arguments") or "")))]

    def _close_reasoning(self) -> list[Event]:
        closed, self._reasoning = self._reasoning, None
        return [] if closed is None else self._done(closed)

    def _close_message(self, status: str = COMPLETED) -> list[Event]:
        closed, self._message = self._message, None
        return [] if closed is None else self._done(closed, status)

    def _close_all(self, status: str = COMPLETED) -> list[Event]:
        events = [*self._close_reasoning(), *self._close_message(status)]
        # A provider may go back and forth between its calls, so they stay open until here.
        for call in self._calls.values():
            events += self._done(call, status)
        self._calls = {}
        return events

    def _added(self, item: "OutputItem") -> list[Event]:
        self.response["output"].append(item.shown(IN_PROGRESS))
        found = {
            "type": "response.output_item.added",
            "output_index": item.index,
            "item": item.shown(IN_PROGRESS),
        }
        return self._numbered([found])

    def _done(self, item: "OutputItem", status: str = COMPLETED) -> list[Event]:
        self.response["output"][item.index] = item.shown(status)
        found = {"type": "response.output_item.done", "output_index": item.index, "item": item.shown(status)}
        return self._numbered([*item.ended(), found])

    def _state(self, kind: str) -> Event:
        # A copy, so that later changes do not alter an event that is sent now.
        [event] = self._numbered(
            [{"type": kind, "response": {**self.response, "output": [*self.response["output"]]}}]
        )
        return event

    def _numbered(self, events: list[Event]) -> list[Event]:
        numbered = [{**event, "sequence_number": self._sequence + at} for at, event in enumerate(events)]
        self._sequence += len(events)
        return numbered

    def _next_index(self) -> int:
        return len(self.response["output"])

    def _id(self, prefix: str) -> str:
        """Return an item's id: the response's id with the item's position, so that it can be found."""
        return f"{prefix}_{str(self.response['id']).removeprefix('resp_')}_{self._next_index()}"
