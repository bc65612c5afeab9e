import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import OPENAI, text_model
from tests.unit.text.test_text_request import JSON
from tollgate.kit.errors import InvalidInputError
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import Refuses, TextModel
from tollgate.text.translation.request_to_messages import messages_request
from tollgate.text.translation.schemas import portable_schema

HI = [{"role": "user", "content": "hi"}]
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "description": "d", "parameters": {"type": "object", "properties": {}}},
}
FULL: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": "yes",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "5"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]},
    ],
    "tools": [WEATHER],
    "tool_choice": "auto",
    "stop": ["x"],
    "reasoning_effort": "high",
    "temperature": 1,
    "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}},
}


def translate(body: dict[str, Any], model: TextModel | None = None, limit: int = 4_096) -> dict[str, Any]:
    request = read_request(OPENAI, dumps({"model": "ours", "messages": HI, **body}).encode())
    return messages_request(request, model or text_model(), "claude", limit)


def turns(*messages: dict[str, Any]) -> Any:
    return translate({"messages": list(messages)})["messages"]


def refused(body: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        translate(body)
    return [problem.path for problem in caught.value.problems]


class TestConversation:
    def test_a_plain_request(self) -> None:
        assert translate({}) == {
            "model": "claude",
            "max_tokens": 4_096,
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        }

    def test_leading_instructions_are_the_system_prompt(self) -> None:
        messages = [
            {"role": "system", "content": "be kind"},
            {"role": "developer", "content": [{"type": "text", "text": "be brief"}]},
            *HI,
        ]
        assert translate({"messages": messages})["system"] == "be kind\n\nbe brief"

    def test_a_cache_mark_keeps_the_system_prompt_in_blocks(self) -> None:
        mark = {"cache_control": {"type": "ephemeral"}}
        messages = [{"role": "system", "content": [{"type": "text", "text": "a", **mark}]}, *HI]
        assert translate({"messages": messages})["system"] == [{"type": "text", "text": "a", **mark}]

    def test_later_instructions_keep_their_place(self) -> None:
        found = turns(*HI, {"role": "assistant", "content": "yo"}, {"role": "system", "content": "now rhyme"})
        assert found[-1] == {"role": "user", "content": [{"type": "text", "text": "now rhyme"}]}

    def test_the_same_role_twice_is_one_turn(self) -> None:
        found = turns(*HI, {"role": "user", "content": "you"})
        assert [block["text"] for block in found[0]["content"]] == ["hi", "you"]
        assert len(found) == 1

    @pytest.mark.parametrize(
        "messages",
        [
            [{"role": "system", "content": "s"}],
            [{"role": "assistant", "content": "a"}],
            [{"role": "user", "content": ""}],
        ],
    )
    def test_there_is_always_a_user_who_says_something(self, messages: list[dict[str, Any]]) -> None:
        assert turns(*messages)[0] == {"role": "user", "content": [{"type": "text", "text": "."}]}

    def test_images(self) -> None:
        parts = [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        ]
        assert turns({"role": "user", "content": parts})[0]["content"] == [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
        ]

    @pytest.mark.parametrize("written", ["image/jpg", "image/JPG", "IMAGE/jpeg"])
    def test_a_jpeg_has_its_proper_name_because_anthropic_takes_no_other(self, written: str) -> None:
        part = {"type": "image_url", "image_url": {"url": f"data:{written};base64,QUJD"}}
        (block,) = turns({"role": "user", "content": [part]})[0]["content"]
        assert block["source"] == {"type": "base64", "media_type": "image/jpeg", "data": "QUJD"}

    def test_a_document(self) -> None:
        file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUJD"}
        assert turns({"role": "user", "content": [{"type": "file", "file": file}]})[0]["content"] == [
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "QUJD"},
                "title": "a.pdf",
            }
        ]

    def test_parallel_calls_and_their_results(self) -> None:
        calls = [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
            {"id": "call.2", "type": "function", "function": {"name": "g", "arguments": ""}},
        ]
        found = turns(
            *HI,
            {"role": "assistant", "content": "wait", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "tool", "tool_call_id": "call.2", "content": [{"type": "text", "text": "two"}]},
            {"role": "user", "content": "go on"},
        )
        assert found[1:] == [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "wait"},
                    {"type": "tool_use", "id": "call_1", "name": "f", "input": {"a": 1}},
                    {"type": "tool_use", "id": "call_2", "name": "g", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "one"},
                    {"type": "tool_result", "tool_use_id": "call_2", "content": "two"},
                    {"type": "text", "text": "go on"},
                ],
            },
        ]

    def test_ids_that_become_alike_stay_apart(self) -> None:
        calls = [{"id": name, "function": {"name": "f", "arguments": ""}} for name in ("a.b", "a:b", "a.b")]
        blocks = turns(*HI, {"role": "assistant", "tool_calls": calls})[1]["content"]
        assert [block["id"] for block in blocks] == ["a_b", "a_b_1", "a_b"]

    def test_arguments_that_are_no_object_are_wrapped(self) -> None:
        call = {"id": "a", "function": {"name": "f", "arguments": "[1"}}
        assert turns(*HI, {"role": "assistant", "tool_calls": [call]})[1]["content"][0]["input"] == {
            "_raw": "[1"
        }

    def test_signed_thinking_goes_back_and_unsigned_does_not(self) -> None:
        signed = {"type": "thinking", "thinking": "hm", "signature": "s"}
        redacted = {"type": "redacted_thinking", "data": "x"}
        blocks = [signed, {"type": "thinking", "thinking": "no"}, redacted]
        message = {"role": "assistant", "content": "a", "reasoning_content": "hm", "thinking_blocks": blocks}
        assert turns(*HI, message)[1]["content"] == [signed, redacted, {"type": "text", "text": "a"}]

    @pytest.mark.parametrize(
        ("message", "path"),
        [
            ({"role": "user", "content": [{"type": "input_audio"}]}, "/messages/0/content/0"),
            (
                {"role": "user", "content": [{"type": "image_url", "image_url": "ftp://x"}]},
                "/messages/0/content/0/image_url",
            ),
            (
                {"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]},
                "/messages/0/content/0/file",
            ),
            ({"role": "user", "content": 5}, "/messages/0/content"),
            ({"role": "assistant", "tool_calls": ["f"]}, "/messages/0/tool_calls/0"),
            ({"role": "wizard", "content": "a"}, "/messages/0/role"),
        ],
    )
    def test_what_cannot_be_said(self, message: dict[str, Any], path: str) -> None:
        assert refused({"messages": [message]}) == [path]


class TestTools:
    def test_a_tool(self) -> None:
        assert translate({"tools": [WEATHER]})["tools"] == [
            {"name": "weather", "description": "d", "input_schema": {"type": "object", "properties": {}}}
        ]

    def test_a_tool_without_parameters_that_is_strict(self) -> None:
        tool = {"type": "function", "function": {"name": "f", "strict": True}}
        assert translate({"tools": [tool]})["tools"] == [
            {"name": "f", "input_schema": {"type": "object", "properties": {}}, "strict": True}
        ]

    @pytest.mark.parametrize(
        ("choice", "expected"),
        [
            ("auto", {"type": "auto"}),
            ("none", {"type": "none"}),
            ("required", {"type": "any"}),
            ({"type": "function", "function": {"name": "weather"}}, {"type": "tool", "name": "weather"}),
        ],
    )
    def test_choices(self, choice: Any, expected: dict[str, Any]) -> None:
        assert translate({"tools": [WEATHER], "tool_choice": choice})["tool_choice"] == expected

    def test_one_call_at_a_time(self) -> None:
        body = {"tools": [WEATHER], "parallel_tool_calls": False}
        assert translate(body)["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
        assert translate({**body, "tool_choice": "none"})["tool_choice"] == {"type": "none"}

    def test_thinking_cannot_be_forced_to_a_tool(self) -> None:
        body = {"tools": [WEATHER], "tool_choice": "required", "reasoning_effort": "low"}
        assert translate(body)["tool_choice"] == {"type": "auto"}

    @pytest.mark.parametrize("tools", [5, ["x"], [{"type": "custom"}]])
    def test_no_function_tool(self, tools: Any) -> None:
        assert refused({"tools": tools})[0].startswith("/tools")


class TestParameters:
    def test_sampling_is_clamped(self) -> None:
        body = translate({"temperature": 1.7, "top_p": 0.5})
        assert (body["temperature"], body["top_p"]) == (1, 0.5)

    def test_sampling_is_dropped_while_thinking(self) -> None:
        body = translate({"temperature": 0.2, "top_p": 0.5, "reasoning_effort": "max"})
        assert not {"temperature", "top_p"} & body.keys()
        assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
        assert body["output_config"] == {"effort": "max"}

    @pytest.mark.parametrize("asked", [{"reasoning_effort": "none"}, {"thinking": {"type": "disabled"}}])
    def test_no_thinking_is_the_least_that_a_model_has(self, asked: dict[str, Any]) -> None:
        always = frozenset({Refuses.DISABLED_THINKING})
        sonnet = text_model(thinks_between_tools=True, refuses=always)
        assert translate(asked, sonnet)["thinking"] == {"type": "between_tools"}
        assert "thinking" not in translate(asked, text_model(refuses=always))

    @pytest.mark.parametrize(
        ("effort", "limit", "thinking"),
        [
            ("none", 4_096, None),
            ("low", 4_096, {"type": "enabled", "budget_tokens": 1_024}),
            ("high", 8_192, {"type": "enabled", "budget_tokens": 4_096}),
            ("max", 8_192, {"type": "enabled", "budget_tokens": 8_191}),
            ("max", 1_024, None),
        ],
    )
    def test_models_with_a_thinking_budget(
        self, effort: str, limit: int, thinking: dict[str, Any] | None
    ) -> None:
        body = translate({"reasoning_effort": effort}, text_model(adaptive_thinking=False), limit)
        assert body.get("thinking") == thinking

    @pytest.mark.parametrize(
        ("stop", "expected"), [("x", ["x"]), (["a", " \n", "b"], ["a", "b"]), ("\n", None)]
    )
    def test_stops(self, stop: Any, expected: list[str] | None) -> None:
        assert translate({"stop": stop}).get("stop_sequences") == expected

    def test_who_asks(self) -> None:
        assert translate({"user": "u"})["metadata"] == {"user_id": "u"}
        assert translate({"user": "u", "safety_identifier": "s"})["metadata"] == {"user_id": "s"}

    def test_a_schema_for_the_answer(self) -> None:
        schema = {
            "type": "object",
            "properties": {
                "minimum": {"type": "integer", "minimum": 3},
                "l": {"type": "array", "maxItems": 2},
            },
        }
        body = translate({"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}})
        assert body["output_config"]["format"] == {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {"minimum": {"type": "integer"}, "l": {"type": "array"}},
                "additionalProperties": False,
            },
        }

    def test_a_json_object_is_a_hint(self) -> None:
        body = translate({"response_format": {"type": "json_object"}})
        assert body["system"] == "Answer with one JSON object and nothing else."

    def test_hints_without_an_equivalent_are_left_out(self) -> None:
        hints = {"seed": 1, "store": True, "metadata": {"a": "b"}, "prompt_cache_key": "k", "n": 1}
        assert translate(hints) == translate({})

    @pytest.mark.parametrize(("tier", "expected"), [("auto", "auto"), ("default", "standard_only")])
    def test_service_tiers_by_anthropics_names(self, tier: str, expected: str) -> None:
        assert translate({"service_tier": tier})["service_tier"] == expected

    def test_unknown_fields_go_through_for_the_provider_to_judge(self) -> None:
        assert (
            translate({"top_k": 5, "brand_new": {"a": 1}}).items()
            >= {"top_k": 5, "brand_new": {"a": 1}}.items()
        )

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("n", 2),
            ("logprobs", True),
            ("logit_bias", {"1": 2}),
            ("presence_penalty", 0.5),
            ("functions", [{}]),
        ],
    )
    def test_what_would_change_the_answer_is_refused(self, name: str, value: Any) -> None:
        assert refused({name: value}) == [f"/{name}"]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("stop", 5),
            ("reasoning_effort", "huge"),
            ("reasoning_effort", []),
            ("response_format", {"type": "x"}),
        ],
    )
    def test_values_that_make_no_sense(self, name: str, value: Any) -> None:
        assert refused({name: value}) == [f"/{name}"]


