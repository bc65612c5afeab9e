"""Nothing about money, routing, hosts or our accounts with providers leaves the service.

Every text provider of the simulator answers in each protocol, whole and streamed, and refuses. Usages are
read as the vendors' documentation has them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from local.simulator.text.vendors import ABOUT_ITSELF, HEADERS, IN_CHOICES
from tests.unit.text.samples import PLAIN, chat_event, chunk, messages_event, meter, run
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.usage import COST_FIELDS, chat_usage, read_token_count
from tollgate.text.wire.relay import ChatRelay, MessagesRelay
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import Meter

# What a name says that is about the provider, or about what it takes from us.
FORBIDDEN = re.compile(
    r"cost|price|bill|paid|credit|byok|discount|ticks|provider|vendor|host|upstream|native|region|router|"
    r"organi|account|user_id|project|payer|perf_|filter_results|sensitive|base_resp"
)
# Anthropic's errors have the id of a request. No chat has one.
FORBIDDEN_IN_CHATS = re.compile(f"{FORBIDDEN.pattern}|request_id")
SAID = re.compile(
    r"simulated host|openrouter|org-simulated|proj_simulated|user_simulated|org_simulated|\bgen-", re.I
)
UPSTREAMS = [*VENDORS, "anthropic", "bedrock"]
PROMPTS = ["hello", "hello [[think]] [[tool]] [[cached 3]] [[cache-write 2]]", "no [[reject]]"]


def names_in(value: Any) -> Iterator[str]:
    """Return the names of all fields, except those inside what a model said, and those of our charge."""
    if isinstance(value, Mapping):
        ours = COST_FIELDS if value.get("is_byok") is False else ()
        for name, inner in value.items():
            if name in ours:
                continue
            yield name
            if name not in ("arguments", "input"):
                yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


def usages_in(parts: list[Any]) -> Iterator[Any]:
    holders = [*parts, *(part.get("message") or {} for part in parts)]
    return (one["usage"] for one in holders if one.get("usage"))


def parts_of(answer: httpx.Response) -> list[Any]:
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return [answer.json()]
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one != "[DONE]"]


@pytest.mark.parametrize("path", ["chat/completions", "messages"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_no_answer_of_any_provider_says_more_than_its_protocol(
    gateway_url: str, meters: list[Meter], upstream: str, path: str
) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool: dict[str, Any] = {"name": "weather", "input_schema": schema}
    if path == "chat/completions":
        tool = {"type": "function", "function": {"name": "weather", "parameters": schema}}
    for prompt in PROMPTS:
        for stream in (False, True):
            message = {"role": "user", "content": prompt}
            body = {"model": "claude-haiku-5-5", "max_tokens": 500, "messages": [message], "tools": [tool]}
            if path == "chat/completions":
                body["stream_options"] = {"include_usage": True}
            answer = httpx.post(f"{gateway_url}/{upstream}/v1/{path}", json={**body, "stream": stream})
            parts = parts_of(answer)
            assert parts, (prompt, stream)
            told = {json.dumps(one["cost_details"]) for one in usages_in(parts) if "cost" in one}
            assert told <= {json.dumps(meters[-1].told(chat_usage).get("cost_details"))}, (prompt, stream)
            forbidden = FORBIDDEN_IN_CHATS if path == "chat/completions" else FORBIDDEN
            assert [name for name in names_in(parts) if forbidden.search(name)] == [], (prompt, stream)
            # The words of a refusal are the provider's, and may repeat the prompt.
            assert SAID.search(answer.text) is None, (prompt, stream)


TOKENS = {"prompt_tokens", "completion_tokens", "total_tokens"}
DETAILS = {"prompt_tokens_details", "completion_tokens_details"}


@pytest.mark.parametrize("upstream", UPSTREAMS)
class TestOneShapeOfChats:
    """A chat has the same fields from every vendor, and shows the usage that is billed."""

    SAID = "hello [[think]] [[cached 3]]"

    def asked(self, url: str, upstream: str, **fields: Any) -> httpx.Response:
        body = {"model": "claude-haiku-5-5", "max_tokens": 500, **fields}
        body["messages"] = [{"role": "user", "content": self.SAID}]
        return httpx.post(f"{url}/{upstream}/v1/chat/completions", json=body)

    def test_whole(self, gateway_url: str, meters: list[Meter], upstream: str) -> None:
        shown = self.asked(gateway_url, upstream).json()
        ChatCompletion.model_validate(shown, strict=True)
        assert shown["id"].startswith("chatcmpl-")
        assert shown["usage"] == meters[-1].told(chat_usage)
        assert shown["usage"].keys() == TOKENS | DETAILS | set(COST_FIELDS)
        [choice] = shown["choices"]
        assert choice.keys() == {"index", "message", "logprobs", "finish_reason"}
        assert choice["message"]["refusal"] is None

    def test_streamed(self, gateway_url: str, meters: list[Meter], upstream: str) -> None:
        options = {"stream": True, "stream_options": {"include_usage": True}}
        *parts, last = parts_of(self.asked(gateway_url, upstream, **options))
        for part in [*parts, last]:
            ChatCompletionChunk.model_validate(part, strict=True)
        assert {part["id"].split("-")[0] for part in parts} == {"chatcmpl"}
        assert {each["id"] for each in parts} == {last["id"]}
        assert [part["usage"] for part in parts if part["usage"] is not None] == []
        assert (last["choices"], last["usage"]) == ([], meters[-1].told(chat_usage))

    def test_streamed_without_usage(self, gateway_url: str, upstream: str) -> None:
        parts = parts_of(self.asked(gateway_url, upstream, stream=True))
        assert [part["usage"] for part in parts if part.get("usage")] == []


def test_the_simulated_providers_say_what_must_not_be_passed_on() -> None:
    """Otherwise the test above could not fail."""
    said = [
        {**ABOUT_ITSELF, **IN_CHOICES}[name]
        for name in ("openrouter", "azure", "zai", "minimax", "fireworks")
    ]
    assert all(any(map(FORBIDDEN_IN_CHATS.search, fields)) for fields in said)
    assert HEADERS["openai"]


class TestBesideTheUsage:
    def test_reasoning_has_one_name_and_a_delta_no_field_of_the_vendor(self) -> None:
        sent = chat_event(chunk({"reasoning": "hm", "audio_content": "", "name": "MiniMax AI"}))
        (part, *_) = run(ChatRelay(meter(), "m", PLAIN, wants_usage=False), [sent])
        assert part["choices"][0]["delta"] == {"reasoning_content": "hm"}

    @pytest.mark.parametrize(("sent", "shown"), [("sensitive", "content_filter"), ("brand_new", "stop")])
    def test_a_finish_reason_is_one_of_openais(self, sent: str, shown: str) -> None:
        dialect = VENDORS["zai"].dialect
        event = chat_event(chunk({}, sent))
        (part, *_) = run(ChatRelay(meter(), "m", dialect, wants_usage=False), [event])
        assert part["choices"][0]["finish_reason"] == shown

    def test_a_tier_that_says_how_we_buy_is_null(self) -> None:
        sent = chat_event(chunk({"content": "Hi"}, service_tier="priority"))
        (part, *_) = run(ChatRelay(meter(), "m", PLAIN, wants_usage=False), [sent])
        assert part["service_tier"] is None

    def test_an_id_that_names_a_reseller_is_one_of_the_protocol(self) -> None:
        sent = chat_event({**chunk({"content": "Hi"}), "id": "gen-17"})
        (part, *_) = run(ChatRelay(meter(), "m", PLAIN, wants_usage=False), [sent])
        assert part["id"] == "chatcmpl-17"

    def test_a_comment_within_an_event_is_left_out(self) -> None:
        sent = chat_event(chunk({"content": "Hi"}))
        assert sent.data is not None
        noisy = SseEvent(b": host 7\nid: 9\n" + sent.raw, sent.data)
        assert ChatRelay(meter(), "m", PLAIN, wants_usage=False).feed(noisy).startswith(b"data: {")

    def test_an_event_of_no_protocol_is_left_out(self) -> None:
        event = messages_event({"type": "billing", "cost": 1})
        assert MessagesRelay(meter(), "m").feed(event) == b""

    def test_ordinary_bytes_pass_as_they_came(self) -> None:
        fields = {"service_tier": "default", "system_fingerprint": "fp", "model": "m"}
        sent = chat_event({**chunk({"content": "Hi"}), **fields})
        assert ChatRelay(meter(), "m", PLAIN, wants_usage=False).feed(sent) == sent.raw


def test_a_token_count_is_nothing_but_the_count() -> None:
    assert read_token_count(b'{"input_tokens": 7, "cost": 1}') == 7
    assert read_token_count(b'{"tokens": 7}') is None
    assert read_token_count(b"[") is None
