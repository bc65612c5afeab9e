"""Legacy completions over chat: the prompt is a message of the user, and the response is its text. Pure.

No vendor's current text model has this protocol, so every model gets a chat.

Source: `openai.types.completion_create_params`, `openai.types.completion`.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.fields import CHAT, COMPLETIONS, Rule
from tollgate.text.body.json_body import read_json_body
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.models import TextProtocol
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.relay import DONE, DONE_EVENT, chat_event
from tollgate.text.wire.shown import CHAT_ID_PREFIX
from tollgate.text.wire.sse import SseSplitter

ID_PREFIX = "cmpl-"
_MESSAGE = "/messages"
_FINISHES = ("stop", "length", "content_filter")


def read_completion_request(body: bytes) -> TextRequest:
    """Return the request in `body` as a chat. Raises `PayloadTooLargeError`, `InvalidInputError`."""
    parsed = read_json_body(body)
    fields = parsed.fields
    prompt = fields.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1:
        (prompt,) = prompt
    problems = list(_problems(fields, prompt))
    if problems:
        raise InvalidInputError(problems)
    idle = [name for name, row in COMPLETIONS.items() if row.rule is Rule.REFUSED]
    messages = [{"role": "user", "content": prompt}]
    chat = parsed.edited({"messages": messages}, ["prompt", *idle])
    return replace(read_request(TextProtocol.OPENAI, chat), translated="completions")


def _problems(fields: Mapping[str, Any], prompt: Any) -> Iterator[Problem]:
    if not isinstance(prompt, str) or not prompt:
        yield Problem("/prompt", "Must be a string that is not empty, or a list of one such string.")
    for name, value in fields.items():
        row = COMPLETIONS.get(name)
        if row is None and name in CHAT and CHAT[name].own:
            yield Problem(f"/{name}", "Not a field of completions. Use chat completions.")
        elif row is not None and row.rule is Rule.REFUSED and row.has_effect(value):
            yield Problem(f"/{name}", row.about)


@contextmanager
def own_names() -> Iterator[None]:
    """Name fields in errors about the chat by their names in this protocol."""
    try:
        yield
    except InvalidInputError as exc:
        raise exc.renamed(
            lambda each: replace(each, path="/prompt") if each.path.startswith(_MESSAGE) else each
        ) from exc


@dataclass(slots=True)
class CompletionsRendering:
    """A chat response for a client of completions. See `Rendering`."""

    protocol: TextProtocol = TextProtocol.OPENAI
    keep_alive: bytes = b": keep-alive\n\n"
    _splitter: SseSplitter = field(default_factory=SseSplitter)

    def events(self, chunk: bytes) -> bytes:
        """Return the events of a completion that follow from the chat's events."""
        return b"".join(_event(event.data) for event in self._splitter.feed(chunk) if event.data is not None)

    def error(self, body: bytes) -> bytes:
        """Return the error as an event."""
        return b"data: " + body.replace(b"\n", b" ") + b"\n\n"

    async def end(self) -> bytes:
        """Return nothing: the stream has its own end."""
        return b""

    async def whole(self, body: bytes) -> bytes:
        """Return a whole chat response as a completion."""
        chat = json.loads(body)
        choices = [_choice(each, each["message"]) for each in chat["choices"]]
        return encoded({**_head(chat), "choices": choices, "usage": chat["usage"]})


def _event(data: bytes) -> bytes:
    if data == DONE:
        return DONE_EVENT
    chunk = json.loads(data)
    if "choices" not in chunk:
        return chat_event(chunk)
    choices = [_choice(each, each.get("delta") or {}) for each in chunk["choices"]]
    said = [each for each in choices if each["text"] or each["finish_reason"]]
    usage = chunk.get("usage")
    if not said and usage is None:
        # The role, or reasoning, for which a completion has no place.
        return b""
    return chat_event({**_head(chunk), "choices": said, **({"usage": usage} if "usage" in chunk else {})})


def _choice(choice: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    finish = choice.get("finish_reason")
    known = finish if finish in _FINISHES or finish is None else "stop"
    text = message.get("content") or message.get("refusal") or ""
    return {"text": text, "index": choice.get("index", 0), "logprobs": None, "finish_reason": known}


def _head(chat: Mapping[str, Any]) -> dict[str, Any]:
    completion_id = ID_PREFIX + str(chat.get("id")).removeprefix(CHAT_ID_PREFIX)
    return {
        "id": completion_id,
        "object": "text_completion",
        "created": chat.get("created"),
        "model": chat.get("model"),
    }
