"""OpenAI's Responses API, according to the types of its SDK. Nothing is stored.

Source: `openai.types.responses`. Further refusals have their source in the code.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text.content import Answer, Ask, Tool, ToolCall, count_tokens
from local.simulator.text.directions import TextDirections
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import scaled
from local.simulator.wire import api_key, json_object, text

_FIELDS = frozenset(
    {
        *("model", "input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "tools"),
        *("parallel_tool_calls", "previous_response_id", "prompt_cache_key", "prompt_cache_retention"),
        *("reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options", "text"),
        *(
            "temperature",
            "tool_choice",
            "top_logprobs",
            "top_p",
            "truncation",
            "user",
            "include",
            "background",
        ),
    }
)
_ITEMS = ("message", "reasoning", "function_call", "function_call_output")
_PARTS = ("input_text", "input_image", "input_file", "output_text", "refusal")
MIN_OUTPUT_TOKENS = 16
_SEAL = "gAAAA"


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of one vendor."""

    @routes.post("/v1/responses")
    async def responses(request: Request) -> Response:
        if api_key(request, "Bearer") is None:
            return refused(401, "Incorrect API key provided.")
        body = await json_object(request)
        if body is None or (reason := _refusal(body)) is not None:
            return refused(400, "Invalid body." if body is None else str(reason))
        return await _answered(engine, body)


def refused(status: int, message: str) -> Response:
    """Return an error in OpenAI's format."""
    kind = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004 - HTTP
    error = {"message": message, "type": kind, "param": None, "code": None}
    return JSONResponse({"error": error}, status)


def _refusal(body: dict[str, Any]) -> str | None:
    for name in body:
        if name not in _FIELDS:
            return f"Unknown parameter: '{name}'."
    limit = body.get("max_output_tokens")
    if limit is not None and limit < MIN_OUTPUT_TOKENS:
        return f"Invalid 'max_output_tokens': expected a value >= {MIN_OUTPUT_TOKENS}."
    return next(filter(None, [*_item_refusals(body), *_tool_refusals(body)]), None)


def _item_refusals(body: dict[str, Any]) -> Iterator[str]:
    for position, item in enumerate(_input(body)):
        kind, place = item.get("type", "message"), f"input[{position}]"
        if kind not in _ITEMS:
            yield f"Invalid value: '{kind}' at '{place}'."
        if kind == "reasoning" and not str(item.get("encrypted_content")).startswith(_SEAL):
            yield f"The encrypted content of '{place}' could not be verified."
        content = item.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") not in _PARTS:
                yield f"Invalid value: '{part.get('type')}' at '{place}.content'."


