import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import DONE, PLAIN, chat_event, chunk, messages_event, meter, read_events, run
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.usage import Usage, messages_usage
from tollgate.text.wire import relay as relay_module
from tollgate.text.wire import stream as stream_module
from tollgate.text.wire.faults import STREAM_BROKEN, Fault, FaultError, Verdict
from tollgate.text.wire.relay import ChatRelay, MessagesRelay, relay_completion, relay_message
from tollgate.text.wire.sse import SseEvent, SseSplitter
from tollgate.text.wire.stream import Meter

USAGE = {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}


def chat_relay(used: Meter, *, wants_usage: bool = False) -> ChatRelay:
    return ChatRelay(used, "our-model", PLAIN, wants_usage=wants_usage)


def messages(*events: dict[str, Any]) -> list[SseEvent]:
    return [messages_event(event) for event in events]


START = {
    "type": "message_start",
    "message": {"id": "msg_1", "model": "upstream-model", "usage": {"input_tokens": 25, "output_tokens": 1}},
}
TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello you"}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}}
STOP = {"type": "message_stop"}


class TestChatRelay:
    def test_bytes_pass_but_for_the_model(self) -> None:
        choices = b'[{"delta":{"content":"\\u00e9"}}]'
        raw = (
            b'data: {"id":"chatcmpl-1","model":"upstream-model","created":1.50,"choices":'
            + choices
            + b"}\n\n"
        )
        relay = chat_relay(meter())
        (event,) = SseSplitter().feed(raw)
        assert relay.feed(event) == raw.replace(b"upstream-model", b"our-model")

    def test_a_model_in_the_content_stays(self) -> None:
        said = chunk({"content": '"model": "upstream-model"'})
        assert run(chat_relay(meter()), [chat_event(said)])[0] == {**said, "model": "our-model"}

    def test_a_second_model_member_stays(self) -> None:
        said = chunk({"reasoning_details": [{"model": "upstream-model"}]})
        assert run(chat_relay(meter()), [chat_event(said)])[0] == {**said, "model": "our-model"}

    def test_a_chunk_without_a_model_passes(self) -> None:
        event = SseEvent(b'data: {"choices":[]}\n\n', b'{"choices":[]}')
        assert chat_relay(meter()).feed(event) == event.raw

    def test_the_extra_usage_chunk_is_dropped_unless_asked_for(self) -> None:
        events = [
            chat_event(chunk({"content": "a"})),
            chat_event({**chunk({}), "choices": [], "usage": USAGE}),
        ]
        used = meter()
        sent = run(chat_relay(used), [*events, DONE])
        assert [len(part["choices"]) for part in sent[:-1]] == [1]
        assert used.usage() == Usage(19, 10)

    def test_the_extra_usage_chunk_passes_if_asked_for(self) -> None:
        events = [
            chat_event(chunk({"content": "a"})),
            chat_event({**chunk({}), "choices": [], "usage": USAGE}),
        ]
        sent = run(chat_relay(meter(), wants_usage=True), [*events, DONE])
        details = {
            "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        assert sent[-2]["usage"] == {**USAGE, **details}
        assert sent[-1] == "[DONE]"

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [
            (b'{"usage":null,"id":"chatcmpl-1","choices":[]}', b'{"id":"chatcmpl-1","choices":[]}'),
            (b'{"id":"chatcmpl-1", "usage": null, "choices":[]}', b'{"id":"chatcmpl-1", "choices":[]}'),
            (b'{"id":"chatcmpl-1","choices":[],"usage":null}', b'{"id":"chatcmpl-1","choices":[]}'),
        ],
    )
    def test_a_usage_of_null_is_dropped_unless_asked_for(self, sent: bytes, shown: bytes) -> None:
        event = SseEvent(b"data: " + sent + b"\n\n", sent)
        assert chat_relay(meter()).feed(event) == b"data: " + shown + b"\n\n"
        assert chat_relay(meter(), wants_usage=True).feed(event) == event.raw

    def test_only_the_usage_of_the_chunk_is_dropped(self) -> None:
        said = chunk({"content": '"usage":null,', "reasoning_details": [{"usage": None}]})
        assert run(chat_relay(meter()), [chat_event({**said, "usage": None})])[0] == {
            **said,
            "model": "our-model",
        }

    def test_usage_is_given_once_and_null_before(self) -> None:
        events = [
            chat_event(chunk({"content": "a"})),
            chat_event(chunk({}, "stop", usage=USAGE)),
            chat_event({**chunk({}), "choices": [], "usage": USAGE}),
            chat_event({**chunk({}), "choices": [], "usage": USAGE}),
        ]
        *sent, usage, done = run(chat_relay(meter(), wants_usage=True), [*events, DONE])
        assert [(len(each["choices"]), each["usage"]) for each in sent] == [(1, None), (1, None)]
        assert (usage["choices"], usage["usage"]["total_tokens"], done) == ([], 29, "[DONE]")

    def test_who_does_not_ask_gets_no_usage(self) -> None:
        said = chunk({}, "stop", usage=USAGE)
        said["choices"][0]["usage"] = USAGE
        [sent, _] = run(chat_relay(meter()), [chat_event(said), DONE])
        assert "usage" not in sent
        assert "usage" not in sent["choices"][0]

    @pytest.mark.parametrize("given", ["resp_1", "gen-1", "1"])
    def test_an_id_has_the_protocols_prefix(self, given: str) -> None:
        [sent, _] = run(chat_relay(meter()), [chat_event({**chunk({"content": "a"}), "id": given}), DONE])
        assert sent["id"] == "chatcmpl-1"

    def test_usage_with_the_last_content_becomes_the_chunk_that_was_asked_for(self) -> None:
        events = [chat_event(chunk({"content": "a"}, "stop", usage=USAGE)), DONE]
        sent = run(chat_relay(meter(), wants_usage=True), events)
        assert (sent[-2]["choices"], sent[-2]["id"]) == ([], "chatcmpl-1")
        assert sent[-2]["usage"]["total_tokens"] == 29

    def test_usage_inside_a_choice_counts(self) -> None:
        said = chunk({}, "stop")
        said["choices"][0]["usage"] = USAGE
        used = meter()
        run(chat_relay(used), [chat_event(said), DONE])
        assert used.usage() == Usage(19, 10)

    @pytest.mark.parametrize(
        ("reported", "billed"),
        [
            ({**USAGE, "completion_tokens": 0}, Usage(19, 2, estimated=True)),
            ({**USAGE, "prompt_tokens": 0}, Usage(7, 10, estimated=True)),
        ],
        ids=["no output", "no input"],
    )
    def test_a_zero_that_cannot_be_is_counted_here(self, reported: dict[str, Any], billed: Usage) -> None:
        used = meter()
        end = chat_event({**chunk({}), "choices": [], "usage": reported})
        run(chat_relay(used), [chat_event(chunk({"content": "8 bytes!"})), end, DONE])
        assert used.usage() == billed

    def test_of_running_totals_the_last_one_holds(self) -> None:
        events = [
            chat_event(chunk({"content": "a"}, usage={**USAGE, "completion_tokens": n})) for n in (1, 2, 3)
        ]
        used = meter()
        run(chat_relay(used), [*events, DONE])
        assert used.usage() == Usage(19, 3)

    def test_no_usage_is_counted_and_marked(self) -> None:
        call = {"function": {"name": "f", "arguments": "{}"}}
        events = [
            chunk({"content": "héllo"}),
            chunk({"reasoning_content": "hm"}),
            chunk({"tool_calls": [call]}),
        ]
        used = meter(input_estimate=7)
        run(chat_relay(used), [*map(chat_event, events), DONE])
        assert used.usage() == Usage(7, 3, estimated=True)  # 6 + 2 + 3 bytes

    def test_a_count_of_ours_never_exceeds_the_limit(self) -> None:
        used = meter(output_limit=2)
        run(chat_relay(used), [chat_event(chunk({"content": "x" * 100})), DONE])
        assert used.usage().output_tokens == 2

    def test_a_broken_stream_ends_in_an_error_and_not_in_done(self) -> None:
        used = meter()
        relay = chat_relay(used)
        sent = run(relay, [chat_event(chunk({"content": "abcdefgh"}))])
        assert sent[-1]["error"]["code"] == "provider_error"
        assert relay.fault == STREAM_BROKEN
        assert used.usage() == Usage(7, 2, estimated=True)

    def test_a_break_after_the_usage_chunk_bills_it(self) -> None:
        used = meter()
        run(chat_relay(used), [chat_event({**chunk({}), "choices": [], "usage": USAGE})])
        assert used.usage() == Usage(19, 10)

    @pytest.mark.parametrize("data", [b"{", b"5", b"[]", b"\xff", b"[" * 100_000])
    def test_what_cannot_be_read_is_an_error(self, data: bytes) -> None:
        sent = run(chat_relay(meter()), [SseEvent(b"data: \n\n", data)])
        assert sent[-1]["error"]["message"] == "The provider's response cannot be read."

    def test_an_error_event_is_the_end(self) -> None:
        relay = chat_relay(meter())
        error = {"error": {"message": "Overloaded", "type": "server_error", "code": "overloaded"}}
        sent = run(relay, [chat_event(error), chat_event(chunk({"content": "a"})), DONE])
        assert [part["error"]["code"] for part in sent] == ["overloaded"]
        assert relay.fault is not None
        assert relay.fault.verdict is Verdict.NEXT_ROUTE

    def test_a_finish_that_means_a_failure_is_an_error(self) -> None:
        dialect = VENDORS["deepseek"].dialect
        relay = ChatRelay(meter(), "m", dialect, wants_usage=False)
        sent = run(relay, [chat_event(chunk({}, "insufficient_system_resource")), DONE])
        assert "error" in sent[-1]

    def test_comments_pass_once_the_answer_has_begun(self) -> None:
        relay = chat_relay(meter())
        comment = SseEvent(b": keep-alive\n\n", None)
        assert relay.feed(comment) == b""
        relay.feed(chat_event(chunk({"role": "assistant"})))
        assert relay.feed(comment) == comment.raw

    def test_nothing_after_done(self) -> None:
        relay = chat_relay(meter())
        assert relay.feed(DONE) == DONE.raw
        assert relay.feed(chat_event(chunk({"content": "a"}))) == b""
        assert relay.close() == b""

    @pytest.mark.parametrize(
        "payload",
        [{"choices": [5]}, {"choices": [{"delta": 5, "finish_reason": []}]}, {"choices": 5, "usage": 5}],
    )
    def test_odd_shapes_do_not_break_it(self, payload: dict[str, Any]) -> None:
        run(chat_relay(meter()), [chat_event(payload), DONE])


