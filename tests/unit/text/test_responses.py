"""Responses over chat, read with the types of OpenAI's own SDK."""

import json
from typing import Any, get_args

import pytest
from openai.types.responses import Response, ResponseIncludable, ResponseStreamEvent
from pydantic import TypeAdapter

from tollgate.kit.errors import InvalidInputError
from tollgate.text.responses.events import ResponseEvents, encoded_events, response_of_completion
from tollgate.text.responses.items import messages_of
from tollgate.text.responses.request import INCLUDES, read_responses_request
from tollgate.text.translation.thinking import sealed, unsealed

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
THOUGHTS = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]


def request(**fields: Any) -> Any:
    return read_responses_request({"model": "m", "input": "hello", **fields})


def chat_body(asked: Any) -> dict[str, Any]:
    """Return a request as the body of a chat."""
    return dict(asked.chat((), asked.items).fields)


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def events_of(
    *chunks: dict[str, Any], fails: bool = False, **fields: Any
) -> tuple[list[Any], dict[str, Any]]:
    """Return the events of a streamed answer, each read by the SDK's own type for it, and the response."""
    asked = request(stream=True, **fields)
    stream = ResponseEvents(asked.skeleton("resp_1", 1_790_000_000), asked.chat((), asked.items).tools)
    found = stream.start()
    for one in chunks:
        found += stream.chunk(one)
    found += stream.fail("server_error", "gone") if fails else stream.finish()
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    return [EVENT.validate_python(event) for event in found], stream.response


