"""Base URLs as people set them: with `/v1` or without, whichever their SDK adds; with the official SDKs."""

from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import openai
import pytest

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

HELLO: Any = [{"role": "user", "content": "hello"}]
BASES = ("/api", "/api/", "/api/v1", "/api/v1/")


@pytest.fixture(params=BASES)
def base_url(client: TextClient, request: pytest.FixtureRequest) -> str:
    """Return a base URL as somebody sets it."""
    return f"{client.url}{request.param}"


class TestAnthropic:
    @pytest.fixture
    def sdk(self, client: TextClient, base_url: str) -> Iterator[anthropic.Anthropic]:
        with anthropic.Anthropic(base_url=base_url, api_key=client.account.api_key, max_retries=0) as made:
            yield made

    def test_messages_streams_counts_and_models(self, sdk: anthropic.Anthropic, client: TextClient) -> None:
        model = "claude-haiku-5-5"
        whole = sdk.messages.create(model=model, max_tokens=50, messages=HELLO)
        with sdk.messages.stream(model=model, max_tokens=50, messages=HELLO) as stream:
            assert stream.get_final_text() == whole.content[0].text  # type: ignore[union-attr]
        assert sdk.messages.count_tokens(model=model, messages=HELLO).input_tokens > 0
        assert model in [each.id for each in sdk.models.list()]
        assert len(client.texts_when(2)) == 2

    def test_an_error_is_read_as_its_own(self, sdk: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.BadRequestError) as raised:
            sdk.messages.create(model="nothing", max_tokens=5, messages=HELLO)
        body: Any = raised.value.body
        assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")


class TestOpenAi:
    @pytest.fixture
    def sdk(self, client: TextClient, base_url: str) -> Iterator[openai.OpenAI]:
        with openai.OpenAI(base_url=base_url, api_key=client.account.api_key, max_retries=0) as made:
            yield made

    def test_chats_responses_and_models(self, sdk: openai.OpenAI, client: TextClient) -> None:
        model = "gpt-5.4-mini"
        chat = sdk.chat.completions.create(model=model, messages=HELLO)
        response = sdk.responses.create(model=model, input="hello", store=False)
        assert chat.choices[0].message.content == response.output_text
        assert model in [each.id for each in sdk.models.list()]
        assert len(client.texts_when(2)) == 2

    def test_one_model_and_a_stored_response(self, sdk: openai.OpenAI) -> None:
        made = sdk.responses.create(model="gpt-5.4-mini", input="hello")
        assert sdk.models.retrieve("gpt-5.4-mini").id == "gpt-5.4-mini"
        assert sdk.responses.retrieve(made.id).output_text == made.output_text
        assert len(sdk.responses.input_items.list(made.id).data) == 1
        sdk.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError):
            sdk.responses.retrieve(made.id)


class TestOtherWays:
    """Clients without an SDK, that add their own paths to whatever base they are told."""

    @pytest.mark.parametrize(
        "path",
        [
            "/api/v1/chat/completions/",
            "/api/v1/v1/chat/completions",
            "/api/chat/completions",
        ],
    )
    def test_chats(self, client: TextClient, path: str) -> None:
        assert self._post(client, path).json()["object"] == "chat.completion"

    def test_an_unknown_path_is_named_as_it_was_sent(self, client: TextClient) -> None:
        refused = self._post(client, "/api/v1/v1/nothing")
        assert refused.status_code == 404
        assert "/api/v1/v1/nothing" in refused.json()["error"]["message"]

    @staticmethod
    def _post(client: TextClient, path: str) -> httpx.Response:
        body = {"model": "gpt-5.4-mini", "messages": HELLO}
        headers = {"authorization": f"Bearer {client.account.api_key}"}
        return httpx.post(client.url + path, json=body, headers=headers, timeout=60)
