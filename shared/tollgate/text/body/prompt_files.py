"""Customers' uploaded files in prompts: the bytes of a file replace its id, in all three protocols.

Only ids of this service are replaced. `foreign.py` then refuses all other references, because a provider
has only the files of the operator's account there.
Source: https://platform.openai.com/docs/guides/pdf-files, https://docs.claude.com/en/docs/build-with-claude/files.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.text.body.json_body import MAX_BODY_BYTES, read_json_body

MAX_FILES = 20
"""The most files of one request."""
PDF = "application/pdf"
_FIELD = "file_id"
_OWN = "file"
"""The prefix of our ids."""
_OWN_ID = re.compile(rb'"file_[0-9A-Z]{26}"', re.ASCII)
_PROMPTS = ("messages", "input", "items", "system")
_OPAQUE = frozenset({"input", "arguments"})
"""The customer's own values of tool calls."""
_NO_FILE = "This account has no such file, or it is too large for this request."
_NO_PLACE = "A file cannot be used here. Send it in a part for images or files."


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file for a prompt: its name with the extension, its media type and its bytes."""

    name: str
    content_type: str
    data: bytes


class PromptFiles(Protocol):
    """Reads customers' files."""

    async def read(self, caller: Caller, file_id: str, most_bytes: int) -> PromptFile | None:
        """Return a caller's file; `None` if there is none, or if it is larger than `most_bytes`."""


@dataclass(frozen=True, slots=True)
class _Reference:
    """An object with the id of our file, the object or list around it, and the path of the id."""

    node: dict[str, Any]
    parent: Any
    path: str


def has_own_files(body: bytes) -> bool:
    """Return whether a request's body may name a file of this service."""
    return _OWN_ID.search(body) is not None


def is_own_file(value: Any) -> bool:
    """Return whether a value has the form of the id of a file of this service."""
    return isinstance(value, str) and is_id(_OWN, value)


async def with_files(body: bytes, caller: Caller, files: PromptFiles) -> bytes:
    """Return a request's body with the bytes of files instead of their ids; usually unchanged.

    Raises the errors of `read_json_body`, and `InvalidInputError` for a file that does not exist, that the
    caller may not see, or that cannot be in a prompt.
    """
    if not has_own_files(body):
        return body
    parsed = read_json_body(body)
    found = {name: list(_references(parsed.fields.get(name), f"/{name}")) for name in _PROMPTS}
    references = [one for each in found.values() for one in each]
    if len(references) > MAX_FILES:
        raise InvalidInputError([Problem(references[-1].path, "Too many files.", f"at most {MAX_FILES}")])
    room = (MAX_BODY_BYTES - len(body)) // 4 * 3
    for one in references:
        file = await files.read(caller, one.node[_FIELD], room)
        problem = _NO_FILE if file is None else _replace(one, file)
        if problem is not None or file is None:
            raise InvalidInputError([Problem(one.path, problem or _NO_FILE, f"at most {room} bytes")])
        room -= len(file.data)
    return parsed.edited({name: parsed.fields[name] for name in found if found[name]}) if references else body


def _references(value: Any, path: str) -> Iterator[_Reference]:
    """Yield the objects with a file's id in a prompt, in their order."""
    # A loop instead of recursion, because a body can have many levels.
    waiting: list[tuple[Any, Any, str]] = [(value, None, path)]
    while waiting:
        node, parent, where = waiting.pop()
        if isinstance(node, dict):
            if is_own_file(node.get(_FIELD)):
                yield _Reference(node, parent, f"{where}/{_FIELD}")
            inner = [(name, each) for name, each in node.items() if name not in _OPAQUE]
        elif isinstance(node, list):
            inner = [(str(index), each) for index, each in enumerate(node)]
        else:
            continue
        waiting += [(each, node, f"{where}/{name}") for name, each in reversed(inner)]


def _replace(one: _Reference, file: PromptFile) -> str | None:
    """Put a file into a prompt. Return the problem if it cannot be there."""
    node, parent, is_image = one.node, one.parent, file.content_type.startswith("image/")
    if not is_image and file.content_type != PDF:
        return f"Only images and PDF files can be in a prompt, and this is {file.content_type}."
    data = b64encode(file.data).decode()
    uri, kind = f"data:{file.content_type};base64,{data}", node.get("type")
    if kind == "input_file" or (kind in ("input_image", "computer_screenshot") and is_image):
        del node[_FIELD]
        node |= (
            {"type": "input_image" if kind == "input_file" else kind, "image_url": uri}
            if is_image
            else {"filename": file.name, "file_data": uri}
        )
    elif one.path.endswith(f"/file/{_FIELD}") and _is(parent, "file"):
        del parent["file"]
        parent |= (
            {"type": "image_url", "image_url": {"url": uri}}
            if is_image
            else {"file": {"filename": file.name, "file_data": uri}}
        )
    elif one.path.endswith(f"/source/{_FIELD}") and _is(parent, "image" if is_image else "document"):
        parent["source"] = {"type": "base64", "media_type": file.content_type, "data": data}
    else:
        return _NO_PLACE
    return None


def _is(parent: Any, kind: str) -> bool:
    return isinstance(parent, Mapping) and parent.get("type") == kind