class TestMessagesRelay:
    def test_all_but_the_start_and_the_end_passes_byte_for_byte(self) -> None:
        used = meter()
        relay = MessagesRelay(used, "our-model")
        events = messages(START, {"type": "ping"}, TEXT, END, STOP)
        start, ping, text, end, stop = map(relay.feed, events)
        assert [ping, text, stop] == [events[at].raw for at in (1, 2, 4)]
        [[started], [ended]] = (list(read_events(one)) for one in (start, end))
        assert started["message"]["model"] == "our-model"
        assert (started["message"]["usage"]["input_tokens"], ended["usage"]["output_tokens"]) == (25, 15)
        assert relay.close() == b""
        assert relay.done
        assert used.usage() == Usage(25, 15)

    def test_a_break_bills_the_input_and_what_was_delivered(self) -> None:
        used = meter()
        sent = run(MessagesRelay(used, "m"), messages(START, TEXT))
        assert (sent[-1]["type"], sent[-1]["error"]["type"]) == ("error", "api_error")
        assert used.usage() == Usage(25, 3, estimated=True)  # 9 bytes

    def test_no_usage_at_all(self) -> None:
        started = {"type": "message_start", "message": {"id": "msg_1", "model": "m"}}
        used = meter()
        run(MessagesRelay(used, "m"), messages(started, TEXT, {**END, "usage": None}, STOP))
        assert used.usage() == Usage(7, 3, estimated=True)

    def test_an_error_event_has_the_status_of_its_type(self) -> None:
        relay = MessagesRelay(meter(), "m")
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        sent = run(relay, messages(error))
        assert relay.fault is not None
        assert relay.fault.status == 529
        assert sent[0]["error"]["type"] == "overloaded_error"

    def test_a_tool_call_is_delivered_text(self) -> None:
        block = {"type": "tool_use", "id": "t", "name": "four", "input": {}}
        start = {"type": "content_block_start", "index": 0, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": '{"a":1}x'}
        piece = {"type": "content_block_delta", "index": 0, "delta": delta}
        used = meter()
        run(MessagesRelay(used, "m"), messages(start, piece))
        assert used.usage().output_tokens == 3  # 4 + 8 bytes


class TestRelayCompletion:
    def test_it_is_the_same_from_every_vendor(self) -> None:
        body = b'{ "model": "upstream", "choices": [{"message": {"content": "hi"}}], "usage": %s }'
        body %= json.dumps(USAGE).encode()
        used = meter()
        details = {
            "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        assert json.loads(relay_completion(body, used, "ours", PLAIN)) == {
            "id": "chatcmpl-",
            "model": "ours",
            "system_fingerprint": None,
            "choices": [{"logprobs": None, "message": {"refusal": None, "content": "hi"}}],
            "usage": {**USAGE, **details},
        }
        assert used.usage() == Usage(19, 10)

    def test_no_usage_is_counted(self) -> None:
        used = meter()
        relay_completion(b'{"choices": [{"message": {"content": "eight..."}}]}', used, "m", PLAIN)
        assert used.usage() == Usage(7, 2, estimated=True)

    @pytest.mark.parametrize(
        "body",
        [b"", b"[]", b"<html>", b'{"choices":null}', b'{"error":{"message":"x"}}', b'{"choices":[5]}'],
    )
    def test_what_is_no_completion(self, body: bytes) -> None:
        with pytest.raises(FaultError):
            relay_completion(body, meter(), "m", PLAIN)


class TestRelayMessage:
    def test_it_has_our_model_and_the_billed_usage(self) -> None:
        said = b'"content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":5,"output_tokens":2}'
        used = meter()
        found = json.loads(
            relay_message(b'{"type":"message","model":"upstream",' + said + b"}", used, "ours")
        )
        assert (found["model"], found["content"][0]["text"]) == ("ours", "hi")
        assert found["usage"] == messages_usage(used.usage()) == messages_usage(Usage(5, 2))

    @pytest.mark.parametrize("body", [b"", b"{}", b'{"type":"error","error":{"type":"api_error"}}'])
    def test_what_is_no_message(self, body: bytes) -> None:
        with pytest.raises(FaultError):
            relay_message(body, meter(), "m")


CONTENTS = st.sampled_from(["word", "", None, 5, ["part"], "äö"])
DELTAS = st.one_of(
    st.fixed_dictionaries({}, optional={"content": CONTENTS, "role": st.just("assistant")}),
    st.fixed_dictionaries({"content": CONTENTS, "reasoning_content": st.just("thought")}),
    st.fixed_dictionaries({"content": CONTENTS, "reasoning": st.just("thought")}),
    st.fixed_dictionaries({"content": CONTENTS, "refusal": st.just("no")}),
    st.just({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}),
    st.sampled_from([None, "text", []]),
)
CHOICES = st.one_of(
    st.fixed_dictionaries(
        {"index": st.just(0), "delta": DELTAS},
        optional={
            "finish_reason": st.sampled_from([None, "stop", "eos", "insufficient_system_resource"]),
            "logprobs": st.none(),
            "usage": st.just({"prompt_tokens": 3, "completion_tokens": 2}),
            "matched_stop": st.just(7),
        },
    ),
    st.sampled_from([None, "choice"]),
)
CHUNKS = st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, max_size=2)},
    optional={
        "id": st.sampled_from(["chatcmpl-9", "gen-9", 9, None]),
        "model": st.sampled_from(["their-model", "other-model", "our-model", None]),
        "created": st.just(1),
        "object": st.just("chat.completion.chunk"),
        "service_tier": st.sampled_from([None, "default", "scale", "flex", 4]),
        "system_fingerprint": st.just("fp"),
        "usage": st.sampled_from([None, {}, {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.01}]),
        "error": st.sampled_from([None, {"message": "broken", "code": "x"}]),
        "base_resp": st.sampled_from([{"status_code": 0}, {"status_code": 1004, "status_msg": "no"}]),
        "provider": st.just("Somebody"),
    },
)


