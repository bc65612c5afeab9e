"""LangChain's standard integration tests: chat models on all protocols, relayed and translated; embeddings.

What the suite fetches from the web for its messages (a picture, a document) it gets from here. Run by
`test_suites.py` in its own environment, with `TOLLGATE_URL` and `TOLLGATE_API_KEY`. The providers are the
simulator, so what asks for a real model's wit is expected to fail, each by its name.
"""

import base64
import os
from typing import Any

import httpx
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_tests.integration_tests import ChatModelIntegrationTests, EmbeddingsIntegrationTests

URL, KEY = os.environ["TOLLGATE_URL"], os.environ["TOLLGATE_API_KEY"]
GPT, CLAUDE = "gpt-5.4-mini", "claude-haiku-5-5"


PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DOCUMENT = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


@pytest.fixture(autouse=True)
def web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the suite what it fetches for its messages, without the web."""

    def get(url: str, **_: Any) -> httpx.Response:
        return httpx.Response(200, content=DOCUMENT if url.endswith(".pdf") else PICTURE)

    monkeypatch.setattr("langchain_tests.integration_tests.chat_models.httpx.get", get)


class Standard(ChatModelIntegrationTests):  # type: ignore[misc,unused-ignore]
    """The suite, with what our models take: all that it has a word for but audio and video."""

    supports_image_inputs = True
    supports_image_urls = True
    supports_image_tool_message = True
    supports_pdf_inputs = True
    supports_pdf_tool_message = True
    supports_json_mode = True
    supports_model_override = True
    model_override_value = "test-chat"

    @pytest.mark.xfail(
        reason="Needs a model's wit: the weather of a city in the question, by a tool it chooses."
    )
    def test_agent_loop(self, model: Any) -> None:
        super().test_agent_loop(model)

    @pytest.mark.xfail(reason="Needs a model's wit: Chinese words of the question in a tool's arguments.")
    def test_unicode_tool_call_integration(self, model: Any, **options: Any) -> None:
        super().test_unicode_tool_call_integration(model, **options)


class TestChat(Standard):
    """ChatOpenAI on chat completions."""

    chat_model_class = ChatOpenAI
    chat_model_params = {
        "model": GPT,
        "base_url": f"{URL}/api/v1",
        "api_key": KEY,
        "max_retries": 0,
        # LangChain asks no other base URL than OpenAI's for it by itself.
        "stream_usage": True,
    }

    @pytest.mark.xfail(reason="Needs a model's wit: the answer's keys stand in the question alone.")
    def test_json_mode(self, model: Any) -> None:
        super().test_json_mode(model)


class TestChatOfClaude(TestChat):
    """The same, translated."""

    chat_model_params = {**TestChat.chat_model_params, "model": CLAUDE}


class TestResponses(TestChat):
    """ChatOpenAI on responses."""

    chat_model_params = {**TestChat.chat_model_params, "use_responses_api": True}


class TestResponsesOfClaude(TestResponses):
    """The same, translated."""

    chat_model_params = {**TestResponses.chat_model_params, "model": CLAUDE}


class TestMessages(Standard):
    """ChatAnthropic on messages."""

    supports_anthropic_inputs = True
    chat_model_class = ChatAnthropic
    chat_model_params = {
        "model": "claude-haiku-4-5",
        "base_url": f"{URL}/api",
        "api_key": KEY,
        "max_retries": 0,
        "max_tokens": 500,
    }


class TestMessagesOfGpt(TestMessages):
    """The same, translated."""

    chat_model_params = {**TestMessages.chat_model_params, "model": GPT}


class TestEmbeddings(EmbeddingsIntegrationTests):  # type: ignore[misc,unused-ignore]
    """OpenAIEmbeddings."""

    embeddings_class = OpenAIEmbeddings
    embedding_model_params = {
        "model": "text-embedding-3-small",
        "base_url": f"{URL}/api/v1",
        "api_key": KEY,
        # Otherwise it fetches OpenAI's tokenizer from the web, and sends tokens.
        "check_embedding_ctx_length": False,
    }
