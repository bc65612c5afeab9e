"""Law: any JSON in any place of a body is sent to a provider, or refused by a named 4xx: never a 500."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import TollgateError
from tollgate.providers.runtime.text_registry import known_text_providers, translating_upstreams
from tollgate.routing.selection import NO_POLICIES
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.responses.as_chat import complete_chat
from tollgate.text.routes.admission import demand_of
from tollgate.text.routes.exchanges import RouteCheck

# Each of them has another provider, with other rules.
MODELS = ("gpt-5.4-mini", "claude-haiku-5-5", "gemini-3.5-flash", "mistral-medium-3.5")
NAMES = st.sampled_from(
    [
        *("type", "text", "role", "content", "source", "url", "data", "media_type", "image_url", "file"),
        *("file_data", "filename", "id", "name", "input", "tool_use_id", "call_id", "arguments", "output"),
        *("summary", "function", "tool_calls", "cache_control", "citations", "title", "encrypted_content"),
    ]
)
WORDS = st.sampled_from(
    [
        *("text", "image", "document", "tool_use", "tool_result", "thinking", "image_url", "file", "url"),
        *("input_text", "input_file", "input_image", "function_call", "function_call_output", "reasoning"),
        *("user", "assistant", "system", "tool", "function", "base64", "", "https://example.com/a.png"),
        *("data:image/png;base64,iVBORw0KGgo=", "search_result", "redacted_thinking", "message"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 10**30) | st.floats(-1e9, 1e9) | WORDS
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)
OF_CHATS = (
    *("messages", "stop", "tools", "tool_choice", "response_format", "reasoning_effort", "seed", "n"),
    *("metadata", "modalities", "audio", "prediction", "functions", "user", "logit_bias", "plugins"),
    *("service_tier", "provider", "models", "reasoning", "thinking", "max_tokens", "stream_options"),
)
OF_MESSAGES = (
    *("messages", "system", "stop_sequences", "thinking", "tool_choice", "tools", "metadata", "speed"),
    *("context_management", "top_k", "mcp_servers", "service_tier", "output_config", "max_tokens"),
)
OF_RESPONSES = (
    *("input", "include", "tools", "tool_choice", "reasoning", "text", "truncation", "metadata", "user"),
    *("instructions", "service_tier", "max_output_tokens", "prompt", "conversation", "temperature"),
)


@cache
def wired(model: str) -> TextModel:
    return wire_model(Catalog.shipped().text_model(model))


@cache
def check() -> RouteCheck:
    return RouteCheck(known_text_providers(), translating_upstreams())


def sent_or_refused(model: str, read: Callable[[], TextRequest]) -> None:
    """Translate a request for the providers of its model. Raises errors that are not the client's."""
    try:
        request = read()
        check().under(NO_POLICIES)(request, [(wired(model), demand_of(request, wired(model)))])
    except TollgateError as exc:
        if not 400 <= exc.status < 500:
            raise


def encoded(body: Any) -> bytes:
    return json.dumps(body).encode()


@pytest.mark.parametrize("model", MODELS)
class TestAnyJson:
    @given(name=st.sampled_from(OF_CHATS), value=JSON, part=JSON)
    def test_in_a_chat(self, model: str, name: str, value: Any, part: Any) -> None:
        body = {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": [part]}]}
        plain = {**body, "messages": [{"role": "user", "content": "hi"}], name: value}
        sent_or_refused(model, lambda: read_request(TextProtocol.OPENAI, encoded(body)))
        sent_or_refused(model, lambda: read_request(TextProtocol.OPENAI, encoded(plain)))

    @given(name=st.sampled_from(OF_MESSAGES), value=JSON, block=JSON)
    def test_in_messages(self, model: str, name: str, value: Any, block: Any) -> None:
        body = {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": [block]}]}
        plain = {**body, "messages": [{"role": "user", "content": "hi"}], name: value}
        sent_or_refused(model, lambda: read_request(TextProtocol.ANTHROPIC, encoded(body)))
        sent_or_refused(model, lambda: read_request(TextProtocol.ANTHROPIC, encoded(plain)))

    @given(name=st.sampled_from(OF_RESPONSES), value=JSON, part=JSON, item=JSON)
    def test_in_a_response(self, model: str, name: str, value: Any, part: Any, item: Any) -> None:
        said: dict[str, Any] = {"model": model, "input": [{"role": "user", "content": [part]}]}
        body, plain = {**said, "input": [item]}, {"model": model, "input": "hi", name: value}
        sent_or_refused(model, lambda: complete_chat(said, len(encoded(said)))[0])
        sent_or_refused(model, lambda: complete_chat(body, len(encoded(body)))[0])
        sent_or_refused(model, lambda: complete_chat(plain, len(encoded(plain)))[0])
