"""OpenAI's Responses API instead of chat completions, for reasoning models with function tools.

Translates a chat body to a Responses body, and the response, complete or streamed, to chat completions. The
other code handles only chats. Pure.

Source: the types of OpenAI's SDK (`openai.types.responses`); docs/providers/openai_compatible.md#responses.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import one_of
from tollgate.text.body.fields import CHAT, invalid, unsent
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import translated_tools
from tollgate.text.body.web_search import NAME as SEARCH
from tollgate.text.body.web_search import WebSearch, tool_of_responses, untold
from tollgate.text.models import TextProtocol
from tollgate.text.responses.native import ENCRYPTED, own_thoughts
from tollgate.text.responses.relay import is_search, searches_in
from tollgate.text.usage import SERVER_TOOLS, WEB_SEARCHES
from tollgate.text.wire.faults import UNREADABLE, FaultError
from tollgate.text.wire.relay import DONE, chat_event
from tollgate.text.wire.sse import SseEvent, SseSplitter, UnreadableStreamError

ROLES = ("developer", "system", "user", "assistant", "tool")
# The API refuses lower limits.
MIN_OUTPUT_TOKENS = 16

_SAME = frozenset(
    {
        *("model", "temperature", "top_p", "parallel_tool_calls", "user", "safety_identifier", "metadata"),
        *("stream", "service_tier", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
_TRANSLATED = frozenset(
    {
        *("messages", "max_completion_tokens", "max_tokens", "reasoning_effort", "verbosity"),
        *("response_format", "tools", "tool_choice", "stream_options", "store"),
    }
)
_KNOWN = _SAME | _TRANSLATED
_INCOMPLETE = {"max_output_tokens": "length", "content_filter": "content_filter"}
_TEXT_DELTAS = {
    "response.output_text.delta": "content",
    "response.refusal.delta": "refusal",
    "response.reasoning_summary_text.delta": "reasoning_content",
}
CITED, CITATION = "annotations", "url_citation"
_PASSED_THOUGHT = ("type", "id", "summary", "encrypted_content")

Fields = Mapping[str, Any]


def responses_body(chat: Fields, mark: str) -> tuple[dict[str, Any], list[str]]:
    """Return a chat body in the format of the Responses API, and the hints that the API does not have.

    The provider stores nothing; reasoning is encrypted, and clients send it back with the next request.
    `mark` is the provider's (`text/responses/native.py`). A field that is in no table is sent, and OpenAI's
    refusal names it.

    Raises `InvalidInputError` for fields that the API lacks and that are more than a hint.
    """
    given = {name: value for name, value in chat.items() if value is not None}
    left, ignored = unsent(TextProtocol.OPENAI, given, lambda name: name in _KNOWN or name not in CHAT)
    return _body({name: value for name, value in given.items() if name not in left}, mark), ignored


def _body(given: Fields, mark: str) -> dict[str, Any]:
    limits = [given[name] for name in ("max_completion_tokens", "max_tokens") if name in given]
    if limits and min(limits) < MIN_OUTPUT_TOKENS:
        name = "max_completion_tokens" if "max_completion_tokens" in given else "max_tokens"
        raise invalid(f"/{name}", f"With tools, this model takes {MIN_OUTPUT_TOKENS} tokens or more.")
    items = (_items(message, f"/messages/{at}", mark) for at, message in enumerate(given["messages"]))
    return {
        **{name: value for name, value in given.items() if name not in _TRANSLATED},
        "input": [item for found in items for item in found],
        **({"max_output_tokens": min(limits)} if limits else {}),
        **({"reasoning": {"effort": given["reasoning_effort"]}} if "reasoning_effort" in given else {}),
        **_text(given),
        **_tools(given),
        "store": False,
        "include": [ENCRYPTED],
    }


def has_tools(chat: Fields) -> bool:
    """Return whether a chat body has tools, with an effort that is not `none`.

    Models from gpt-5.5 on reason by default, and refuse tools even without an effort.
    """
    tools = chat.get("tools")
    is_thinking = chat.get("reasoning_effort") != "none"
    return is_thinking and isinstance(tools, list) and bool(tools)


def _items(message: Fields, path: str, mark: str) -> list[dict[str, Any]]:
    try:
        return list(_items_of(message, path, mark))
    except (KeyError, TypeError, AttributeError) as exc:
        raise invalid(
            path, "A field of this message is missing, or has another type than documented."
        ) from exc


def _items_of(message: Fields, path: str, mark: str) -> Iterator[dict[str, Any]]:
    role, content = message["role"], message.get("content")
    if role == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": _plain(content)}
    elif role == "assistant":
        yield from own_thoughts(message.get("thinking_blocks"), mark)
        if text := _plain(content):
            yield {"role": "assistant", "content": text}
        for call in message.get("tool_calls") or []:
            function = call["function"]
            named = {"name": function["name"], "arguments": function["arguments"]}
            yield {"type": "function_call", "call_id": call["id"], **named}
    elif role in ("system", "developer", "user"):
        is_text = isinstance(content, str)
        parts = content if is_text else [_part(part, path) for part in content or []]
        yield {"role": role, "content": parts}
    else:
        raise InvalidInputError([one_of(f"{path}/role", ROLES)])


def _plain(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] if "text" in part else part["refusal"] for part in content)


def _part(part: Fields, path: str) -> dict[str, Any]:
    kind = part["type"]
    if kind == "text":
        return {"type": "input_text", "text": part["text"]}
    if kind == "image_url":
        image = part["image_url"]
        return {"type": "input_image", "image_url": image["url"], "detail": image.get("detail") or "auto"}
    if kind == "file":
        names = ("file_id", "filename", "file_data")
        return {"type": "input_file", **{name: part["file"][name] for name in names if name in part["file"]}}
    raise invalid(
        f"{path}/content", "Has a part that this model does not take.", ["text", "image_url", "file"]
    )


def _text(given: Fields) -> dict[str, Any]:
    text: dict[str, Any] = {"verbosity": given["verbosity"]} if "verbosity" in given else {}
    wanted = given.get("response_format")
    if wanted is None:
        return {"text": text} if text else {}
    try:
        named = wanted["json_schema"] if wanted["type"] == "json_schema" else {}
        return {"text": {**text, "format": {"type": wanted["type"], **named}}}
    except (KeyError, TypeError) as exc:
        raise invalid("/response_format", "Must be of type text, json_object or json_schema.") from exc


def _tools(given: Fields) -> dict[str, Any]:
    found = translated_tools(given, _tool)
    choice = given.get("tool_choice")
    if isinstance(choice, str):
        return {**found, "tool_choice": choice}
    if choice is None:
        return found
    function = choice.get("function") if isinstance(choice, dict) else None
    if not isinstance(function, dict) or "name" not in function:
        raise invalid("/tool_choice", "Must be auto, none, required or a function's name.")
    return {**found, "tool_choice": {"type": "function", "name": function["name"]}}


def searching(search: WebSearch, given: Fields) -> dict[str, Any]:
    """Return the fields of a body `given` that change with a search of the web, which has a bound.

    Raises `InvalidInputError` for a part of the search that the API does not have.
    """
    if (path := untold(search)) is not None:
        raise invalid(path, "This model's provider cannot leave domains out.")
    choice = given.get("tool_choice")
    is_named = isinstance(choice, dict) and str(choice.get("type")).startswith(SEARCH)
    forced = {"type": SEARCH} if is_named or (search.is_forced and choice is None) else choice
    return {
        "tools": [*(given.get("tools") or []), tool_of_responses(search)],
        "max_tool_calls": search.most,
        **({} if forced is None else {"tool_choice": forced}),
    }


def _tool(tool: Any, path: str) -> dict[str, Any]:
    if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
        raise invalid(path, "Must be a function tool.")
    # The default of `strict` is false in chat completions, and true here.
    return {"type": "function", "parameters": None, "strict": False, **tool["function"]}


def completion_of_response(body: bytes, mark: str) -> bytes:
    """Return a complete response as a chat completion; a failed response as an error. Raises `FaultError`."""
    try:
        response = json.loads(body)
        if response.get("error"):
            return dumps({"error": response["error"]}).encode()
        return dumps(_completion(response, mark)).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise FaultError(UNREADABLE) from exc


def _completion(response: Fields, mark: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    for item in response["output"]:
        for name, value in _said(item, mark):
            earlier = message.get(name)
            moved = [_moved(one, len(message["content"] or "")) for one in value] if name == CITED else value
            message[name] = moved if earlier is None else earlier + moved
    is_call = "tool_calls" in message
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(response, is_call)}
    head = {**_head(response), "object": "chat.completion", **_service(response)}
    return {**head, "choices": [choice], "usage": chat_usage(response)}


def _said(item: Fields, mark: str) -> Iterator[tuple[str, Any]]:
    """Yield the additions of an output item to the fields of a chat message."""
    # The places of citations are in their own text.
    kind = item["type"]
    if kind == "reasoning":
        if text := "".join(part["text"] for part in item.get("summary") or []):
            yield "reasoning_content", text
        if item.get("encrypted_content"):
            yield "thinking_blocks", [_thought(item, mark)]
    elif kind == "message":
        for part in item["content"]:
            if cited := [each for each in part.get("annotations") or [] if each["type"] == CITATION]:
                yield CITED, cited
            yield ("refusal", part["refusal"]) if part["type"] == "refusal" else ("content", part["text"])
    elif kind == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        yield "tool_calls", [{"id": item["call_id"], "type": "function", "function": function}]


def _thought(item: Fields, mark: str) -> dict[str, Any]:
    return {**{name: item[name] for name in _PASSED_THOUGHT if name in item}, "by": mark}


def _head(response: Fields) -> dict[str, Any]:
    return {"id": response["id"], "created": int(response["created_at"]), "model": response["model"]}


def _service(response: Fields) -> dict[str, Any]:
    return {"service_tier": response["service_tier"]} if response.get("service_tier") else {}


def _finish(response: Fields, is_call: bool) -> str:
    details = response.get("incomplete_details") or {}
    cut = _INCOMPLETE.get(str(details.get("reason")))
    return cut or ("tool_calls" if is_call else "stop")


def _moved(citation: Fields, by: int) -> dict[str, Any]:
    """Return a citation in the format of a chat; its place is `by` characters later in the whole text."""
    places = {name: citation[name] + by for name in ("start_index", "end_index")}
    return {"type": CITATION, CITATION: {"url": citation["url"], "title": citation["title"], **places}}


def chat_usage(response: Fields) -> dict[str, Any] | None:
    """Return a response's usage in the format of a chat, with its searches; `None` if there is none."""
    usage, searches = response.get("usage"), searches_in(response["output"])
    if not isinstance(usage, dict):
        return None
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "total_tokens": usage.get("total_tokens"),
        "prompt_tokens_details": usage.get("input_tokens_details"),
        "completion_tokens_details": usage.get("output_tokens_details"),
        **({} if not searches else {SERVER_TOOLS: {WEB_SEARCHES: searches}}),
    }


