"""Anthropic's messages (docs/providers/anthropic.md)."""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.text import batches_anthropic
from local.simulator.text.content import Answer, Ask, Page, Tool, count_tokens
from local.simulator.text.directions import TextDirections
from local.simulator.text.refusals import is_search, messages_refusal
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import scaled
from local.simulator.wire import BAD_KEY_MARK, api_key, json_object, text

VERSIONS = ("2023-06-01", "2026-10-21")
NEW_VERSION = "2026-10-21"
SIGNATURE = "c2ltdWxhdG9y"

_SAMPLING = ("temperature", "top_p", "top_k")
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}

# Fields that are always there (@anthropic-ai/sdk 1.14.0, npm).
_NOTHING: dict[str, Any] = dict.fromkeys(
    ("container", "diagnostics", "stop_reason", "stop_sequence", "stop_details")
)
MAX_SEARCHES = 1_000
_DIRECT = {"type": "direct"}


def router(engine: Engine) -> APIRouter:
    """Return Anthropic's routes."""
    routes = APIRouter()

    @routes.post("/v1/messages")
    async def messages(request: Request) -> Response:
        body = await _read(request)
        if isinstance(body, Response):
            return body
        if not isinstance(body.get("max_tokens"), int):
            return _refused(400, "max_tokens: Field required")
        betas = request.headers.get("anthropic-beta", "")
        if (reason := messages_refusal(text(body.get("model")), body, betas)) is not None:
            return _refused(400, reason)
        return await _answered(engine, body)

    @routes.post("/v1/messages/count_tokens")
    async def count(request: Request) -> Response:
        body = await _read(request)
        return body if isinstance(body, Response) else JSONResponse({"input_tokens": _ask(body).input_tokens})

    batches_anthropic.add_routes(routes, engine)
    return routes


async def _read(request: Request) -> dict[str, Any] | Response:
    key = request.headers.get("x-api-key") or api_key(request, "Bearer")
    if not key or BAD_KEY_MARK in key.lower():
        return _refused(401, "invalid x-api-key")
    version = request.headers.get("anthropic-version")
    if version not in VERSIONS:
        return _refused(400, "anthropic-version: header is required")
    body = await json_object(request)
    if body is None or not isinstance(body.get("messages"), list) or not body["messages"]:
        return _refused(400, "messages: Field required")
    sampling = [name for name in _SAMPLING if name in body]
    if version == NEW_VERSION and sampling:
        return _refused(400, f"{sampling[0]}: Extra inputs are not permitted")
    return body


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    model = text(body.get("model"))
    ask = _ask(body)
    turn = await take_turn(engine, model, ask)
    if isinstance(turn, int):
        return _refused(turn, "The request was refused.")
    if turn.directions.too_long:
        return _refused(400, "prompt is too long: 2000 tokens > 1000 maximum")
    shape = Shape(model, turn.answer, turn.directions)
    headers = {"request-id": f"req_{shape.answer.id}", "anthropic-organization-id": "org_simulated"}
    if body.get("stream") is not True:
        content = json.dumps(shape.message(), ensure_ascii=False).encode()
        return whole(content, turn.common, turn.directions, headers)
    error = _event(_error(529, "Overloaded"))
    events = disturbed(shape.events(), error, turn.common, turn.directions)
    return EventStream(events, turn.directions, headers)


