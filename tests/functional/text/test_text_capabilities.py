"""What a model refuses is not sent to it: against a simulator that refuses what the vendors refuse."""

from typing import Any

import pytest

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID = [{"role": "user", "content": "hello"}]
SAMPLING = {"temperature": 0.2, "top_p": 0.9}
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}, "strict": True},
}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
STRUCTURED = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
CLAUDES = ["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]
DOWN = "[[anthropic: fail]] hello"
"""The first route fails, so that the reserve answers."""


def ask(client: TextClient, model: str, said: str = "hello", **fields: Any) -> Any:
    """Return a chat's whole answer, which must be 200."""
    body = {"model": model, "max_tokens": 200, "messages": [{"role": "user", "content": said}], **fields}
    answer = client.post("/chat/completions", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(client: TextClient, model: str, **fields: Any) -> Any:
    """Return the error of a chat that must be 400."""
    answer = client.post("/chat/completions", {"model": model, "max_tokens": 200, "messages": SAID, **fields})
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


@pytest.mark.usefixtures("fresh_breaker")
@pytest.mark.parametrize("said", ["hello", DOWN], ids=["anthropic", "reserve"])
@pytest.mark.parametrize("model", [*CLAUDES, "claude-sonnet-4-6", "claude-haiku-4-5"])
class TestClaude:
    def test_what_openai_clients_send_as_a_matter_of_course(
        self, client: TextClient, model: str, said: str
    ) -> None:
        ask(client, model, said, **SAMPLING)

    def test_a_forced_tool(self, client: TextClient, model: str, said: str) -> None:
        ask(client, model, said, tools=[WEATHER], tool_choice="required")

    @pytest.mark.parametrize(
        "fields",
        [
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "enabled", "budget_tokens": 2_000}, "max_tokens": 4_000},
            {"reasoning_effort": "max", "max_tokens": 4_000},
        ],
        ids=["disabled", "budget", "most effort"],
    )
    def test_thinking(self, client: TextClient, model: str, said: str, fields: dict[str, Any]) -> None:
        ask(client, model, said, **fields)

    def test_a_schema(self, client: TextClient, model: str, said: str) -> None:
        ask(client, model, said, response_format=STRUCTURED)


class TestThinkingInAToolLoop:
    def test_a_turn_without_its_thinking_switches_a_budget_off(self, client: TextClient) -> None:
        call = {"id": "a", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        messages = [
            *SAID,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "5"},
        ]
        fields: dict[str, Any] = {"reasoning_effort": "high", "max_tokens": 8_000, "tools": [WEATHER]}
        ask(client, "claude-haiku-4-5", messages=messages, **fields)

    @pytest.mark.parametrize("said", ["hello", DOWN], ids=["anthropic", "reserve"])
    def test_so_does_that_of_a_messages_client(
        self, client: TextClient, fresh_breaker: None, said: str
    ) -> None:
        called: Any = {"type": "tool_use", "id": "a", "name": "weather", "input": {}}
        result: Any = {"type": "tool_result", "tool_use_id": "a", "content": "5"}
        tool: Any = {"name": "weather", "input_schema": {"type": "object"}}
        answer = client.anthropic.messages.create(
            model="claude-haiku-4-5",
            max_tokens=8_000,
            thinking={"type": "enabled", "budget_tokens": 2_000},
            tools=[tool],
            messages=[
                {"role": "user", "content": said},
                {"role": "assistant", "content": [called]},
                {"role": "user", "content": [result]},
            ],
        )
        assert answer.stop_reason == "end_turn"


GPTS = ["gpt-6.1-sol", "gpt-5.5", "gpt-5.4-mini"]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.usefixtures("fresh_breaker")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("model", GPTS)
class TestGptThinksAboutTools:
    """OpenAI takes tools beside an effort at `/responses` alone, so that is where they go."""

    def test_from_chat_completions(self, client: TextClient, model: str, stream: bool) -> None:
        tool: Any = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
        asked: Any = {"model": model, "tools": [tool], "reasoning_effort": "high"}
        messages: list[Any] = [{"role": "user", "content": "[[think]] [[tool]]"}]
        first = _chat(client, stream=stream, messages=messages, **asked)
        (call,) = first["tool_calls"]
        assert call["function"] == {"name": "weather", "arguments": '{"city": "sample"}'}
        # The turn goes back as it came, what it thought included.
        assert first["thinking_blocks"]
        messages += [first, {"role": "tool", "tool_call_id": call["id"], "content": "5 degrees"}]
        assert _chat(client, stream=stream, messages=messages, **asked)["content"]
        one, two = client.texts_when(2)
        assert one.usage is not None
        assert (one.usage["output_tokens"], one.usage["reasoning_tokens"]) == (14, 8)
        assert "estimated" not in one.usage
        assert "estimated" not in (two.usage or {})

    def test_from_messages(self, client: TextClient, model: str, stream: bool) -> None:
        tool: Any = {"name": "weather", "input_schema": CITY}
        said: list[Any] = [{"role": "user", "content": "[[think]] [[tool]]"}]
        asked: Any = {
            "model": model,
            "max_tokens": 2_000,
            "tools": [tool],
            "output_config": {"effort": "high"},
        }
        first = _message(client, stream=stream, messages=said, **asked)
        (call,) = [block for block in first.content if block.type == "tool_use"]
        assert (call.input, first.stop_reason) == ({"city": "sample"}, "tool_use")
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "5 degrees"}
        said += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        second = _message(client, stream=stream, messages=said, **asked)
        assert [block.text for block in second.content if block.type == "text"]

    def test_from_responses(self, client: TextClient, model: str, stream: bool) -> None:
        tool: Any = {"type": "function", "name": "weather", "parameters": CITY, "strict": False}
        asked: Any = {"model": model, "tools": [tool], "reasoning": {"effort": "high"}}
        said: list[Any] = [{"role": "user", "content": "[[think]] [[tool]]"}]
        first = _response(client, stream=stream, input=said, store=False, **asked)
        thought, call = first.output
        assert (thought.type, bool(thought.encrypted_content), call.type) == (
            "reasoning",
            True,
            "function_call",
        )
        items = [item.to_dict() for item in first.output]
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "5 degrees"}
        assert _response(client, stream=stream, input=[*said, *items, result], **asked).output_text