class ResponsesSplitter:
    """Splits the bytes of a streamed response, in pieces of any size, into events of a streamed chat."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._sse = SseSplitter()
        self._head: dict[str, Any] = {}
        self._calls: dict[int, int] = {}
        self._parts: dict[tuple[Any, Any], int] = {}
        self._chars = self._searches = 0
        self._has_begun = False

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Yield the events that follow from `piece`. Raises `UnreadableStreamError`."""
        for event in self._sse.feed(piece):
            if event.data is not None:
                yield from self._events(event.data)

    def close(self) -> Iterator[SseEvent]:
        """Return nothing: a complete stream ends with an event."""
        return iter(())

    def _events(self, data: bytes) -> Iterator[SseEvent]:
        try:
            yield from self._chunks(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
            raise UnreadableStreamError from exc

    def _chunks(self, event: Fields) -> Iterator[SseEvent]:
        kind = event["type"]
        if kind == "response.created":
            self._head = {**_head(event["response"]), "object": "chat.completion.chunk"}
        elif kind in ("response.completed", "response.incomplete"):
            yield from self._ended(event["response"])
        elif kind == "response.failed":
            yield _event({"error": event["response"]["error"]})
        elif kind == "error":
            yield _event({"error": event.get("error") or {**event, "type": "server_error"}})
        elif kind == "response.output_item.done" and is_search(event["item"]):
            # The count is in no usage, and the response may break off.
            self._searches += 1
            searched = {SERVER_TOOLS: {WEB_SEARCHES: self._searches}}
            yield _event({**self._head, "choices": [], "usage": searched})
        elif delta := self._delta(kind, event):
            yield self._chunk(delta)

    def _delta(self, kind: str, event: Fields) -> dict[str, Any] | None:
        if kind == "response.output_text.annotation.added":
            start = self._parts.get((event["output_index"], event["content_index"]), 0)
            return self._citation(event["annotation"], start)
        if name := _TEXT_DELTAS.get(kind):
            if name == "content":
                self._parts.setdefault((event["output_index"], event["content_index"]), self._chars)
                self._chars += len(event["delta"])
            return {name: event["delta"]}
        if kind == "response.function_call_arguments.delta":
            return self._call(event, {"function": {"arguments": event["delta"]}})
        item = event.get("item") or {}
        if kind == "response.output_item.added" and item["type"] == "function_call":
            function = {"name": item["name"], "arguments": ""}
            return self._call(event, {"id": item["call_id"], "type": "function", "function": function})
        if kind == "response.output_item.done" and item.get("encrypted_content"):
            return {"thinking_blocks": [_thought(item, self._mark)]}
        return None

    def _citation(self, citation: Fields, start: int) -> dict[str, Any] | None:
        return {CITED: [_moved(citation, start)]} if citation["type"] == CITATION else None

    def _call(self, event: Fields, call: dict[str, Any]) -> dict[str, Any]:
        number = self._calls.setdefault(event["output_index"], len(self._calls))
        return {"tool_calls": [{"index": number, **call}]}

    def _ended(self, response: Fields) -> Iterator[SseEvent]:
        yield self._chunk({}, _finish(response, bool(self._calls)))
        yield _event({**self._head, **_service(response), "choices": [], "usage": chat_usage(response)})
        yield SseEvent(b"data: " + DONE + b"\n\n", DONE)

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> SseEvent:
        role = {} if self._has_begun else {"role": "assistant"}
        self._has_begun = True
        choice = {"index": 0, "delta": {**role, **delta}, "logprobs": None, "finish_reason": finish}
        return _event({**self._head, "choices": [choice]})


def _event(payload: Fields) -> SseEvent:
    return SseEvent(chat_event(payload), dumps(payload).encode())
