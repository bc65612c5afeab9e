from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import ANTHROPIC, OPENAI, text_model
from tollgate.text.body.fields import TABLES
from tollgate.text.body.json_body import dumps, read_json_body
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.body.tokens import (
    MAX_IMAGE_TOKENS,
    MESSAGE_OVERHEAD_TOKENS,
    REQUEST_OVERHEAD_TOKENS,
    input_bound,
    input_estimate,
    tokens_of_bytes,
    utf8_length,
)
from tollgate.text.models import TextProtocol
from tollgate.text.responses.as_chat import complete_chat

READ = {
    OPENAI: {"messages", "tools", "functions", "response_format"},
    ANTHROPIC: {"messages", "system", "tools"},
}
"""The fields that a model reads whole. It reads only the `format` of Anthropic's `output_config`."""
CONTROL = [(protocol, name) for protocol, names in READ.items() for name in TABLES[protocol].keys() - names]
SCHEMA = {"type": "object"}
TOOL = {"type": "function", "name": "weather", "parameters": SCHEMA}
OF_RESPONSES = {
    "stream": True,
    "stream_options": {"include_obfuscation": False},
    "store": False,
    "metadata": {"team": "x" * 400},
    "user": "somebody",
    "temperature": 0.5,
    "max_output_tokens": 100,
    "tool_choice": "required",
    "reasoning": {"effort": "high"},
    "include": ["reasoning.encrypted_content"],
}

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400_000}}


def request(*contents: Any) -> TextRequest:
    messages = [{"role": "user", "content": content} for content in contents]
    return read_request(OPENAI, dumps({"model": "m", "messages": messages}).encode())


class TestInputBound:
    def test_a_token_per_byte_of_the_body_and_the_overheads(self) -> None:
        asked = request("héllo", "you")
        expected = asked.body.size_bytes + REQUEST_OVERHEAD_TOKENS + 2 * MESSAGE_OVERHEAD_TOKENS
        assert input_bound(asked, text_model()) == expected

    @pytest.mark.parametrize("part", [PICTURE, BLOCK, {"type": "tool_result", "content": [BLOCK]}])
    def test_an_image_counts_by_its_own_bound(self, part: dict[str, Any]) -> None:
        bound = input_bound(request([part]), text_model())
        assert MAX_IMAGE_TOKENS < bound < MAX_IMAGE_TOKENS + 2_000

    @pytest.mark.parametrize("kind", ["document", "input_audio", "file", "video_url", "something", None])
    def test_what_cannot_be_bounded_may_fill_the_context(self, kind: str | None) -> None:
        assert input_bound(request([{"type": kind}]), text_model()) == 1_000_000

    def test_no_more_than_the_context(self) -> None:
        assert input_bound(request("x" * 5_000), text_model(context_tokens=4_000)) == 4_000

    def test_nested_too_deeply_to_look_into(self) -> None:
        part: dict[str, Any] = {"type": "image"}
        for _ in range(5):
            part = {"type": "tool_result", "content": [part]}
        assert input_bound(request([part]), text_model()) == 1_000_000

    @given(text=st.text(max_size=200))
    def test_at_least_the_bytes_of_any_text(self, text: str) -> None:
        assert input_bound(request(text), text_model()) >= utf8_length(text)

    @given(text=st.text(max_size=200))
    def test_an_estimate_is_within_the_bound_and_never_nothing(self, text: str) -> None:
        asked = request(text, [PICTURE])
        assert 1 <= input_estimate(asked, text_model()) <= input_bound(asked, text_model())


class TestInputEstimate:
    """One token for four bytes of JSON, rounded up, of what the model reads.

    The messages are `[{"role":"user","content":"hello"}]`: the brackets have 2 bytes, the braces 2, the names
    6 and 9, the values 6 and 7, two colons and a comma 3. Together they have 35 bytes.
    """

    def test_the_messages_only(self) -> None:
        assert input_estimate(request("hello"), text_model()) == 9  # 35 / 4

    @pytest.mark.parametrize(("protocol", "name"), sorted(CONTROL))
    def test_no_field_that_controls_the_request(self, protocol: TextProtocol, name: str) -> None:
        assert estimate(protocol, {name: "x" * 400}) == 9

    def test_no_field_that_is_in_no_table(self) -> None:
        assert estimate(OPENAI, {"something": "x" * 400}) == 9

    @pytest.mark.parametrize(
        ("protocol", "name"),
        sorted((protocol, name) for protocol, names in READ.items() for name in names - {"messages"}),
    )
    def test_each_field_that_the_model_reads(self, protocol: TextProtocol, name: str) -> None:
        assert estimate(protocol, {name: "x" * 399}) == 109  # (35 + 399 + 2 quotes) / 4
        assert estimate(protocol, {name: None}) == 9

    def test_the_schema_of_a_message_but_not_its_effort(self) -> None:
        config = {"effort": "high", "format": SCHEMA}
        assert estimate(ANTHROPIC, {"output_config": config}) == 13  # 35, and 17 of {"type":"object"}
        assert estimate(ANTHROPIC, {"output_config": {"effort": "high"}}) == 9

    def test_an_image_counts_as_a_typical_one(self) -> None:
        """Without the URL, the messages have 73 bytes: 45 for the part instead of 7 for `"hello"`.

        The part is `[{"type":"image_url","image_url":{"url":""}}]`: 2 for the brackets, 4 for the braces,
        6 + 11 + 11 + 5 for the names and the type, 3 colons, a comma and 2 quotes.
        """
        assert input_estimate(request([PICTURE]), text_model()) == 1_024 + 19  # 73 / 4

    @given(names=st.sets(st.sampled_from(sorted(OF_RESPONSES))))
    def test_a_response_has_the_same_with_any_control(self, names: set[str]) -> None:
        asked = {"model": "m", "input": "héllo", "instructions": "Be brief.", "tools": [TOOL]}
        more = {name: OF_RESPONSES[name] for name in names}
        assert response_estimate({**asked, **more}) == response_estimate(asked)

    def test_a_response_counts_as_the_chat_that_it_is(self) -> None:
        """The character é has two bytes, as in a chat that is sent in UTF-8."""
        assert response_estimate({"model": "m", "input": "hell"}) == 9  # 34 / 4
        assert response_estimate({"model": "m", "input": "hellé"}) == 9  # 36 / 4
        assert response_estimate({"model": "m", "input": "hellé!"}) == 10  # 37 / 4


def estimate(protocol: TextProtocol, fields: dict[str, Any]) -> int:
    """Return the estimate of a body with these fields, whether or not a request may have them."""
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}], **fields}
    asked = replace(request("hello"), protocol=protocol, body=read_json_body(dumps(body).encode()))
    return input_estimate(asked, text_model())


def response_estimate(fields: dict[str, Any]) -> int:
    chat, _ = complete_chat(fields, len(dumps(fields)))
    return input_estimate(chat, text_model())


class TestTokensOfBytes:
    @pytest.mark.parametrize(("size", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (4_000, 1_000)])
    def test_four_bytes_a_token_rounded_up(self, size: int, tokens: int) -> None:
        assert tokens_of_bytes(size) == tokens


class TestUtf8Length:
    @pytest.mark.parametrize(
        ("text", "size"), [("", 0), ("abc", 3), ("é", 2), ("晴", 3), ("😀", 4), ("\ud83d", 3)]
    )
    def test_lengths(self, text: str, size: int) -> None:
        assert utf8_length(text) == size
