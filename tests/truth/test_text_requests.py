"""Bodies that our text adapters send are those that the vendors' own packages have types for."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import boto3
import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from botocore.validate import ParamValidator
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError

from tests.truth.conftest import Checked
from tests.unit.text.samples import ANTHROPIC, OPENAI, call_of, routed
from tests.unit.text.test_any_provider_down import MODELS, upstreams
from tollgate.kit.errors import InvalidInputError
from tollgate.text.models import TextModel, TextProtocol, TextRoute
from tollgate.text.money.metering import HoldPlan

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PIXEL = "data:image/png;base64,iVBORw0KGgo="
CHATS: dict[str, dict[str, Any]] = {
    "plain": {"messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "hi"}]},
    "bounded": {"messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 50, "stop": ["x"]},
    "image": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "what is it?"},
                    {"type": "image_url", "image_url": {"url": PIXEL}},
                ],
            }
        ]
    },
    "tools": {
        "messages": [
            {"role": "user", "content": "weather?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
        ],
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": CITY}}],
    },
    "structured": {
        "messages": [{"role": "user", "content": "hi"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "city", "schema": CITY, "strict": True},
        },
    },
    "effort": {"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "low"},
}
MESSAGES: dict[str, dict[str, Any]] = {
    "plain": {"system": "Be short.", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 50},
    "tools": {
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "weather?"}],
        "tools": [{"name": "weather", "input_schema": CITY}],
        "tool_choice": {"type": "auto"},
    },
}


def bodies(provider: str) -> Iterator[tuple[TextModel, str, str, dict[str, Any]]]:
    """Return what a provider is sent for each of its models: the name of the case, the address, the body."""
    upstream = upstreams()[provider]
    for model in MODELS:
        for route in model.routes:
            if route.provider == provider:
                for protocol, name, body in _asked(model):
                    # What a model refuses by name goes nowhere.
                    with suppress(InvalidInputError):
                        yield model, name, *_sent(upstream, model, route, protocol, body)


def _asked(model: TextModel) -> Iterator[tuple[TextProtocol, str, dict[str, Any]]]:
    chats = CHATS.items() if OPENAI in model.protocols else ()
    messages = MESSAGES.items() if ANTHROPIC in model.protocols else ()
    yield from ((OPENAI, f"chat {name}", body) for name, body in chats)
    yield from ((ANTHROPIC, f"messages {name}", body) for name, body in messages)


def _sent(
    upstream: Any, model: TextModel, route: TextRoute, protocol: TextProtocol, body: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    asked = {"model": model.id, **body}
    exchange = upstream.exchange(
        routed(protocol, asked, route.protocol, model=model, route=route, hold=HoldPlan(1_000, 50_000))
    )
    call = call_of(exchange)
    return call.url, json.loads(call.body)


def strict(kind: Any) -> TypeAdapter[Any]:
    """Return the reader of a package's TypedDict that takes no field beside its own."""
    kind.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    try:
        return TypeAdapter(kind)
    except PydanticUserError as exc:
        pytest.fail(str(exc))


class TestBedrock:
    def test_converse_bodies_fit_botos_service_model(self, checked: Checked) -> None:
        client = boto3.client("bedrock-runtime", region_name="us-east-1")
        shape = client.meta.service_model.operation_model("Converse").input_shape
        assert shape is not None
        for model, name, url, body in bodies("bedrock"):
            if "/converse" not in url:
                continue
            named = _with_bytes({"modelId": url.split("/")[-2], **body})
            report = ParamValidator().validate(named, shape)
            assert not report.has_errors(), (model.id, name, report.generate_report())
            assert named.keys() <= shape.members.keys(), (model.id, name)
            checked("bedrock", "boto3")


def _with_bytes(value: Any) -> Any:
    """Return a body as boto3 is given it: what goes over the wire as base64 is bytes there."""
    if isinstance(value, dict):
        return {key: b"x" if key == "bytes" else _with_bytes(inner) for key, inner in value.items()}
    return [_with_bytes(one) for one in value] if isinstance(value, list) else value


class TestAnthropic:
    def test_messages_fit_the_types_of_its_sdk(self, checked: Checked) -> None:
        reader = strict(MessageCreateParamsNonStreaming)
        for model, name, url, body in bodies("anthropic"):
            reader.validate_python(body)
            assert url.endswith("/messages"), (model.id, name)
            checked("anthropic", "anthropic")


class TestOpenAi:
    def test_chats_fit_the_types_of_its_sdk(self, checked: Checked) -> None:
        reader = strict(CompletionCreateParamsNonStreaming)
        for _, _, url, body in bodies("openai"):
            if url.endswith("/chat/completions"):
                reader.validate_python(body)
                checked("openai", "openai")