class TestPortableSchema:
    def test_nested_too_deeply(self) -> None:
        schema: dict[str, Any] = {"type": "object"}
        for _ in range(80):
            schema = {"type": "array", "items": schema}
        with pytest.raises(InvalidInputError, match="deeper than 64"):
            portable_schema(schema)

    def test_values_are_not_schemas(self) -> None:
        schema = {
            "enum": [{"minimum": 1}],
            "const": {"maximum": 2},
            "anyOf": [{"type": "string", "minLength": 1}],
        }
        assert portable_schema(schema) == {
            "enum": [{"minimum": 1}],
            "const": {"maximum": 2},
            "anyOf": [{"type": "string"}],
        }


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, item in inner for place in _places(item, (*path, name)))]


def spoiled(body: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return `body` with another value at one place in it."""
    changed = copy.deepcopy(body)
    holder: Any = changed
    for name in place[:-1]:
        holder = holder[name]
    holder[place[-1]] = value
    return changed


class TestNothingElseIsRaised:
    @given(place=st.sampled_from([place for place in _places(FULL) if place]), value=JSON)
    def test_a_spoiled_request_is_translated_or_refused(self, place: tuple[Any, ...], value: Any) -> None:
        try:
            request = read_request(OPENAI, dumps(spoiled(FULL, place, value)).encode())
            messages_request(request, text_model(), "m", 100)
        except InvalidInputError:
            pass
