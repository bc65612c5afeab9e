"""Claude's reserve: Bedrock answers where Anthropic does not, in either protocol, streamed or not."""

import json
import math
from decimal import Decimal
from typing import Any

import openai
import pytest

from tests.support.text_app import USD, TextClient
from tollgate.ledger.entries import EntryKind

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

CLAUDE = "claude-sonnet-4-6"
# Anthropic's price list, claude-sonnet-4-6: USD per 1M tokens, which is micro-USD per token.
INPUT, OUTPUT, CACHE_READ, CACHE_WRITE = Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75")
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DOWN = "[[anthropic: status 529]]"


def said(*content: Any) -> list[Any]:
    return [{"role": "user", "content": list(content) if len(content) > 1 else content[0]}]


def ask_messages(client: TextClient, messages: list[Any], *, stream: bool, **fields: Any) -> Any:
    asked: Any = {"model": CLAUDE, "max_tokens": 500, "messages": messages, **fields}
    if not stream:
        return client.anthropic.messages.create(**asked)
    with client.anthropic.messages.stream(**asked) as events:
        return events.get_final_message()


@pytest.mark.parametrize("stream", [False, True])
class TestTheReserveAnswers:
    def test_a_messages_client_with_thinking_cache_and_the_right_price(
        self, client: TextClient, stream: bool
    ) -> None:
        prompt = f"{DOWN} [[think]] [[cached 4]] [[cache-write 3]] [[tokens 20]]"
        answer = ask_messages(client, said(prompt), stream=stream)
        thought, text = answer.content
        assert (thought.type, bool(thought.signature), len(text.text.split())) == ("thinking", True, 20)
        assert (answer.stop_reason, answer.model) == ("end_turn", CLAUDE)
        used = answer.usage
        counted = (used.output_tokens, used.cache_read_input_tokens, used.cache_creation_input_tokens)
        assert counted == (28, 4, 3)
        exact = used.input_tokens * INPUT + 28 * OUTPUT + 4 * CACHE_READ + 3 * CACHE_WRITE
        (entry,) = client.texts_when(1)
        assert entry.amount_micro_usd == -math.ceil(exact)
        assert entry.model == CLAUDE

    def test_an_openai_client_with_a_tool_round(self, client: TextClient, stream: bool) -> None:
        tools: Any = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
        messages = said(f"{DOWN} [[tool]]")
        asked: Any = {"model": CLAUDE, "tools": tools}
        if stream:
            with client.openai.chat.completions.stream(messages=messages, **asked) as events:
                answer: Any = events.get_final_completion()
        else:
            answer = client.openai.chat.completions.create(messages=messages, **asked)
        (call,) = answer.choices[0].message.tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "sample"})
        assert answer.choices[0].finish_reason == "tool_calls"
        shown = {"name": call.function.name, "arguments": call.function.arguments}
        calls = [{"id": call.id, "type": "function", "function": shown}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": call.id, "content": "5"},
        ]
        final = client.openai.chat.completions.create(messages=messages, **asked)
        assert final.choices[0].finish_reason == "stop"
        assert client.settled()

    def test_a_picture_and_a_limit(self, client: TextClient, stream: bool) -> None:
        source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
        messages = said({"type": "image", "source": source}, {"type": "text", "text": DOWN})
        answer = ask_messages(client, messages, stream=stream, max_tokens=5)
        assert (answer.stop_reason, answer.usage.output_tokens) == ("max_tokens", 5)


class TestNobodyAnswers:
    def test_an_image_by_its_address_goes_past_the_reserve_that_cannot_take_it(
        self, client: TextClient
    ) -> None:
        image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
        asked: dict[str, Any] = {"model": CLAUDE, "max_tokens": 5}
        body = {**asked, "messages": said(image, {"type": "text", "text": DOWN})}
        assert client.post("/messages", body).status_code == 200
        both = {"type": "text", "text": f"{DOWN} [[openrouter: status 502]]"}
        answer = client.post("/messages", {**asked, "messages": said(image, both)})
        assert answer.status_code == 503
        assert len(client.texts_when(1)) == 1
        assert client.settled()

    @pytest.mark.parametrize("stream", [False, True])
    def test_garbage_from_both_is_502_and_free(self, client: TextClient, stream: bool) -> None:
        body = {"model": CLAUDE, "stream": stream, "messages": said("[[garbage]]")}
        answer = client.post("/chat/completions", body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "provider_error")
        assert client.balance() == USD
        assert client.settled()
        (failed,) = client.entries_of(EntryKind.VOID)
        assert (failed.amount_micro_usd, failed.model, failed.usage) == (0, CLAUDE, None)
        assert failed.provider == "anthropic → bedrock → openrouter"
        assert failed.reason == "Ended with HTTP 502; nothing was charged."
        assert failed.latency_ms is not None

    def test_what_no_provider_was_asked_for_leaves_no_row(self, client: TextClient) -> None:
        bad = {"model": CLAUDE, "messages": said("hi"), "max_tokens": -1}
        assert client.post("/chat/completions", bad).status_code == 400
        assert client.entries_of(EntryKind.VOID) == []

    def test_an_overload_in_midstream_has_the_status_that_openais_clients_know(
        self, client: TextClient
    ) -> None:
        stream = client.openai.chat.completions.create(
            model=CLAUDE, stream=True, messages=said("[[error-in-stream]]")
        )
        with pytest.raises(openai.APIError) as broken:
            list(stream)
        error: Any = broken.value.body
        assert error["type"] == "overloaded_error"
        raw = client.post(
            "/chat/completions", {"model": CLAUDE, "stream": True, "messages": said("[[error-in-stream]]")}
        )
        assert '"code":503' in raw.text
        assert '"code":529' not in raw.text
