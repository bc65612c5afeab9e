"""Every answer has its protocol's shape, whatever the vendor: by the newest SDKs' types, strictly.

Nine vendors, three protocols, all scenarios, whole and streamed, errors included: through `functions/text`
and the simulator, in this process.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.sdk_shapes import (
    OUR_ERROR,
    ChatCompletion,
    ChatCompletionChunk,
    ErrorResponse,
    Message,
    RawMessageStreamEvent,
    Response,
    ResponseStreamEvent,
    event_shape,
    faults_of,
)
from tests.support.text_in_process import TextCustomer, text_customer
from tests.unit.text.samples import gathered_completion, gathered_message
from text.app import app
from tollgate.text.usage import Usage, chat_usage, messages_usage, responses_usage

MODELS = {
    "openai": "gpt-5.4-mini",
    "anthropic": "claude-haiku-4-5",
    "deepseek": "deepseek-v4-pro",
    "google": "gemini-3.8-flash",
    "zai": "glm-5.3",
    "xai": "grok-4.7",
    "moonshot": "kimi-k3",
    "minimax": "MiniMax-M3",
    "dashscope": "qwen3.8-max",
    "openrouter": "claude-haiku-4-5",
    "bedrock": "claude-haiku-4-5",
}
"""A model of each vendor. The first nine make models, and the last two serve them in ways of their own."""
PATHS = ("chat/completions", "messages", "responses")
CHAT, MESSAGES, RESPONSES = PATHS
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DATA_URL = f"data:image/png;base64,{PIXEL}"
NAMES = ("weather", "time")
TOOLS: Mapping[str, Any] = {
    CHAT: [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in NAMES],
    MESSAGES: [{"name": name, "input_schema": SCHEMA} for name in NAMES],
    RESPONSES: [{"type": "function", "name": name, "parameters": SCHEMA, "strict": False} for name in NAMES],
}
USE: Mapping[str, Any] = {"id": "call_1", "name": "weather", "input": {"city": "Rome"}}
CALL = {"name": "weather", "arguments": '{"city":"Rome"}'}


@dataclass(frozen=True)
class Scenario:
    """A request: its prompt, and its other fields by protocol.

    `said` are the messages after the prompt. `is_error`: every vendor's answer to it is an error.
    """

    prompt: str = "hello"
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    said: Mapping[str, list[Any]] = field(default_factory=dict)
    has_tools: bool = False
    is_error: bool = False


def each(**fields: Any) -> Mapping[str, Mapping[str, Any]]:
    return dict.fromkeys(PATHS, fields)


def named(chat: Any, messages: Any, responses: Any) -> dict[str, Any]:
    return {CHAT: chat, MESSAGES: messages, RESPONSES: responses}


SCENARIOS = {
    "plain": Scenario(),
    "instructions": Scenario(fields=named({}, {"system": "Be kind."}, {"instructions": "Be kind."})),
    "thinking": Scenario("hello [[think]]"),
    "one tool": Scenario("hello [[tool]]", has_tools=True),
    "two tools after thinking": Scenario("hello [[think]] [[tools 2]]", has_tools=True),
    "a tool's result": Scenario(
        has_tools=True,
        said=named(
            [
                {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": CALL}]},
                {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
            ],
            [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "I look.", "citations": []},
                        {"type": "tool_use", "caller": {"type": "direct"}, **USE},
                    ],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "sunny"}],
                },
            ],
            [
                {"type": "function_call", "call_id": "call_1", **CALL},
                {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
            ],
        ),
    ),
    "a tool by force": Scenario(
        has_tools=True,
        fields=named(
            {"tool_choice": "required"}, {"tool_choice": {"type": "any"}}, {"tool_choice": "required"}
        ),
    ),
    "a schema": Scenario(
        fields=named(
            {"response_format": {"type": "json_schema", "json_schema": {"name": "c", "schema": SCHEMA}}},
            {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
            {"text": {"format": {"type": "json_schema", "name": "c", "schema": SCHEMA}}},
        )
    ),
    "an image": Scenario(
        said=named(
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": DATA_URL}}]}],
            [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
                        }
                    ],
                }
            ],
            [{"role": "user", "content": [{"type": "input_image", "image_url": DATA_URL, "detail": "auto"}]}],
        )
    ),
    "a read cache": Scenario("hello [[think]] [[cached 5]]"),
    "a written cache": Scenario("hello [[cache-write 5]]"),
    "usage beside the content": Scenario("hello [[usage-in-choices]]"),
    "no usage": Scenario("hello [[no-usage]]"),
    "a limit": Scenario(
        "hello [[tokens 99]]",
        named({"max_completion_tokens": 20}, {"max_tokens": 20}, {"max_output_tokens": 20}),
    ),
    "an effort": Scenario(
        fields=named(
            {"reasoning_effort": "low"},
            {"output_config": {"effort": "low"}},
            {"reasoning": {"effort": "low", "summary": "auto"}},
        )
    ),
    "two answers": Scenario(fields=named({"n": 2}, {}, {})),
    "log probabilities": Scenario(
        fields=named({"logprobs": True, "top_logprobs": 2}, {}, {"top_logprobs": 2})
    ),
    "a stop": Scenario(fields=named({"stop": ["###"]}, {"stop_sequences": ["###"]}, {})),
    "hints": Scenario(
        fields=named(
            {"seed": 1, "user": "u", "metadata": {"a": "b"}, "verbosity": "low", "service_tier": "auto"},
            {"metadata": {"user_id": "u"}, "service_tier": "auto"},
            {"user": "u", "metadata": {"a": "b"}, "service_tier": "auto"},
        )
    ),
    "a refusal": Scenario("no [[reject]]", is_error=True),
    "a busy vendor": Scenario("hello [[status 429]]", is_error=True),
    "a broken vendor": Scenario("hello [[fail]]", is_error=True),
    "an unreadable answer": Scenario("hello [[garbage]]", is_error=True),
    "a broken connection": Scenario("hello [[stream-cut 4]]", is_error=True),
    "an error in the stream": Scenario("hello [[error-in-stream]]"),
    "an unknown model": Scenario(fields=each(model="gpt-99"), is_error=True),
    "a wrong type": Scenario(fields=each(temperature="hot"), is_error=True),
    "an unknown field": Scenario(fields=each(foo=1)),
}


def body_of(path: str, vendor: str, asked: Scenario) -> dict[str, Any]:
    """Return the request of a scenario in one protocol."""
    turns = [{"role": "user", "content": asked.prompt}, *asked.said.get(path, [])]
    body: dict[str, Any] = {"model": MODELS[vendor]}
    body |= {"input": turns, "store": False} if path == RESPONSES else {"messages": turns}
    body |= {"max_tokens": 500} if path == MESSAGES else {}
    body |= {"tools": TOOLS[path]} if asked.has_tools else {}
    return {**body, **asked.fields.get(path, {})}


def error_faults(path: str, payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an error body: OpenAI's `Error`, or Anthropic's `ErrorResponse`."""
    error = payload.get("error", {})
    if set(error) - OUR_ERROR - {"param"}:
        yield f"error: {set(error) - OUR_ERROR}"
    if path == MESSAGES:
        plain = {name: error.get(name) for name in ("message", "type")}
        yield from faults_of(ErrorResponse, {**payload, "error": plain})
        return
    if {"message", "type", "param", "code"} - set(error):
        yield f"error: lacks { ({'message', 'type', 'param', 'code'} - set(error)) }"
    if error.get("param") is not None and not isinstance(error["param"], str):
        yield "error: param is no text"


