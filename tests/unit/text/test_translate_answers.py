"""Answers in the other protocol. The law: streamed and whole give the same message and the same usage."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import (
    CREATED_S,
    DONE,
    PLAIN,
    chat_event,
    chunk,
    gathered_completion,
    gathered_message,
    messages_event,
    meter,
    run,
)
from tests.unit.text.test_text_request import JSON
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.translation.answer_to_chat import ChatFromMessages, completion_of_message
from tollgate.text.translation.answer_to_messages import MessagesFromChat, message_of_completion
from tollgate.text.wire.faults import FaultError
from tollgate.text.wire.sse import SseEvent

USAGE = {
    "input_tokens": 25,
    "cache_creation_input_tokens": 3,
    "cache_read_input_tokens": 4,
    "output_tokens": 15,
}
CHAT_USAGE = {
    "prompt_tokens": 32,
    "completion_tokens": 15,
    "total_tokens": 47,
    "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
    "completion_tokens_details": {"reasoning_tokens": 0},
}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "sig"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}


def message(content: list[dict[str, Any]], stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    return {**head, "content": content, "stop_reason": stop, "usage": USAGE, **more}


def events_of(said: dict[str, Any], piece: int = 3) -> list[SseEvent]:
    """Return a message as Anthropic streams it."""
    usage = {**said["usage"], "output_tokens": 1}
    start = {**said, "content": [], "stop_reason": None, "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(said["content"]):
        opening, deltas = _streamed(block, piece)
        events.append({"type": "content_block_start", "index": index, "content_block": opening})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {name: said.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    events.append(
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": said["usage"]["output_tokens"]}}
    )
    return list(map(messages_event, [*events, {"type": "message_stop"}]))


def cut(text: str, piece: int) -> list[str]:
    return [text[at : at + piece] for at in range(0, len(text), piece)]


def _streamed(block: dict[str, Any], piece: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": p} for p in cut(block["text"], piece)
        ]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": p} for p in cut(block["thinking"], piece)]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]
    if block["type"] == "tool_use":
        # With spaces and without escapes, as in Anthropic's examples of streams.
        text = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in ["", *cut(text, piece)]]
        return {**block, "input": {}}, deltas
    return block, []


def whole_chat(said: dict[str, Any]) -> dict[str, Any]:
    body = completion_of_message(json.dumps(said).encode(), meter(), "ours", CREATED_S)
    answer = json.loads(body)
    choice = answer["choices"][0]
    return {**{name: choice[name] for name in ("message", "finish_reason")}, "usage": answer["usage"]}


def streamed_chat(events: list[SseEvent]) -> dict[str, Any]:
    stream = ChatFromMessages(meter(), "ours", CREATED_S, wants_usage=True)
    return gathered_completion(run(stream, events))


def same_chat(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the fields that say nothing."""
    shown = {name: value for name, value in answer["message"].items() if value is not None}
    return {**answer, "message": shown}


