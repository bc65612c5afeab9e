"""What a model refuses is not sent to it: against a simulator that refuses what the vendors refuse."""

from typing import Any

import pytest

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

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