def chat_faults(parts: list[Any], billed: Usage, *, wants_usage: bool) -> Iterator[str]:
    """Yield what is wrong with the chunks of a chat, which ended well."""
    chunks, last = parts[:-1], parts[-1]
    if last != "[DONE]":
        yield "the last event is not [DONE]"
    if len({(one["id"], one["created"], one["model"]) for one in chunks}) != 1:
        yield "the chunks differ in id, time or model"
    finishes = Counter(
        choice["index"] for one in chunks for choice in one["choices"] if choice["finish_reason"]
    )
    if set(finishes.values()) != {1}:
        yield f"finish reasons by choice: {finishes}"
    roles = [choice["delta"].get("role") for one in chunks for choice in one["choices"]]
    if roles[0] != "assistant" or set(roles[len(finishes) :]) - {None, "assistant"}:
        yield f"roles: {roles}"
    told = [one.get("usage", "left out") for one in chunks]
    if wants_usage and told[:-1] != [None] * (len(chunks) - 1):
        yield f"usage before the end: {told[-2:]}"
    if wants_usage:
        yield from usage_faults(CHAT, told[-1], billed)
    if not wants_usage and set(told) - {"left out"}:
        yield "usage without a wish for it"
    if wants_usage and chunks[-1]["choices"]:
        yield "the usage has choices"
    gathered_completion(parts)


def response_faults(events: list[Any]) -> Iterator[str]:
    """Yield what is wrong with the events of a response."""
    if [one["sequence_number"] for one in events] != list(range(len(events))):
        yield "the sequence numbers have gaps"
    done = {one["output_index"]: one["item"] for one in events if one["type"].endswith("item.done")}
    output = events[-1].get("response", {}).get("output", [])
    # A failed response may have an item that never ended.
    ended = output[: len(done)] if events[-1]["type"] == "response.failed" else output
    if ended != [done[at] for at in sorted(done)]:
        yield "the output is not the items"


PREFIXES = {CHAT: "chatcmpl-", MESSAGES: "msg_", RESPONSES: "resp_"}
USAGES: Mapping[str, Callable[[Usage], dict[str, Any]]] = {
    CHAT: chat_usage,
    MESSAGES: messages_usage,
    RESPONSES: lambda usage: responses_usage(chat_usage(usage)),
}
WHOLE: Mapping[str, type[BaseModel]] = {CHAT: ChatCompletion, MESSAGES: Message, RESPONSES: Response}