def whole(message: dict[str, Any], finish: str = "stop", **fields: Any) -> Response:
    asked = request(**fields)
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    completion = {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
    found = response_of_completion(
        completion, asked.skeleton("resp_1", 1_790_000_000), asked.chat((), asked.items).tools
    )
    return Response.model_validate(found)


class TestRequest:
    def test_a_text_is_a_message_of_the_user(self) -> None:
        body = chat_body(request(instructions="Be brief", max_output_tokens=9, temperature=0.5))
        assert body == {
            "model": "m",
            "messages": [
                {"role": "developer", "content": "Be brief"},
                {"role": "user", "content": "hello"},
            ],
            "max_completion_tokens": 9,
            "temperature": 0.5,
        }

    def test_streams_ask_for_their_usage(self) -> None:
        body = chat_body(request(stream=True))
        assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})

    def test_tools_choice_format_and_effort_are_a_chats(self) -> None:
        schema = {"type": "object"}
        body = chat_body(
            request(
                tools=[
                    {
                        "type": "function",
                        "name": "f",
                        "description": "d",
                        "parameters": schema,
                        "strict": True,
                    }
                ],
                tool_choice={"type": "function", "name": "f"},
                text={
                    "format": {"type": "json_schema", "name": "a", "schema": schema, "strict": True},
                    "verbosity": "low",
                },
                reasoning={"effort": "high", "summary": "auto"},
            )
        )
        function = {"name": "f", "description": "d", "parameters": schema, "strict": True}
        assert body["tools"] == [{"type": "function", "function": function}]
        assert body["tool_choice"] == {"type": "function", "function": {"name": "f"}}
        named = {"name": "a", "schema": schema, "strict": True}
        assert body["response_format"] == {"type": "json_schema", "json_schema": named}
        assert (body["verbosity"], body["reasoning_effort"]) == ("low", "high")

    def test_what_we_do_not_know_goes_on_for_the_checks_of_a_chat(self) -> None:
        assert chat_body(request(some_field=1))["some_field"] == 1

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"background": 1}, "/background"),
            ({"conversation": 5}, "/conversation"),
            ({"conversation": {"name": "conv_1"}}, "/conversation"),
            ({"conversation": "conv_1", "previous_response_id": "resp_1"}, "/conversation"),
            ({"prompt": {"id": "p"}}, "/prompt"),
            ({"input": 5}, "/input"),
            ({"input": []}, "/input"),
            ({"model": None}, "/model"),
            ({"max_output_tokens": 0}, "/max_output_tokens"),
            ({"max_output_tokens": True}, "/max_output_tokens"),
            ({"tools": [{"type": "code_interpreter"}]}, "/tools/0/type"),
            ({"tools": [{"type": "image_generation"}], "tool_choice": "required"}, "/tools/0/type"),
            (
                {"tools": [{"type": "function", "name": "f"}], "tool_choice": {"type": "file_search"}},
                "/tool_choice",
            ),
            ({"tools": [5]}, "/tools"),
            ({"tools": [{"type": "mcp", "server_url": "x"}]}, "/tools/0/type"),
            ({"input": [{"type": "image_generation_call"}]}, "/input/0/type"),
            ({"input": [{"role": "wizard", "content": "x"}]}, "/input/0/role"),
            ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "/input/0/content/0"),
            ({"input": [{"type": "function_call_output", "output": "x"}]}, "/input/0/call_id"),
            ({"reasoning": {"effort": "extreme"}}, "/reasoning/effort"),
            ({"text": {"format": {"type": "xml"}}}, "/text/format/type"),
            ({"text": {"format": {"type": "json_schema", "schema": {}}}}, "/text/format/name"),
            ({"text": {"format": {"type": "json_schema", "name": "a"}}}, "/text/format/schema"),
            (
                {"tools": [{"type": "function", "name": "f"}], "tool_choice": {"type": "function"}},
                "/tool_choice/name",
            ),
            (
                {
                    "tools": [{"type": "function", "name": "f"}],
                    "tool_choice": {"type": "function", "function": {"name": "f"}},
                },
                "/tool_choice/name",
            ),
            ({"include": ["message.output_text.logprobs"]}, "/include/0"),
            ({"include": ["reasoning.encrypted_content", "everything"]}, "/include/1"),
            ({"metadata": {str(number): "a" for number in range(17)}}, "/metadata"),
            ({"metadata": {"n" * 65: "a"}}, "/metadata"),
            ({"metadata": {"a/b": "v" * 513}}, "/metadata/a~1b"),
            ({"metadata": {"a": 1}}, "/metadata/a"),
        ],
    )
    def test_what_cannot_be_is_refused_by_name(self, fields: dict[str, Any], path: str) -> None:
        with pytest.raises(InvalidInputError) as raised:
            chat_body(request(**fields))
        assert raised.value.problems[0].path == path

    def test_the_values_of_include_are_those_of_the_sdk_but_log_probabilities(self) -> None:
        assert {*INCLUDES, "message.output_text.logprobs"} == set(get_args(ResponseIncludable))

    def test_an_item_without_a_type_lacks_it(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            chat_body(request(input=[{"text": "hello"}]))
        (problem,) = raised.value.problems
        assert (problem.path, problem.message) == ("/input/0/type", "Required.")

    @pytest.mark.parametrize(
        ("fields", "place"),
        [
            ({"messages": [{"role": "user", "content": "other"}]}, "input"),
            ({"response_format": {"type": "json_object"}}, "text.format"),
            ({"reasoning_effort": "high"}, "reasoning.effort"),
            ({"functions": [{"name": "f", "parameters": {}}]}, "tools"),
            ({"function_call": "auto"}, "tool_choice"),
        ],
    )
    def test_a_field_of_chats_with_another_name_here_is_refused_with_this_name(
        self, fields: dict[str, Any], place: str
    ) -> None:
        with pytest.raises(InvalidInputError) as raised:
            chat_body(request(**fields))
        (problem,) = raised.value.problems
        assert problem.path == f"/{next(iter(fields))}"
        assert f"`{place}`" in problem.message

    @pytest.mark.parametrize("fields", [{"n": 2}, {"logprobs": True}])
    def test_a_field_of_chats_that_a_response_cannot_show_is_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError) as raised:
            chat_body(request(**fields))
        assert [problem.path for problem in raised.value.problems] == [f"/{next(iter(fields))}"]

    @pytest.mark.parametrize("fields", [{"n": 1}, {"logprobs": False}, {"messages": None}])
    def test_a_value_of_them_without_an_effect_is_accepted(self, fields: dict[str, Any]) -> None:
        assert chat_body(request(**fields))["messages"] == [{"role": "user", "content": "hello"}]


