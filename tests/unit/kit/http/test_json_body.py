"""Request bodies: what is JSON, and what is not for us."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.http.json_body import MAX_BODY_BYTES, json_object
from tollgate.kit.problems import Problem

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)


class TestGood:
    @given(st.dictionaries(TEXT, VALUES, max_size=5))
    def test_any_json_object_is_read_as_it_is(self, value: dict[str, Any]) -> None:
        for escaped in (True, False):
            body = json.dumps(value, ensure_ascii=escaped).encode()
            assert repr(json_object(body)) == repr(json.loads(body))

    def test_a_surrogate_pair_is_one_character(self) -> None:
        assert json_object(rb'{"a": "\ud83d\ude00"}') == {"a": "\U0001f600"}

    def test_a_byte_order_mark_is_ignored(self) -> None:
        assert json_object(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}

    def test_of_two_equal_keys_the_last_holds(self) -> None:
        assert json_object(b'{"a": 1, "b": 2, "a": 3}') == {"a": 3, "b": 2}

    def test_a_body_of_exactly_the_limit_is_read(self) -> None:
        body = b'{"a": "' + b"x" * (MAX_BODY_BYTES - 9) + b'"}'
        assert len(body) == MAX_BODY_BYTES
        assert len(json_object(body)["a"]) == MAX_BODY_BYTES - 9


class TestRefused:
    @pytest.mark.parametrize(
        "body",
        [
            b"{",
            b'{"a": 1} x',
            b"{'a': 1}",
            b'{"a": 1,}',
            b'{"a": NaN}',
            b'{"a": Infinity}',
            b'{"a": -Infinity}',
            rb'{"a": "\ud800"}',
            rb'{"a": "\udc00x"}',
            rb'{"\ud800": 1}',
            b'{"a": "\xff"}',
            b'{"a": "\xed\xa0\x80"}',
            b'{"a": 01}',
            b'{"a": "\n"}',
            b'{"a": ' + b"1" * 5_000 + b"}",
            b'{"a": ' * 5_000 + b"1" + b"}" * 5_000,
            b"[" * 100_000,
        ],
    )
    def test_what_is_not_json_that_we_could_store_is_invalid_input(self, body: bytes) -> None:
        with pytest.raises(InvalidInputError) as caught:
            json_object(body)
        (problem,) = caught.value.body()["error"]["details"]
        assert problem["path"] == ""
        assert re.fullmatch(r"Request body is not valid JSON \(line \d+, column \d+\)\.", problem["message"])

    @pytest.mark.parametrize("body", [b"", b" ", b"\r\n\t", b"\xef\xbb\xbf"])
    def test_an_empty_body_is_called_empty(self, body: bytes) -> None:
        with pytest.raises(InvalidInputError) as caught:
            json_object(body)
        assert caught.value.problems == [Problem("", "Request body is empty. Send a JSON object.")]

    def test_the_place_is_named(self) -> None:
        with pytest.raises(InvalidInputError) as caught:
            json_object(b'{"model": "test-image",\n "input": oops}')
        assert caught.value.message == "Request body is not valid JSON (line 2, column 11)."

    @pytest.mark.parametrize(
        "body", [b'{"a": 1e999}', b'{"a": [{"b": -1e999}]}', b'{"metadata": {"n": 1e309}}']
    )
    def test_a_number_beyond_all_floats_is_refused_as_no_answer_could_say_it_again(self, body: bytes) -> None:
        with pytest.raises(InvalidInputError, match="number that is too large"):
            json_object(body)

    @pytest.mark.parametrize("body", [b"[]", b"1", b'"a"', b"null", b"true", b'[{"a": 1}]'])
    def test_what_is_not_an_object_is_invalid_input(self, body: bytes) -> None:
        with pytest.raises(InvalidInputError, match="must be a JSON object"):
            json_object(body)

    def test_a_larger_body_is_refused_unread(self) -> None:
        with pytest.raises(PayloadTooLargeError, match=f"{MAX_BODY_BYTES:,} bytes"):
            json_object(b"x" * (MAX_BODY_BYTES + 1))


class TestWhatIsReadCanBeStored:
    @given(st.integers(min_value=1, max_value=4_400))
    def test_a_number_of_any_length_is_refused_or_can_be_written_again(self, digits: int) -> None:
        try:
            value = json_object(b'{"a": ' + b"9" * digits + b"}")
        except InvalidInputError:
            return
        assert json.loads(json.dumps(value)) == value
