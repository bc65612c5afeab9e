"""What the text tests share: models, orders, and readers of what clients are given."""

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from tollgate.routing.wishes import NO_WISHES, Wishes
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import LongContextTier, TextModel, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.metering import Demand, HoldPlan
from tollgate.text.money.route_plan import Candidate, Choose, RoutePlan
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.sse import SseEvent, SseSplitter
from tollgate.text.wire.stream import AnswerStream, Meter

OPENAI, ANTHROPIC = TextProtocol.OPENAI, TextProtocol.ANTHROPIC
PLAIN = ChatDialect()
CREATED_S = 1_795_000_000


def prices(
    source: str, output: str, cache_read: str | None = None, cache_write: str | None = None
) -> TokenPrices:
    read = None if cache_read is None else Decimal(cache_read)
    written = None if cache_write is None else Decimal(cache_write)
    return TokenPrices(Decimal(source), Decimal(output), read, written)


def text_model(**changes: Any) -> TextModel:
    facts: dict[str, Any] = {
        "id": "claude-haiku-5-5",
        "protocols": frozenset({OPENAI, ANTHROPIC}),
        "routes": (),
        "prices": prices("2", "10", "0.1", "2.5"),
        "context_tokens": 1_000_000,
        "max_output_tokens": 128_000,
    }
    return TextModel(**{**facts, **changes})


def small_model(max_output_tokens: int = 1_000) -> TextModel:
    """Return a model that takes 1 micro-USD for an input token, and 2 for an output token."""
    route = TextRoute("openai", "m", OPENAI)
    own = prices("1", "2")
    return TextModel("m", frozenset({OPENAI}), (route,), own, 100_000, max_output_tokens)


def tiered_model() -> TextModel:
    """The prices of claude-haiku-5-5 in the catalog's reference: dearer from 100 000 tokens of input."""
    tier = LongContextTier(100_000, prices("0.5", "2.5", "0.01", "0.125"))
    return text_model(prices=prices("0.1", "0.5", "0.01", "0.125"), tiers=(tier,))


def choosing(demand: Demand, model: TextModel) -> Choose:
    """Return the choice of one model, for an account without a routing policy."""
    route = (model.routes or (TextRoute("some", "m", OPENAI),))[0]

    def choose(policy: Wishes) -> RoutePlan:
        assert policy == NO_WISHES
        return RoutePlan((Candidate(model, route, demand),))

    return choose


def meter(input_estimate: int = 7, output_limit: int = 1_000) -> Meter:
    return Meter(input_estimate, output_limit)


def routed(
    protocol: TextProtocol, body: dict[str, Any], upstream: TextProtocol, **changes: Any
) -> RoutedRequest:
    route = TextRoute("some", "upstream-model", upstream)
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or 128_000
    facts: dict[str, Any] = {
        "request": read_request(protocol, dumps(body).encode()),
        "model": text_model(),
        "route": route,
        "hold": HoldPlan(1_000, limit),
        "input_estimate": 7,
        "created_s": CREATED_S,
    }
    return RoutedRequest(**{**facts, **changes})


def call_of(exchange: Exchange) -> HttpCall:
    """Return what goes over the wire."""
    assert isinstance(exchange.call, HttpCall)
    return exchange.call


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "upstream-model"}
    return {**head, "choices": [choice], **more}


def chat_event(payload: dict[str, Any]) -> SseEvent:
    data = json.dumps(payload).encode()
    return SseEvent(b"data: " + data + b"\n\n", data)


def messages_event(payload: dict[str, Any]) -> SseEvent:
    data = json.dumps(payload).encode()
    name = str(payload["type"]).encode()
    return SseEvent(b"event: " + name + b"\ndata: " + data + b"\n\n", data, name)


DONE = SseEvent(b"data: [DONE]\n\n", b"[DONE]")


def run(stream: AnswerStream, events: Iterable[SseEvent]) -> list[Any]:
    """Return what the client reads out of the stream: parsed data, and `[DONE]` as that text."""
    sent = b"".join(stream.feed(event) for event in events) + stream.close()
    return list(read_events(sent))


def read_events(sent: bytes) -> Iterator[Any]:
    splitter = SseSplitter()
    for event in splitter.feed(sent):
        if event.data is not None:
            yield "[DONE]" if event.data == b"[DONE]" else json.loads(event.data)


def gathered_completion(chunks: list[Any]) -> dict[str, Any]:
    """Put a chat stream's chunks together, as an OpenAI client does."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finish, usage = None, None
    for part in chunks[:-1]:
        usage = part.get("usage") or usage
        for choice in part["choices"]:
            finish = choice["finish_reason"] or finish
            for name, value in choice["delta"].items():
                if name == "extra_content":
                    message[name] = value
                elif name in ("content", "reasoning_content", "refusal"):
                    message[name] = f"{message.get(name) or ''}{value}" or None
                elif name in ("thinking_blocks", "reasoning_details"):
                    message[name] = [*message.get(name, []), *value]
                elif name == "tool_calls":
                    _add_calls(calls, value)
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    assert chunks[-1] == "[DONE]"
    return {"message": message, "finish_reason": finish, "usage": usage}


def _add_calls(calls: dict[int, dict[str, Any]], pieces: list[dict[str, Any]]) -> None:
    for piece in pieces:
        known = calls.setdefault(piece["index"], {"function": {"arguments": ""}})
        known.update({name: piece[name] for name in ("id", "type", "extra_content") if name in piece})
        known["function"]["arguments"] += piece["function"].get("arguments", "")
        if "name" in piece["function"]:
            known["function"]["name"] = piece["function"]["name"]


def gathered_message(events: list[Any]) -> dict[str, Any]:
    """Put a messages stream's events together, as an Anthropic client does, checking their order."""
    assert events[0]["type"] == "message_start"
    assert [event["type"] for event in events[-2:]] == ["message_delta", "message_stop"]
    content: list[dict[str, Any]] = []
    arguments = ""
    is_open = False
    for event in events[1:-2]:
        if event["type"] == "content_block_start":
            assert not is_open
            assert event["index"] == len(content)
            content.append(dict(event["content_block"]))
            is_open, arguments = True, ""
        elif event["type"] == "content_block_stop":
            assert is_open
            is_open = False
            if content[-1]["type"] == "tool_use":
                content[-1]["input"] = json.loads(arguments or "{}")
        elif event["type"] == "content_block_delta":
            assert is_open
            assert event["index"] == len(content) - 1
            delta = event["delta"]
            arguments += delta.get("partial_json", "")
            for name in ("text", "thinking", "signature"):
                if name in delta:
                    content[-1][name] += delta[name]
    assert not is_open
    end = events[-2]
    return {"content": content, "stop_reason": end["delta"]["stop_reason"], "usage": end["usage"]}