def _chat(client: TextClient, *, stream: bool, **asked: Any) -> Any:
    if not stream:
        message = client.openai.chat.completions.create(**asked).choices[0].message
        return message.to_dict()
    with client.openai.chat.completions.stream(**asked) as chunks:
        message = chunks.get_final_completion().choices[0].message.to_dict()
    # What the helper of streams adds of its own.
    message.pop("parsed", None)
    for call in message.get("tool_calls") or []:  # type: ignore[attr-defined]
        call["function"].pop("parsed_arguments", None)
    return message


def _message(client: TextClient, *, stream: bool, **asked: Any) -> Any:
    if not stream:
        return client.anthropic.messages.create(**asked)
    with client.anthropic.messages.stream(**asked) as events:
        return events.get_final_message()


def _response(client: TextClient, *, stream: bool, **asked: Any) -> Any:
    if not stream:
        return client.openai.responses.create(**asked)
    with client.openai.responses.stream(**asked) as events:
        return events.get_final_response()


@pytest.mark.usefixtures("fresh_breaker")
class TestOthers:
    def test_kimi_gets_no_other_temperature_than_1(self, client: TextClient) -> None:
        ask(client, "kimi-k3", temperature=0.2)

    def test_grok_gets_no_penalties_that_ask_for_nothing(self, client: TextClient) -> None:
        ask(client, "grok-4.7", presence_penalty=0, frequency_penalty=0, stop=None)

    def test_and_one_that_asks_goes_to_a_route_that_takes_it(self, client: TextClient) -> None:
        ask(client, "grok-4.7", stop=["x"])

    def test_an_image_by_its_address_goes_to_a_route_that_fetches_it(self, client: TextClient) -> None:
        parts = [
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
            {"type": "text", "text": "?"},
        ]
        ask(client, "kimi-k3", messages=[{"role": "user", "content": parts}])

    def test_deepseek_is_told_a_schema_in_words(self, client: TextClient) -> None:
        ask(client, "deepseek-v4-flash", response_format=STRUCTURED)


@pytest.mark.usefixtures("fresh_breaker")
class TestNarrowerProviders:
    """What one protocol allows and a provider of the other refuses."""

    @pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
    @pytest.mark.parametrize(
        ("model", "said"),
        [("gpt-5.4-mini", "[[tool]]"), ("claude-haiku-5-5", "[[anthropic: fail]] [[tool]]")],
    )
    def test_long_names_of_tools(self, client: TextClient, model: str, said: str, is_streamed: bool) -> None:
        name = "mcp__a_server_with_a_long_name__" + "a_tool_with_a_long_name_" * 3
        tool: Any = {"name": name, "input_schema": {"type": "object", "properties": {}}}
        turns: Any = [{"role": "user", "content": said}]
        asked: Any = {"model": model, "max_tokens": 300, "tools": [tool]}
        choice: Any = {"type": "auto"}
        for _ in range(2):
            if is_streamed:
                with client.anthropic.messages.stream(messages=turns, tool_choice=choice, **asked) as stream:
                    answer = stream.get_final_message()
            else:
                answer = client.anthropic.messages.create(messages=turns, tool_choice=choice, **asked)
            calls = [block for block in answer.content if block.type == "tool_use"]
            if len(turns) == 1:
                assert [call.name for call in calls] == [name]
            results = [{"type": "tool_result", "tool_use_id": call.id, "content": "5"} for call in calls]
            turns += [{"role": "assistant", "content": [block.to_dict() for block in answer.content]}]
            turns += [{"role": "user", "content": results}]

    @pytest.mark.parametrize(
        "messages",
        [
            [{"role": "system", "content": " "}, {"role": "user", "content": "\n"}],
            [*SAID, {"role": "assistant", "content": "It is "}],
            [{"role": "user", "content": [{"type": "text", "text": "  "}, {"type": "text", "text": "a"}]}],
        ],
        ids=["blank", "continued", "part"],
    )
    def test_texts_without_a_word_and_ends_with_a_space(
        self, client: TextClient, messages: list[dict[str, Any]]
    ) -> None:
        body = {"model": "claude-haiku-5-5", "max_tokens": 50, "messages": messages, "stop": ["\n"]}
        answer = client.post("/chat/completions", body)
        assert answer.status_code == 200, answer.text
