"""An OpenAI chat completion as an Anthropic message, whole and streamed.

Source: docs/text-protocols.md#messages-to-chat.

Both ways give the same message and the same usage. An Anthropic stream has one block after the other, so
tool calls that come interleaved are held back until the one before them has ended.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.text.body.json_body import dumps
from tollgate.text.models import TextProtocol
from tollgate.text.translation.call_state import state_block
from tollgate.text.translation.message_state import text_state, thinking_state
from tollgate.text.translation.thinking import sealed
from tollgate.text.usage import Usage, message_end_usage, messages_usage
from tollgate.text.wire.call_numbers import CallNumbers
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.relay import DONE, messages_event, read_chat_answer, read_completion
from tollgate.text.wire.shown import MESSAGE_ID_PREFIX, message_end, shown_block, shown_message, shown_part
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import AnswerStream, Meter

_STOPS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
# The text fields of a message or a delta, and the kind of block that each becomes.
_PARTS = {"reasoning_content": "thinking", "content": "text", "refusal": "text"}
_EMPTY: Mapping[str, dict[str, Any]] = {
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
    "text": {"type": "text", "text": "", "citations": []},
}


def message_of_completion(
    body: bytes, meter: Meter, public_model: str, dialect: ChatDialect, names: Mapping[str, str]
) -> bytes:
    """Return a whole chat completion as a message. `names`: see `tool_names.py`.

    Raises `FaultError` for an answer that is no completion.
    """
    payload = read_completion(body, meter, dialect)
    choice = _first(payload.get("choices"))
    said = shown_part(choice.get("message"))
    calls = _list(said.get("tool_calls"))
    content = [
        {**_EMPTY[kind], kind: said[name]}
        for name, kind in _PARTS.items()
        if isinstance(said.get(name), str) and said[name]
    ]
    for block in content if said.get("content") else ():
        if block["type"] == "text":
            block["citations"] = list(_citations(said))
    state = [*_list(said.get("thinking_blocks")), *thinking_state(said)]
    # Not without calls: see `MessagesFromChat._last_events`.
    state += text_state(said) if calls else []
    state += [block for at, call in enumerate(calls) for block in state_block(_id_of(call, at), call)]
    if state:
        if not content or content[0]["type"] != "thinking":
            content.insert(0, dict(_EMPTY["thinking"]))
        content[0]["signature"] = sealed(state)
    content += [_tool_use(call, at, names) for at, call in enumerate(calls)]
    stop = stop_of(choice.get("finish_reason"), dialect, refused=bool(said.get("refusal")))
    usage = meter.told(messages_usage, is_whole=True)
    return dumps(
        _message(meter.id_of(payload), public_model, content or [_EMPTY["text"]], stop, usage)
    ).encode()


def stop_of(finish_reason: object, dialect: ChatDialect, *, refused: bool) -> str:
    """Return Anthropic's stop reason for a finish reason of OpenAI's, or of the vendor's own."""
    name = str(finish_reason)
    found = _STOPS.get(dialect.finish_names.get(name, name), "end_turn")
    return "refusal" if refused else found


@dataclass(slots=True)
class _Tool:
    """One tool call under way. `unsent` are its arguments that the client does not have yet.

    `state` is the provider's, which has to come back with the call.
    """

    number: int
    id: str = ""
    name: str = ""
    unsent: str = ""
    state: list[dict[str, Any]] = field(default_factory=list)


