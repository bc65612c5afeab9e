"""A client's JSON body: read once, and edited so that each other field is sent on unchanged. Pure.

Source: docs/architecture.md#text.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.http.sent_text import sent_text
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem

# What Lambda takes in one invocation.
MAX_BODY_BYTES = 6 * 1024 * 1024
# Values of a body, including nested values. Python takes up to 240 bytes for a value of 8, so a hostile body
# could take all memory of the process (docs/cost.md). OpenAI takes 300,000 tokens of numbers for embeddings;
# a long chat has some 10,000 values.
MAX_VALUES = 320_000
# Top-level fields; the protocols define some forty.
MAX_MEMBERS = 200
# Levels of lists and objects, as in bodies of media (the bound of pydantic's parser). Python's own bound
# differs by version and by the place of a call, so code that reads a body could fail later.
MAX_NESTING = 200
_TOO_DEEP = f"is nested more than {MAX_NESTING} levels deep"
_CONTAINERS = frozenset({dict, list})
# A comma or an opening bracket precedes each value, except a value at the start of the body.
_BEGINNINGS = (b",", b"[", b"{")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# Above this, a float does not have every whole number, and its digits can take far more room than its text.
MAX_EXACT = 2**53
# Characters whose bytes are counted at once.
_PIECE = 65_536
_SPACES = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")


class _UnusableBodyError(ValueError):
    """A problem of a body other than its syntax. The message completes a sentence."""


def _no_constant(name: str) -> NoReturn:
    raise _UnusableBodyError(f"is not valid JSON: {name} is no JSON value")


def _number(text: str) -> float:
    """Return a number that was written with a fraction or an exponent. 5.0 becomes 5, the same in JSON."""
    value = float(text)
    if not isfinite(value):
        raise _UnusableBodyError("has a number that is too large")
    whole = whole_number(value)
    return value if whole is None or abs(whole) > MAX_EXACT else whole


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an inner object with each of its names once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _twice(name)
            seen.add(name)
    return found


def _twice(name: str) -> _UnusableBodyError:
    return _UnusableBodyError(f"has the field {dumps(name)[:100]} twice")


_ENCODER = json.JSONEncoder(separators=(",", ":"))
# Without escapes, which the provider would count as more characters.
_TEXT_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_number)


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON object, with the texts of its members, in UTF-8, as far as they were sent so.

    The number 5.0 is 5 in the fields, and in the texts of numbers and of objects of numbers, because some
    vendors refuse 5.0 for a whole number.
    """

    fields: dict[str, Any]
    texts: Mapping[str, bytes]
    size_bytes: int

    def edited(self, changes: Mapping[str, Any], dropped: Collection[str] = ()) -> bytes:
        """Return the object with some members changed, added or dropped, and all others unchanged."""
        values = {name: value for name, value in self.fields.items() if name not in dropped} | dict(changes)
        parts = {
            name: self.texts[name] if name in self.texts and name not in changes else dumps(value).encode()
            for name, value in values.items()
        }
        pieces = [b"{"]
        for name, text in parts.items():
            pieces += [b"" if len(pieces) == 1 else b",", dumps(name).encode(), b":", text]
        return b"".join([*pieces, b"}"])

    def without(self, model: str | None, names: Collection[str]) -> "JsonBody":
        """Return the object with this `model`, and without the members `names`."""
        fields = {name: value for name, value in self.fields.items() if name not in names}
        texts = {name: text for name, text in self.texts.items() if name not in names}
        if model is not None and fields.get("model") != model:
            fields["model"], texts["model"] = model, dumps(model).encode()
        return JsonBody(fields, texts, self.size_bytes)


def dumps(value: Any) -> str:
    """Return `value` as JSON, compact and in ASCII. Unpaired surrogates remain escapes."""
    return _ENCODER.encode(value)


def json_text(value: Any) -> str:
    """Return a value as JSON for a text. It is never longer than in the request, which bounds the input."""
    return _TEXT_ENCODER.encode(value)


def read_json_body(body: bytes) -> JsonBody:
    """Return the JSON object in `body` with its members' texts.

    Raises `PayloadTooLargeError`, or `InvalidInputError` if it is no JSON object. A repeated name is refused,
    because a provider might not read the value that we price.
    """
    if len(body) > MAX_BODY_BYTES:
        raise PayloadTooLargeError(MAX_BODY_BYTES)
    body = sent_text(body)
    try:
        if _values_at_most(body) > MAX_VALUES:
            raise _UnusableBodyError(f"has more than {MAX_VALUES} values")
        found = _members(body.decode(), body)
    except (ValueError, RecursionError) as exc:
        raise InvalidInputError([Problem("", f"Request body {_fault(exc)}.")]) from exc
    if body.count(b"{") + body.count(b"[") > MAX_NESTING and _is_deep(found.fields):
        raise InvalidInputError([Problem("", f"Request body {_TOO_DEEP}.")])
    return found


