import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from tests.unit.text.samples import (
    ANTHROPIC,
    OPENAI,
    gathered_completion,
    gathered_message,
    order,
    read_events,
)
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.bedrock.client import fault_of_boto
from tollgate.providers.bedrock.request import converse_request
from tollgate.providers.bedrock.text import converse_exchange
from tollgate.text.faults import TIMED_OUT, UNREACHABLE
from tollgate.text.usage import Usage

HI = {"model": "ours", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
USAGE = {
    "inputTokens": 20,
    "outputTokens": 9,
    "totalTokens": 36,
    "cacheReadInputTokens": 4,
    "cacheWriteInputTokens": 3,
    "cacheDetails": [{"ttl": "5m", "inputTokens": 1}, {"ttl": "1h", "inputTokens": 2}],
}
THOUGHT = {"reasoningText": {"text": "hm", "signature": "sig"}}
TOOL = {"toolUseId": "t1", "name": "f", "input": {"a": 1}}
ANSWER = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [{"reasoningContent": THOUGHT}, {"text": "wait"}, {"toolUse": TOOL}],
        }
    },
    "stopReason": "tool_use",
    "usage": USAGE,
}
EVENTS: list[dict[str, Any]] = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "hm"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "sig"}}}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "wa"}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "it"}}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    {"contentBlockStart": {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t1", "name": "f"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a":'}}}},
    {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": "1}"}}}},
    {"contentBlockStop": {"contentBlockIndex": 2}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": USAGE}},
]
EXPECTED_USAGE = Usage(20, 9, 4, 1, 2)


def streamed(protocol: Any, events: list[dict[str, Any]]) -> tuple[list[Any], Usage]:
    body = {**HI, "stream": True, "stream_options": {"include_usage": True}}
    exchange = converse_exchange(order(protocol, body, ANTHROPIC))
    feed = exchange.events("r1")
    sent = b"".join(map(feed.feed, events)) + feed.close()
    return list(read_events(sent)), exchange.meter.usage()


class TestConverseRequest:
    def test_everything_at_once(self) -> None:
        mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
        body = {
            "max_tokens": 100,
            "temperature": 0.5,
            "stop_sequences": ["x"],
            "system": [{"type": "text", "text": "be kind", **mark}],
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "see"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
                        },
                    ],
                },
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hm", "signature": "sig"},
                        {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
                    ],
                },
            ],
            "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "tool", "name": "f"},
            "thinking": {"type": "adaptive"},
        }
        tool = {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}
        result = {"toolUseId": "t1", "content": [{"text": "no"}], "status": "error"}
        assert converse_request(body) == {
            "messages": [
                {
                    "role": "user",
                    "content": [{"text": "see"}, {"image": {"format": "png", "source": {"bytes": b"ABC"}}}],
                },
                {"role": "assistant", "content": [{"reasoningContent": THOUGHT}, {"toolUse": TOOL}]},
                {"role": "user", "content": [{"toolResult": result}]},
            ],
            "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "stopSequences": ["x"]},
            "system": [{"text": "be kind"}, {"cachePoint": {"type": "default", "ttl": "1h"}}],
            "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": "f"}}},
            "additionalModelRequestFields": {"thinking": {"type": "adaptive"}},
        }

    @pytest.mark.parametrize(
        "block",
        [
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "??"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/tiff", "data": ""}},
            {"type": "server_tool_use"},
            5,
        ],
    )
    def test_what_converse_cannot_take(self, block: Any) -> None:
        with pytest.raises(InvalidInputError):
            converse_request({"messages": [{"role": "user", "content": [block]}]})


class TestConverseExchange:
    def test_a_whole_answer_for_a_messages_client(self) -> None:
        exchange = converse_exchange(order(ANTHROPIC, HI, ANTHROPIC))
        found = json.loads(exchange.read_whole(ANSWER, "r1"))
        assert found["model"] == "claude-haiku-5-5"
        assert found["id"] == "msg_r1"
        assert found["content"] == [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "text", "text": "wait"},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        ]
        assert found["stop_reason"] == "tool_use"
        assert exchange.meter.usage() == EXPECTED_USAGE

    def test_streamed_and_whole_are_the_same_message(self) -> None:
        sent, usage = streamed(ANTHROPIC, EVENTS)
        whole = json.loads(converse_exchange(order(ANTHROPIC, HI, ANTHROPIC)).read_whole(ANSWER, "r1"))
        found = gathered_message(sent)
        found["content"][0]["signature"] = "sig"
        assert found["content"] == whole["content"]
        assert sent[0]["message"]["model"] == "claude-haiku-5-5"
        assert usage == EXPECTED_USAGE

    def test_streamed_and_whole_are_the_same_completion(self) -> None:
        sent, usage = streamed(OPENAI, EVENTS)
        exchange = converse_exchange(order(OPENAI, HI, ANTHROPIC))
        whole = json.loads(exchange.read_whole(ANSWER, "r1"))
        found = gathered_completion(sent)
        assert found["message"]["thinking_blocks"] == whole["choices"][0]["message"]["thinking_blocks"]
        assert found["message"]["content"] == "wait"
        assert found["usage"] == whole["usage"]
        assert usage == EXPECTED_USAGE
        assert exchange.request["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]

    def test_no_metadata_at_the_end_is_counted(self) -> None:
        sent, usage = streamed(ANTHROPIC, EVENTS[:-1])
        assert sent[-1]["type"] == "message_stop"
        assert usage == Usage(7, 4, estimated=True)  # hm, wait, f, 6 of arguments: 13 bytes

    def test_a_break_is_an_error(self) -> None:
        sent, _ = streamed(ANTHROPIC, EVENTS[:5])
        assert sent[-1]["type"] == "error"

    @pytest.mark.parametrize(
        ("name", "status"),
        [("throttlingException", 429), ("modelStreamErrorException", 500), ("validationException", 400)],
    )
    def test_an_exception_in_the_stream(self, name: str, status: int) -> None:
        exchange = converse_exchange(order(ANTHROPIC, HI, ANTHROPIC))
        exchange.events("r1").feed({name: {"message": "m"}})
        assert exchange.stream.fault is not None
        assert exchange.stream.fault.status == status


class TestFaultOfBoto:
    def test_an_answer_with_an_error(self) -> None:
        error = ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow"}}, "Converse")
        fault = fault_of_boto(error)
        assert (fault.status, fault.message, fault.code) == (429, "slow", "ThrottlingException")

    def test_no_answer(self) -> None:
        assert fault_of_boto(ReadTimeoutError(endpoint_url="x")) == TIMED_OUT
        assert fault_of_boto(EndpointConnectionError(endpoint_url="x")) == UNREACHABLE