class TestCompletionOfMessage:
    def test_everything_at_once(self) -> None:
        said = message([THOUGHT, {"type": "text", "text": "wait"}, CALL], "tool_use")
        answer = json.loads(completion_of_message(json.dumps(said).encode(), meter(), "ours", CREATED_S))
        call = {"id": "toolu_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
        expected = {
            "role": "assistant",
            "content": "wait",
            "refusal": None,
            "tool_calls": [call],
            "reasoning_content": "hm",
            "thinking_blocks": [THOUGHT],
        }
        choice = {"index": 0, "message": expected, "logprobs": None, "finish_reason": "tool_calls"}
        assert answer == {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": CREATED_S,
            "model": "ours",
            "system_fingerprint": None,
            "choices": [choice],
            "usage": CHAT_USAGE,
        }

    @pytest.mark.parametrize(
        ("stop", "finish"),
        [
            *(("end_turn", "stop"), ("stop_sequence", "stop"), ("pause_turn", "stop"), ("brand_new", "stop")),
            *(
                ("max_tokens", "length"),
                ("model_context_window_exceeded", "length"),
                ("refusal", "content_filter"),
            ),
        ],
    )
    def test_stop_reasons(self, stop: str, finish: str) -> None:
        assert whole_chat(message([], stop))["finish_reason"] == finish

    def test_only_tools_is_no_content(self) -> None:
        assert whole_chat(message([CALL]))["message"]["content"] is None

    def test_a_refusal_says_why(self) -> None:
        said = message([], "refusal", stop_details={"explanation": "no"})
        assert whole_chat(said)["message"]["refusal"] == "no"

    def test_an_error_inside_http_200(self) -> None:
        with pytest.raises(FaultError):
            completion_of_message(b'{"type":"error","error":{"type":"api_error"}}', meter(), "m", 0)


class TestChatFromMessages:
    def test_the_chunks_one_by_one(self) -> None:
        stream = ChatFromMessages(meter(), "ours", CREATED_S, wants_usage=True)
        sent = run(stream, events_of(message([{"type": "text", "text": "Hel"}, CALL], "tool_use"), 99))
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": CREATED_S, "model": "ours"}
        assert all(part.items() >= head.items() for part in sent[:-1])
        assert [part["choices"][0]["delta"] for part in sent[:-2]] == [
            {"role": "assistant", "content": ""},
            {"content": "Hel"},
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "toolu_1",
                        "type": "function",
                        "function": {"name": "f", "arguments": ""},
                    }
                ]
            },
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": 1}'}}]},
            {},
        ]
        assert [part["choices"][0]["finish_reason"] for part in sent[:-2]] == [
            None,
            None,
            None,
            None,
            "tool_calls",
        ]
        assert (sent[-2]["choices"], sent[-2]["usage"], sent[-1]) == ([], CHAT_USAGE, "[DONE]")

    def test_no_usage_chunk_unless_asked_for(self) -> None:
        stream = ChatFromMessages(meter(), "ours", CREATED_S, wants_usage=False)
        sent = run(stream, events_of(message([{"type": "text", "text": "a"}])))
        assert all("usage" not in part for part in sent[:-1])

    def test_a_break_is_an_error_and_not_done(self) -> None:
        stream = ChatFromMessages(meter(), "ours", CREATED_S, wants_usage=True)
        sent = run(stream, events_of(message([{"type": "text", "text": "a"}]))[:-1])
        assert sent[-1]["error"]["code"] == "provider_error"

    def test_an_error_event(self) -> None:
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        stream = ChatFromMessages(meter(), "ours", CREATED_S, wants_usage=True)
        assert run(stream, [messages_event(error)])[0]["error"]["message"] == "Overloaded"
        assert stream.fault is not None
        assert stream.fault.status == 529

    def test_a_tool_with_its_input_in_the_start(self) -> None:
        start = {"type": "content_block_start", "index": 0, "content_block": CALL}
        events = events_of(message([CALL], "tool_use"))
        found = streamed_chat([*events[:2], messages_event(start), *events[-3:]])
        assert json.loads(found["message"]["tool_calls"][0]["function"]["arguments"]) == {"a": 1}


TEXTS = st.text(min_size=1, max_size=12)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3)
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(lambda text: {**THOUGHT, "thinking": text}, TEXTS),
    st.just({"type": "redacted_thinking", "data": "x"}),
    st.builds(
        lambda number, given: {**CALL, "id": f"toolu_{number}", "input": given}, st.integers(0, 9), OBJECTS
    ),
)
STOPS = st.sampled_from(["end_turn", "max_tokens", "tool_use", "refusal", "stop_sequence"])


class TestStreamedAndWholeAreTheSameCompletion:
    @given(content=st.lists(BLOCKS, max_size=5), stop=STOPS, piece=st.integers(1, 9))
    def test_any_message(self, content: list[dict[str, Any]], stop: str, piece: int) -> None:
        said = message(content, stop, stop_details={"explanation": "no"})
        assert same_chat(streamed_chat(events_of(said, piece))) == same_chat(whole_chat(said))


