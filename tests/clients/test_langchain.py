"""LangChain's own OpenAI and Anthropic models, on the served app: each protocol relayed and translated."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

MODELS = {
    "openai": ("openai", "gpt-5.4-mini"),
    "openai-translated": ("openai", "claude-haiku-5-5"),
    "anthropic": ("anthropic", "claude-haiku-5-5"),
}
WORDS = 12
"""How long the simulator's answers are."""


class City(BaseModel):
    """A city."""

    city: str
    people: int


@pytest.fixture(scope="module")
def weather() -> Any:
    """Return a tool. Importing LangChain takes seconds, so only who runs these tests does."""
    from langchain_core.tools import tool  # noqa: PLC0415 - see above

    @tool
    def weather(city: str) -> str:
        """Return the temperature in a city."""
        return f"5 degrees in {city}"

    return weather


@pytest.fixture(params=MODELS)
def model(client: TextClient, request: pytest.FixtureRequest) -> Any:
    from langchain_anthropic import ChatAnthropic  # noqa: PLC0415 - see above
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    protocol, model_id = MODELS[request.param]
    key = SecretStr(client.account.api_key)
    makers: dict[str, Callable[[], Any]] = {
        "openai": lambda: ChatOpenAI(
            model=model_id, base_url=f"{client.url}/api/v1", api_key=key, max_retries=0, stream_usage=True
        ),
        "anthropic": lambda: ChatAnthropic(
            model=model_id, base_url=f"{client.url}/api", api_key=key, max_retries=0, max_tokens=500
        ),
    }
    return makers[protocol]()


class TestLangChain:
    def test_invoke_and_stream_are_the_same_answer_and_usage(self, model: Any, client: TextClient) -> None:
        whole = model.invoke("hello")
        pieces = list(model.stream("hello"))
        streamed = sum(pieces[1:], pieces[0])
        assert len(whole.text.split()) == WORDS
        assert streamed.text == whole.text
        assert whole.usage_metadata["output_tokens"] == WORDS
        assert streamed.usage_metadata["output_tokens"] == WORDS
        assert streamed.usage_metadata["input_tokens"] == whole.usage_metadata["input_tokens"] > 0
        first, second = client.texts_when(2)
        assert first.amount_micro_usd == second.amount_micro_usd < 0

    def test_a_tool_round(self, model: Any, weather: Any) -> None:
        from langchain_core.messages import HumanMessage, ToolMessage  # noqa: PLC0415 - see above

        with_tools = model.bind_tools([weather])
        conversation: list[Any] = [HumanMessage("[[tool]]")]
        answer = with_tools.invoke(conversation)
        (call,) = answer.tool_calls
        assert (call["name"], call["args"]) == ("weather", {"city": "sample"})
        conversation += [answer, ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])]
        final = with_tools.invoke(conversation)
        assert not final.tool_calls
        assert len(final.text.split()) == WORDS

    def test_a_streamed_tool_call(self, model: Any, weather: Any) -> None:
        pieces = list(model.bind_tools([weather]).stream("[[tool]]"))
        (call,) = sum(pieces[1:], pieces[0]).tool_calls
        assert (call["name"], call["args"]) == ("weather", {"city": "sample"})

    @pytest.mark.parametrize("method", ["function_calling", "json_schema"])
    def test_a_structured_answer(self, model: Any, method: str) -> None:
        assert model.with_structured_output(City, method=method).invoke("a city") == City(
            city="sample", people=1
        )
