"""Law: a conversation costs the same streamed and not, whoever serves it and whatever the client speaks."""

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local.simulator.text import completions, converse, messages
from local.simulator.text.content import Answer, ToolCall
from local.simulator.text.directions import TextDirections
from local.simulator.text.vendors import VENDORS
from tests.support.laws import money_examples
from tests.unit.text.gateway import upstream_of
from tests.unit.text.samples import ANTHROPIC, OPENAI, routed, text_model
from tollgate.text.models import TextProtocol, TextRoute
from tollgate.text.money.metering import charge_micro_usd
from tollgate.text.routes.response import encode_events
from tollgate.text.upstream.exchange import Exchange
from tollgate.text.usage import Usage

ROUTES = [*VENDORS, "anthropic", "bedrock"]
TELLS_WRITES = {"openai", "zai", "minimax", "together", "dashscope", "openrouter", "azure"}
TELLS_WRITES |= {"anthropic", "bedrock"}
"""Those whose usage has a place for tokens that were written to the cache (docs/text-protocols.md)."""
INPUT, OUTPUT, CACHE_READ, CACHE_WRITE = Decimal(2), Decimal(10), Decimal("0.1"), Decimal("2.5")
MODEL = text_model()

words = st.lists(st.sampled_from(["a ", "süß ", "晴れ", '"quoted" ', "\n"]), min_size=1, max_size=12).map(
    tuple
)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    # Compact, as a whole answer has its arguments parsed: an estimate counts bytes.
    calls = [ToolCall(f"id{at}", f"tool{at}", ('{"a":', "1}")) for at in range(draw(st.integers(0, 2)))]
    cached, written = draw(st.integers(0, 50)), draw(st.integers(0, 50))
    return Answer(
        id="a1",
        thinking=draw(words | st.just(())),
        text=draw(words | st.just(())) if calls else draw(words),
        calls=tuple(calls),
        is_cut=draw(st.booleans()),
        input_tokens=cached + written + draw(st.integers(1, 1_000)),
        cached_tokens=cached,
        written_tokens=written,
    )


directions = st.builds(TextDirections, no_usage=st.booleans(), usage_in_choices=st.booleans())


def exchange_of(client: TextProtocol, route: str, *, stream: bool) -> Exchange:
    body: dict[str, Any] = {"model": "ours", "max_tokens": 1_000, "stream": stream}
    body["messages"] = [{"role": "user", "content": "hi"}]
    upstream, spoken = upstream_of(route, "http://simulator")
    return upstream.exchange(routed(client, body, spoken, route=TextRoute(route, "m", spoken)))


def answered(route: str, answer: Answer, told: TextDirections) -> tuple[bytes, bytes]:
    """Return what a provider sends for an answer: whole, and as a stream."""
    if route == "anthropic":
        message = messages.Shape("m", answer, told)
        return json.dumps(message.message()).encode(), b"".join(message.events())
    if route == "bedrock":
        conversed = converse.Shape(answer, told)
        return json.dumps(conversed.answer()).encode(), b"".join(conversed.events())
    chunks = completions.Shape(route, "m", 1, answer, told)
    return json.dumps(chunks.completion()).encode(), b"".join(chunks.events(asked=True))


def used_streamed(exchange: Exchange, stream: bytes, piece_bytes: int) -> Usage:
    for at in range(0, len(stream), piece_bytes):
        encode_events(exchange, exchange.splitter.feed(stream[at : at + piece_bytes]))
    encode_events(exchange, exchange.splitter.close())
    exchange.stream.close()
    assert exchange.stream.fault is None
    return exchange.meter.usage()


def expected_micro_usd(route: str, answer: Answer) -> int:
    """Work out the price of an answer from what was used."""
    written = answer.written_tokens if route in TELLS_WRITES else 0
    output = len(answer.thinking) + len(answer.text) + 6 * len(answer.calls)
    fresh = answer.input_tokens - answer.cached_tokens - written
    cached = answer.cached_tokens * CACHE_READ + written * CACHE_WRITE
    return math.ceil(fresh * INPUT + cached + output * OUTPUT)


@pytest.mark.parametrize("client", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
@pytest.mark.parametrize("route", ROUTES)
class TestTheSameBill:
    @settings(max_examples=money_examples(25))
    @given(answer=answers(), told=directions, piece_bytes=st.integers(16, 400))
    def test_streamed_and_whole(
        self, client: TextProtocol, route: str, answer: Answer, told: TextDirections, piece_bytes: int
    ) -> None:
        body, stream = answered(route, answer, told)
        whole = exchange_of(client, route, stream=False)
        whole.read_whole(body)
        used = whole.meter.usage()
        assert used_streamed(exchange_of(client, route, stream=True), stream, piece_bytes) == used
        charge = charge_micro_usd(used, MODEL)
        assert used.estimated == told.no_usage
        assert charge > 0 if told.no_usage else charge == expected_micro_usd(route, answer)
