from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import OPENAI, text_model
from tollgate.text.body.json_body import dumps
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