class MessagesFromChat(AnswerStream):
    """A stream of chat completions, as events for an Anthropic client. `names`: see `tool_names.py`."""

    def __init__(
        self, meter: Meter, public_model: str, dialect: ChatDialect, names: Mapping[str, str]
    ) -> None:
        super().__init__(TextProtocol.ANTHROPIC, meter)
        self._model = public_model
        self._dialect = dialect
        self._names = names
        self._started = False
        self._open_kind: str | None = None
        self._blocks = 0
        self._numbers = CallNumbers()
        self._tools: dict[int, _Tool] = {}
        self._live: _Tool | None = None
        self._state: list[dict[str, Any]] = []
        self._last_state: list[dict[str, Any]] = []
        self._late_text = ""
        self._finish: object = None
        self._refused = False

    def _is_end_mark(self, data: bytes) -> bool:
        return data == DONE

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        del event
        fault = read_chat_answer(payload, "delta", self._dialect, self.meter)
        if fault is not None:
            return self.fail(fault)
        return b"".join(map(messages_event, self._events(payload)))

    def _end(self, event: SseEvent) -> bytes:
        del event
        self.done = True
        self.meter.final = self.meter.reported is not None
        return b"".join(map(messages_event, self._last_events()))

    def _events(self, payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if not self._started:
            self._started = True
            yield self._message_start(payload)
        choice = _first(payload.get("choices"))
        delta = shown_part(choice.get("delta"))
        self._state += [*_list(delta.get("thinking_blocks")), *thinking_state(delta)]
        self._last_state += text_state(delta)
        for name, kind in _PARTS.items():
            text = delta.get(name)
            if isinstance(text, str) and text:
                self._refused = self._refused or name == "refusal"
                yield from self._say(kind, text)
        for citation in _citations(delta) if self._open_kind == "text" else ():
            added = {"type": "citations_delta", "citation": citation}
            yield {"type": "content_block_delta", "index": self._blocks - 1, "delta": added}
        for call in _list(delta.get("tool_calls")):
            yield from self._call(call)
        self._finish = choice.get("finish_reason") or self._finish

    def _last_events(self) -> Iterator[dict[str, Any]]:
        if not self._started:
            yield self._message_start({})
        for tool in self._tools.values():
            if tool is not self._live:
                yield from self._open_tool(tool)
                yield from self._send_arguments(tool)
        yield from self._keep_state()
        if self._late_text or self._blocks == 0:
            yield from self._open("text", _EMPTY["text"])
            yield from self._piece("text_delta", "text", self._late_text)
        # The state of a text without calls has no place. A thinking block after it would be the answer for
        # Claude Code, which reads the last block. Other programs read the first.
        yield from self._close()
        stop = stop_of(self._finish, self._dialect, refused=self._refused)
        delta = message_end({"stop_reason": stop})
        yield {"type": "message_delta", "delta": delta, "usage": self.meter.told(message_end_usage)}
        yield {"type": "message_stop"}

    def _message_start(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        # The real numbers come at the end, and replace these.
        usage = messages_usage(Usage(self.meter.input_estimate, 0))
        return {
            "type": "message_start",
            "message": _message(self.meter.id_of(payload), self._model, [], None, usage),
        }

    def _say(self, kind: str, text: str) -> Iterator[dict[str, Any]]:
        if self._tools:
            self._late_text += text if kind == "text" else ""
            return
        if kind == "text":
            yield from self._keep_state()
        if self._open_kind != kind:
            yield from self._open(kind, _EMPTY[kind])
        yield from self._piece(f"{kind}_delta", kind, text)

    def _call(self, call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        tool = self._tool(call)
        function = _part(call, "function")
        tool.id = tool.id or str(call.get("id") or "")
        tool.name = tool.name or str(function.get("name") or "")
        arguments = function.get("arguments")
        tool.unsent += arguments if isinstance(arguments, str) else ""
        tool.state += state_block(tool.id, call)
        if self._live is None and tool.name:
            self._live = tool
            yield from self._open_tool(tool)
        if tool is self._live:
            yield from self._send_arguments(tool)

    def _tool(self, call: Mapping[str, Any]) -> _Tool:
        number = self._numbers.of(call)
        return self._tools.setdefault(number, _Tool(number))

    def _keep_state(self) -> Iterator[dict[str, Any]]:
        """Yield the events with the provider's state, in a thinking block's signature."""
        state, self._state = self._state, []
        if not state:
            return
        if self._open_kind != "thinking":
            yield from self._open("thinking", _EMPTY["thinking"])
        yield from self._piece("signature_delta", "signature", sealed(state))

    def _open_tool(self, tool: _Tool) -> Iterator[dict[str, Any]]:
        self._state += [*self._last_state, *tool.state]
        self._last_state = []
        yield from self._keep_state()
        name = self._names.get(tool.name, tool.name)
        named = {"id": tool.id or _made_up_id(tool.number), "name": name}
        yield from self._open("tool_use", shown_block({"type": "tool_use", **named, "input": {}}))

    def _send_arguments(self, tool: _Tool) -> Iterator[dict[str, Any]]:
        text, tool.unsent = tool.unsent, ""
        yield from self._piece("input_json_delta", "partial_json", text)

    def _open(self, kind: str, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        yield from self._close()
        self._open_kind = kind
        yield {"type": "content_block_start", "index": self._blocks, "content_block": block}
        self._blocks += 1

    def _piece(self, kind: str, name: str, text: str) -> Iterator[dict[str, Any]]:
        if text:
            delta = {"type": kind, name: text}
            yield {"type": "content_block_delta", "index": self._blocks - 1, "delta": delta}

    def _close(self) -> Iterator[dict[str, Any]]:
        if self._open_kind is not None:
            self._open_kind = None
            yield {"type": "content_block_stop", "index": self._blocks - 1}


def _message(
    bare_id: str, model: str, content: list[Any], stop: str | None, usage: dict[str, Any]
) -> dict[str, Any]:
    named = {"id": MESSAGE_ID_PREFIX + bare_id, "type": "message", "role": "assistant"}
    return shown_message({**named, "content": content, "stop_reason": stop}, model, usage)


def _citations(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the citations of pages in a message or a delta, in Anthropic's form."""
    for annotation in _list(said.get("annotations")):
        page = _part(annotation, "url_citation")
        if page.get("url"):
            told = {"url": page["url"], "title": page.get("title"), "cited_text": page.get("content") or ""}
            yield {"type": "web_search_result_location", **told, "encrypted_index": ""}


def _tool_use(call: Mapping[str, Any], number: int, names: Mapping[str, str]) -> dict[str, Any]:
    function = _part(call, "function")
    try:
        given = json.loads(function.get("arguments") or "{}")
    except (ValueError, TypeError, RecursionError):
        given = None
    arguments = given if isinstance(given, dict) else {"_raw": function.get("arguments")}
    name = str(function.get("name") or "")
    named = {"id": _id_of(call, number), "name": names.get(name, name)}
    return {"type": "tool_use", **named, "input": arguments}


def _id_of(call: Mapping[str, Any], number: int) -> str:
    return str(call.get("id") or _made_up_id(number))


def _made_up_id(number: int) -> str:
    return f"toolu_{number}"


def _first(choices: Any) -> Mapping[str, Any]:
    found = _list(choices)
    return found[0] if found else {}


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = payload.get(name)
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