def _is_deep(fields: Mapping[str, Any]) -> bool:
    """Return whether an object has more than `MAX_NESTING` levels."""
    level: list[Any] = [fields]
    for _ in range(MAX_NESTING):
        inner = [one if type(one) is list else one.values() for one in level]
        level = [each for values in inner for each in values if type(each) in _CONTAINERS]
        if not level:
            return False
    return True


def _values_at_most(body: bytes) -> int:
    """Return how many values a body can have, without reading it as JSON."""
    found = _beginnings(body)
    # Prose and code have commas and brackets too: then only those outside of texts count.
    return found if found <= MAX_VALUES else _outside_of_texts(body)


def _outside_of_texts(body: bytes) -> int:
    """Count in pieces: each text that is taken out of one takes memory."""
    found = at = 0
    while at < len(body):
        piece = body[at : at + _PIECE]
        bare = _STRING.sub(b"", piece)
        quote = bare.find(b'"')
        found += _beginnings(bare if quote < 0 else bare[:quote])
        if quote < 0:
            at += len(piece)
            continue
        # This text continues after the piece. A text without an end is not JSON, so its reader refuses it.
        rest = _STRING.match(body, at + quote + len(piece) - len(bare))
        if rest is None:
            break
        at = rest.end()
    return found


def _beginnings(text: bytes) -> int:
    return sum(text.count(each) for each in _BEGINNINGS)


class _Bytes:
    """Finds the bytes of a text's parts, which must be requested in order."""

    def __init__(self, text: str, body: bytes) -> None:
        self._text, self._body = text, body
        self._at = self._byte = 0

    def __getitem__(self, part: slice) -> bytes:
        """Return the bytes of the characters from `part.start` to `part.stop`."""
        start = self._place(part.start)
        return self._body[start : self._place(part.stop)]

    def _place(self, at: int) -> int:
        # Not all at once: a text with one character above the first 65,536 takes four bytes for each.
        for begin in range(self._at, at, _PIECE):
            self._byte += len(self._text[begin : min(begin + _PIECE, at)].encode())
        self._at = at
        return self._byte


def _fault(error: ValueError | RecursionError) -> str:
    """Return the problem of a body, to complete a sentence."""
    match error:
        case _UnusableBodyError():
            return str(error)
        case json.JSONDecodeError():
            return f"is not valid JSON (line {error.lineno}, column {error.colno})"
        case UnicodeDecodeError():
            return "is not text in UTF-8"
        case RecursionError():
            return _TOO_DEEP
        case _:
            # Python reads whole numbers of 4,300 digits at most.
            return "has a number that is too large"


def _members(text: str, body: bytes) -> JsonBody:
    fields: dict[str, Any] = {}
    texts: dict[str, bytes] = {}
    # In ASCII, each character is one byte.
    encoded: bytes | _Bytes = body if text.isascii() else _Bytes(text, body)
    size_bytes = len(body)
    start = _after_space(text, 0)
    if text[start : start + 1] != "{":
        raise _UnusableBodyError("must be a JSON object")
    at = _after_space(text, start + 1)
    if text[at : at + 1] == "}":
        return _ended(text, at + 1, JsonBody(fields, texts, size_bytes))
    for _ in range(MAX_MEMBERS):
        name, at = _DECODER.raw_decode(text, at)
        if not isinstance(name, str):
            raise json.JSONDecodeError("a name is missing", text, at)
        if name in fields:
            raise _twice(name)
        start = _expect(text, _after_space(text, at), ":")
        fields[name], at = _DECODER.raw_decode(text, start)
        texts[name] = dumps(fields[name]).encode() if _has_whole(fields[name]) else encoded[start:at]
        at = _after_space(text, at)
        if text[at : at + 1] == "}":
            return _ended(text, at + 1, JsonBody(fields, texts, size_bytes))
        at = _expect(text, at, ",")
    raise _UnusableBodyError(f"has more than {MAX_MEMBERS} fields")


def _has_whole(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else (value,)
    return any(type(each) is int for each in parts)


def _after_space(text: str, at: int) -> int:
    if text[at : at + 1] not in _SPACES:
        return at
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, character: str) -> int:
    if text[at : at + 1] != character:
        raise json.JSONDecodeError(f"'{character}' is missing", text, at)
    return _after_space(text, at + 1)


def _ended(text: str, at: int, body: JsonBody) -> JsonBody:
    at = _after_space(text, at)
    if at != len(text):
        raise json.JSONDecodeError("there is more after its end", text, at)
    return body