class Shape:
    """A response in Anthropic's format."""

    def __init__(self, model: str, said: Answer, directions: TextDirections) -> None:
        self.answer = said
        self._model = directions.named(model)
        self._directions = directions

    def message(self) -> dict[str, Any]:
        """Return the complete response."""
        content: list[dict[str, Any]] = list(_search_blocks(self.answer))
        if self.answer.thinking:
            thinking = "".join(self.answer.thinking)
            content.append({"type": "thinking", "thinking": thinking, "signature": SIGNATURE})
        if self.answer.text:
            cited = {"citations": [*map(_citation, self.answer.searches)]} if self.answer.searches else {}
            content.append({"type": "text", "text": "".join(self.answer.text), **cited})
        for call in self.answer.calls:
            named = {"id": f"toolu_{call.id}", "name": call.name}
            content.append({"type": "tool_use", **named, "input": call.arguments, "caller": _DIRECT})
        ended = {**_NOTHING, "stop_reason": self._stop()}
        return {**self._head(), "content": content, **ended, **self._usage(self._all_output())}

    def events(self) -> list[bytes]:
        """Return the response as events."""
        started = {**self._head(), "content": [], **_NOTHING}
        first = {"type": "message_start", "message": {**started, **self._usage(1)}}
        blocks = list(self._blocks())
        events = [first, *(event for at, block in enumerate(blocks) for event in _block_events(at, *block))]
        events.insert(2, {"type": "ping"})
        delta = {"container": None, "stop_reason": self._stop(), "stop_sequence": None, "stop_details": None}
        ended = self._usage(self._all_output())
        if ended:
            told = (
                *("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"),
                "server_tool_use",
            )
            ended = {"usage": {name: ended["usage"][name] for name in told if name in ended["usage"]}}
        events.append({"type": "message_delta", "delta": delta, **ended})
        events.append({"type": "message_stop"})
        return list(map(_event, events))

    def _blocks(self) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
            _streamed_search(block) for block in _search_blocks(self.answer)
        ]
        if self.answer.thinking:
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in self.answer.thinking]
            signed = {"type": "signature_delta", "signature": SIGNATURE}
            blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]))
        if self.answer.text:
            said = [{"type": "text_delta", "text": piece} for piece in self.answer.text]
            cited = [
                {"type": "citations_delta", "citation": _citation(page)} for page in self.answer.searches
            ]
            blocks.append(({"type": "text", "text": ""}, [*said, *cited]))
        for call in self.answer.calls:
            named = {"id": f"toolu_{call.id}", "name": call.name}
            start = {"type": "tool_use", **named, "input": {}, "caller": _DIRECT}
            pieces = ["", *call.pieces]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
            blocks.append((start, deltas))
        return blocks

    def _head(self) -> dict[str, Any]:
        return {"id": f"msg_{self.answer.id}", "type": "message", "role": "assistant", "model": self._model}

    def _usage(self, output_tokens: int) -> dict[str, Any]:
        if self._directions.no_usage:
            return {}
        said = self.answer
        usage = {
            "input_tokens": said.input_tokens - said.cached_tokens - said.written_tokens,
            "cache_read_input_tokens": said.cached_tokens,
            "cache_creation_input_tokens": said.written_tokens,
            "output_tokens": output_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": said.written_tokens,
                "ephemeral_1h_input_tokens": 0,
            },
        }
        bought: dict[str, Any] = {"service_tier": "standard", "inference_geo": "not_available"}
        if said.searches:
            counted = {"web_search_requests": len(said.searches), "web_fetch_requests": 0}
            bought["server_tool_use"] = counted
        return {"usage": {**scaled(usage, self._directions.usage_factor), **bought}}

    def _all_output(self) -> int:
        return self.answer.visible_tokens + self.answer.reasoning_tokens

    def _stop(self) -> str:
        if self.answer.is_cut:
            return "max_tokens"
        return "tool_use" if self.answer.calls else "end_turn"


def _search_blocks(said: Answer) -> Iterator[dict[str, Any]]:
    for number, page in enumerate(said.searches):
        use_id = f"srvtoolu_{said.id}{number}"
        yield {
            "type": "server_tool_use",
            "id": use_id,
            "name": "web_search",
            "input": {"query": page.query},
            "caller": _DIRECT,
        }
        found = {"url": page.url, "title": page.title, "encrypted_content": "c2VjcmV0", "page_age": None}
        yield {
            "type": "web_search_tool_result",
            "tool_use_id": use_id,
            "content": [{"type": "web_search_result", **found}],
            "caller": _DIRECT,
        }


def _streamed_search(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] != "server_tool_use":
        return block, []
    asked = json.dumps(block["input"])
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": asked}]


def _citation(page: Page) -> dict[str, Any]:
    told: dict[str, Any] = {
        "url": page.url,
        "title": page.title,
        "cited_text": page.title,
        "encrypted_index": "c2VjcmV0",
    }
    return {"type": "web_search_result_location", **told}


def _block_events(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    middle = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    begun = {"type": "content_block_start", "index": index, "content_block": start}
    return [begun, *middle, {"type": "content_block_stop", "index": index}]


def _ask(body: dict[str, Any]) -> Ask:
    messages = [message for message in body["messages"] if isinstance(message, dict)]
    said = [_content_text(message.get("content")) for message in messages if message.get("role") == "user"]
    prompts = [prompt for prompt in said if prompt]
    searches = [tool for tool in body.get("tools") or [] if is_search(tool)]
    tools = tuple(filter(None, map(_tool, body.get("tools") or [])))
    choice = body.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else None
    forced = tools[:1] if kind == "any" else ()
    if isinstance(choice, dict) and kind == "tool":
        forced = tuple(tool for tool in tools if tool.name == choice.get("name"))
    config = body.get("output_config")
    wanted = config.get("format") if isinstance(config, dict) else None
    return Ask(
        prompt=text(prompts[-1] if prompts else ""),
        input_tokens=count_tokens(messages, body.get("tools") or [], body.get("system") or ""),
        limit=body.get("max_tokens"),
        tools=tools,
        is_reply=bool(messages) and _has_result(messages[-1].get("content")),
        forced_tools=forced,
        schema=wanted.get("schema") if isinstance(wanted, dict) else None,
        # Without a bound, Claude searches as often as it likes.
        most_searches=searches[0].get("max_uses") or MAX_SEARCHES if searches else 0,
        must_search=bool(searches) and isinstance(choice, dict) and choice.get("name") == "web_search",
    )


def _tool(tool: Any) -> Tool | None:
    if is_search(tool):
        return None
    return Tool(str(tool.get("name")), tool.get("input_schema")) if isinstance(tool, dict) else None


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


def _has_result(content: Any) -> bool:
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _refused(status: int, message: str) -> Response:
    return JSONResponse({**_error(status, message), "request_id": "req_simulated"}, status)


def _error(status: int, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _TYPES.get(status, "api_error"), "message": message}}


def _event(payload: dict[str, Any]) -> bytes:
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"event: {payload['type']}\ndata: {data}\n\n".encode()
