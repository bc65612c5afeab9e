"""Refuses files in prompts that no provider could read, by name and before anything is sent. Pure.

Source: https://developers.openai.com/api/docs/guides/file-inputs (chats take data URLs of PDF files only,
responses take more types), https://docs.claude.com/en/docs/build-with-claude/pdf-support.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextProtocol

PDF, PLAIN = "application/pdf", "text/plain"
_AUDIO = "audio/"
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.ASCII | re.IGNORECASE)
_URL_RULE = "a base64 data URL, such as data:application/pdf;base64,JVBERi0x"
# Readers of PDF files accept a header within the first 1,024 bytes
# (Adobe's PDF Reference, version 1.7, appendix H, note 13).
_HEADER, _HEAD_BYTES = b"%PDF-", 1_024
# Characters that are decoded at once: base64 has groups of 4, and no copy of a whole file is needed.
_STEP = 64 * 1024


def file_problems(request: TextRequest, *, hears: bool) -> list[Problem]:
    """Return the problems of the files in a prompt: no data, another type, or bytes that are no such file.

    A model that `hears` may have sound in a file.
    """
    if request.protocol is TextProtocol.ANTHROPIC:
        return [
            found for block, path in _blocks(request.fields["messages"]) for found in _document(block, path)
        ]
    is_response = request.native is not None
    return [
        found
        for part, path in _parts(request.fields["messages"], "file")
        for found in _file(part, path, is_response=is_response, hears=hears)
    ]


def _parts(messages: Any, kind: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the parts of a type in messages, and their paths."""
    for position, message in enumerate(messages):
        content = message.get("content")
        for at, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, dict) and part.get("type") == kind:
                yield part, f"/messages/{position}/content/{at}"


def _blocks(messages: Any) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the documents in messages and in results of tools, and their paths."""
    yield from _parts(messages, "document")
    for result, path in _parts(messages, "tool_result"):
        for block, inner in _parts([result], "document"):
            yield block, path + inner.removeprefix("/messages/0")


def _file(part: Mapping[str, Any], path: str, *, is_response: bool, hears: bool) -> Iterator[Problem]:
    holder = part.get("file")
    file = holder if isinstance(holder, dict) else {}
    # In a response, the part itself has the data.
    place = f"{path}/file_data" if is_response else f"{path}/file/file_data"
    data = file.get("file_data")
    if data is None:
        # Another account's id is refused for its own reason (`foreign.py`).
        if file.get("file_id") is None:
            yield Problem(place, "Required: the file itself.", _URL_RULE)
        return
    found = _DATA_URL.match(data) if isinstance(data, str) else None
    if found is None:
        yield Problem(place, "Must be a base64 data URL.", _URL_RULE)
        return
    kind = found[1].lower()
    if not (is_response or kind == PDF or (hears and kind.startswith(_AUDIO))):
        yield Problem(place, f"Must be a PDF file, and this is {kind}.", [PDF])
    elif (message := _bytes_problem(data[found.end() :], kind)) is not None:
        yield Problem(place, message)


def _document(block: Mapping[str, Any], path: str) -> Iterator[Problem]:
    source = block.get("source")
    if not isinstance(source, dict):
        yield Problem(f"{path}/source", "Required: an object with the document.")
        return
    wanted = {"base64": PDF, "text": PLAIN}.get(str(source.get("type")))
    if wanted is None:
        return
    if source.get("media_type") != wanted:
        yield Problem(f"{path}/source/media_type", f"Must be {wanted}.", [wanted])
    data = source.get("data")
    if not isinstance(data, str):
        yield Problem(f"{path}/source/data", "Required: the document itself.")
    elif wanted == PDF and (message := _bytes_problem(data, PDF)) is not None:
        yield Problem(f"{path}/source/data", message)


def _bytes_problem(data: str, kind: str) -> str | None:
    """Return the problem of a file in base64, if it has one. Only the header of a PDF file is checked."""
    text = data if data.isascii() and not any(each in data for each in " \n\r\t") else "".join(data.split())
    if not text:
        return "The file is empty."
    # Only the end may have padding.
    if "=" in text[:-2] or not all(_decodes(text[at : at + _STEP]) for at in range(0, len(text), _STEP)):
        return "Cannot be decoded: it must be base64."
    head = a2b_base64(text[: _HEAD_BYTES // 3 * 4 + 4])
    if kind == PDF and _HEADER not in head:
        return "Is no PDF file: it has no header %PDF-."
    return None


def _decodes(text: str) -> bool:
    try:
        a2b_base64(text, strict_mode=True)
    except (Error, ValueError):
        return False
    return True
