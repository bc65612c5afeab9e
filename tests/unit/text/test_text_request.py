import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.text.body.json_body import MAX_BODY_BYTES, MAX_VALUES, dumps, read_json_body
from tollgate.text.body.json_body import _outside_of_texts as outside_of_texts
from tollgate.text.body.request import read_request
from tollgate.text.models import TextProtocol

CHAT = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "hi"}]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def paths(protocol: TextProtocol, body: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        read_request(protocol, dumps(body).encode())
    return [problem.path for problem in caught.value.problems]


class TestReadJsonBody:
    def test_values_and_their_own_texts(self) -> None:
        body = read_json_body(b' { "a" : 1.5e2 ,"b":[1, 2],\n"c":"\\u00e9" } ')
        assert body.fields == {"a": 150, "b": [1, 2], "c": "é"}
        assert body.texts == {"a": b"150", "b": b"[1, 2]", "c": b'"\\u00e9"'}

    @pytest.mark.parametrize(
        ("sent", "value", "text"),
        [
            (b"64.0", 64, b"64"),
            (b"-6.40E1", -64, b"-64"),
            (b"9007199254740992.0", 2**53, b"9007199254740992"),
            # Not every whole number above is a float, and its digits are many.
            (b"9007199254740994.0", 2.0**53 + 2, b"9007199254740994.0"),
            (b"1e300", 1e300, b"1e300"),
            (b"64.5", 64.5, b"64.5"),
            (b'"64.0"', "64.0", b'"64.0"'),
        ],
    )
    def test_a_whole_number_with_a_fraction_of_nothing(self, sent: bytes, value: Any, text: bytes) -> None:
        body = read_json_body(b'{"n":' + sent + b',"one":{"n":' + sent + b'},"deep":[' + sent + b"]}")
        # Deeper numbers, such as those in messages, are sent on as they came.
        assert body.edited({}) == b'{"n":' + text + b',"one":{"n":' + text + b'},"deep":[' + sent + b"]}"
        (inner,) = body.fields["deep"]
        assert (body.fields["n"], inner, type(inner)) == (value, value, type(value))

    @pytest.mark.parametrize("more", [b"[1,", b'["a",', b'{"a":', b"[[],", b'[",[{",', b'["\\"",'], ids=str)
    def test_a_body_that_is_made_to_be_large_in_memory_is_refused(self, more: bytes) -> None:
        # Each repeat begins one value at least, whatever it is nested in.
        body = b'{"x":' + more * (MAX_VALUES + 1)
        with pytest.raises(InvalidInputError) as caught:
            read_json_body(body)
        assert "more than 320000 values" in caught.value.problems[0].message

    def test_commas_and_brackets_of_a_text_are_no_values(self) -> None:
        code = "[{,'" * 200_000
        body = dumps({"a": code, "b": [code, 1]}).encode()
        assert read_json_body(body).fields == {"a": code, "b": [code, 1]}
        assert outside_of_texts(body) == 4

    def test_values_beside_texts_of_all_lengths_are_counted(self) -> None:
        texts = ["," * length for length in (0, 1, 65_500, 65_536, 65_537, 200_000, 3)] * 3
        # A comma or the bracket before each, and the object's brace.
        assert outside_of_texts(dumps({"a": texts}).encode()) == 1 + len(texts)

    def test_the_texts_of_members_are_the_bytes_that_came(self) -> None:
        values = ["é" * 70_000, "a" * 65_536 + "🌊", 1, {"海": ["🌊", None]}, "x" * 200_000]
        pairs = [(f"名{number}", value) for number, value in enumerate(values)]
        texts = {name: json.dumps(value, ensure_ascii=False).encode() for name, value in pairs}
        body = b" {" + b" ,\n ".join(dumps(name).encode() + b" : " + texts[name] for name, _ in pairs) + b"} "
        assert read_json_body(body).texts == texts

    def test_a_byte_order_mark_is_no_part_of_the_body(self) -> None:
        """A parser may ignore it (RFC 8259, section 8.1)."""
        body = read_json_body(b'\xef\xbb\xbf{"a": "\xc3\xa9"}')
        assert (body.fields, body.texts) == ({"a": "é"}, {"a": b'"\xc3\xa9"'})

    def test_an_edit_leaves_every_other_byte_of_a_value(self) -> None:
        body = read_json_body(b'{"model": "ours", "x": {"n": 1.50, "s": "\\ud83d"}, "gone": 1}')
        edited = body.edited({"model": "theirs", "new": True}, ["gone"])
        assert edited == b'{"model":"theirs","x":{"n": 1.50, "s": "\\ud83d"},"new":true}'

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b"", "Request body is empty. Send a JSON object."),
            (b" \n", "Request body is empty. Send a JSON object."),
            (b" [1]", "Request body must be a JSON object."),
            (b'{"model": "gpt", "n"}', "Request body is not valid JSON (line 1, column 21)."),
            (b'{\n "a": 1,\n}', "Request body is not valid JSON (line 3, column 1)."),
            (b'{"a": nope}', "Request body is not valid JSON (line 1, column 7)."),
            (b'{"a": 1} x', "Request body is not valid JSON (line 1, column 10)."),
            (b'{"a": -Infinity}', "Request body is not valid JSON: -Infinity is no JSON value."),
            (b'{"a": [1e999]}', "Request body has a number that is too large."),
            (b'{"a": ' + b"1" * 5_000 + b"}", "Request body has a number that is too large."),
            (b'{"a": "\xff"}', "Request body is not text in UTF-8."),
            (b"\x1f\x8b\x08\x00", "Request body is compressed (gzip). Send it uncompressed."),
            (b"\x28\xb5\x2f\xfd\x20", "Request body is compressed (zstd). Send it uncompressed."),
            (b'{"a":' * 100_000, "Request body is nested more than 200 levels deep."),
            (b'{"a":' * 201 + b"1" + b"}" * 201, "Request body is nested more than 200 levels deep."),
            (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "Request body is nested more than 200 levels deep."),
            (b'{"a": 1, "a": 2}', 'Request body has the field "a" twice.'),
            (b'{"a": [{"b": {"c": 1, "d": 2, "c": 1}}]}', 'Request body has the field "c" twice.'),
        ],
    )
    def test_what_is_wrong_is_said_and_where(self, body: bytes, said: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            read_json_body(body)
        assert [problem.message for problem in refused.value.problems] == [said]

    def test_two_hundred_levels_are_read(self) -> None:
        body = b'{"a":' * 198 + b"[" + b'{"b": 1},' * 300 + b"1]" + b"}" * 198
        assert read_json_body(body).size_bytes == len(body)

    @pytest.mark.parametrize(
        "body",
        [
            *(
                b"",
                b"[]",
                b"{",
                b'{"a"}',
                b'{"a":}',
                b'{"a":1,}',
                b'{"a":1} x',
                b"{1:2}",
                b'{"a":NaN}',
                b'{"a":[1e999]}',
            ),
            *(b"\xff", b'{"a":1 "b":2}', b"{" + b'"a":[' * 100_000, b'{"a":' + b"1" * 5_000 + b"}"),
        ],
    )
    def test_what_is_no_json_object(self, body: bytes) -> None:
        with pytest.raises(InvalidInputError):
            read_json_body(body)

    def test_a_name_that_stands_there_twice_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="twice"):
            read_json_body(b'{"model":"cheap","mod\\u0065l":"dear"}')

    def test_a_name_that_stands_twice_in_an_inner_object_is_refused(self) -> None:
        tool = b'{"type":"web_search_20250305","name":"web_search","typ\\u0065":"custom"}'
        with pytest.raises(InvalidInputError, match='the field "type" twice'):
            read_json_body(b'{"model":"m","tools":[' + tool + b"]}")

    def test_too_many_members(self) -> None:
        with pytest.raises(InvalidInputError, match="more than 200"):
            read_json_body(json.dumps({str(number): 1 for number in range(201)}).encode())

    def test_too_large(self) -> None:
        with pytest.raises(PayloadTooLargeError):
            read_json_body(b" " * (MAX_BODY_BYTES + 1))

    @given(fields=st.dictionaries(st.text(), JSON, max_size=6), indent=st.none() | st.integers(0, 2))
    def test_an_edit_without_changes_is_the_same_object(
        self, fields: dict[str, Any], indent: int | None
    ) -> None:
        body = read_json_body(json.dumps(fields, indent=indent).encode())
        assert json.loads(body.edited({})) == fields == body.fields

    @given(body=st.binary(max_size=60) | st.text(alphabet='{}[]":,1a\\ ', max_size=40).map(str.encode))
    def test_no_other_error_whatever_comes(self, body: bytes) -> None:
        with contextlib.suppress(InvalidInputError):
            assert read_json_body(body).fields == json.loads(body)


