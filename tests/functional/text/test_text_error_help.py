"""Every error of text links to its docs and has the id of its request, in the format of its protocol."""

import json
from typing import Any, NoReturn

import anthropic
import openai
import pytest

from tests.support.sample_errors import SAMPLE_ERRORS, WITH_NEXT_STEP
from tests.support.text_app import TextClient
from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.error_help import REFUSALS
from tollgate.text.routes import calls as route_calls
from tollgate.text.serving import event_stream
from tollgate.text.wire.errors import messages_type

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

SAID: list[Any] = [{"role": "user", "content": "hello"}]
GPT, CLAUDE = "gpt-5.4-mini", "claude-haiku-5-5"
OPENAI_PATHS = ("/chat/completions", "/responses", "/embeddings")
# Each way in which a provider can fail before the first byte, and the code for the client.
FAULTS = {
    "[[garbage]]": (502, "provider_error"),
    "[[status 503]]": (503, "provider_unavailable"),
    "[[status 429]]": (503, "provider_unavailable"),
    "[[status 401]]": (503, "provider_unavailable"),
    "[[lost]]": (503, "provider_unavailable"),
    "[[hang 2]]": (524, "upstream_timeout"),
}
PATIENCE_S = 1.0


def chat(prompt: str, model: str = GPT, **fields: Any) -> dict[str, Any]:
    return {"model": model, "max_tokens": 20, "messages": [{"role": "user", "content": prompt}], **fields}


def raising(error: TollgateError) -> Any:
    async def authenticate(*_: Any) -> NoReturn:
        raise error

    return authenticate


def check(client: TextClient, body: Any, headers: Any, anchor: str) -> None:
    """Check the link and the id of an error body."""
    assert body["error"]["docsUrl"] == f"{client.url}/docs/errors#{anchor}"
    if body.get("type") == "error":
        assert body["request_id"] == headers["x-request-id"] == headers["request-id"]
        assert "requestId" not in body["error"]
    else:
        assert body["error"]["requestId"] == headers["x-request-id"]
        assert "request_id" not in body


@pytest.mark.parametrize("error", SAMPLE_ERRORS.values(), ids=SAMPLE_ERRORS)
class TestEveryError:
    @pytest.mark.parametrize("path", [*OPENAI_PATHS, "/messages"])
    def test_has_both(
        self, shared_client: TextClient, monkeypatch: pytest.MonkeyPatch, path: str, error: TollgateError
    ) -> None:
        monkeypatch.setattr(AsyncAuthenticator, "authenticate", raising(error))
        answer = shared_client.post(path, chat("hello"))
        assert answer.status_code == error.status
        check(shared_client, answer.json(), answer.headers, error.code)
        assert (answer.json().get("type") == "error") == (path == "/messages")
        if error.status in WITH_NEXT_STEP:
            assert answer.json()["error"]["message"].endswith(f". {error.next_step}")

    def test_is_read_by_the_official_sdks(
        self, shared_client: TextClient, monkeypatch: pytest.MonkeyPatch, error: TollgateError
    ) -> None:
        monkeypatch.setattr(AsyncAuthenticator, "authenticate", raising(error))
        with pytest.raises(openai.APIStatusError) as chat_error:
            shared_client.openai.chat.completions.create(model=GPT, messages=SAID)
        found: Any = chat_error.value
        assert (found.status_code, found.code, found.type) == (error.status, error.code, error.type)
        assert found.body["message"] == error.message
        assert found.body["requestId"] == found.request_id
        with pytest.raises(anthropic.APIStatusError) as messages_error:
            shared_client.anthropic.messages.create(model=CLAUDE, max_tokens=5, messages=SAID)
        other: Any = messages_error.value
        assert (other.status_code, other.body["error"]["code"]) == (error.status, error.code)
        assert other.body["error"]["type"] == messages_type(error.status)
        assert other.body["request_id"] == other.request_id


class TestFaults:
    @pytest.mark.parametrize("prompt", FAULTS)
    @pytest.mark.parametrize(("path", "model"), [("/chat/completions", GPT), ("/messages", CLAUDE)])
    def test_of_all_providers_have_both(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, path: str, model: str, prompt: str
    ) -> None:
        monkeypatch.setattr(route_calls, "WHOLE_TIMEOUT_S", PATIENCE_S)
        answer = client.post(path, chat(prompt, model))
        assert (answer.status_code, answer.json()["error"]["code"]) == FAULTS[prompt]
        check(client, answer.json(), answer.headers, FAULTS[prompt][1])

    @pytest.mark.parametrize("prompt", ["[[reject]]", "[[status 503]]"])
    def test_of_a_provider_has_a_number_for_openrouters_sdks(self, client: TextClient, prompt: str) -> None:
        # @openrouter/sdk 1.3.19 (npm): `code` is an integer in each of its error types.
        agent = "speakeasy-sdk/typescript 1.3.19 2.914.0 1.0.0 @openrouter/sdk"
        answer = client.post("/chat/completions", chat(prompt), **{"user-agent": agent})
        error = answer.json()["error"]
        assert (error["code"], answer.json()["code"]) == (answer.status_code, answer.status_code)
        assert error["metadata"].keys() == {"code"}

    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize("path", ["/chat/completions", "/messages"])
    @pytest.mark.parametrize("model", [GPT, CLAUDE])
    def test_a_refusal_in_either_protocol_has_both(
        self, client: TextClient, path: str, model: str, stream: bool
    ) -> None:
        answer = client.post(path, chat("[[reject]]", model, stream=stream))
        assert answer.status_code == 400
        check(client, answer.json(), answer.headers, REFUSALS)

    @pytest.mark.parametrize(("path", "model"), [("/chat/completions", GPT), ("/messages", CLAUDE)])
    def test_an_error_after_the_status_of_a_stream_has_both(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch, path: str, model: str
    ) -> None:
        monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.05)
        answer = client.post(path, chat("[[hang 1]] [[status 503]]", model, stream=True))
        assert answer.status_code == 200
        last = [line for line in answer.text.splitlines() if line.startswith("data: ")][-1]
        check(client, json.loads(last.removeprefix("data: ")), answer.headers, "provider_unavailable")

    def test_an_error_in_a_running_stream_is_read_by_both_sdks(self, client: TextClient) -> None:
        stream = client.openai.chat.completions.create(
            model=GPT, stream=True, messages=[{"role": "user", "content": "[[tokens 20]] [[stream-cut 3]]"}]
        )
        with pytest.raises(openai.APIError, match="broke off"):
            list(stream)


class TestUnknownPath:
    @pytest.mark.parametrize("headers", [{}, {"anthropic-version": "2023-06-01"}])
    def test_has_both(self, client: TextClient, headers: dict[str, str]) -> None:
        answer = client.post("/chat", {}, **headers)
        check(client, answer.json(), answer.headers, "not_found")
