"""The simulator refuses what vendors' documents rule out, so that a program that works here works there."""

from typing import Any

import pytest

from local.simulator.text.bodies import chat_body_refusal, messages_body_refusal, responses_body_refusal

HELLO = {"role": "user", "content": "hello"}
PNG = "data:image/png;base64,iVBORw0KGgo="
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
SIMPLE = {"type": "function", "name": "f", "parameters": {"type": "object"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "5"}
USED = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]}
GIVEN = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "5"}]}
MADE = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
GOT = {"type": "function_call_output", "call_id": "c1", "output": "5"}
FORMAT = {"response_format": {"type": "json_object"}}


def image(url: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


def block(**source: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "image", "source": {"type": "base64", **source}}]}


def named(name: str) -> list[dict[str, Any]]:
    return [{**TOOL, "function": {"name": name}}]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"temperature": 2}, None),
        ({"temperature": 2.1}, "temperature"),
        ({"n": 0}, "'n'"),
        ({"presence_penalty": -2.1}, "presence_penalty"),
        ({"top_logprobs": 21, "logprobs": True}, "top_logprobs"),
        ({"top_logprobs": 2}, "'logprobs' must be true"),
        ({"stop": ["a"] * 4}, None),
        ({"stop": ["a"] * 5}, "'stop'"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"response_format": {"type": "xml"}}, "xml"),
        (FORMAT, "the word 'json'"),
        ({**FORMAT, "messages": [{"role": "user", "content": "As JSON"}]}, None),
        ({"tools": []}, "'tools'"),
        ({"tool_choice": "auto"}, "'tool_choice' is only allowed"),
        ({"reasoning_effort": "xhigh"}, None),
        ({"reasoning_effort": "huge"}, "huge"),
        ({"tools": [TOOL], "tool_choice": "required"}, None),
        ({"tools": [TOOL], "tool_choice": "any"}, "'any'"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}}, None),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "g"}}}, "'g' not found"),
        ({"tools": named("a" * 64)}, None),
        ({"tools": named("a" * 65)}, "tools[0].function.name"),
        ({"tools": named("a name")}, "tools[0].function.name"),
        ({"messages": [{"role": "x", "content": "a"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0]"),
        ({"messages": [HELLO, {"role": "assistant"}]}, "messages[1].content"),
        ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "video"),
        ({"messages": [image(PNG)]}, None),
        ({"messages": [image("data:image/bmp;base64,AAAA")]}, "image_url"),
        ({"messages": [image("data:image/png;base64,!!")]}, "image_url"),
        ({"messages": [HELLO, CALLED, RESULT, HELLO]}, None),
        ({"messages": [HELLO, RESULT]}, "preceding message"),
        ({"messages": [HELLO, CALLED, RESULT, HELLO, RESULT]}, "must be a response"),
        ({"messages": [HELLO, CALLED, HELLO]}, "c1"),
        ({"messages": [HELLO, CALLED]}, "c1"),
    ],
    ids=lambda value: None if value is None else str(value)[:40],
)
def test_chat_completions(fields: dict[str, Any], says: str | None) -> None:
    reason = chat_body_refusal({"model": "m", "messages": [HELLO], **fields})
    assert reason is None if says is None else says in str(reason)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"temperature": 2.1}, "temperature"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
        ({"input": [MADE, GOT]}, None),
        ({"tools": [{"type": "function", "name": "a" * 64}]}, None),
        ({"tools": [{"type": "function", "name": "a name"}]}, "tools[0].name"),
        ({"tools": [SIMPLE], "tool_choice": {"type": "function", "name": "f"}}, None),
        ({"tools": [SIMPLE], "tool_choice": {"type": "function", "name": "g"}}, "'g' not found"),
        ({"input": [MADE]}, "No tool output found for function call c1"),
        ({"input": [GOT]}, "No tool call found for function call output with call_id c1"),
    ],
    ids=lambda value: None if value is None else str(value)[:40],
)
def test_responses(fields: dict[str, Any], says: str | None) -> None:
    reason = responses_body_refusal({"model": "m", **fields}, fields.get("input", []))
    assert reason is None if says is None else says in str(reason)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"temperature": 1}, None),
        ({"temperature": 1.1}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stop_sequences": ["\n"]}, "non-whitespace"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 1_025}, None),
        ({"thinking": {"type": "enabled", "budget_tokens": 1_023}, "max_tokens": 1_025}, "budget_tokens"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 1_024}, "budget_tokens"),
        ({"tools": [{"name": "a" * 128}]}, None),
        ({"tools": [{"name": "a" * 129}]}, "tools.0.name"),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "unique"),
        ({"thinking": {"type": "adaptive"}}, None),
        ({"thinking": {"type": "hard"}}, "'hard'"),
        ({"tools": [{"name": "a"}], "tool_choice": {"type": "tool", "name": "a"}}, None),
        ({"tools": [{"name": "a"}], "tool_choice": {"type": "tool", "name": "b"}}, "'b' not found"),
        ({"tools": [{"name": "a"}], "tool_choice": {"type": "required"}}, "'required'"),
        ({"tool_choice": {"type": "auto"}}, "providing tools"),
        ({"messages": [{"role": "tool", "content": "a"}]}, "Unexpected role"),
        ({"messages": [{"role": "user", "content": None}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": ""}]}, "non-"),
        ({"messages": [{"role": "user", "content": " \n"}]}, "non-whitespace"),
        ({"messages": [{"role": "user", "content": []}]}, "non-empty"),
        ({"messages": [HELLO, {"role": "assistant", "content": "a"}]}, None),
        ({"messages": [HELLO, {"role": "assistant", "content": "a "}]}, "trailing whitespace"),
        ({"messages": [HELLO, USED, GIVEN]}, None),
        ({"messages": [HELLO, USED, HELLO]}, "without `tool_result`"),
        ({"messages": [HELLO, GIVEN]}, "unexpected `tool_use_id`"),
        ({"messages": [block(media_type="image/png", data="AAAA")]}, None),
        ({"messages": [block(media_type="image/bmp", data="AAAA")]}, "media_type"),
        ({"messages": [block(media_type="image/png", data="!!")]}, "base64"),
    ],
    ids=lambda value: None if value is None else str(value)[:40],
)
def test_messages(fields: dict[str, Any], says: str | None) -> None:
    reason = messages_body_refusal({"model": "m", "max_tokens": 50, "messages": [HELLO], **fields})
    assert reason is None if says is None else says in str(reason)