def whole_faults(
    path: str, payload: dict[str, Any], billed: Usage, *, is_whole: bool = True
) -> Iterator[str]:
    """Yield what is wrong with a whole answer."""
    yield from faults_of(WHOLE[path], payload)
    if not payload["id"].startswith(PREFIXES[path]) or payload["id"] == PREFIXES[path]:
        yield f"id: {payload['id']}"
    yield from usage_faults(path, payload["usage"], billed, is_whole=is_whole)


def unheard(body: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield the wishes of a chat's request that were neither fulfilled nor refused."""
    if body.get("n", 1) != len(payload.get("choices", [0])):
        yield "another number of choices"
    if body.get("logprobs") and not all(choice["logprobs"] for choice in payload["choices"]):
        yield "no log probabilities"


def usage_faults(path: str, told: Any, billed: Usage, *, is_whole: bool = False) -> Iterator[str]:
    """Yield a difference between the usage that is told and the one that was billed."""
    wanted = USAGES[path](billed)
    differing = {
        name: (told.get(name), value)
        for name, value in wanted.items()
        if name in told and told[name] != value
    }
    if differing:
        yield f"usage: told and billed differ: {differing}"
    if ("cost" in told) is not (is_whole or not billed.estimated):
        yield f"cost: {told.get('cost', 'left out')} of {billed}"


def stream_faults(path: str, text: str, billed: Usage, *, wants_usage: bool) -> Iterator[str]:
    """Yield what is wrong with a streamed answer."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    parts: list[Any] = []
    for block in blocks:
        *name, data = block.split("\n")
        payload: Any = "[DONE]" if data == "data: [DONE]" else json.loads(data.removeprefix("data: "))
        parts.append(payload)
        if path != CHAT and name != [f"event: {payload['type']}"]:
            yield f"name {name} of {payload['type']}"
    if path == CHAT and "error" in parts[-1]:
        yield from error_faults(path, parts.pop())
        yield from (fault for one in parts for fault in faults_of(ChatCompletionChunk, one))
    elif path == CHAT:
        yield from (fault for one in parts[:-1] for fault in faults_of(ChatCompletionChunk, one))
        yield from chat_faults(parts, billed, wants_usage=wants_usage)
    elif path == MESSAGES:
        yield from message_faults([one for one in parts if one["type"] != "ping"], billed)
    else:
        for one in parts:
            shape = event_shape(ResponseStreamEvent, one)
            # Other clients than OpenAI's look for the same fields in `error`.
            plain = {name: value for name, value in one.items() if name != "error"}
            yield from [f"unknown {one['type']}"] if shape is None else faults_of(shape, plain)
        yield from response_faults(parts)
        if parts[-1]["type"] in ("response.completed", "response.incomplete"):
            yield from whole_faults(path, parts[-1]["response"], billed, is_whole=False)


def message_faults(events: list[Any], billed: Usage) -> Iterator[str]:
    """Yield what is wrong with the events of a message."""
    if events[-1]["type"] == "error":
        yield from error_faults(MESSAGES, events.pop())
    else:
        gathered_message(events)
        yield from usage_faults(MESSAGES, events[-2]["usage"], billed)
    for one in events:
        shape = event_shape(RawMessageStreamEvent, one)
        yield from [f"unknown {one['type']}"] if shape is None else faults_of(shape, one)


async def faults_in(
    customer: TextCustomer, vendor: str, path: str, asked: Scenario, *, stream: bool
) -> list[str]:
    """Return what is wrong with the answer to one request."""
    body = body_of(path, vendor, asked)
    wants_usage = stream and path == CHAT and "usage" not in asked.prompt
    body |= {"stream": stream} | ({"stream_options": {"include_usage": True}} if wants_usage else {})
    answer = await customer.post(path, body)
    if answer.status_code >= 400:
        return [f"{answer.status_code} {fault}" for fault in error_faults(path, answer.json())]
    if asked.is_error and not stream:
        return [f"HTTP {answer.status_code}"]
    billed = customer.books.billed[-1]
    if not stream:
        return [*whole_faults(path, answer.json(), billed), *unheard(body, answer.json())]
    return list(stream_faults(path, answer.text, billed, wants_usage=wants_usage))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("vendor", MODELS)
def test_every_answer_has_the_shape_of_its_protocol(vendor: str, path: str) -> None:
    async def run() -> dict[str, list[str]]:
        async with text_customer(vendor, app) as customer:
            return {
                f"{name}, {'streamed' if stream else 'whole'}": faults
                for name, asked in SCENARIOS.items()
                for stream in (False, True)
                if (faults := sorted(set(await faults_in(customer, vendor, path, asked, stream=stream))))
            }

    assert asyncio.run(run()) == {}
