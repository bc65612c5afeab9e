"""A chat as a request to Google's `generateContent` (docs/providers/google.md#chats-with-images)."""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.providers.text.google.facts import IMAGE_TYPES
from tollgate.text.body.fields import invalid, unsent
from tollgate.text.body.images import CONFIG, IMAGE, IMAGES, MODALITIES, RATIO, SIZE, TEXT, proper_type
from tollgate.text.models import TextProtocol
from tollgate.text.translation.call_state import EXTRA
from tollgate.text.upstream.exchange import RoutedRequest

_TAKEN = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "seed"),
        *("stream", "stream_options", "usage", MODALITIES, CONFIG),
    }
)
# Fields that would change the response, and that the models with images do not have.
_LACKS = ("tools", "tool_choice", "response_format", "functions", "function_call")
_NO_FIELD = "This model does not support this field."
_ROLES = {"user": "user", "assistant": "model"}
_INSTRUCTIONS = ("system", "developer")
_NO_FORMAT = {"type": "text"}
_NO_PART = "This model takes text and images."
_NO_DATA = f"Must be a base64 data URL of {', '.join(IMAGE_TYPES)}."


def content_request(routed: RoutedRequest) -> tuple[dict[str, Any], list[str]]:
    """Return the body of `generateContent`, and the client's hints that are left out.

    Raises `InvalidInputError` for fields and parts that the protocol or the models do not have.
    """
    fields = routed.request.fields
    problems = [
        Problem(f"/{name}", _NO_FIELD) for name in _LACKS if fields.get(name) not in (None, [], _NO_FORMAT)
    ]
    if problems:
        raise InvalidInputError(problems)
    _, ignored = unsent(TextProtocol.OPENAI, fields, _TAKEN.__contains__)
    if effort := fields.get("reasoning_effort"):
        ignored += ["reasoning_effort"] if effort != "none" else []
    contents, instructions = _turns(fields["messages"])
    body: dict[str, Any] = {"contents": contents, "generationConfig": _config(routed)}
    if instructions:
        body["systemInstruction"] = {"parts": instructions}
    return body, ignored


def _config(routed: RoutedRequest) -> dict[str, Any]:
    """Return the settings. The limit of output is always sent, because the hold depends on it."""
    fields = routed.request.fields
    modalities = [TEXT, IMAGE] if fields.get(MODALITIES) is None else fields[MODALITIES]
    found = {
        "responseModalities": [each.upper() for each in modalities],
        "maxOutputTokens": routed.hold.output_limit,
        "temperature": fields.get("temperature"),
        "topP": fields.get("top_p"),
        "stopSequences": _stops(fields.get("stop")),
        "seed": fields.get("seed"),
    }
    asked = fields.get(CONFIG) or {}
    image = {"aspectRatio": asked.get(RATIO), "imageSize": asked.get(SIZE)}
    found["imageConfig"] = {name: value for name, value in image.items() if value is not None} or None
    return {name: value for name, value in found.items() if value is not None}


def _stops(stop: Any) -> list[str] | None:
    return [stop] if isinstance(stop, str) and stop else stop or None


def _turns(messages: list[Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the turns of a chat, and its instructions. Messages in a row with the same role are one turn."""
    turns: list[dict[str, Any]] = []
    instructions: list[dict[str, Any]] = []
    for position, message in enumerate(messages):
        path, role = f"/messages/{position}", message.get("role")
        if message.get("tool_calls") or (role not in _ROLES and role not in _INSTRUCTIONS):
            raise invalid(path, "This model has no tools.", [*_INSTRUCTIONS, *_ROLES])
        parts = [*_parts(message, path), *_images(message, path)]
        if role in _INSTRUCTIONS:
            instructions += parts
        elif turns and turns[-1]["role"] == _ROLES[role]:
            turns[-1]["parts"] += parts
        elif parts:
            turns.append({"role": _ROLES[role], "parts": parts})
    return turns, instructions


def _parts(message: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": TEXT, TEXT: content, EXTRA: message.get(EXTRA)}] if content else []
    if not isinstance(content, list | None):
        raise invalid(f"{path}/content", "Must be a text or a list of parts.")
    for at, part in enumerate(content or []):
        yield _part(part, f"{path}/content/{at}")


def _images(message: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
    """Yield the images of an earlier response, in the form in which the client got them."""
    images = message.get(IMAGES)
    if not isinstance(images, list | None):
        raise invalid(f"{path}/{IMAGES}", "Must be a list of images.")
    for at, image in enumerate(images or []):
        yield _part(image, f"{path}/{IMAGES}/{at}")


def _part(part: Any, path: str) -> dict[str, Any]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == TEXT and isinstance(part.get(TEXT), str):
        return {"text": part[TEXT], **_signature(part)}
    if kind != "image_url":
        raise invalid(path, _NO_PART, [TEXT, "image_url"])
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, Mapping) else image
    # Not a pattern: the data can have megabytes.
    head, _, data = url.partition(",") if isinstance(url, str) else ("", "", "")
    written = head.removeprefix("data:").removesuffix(";base64").lower()
    media_type = proper_type(written)
    if head.lower() != f"data:{written};base64" or media_type not in IMAGE_TYPES or not data:
        raise invalid(f"{path}/image_url", _NO_DATA)
    return {"inlineData": {"mimeType": media_type, "data": data}, **_signature(part)}


def _signature(part: Mapping[str, Any]) -> dict[str, str]:
    """Return the state of a part of an earlier response."""
    extra = part.get(EXTRA)
    own = extra.get("google") if isinstance(extra, Mapping) else None
    signature = own.get("thought_signature") if isinstance(own, Mapping) else None
    return {"thoughtSignature": signature} if isinstance(signature, str) else {}
