"""A file in a prompt that no provider could read is refused by name."""

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tollgate.text.body.file_parts import file_problems
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import NativeRequest, read_request
from tollgate.text.models import TextProtocol

PART = "/messages/0/content/0"
DATA = f"{PART}/file/file_data"
PDF = "data:application/pdf;base64,"
WORD = "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,"
GOOD = b64encode(b"%PDF-1.7 " + bytes(200_000)).decode()


def found(
    part: Any, protocol: TextProtocol = OPENAI, *, hears: bool = False, native: bool = False
) -> list[tuple[str, str]]:
    """Return the problems of a request with one part: each place and message."""
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": [part]}]}
    request = read_request(protocol, dumps(body).encode())
    if native:
        request = replace(request, native=NativeRequest({}, ()))
    return [(problem.path, problem.message) for problem in file_problems(request, hears=hears)]


def of_chat(data: Any) -> dict[str, Any]:
    return {"type": "file", "file": {"filename": "a.pdf", "file_data": data}}


def document(**source: Any) -> dict[str, Any]:
    return {"type": "document", "source": source}


def of_messages(data: Any, media_type: Any = "application/pdf") -> dict[str, Any]:
    return document(type="base64", media_type=media_type, data=data)


@pytest.mark.parametrize(
    ("part", "protocol", "place", "words"),
    [
        ({"type": "file"}, OPENAI, DATA, "Required"),
        ({"type": "file", "file": {"filename": "a.pdf"}}, OPENAI, DATA, "Required"),
        (of_chat(7), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat(""), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat("JVBERi0x"), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat("data:;base64,JVBERi0x"), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat("data:application/pdf,JVBERi0x"), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat("https://example.com/a.pdf"), OPENAI, DATA, "Must be a base64 data URL"),
        (of_chat(f"{WORD}UEsDBA=="), OPENAI, DATA, "Must be a PDF file"),
        (of_chat("data:audio/mp3;base64,QUJD"), OPENAI, DATA, "Must be a PDF file"),
        (of_chat(PDF), OPENAI, DATA, "empty"),
        (of_chat(f"{PDF}JVBERi0x*"), OPENAI, DATA, "Cannot be decoded"),
        (of_chat(f"{PDF}JVBERi0"), OPENAI, DATA, "Cannot be decoded"),
        (of_chat(f"{PDF}JVBERg==JVBERi0x"), OPENAI, DATA, "Cannot be decoded"),
        (of_chat(f"{PDF}{GOOD[:-4]}é{GOOD[-3:]}"), OPENAI, DATA, "Cannot be decoded"),
        (of_chat(f"{PDF}UEsDBBQA"), OPENAI, DATA, "Is no PDF file"),
        (document(), ANTHROPIC, None, ""),
        ({"type": "document"}, ANTHROPIC, f"{PART}/source", "Required"),
        (of_messages(None), ANTHROPIC, f"{PART}/source/data", "Required"),
        (of_messages(PDF + GOOD), ANTHROPIC, f"{PART}/source/data", "Cannot be decoded"),
        (of_messages("UEsDBBQA"), ANTHROPIC, f"{PART}/source/data", "Is no PDF file"),
        (of_messages(GOOD, "application/msword"), ANTHROPIC, f"{PART}/source/media_type", "application/pdf"),
        (document(type="text", media_type="text/plain"), ANTHROPIC, f"{PART}/source/data", "Required"),
        (
            document(type="text", media_type="text/html", data="x"),
            *(ANTHROPIC, f"{PART}/source/media_type", "text/plain"),
        ),
        (
            {"type": "tool_result", "tool_use_id": "t", "content": [of_messages("UEsDBBQA")]},
            *(ANTHROPIC, f"{PART}/content/0/source/data", "Is no PDF file"),
        ),
    ],
    ids=range(25),
)
def test_a_malformed_file_is_named(part: Any, protocol: TextProtocol, place: str | None, words: str) -> None:
    problems = found(part, protocol)
    assert [path for path, _ in problems] == ([] if place is None else [place])
    assert all(words in message for _, message in problems)


@pytest.mark.parametrize(
    ("part", "options"),
    [
        (of_chat(PDF + GOOD), {}),
        (of_chat(f"{PDF}{GOOD[:64]}\r\n{GOOD[64:]}\n"), {}),
        # A header may follow other bytes.
        (of_chat(PDF + b64encode(bytes(1_000) + b"%PDF-1.4").decode()), {}),
        (of_chat("data:audio/mp3;base64,QUJD"), {"hears": True}),
        (of_chat(f"{WORD}UEsDBA=="), {"native": True}),
        ({"type": "file", "file": {"file_id": "file-1"}}, {}),
        (of_messages(GOOD), {"protocol": ANTHROPIC}),
        (document(type="text", media_type="text/plain", data="é"), {"protocol": ANTHROPIC}),
        (document(type="url", url="https://example.com/a.pdf"), {"protocol": ANTHROPIC}),
        (document(type="content", content="x"), {"protocol": ANTHROPIC}),
        ({"type": "text", "text": "data:application/pdf;base64,*"}, {}),
    ],
    ids=range(11),
)
def test_others_are_left_to_the_provider(part: Any, options: dict[str, Any]) -> None:
    assert found(part, **options) == []


def test_the_part_of_a_response_has_the_data_itself() -> None:
    assert found(of_chat("JVBERi0x"), native=True)[0][0] == f"{PART}/file_data"


@given(st.binary(max_size=600), st.integers(0, 600), st.integers(0, 1_200))
def test_each_file_with_a_header_is_read(data: bytes, before: int, at: int) -> None:
    whole = b64encode(bytes(before) + b"%PDF-" + data).decode()
    assert found(of_chat(PDF + whole)) == []
    # A lost character can never be decoded.
    assert found(of_chat(PDF + whole[:at] + whole[at + 1 :])) != [] or at >= len(whole)
