"""Fields that a model's provider lacks: refused by name, or left out and named in a header."""

from typing import Any

import pytest

from tests.support.text_app import TextClient
from tollgate.text.body.fields import CHAT, Rule

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID = [{"role": "user", "content": "hello"}]
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}
IGNORED = "x-tollgate-ignored"
BODY = {"messages": SAID, "tools": [WEATHER]}
ON_RESPONSES = ["gpt-6-luna", "gpt-5.5"]


def chat(client: TextClient, model: str, **fields: Any) -> Any:
    return client.post("/chat/completions", {"model": model, "messages": SAID, "max_tokens": 200, **fields})


class TestThreads:
    """Anthropic's tool runner opens a thread, and afterwards sends only the results of tools."""

    @pytest.mark.parametrize("model", ["deepseek-v4-pro", "claude-haiku-5-5", "gpt-6-luna"])
    def test_a_thread_is_refused_as_the_sdk_understands_it(self, client: TextClient, model: str) -> None:
        body = {"model": model, "max_tokens": 50, "messages": SAID, "thread": {"type": "create"}}
        answer = client.post("/messages", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"
        expected = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
        assert answer.json()["error"]["details"] == expected

    @pytest.mark.parametrize("model", ["deepseek-v4-pro", "claude-haiku-5-5", "gpt-6-luna"])
    def test_the_sdks_tool_runner_sends_the_whole_conversation(self, client: TextClient, model: str) -> None:
        from anthropic import beta_tool  # noqa: PLC0415 - seconds of import

        @beta_tool
        def weather(city: str) -> str:
            """The weather of a city."""
            return f"sunny in {city}"

        asked: Any = [{"role": "user", "content": "[[tool]] " + "the weather of Paris, please, " * 20}]
        runner = client.anthropic.beta.messages.tool_runner(
            model=model, max_tokens=200, tools=[weather], messages=asked
        )
        answers = list(runner)
        assert [answer.stop_reason for answer in answers] == ["tool_use", "end_turn"]
        first, last = (answer.usage.input_tokens for answer in answers)
        assert last > first


@pytest.mark.parametrize("model", ON_RESPONSES)
class TestToolsOnResponses:
    @pytest.mark.parametrize(
        "fields",
        [
            {"seed": 5},
            {"prediction": {"type": "content", "content": "x"}},
            {"reasoning": {"exclude": True}},
            {"transforms": ["middle-out"]},
            {"chat_template_kwargs": {"a": 1}},
        ],
        ids=lambda fields: next(iter(fields)),
    )
    def test_a_hint_is_left_out_and_named(
        self, client: TextClient, model: str, fields: dict[str, Any]
    ) -> None:
        answer = chat(client, model, tools=[WEATHER], **fields)
        assert answer.status_code == 200, answer.text
        assert answer.headers[IGNORED] == next(iter(fields))

    @pytest.mark.parametrize(
        "fields",
        [
            {"stop": ["x"]},
            {"n": 2},
            {"logprobs": True},
            {"logit_bias": {"5": 1}},
            {"presence_penalty": 0.5},
            {"frequency_penalty": 0.5},
        ],
        ids=lambda fields: next(iter(fields)),
    )
    def test_a_wish_is_refused_by_name(self, client: TextClient, model: str, fields: dict[str, Any]) -> None:
        answer = chat(client, model, tools=[WEATHER], **fields)
        assert answer.status_code == 400
        [problem] = answer.json()["error"]["details"]
        assert problem["path"] == f"/{next(iter(fields))}"
        assert answer.json()["error"]["code"] == "invalid_input"

    def test_values_that_ask_for_nothing_pass_unnamed(self, client: TextClient, model: str) -> None:
        answer = chat(client, model, tools=[WEATHER], stop=[], n=1, presence_penalty=0, logprobs=False)
        assert answer.status_code == 200, answer.text
        assert IGNORED not in answer.headers

    def test_a_stream_names_them_too(self, client: TextClient, model: str) -> None:
        answer = chat(client, model, tools=[WEATHER], seed=5, stream=True)
        assert answer.status_code == 200, answer.text
        assert answer.headers[IGNORED] == "seed"


class TestElsewhere:
    @pytest.mark.parametrize("field", [{"n": 2}, {"logprobs": True}], ids=["n", "logprobs"])
    @pytest.mark.parametrize("model", ["claude-haiku-5-5", "claude-sonnet-4-6", "test-chat"])
    def test_several_answers_and_log_probabilities_are_refused(
        self, client: TextClient, model: str, field: dict[str, Any]
    ) -> None:
        answer = chat(client, model, **field)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["details"][0]["path"] == f"/{next(iter(field))}"

    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-4-5", "deepseek-v4-pro"])
    def test_a_wish_that_cannot_be_honoured_is_refused(self, client: TextClient, model: str) -> None:
        answer = chat(client, model, provider={"quantizations": ["fp8"]})
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == "/provider/quantizations"

    def test_a_responses_request_names_what_it_left_out(self, client: TextClient) -> None:
        body = {
            "model": "gpt-5.4-mini",
            "input": "hello",
            "truncation": "auto",
            "seed": 1,
            "max_tool_calls": 3,
        }
        answer = client.post("/responses", body)
        assert answer.headers[IGNORED] == "truncation, seed"

    def test_log_probabilities_of_a_response_are_refused(self, client: TextClient) -> None:
        body = {"model": "gpt-5.4-mini", "input": "hello", "include": ["message.output_text.logprobs"]}
        assert client.post("/responses", body).json()["error"]["details"][0]["path"] == "/include/0"


# A value for each field of OpenAI's chats, and for an unknown one. Each value asks for something.
ASKED: dict[str, Any] = {
    "audio": {"voice": "alloy", "format": "mp3"},
    "frequency_penalty": 0.5,
    "function_call": "auto",
    "functions": [WEATHER["function"]],
    "logit_bias": {"5": 1},
    "logprobs": True,
    "max_completion_tokens": 100,
    "max_tokens": 100,
    "metadata": {"team": "a"},
    "modalities": ["text", "audio"],
    "moderation": {"model": "omni-moderation-latest"},
    "n": 2,
    "parallel_tool_calls": False,
    "prediction": {"type": "content", "content": "x"},
    "presence_penalty": 0.5,
    "prompt_cache_key": "k",
    "prompt_cache_options": {"ttl": "30m"},
    "prompt_cache_retention": "24h",
    "reasoning_effort": "low",
    "response_format": {"type": "json_object"},
    "safety_identifier": "s",
    "seed": 1,
    "service_tier": "scale",
    "stop": ["x"],
    "store": True,
    "stream_options": {"include_usage": True},
    "temperature": 1,
    "tool_choice": "auto",
    "top_logprobs": 2,
    "top_p": 1,
    "user": "u",
    "verbosity": "low",
    "web_search_options": {},
    "foo": 1,
}
GIVEN = ("model", "messages", "stream", "tools")
# Without a price for any model, or a wish that no model with tools here can follow.
NEVER = {"audio", "modalities", "moderation", "service_tier"}


class TestEveryField:
    """Each field, with a tool beside it: the model answers, or the refusal names the field."""

    def test_the_table_has_every_field_of_a_chat(self) -> None:
        own = {name for name, row in CHAT.items() if row.own}
        assert own == {*ASKED, *GIVEN} - {"foo"}

    @pytest.mark.parametrize(
        "model",
        [
            *("gpt-6-luna", "gpt-5.5", "gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "grok-4.7"),
            *("gemini-3.8-flash", "kimi-k2.6", "glm-5.3", "test-chat"),
        ],
    )
    def test_is_followed_or_named(self, client: TextClient, model: str) -> None:
        refused = set()
        for name, value in ASKED.items():
            answer = client.post("/chat/completions", {**BODY, "model": model, name: value})
            if answer.status_code == 200:
                continue
            assert answer.status_code == 400, (name, answer.text)
            error = answer.json()["error"]
            named = [problem["path"] for problem in error.get("details") or []] or [error["message"]]
            assert any(name in each for each in named), (name, answer.text)
            refused.add(name)
        assert refused >= NEVER
        hints = {name for name, row in CHAT.items() if row.rule is Rule.HINT} - {"modalities"}
        assert not refused & hints
