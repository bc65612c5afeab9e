"""OpenAI's Responses API asked in place of chat completions: bodies and answers by the types of its SDK."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from tollgate.kit.errors import InvalidInputError
from tollgate.providers.text.openai_compatible.responses import (
    ResponsesSplitter,
    completion_of_response,
    has_tools,
    responses_body,
)
from tollgate.text.wire.faults import FaultError
from tollgate.text.wire.sse import SseSplitter, UnreadableStreamError

PARAMS: TypeAdapter[Any] = TypeAdapter(ResponseCreateParamsNonStreaming)
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
MARK = "0a1b2c3d"
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAx"}


def chat(**fields: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": "hello"}]
    return {"model": "gpt-6.1-sol", "messages": said, "tools": [TOOL], **fields}


def said_by(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body that OpenAI's own type takes whole."""
    checked = dict(PARAMS.validate_python(body))
    assert set(checked) == set(body)
    return body


def made(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body for the Responses API, which has every field of the chat."""
    found, ignored = responses_body(body, MARK)
    assert ignored == []
    return found


class TestBody:
    def test_a_chat_with_a_tool_round_is_a_list_of_items(self) -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
        body = made(
            chat(
                messages=[
                    {"role": "system", "content": "Be brief"},
                    {"role": "user", "content": [{"type": "text", "text": "where?"}, image]},
                    {
                        "role": "assistant",
                        "content": "I look",
                        "tool_calls": [call],
                        "thinking_blocks": [SEALED],
                    },
                    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
                ]
            )
        )
        assert said_by(body)["input"] == [
            {"role": "system", "content": "Be brief"},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "where?"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"},
                ],
            },
            SEALED,
            {"role": "assistant", "content": "I look"},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        ]

    def test_limits_effort_format_and_tools_have_their_places(self) -> None:
        named = {"name": "a", "schema": SCHEMA, "strict": True}
        body = made(
            chat(
                max_completion_tokens=99,
                max_tokens=50,
                reasoning_effort="low",
                verbosity="low",
                n=1,
                presence_penalty=0,
                modalities=["text"],
                stop=[],
                temperature=None,
                response_format={"type": "json_schema", "json_schema": named},
                tool_choice={"type": "function", "function": {"name": "weather"}},
                stream_options={"include_usage": True},
            )
        )
        assert said_by(body) == {
            "model": "gpt-6.1-sol",
            "input": [{"role": "user", "content": "hello"}],
            "max_output_tokens": 50,
            "reasoning": {"effort": "low"},
            "text": {"verbosity": "low", "format": {"type": "json_schema", **named}},
            "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}],
            "tool_choice": {"type": "function", "name": "weather"},
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"n": 2}, "/n"),
            ({"stop": ["x"]}, "/stop"),
            ({"logprobs": True}, "/logprobs"),
            ({"logit_bias": {"5": 1}}, "/logit_bias"),
            ({"presence_penalty": 0.5}, "/presence_penalty"),
            ({"max_tokens": 15}, "/max_tokens"),
            ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "/tools/0"),
            ({"tool_choice": {"type": "allowed_tools"}}, "/tool_choice"),
            ({"response_format": {"type": "json_schema"}}, "/response_format"),
            ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "/messages/0/content"),
            ({"messages": [{"role": "function", "content": "x"}]}, "/messages/0/role"),
            ({"messages": [{"role": "tool", "content": "x"}]}, "/messages/0"),
        ],
    )
    def test_a_wish_that_it_has_no_word_for_is_refused_by_name(
        self, fields: dict[str, Any], path: str
    ) -> None:
        with pytest.raises(InvalidInputError) as refused:
            responses_body(chat(**fields), MARK)
        assert [problem.path for problem in refused.value.problems] == [path]

    def test_a_hint_is_left_out_and_named(self) -> None:
        body, ignored = responses_body(chat(seed=1, prediction={"type": "content", "content": "x"}), MARK)
        assert ignored == ["seed", "prediction"]
        assert not {"seed", "prediction"} & set(body)

    def test_an_unknown_name_is_sent_for_openai_to_refuse(self) -> None:
        body, ignored = responses_body(chat(some_field=1), MARK)
        assert (body["some_field"], ignored) == (1, [])

    def test_only_tools_that_may_be_thought_about_go_there(self) -> None:
        assert has_tools(chat())
        assert has_tools(chat(reasoning_effort="high"))
        assert not has_tools(chat(reasoning_effort="none"))
        assert not has_tools(chat(tools=[]))


class TestAnswers:
    @pytest.fixture
    def came(self, simulator_url: str, request: pytest.FixtureRequest) -> tuple[dict[str, Any], bytes]:
        """Return the whole response of OpenAI's simulator, and the stream of the same."""
        body = made(chat(messages=[{"role": "user", "content": request.param}]))
        url, headers = f"{simulator_url}/openai/v1/responses", {"authorization": "Bearer key"}
        whole = httpx.post(url, json=body, headers=headers)
        streamed = httpx.post(url, json={**body, "stream": True}, headers=headers)
        assert (whole.status_code, streamed.status_code) == (200, 200)
        return whole.json(), streamed.content

    @pytest.mark.parametrize("came", ["hello [[think]]", "[[tool]] [[cached 3]]"], indirect=True)
    def test_whole_and_streamed_are_the_same_chat(self, came: tuple[dict[str, Any], bytes]) -> None:
        response, stream = came
        Response.model_validate(response)
        for event in SseSplitter().feed(stream):
            EVENT.validate_json(event.data or b"")
        as_chat = completion_of_response(json.dumps(response).encode(), MARK)
        whole = ChatCompletion.model_validate_json(as_chat)
        chunks = list(_chunks(stream))
        message, said = (
            whole.choices[0].message,
            [chunk.choices[0].delta for chunk in chunks if chunk.choices],
        )
        assert (message.content or "") == "".join(delta.content or "" for delta in said)
        calls = [call for delta in said for call in delta.tool_calls or []]
        for call in message.tool_calls or []:
            arguments = "".join(each.function.arguments or "" for each in calls if each.function)
            assert (call.id, call.function.arguments) == (calls[0].id, arguments)  # type: ignore[union-attr]
        finishes = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
        assert finishes[-1] == whole.choices[0].finish_reason
        assert chunks[-1].usage == whole.usage
        assert whole.usage is not None
        assert whole.usage.completion_tokens > 0

    def test_an_error_is_one_in_a_chat_too(self) -> None:
        failed = {"error": {"code": "rate_limit_exceeded", "message": "slow down"}}
        assert json.loads(completion_of_response(json.dumps(failed).encode(), MARK)) == failed
        event = {"type": "response.failed", "response": failed}
        data = f"event: x\ndata: {json.dumps(event)}\n\n".encode()
        (told,) = ResponsesSplitter(MARK).feed(data)
        assert json.loads(told.data or b"") == failed

    @pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"output": 5, "id": "x"}'])
    def test_what_is_no_response_cannot_be_read(self, body: bytes) -> None:
        with pytest.raises(FaultError):
            completion_of_response(body, MARK)
        with pytest.raises(UnreadableStreamError):
            list(ResponsesSplitter(MARK).feed(b"data: " + body + b"\n\n"))


def _chunks(stream: bytes) -> Iterator[ChatCompletionChunk]:
    splitter = ResponsesSplitter(MARK)
    # One byte at a time, as bad as it can come.
    events = [event for at in range(len(stream)) for event in splitter.feed(stream[at : at + 1])]
    assert events[-1].data == b"[DONE]"
    return (ChatCompletionChunk.model_validate_json(event.data or b"") for event in events[:-1])
