"""Refuses references to objects in our account with a provider, or in a private cloud. Pure.

A file, a conversation or a cache at a provider belongs to the account holder, which is us. So a customer's
request contains its data, or names it by a public address. All other references are refused by name, before
any provider is called.

Source: the request types of OpenAI's and Anthropic's SDKs, and of Gemini's OpenAI-compatible API.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tollgate.kit.problems import Problem
from tollgate.text.body.prompt_files import is_own_file
from tollgate.text.body.request import TextRequest

SCHEMES = ("https://", "http://", "data:")
# Allowed sources in a message. `file` is omitted on purpose.
SOURCES = ("base64", "url", "text", "content")

_FOREIGN = "This refers to data in a provider's account. Send the data itself."
_OWN = "An uploaded file cannot be used here. Send its data or a public address."
_NOT_LETTERS = re.compile(r"[^a-z]")
# Fields of a part of a message, or of a tool. Only their letters count: some vendors read names loosely.
_IN_PARTS = frozenset(
    {
        *("fileid", "fileids", "fileuri", "filedatauri", "cachedcontent", "vectorstoreids", "imagefile"),
        *("containerid", "uploadid"),
    }
)
_ADDRESSES = frozenset({"url", "imageurl", "videourl", "audiourl", "fileurl", "inputimage"})
# The content of these fields is the customer's own, whatever its names.
_OPAQUE = frozenset({"input", "arguments"})


def foreign_problems(request: TextRequest) -> list[Problem]:
    """Return the references in messages, instructions and tools to private objects outside the body.

    `fields.py` names such fields of the body itself.
    """
    fields = request.fields
    found: list[Problem] = []
    for position, message in enumerate(fields["messages"]):
        content, audio = message.get("content"), message.get("audio")
        if isinstance(content, list):
            found += _in_parts(content, f"/messages/{position}/content")
        if isinstance(audio, Mapping) and audio.get("id") is not None:
            found.append(Problem(f"/messages/{position}/audio/id", _FOREIGN))
    for name in ("system", "tools"):
        if isinstance(fields.get(name), list):
            found += _in_parts(fields[name], f"/{name}", depth=1)
    return found


def foreign_in_items(items: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """Return the references in the items of a Responses request to private objects outside the body."""
    return [
        problem
        for position, item in enumerate(items)
        for name in ("content", "output")
        if _is_nested(item.get(name))
        for problem in _in_parts(item[name], f"/input/{position}/{name}")
    ]


def _in_parts(parts: Any, path: str, depth: int | None = None) -> Iterator[Problem]:
    """Look at parts and all that is in them, down to `depth` objects if it is given.

    Without recursion, because a body can have many levels.
    """
    waiting: list[tuple[Any, str, int]] = [(parts, path, 0)]
    while waiting:
        value, where, level = waiting.pop()
        if isinstance(value, list):
            waiting += [(each, f"{where}/{at}", level) for at, each in enumerate(value) if _is_nested(each)]
        elif isinstance(value, dict):
            yield from _in_object(value, where)
            if depth is None or level + 1 < depth:
                waiting += [
                    (each, f"{where}/{name}", level + 1)
                    for name, each in value.items()
                    if _is_nested(each) and name not in _OPAQUE
                ]


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _in_object(part: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for name, value in part.items():
        letters = _letters(name)
        if letters in _IN_PARTS and value is not None:
            # Ordinary requests have the bytes of uploaded files by now. Steps and quotes do not read them.
            yield Problem(f"{path}/{name}", _OWN if is_own_file(value) else _FOREIGN)
        elif letters in _ADDRESSES and isinstance(value, str) and not _is_public(value):
            yield Problem(f"{path}/{name}", "Must be a public address, or a data URL.", list(SCHEMES))
    source = part.get("source")
    if isinstance(source, dict) and source.get("type") not in SOURCES:
        yield Problem(f"{path}/source/type", _FOREIGN, list(SOURCES))


def _is_public(address: str) -> bool:
    # A data URL may be megabytes long: only its beginning is looked at.
    return address[: max(map(len, SCHEMES))].lower().startswith(SCHEMES)


def _letters(name: str) -> str:
    return _NOT_LETTERS.sub("", name.lower())