def completion(said: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": CHAT_USAGE}


def chunks_of(answer: dict[str, Any], piece: int = 3) -> list[SseEvent]:
    """Return a completion as OpenAI streams it."""
    choice = answer["choices"][0]
    said = choice["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for name in ("reasoning_content", "content", "refusal"):
        deltas += [{name: part} for part in cut(said.get(name) or "", piece)]
    for number, call in enumerate(said.get("tool_calls") or []):
        named = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        deltas.append({"tool_calls": [{"index": number, **named}]})
        for part in cut(call["function"]["arguments"], piece):
            deltas.append({"tool_calls": [{"index": number, "function": {"arguments": part}}]})
    chunks = [*map(chunk, deltas), chunk({}, choice["finish_reason"])]
    return [
        *map(chat_event, chunks),
        chat_event({**chunk({}), "choices": [], "usage": answer["usage"]}),
        DONE,
    ]


def whole_message(answer: dict[str, Any]) -> dict[str, Any]:
    found = json.loads(message_of_completion(json.dumps(answer).encode(), meter(), "ours", PLAIN, {}))
    return {name: found[name] for name in ("content", "stop_reason", "usage")}


def streamed_message(events: list[SseEvent]) -> dict[str, Any]:
    return gathered_message(run(MessagesFromChat(meter(), "ours", PLAIN, {}), events))


DIRECT = {"caller": {"type": "direct"}}
EMPTY = {"type": "text", "text": "", "citations": []}
CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


class TestMessageOfCompletion:
    def test_everything_at_once(self) -> None:
        said = {"content": "wait", "reasoning_content": "hm", "tool_calls": [CHAT_CALL]}
        body = json.dumps(completion(said, "tool_calls")).encode()
        found = json.loads(message_of_completion(body, meter(), "ours", PLAIN, {}))
        usage = found.pop("usage")
        assert found == {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "ours",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": ""},
                {"type": "text", "text": "wait", "citations": []},
                {"type": "tool_use", "id": "call_1", "name": "f", "input": {"a": 1}, **DIRECT},
            ],
            "stop_reason": "tool_use",
            **dict.fromkeys(("stop_sequence", "stop_details", "container", "diagnostics")),
        }
        assert usage.items() >= USAGE.items()

    @pytest.mark.parametrize(
        ("finish", "stop"),
        [
            *(("stop", "end_turn"), ("length", "max_tokens"), ("function_call", "tool_use")),
            *(("content_filter", "refusal"), ("brand_new", "end_turn"), (None, "end_turn")),
        ],
    )
    def test_finish_reasons(self, finish: Any, stop: str) -> None:
        assert whole_message(completion({"content": "a"}, finish))["stop_reason"] == stop

    def test_a_vendors_own_finish_reason(self) -> None:
        body = json.dumps(completion({"content": "a"}, "sensitive")).encode()
        found = message_of_completion(body, meter(), "m", VENDORS["zai"].dialect, {})
        assert json.loads(found)["stop_reason"] == "refusal"

    def test_a_refusal(self) -> None:
        found = whole_message(completion({"content": None, "refusal": "no"}))
        assert (found["content"][0]["text"], found["stop_reason"]) == ("no", "refusal")

    def test_an_empty_answer_has_one_block(self) -> None:
        assert whole_message(completion({"content": None}))["content"] == [EMPTY]

    def test_arguments_that_are_no_object_are_wrapped(self) -> None:
        call = {**CHAT_CALL, "function": {"name": "f", "arguments": "[1"}}
        content = whole_message(completion({"tool_calls": [call]}))["content"]
        assert content[0]["input"] == {"_raw": "[1"}


class TestMessagesFromChat:
    def test_the_events_one_by_one(self) -> None:
        sent = run(
            MessagesFromChat(meter(), "ours", PLAIN, {}),
            chunks_of(completion({"content": "Hel", "tool_calls": [CHAT_CALL]}, "tool_calls"), 99),
        )
        assert [event["type"] for event in sent] == [
            *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
            *("content_block_start", "content_block_delta", "content_block_stop"),
            *("message_delta", "message_stop"),
        ]
        assert sent[0]["message"]["id"] == "msg_1"
        named = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}
        assert sent[4]["content_block"] == {**named, **DIRECT}

    def test_calls_that_come_interleaved_are_put_in_order(self) -> None:
        def piece(index: int, arguments: str, name: str | None = None) -> dict[str, Any]:
            named = {"id": f"call_{index}"} if name else {}
            function = {"arguments": arguments, **({"name": name} if name else {})}
            return chunk({"tool_calls": [{"index": index, **named, "function": function}]})

        parts = [piece(0, '{"a"', "f"), piece(1, '{"b"', "g"), piece(0, ":1}"), piece(1, ":2}")]
        found = streamed_message([*map(chat_event, [*parts, chunk({}, "tool_calls")]), DONE])
        assert [(block["name"], block["input"]) for block in found["content"]] == [
            ("f", {"a": 1}),
            ("g", {"b": 2}),
        ]

    def test_whole_calls_without_an_index(self) -> None:
        calls = [
            {"id": f"c{n}", "function": {"name": "f", "arguments": json.dumps({"n": n})}} for n in (1, 2)
        ]
        parts = [chunk({"tool_calls": [call]}) for call in calls]
        found = streamed_message([*map(chat_event, parts), DONE])
        assert [block["input"] for block in found["content"]] == [{"n": 1}, {"n": 2}]

    def test_whole_calls_that_all_have_index_0(self) -> None:
        calls = [
            {"index": 0, "id": f"c{n}", "function": {"name": "f", "arguments": json.dumps({"n": n})}}
            for n in (1, 2)
        ]
        found = streamed_message([*(chat_event(chunk({"tool_calls": [call]})) for call in calls), DONE])
        assert [block["input"] for block in found["content"]] == [{"n": 1}, {"n": 2}]

    def test_text_after_a_call_comes_last(self) -> None:
        parts = [chunk({"tool_calls": [{"index": 0, **CHAT_CALL}]}), chunk({"content": "bye"})]
        found = streamed_message([*map(chat_event, parts), DONE])
        assert [block["type"] for block in found["content"]] == ["tool_use", "text"]

    def test_an_empty_stream_has_one_block(self) -> None:
        assert streamed_message([DONE])["content"] == [EMPTY]

    def test_no_usage_is_counted(self) -> None:
        used = meter()
        sent = run(
            MessagesFromChat(used, "ours", PLAIN, {}), [chat_event(chunk({"content": "eight..."})), DONE]
        )
        assert used.usage().estimated
        assert sent[-2]["usage"]["output_tokens"] == 2

    def test_a_break_is_an_error_event(self) -> None:
        sent = run(MessagesFromChat(meter(), "ours", PLAIN, {}), chunks_of(completion({"content": "a"}))[:-1])
        assert sent[-1]["type"] == "error"

    def test_an_error_in_the_stream(self) -> None:
        stream = MessagesFromChat(meter(), "ours", PLAIN, {})
        sent = run(stream, [chat_event({"error": {"message": "Overloaded", "code": 503}})])
        assert (sent[0]["error"]["type"], sent[0]["error"]["message"]) == ("overloaded_error", "Overloaded")


