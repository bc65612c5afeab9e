"""The official SDKs, through the wire, to the simulator: each protocol relayed and translated."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from tollgate.text.wire.stream import Meter

openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
anthropic = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")

UPSTREAMS = ["openai", "anthropic", "bedrock", "deepseek", "moonshot", "mistral"]
HI: list[Any] = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": SCHEMA}}
    for name in ("weather", "time")
]
CLAUDE_TOOLS: Any = [
    {"name": name, "description": "d", "input_schema": SCHEMA} for name in ("weather", "time")
]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(params=UPSTREAMS)
def chat(gateway_url: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    base_url = f"{gateway_url}/{request.param}/v1"
    with openai.OpenAI(api_key="key", base_url=base_url, max_retries=0) as client:
        yield client


@pytest.fixture(params=UPSTREAMS)
def claude(gateway_url: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    base_url = f"{gateway_url}/{request.param}"
    with anthropic.Anthropic(api_key="key", base_url=base_url, max_retries=0) as client:
        yield client


def said(prompt: str) -> list[Any]:
    return [{"role": "user", "content": prompt}]


class City(BaseModel):
    city: str
    people: int


class TestOpenAiSdk:
    def test_a_whole_answer(self, chat: Any, meters: list[Meter]) -> None:
        answer = chat.chat.completions.create(model="m", messages=HI)
        assert answer.object == "chat.completion"
        assert len(answer.choices[0].message.content.split()) == 12
        assert (answer.choices[0].finish_reason, answer.usage.completion_tokens) == ("stop", 12)
        assert answer.model == "claude-haiku-5-5"
        usage = meters[-1].usage()
        assert (usage.output_tokens, usage.estimated) == (12, False)

    def test_a_stream_is_the_same_answer_and_usage(self, chat: Any, meters: list[Meter]) -> None:
        whole = chat.chat.completions.create(model="m", messages=said("[[cached 3]]"))
        used = meters[-1].usage()
        options = {"include_usage": True}
        stream = chat.chat.completions.create(
            model="m", messages=said("[[cached 3]]"), stream=True, stream_options=options
        )
        chunks = list(stream)
        text = "".join(choice.delta.content or "" for part in chunks for choice in part.choices)
        assert text == whole.choices[0].message.content
        assert chunks[-1].usage == whole.usage
        assert meters[-1].usage() == used
        assert used.cache_read_tokens == 3
        assert {part.model for part in chunks} == {"claude-haiku-5-5"}

    def test_a_stream_without_usage_has_no_empty_choices(self, chat: Any, meters: list[Meter]) -> None:
        chunks = list(chat.chat.completions.create(model="m", messages=HI, stream=True))
        assert all(part.choices for part in chunks)
        assert not meters[-1].usage().estimated

    @pytest.mark.parametrize("stream", [False, True])
    def test_parallel_tool_calls_and_their_results(self, chat: Any, stream: bool) -> None:
        messages = said("[[tools 2]]")
        calls = self._calls(chat, messages, stream=stream)
        assert [call["function"]["name"] for call in calls] == ["weather", "time"]
        assert json.loads(calls[0]["function"]["arguments"]) == {"city": "sample"}
        results = [{"role": "tool", "tool_call_id": call["id"], "content": "5"} for call in calls]
        messages += [{"role": "assistant", "content": None, "tool_calls": calls}, *results]
        answer = chat.chat.completions.create(model="m", messages=messages, tools=TOOLS)
        assert answer.choices[0].finish_reason == "stop"

    def _calls(self, chat: Any, messages: list[Any], *, stream: bool) -> list[Any]:
        if not stream:
            answer = chat.chat.completions.create(model="m", messages=messages, tools=TOOLS)
            return [call.model_dump() for call in answer.choices[0].message.tool_calls]
        with chat.chat.completions.stream(model="m", messages=messages, tools=TOOLS) as events:
            final = events.get_final_completion()
        assert final.choices[0].finish_reason == "tool_calls"
        return [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in final.choices[0].message.tool_calls
        ]

    def test_a_structured_answer(self, chat: Any) -> None:
        answer = chat.chat.completions.parse(model="m", messages=HI, response_format=City)
        assert answer.choices[0].message.parsed == City(city="sample", people=1)

    def test_an_image_and_a_system_prompt(self, chat: Any) -> None:
        url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
        content = [{"type": "text", "text": "what is it?"}, url]
        messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": content}]
        answer = chat.chat.completions.create(model="m", messages=messages, max_tokens=5, stop=["x"])
        assert (answer.choices[0].finish_reason, answer.usage.completion_tokens) == ("length", 5)

    @pytest.mark.parametrize(
        ("prompt", "kind"),
        [
            ("[[status 429]]", openai.RateLimitError),
            ("[[reject]]", openai.BadRequestError),
            ("[[status 413]]", openai.APIStatusError),
            ("[[fail]]", openai.InternalServerError),
        ],
    )
    def test_refusals(self, chat: Any, prompt: str, kind: type[Exception]) -> None:
        with pytest.raises(kind) as caught:
            chat.chat.completions.create(model="m", messages=said(prompt))
        assert caught.value.message  # type: ignore[attr-defined]

    def test_a_refusal_of_our_own(self, chat: Any) -> None:
        with pytest.raises(openai.BadRequestError) as caught:
            chat.chat.completions.create(model="m", messages=HI, max_tokens=-1)
        assert (caught.value.code, caught.value.type) == ("invalid_input", "BadRequest")

    @pytest.mark.parametrize("prompt", ["[[stream-cut 5]]", "[[error-in-stream]]", "[[garbage 4]]"])
    def test_a_broken_stream_is_an_error(self, chat: Any, prompt: str, meters: list[Meter]) -> None:
        stream = chat.chat.completions.create(model="m", messages=said(prompt), stream=True)
        with pytest.raises(openai.APIError):
            list(stream)
        usage = meters[-1].usage()
        assert usage.estimated
        assert 0 < usage.output_tokens < 40

    def test_no_usage_is_estimated_the_same_streamed_and_whole(self, chat: Any, meters: list[Meter]) -> None:
        chat.chat.completions.create(model="m", messages=said("[[no-usage]]"))
        whole = meters[-1].usage()
        list(chat.chat.completions.create(model="m", messages=said("[[no-usage]]"), stream=True))
        assert whole.estimated
        assert whole.output_tokens > 0
        assert meters[-1].usage().output_tokens == whole.output_tokens

    def test_thinking(self, chat: Any, meters: list[Meter]) -> None:
        chat.chat.completions.create(model="m", messages=said("[[think]]"), reasoning_effort="high")
        assert meters[-1].usage().output_tokens == 20

    @pytest.mark.parametrize("stream", [False, True])
    def test_content_in_parts_is_text_and_thinking(self, gateway_url: str, stream: bool) -> None:
        """Mistral's models answer in parts while they think."""
        with openai.OpenAI(api_key="key", base_url=f"{gateway_url}/mistral/v1", max_retries=0) as client:
            messages = said("[[think]] hi")
            if stream:
                chunks = client.chat.completions.create(model="m", messages=messages, stream=True)
                parts = [choice.delta for chunk in chunks for choice in chunk.choices]
            else:
                parts = [client.chat.completions.create(model="m", messages=messages).choices[0].message]
        text = "".join(part.content or "" for part in parts)
        thought = "".join(getattr(part, "reasoning_content", None) or "" for part in parts)
        assert text
        assert thought
        assert text != thought

    def test_asynchronously(self, gateway_url: str) -> None:
        async def ask() -> Any:
            base_url = f"{gateway_url}/anthropic/v1"
            async with openai.AsyncOpenAI(api_key="key", base_url=base_url) as client:
                return await client.chat.completions.create(model="m", messages=HI)

        assert asyncio.run(ask()).choices[0].finish_reason == "stop"