class TestAChunkWithOnlyText:
    @given(st.lists(CHUNKS, max_size=5), st.booleans(), st.sampled_from(["", "flex"]))
    def test_is_relayed_and_counted_as_any_other(
        self, chunks: list[dict[str, Any]], wants_usage: bool, service: str
    ) -> None:
        """The short way for such a chunk gives the bytes and the meter that the long way gives."""
        events = [*map(chat_event, chunks), DONE]

        def told() -> tuple[list[bytes], Meter, Fault | None]:
            used = Meter(10, 100, service=service, answer_id="01ABC")
            relay = chat_relay(used, wants_usage=wants_usage)
            return [relay.feed(event) for event in events], used, relay.fault

        short = told()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(relay_module, "_only_text", lambda *_: None)
            assert told() == short

    def test_is_parsed_once_and_its_bytes_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        parsed: list[str] = []
        decode = stream_module._decode

        def counted(text: str) -> object:
            parsed.append(text)
            return decode(text)

        monkeypatch.setattr(stream_module, "_decode", counted)
        monkeypatch.setattr(relay_module, "shown_chat", lambda *_: pytest.fail("looked at in the long way"))
        monkeypatch.setattr(relay_module, "chat_event", lambda *_: pytest.fail("written again"))
        used = meter()
        relay = chat_relay(used)
        relay._head, used.named = {"id": "chatcmpl-1"}, "their-model"
        chunk = (
            b'{"id":"chatcmpl-1","model":"their-model","choices":[{"index":0,"delta":{"content":"word"}}]}'
        )
        for _ in range(3):
            sent = relay.feed(SseEvent(b"data: " + chunk + b"\n\n", chunk))
            assert sent == b"data: " + chunk.replace(b"their-model", b"our-model") + b"\n\n"
        assert len(parsed) == 3
        assert used.delivered_bytes == 3 * len("word")