class TestNamespaces:
    TOOLS = [  # noqa: RUF012 - as Codex sends them
        {
            "type": "namespace",
            "name": "crm",
            "description": "",
            "tools": [{"type": "function", "name": "find"}, {"type": "custom", "name": "run"}],
        }
    ]

    def test_a_tool_of_a_namespace_has_both_names_in_a_chat_and_comes_back_by_its_own(self) -> None:
        body = chat_body(request(tools=self.TOOLS))
        assert [tool["function"]["name"] for tool in body["tools"]] == ["crm__find", "crm__run"]
        called = [
            {"id": "c1", "function": {"name": "crm__find", "arguments": "{}"}},
            {"id": "c2", "function": {"name": "crm__run", "arguments": '{"input": "x"}'}},
        ]
        output: list[Any] = whole({"tool_calls": called}, "tool_calls", tools=self.TOOLS).output
        find, run = output
        assert (find.type, find.name, find.namespace) == ("function_call", "find", "crm")
        assert (run.type, run.name, run.namespace, run.input) == ("custom_tool_call", "run", "crm", "x")
        sent = [
            {**find.to_dict(), "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "1"},
        ]
        message, _ = messages_of(sent)[0]
        assert message["tool_calls"][0]["function"]["name"] == "crm__find"

    def test_tools_may_come_as_an_item(self) -> None:
        item = {"type": "additional_tools", "role": "developer", "tools": self.TOOLS}
        body = chat_body(request(input=[item, {"role": "user", "content": "hi"}], client_metadata={"a": "b"}))
        assert [tool["function"]["name"] for tool in body["tools"]] == ["crm__find", "crm__run"]
        assert body["messages"] == [{"role": "user", "content": "hi"}]
        assert "client_metadata" not in body


class TestItems:
    def test_a_turn_of_the_assistant_is_one_message(self) -> None:
        items = [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call", "call_id": "c2", "name": "f", "arguments": '{"a":1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
            {"type": "function_call_output", "call_id": "c2", "output": "two"},
        ]
        calls = [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
        ]
        assert messages_of(items)[0] == [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": "I look", "reasoning_content": "hm", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": "one"},
            {"role": "tool", "tool_call_id": "c2", "content": "two"},
        ]

    def test_images_among_outputs_follow_all_of_them(self) -> None:
        image = {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "high"}
        items = [
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": "see"}, image],
            },
            {"type": "function_call_output", "call_id": "c2", "output": "two"},
            {"role": "user", "content": "go on"},
        ]
        shown = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "high"}}
        assert messages_of(items)[0] == [
            {"role": "tool", "tool_call_id": "c1", "content": "see"},
            {"role": "tool", "tool_call_id": "c2", "content": "two"},
            {"role": "user", "content": [shown]},
            {"role": "user", "content": "go on"},
        ]

    def test_signed_thinking_survives_the_way_through_a_client(self) -> None:
        item = {"type": "reasoning", "summary": [], "encrypted_content": sealed(THOUGHTS)}
        [message], _ = messages_of([item])
        assert message["thinking_blocks"] == THOUGHTS

    @pytest.mark.parametrize("odd", [None, "", "gAAAA", "tg1.%%%", "tg1.bm8=", 5])
    def test_what_others_sealed_says_nothing_here(self, odd: object) -> None:
        assert unsealed(odd) == []

    def test_a_file_carries_its_data(self) -> None:
        part = {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}
        [message], _ = messages_of([{"role": "user", "content": [part]}])
        file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}
        assert message["content"] == [{"type": "file", "file": file}]


class TestWholeAnswers:
    def test_text_and_usage(self) -> None:
        found = whole({"content": "Hello"}, metadata={"a": "b"}, instructions="Be brief")
        assert found.output_text == "Hello"
        assert (found.status, found.metadata, found.instructions) == ("completed", {"a": "b"}, "Be brief")
        shown = found.model_dump()
        # OpenRouter's SDKs refuse a response without one of them.
        assert [shown[name] for name in ("completed_at", "frequency_penalty", "presence_penalty")] == [
            None
        ] * 3
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens, found.usage.total_tokens) == (11, 7, 18)
        assert found.usage.input_tokens_details.cached_tokens == 4
        assert found.usage.output_tokens_details.reasoning_tokens == 2

    def test_calls_of_functions_and_custom_tools(self) -> None:
        calls = [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
            {"id": "c2", "type": "function", "function": {"name": "patch", "arguments": '{"input":"*** x"}'}},
        ]
        tools = [{"type": "custom", "name": "patch"}, {"type": "function", "name": "f", "parameters": {}}]
        found = whole({"content": None, "tool_calls": calls}, "tool_calls", tools=tools)
        shown = [
            (one.type, getattr(one, "arguments", None) or getattr(one, "input", None)) for one in found.output
        ]
        assert shown == [("function_call", '{"a":1}'), ("custom_tool_call", "*** x")]
        assert len({getattr(one, "id", None) for one in found.output}) == 2

    @pytest.mark.parametrize(
        ("finish", "status", "reason"),
        [
            ("stop", "completed", None),
            ("tool_calls", "completed", None),
            ("length", "incomplete", "max_output_tokens"),
            ("content_filter", "incomplete", "content_filter"),
        ],
    )
    def test_how_it_ended(self, finish: str, status: str, reason: str | None) -> None:
        found = whole({"content": "x"}, finish)
        details = found.incomplete_details
        assert (found.status, details.reason if details else None) == (status, reason)

    def test_reasoning_comes_before_the_text_with_its_seal(self) -> None:
        found = whole({"content": "x", "reasoning_content": "hm", "thinking_blocks": THOUGHTS})
        reasoning = found.output[0]
        assert reasoning.type == "reasoning"
        assert reasoning.status == "completed"
        assert reasoning.summary[0].text == "hm"
        assert unsealed(reasoning.encrypted_content) == THOUGHTS
        assert found.output_text == "x"

    def test_a_refusal_is_one(self) -> None:
        found = whole({"content": None, "refusal": "No."})
        [message] = found.output
        assert message.type == "message"
        assert message.content[0].type == "refusal"


