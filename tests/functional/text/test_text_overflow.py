"""An input longer than the model's context: agents shorten it, if they can tell it from other refusals."""

from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.exceptions import ContextOverflowError
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.support.text_app import USD, TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

TOO_LONG = "hello [[too-long]]"
SAID: Any = [{"role": "user", "content": TOO_LONG}]
# One model for each vendor's words.
MODELS = [
    *("gpt-5.4-mini", "claude-haiku-5-5", "gemini-3.8-flash", "grok-4.7", "mistral-large-3", "glm-5.3"),
    *("kimi-k3", "minimax-m3", "qwen3.8-max", "deepseek-v4-pro", "llama-4-scout"),
]
CODE = "context_length_exceeded"


@pytest.fixture
def paid_nothing(client: TextClient) -> Iterator[TextClient]:
    yield client
    assert client.balance() == USD


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", MODELS)
class TestTheSdks:
    def test_chats_have_openais_code(self, paid_nothing: TextClient, model: str, stream: bool) -> None:
        with pytest.raises(openai.BadRequestError) as refusal:
            list(paid_nothing.openai.chat.completions.create(model=model, messages=SAID, stream=stream))
        assert refusal.value.code == CODE

    def test_responses_have_openais_code(self, paid_nothing: TextClient, model: str, stream: bool) -> None:
        with pytest.raises(openai.BadRequestError) as refusal:
            list(paid_nothing.openai.responses.create(model=model, input=TOO_LONG, stream=stream))
        assert refusal.value.code == CODE

    def test_messages_have_anthropics_words(self, paid_nothing: TextClient, model: str, stream: bool) -> None:
        with pytest.raises(anthropic.BadRequestError) as refusal:
            paid_nothing.anthropic.messages.create(model=model, max_tokens=9, messages=SAID, stream=stream)
        assert isinstance(refusal.value.body, dict)
        error = refusal.value.body["error"]
        assert (error["type"], error["message"][:18]) == ("invalid_request_error", "prompt is too long")


@pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "gemini-3.8-flash"])
def test_langchain_raises_its_own_error(client: TextClient, model: str) -> None:
    key = SecretStr(client.account.api_key)
    chats = (
        ChatOpenAI(model=model, base_url=f"{client.url}/api/v1", api_key=key, max_retries=0),
        ChatAnthropic(model=model, base_url=f"{client.url}/api", api_key=key, timeout=30, stop=None),
    )
    for chat in chats:
        with pytest.raises(ContextOverflowError):
            chat.invoke(TOO_LONG)


def test_amazons_words_are_known_too(client: TextClient) -> None:
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: Input is too long"):
        client.anthropic.messages.create(
            model="claude-haiku-5-5",
            max_tokens=9,
            messages=SAID,
            extra_body={"provider": {"only": ["amazon-bedrock"]}},
        )


def test_a_chat_of_images_has_the_code_too(client: TextClient) -> None:
    with pytest.raises(openai.BadRequestError) as refusal:
        client.openai.chat.completions.create(model="gemini-3-pro-image", messages=SAID)
    assert refusal.value.code == CODE
