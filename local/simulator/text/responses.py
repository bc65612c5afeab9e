"""OpenAI's Responses API, according to the types of its SDK. Nothing is stored.

Source: `openai.types.responses`. Further refusals have their source in the code.
"""

import json
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text.content import Answer, Page, ToolCall
from local.simulator.text.directions import TextDirections
from local.simulator.text.responses_input import (
    Offered,
    ask_of,
    count_refusal,
    input_tokens,
    offered,
    refusal,
    sealed,
)
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import scaled
from local.simulator.wire import accepted_body, text

# Vendors that count input tokens.
COUNTS = ("openai",)


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of one vendor."""

    @routes.post("/v1/responses")
    async def responses(request: Request) -> Response:
        body = await accepted_body(request, refused, partial(refusal, engine.provider))
        return body if isinstance(body, Response) else await _answered(engine, body)

    if engine.provider in COUNTS:

        @routes.post("/v1/responses/input_tokens")
        async def count(request: Request) -> Response:
            body = await accepted_body(request, refused, partial(count_refusal, engine.provider))
            if isinstance(body, Response):
                return body
            return JSONResponse({"object": "response.input_tokens", "input_tokens": input_tokens(body)})


def refused(status: int, message: str, param: str | None = None, code: str | None = None) -> Response:
    """Return an error in OpenAI's format."""
    kind = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004 - HTTP
    error = {"message": message, "type": kind, "param": param, "code": code}
    return JSONResponse({"error": error}, status)


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    model = text(body.get("model"))
    turn = await take_turn(engine, model, ask_of(body))
    if isinstance(turn, int):
        return refused(turn, "The request was refused.")
    if turn.directions.too_long:
        words = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return refused(400, words, "input", "context_length_exceeded")
    made = _Made(engine, body, model, turn.answer, turn.directions)
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
        self, engine: Engine, body: dict[str, Any], model: str, said: Answer, directions: TextDirections
    ) -> None:
        self._vendor = engine.provider
        self._said = said
        self._tools = {each.tool.name: each for each in offered(body)}
        # OpenAI pads its deltas by default.
        self._pads = (body.get("stream_options") or {}).get("include_obfuscation") is not False
        self._directions = directions
        self._shows = (body.get("reasoning") or {}).get("summary") is not None
        self._seals = "reasoning.encrypted_content" in (body.get("include") or [])
        self._head = {
            "id": f"resp_{said.id}",
            "object": "response",
            "created_at": engine.now_ms() // MS_PER_S,
            "model": directions.named(model),
            "background": False,
            "billing": {"payer": "developer"},
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "metadata": body.get("metadata") or {},
            "previous_response_id": None,
            "reasoning": {"effort": "medium", "summary": None, **(body.get("reasoning") or {})},
            "service_tier": directions.tier(body.get("service_tier")),
            "store": body.get("store") is not False,
            "text": {"format": {"type": "text"}, **(body.get("text") or {})},
            "truncation": "disabled",
            "user": body.get("user"),
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
        return [_event({**self._padded(each), "sequence_number": at}) for at, each in enumerate(told)]

    def _padded(self, event: dict[str, Any]) -> dict[str, Any]:
        return {**event, "obfuscation": "x7"} if self._pads and "delta" in event else event

    def _items(self) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        items = [_search(self._said.id, at, page) for at, page in enumerate(self._said.searches)]
        if self._said.searches:
            # The model opens a page, which costs nothing.
            items.append(_opened(self._said.id, self._said.searches[0]))
        if self._said.thinking:
            items.append(self._reasoning())
        if self._said.text or not self._said.calls:
            items.append(self._message())
        return [*items, *(_call(call, self._tools[call.name]) for call in self._said.calls)]

    def _reasoning(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        thought = "".join(self._said.thinking)
        item: dict[str, Any] = {"id": f"rs_{self._said.id}", "type": "reasoning", "summary": []}
        if self._seals:
            item["encrypted_content"] = sealed(self._vendor, item["id"], thought)
        if not self._shows:
            return item, []
        part = {"type": "summary_text", "text": thought}
        item["summary"] = [part]
        kind, place = "response.reasoning_summary_text", {"summary_index": 0}
        deltas = [{"type": f"{kind}.delta", **place, "delta": piece} for piece in self._said.thinking]
        opened = {"type": "response.reasoning_summary_part.added", **place, "part": {**part, "text": ""}}
        closed = [
            {"type": f"{kind}.done", **place, "text": thought},
            {"type": "response.reasoning_summary_part.done", **place, "part": part},
        ]
        return item, [opened, *deltas, *closed]

    def _message(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        said = "".join(self._said.text)
        cited = [_citation(page, said) for page in self._said.searches]
        part = {"type": "output_text", "text": said, "annotations": cited, "logprobs": []}
        status = "incomplete" if self._said.is_cut else "completed"
        item = {"id": f"msg_{self._said.id}", "type": "message", "role": "assistant", "status": status}
        if self._said.thinking:
            item["phase"] = "final_answer"
        place = {"content_index": 0}
        pieces: list[dict[str, Any]] = [
            {
                "type": "response.content_part.added",
                **place,
                "part": {**part, "text": "", "annotations": []},
            },
            *(
                {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
                for piece in self._said.text
            ),
            *(
                {
                    "type": "response.output_text.annotation.added",
                    **place,
                    "annotation_index": at,
                    "annotation": annotation,
                }
                for at, annotation in enumerate(cited)
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
    "custom_tool_call": {"input": ""},
    "tool_search_call": {"arguments": {}, "status": "in_progress"},
    "web_search_call": {"status": "in_progress"},
}


def _search(answer_id: str, at: int, page: Page) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    action = {"type": "search", "query": page.query, "queries": [page.query]}
    item = {"id": f"ws_{answer_id}{at}", "type": "web_search_call", "status": "completed", "action": action}
    states = ("in_progress", "searching", "completed")
    return item, [{"type": f"response.web_search_call.{state}"} for state in states]


def _opened(answer_id: str, page: Page) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    action = {"type": "open_page", "url": page.url}
    return {
        "id": f"ws_{answer_id}o",
        "type": "web_search_call",
        "status": "completed",
        "action": action,
    }, []


def _citation(page: Page, said: str) -> dict[str, Any]:
    place = {"start_index": 0, "end_index": len(said)}
    return {"type": "url_citation", "url": page.url, "title": page.title, **place}


def _call(call: ToolCall, offer: Offered) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    named: dict[str, Any] = {"call_id": f"call_{call.id}", "name": call.name}
    if offer.namespace:
        named["namespace"] = offer.namespace
    if offer.kind == "tool_search":
        item = {"id": f"tsc_{call.id}", "type": "tool_search_call", "call_id": named["call_id"]}
        return {**item, "execution": "client", "arguments": call.arguments, "status": "completed"}, []
    if offer.kind == "custom":
        said, kind = str(call.arguments), "response.custom_tool_call_input"
        item = {"id": f"ctc_{call.id}", "type": "custom_tool_call", **named, "input": said}
        return item, [{"type": f"{kind}.delta", "delta": said}, {"type": f"{kind}.done", "input": said}]
    arguments = "".join(call.pieces)
    item = {"id": f"fc_{call.id}", "type": "function_call", **named}
    kind = "response.function_call_arguments"
    pieces = [{"type": f"{kind}.delta", "delta": piece} for piece in call.pieces]
    ended = {"type": f"{kind}.done", "name": call.name, "arguments": arguments}
    return {**item, "arguments": arguments, "status": "completed"}, [*pieces, ended]


def _event(payload: dict[str, Any]) -> bytes:
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"event: {payload['type']}\ndata: {data}\n\n".encode()
