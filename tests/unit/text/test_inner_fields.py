"""The hints inside messages, parts and tools: each has a row, and each way to a provider names it."""

from typing import Any, get_args

import pytest
from anthropic.types import beta
from openai.types import chat, responses, shared_params
from openai.types.chat import chat_completion_content_part_image_param as image
from openai.types.chat import chat_completion_content_part_param as part

from tests.unit.text.samples import ANTHROPIC, OPENAI, call_of, routed
from tests.unit.text.test_fields import names_of
from tollgate.providers.text.anthropic.text import Anthropic
from tollgate.providers.text.bedrock.request import converse_request, ignored_by_converse
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.providers.text.openai_compatible.text import OpenAiCompatible
from tollgate.text.body.inner_fields import OF_CHAT, OF_MESSAGES, OF_RESPONSES, Tables, hints_of_response
from tollgate.text.body.json_body import read_json_body
from tollgate.text.body.request import NativeRequest

CACHES = {"cache_control", "prompt_cache_breakpoint"}
# The fields that a translation carries, follows or refuses, and the state of another model.
KNOWN: list[tuple[Tables, str, Any, str]] = [
    (OF_MESSAGES, "messages", beta.BetaMessageParam, "role content"),
    (OF_MESSAGES, "text", beta.BetaTextBlockParam, "type text citations"),
    (OF_MESSAGES, "image", beta.BetaImageBlockParam, "type source"),
    (OF_MESSAGES, "document", beta.BetaRequestDocumentBlockParam, "type source title context"),
    (OF_MESSAGES, "search_result", beta.BetaSearchResultBlockParam, "type source title content"),
    (OF_MESSAGES, "tool_use", beta.BetaToolUseBlockParam, "type id name input caller toolset_name"),
    (OF_MESSAGES, "tool_result", beta.BetaToolResultBlockParam, "type tool_use_id content is_error"),
    (OF_MESSAGES, "tools", beta.BetaToolParam, "type name description input_schema strict"),
    (OF_MESSAGES, "thinking", beta.BetaThinkingConfigEnabledParam, "type budget_tokens"),
    (OF_MESSAGES, "thinking", beta.BetaThinkingConfigAdaptiveParam, "type"),
    (OF_CHAT, "messages", chat.ChatCompletionUserMessageParam, "role content"),
    (
        OF_CHAT,
        "messages",
        chat.ChatCompletionAssistantMessageParam,
        "role content refusal tool_calls function_call audio",
    ),
    (OF_CHAT, "messages", chat.ChatCompletionToolMessageParam, "role content tool_call_id"),
    (OF_CHAT, "text", chat.ChatCompletionContentPartTextParam, "type text"),
    (OF_CHAT, "image_url", chat.ChatCompletionContentPartImageParam, "type image_url"),
    (OF_CHAT, "image_url", image.ImageURL, "url"),
    (OF_CHAT, "file", part.File, "type file"),
    (
        OF_CHAT,
        "json_schema",
        shared_params.response_format_json_schema.JSONSchema,
        "name schema strict",
    ),
    (OF_RESPONSES, "tools", responses.FunctionToolParam, "type name description parameters strict"),
    (OF_RESPONSES, "tools", responses.CustomToolParam, "type name description format"),
    (OF_RESPONSES, "input_text", responses.ResponseInputTextParam, "type text"),
    (OF_RESPONSES, "input_image", responses.ResponseInputImageParam, "type image_url file_id"),
    (
        OF_RESPONSES,
        "input_file",
        responses.ResponseInputFileParam,
        "type filename file_data file_id file_url",
    ),
    (OF_RESPONSES, "reasoning", shared_params.Reasoning, "effort summary generate_summary mode"),
]


@pytest.mark.parametrize(("tables", "kind", "params", "known"), KNOWN)
def test_every_inner_field_of_the_sdk_is_known(tables: Tables, kind: str, params: Any, known: str) -> None:
    documented = set().union(*map(names_of, get_args(params) or (params,)))
    assert documented > set(known.split()[:1])
    assert documented - CACHES - set(known.split()) - tables[kind].keys() == set()


