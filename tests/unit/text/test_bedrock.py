"""Converse as a provider of messages: requests, whole and streamed answers, usage, faults, signature."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer

from local.simulator.text.eventstream import event, exception
from tests.unit.text.samples import (
    ANTHROPIC,
    CREATED_S,
    OPENAI,
    call_of,
    gathered_completion,
    gathered_message,
    read_events,
    routed,
)
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.text.bedrock.request import converse_request
from tollgate.providers.text.bedrock.text import Bedrock, fault_of_answer
from tollgate.text.models import TextProtocol, TextRoute
from tollgate.text.upstream.exchange import Exchange
from tollgate.text.usage import Usage
from tollgate.text.wire.faults import FaultError, Verdict
from tollgate.text.wire.sse import UnreadableStreamError

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


@dataclass(frozen=True)
class Role:
    access_key: str = "AKIA"
    secret_key: str = "secret"
    token: str | None = "token"


def exchange_of(protocol: TextProtocol, body: dict[str, Any], key: str | None = None) -> Exchange:
    route = TextRoute("bedrock", "global.anthropic.claude-haiku-4-5-20251001-v1:0", ANTHROPIC)
    return Bedrock("eu-west-1", Role, key).exchange(routed(protocol, body, ANTHROPIC, route=route))


def frames(events: list[dict[str, Any]]) -> bytes:
    return b"".join(event(*next(iter(each.items()))) for each in events)


def streamed(protocol: Any, events: list[dict[str, Any]], piece_bytes: int = 50) -> tuple[list[Any], Usage]:
    body = {**HI, "stream": True}
    if protocol is OPENAI:
        body["stream_options"] = {"include_usage": True}
    exchange = exchange_of(protocol, body)
    sent, stream = b"", frames(events)
    for at in range(0, len(stream), piece_bytes):
        sent += b"".join(map(exchange.stream.feed, exchange.splitter.feed(stream[at : at + piece_bytes])))
    sent += b"".join(map(exchange.stream.feed, exchange.splitter.close())) + exchange.stream.close()
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
            "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}, **mark}],
            "tool_choice": {"type": "tool", "name": "f"},
            "thinking": {"type": "adaptive"},
            "output_config": {
                "effort": "low",
                "format": {"type": "json_schema", "schema": {"type": "object"}},
            },
            "metadata": {"user_id": "u"},
            "stream": True,
        }
        tool = {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}
        result = {"toolUseId": "t1", "content": [{"text": "no"}], "status": "error"}
        assert converse_request(body) == {
            "messages": [
                {
                    "role": "user",
                    "content": [{"text": "see"}, {"image": {"format": "png", "source": {"bytes": "QUJD"}}}],
                },
                {"role": "assistant", "content": [{"reasoningContent": THOUGHT}, {"toolUse": TOOL}]},
                {"role": "user", "content": [{"toolResult": result}]},
            ],
            "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "stopSequences": ["x"]},
            "system": [{"text": "be kind"}, {"cachePoint": {"type": "default", "ttl": "1h"}}],
            "toolConfig": {
                "tools": [{"toolSpec": tool}, {"cachePoint": {"type": "default", "ttl": "1h"}}],
                "toolChoice": {"tool": {"name": "f"}},
            },
            "outputConfig": {
                "effort": "low",
                "textFormat": {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"name": "answer", "schema": '{"type":"object"}'}},
                },
            },
            "additionalModelRequestFields": {"thinking": {"type": "adaptive"}},
        }

    def test_documents_get_names_of_the_kind_that_converse_takes(self) -> None:
        source = {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}
        block = {"type": "document", "title": "Q3: results.pdf", "source": source}
        body = {"messages": [{"role": "user", "content": [block, block]}]}
        content = converse_request(body)["messages"][0]["content"]
        names = [part["document"]["name"] for part in content]
        assert names == ["messages-0-content-0", "messages-0-content-1"]
        assert content[0]["document"]["source"] == {"bytes": "QUJD"}

    @pytest.mark.parametrize(
        ("choice", "expected"), [("auto", {"auto": {}}), ("any", {"any": {}})], ids=["auto", "any"]
    )
    def test_tool_choices(self, choice: str, expected: dict[str, Any]) -> None:
        tools = [{"name": "f", "input_schema": {"type": "object"}}]
        body = {"messages": [], "tools": tools, "tool_choice": {"type": choice}}
        assert converse_request(body)["toolConfig"]["toolChoice"] == expected

    def test_what_it_does_not_know_might_matter_so_it_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="/from_next_year"):
            converse_request({**HI, "from_next_year": True})

    def test_turns_of_one_role_are_joined_and_late_instructions_are_among_them(self) -> None:
        said = [("user", "a"), ("system", "b"), ("assistant", "c"), ("assistant", "d"), ("user", "e")]
        messages = [{"role": role, "content": text} for role, text in said]
        assert converse_request({"messages": messages})["messages"] == [
            {"role": "user", "content": [{"text": "a"}, {"text": "b"}]},
            {"role": "assistant", "content": [{"text": "c"}, {"text": "d"}]},
            {"role": "user", "content": [{"text": "e"}]},
        ]

    @pytest.mark.parametrize(
        "block",
        [
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/tiff", "data": ""}},
            {"type": "server_tool_use"},
            5,
        ],
    )
    def test_what_converse_cannot_take(self, block: Any) -> None:
        with pytest.raises(InvalidInputError):
            converse_request({"messages": [{"role": "user", "content": [block]}]})


class TestBedrock:
    def test_the_model_is_in_the_path_and_the_role_signs(self) -> None:
        call = call_of(exchange_of(ANTHROPIC, HI))
        path = "/model/global.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse"
        url = f"https://bedrock-runtime.eu-west-1.amazonaws.com{path}"
        assert (call.method, call.url) == ("POST", url)
        assert json.loads(call.body)["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]
        request = AWSRequest(
            "POST",
            url,
            data=call.body,
            headers={"x-amz-content-sha256": call.headers["x-amz-content-sha256"]},
        )
        signer = SigV4Auth(Credentials("AKIA", "secret", "token"), "bedrock", "eu-west-1")
        stamp = call.headers["x-amz-date"]
        assert datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp() == CREATED_S
        request.context["timestamp"] = stamp
        request.headers["X-Amz-Date"] = stamp
        request.headers["X-Amz-Security-Token"] = "token"
        theirs = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
        assert call.headers["authorization"].endswith(f"Signature={theirs}")
        assert call.headers["x-amz-security-token"] == "token"

    def test_a_bedrock_key_is_a_bearer_and_nobody_signs(self) -> None:
        call = call_of(exchange_of(OPENAI, {**HI, "stream": True}, key="k"))
        assert call.headers == {"authorization": "Bearer k", "content-type": "application/json"}
        assert call.url.endswith("/converse-stream")

    def test_a_whole_answer_for_a_messages_client(self) -> None:
        exchange = exchange_of(ANTHROPIC, HI)
        found = json.loads(exchange.read_whole(json.dumps(ANSWER).encode()))
        assert found["model"] == "claude-haiku-5-5"
        assert found["id"].startswith("msg_")
        assert found["content"] == [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "text", "text": "wait", "citations": []},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}},
        ]
        assert found["stop_reason"] == "tool_use"
        assert exchange.meter.usage() == EXPECTED_USAGE

    @pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"output": {}}', b'{"output": {"message": null}}'])
    def test_what_is_no_answer(self, body: bytes) -> None:
        with pytest.raises(FaultError):
            exchange_of(ANTHROPIC, HI).read_whole(body)

    @pytest.mark.parametrize("piece_bytes", [1, 50, 10_000])
    def test_streamed_and_whole_are_the_same_message(self, piece_bytes: int) -> None:
        sent, usage = streamed(ANTHROPIC, EVENTS, piece_bytes)
        whole = json.loads(exchange_of(ANTHROPIC, HI).read_whole(json.dumps(ANSWER).encode()))
        found = gathered_message(sent)
        found["content"][0]["signature"] = "sig"
        assert found["content"] == whole["content"]
        assert sent[0]["message"]["model"] == "claude-haiku-5-5"
        assert sent[0]["message"]["id"].startswith("msg_")
        assert usage == EXPECTED_USAGE

    def test_streamed_and_whole_are_the_same_completion(self) -> None:
        sent, usage = streamed(OPENAI, EVENTS)
        whole = json.loads(exchange_of(OPENAI, HI).read_whole(json.dumps(ANSWER).encode()))
        found = gathered_completion(sent)
        assert found["message"]["thinking_blocks"] == whole["choices"][0]["message"]["thinking_blocks"]
        assert found["message"]["content"] == "wait"
        assert found["usage"] == whole["usage"]
        assert usage == EXPECTED_USAGE

    def test_redacted_thinking_stays_what_it_is(self) -> None:
        hidden = {"reasoningContent": {"redactedContent": "QUJD"}}
        delta = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": hidden}}
        sent, _ = streamed(ANTHROPIC, [EVENTS[0], delta, {"contentBlockStop": {"contentBlockIndex": 0}}])
        assert sent[1]["content_block"] == {"type": "redacted_thinking", "data": "QUJD"}
        asked = {**HI, "messages": [{"role": "assistant", "content": [sent[1]["content_block"]]}]}
        assert converse_request(asked)["messages"][0]["content"] == [hidden]

    def test_a_block_that_ends_without_a_word_has_begun(self) -> None:
        sent, _ = streamed(ANTHROPIC, [EVENTS[0], {"contentBlockStop": {"contentBlockIndex": 0}}])
        assert [part["type"] for part in sent[1:3]] == ["content_block_start", "content_block_stop"]

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
        exchange = exchange_of(ANTHROPIC, {**HI, "stream": True})
        for found in exchange.splitter.feed(exception(name, "m")):
            exchange.stream.feed(found)
        assert exchange.stream.fault is not None
        assert exchange.stream.fault.status == status

    @pytest.mark.parametrize("piece", [b"data: {}\n\n" * 3, b"\x00" * 20], ids=["sse", "zeros"])
    def test_what_is_no_event_stream(self, piece: bytes) -> None:
        with pytest.raises(UnreadableStreamError):
            list(exchange_of(ANTHROPIC, {**HI, "stream": True}).splitter.feed(piece))


class TestTheSimulatorsStream:
    def test_botocore_reads_it(self) -> None:
        theirs: Any = EventStreamBuffer()
        theirs.add_data(event("messageStop", {"stopReason": "süß"}) + exception("throttlingException", "m"))
        stop, fault = theirs
        assert (stop.headers[":event-type"], json.loads(stop.payload)) == (
            "messageStop",
            {"stopReason": "süß"},
        )
        assert (fault.headers[":exception-type"], json.loads(fault.payload)) == (
            "throttlingException",
            {"message": "m"},
        )


class TestFaultOfAnswer:
    @pytest.mark.parametrize(
        ("name", "status", "stands_for", "verdict"),
        [
            ("ThrottlingException", 429, 429, Verdict.NEXT_ROUTE),
            ("ServiceQuotaExceededException", 400, 429, Verdict.NEXT_ROUTE),
            ("AccessDeniedException", 403, 403, Verdict.OUR_ACCOUNT),
            ("ResourceNotFoundException", 404, 503, Verdict.NEXT_ROUTE),
            ("ValidationException", 400, 400, Verdict.ABOUT_REQUEST),
            ("NewException", 418, 418, Verdict.ABOUT_REQUEST),
        ],
    )
    def test_the_header_names_the_exception(
        self, name: str, status: int, stands_for: int, verdict: Verdict
    ) -> None:
        headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/"}
        fault = fault_of_answer(status, headers, b'{"message": "slow"}')
        assert (fault.status, fault.verdict) == (stands_for, verdict)
        assert (fault.message, fault.code) == ("slow", name)

    def test_an_answer_that_is_not_bedrocks(self) -> None:
        assert fault_of_answer(502, {}, b"<html>").verdict is Verdict.NEXT_ROUTE
