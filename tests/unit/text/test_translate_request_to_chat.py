from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import ANTHROPIC, PLAIN
from tests.unit.text.test_text_request import JSON
from tests.unit.text.test_translate_request_to_messages import _places, spoiled
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.translation.request_to_chat import chat_request, ignored_by_chat
from tollgate.text.wire.dialect import ChatDialect

HI = [{"role": "user", "content": "hi"}]
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
FULL: dict[str, Any] = {
    "model": "m",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "be kind"}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, PICTURE]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [PICTURE]}]},
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "auto"},
    "stop_sequences": ["x"],
    "thinking": {"type": "enabled", "budget_tokens": 2_000},
    "output_config": {"format": {"type": "json_schema", "schema": {}}},
    "metadata": {"user_id": "u"},
}


def translate(body: dict[str, Any], dialect: ChatDialect = PLAIN) -> dict[str, Any]:
    whole = {"model": "ours", "max_tokens": 100, "messages": HI, **body}
    return chat_request(read_request(ANTHROPIC, dumps(whole).encode()), dialect, "gpt", 100)


def messages(*given: dict[str, Any]) -> Any:
    return translate({"messages": list(given)})["messages"]


def refused(body: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        translate(body)
    return [problem.path for problem in caught.value.problems]


class TestConversation:
    def test_a_plain_request(self) -> None:
        assert translate({}) == {"model": "gpt", "messages": HI, "max_completion_tokens": 100}

    def test_the_limit_has_the_vendors_name(self) -> None:
        assert translate({}, VENDORS["deepseek"].dialect)["max_tokens"] == 100

    @pytest.mark.parametrize(
        "system", ["a\n\nb", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]]
    )
    def test_the_system_prompt_is_the_first_message(self, system: Any) -> None:
        assert translate({"system": system})["messages"][0] == {"role": "system", "content": "a\n\nb"}

    def test_a_document_has_its_title_and_context(self) -> None:
        source = {"type": "text", "media_type": "text/plain", "data": "Be brief."}
        block = {"type": "document", "source": source, "title": "Rules", "context": "Of the house."}
        (said,) = messages({"role": "user", "content": [block]})
        assert said == {"role": "user", "content": "Rules\n\nOf the house.\n\nBe brief."}

    def test_media(self) -> None:
        blocks = [
            {"type": "text", "text": "see"},
            PICTURE,
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
            {
                "type": "document",
                "title": "a.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ"},
            },
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}},
        ]
        assert messages({"role": "user", "content": blocks})[0]["content"] == [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ"}},
            {"type": "text", "text": "plain"},
        ]

    def test_each_result_is_a_message_before_what_the_user_says(self) -> None:
        blocks = [
            {"type": "text", "text": "go on"},
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {
                "type": "tool_result",
                "tool_use_id": "b",
                "is_error": True,
                "content": [{"type": "text", "text": "no"}, PICTURE],
            },
        ]
        assert messages({"role": "user", "content": blocks}) == [
            {"role": "tool", "tool_call_id": "a", "content": "one"},
            {"role": "tool", "tool_call_id": "b", "content": "Error: no"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "go on"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
                ],
            },
        ]

    def test_calls_and_thinking(self) -> None:
        blocks = [
            {"type": "thinking", "thinking": "hm", "signature": ""},
            {"type": "text", "text": "wait"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
        ]
        said = {"messages": [*HI, {"role": "assistant", "content": blocks}]}
        call = {"id": "t", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
        expected = {"role": "assistant", "content": "wait", "tool_calls": [call]}
        assert translate(said)["messages"][1] == expected
        echoed = translate(said, VENDORS["moonshot"].dialect)["messages"][1]
        assert echoed == {**expected, "reasoning_content": "hm"}

    @pytest.mark.parametrize(
        ("message", "path"),
        [
            ({"role": "user", "content": [{"type": "server_tool_use"}]}, "/messages/0/content/0"),
            (
                {"role": "user", "content": [{"type": "document", "source": {"type": "url"}}]},
                "/messages/0/content/0",
            ),
            ({"role": "assistant", "content": [{"type": "image"}]}, "/messages/0/content/0"),
            ({"role": "user", "content": None}, "/messages/0/content"),
            ({"role": "tool", "content": "x"}, "/messages/0/role"),
        ],
    )
    def test_what_cannot_be_said(self, message: dict[str, Any], path: str) -> None:
        assert refused({"messages": [message]}) == [path]


class TestParameters:
    def test_tools_and_choices(self) -> None:
        tool = {"name": "f", "description": "d", "input_schema": {"type": "object"}, "strict": True}
        body = translate({"tools": [tool], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}})
        function = {"name": "f", "parameters": {"type": "object"}, "description": "d", "strict": True}
        assert body["tools"] == [{"type": "function", "function": function}]
        assert (body["tool_choice"], body["parallel_tool_calls"]) == ("required", False)

    @pytest.mark.parametrize(
        ("choice", "expected"),
        [
            ({"type": "auto"}, "auto"),
            ({"type": "none"}, "none"),
            ({"type": "tool", "name": "f"}, {"type": "function", "function": {"name": "f"}}),
        ],
    )
    def test_other_choices(self, choice: dict[str, Any], expected: Any) -> None:
        assert translate({"tools": [{"name": "f"}], "tool_choice": choice})["tool_choice"] == expected

    @pytest.mark.parametrize(
        ("vendor", "fields", "sent", "ignored"),
        [
            ("deepseek", {"thinking": {"type": "disabled"}}, {"thinking": {"type": "disabled"}}, []),
            ("openai", {"thinking": {"type": "disabled"}}, {}, ["thinking"]),
            ("openai", {"thinking": {"type": "adaptive"}}, {}, []),
            (
                "google",
                {"output_config": {"effort": "low", "task_budget": {"type": "tokens", "total": 20_000}}},
                {"reasoning_effort": "low"},
                ["output_config.task_budget"],
            ),
        ],
    )
    def test_a_wish_is_sent_or_named(
        self, vendor: str, fields: dict[str, Any], sent: dict[str, Any], ignored: list[str]
    ) -> None:
        body = {"model": "m", "max_tokens": 100, "messages": HI, **fields}
        request = read_request(ANTHROPIC, dumps(body).encode())
        dialect = VENDORS[vendor].dialect
        made = chat_request(request, dialect, "m", 100)
        kept = {
            name: made[name] for name in ("thinking", "reasoning_effort", "output_config") if name in made
        }
        assert (kept, ignored_by_chat(request, dialect)) == (sent, ignored)

    def test_only_four_stops(self) -> None:
        assert translate({"stop_sequences": list("abcde")})["stop"] == list("abcd")

    @pytest.mark.parametrize(
        ("given", "effort"),
        [
            ({"output_config": {"effort": "xhigh"}}, "xhigh"),
            ({"thinking": {"type": "enabled", "budget_tokens": 1_024}}, "low"),
            ({"thinking": {"type": "enabled", "budget_tokens": 2_048}}, "medium"),
            ({"thinking": {"type": "enabled", "budget_tokens": 9_000}}, "high"),
            ({"thinking": {"type": "disabled"}}, None),
        ],
    )
    def test_thinking_is_an_effort(self, given: dict[str, Any], effort: str | None) -> None:
        assert translate(given).get("reasoning_effort") == effort

    def test_a_schema_for_the_answer(self) -> None:
        wanted = {"format": {"type": "json_schema", "schema": {"type": "object"}}}
        assert translate({"output_config": wanted})["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        }

    def test_a_stream_asks_for_its_usage(self) -> None:
        assert translate({"stream": True})["stream_options"] == {"include_usage": True}

    def test_what_passes_what_goes_and_what_is_renamed(self) -> None:
        body = {"temperature": 0.5, "top_k": 5, "cache_control": {}, "metadata": {"user_id": "u"}}
        shown = {"temperature": 0.5, "safety_identifier": "u"}
        assert translate(body) == {**translate({}), **shown}

    def test_a_field_of_no_table_is_refused_as_anthropic_does(self) -> None:
        assert refused({"new": 1}) == ["/new"]

    @pytest.mark.parametrize("tool", [{"type": "bash_20250124", "name": "bash"}, 5])
    def test_tools_without_an_equivalent(self, tool: Any) -> None:
        assert refused({"tools": [tool]}) == ["/tools/0"]


class TestNothingElseIsRaised:
    @given(place=st.sampled_from([place for place in _places(FULL) if place]), value=JSON)
    def test_a_spoiled_request_is_translated_or_refused(self, place: tuple[Any, ...], value: Any) -> None:
        try:
            request = read_request(ANTHROPIC, dumps(spoiled(FULL, place, value)).encode())
            chat_request(request, VENDORS["moonshot"].dialect, "m", 100)
        except InvalidInputError:
            pass


@pytest.mark.parametrize(
    ("block", "texts"),
    [
        ({"type": "tool_reference", "tool_name": "f"}, ["The tool f is available."]),
        (
            {
                "type": "search_result",
                "title": "A",
                "source": "https://a",
                "content": [{"type": "text", "text": "x"}],
            },
            ["A\nhttps://a", "x"],
        ),
        (
            {
                "type": "document",
                "title": "A",
                "source": {"type": "content", "content": [{"type": "text", "text": "x"}]},
            },
            ["A", "x"],
        ),
    ],
)
def test_blocks_of_words_are_texts(block: dict[str, Any], texts: list[str]) -> None:
    (said,) = messages({"role": "user", "content": [block]})
    assert [
        part["text"]
        for part in (said["content"] if isinstance(said["content"], list) else [{"text": said["content"]}])
    ] == texts
    told = messages(
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [block]}]}
    )
    assert told[0]["content"] == "".join(texts)


def test_a_limit_of_0_is_claudes_own() -> None:
    # It fills the cache there. Others refuse it, or take it for no limit.
    request = read_request(ANTHROPIC, dumps({"model": "m", "max_tokens": 0, "messages": HI}).encode())
    with pytest.raises(InvalidInputError, match="/max_tokens: Must be 1 or more"):
        chat_request(request, PLAIN, "m", 0)
