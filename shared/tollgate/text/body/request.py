"""A client's request on a text route. It is checked only if money or routing needs it. Pure."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem
from tollgate.routing.reading import FIELDS, NOTHING_ASKED, Asked, has_routing, read_routing
from tollgate.text.body.json_body import MAX_BODY_BYTES, JsonBody, read_json_body
from tollgate.text.models import TextProtocol

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
    fields that were left out before (`text/body/fields.py`). `native`: the client uses the Responses
    protocol, and the body is the request as a chat. `sent` are the client's own fields if the body was
    translated. `translated` is then the name of the client's protocol. `asked` are its routing fields, which
    no provider gets.
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


def translated_tools(fields: Mapping[str, Any], tool: Callable[[Any, str], dict[str, Any]]) -> dict[str, Any]:
    """Return the translated tools of a request as `tools`; nothing if it has none.

    `tool` takes a tool and its JSON pointer. Raises `InvalidInputError`.
    """
    tools = fields.get("tools") or []
    if not isinstance(tools, list):
        raise InvalidInputError([Problem("/tools", "Must be a list.")])
    return {"tools": [tool(each, f"/tools/{at}") for at, each in enumerate(tools)]} if tools else {}


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
    for name in LIMIT_FIELDS[protocol]:
        if not _is_whole(fields.get(name), 1 if protocol is TextProtocol.OPENAI else 0, None):
            yield Problem(f"/{name}", "Must be a whole number of tokens, above 0.")
    if protocol is TextProtocol.OPENAI and not _is_whole(fields.get("n"), 1, MAX_ANSWERS):
        yield Problem("/n", f"Must be a whole number from 1 to {MAX_ANSWERS}.")


def _is_whole(value: Any, least: int, most: int | None) -> bool:
    number = whole_number(value)
    return value is None or (number is not None and least <= number and (most is None or number <= most))