CALLS = st.lists(OBJECTS, max_size=3).map(
    lambda given: [
        {"id": f"call_{n}", "type": "function", "function": {"name": "f", "arguments": json.dumps(value)}}
        for n, value in enumerate(given)
    ]
)


class TestStreamedAndWholeAreTheSameMessage:
    @given(
        text=st.text(max_size=12),
        reasoning=st.text(max_size=12),
        calls=CALLS,
        finish=st.sampled_from(["stop", "length", "tool_calls", "content_filter"]),
        piece=st.integers(1, 9),
    )
    def test_any_completion(
        self, text: str, reasoning: str, calls: list[dict[str, Any]], finish: str, piece: int
    ) -> None:
        answer = completion({"content": text, "reasoning_content": reasoning, "tool_calls": calls}, finish)
        streamed, whole = streamed_message(chunks_of(answer, piece)), whole_message(answer)
        # The event at the end has less of the usage.
        assert whole.pop("usage").items() >= streamed.pop("usage").items()
        assert streamed == whole


class TestNothingElseIsRaised:
    @given(payloads=st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=4))
    def test_odd_events(self, payloads: list[dict[str, Any]]) -> None:
        kinds = ["message_start", "content_block_start", "content_block_delta", "message_delta"]
        odd = [{**payload, "type": kind} for kind in kinds for payload in payloads]
        run(ChatFromMessages(meter(), "m", 0, wants_usage=True), map(messages_event, odd))

    @given(kind=JSON)
    def test_an_event_of_an_odd_type(self, kind: Any) -> None:
        data = json.dumps({"type": kind, "delta": kind}).encode()
        odd = SseEvent(b"event: message_delta\ndata: " + data + b"\n\n", data, b"message_delta")
        run(ChatFromMessages(meter(), "m", 0, wants_usage=True), [odd])

    @given(delta=JSON, choice=st.dictionaries(st.sampled_from(["delta", "usage", "finish_reason"]), JSON))
    def test_odd_chunks(self, delta: Any, choice: dict[str, Any]) -> None:
        odd = [{"choices": [choice]}, {"choices": [{"delta": {"tool_calls": [delta]}}]}, {"choices": delta}]
        run(MessagesFromChat(meter(), "m", PLAIN, {}), [*map(chat_event, odd), DONE])
