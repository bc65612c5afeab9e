"""OpenAI's chat completions, with each vendor's deviations.

Source: docs/text-protocols.md#chat-completions and docs/providers/openai_compatible.md.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text import (
    batches,
    batches_google,
    batches_mistral,
    batches_xai,
    embeddings,
    mistral_speech,
    moderations,
    rerank,
    responses,
    speech,
    transcriptions,
)
from local.simulator.text.content import Answer, Ask, Tool, ToolCall, count_tokens
from local.simulator.text.directions import TextDirections
from local.simulator.text.errors import FIRST_SERVER_ERROR, overflow_of, refusal_of
from local.simulator.text.refusals import chat_refusal, signature_of
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import (
    ABOUT_ITSELF,
    FILTERS_PROMPTS,
    HEADERS,
    HIDES_REASONING,
    IN_CHOICES,
    IN_PARTS,
    LOG_PROBABILITIES,
    SAYS_NO_REFUSAL,
    SAYS_REASONING,
    SEVERAL_ANSWERS,
    SIGNS_CALLS,
    THINKS_IN_CONTENT,
    USAGE_WITH_CONTENT,
    VENDORS,
    WHOLE_CALLS,
    WHOLE_CALLS_OF,
    priced,
    scaled,
)
from local.simulator.wire import api_key, json_object, text

NO_HOST = "No endpoints found that satisfy the max_price of this request."
DONE = b"data: [DONE]\n\n"
FIRST_ERROR = 400
MAX_ANSWERS = 8
# https://docs.cohere.com/docs/compatibility-api
COMPATIBLE = {"cohere": "/compatibility/v1"}

BATCHES: Mapping[str, Callable[[APIRouter, Engine], None]] = {
    "openai": batches.add_routes,
    "google": batches_google.add_routes,
    "mistral": batches_mistral.add_routes,
    "xai": batches_xai.add_routes,
}
"""The routes of batches, of each vendor that has them."""
PROCESSING = b": OPENROUTER PROCESSING\n\n"
"""The comments with which OpenRouter keeps a stream open until a host responds."""


def router(engine: Engine) -> APIRouter:
    """Return one vendor's routes."""
    routes = APIRouter()

    @routes.post(f"{COMPATIBLE.get(engine.provider, '/v1')}/chat/completions")
    async def completions(request: Request) -> Response:
        if api_key(request, "Bearer") is None:
            return _refused(engine.provider, 401)
        body = await json_object(request)
        if body is None or not isinstance(body.get("messages"), list):
            return _refused(engine.provider, 400, "Invalid body: 'messages' is required.")
        if (reason := chat_refusal(engine.provider, text(body.get("model")), body)) is not None:
            return _refused(engine.provider, 400, reason, stream=body.get("stream") is True)
        return await _answered(engine, body)

    embeddings.add_routes(routes, engine)
    rerank.add_routes(routes, engine)
    moderations.add_routes(routes, engine)
    if engine.provider == "mistral":
        mistral_speech.add_routes(routes, engine)
    if engine.provider in ("openai", "azure"):
        speech.add_routes(routes, engine)
        transcriptions.add_routes(routes, engine)
    if engine.provider in BATCHES:
        BATCHES[engine.provider](routes, engine)
    if engine.provider in ("openai", "azure", "xai"):
        responses.add_routes(routes, engine)
    return routes


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    model = text(body.get("model"))
    ask = _ask(body)
    turn = await take_turn(engine, model, ask)
    if isinstance(turn, int):
        fails_inside = engine.provider == SAYS_REASONING and turn >= FIRST_SERVER_ERROR
        if fails_inside:
            return _failed_inside(turn, stream=body.get("stream") is True)
        return _refused(engine.provider, turn, stream=body.get("stream") is True)
    if turn.directions.too_long:
        return _sent(*overflow_of(engine.provider), stream=body.get("stream") is True)
    if _asks_more(engine.provider, turn.directions.host_price_usd, body):
        return _refused(engine.provider, 404, NO_HOST, stream=body.get("stream") is True)
    vendor = turn.directions.vendor if turn.directions.vendor in VENDORS else engine.provider
    shape = Shape(vendor, model, engine.now_ms() // MS_PER_S, turn.answer, turn.directions, body=body)
    headers = {"x-request-id": f"req_{shape.answer.id}", **HEADERS.get(vendor, {})}
    if body.get("stream") is not True:
        content = json.dumps(shape.completion(), ensure_ascii=False).encode()
        return whole(content, turn.common, turn.directions, headers)
    options = body.get("stream_options")
    asked = isinstance(options, dict) and options.get("include_usage") is True
    error = _event(refusal_of("openai", FIRST_SERVER_ERROR)[1])
    events = disturbed(shape.events(asked=asked), error, turn.common, turn.directions)
    return EventStream(events, turn.directions, headers)


def _asks_more(provider: str, host_price_usd: float | None, body: Mapping[str, Any]) -> bool:
    """Return whether every host asks more than the request's `provider.max_price` (OpenRouter's routing)."""
    wish = body.get("provider")
    most = wish.get("max_price") if isinstance(wish, dict) else None
    if provider != "openrouter" or host_price_usd is None or not isinstance(most, dict):
        return False
    return float(most.get("prompt", "inf")) < host_price_usd


class Shape:
    """A response in a vendor's format."""

    def __init__(
        self,
        vendor: str,
        model: str,
        created_s: int,
        said: Answer,
        directions: TextDirections,
        *,
        body: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.vendor = vendor
        self.answer = said
        prefix = "gen" if vendor == SAYS_REASONING else "chatcmpl"
        self._head = {"id": f"{prefix}-{said.id}", "created": created_s, "model": directions.named(model)}
        self._head |= ABOUT_ITSELF.get(vendor, {})
        if "service_tier" in self._head:
            self._head["service_tier"] = directions.tier(body.get("service_tier"))
        self._in_choices = IN_CHOICES.get(vendor, {})
        self._reasoning = "reasoning" if vendor == SAYS_REASONING else "reasoning_content"
        self._directions = directions
        self._splits = vendor == THINKS_IN_CONTENT and body.get("reasoning_split") is True
        is_inside = vendor == THINKS_IN_CONTENT and said.thinking and not self._splits
        self._text = ("<think>\n", *said.thinking, "\n</think>\n\n", *said.text) if is_inside else said.text
        wanted = body.get("n") if vendor in SEVERAL_ANSWERS else 1
        self._count = min(wanted, MAX_ANSWERS) if isinstance(wanted, int) and wanted > 1 else 1
        self._has_whole_calls = vendor in WHOLE_CALLS or model.startswith(WHOLE_CALLS_OF)
        self._has_logprobs = body.get("logprobs") is True and vendor in LOG_PROBABILITIES

    def completion(self) -> dict[str, Any]:
        """Return the complete response."""
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._text) or None}
        if self.vendor in SAYS_NO_REFUSAL:
            message["refusal"] = None
        if self._shown_reasoning():
            message |= self._thought("".join(self._shown_reasoning()), message["content"])
        if self.answer.calls:
            message["tool_calls"] = [
                {**_call(call, "".join(call.pieces)), **self._state(number)}
                for number, call in enumerate(self.answer.calls)
            ]
        elif self.vendor in SIGNS_CALLS:
            message |= signature_of(self.answer.id)
        ended = {"logprobs": self._logprobs(self.answer.text), "finish_reason": self._finish()}
        choices = [
            {"index": index, "message": message, **ended, **self._in_choices} for index in range(self._count)
        ]
        shown = {**self._head, "object": "chat.completion", "choices": choices, "usage": self._usage()}
        return {**shown, "base_resp": {"status_code": 0}} if self.vendor == "minimax" else shown

    def events(self, *, asked: bool) -> list[bytes]:
        """Return the response as chunks. With `asked`, the last chunk has the usage."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [self._thought(piece) for piece in self._shown_reasoning()]
        deltas += [{"content": piece} for piece in self._text]
        for number, call in enumerate(self.answer.calls):
            pieces = ("".join(call.pieces), ()) if self._has_whole_calls else ("", call.pieces)
            index = None if self.vendor in SIGNS_CALLS else number
            called = {"index": index, **_call(call, pieces[0]), **self._state(number)}
            deltas.append({"tool_calls": [called]})
            for piece in pieces[1]:
                deltas.append({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
        if self.vendor in SIGNS_CALLS and not self.answer.calls:
            deltas.append({"content": "", **signature_of(self.answer.id)})
        chunks = [self._chunk(delta, None, index) for delta in deltas for index in range(self._count)]
        chunks += [self._chunk({}, self._finish(), index) for index in range(1, self._count)]
        last = self._chunk({}, self._finish())
        with_content = self.vendor in USAGE_WITH_CONTENT or self._directions.usage_in_choices
        if with_content:
            holder = last["choices"][0] if self.vendor == "moonshot" else last
            holder["usage"] = self._usage()
        chunks.append(last)
        if self.vendor == FILTERS_PROMPTS:
            chunks.insert(0, {**self._chunk({}, None), "choices": [], "prompt_filter_results": []})
        if asked and not self._directions.usage_in_choices:
            chunks = [{"usage": None, **chunk} for chunk in chunks]
            if self._usage() is not None:
                chunks.append({**self._chunk({}, None), "choices": [], "usage": self._usage()})
        waiting = [PROCESSING] if self.vendor == SAYS_REASONING else []
        return [*waiting, *map(_event, chunks), DONE]

    def _state(self, number: int) -> dict[str, Any]:
        """Return the state of a call. Of several calls at once, Gemini signs only the first."""
        if self.vendor not in SIGNS_CALLS or number:
            return {}
        return signature_of(f"call_{self.answer.calls[0].id}")

    def _chunk(self, delta: dict[str, Any], finish: str | None, index: int = 0) -> dict[str, Any]:
        said = (delta["content"],) if delta.get("content") else ()
        ended = {"logprobs": self._logprobs(said) if said else None, "finish_reason": finish}
        choice = {"index": index, "delta": delta, **ended, **self._in_choices}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}

    def _thought(self, thinking: str, said: str | None = None) -> dict[str, Any]:
        """Return the fields of a message or a delta with thinking, and with the text beside it."""
        if self._splits:
            named = {"type": "reasoning.text", "id": "reasoning-text-1", "format": "MiniMax-response-v1"}
            return {"reasoning_details": [{**named, "index": 0, "text": thinking}]}
        if self.vendor == SAYS_REASONING:
            details = {"type": "reasoning.text", "text": thinking, "format": "unknown", "index": 0}
            return {"reasoning": thinking, "reasoning_details": [details]}
        if self.vendor != IN_PARTS:
            return {self._reasoning: thinking}
        parts: list[dict[str, Any]] = [{"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}]
        return {"content": [*parts, {"type": "text", "text": said}] if said else parts}

    def _shown_reasoning(self) -> tuple[str, ...]:
        is_hidden = self.vendor in HIDES_REASONING or (self.vendor == THINKS_IN_CONTENT and not self._splits)
        return () if is_hidden else self.answer.thinking

    def _usage(self) -> dict[str, Any] | None:
        if self._directions.no_usage:
            return None
        said = self.answer
        count = self._count
        answers = replace(
            said, text=said.text * count, thinking=said.thinking * count, calls=said.calls * count
        )
        usage: dict[str, Any] = scaled(VENDORS[self.vendor](answers), self._directions.usage_factor)
        return priced(usage, self._directions.cost_usd)

    def _logprobs(self, pieces: tuple[str, ...]) -> dict[str, Any] | None:
        if not self._has_logprobs:
            return None
        named = {"logprob": -0.5, "top_logprobs": []}
        tokens = [{"token": piece, "bytes": list(piece.encode()), **named} for piece in pieces]
        return {"content": tokens, "refusal": None}

    def _finish(self) -> str:
        if self.answer.is_cut:
            return "length"
        return "tool_calls" if self.answer.calls else "stop"


def _ask(body: dict[str, Any]) -> Ask:
    messages = [message for message in body["messages"] if isinstance(message, dict)]
    said = [_content_text(message.get("content")) for message in messages if message.get("role") == "user"]
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    tools = tuple(filter(None, map(_tool, body.get("tools") or [])))
    choice = body.get("tool_choice")
    forced = tools[:1] if choice == "required" else ()
    if isinstance(choice, dict):
        named = (choice.get("function") or {}).get("name")
        forced = tuple(tool for tool in tools if tool.name == named)
    wanted = body.get("response_format")
    schema = _wanted_schema(wanted, messages) if isinstance(wanted, dict) else None
    return Ask(
        prompt=text(said[-1] if said else ""),
        input_tokens=count_tokens(messages, body.get("tools") or []),
        limit=limit if isinstance(limit, int) else None,
        tools=tools,
        is_reply=bool(messages) and messages[-1].get("role") == "tool",
        forced_tools=forced,
        schema=schema,
    )


def _wanted_schema(wanted: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
    """Return the schema of the response.

    For a plain JSON object it is the schema in the instructions, if any.
    """
    if wanted.get("type") != "json_object":
        return (wanted.get("json_schema") or {}).get("schema")
    for message in messages:
        _, brace, rest = str(message.get("content")).partition("{")
        if message.get("role") == "system" and brace:
            with suppress(ValueError):
                return json.JSONDecoder().raw_decode(brace + rest)[0]
    return {"type": "object"}


def _tool(tool: Any) -> Tool | None:
    function = tool.get("function") if isinstance(tool, dict) else None
    return Tool(str(function.get("name")), function.get("parameters")) if isinstance(function, dict) else None


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _call(call: ToolCall, arguments: str) -> dict[str, Any]:
    function = {"name": call.name, "arguments": arguments}
    return {"id": f"call_{call.id}", "type": "function", "function": function}


def _refused(vendor: str, status: int, message: str | None = None, *, stream: bool = False) -> Response:
    return _sent(*refusal_of(vendor, status, message), stream=stream)


def _sent(told: int, body: Any, *, stream: bool) -> Response:
    if stream and told < FIRST_ERROR:
        return Response(_event(body), media_type="text/event-stream")
    return JSONResponse(body, told)


def _failed_inside(status: int, *, stream: bool) -> Response:
    """Return a failure of the host behind OpenRouter: HTTP 200 with the status as the error's code."""
    metadata = {"provider_name": "Simulated Host", "raw": "upstream error"}
    failed = {"error": {"code": status, "message": "Provider returned error", "metadata": metadata}}
    if not stream:
        return JSONResponse(failed)
    return Response(PROCESSING + _event(failed), media_type="text/event-stream")


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
