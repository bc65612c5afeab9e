"""A client's body on a text route: read once, checked only where money or routing needs it, and edited
so that every field that is not ours goes upstream byte for byte (docs/architecture.md#text).
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.problems import Problem
from tollgate.routing.reading import FIELDS, NOTHING_ASKED, Asked, has_routing, read_routing
from tollgate.text.models import TextProtocol

# What Lambda takes in one invocation.
MAX_BODY_BYTES = 6 * 1024 * 1024
# Values of a body, including nested values. Python takes up to 240 bytes for a value of 8, so a hostile body
# could take all memory of the process (docs/cost.md). OpenAI takes 300,000 tokens of numbers for embeddings;
# a long chat has some 10,000 values.
MAX_VALUES = 320_000
# Top-level fields; the protocols define some forty.
MAX_MEMBERS = 200
# OpenAI's own bound of `n`.
MAX_ANSWERS = 128

# The fields for the limit of output tokens, by protocol; OpenAI's second name is its old one.
LIMIT_FIELDS = {
    TextProtocol.OPENAI: ("max_completion_tokens", "max_tokens"),
    TextProtocol.ANTHROPIC: ("max_tokens",),
}

# The protocols by the names of their routes.
_APIS = {
    TextProtocol.OPENAI: "chat",
    TextProtocol.ANTHROPIC: "messages",
    TextProtocol.EMBEDDINGS: "embeddings",
    TextProtocol.RERANK: "rerank",
    TextProtocol.MODERATIONS: "moderations",
    TextProtocol.SPEECH: "speech",
    TextProtocol.TRANSCRIPTION: "transcription",
}
# A comma or an opening bracket precedes each value, except a value at the start of the body.
_BEGINNINGS = (b",", b"[", b"{")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# Characters whose bytes are counted at once.
_PIECE = 65_536
_SPACES = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")


class _UnusableBodyError(ValueError):
    """A problem of a body other than its syntax, as the end of a sentence."""


def _no_constant(name: str) -> NoReturn:
    raise _UnusableBodyError(f"is not valid JSON: {name} is no JSON value")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _UnusableBodyError("has a number that is too large")
    return value


_ENCODER = json.JSONEncoder(separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON object, with the texts of its members, in UTF-8, as far as they were sent so."""

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


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """A Responses request in its own protocol, for providers that have it.

    `fields` are its fields without the input and without those that Tollgate follows itself. `items` are the
    items of earlier responses and of its input.
    """

    fields: Mapping[str, Any]
    items: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request on a text route, with the fields that we use.

    `output_limit` is the client's own limit of output tokens, `None` if it gave none; `answers` is `n`.
    `wants_usage`: a stream shall end with the usage (always so in Anthropic's protocol). `ignored` names
    fields that were left out before (`text/fields.py`). `native`: the client uses the Responses protocol, and
    the body is the request as a chat. `sent` are the client's own fields if the body was translated.
    `translated` is then the name of the client's protocol. `asked` are its routing fields, which no provider
    gets.
    """

    protocol: TextProtocol
    body: JsonBody
    model: str
    stream: bool
    wants_usage: bool
    output_limit: int | None
    answers: int
    ignored: Sequence[str] = ()
    native: NativeRequest | None = None
    sent: Mapping[str, Any] | None = None
    translated: str | None = None
    asked: Asked = NOTHING_ASKED

    @property
    def api(self) -> str:
        """Return the name of the client's protocol, for the record of the request."""
        return self.translated or _APIS[self.protocol]

    @property
    def fields(self) -> dict[str, Any]:
        """Return the body's members."""
        return self.body.fields


def dumps(value: Any) -> str:
    """Return `value` as JSON, compact and in ASCII. Unpaired surrogates remain escapes."""
    return _ENCODER.encode(value)


def read_request(protocol: TextProtocol, body: bytes, *, is_count: bool = False) -> TextRequest:
    """Return the request in `body`; `is_count` for the count_tokens route, which takes no `max_tokens`.

    Raises `PayloadTooLargeError`, or `InvalidInputError` with every problem of the fields that we read.
    """
    return checked_request(protocol, read_json_body(body), is_count=is_count)


def checked_request(protocol: TextProtocol, parsed: JsonBody, *, is_count: bool = False) -> TextRequest:
    """Return the request in a body that is read already. Raises as `read_request` does."""
    if parsed.size_bytes > MAX_BODY_BYTES:
        raise PayloadTooLargeError(MAX_BODY_BYTES)
    parsed, asked, problems = routed_body(parsed)
    is_chat = protocol is TextProtocol.OPENAI
    if is_chat and isinstance(parsed.fields.get("reasoning"), dict):
        parsed = _with_effort(parsed)
    fields = parsed.fields
    problems += _problems(protocol, fields, is_count)
    if problems:
        raise InvalidInputError(problems)
    limits = [int(fields[name]) for name in LIMIT_FIELDS[protocol] if fields.get(name) is not None]
    return TextRequest(
        protocol,
        parsed,
        fields["model"],
        fields.get("stream") is True,
        _wants_usage(fields) if is_chat else True,
        min(limits) if limits else None,
        int(fields.get("n") or 1) if is_chat else 1,
        asked=asked,
    )


def read_plain_request(
    protocol: TextProtocol, parsed: JsonBody, problems_of: Callable[[Mapping[str, Any]], Iterator[Problem]]
) -> TextRequest:
    """Return a request that is no chat: it has no stream, and no output that could be limited.

    `problems_of` returns the problems of its fields. Raises `InvalidInputError`.
    """
    parsed, asked, problems = routed_body(parsed)
    problems += problems_of(parsed.fields)
    if problems:
        raise InvalidInputError(problems)
    model = parsed.fields["model"]
    return TextRequest(
        protocol, parsed, model, stream=False, wants_usage=True, output_limit=None, answers=1, asked=asked
    )


def plain_problems(fields: Mapping[str, Any], known: Collection[str], kind: str) -> Iterator[Problem]:
    """Return the problems that requests without a chat have in common: the model, and unknown fields."""
    if not isinstance(fields.get("model"), str):
        yield Problem("/model", f"Must be the id of {kind} model.")
    for name in fields:
        if name not in known:
            yield Problem(f"/{name}", "Unknown field.", list(known))


def _with_effort(parsed: JsonBody) -> JsonBody:
    """Return a chat with OpenRouter's `reasoning.effort` and `enabled` as OpenAI's `reasoning_effort`."""
    wanted = parsed.fields["reasoning"]
    effort = "none" if wanted.get("enabled") is False else wanted.get("effort")
    if effort is None or parsed.fields.get("reasoning_effort") is not None:
        return parsed
    body = parsed.without(None, ("reasoning", "reasoning_effort"))
    rest = {name: value for name, value in wanted.items() if name not in ("effort", "enabled")}
    added = {"reasoning_effort": effort, **({"reasoning": rest} if rest else {})}
    return JsonBody({**body.fields, **added}, body.texts, body.size_bytes)


def routed_body(parsed: JsonBody) -> tuple[JsonBody, Asked, list[Problem]]:
    """Return a body without its routing fields, those fields, and their problems."""
    if not has_routing(parsed.fields):
        return parsed, NOTHING_ASKED, []
    model, asked, problems = read_routing(parsed.fields)
    return parsed.without(model, FIELDS), asked, problems


def _wants_usage(fields: Mapping[str, Any]) -> bool:
    """Return whether a chat's stream shall end with the usage, in OpenAI's words or in OpenRouter's."""
    options, usage = fields.get("stream_options"), fields.get("usage")
    asked = options.get("include_usage") if isinstance(options, dict) else None
    asked_otherwise = usage.get("include") if isinstance(usage, dict) else None
    return asked is True or asked_otherwise is True


def read_json_body(body: bytes) -> JsonBody:
    """Return the JSON object in `body` with its members' texts.

    Raises `PayloadTooLargeError`, or `InvalidInputError` if it is no JSON object. A repeated name is refused,
    because a provider might not read the value that we price.
    """
    if len(body) > MAX_BODY_BYTES:
        raise PayloadTooLargeError(MAX_BODY_BYTES)
    try:
        if _values_at_most(body) > MAX_VALUES:
            raise _UnusableBodyError(f"has more than {MAX_VALUES} values")
        return _members(body.decode(), body)
    except (ValueError, RecursionError) as exc:
        raise InvalidInputError([Problem("", f"Request body {_fault(exc)}.")]) from exc


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
    """Return the problem of a body, as the end of a sentence."""
    match error:
        case _UnusableBodyError():
            return str(error)
        case json.JSONDecodeError():
            return f"is not valid JSON (line {error.lineno}, column {error.colno})"
        case UnicodeDecodeError():
            return "is not text in UTF-8"
        case RecursionError():
            return "is nested too deeply"
        case _:
            # Python reads whole numbers of 4,300 digits at most.
            return "has a number that is too large"


def _members(text: str, body: bytes) -> JsonBody:
    fields: dict[str, Any] = {}
    texts: dict[str, bytes] = {}
    # Of ASCII, a text's places are those of its bytes.
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
            raise _UnusableBodyError(f"has the field {dumps(name)[:100]} twice")
        start = _expect(text, _after_space(text, at), ":")
        fields[name], at = _DECODER.raw_decode(text, start)
        texts[name] = encoded[start:at]
        at = _after_space(text, at)
        if text[at : at + 1] == "}":
            return _ended(text, at + 1, JsonBody(fields, texts, size_bytes))
        at = _expect(text, at, ",")
    raise _UnusableBodyError(f"has more than {MAX_MEMBERS} fields")


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


def translated_tools(fields: Mapping[str, Any], tool: Callable[[Any, str], dict[str, Any]]) -> dict[str, Any]:
    """Return the translated tools of a request as `tools`; nothing if it has none.

    `tool` takes a tool and its JSON pointer. Raises `InvalidInputError`.
    """
    tools = fields.get("tools") or []
    if not isinstance(tools, list):
        raise InvalidInputError([Problem("/tools", "Must be a list.")])
    return {"tools": [tool(each, f"/tools/{at}") for at, each in enumerate(tools)]} if tools else {}


# Some vendors ignore a text here, and others fail.
_NUMBERS = ("temperature", "top_p", "presence_penalty", "frequency_penalty")


def _problems(protocol: TextProtocol, fields: Mapping[str, Any], is_count: bool) -> list[Problem]:
    found = []
    if not isinstance(fields.get("model"), str):
        found.append(Problem("/model", "Must be a text model's id."))
    messages = fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        found.append(Problem("/messages", "Must be a list of message objects."))
    elif not messages:
        found.append(Problem("/messages", "Must have at least one message."))
    if not isinstance(fields.get("stream"), bool | None):
        found.append(Problem("/stream", "Must be true or false."))
    if not isinstance(fields.get("stream_options"), dict | None):
        found.append(Problem("/stream_options", "Must be an object."))
    found += _number_problems(protocol, fields)
    if protocol is TextProtocol.ANTHROPIC and not is_count and fields.get("max_tokens") is None:
        found.append(Problem("/max_tokens", "Field required."))
    return found


def _number_problems(protocol: TextProtocol, fields: Mapping[str, Any]) -> Iterator[Problem]:
    for name in _NUMBERS:
        value = fields.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            yield Problem(f"/{name}", "Must be a number.")
    for name in LIMIT_FIELDS[protocol]:
        if not _is_whole(fields.get(name), 1 if protocol is TextProtocol.OPENAI else 0, None):
            yield Problem(f"/{name}", "Must be a whole number of tokens, above 0.")
    if protocol is TextProtocol.OPENAI and not _is_whole(fields.get("n"), 1, MAX_ANSWERS):
        yield Problem("/n", f"Must be a whole number from 1 to {MAX_ANSWERS}.")


def _is_whole(value: Any, least: int, most: int | None) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, float) and not value.is_integer():
        return False
    return value >= least and (most is None or value <= most)