MARKED = {"cache_control": {"type": "ephemeral"}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}}
TOOL = {"name": "f", "input_schema": {"type": "object"}}
MESSAGES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"messages": [{"role": "user", "content": [{**PDF, "citations": {"enabled": True}}]}]},
        ["document.citations"],
    ),
    ({"messages": [{"role": "user", "content": [{**PDF, "citations": {"enabled": False}}]}]}, []),
    ({"tools": [{**TOOL, "defer_loading": True}]}, ["tools.defer_loading"]),
    ({"tools": [{**TOOL, "defer_loading": False, "allowed_callers": ["direct"]}]}, []),
    ({"tools": [{**TOOL, "input_examples": [{}]}]}, ["tools.input_examples"]),
    (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", **MARKED}]}], "system": [
            {"type": "text", "text": "b", **MARKED}
        ]},
        ["cache_control"],
    ),
    ({"thinking": {"type": "adaptive", "display": "omitted"}}, ["thinking.display"]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "named"), MESSAGES)
def test_a_hint_of_messages_is_named(fields: dict[str, Any], named: list[str]) -> None:
    body = {"model": "ours", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}], **fields}
    chat_only = ("cache_control", "thinking.display")
    at_openai = OpenAiCompatible(VENDORS["openai"], "sk-1").exchange(routed(ANTHROPIC, body, OPENAI))
    assert list(at_openai.ignored) == named
    # Converse has these two in its own words.
    assert ignored_by_converse(body) == [name for name in named if name not in chat_only]
    at_home = Anthropic("sk-1").exchange(routed(ANTHROPIC, body, ANTHROPIC))
    assert list(at_home.ignored) == []


def test_a_documents_context_is_read_by_other_models() -> None:
    message = {"role": "user", "content": [{**PDF, "title": "a.pdf", "context": "Draft"}]}
    body = {"model": "ours", "max_tokens": 100, "messages": [message]}
    exchange = OpenAiCompatible(VENDORS["google"], "sk-1").exchange(routed(ANTHROPIC, body, OPENAI))
    (said,) = read_json_body(call_of(exchange).body).fields["messages"]
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUJD"}
    assert said["content"] == [{"type": "text", "text": "Draft"}, {"type": "file", "file": file}]
    (turn,) = converse_request(body)["messages"]
    assert turn["content"][0]["document"]["context"] == "Draft"
    assert ignored_by_converse(body) == ["document.title"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"messages": [{"role": "user", "content": "hi", "name": "ann"}]}, ["messages.name"]),
        (
            {"messages": [{"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}}]}]},
            ["image_url.detail"],
        ),
        (
            {"messages": [{"role": "user", "content": [
                {"type": "text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}, **MARKED}]}]},
            ["prompt_cache_breakpoint"],
        ),
    ],
)  # fmt: skip
def test_a_hint_of_a_chat_is_named_for_claude(fields: dict[str, Any], named: list[str]) -> None:
    body = {"model": "ours", "messages": [{"role": "user", "content": "hi"}], **fields}
    assert list(Anthropic("sk-1").exchange(routed(OPENAI, body, ANTHROPIC)).ignored) == named


def test_hints_of_a_response_are_named() -> None:
    tools = [{"type": "function", "name": "f", "defer_loading": True, "async": True}]
    content = [{"type": "input_image", "image_url": "https://a/b.png", "detail": "original"}]
    native = NativeRequest({"tools": tools}, [{"role": "user", "content": content}])
    named = ["tools.defer_loading", "tools.async", "input_image.detail"]
    assert hints_of_response(native) == named


def test_words_of_a_refusal_reach_claude() -> None:
    said = {"role": "assistant", "content": None, "refusal": "I cannot."}
    body = {"model": "ours", "messages": [{"role": "user", "content": "hi"}, said]}
    call = call_of(Anthropic("sk-1").exchange(routed(OPENAI, body, ANTHROPIC)))
    turn = read_json_body(call.body).fields["messages"][1]
    assert turn["content"] == [{"type": "text", "text": "I cannot."}]
