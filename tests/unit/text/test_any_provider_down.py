"""Every text model with two routes answers while any one of its providers is down, and is charged once.

The catalog's own routes, each through its real adapter; in place of the network, what its protocol answers.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from local.simulator.text import eventstream
from tests.support.clock import ManualClock
from tests.unit.catalog.cases import CATALOG
from tests.unit.text.gateway import AwsRole
from tests.unit.text.samples import ANTHROPIC, OPENAI
from tests.unit.text.test_text_service import KEY, FakeBilling, FakeResponse
from tollgate.kit.http.client import split_url
from tollgate.providers.runtime.accounts import text_accounts
from tollgate.providers.runtime.secret import Credentials
from tollgate.providers.runtime.text_registry import BEDROCK, make_bedrock, make_text_upstreams
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.routes import calls as route_calls
from tollgate.text.routes.breaker import Breaker
from tollgate.text.routes.calls import RouteCalls
from tollgate.text.routes.response import CompleteResponse, StreamedResponse
from tollgate.text.service import TextService

# Other kinds have readers of their own: tests/functional/text/test_text_embeddings.py, test_text_rerank.py.
MODELS = [
    model
    for model in map(wire_model, CATALOG.text_models())
    if model.is_chat and len({route.provider for route in model.routes}) > 1
]
FAULTS = ("500", "hang", "garbage", "head")


def ndjson(*events: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def named(*events: Any) -> bytes:
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
    return b"".join(lines)


_CHAT = {"id": "c", "created": 1, "model": "m"}
_CHAT_USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
_MESSAGE_USAGE = {"input_tokens": 3, "output_tokens": 2}
_TEXT = {"type": "text", "text": "hi"}
_CONVERSE_USAGE = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
WHOLE: Mapping[str, bytes] = {
    "chat": json.dumps(
        {
            **_CHAT,
            "object": "chat.completion",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
            ],
            "usage": _CHAT_USAGE,
        }
    ).encode(),
    "messages": json.dumps(
        {**_MESSAGE, "content": [_TEXT], "stop_reason": "end_turn", "usage": _MESSAGE_USAGE}
    ).encode(),
    "converse": json.dumps(
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}},
            "stopReason": "end_turn",
            "usage": _CONVERSE_USAGE,
        }
    ).encode(),
}
STREAMED: Mapping[str, bytes] = {
    "chat": ndjson(
        {
            **_CHAT,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}],
        }
    ),
    "messages": named(
        {"type": "message_start", "message": {**_MESSAGE, "content": [], "usage": _MESSAGE_USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
    ),
    "converse": eventstream.event("messageStart", {"role": "assistant"})
    + eventstream.event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "hi"}}),
}
HEADS: Mapping[str, bytes] = {
    "chat": ndjson({**_CHAT, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
    "messages": STREAMED["messages"].partition(b"event: content_block_delta")[0],
    "converse": eventstream.event("messageStart", {"role": "assistant"}),
}
"""The beginnings of streams that say nothing yet."""
SPOKEN = {"messages": "messages", "converse": "converse", "converse-stream": "converse"}


@dataclass
class Network:
    """Every provider answers, but one: it fails as `fault` says."""

    down: str
    fault: str
    asked: list[str] = field(default_factory=list)

    async def request(self, method: str, url: str, lines: str, body: bytes, **_: object) -> FakeResponse:
        origin, path = split_url(url)
        provider = origin.host.removesuffix(".test")
        self.asked.append(provider)
        await asyncio.sleep(0)
        spoken = SPOKEN.get(path.rpartition("/")[2], "chat")
        if provider == self.down:
            return await self._fail(spoken)
        streams = path.endswith("-stream") or json.loads(body).get("stream") is True
        return FakeResponse(200, (STREAMED if streams else WHOLE)[spoken])

    async def _fail(self, spoken: str) -> FakeResponse:
        if self.fault == "hang":
            await asyncio.Event().wait()
        if self.fault == "head":
            return FakeResponse(200, HEADS[spoken])
        return FakeResponse(500 if self.fault == "500" else 200, b"<html>upstream hiccup")


def upstreams() -> Mapping[str, Any]:
    keys = {name: Credentials(key="k", base_url=f"https://{name}.test/v1") for name in text_accounts()}
    role = AwsRole()
    return {
        **make_text_upstreams(keys),
        BEDROCK: make_bedrock(keys[BEDROCK], "us-east-1", lambda: role),
    }


@dataclass
class Walk:
    """One model, asked while one provider is down."""

    model: TextModel
    network: Network
    books: Any = field(default_factory=FakeBilling)

    def ask(self, protocol: TextProtocol, *, stream: bool) -> Any:
        made = upstreams()

        async def known() -> Any:
            return made

        http: Any = self.network
        models, clock = {self.model.id: self.model}, ManualClock()
        calls = RouteCalls(known, self.books, http, Breaker(), clock)
        desk = TextService(models, calls, lambda _: None)
        said = [{"role": "user", "content": "hi"}]
        body = {"model": self.model.id, "max_tokens": 10, "stream": stream, "messages": said}
        return asyncio.run(desk.respond(read_request(protocol, dumps(body).encode()), KEY, "req_1", {}))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route_calls, "MAX_SILENCE_S", 0.002)
    monkeypatch.setattr(route_calls, "MAX_STREAM_SILENCE_S", 0.002)
    monkeypatch.setattr(route_calls, "RETRY_PAUSE_S", 0.0)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_another_one_answers_and_is_the_one_that_is_billed(model: TextModel, fault: str) -> None:
    for down in {route.provider for route in model.routes}:
        first = next(route.provider for route in model.routes if route.provider != down)
        for protocol in model.protocols:
            walk = Walk(model, Network(down, fault))
            whole = walk.ask(protocol, stream=False)
            assert isinstance(whole, CompleteResponse), (down, protocol, whole)
            assert walk.books.settled == [first], (down, protocol)
            streamed = Walk(model, Network(down, fault)).ask(protocol, stream=True)
            assert isinstance(streamed, StreamedResponse), (down, protocol, streamed)
            assert streamed.placed.provider == first, (down, protocol)


def test_all_models_with_two_routes_are_walked() -> None:
    assert len(MODELS) > 30
    assert {ANTHROPIC, OPENAI} == {protocol for model in MODELS for protocol in model.protocols}