class TestReadRequest:
    def test_a_plain_chat_request(self) -> None:
        request = read_request(OPENAI, dumps(CHAT).encode())
        assert (request.model, request.stream, request.wants_usage) == ("gpt-5.5", False, False)
        assert (request.output_limit, request.answers) == (None, 1)

    def test_what_decides_price_and_stream(self) -> None:
        more = {"stream": True, "stream_options": {"include_usage": True}, "max_tokens": 50.0, "n": 3}
        request = read_request(OPENAI, dumps({**CHAT, **more}).encode())
        assert (request.stream, request.wants_usage) == (True, True)
        assert (request.output_limit, request.answers) == (50, 3)

    def test_of_two_limits_the_smaller_holds(self) -> None:
        body = {**CHAT, "max_tokens": 50, "max_completion_tokens": 40}
        assert read_request(OPENAI, dumps(body).encode()).output_limit == 40

    def test_a_null_is_not_given(self) -> None:
        body = {**CHAT, "max_tokens": None, "stream": None, "stream_options": None, "n": None}
        assert read_request(OPENAI, dumps(body).encode()).output_limit is None

    def test_every_problem_at_once(self) -> None:
        body = {
            "model": 5,
            "messages": "hi",
            "stream": "yes",
            "stream_options": [],
            "max_tokens": 0,
            "n": 999,
        }
        assert paths(OPENAI, body) == [
            *("/model", "/messages", "/stream", "/stream_options", "/max_tokens", "/n"),
        ]

    @pytest.mark.parametrize("protocol", [OPENAI, ANTHROPIC])
    def test_without_a_message_there_is_nothing_to_answer(self, protocol: TextProtocol) -> None:
        assert paths(protocol, {"model": "gpt-5.5", "messages": [], "max_tokens": 5}) == ["/messages"]

    @pytest.mark.parametrize("limit", [True, "5", -1, 1.5, 1e999])
    def test_a_limit_that_is_no_number_of_tokens(self, limit: Any) -> None:
        assert paths(OPENAI, {**CHAT, "max_completion_tokens": limit}) in (["/max_completion_tokens"], [""])

    def test_messages_need_max_tokens(self) -> None:
        assert paths(ANTHROPIC, CHAT) == ["/max_tokens"]

    def test_messages_may_only_warm_the_cache(self) -> None:
        assert read_request(ANTHROPIC, dumps({**CHAT, "max_tokens": 0}).encode()).output_limit == 0

    def test_the_other_protocols_limit_is_not_read(self) -> None:
        body = {**CHAT, "max_tokens": 100, "max_completion_tokens": 1}
        assert read_request(ANTHROPIC, dumps(body).encode()).output_limit == 100

    def test_counting_needs_no_limit(self) -> None:
        assert read_request(ANTHROPIC, dumps(CHAT).encode(), is_count=True).output_limit is None


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}),
        (
            {"reasoning": {"effort": "low", "exclude": True}},
            {"reasoning_effort": "low", "reasoning": {"exclude": True}},
        ),
        ({"reasoning": {"enabled": False}}, {"reasoning_effort": "none"}),
        ({"reasoning": {"effort": "low"}, "reasoning_effort": "high"}, None),
        ({"reasoning": {"max_tokens": 100}}, None),
    ],
)
def test_openrouters_effort_is_openais(sent: dict[str, Any], read: dict[str, Any] | None) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    found = read_request(TextProtocol.OPENAI, dumps({**body, **sent}).encode())
    assert found.fields == {**body, **(sent if read is None else read)}
    assert json.loads(found.body.edited({})) == found.fields