class TestAnthropicSdk:
    def test_a_whole_answer(self, claude: Any, meters: list[Meter]) -> None:
        answer = claude.messages.create(model="m", max_tokens=1_000, messages=HI, system="be kind")
        assert len(answer.content[0].text.split()) == 12
        assert (answer.stop_reason, answer.usage.output_tokens) == ("end_turn", 12)
        assert answer.model == "claude-haiku-5-5"
        assert meters[-1].usage().output_tokens == 12

    def test_a_stream_is_the_same_answer_and_usage(self, claude: Any, meters: list[Meter]) -> None:
        asked: Any = {"model": "m", "max_tokens": 1_000, "messages": said("[[cached 3]]")}
        whole = claude.messages.create(**asked)
        used = meters[-1].usage()
        with claude.messages.stream(**asked) as stream:
            final = stream.get_final_message()
        assert [block.text for block in final.content] == [block.text for block in whole.content]
        assert (final.usage.output_tokens, final.usage.cache_read_input_tokens) == (12, 3)
        assert final.usage.input_tokens == whole.usage.input_tokens
        assert final.stop_reason == whole.stop_reason
        assert meters[-1].usage() == used

    @pytest.mark.parametrize("stream", [False, True])
    def test_parallel_tool_calls_and_their_results(self, claude: Any, stream: bool) -> None:
        messages = said("[[tools 2]]")
        asked: Any = {"model": "m", "max_tokens": 1_000, "tools": CLAUDE_TOOLS}
        if stream:
            with claude.messages.stream(messages=messages, **asked) as events:
                answer = events.get_final_message()
        else:
            answer = claude.messages.create(messages=messages, **asked)
        assert answer.stop_reason == "tool_use"
        assert [(block.name, block.input) for block in answer.content] == [
            ("weather", {"city": "sample"}),
            ("time", {"city": "sample"}),
        ]
        content = [block.model_dump(exclude_none=True) for block in answer.content]
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "5"} for block in answer.content
        ]
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        assert claude.messages.create(messages=messages, **asked).stop_reason == "end_turn"

    def test_thinking_and_its_way_back(self, claude: Any) -> None:
        asked: Any = {"model": "m", "max_tokens": 1_025}
        thinking = {"type": "enabled", "budget_tokens": 1_024}
        with claude.messages.stream(messages=said("[[think]]"), thinking=thinking, **asked) as stream:
            answer = stream.get_final_message()
        assert answer.content[-1].type == "text"
        content = [block.model_dump(exclude_none=True) for block in answer.content]
        messages = [*said("[[think]]"), {"role": "assistant", "content": content}, *HI]
        assert claude.messages.create(messages=messages, **asked).stop_reason == "end_turn"

    def test_an_image(self, claude: Any) -> None:
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
        content = [{"type": "text", "text": "what is it?"}, image]
        answer = claude.messages.create(
            model="m", max_tokens=5, messages=[{"role": "user", "content": content}]
        )
        assert answer.stop_reason == "max_tokens"

    @pytest.mark.parametrize(
        ("prompt", "kind"),
        [
            ("[[status 429]]", anthropic.RateLimitError),
            ("[[reject]]", anthropic.BadRequestError),
            ("[[status 413]]", anthropic.APIStatusError),
            ("[[fail]]", anthropic.InternalServerError),
        ],
    )
    def test_refusals(self, claude: Any, prompt: str, kind: type[Exception]) -> None:
        with pytest.raises(kind):
            claude.messages.create(model="m", max_tokens=100, messages=said(prompt))

    def test_a_refusal_of_our_own(self, claude: Any) -> None:
        with pytest.raises(anthropic.BadRequestError) as caught:
            claude.messages.create(model="m", max_tokens=-1, messages=HI)
        assert caught.value.body["error"]["type"] == "invalid_request_error"

    @pytest.mark.parametrize("prompt", ["[[stream-cut 5]]", "[[error-in-stream]]", "[[garbage 4]]"])
    def test_a_broken_stream_is_an_error(self, claude: Any, prompt: str, meters: list[Meter]) -> None:
        with (
            pytest.raises(anthropic.APIError),
            claude.messages.stream(model="m", max_tokens=100, messages=said(prompt)) as stream,
        ):
            stream.get_final_message()
        usage = meters[-1].usage()
        assert usage.estimated
        assert 0 < usage.output_tokens < 40

    def test_asynchronously(self, gateway_url: str) -> None:
        async def ask() -> Any:
            base_url = f"{gateway_url}/openai"
            async with anthropic.AsyncAnthropic(api_key="key", base_url=base_url) as client:
                return await client.messages.create(model="m", max_tokens=100, messages=HI)

        assert asyncio.run(ask()).stop_reason == "end_turn"