class TestStreams:
    def test_the_events_of_a_text(self) -> None:
        found, response = events_of(
            chunk(role="assistant", content=""),
            chunk(content="Hel"),
            chunk("stop", content="lo"),
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        )
        assert [event.type for event in found] == [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
        assert found[-1].response.output_text == "Hello"
        assert found[-1].response.usage.total_tokens == 3
        assert found[0].response.output == []
        assert response["output"][0]["content"][0]["text"] == "Hello"

    def test_thinking_text_and_calls_have_items_of_their_own(self) -> None:
        call = {"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a"'}}
        found, response = events_of(
            chunk(reasoning_content="h"),
            chunk(reasoning_content="m"),
            chunk(thinking_blocks=THOUGHTS),
            chunk(content="I look"),
            chunk(tool_calls=[call]),
            chunk(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": ":1}"}}]),
            chunk("tool_calls"),
            tools=[{"type": "function", "name": "f"}],
        )
        assert [item["type"] for item in response["output"]] == [
            "reasoning",
            "message",
            "function_call",
            "function_call",
        ]
        assert [item.get("arguments") for item in response["output"][2:]] == ['{"a":1}', "{}"]
        assert unsealed(response["output"][0]["encrypted_content"]) == THOUGHTS
        done = [event.item.type for event in found if event.type == "response.output_item.done"]
        assert done == ["reasoning", "message", "function_call", "function_call"]

    def test_whole_and_streamed_say_the_same(self) -> None:
        message = {"content": "I look", "reasoning_content": "hm", "thinking_blocks": THOUGHTS}
        calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
        streamed = events_of(
            chunk(reasoning_content="hm"),
            chunk(thinking_blocks=THOUGHTS),
            chunk(content="I look"),
            chunk("tool_calls", tool_calls=[{**calls[0], "index": 0}]),
        )[1]
        complete = whole({**message, "tool_calls": calls}, "tool_calls")
        assert Response.model_validate(streamed).output == complete.output

    def test_an_answer_that_breaks_off_failed_and_keeps_what_came(self) -> None:
        found, response = events_of(chunk(content="Hel"), fails=True)
        assert found[-1].type == "response.failed"
        assert found[-1].response.error.code == "server_error"
        assert response["output"][0]["status"] == "incomplete"
        assert response["output"][0]["content"][0]["text"] == "Hel"

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            # OpenAI's types have no code for a long input, and clients repeat after `server_error`.
            ("context_length_exceeded", "invalid_prompt"),
            ("rate_limit_exceeded", "rate_limit_exceeded"),
            ("provider_error", "server_error"),
        ],
    )
    def test_a_failed_response_has_a_code_of_openai_s_types(self, code: str, told: str) -> None:
        asked = request()
        stream = ResponseEvents(asked.skeleton("resp_1", 1), {})
        stream.start()
        failed = stream.fail(code, "prompt is too long: 9 tokens")[-1]["response"]
        error = Response.model_validate(failed).error
        assert error is not None
        assert (error.code, error.message) == (told, "prompt is too long: 9 tokens")

    def test_each_event_goes_out_by_its_name(self) -> None:
        asked = request()
        stream = ResponseEvents(asked.skeleton("resp_1", 1), {})
        [name, data, *_] = encoded_events(stream.start()).decode().splitlines()
        assert name == "event: response.created"
        assert json.loads(data.removeprefix("data: "))["response"]["id"] == "resp_1"
