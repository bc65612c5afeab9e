"""Uploaded files in prompts: their bytes replace their ids, in each protocol."""

import asyncio
import json
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import pytest

from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.callers import Caller
from tollgate.text.body.json_body import MAX_BODY_BYTES
from tollgate.text.body.prompt_files import MAX_FILES, PromptFile, with_files

IMAGE, DOCUMENT, SONG = (f"file_01M7Y320TY6K5J1TP5KNRBNY{end}" for end in ("R1", "R2", "R3"))
CALLER = Caller.of_account("acc")
OTHERS = "file_01M7Y320TY6K5J1TP5KNRBNYR9"
FILES = {
    IMAGE: PromptFile("a.png", "image/png", b"\x89PNG"),
    DOCUMENT: PromptFile("a.pdf", "application/pdf", b"%PDF-1.7"),
    SONG: PromptFile("a.mp3", "audio/mpeg", b"ID3"),
}
PNG_DATA, PDF_DATA = (b64encode(FILES[each].data).decode() for each in (IMAGE, DOCUMENT))
PNG_URI, PDF_URI = f"data:image/png;base64,{PNG_DATA}", f"data:application/pdf;base64,{PDF_DATA}"
PDF_PART = {"filename": "a.pdf", "file_data": PDF_URI}


@dataclass
class Account:
    """The files of one account, and how many bytes each read allowed."""

    allowed: list[int] = field(default_factory=list)

    async def read(self, caller: Caller, file_id: str, most_bytes: int) -> PromptFile | None:
        assert caller == CALLER
        self.allowed.append(most_bytes)
        return FILES.get(file_id)


def sent(body: Any, files: Account | None = None) -> bytes:
    raw = json.dumps(body, separators=(",", ":")).encode()
    return asyncio.run(with_files(raw, CALLER, files or Account()))


def in_messages(part: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, part]}]}


def in_items(part: Any) -> dict[str, Any]:
    return {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}, part]}]}


def of_source(kind: str, file_id: str) -> dict[str, Any]:
    return {
        "type": kind,
        "source": {"type": "file", "file_id": file_id},
        "cache_control": {"type": "ephemeral"},
    }


def with_data(kind: str, media_type: str, data: str) -> dict[str, Any]:
    return {**of_source(kind, ""), "source": {"type": "base64", "media_type": media_type, "data": data}}


@pytest.mark.parametrize(
    ("place", "part", "expected"),
    [
        (in_messages, {"type": "file", "file": {"file_id": DOCUMENT}}, {"type": "file", "file": PDF_PART}),
        (
            in_messages,
            {"type": "file", "file": {"file_id": IMAGE}},
            {"type": "image_url", "image_url": {"url": PNG_URI}},
        ),
        (in_items, {"type": "input_file", "file_id": DOCUMENT}, {"type": "input_file", **PDF_PART}),
        (in_items, {"type": "input_file", "file_id": IMAGE}, {"type": "input_image", "image_url": PNG_URI}),
        (
            in_items,
            {"type": "input_image", "file_id": IMAGE, "detail": "low"},
            {"type": "input_image", "detail": "low", "image_url": PNG_URI},
        ),
        (in_messages, of_source("image", IMAGE), with_data("image", "image/png", PNG_DATA)),
        (in_messages, of_source("document", DOCUMENT), with_data("document", "application/pdf", PDF_DATA)),
        (
            in_messages,
            {"type": "tool_result", "tool_use_id": "t", "content": [of_source("image", IMAGE)]},
            {
                "type": "tool_result",
                "tool_use_id": "t",
                "content": [with_data("image", "image/png", PNG_DATA)],
            },
        ),
        # The arguments of a tool call are the customer's own.
        *(
            (in_messages, part, part)
            for part in ({"type": "tool_use", "id": "t", "name": "f", "input": {"file_id": IMAGE}},)
        ),
    ],
)
def test_the_bytes_replace_the_id(place: Any, part: Any, expected: Any) -> None:
    assert json.loads(sent(place(part))) == place(expected)


@pytest.mark.parametrize(
    ("place", "part", "path"),
    [
        (in_messages, {"type": "file", "file": {"file_id": OTHERS}}, "/messages/0/content/1/file/file_id"),
        (in_messages, {"type": "file", "file": {"file_id": SONG}}, "/messages/0/content/1/file/file_id"),
        (in_messages, of_source("image", DOCUMENT), "/messages/0/content/1/source/file_id"),
        (in_messages, {"type": "container_upload", "file_id": IMAGE}, "/messages/0/content/1/file_id"),
        (in_items, {"type": "input_image", "file_id": DOCUMENT}, "/input/0/content/1/file_id"),
    ],
)
def test_a_file_that_cannot_be_there_is_named(place: Any, part: Any, path: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        sent(place(part))
    assert [one.path for one in raised.value.problems] == [path]


def test_a_body_without_an_id_of_ours_is_not_even_read() -> None:
    for body in (b'{"messages": [{"file_id": "file-abc"}]', b"no JSON"):
        assert asyncio.run(with_files(body, CALLER, Account())) is body


def test_files_have_room_only_in_what_is_left_of_a_body() -> None:
    account = Account()
    body = in_items({"type": "input_image", "file_id": IMAGE})
    body["input"] *= 2
    size = len(json.dumps(body, separators=(",", ":")))
    sent(body, account)
    room = (MAX_BODY_BYTES - size) // 4 * 3
    assert account.allowed == [room, room - len(FILES[IMAGE].data)]


def test_too_many_are_refused() -> None:
    body = in_items({"type": "input_image", "file_id": IMAGE})
    body["input"] *= MAX_FILES + 1
    with pytest.raises(InvalidInputError) as raised:
        sent(body)
    assert raised.value.problems[0].allowed == f"at most {MAX_FILES}"