def _tool_refusals(body: dict[str, Any]) -> Iterator[str]:
    for position, tool in enumerate(body.get("tools") or []):
        if tool.get("type") != "function" or "name" not in tool or "function" in tool:
            yield f"Missing required parameter: 'tools[{position}].name'."


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    model = text(body.get("model"))
    turn = await take_turn(engine, model, _ask(body))
    if isinstance(turn, int):
        return refused(turn, "The request was refused.")
    made = _Made(body, model, engine.now_ms() // MS_PER_S, turn.answer, turn.directions)
    headers = {"x-request-id": f"req_{turn.answer.id}"}
    if body.get("stream") is not True:
        content = json.dumps(made.response(), ensure_ascii=False).encode()
        return whole(content, turn.common, turn.directions, headers)
    failed = {"type": "error", "code": "server_error", "message": "The server had an error.", "param": None}
    events = disturbed(made.events(), _event({**failed, "sequence_number": 99}), turn.common, turn.directions)
    return EventStream(events, turn.directions, headers)


class _Made:
    """One response."""

    def __init__(
        self, body: dict[str, Any], model: str, created_s: int, said: Answer, directions: TextDirections
    ) -> None:
        self._said = said
        self._directions = directions
        self._shows = (body.get("reasoning") or {}).get("summary") is not None
        self._seals = "reasoning.encrypted_content" in (body.get("include") or [])
        self._head = {
            "id": f"resp_{said.id}",
            "object": "response",
            "created_at": created_s,
            "model": model,
            "instructions": body.get("instructions"),
            "metadata": body.get("metadata") or {},
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "top_p": 1.0,
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": body.get("tools") or [],
            "error": None,
        }

    def response(self) -> dict[str, Any]:
        """Return the complete response."""
        cut = {"reason": "max_output_tokens"} if self._said.is_cut else None
        status = "incomplete" if cut else "completed"
        output = [item for item, _ in self._items()]
        done = {"status": status, "incomplete_details": cut, "output": output, "usage": self._usage()}
        return {**self._head, **done}

    def events(self) -> list[bytes]:
        """Return the response as events."""
        begun = {
            **self._head,
            "status": "in_progress",
            "incomplete_details": None,
            "output": [],
            "usage": None,
        }
        told: list[dict[str, Any]] = [
            {"type": f"response.{at}", "response": begun} for at in ("created", "in_progress")
        ]
        for index, (item, pieces) in enumerate(self._items()):
            empty = {**item, **_EMPTY[item["type"]]}
            told.append({"type": "response.output_item.added", "output_index": index, "item": empty})
            told += [{**piece, "item_id": item["id"], "output_index": index} for piece in pieces]
            told.append({"type": "response.output_item.done", "output_index": index, "item": item})
        whole_response = self.response()
        told.append({"type": f"response.{whole_response['status']}", "response": whole_response})
        return [_event({**each, "sequence_number": at}) for at, each in enumerate(told)]

    def _items(self) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        items = []
        if self._said.thinking:
            items.append(self._reasoning())
        if self._said.text or not self._said.calls:
            items.append(self._message())
        return [*items, *map(_call, self._said.calls)]

    def _reasoning(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        thought = "".join(self._said.thinking)
        item: dict[str, Any] = {"id": f"rs_{self._said.id}", "type": "reasoning", "summary": []}
        if self._seals:
            item["encrypted_content"] = _SEAL + base64.b64encode(thought.encode()).decode()
        if not self._shows:
            return item, []
        item["summary"] = [{"type": "summary_text", "text": thought}]
        kind = "response.reasoning_summary_text.delta"
        return item, [{"type": kind, "summary_index": 0, "delta": piece} for piece in self._said.thinking]

    def _message(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        said = "".join(self._said.text)
        part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
        status = "incomplete" if self._said.is_cut else "completed"
        item = {"id": f"msg_{self._said.id}", "type": "message", "role": "assistant", "status": status}
        place = {"content_index": 0}
        pieces: list[dict[str, Any]] = [
            {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
            *(
                {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
                for piece in self._said.text
            ),
            {"type": "response.output_text.done", **place, "text": said, "logprobs": []},
            {"type": "response.content_part.done", **place, "part": part},
        ]
        return {**item, "content": [part]}, pieces

    def _usage(self) -> dict[str, Any] | None:
        if self._directions.no_usage:
            return None
        output = self._said.visible_tokens + self._said.reasoning_tokens
        cached = {"cached_tokens": self._said.cached_tokens, "cache_write_tokens": self._said.written_tokens}
        usage: dict[str, Any] = {
            "input_tokens": self._said.input_tokens,
            "input_tokens_details": cached,
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": self._said.reasoning_tokens},
            "total_tokens": self._said.input_tokens + output,
        }
        scaled_usage: dict[str, Any] = scaled(usage, self._directions.usage_factor)
        return scaled_usage


_EMPTY: dict[str, dict[str, Any]] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
}


def _call(call: ToolCall) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    arguments = "".join(call.pieces)
    item = {"id": f"fc_{call.id}", "type": "function_call", "call_id": f"call_{call.id}", "name": call.name}
    kind = "response.function_call_arguments"
    pieces = [{"type": f"{kind}.delta", "delta": piece} for piece in call.pieces]
    ended = {"type": f"{kind}.done", "name": call.name, "arguments": arguments}
    return {**item, "arguments": arguments, "status": "completed"}, [*pieces, ended]


def _input(body: dict[str, Any]) -> list[dict[str, Any]]:
    given = body.get("input")
    items: list[Any] = given if isinstance(given, list) else [{"role": "user", "content": given}]
    return [item if isinstance(item, dict) else {"type": "unknown"} for item in items]


def _ask(body: dict[str, Any]) -> Ask:
    items = _input(body)
    said = [_said(item.get("content")) for item in items if item.get("role") == "user"]
    tools = tuple(Tool(str(tool["name"]), tool.get("parameters")) for tool in body.get("tools") or [])
    choice = body.get("tool_choice")
    forced = tools[:1] if choice == "required" else ()
    if isinstance(choice, dict):
        forced = tuple(tool for tool in tools if tool.name == choice.get("name"))
    shape = (body.get("text") or {}).get("format") or {}
    schema = shape.get("schema") if shape.get("type") == "json_schema" else None
    return Ask(
        prompt=text(said[-1] if said else ""),
        input_tokens=count_tokens(items, body.get("tools") or []),
        limit=body.get("max_output_tokens"),
        tools=tools,
        is_reply=bool(items) and items[-1].get("type") == "function_call_output",
        forced_tools=forced,
        schema={"type": "object"} if shape.get("type") == "json_object" else schema,
    )


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or [])


def _event(payload: dict[str, Any]) -> bytes:
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"event: {payload['type']}\ndata: {data}\n\n".encode()
