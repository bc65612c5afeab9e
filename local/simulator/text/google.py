"""Chats of Google's own protocol, with images in their responses.

Source: docs/providers/google.md#chats-with-images.

A request for an image of the media part has the same path. It sets no limit of output, and is a job there.
"""

import io
import json
import math
from base64 import b64decode, b64encode
from binascii import Error as NoBase64Error
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_128
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from PIL import Image
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.media.picture import Picture
from local.simulator.text.content import Answer, Ask, count_tokens
from local.simulator.text.directions import TextDirections
from local.simulator.text.errors import TOO_LONG_OF
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import take_turn
from local.simulator.text.vendors import scaled
from local.simulator.wire import header_key, json_object, text

# The tokens of an image by its size (docs.cloud.google.com, gemini/3-1-flash-image and 3-pro-image).
TOKENS: Mapping[str, Mapping[str, int]] = {
    "gemini-3.1-flash-image": {"512": 747, "1K": 1120, "2K": 1680, "4K": 2520},
    "gemini-3-pro-image": {"1K": 1120, "2K": 1120, "4K": 2000},
    "gemini-3.1-flash-lite-image": {"1K": 1120},
}
LIMITS = {"gemini-3.1-flash-lite-image": 4_096}
MAX_OUTPUT = 32_768
INPUT_IMAGE_TOKENS = 1_120
# 7 MiB in base64.
NOISE_EDGE = 1_345
SIGNATURE = b64encode(b"simulated state").decode()
_EDGES = {"512": 512, "1K": 1_024, "2K": 2_048, "4K": 4_096}
_RATIO = Literal[
    "1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "4:1", "1:8", "8:1"
]
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_STANDARD = str.maketrans("-_", "+/")
Endpoint = Callable[[Request], Awaitable[Response]]


def _base64(value: str) -> str:
    try:
        # Google's client sends the alphabet for URLs.
        b64decode(value.translate(_STANDARD), validate=True)
    except NoBase64Error as exc:
        raise ValueError("Base64 decoding failed") from exc
    return value


class _Data(BaseModel):
    """Google refuses unknown names, and takes each name in two forms. Its client sends `mime_type`."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class _Blob(_Data):
    mime_type: Literal["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]
    data: Annotated[str, Field(min_length=1), AfterValidator(_base64)]


class _Part(_Data):
    text: str | None = None
    inline_data: _Blob | None = None
    thought_signature: Literal["c2ltdWxhdGVkIHN0YXRl"] | None = None


class _Instruction(_Data):
    parts: Annotated[list[_Part], Field(min_length=1)]


class _Content(_Instruction):
    role: Literal["user", "model"] = "user"


class _ImageConfig(_Data):
    aspect_ratio: _RATIO = "1:1"
    image_size: Literal["512", "1K", "2K", "4K"] = "1K"


class _Config(_Data):
    response_modalities: list[Literal["TEXT", "IMAGE"]] = ["TEXT", "IMAGE"]
    max_output_tokens: Annotated[int, Field(ge=1)]
    temperature: Annotated[float, Field(ge=0, le=2)] = 1
    top_p: Annotated[float, Field(ge=0, le=1)] = 0.95
    stop_sequences: Annotated[list[str], Field(max_length=5)] = []
    seed: int | None = None
    image_config: _ImageConfig = _ImageConfig()


class _Body(_Data):
    contents: Annotated[list[_Content], Field(min_length=1)]
    system_instruction: _Instruction | None = None
    generation_config: _Config


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of a response: pieces of text, and images in base64."""

    text: tuple[str, ...]
    images: tuple[str, ...]
    usage: dict[str, Any] | None
    finish: str
    model: str
    id: str

    def event(self, parts: list[dict[str, Any]], **ended: Any) -> dict[str, Any]:
        """Return a response with these parts."""
        content = {"parts": parts, "role": "model"}
        candidate = {**({"content": content} if parts else {}), **ended, "index": 0}
        return {"candidates": [candidate], "modelVersion": self.model, "responseId": self.id}

    def parts(self) -> list[dict[str, Any]]:
        """Return the parts. The first one, and each image, has a state."""
        texts: list[dict[str, Any]] = [{"text": piece} for piece in self.text]
        drawn: list[dict[str, Any]] = [
            {"inlineData": {"mimeType": "image/png", "data": data}, "thoughtSignature": SIGNATURE}
            for data in self.images
        ]
        if texts:
            texts[0]["thoughtSignature"] = SIGNATURE
        return [*texts, *drawn]

    def whole(self) -> dict[str, Any]:
        """Return the whole response: neighbouring texts are one part."""
        parts = self.parts()[len(self.text) :]
        if self.text:
            parts.insert(0, {"text": "".join(self.text), "thoughtSignature": SIGNATURE})
        return self.event(parts, finishReason=self.finish) | self._usage(self.usage)

    def events(self) -> list[dict[str, Any]]:
        """Return the events of a stream. Only the last one tells the modalities of the tokens."""
        early = None if self.usage is None else {"promptTokenCount": self.usage["promptTokenCount"]}
        events = [self.event([part]) | self._usage(early) for part in self.parts()]
        last = self.event([{"text": ""}], finishReason=self.finish) | self._usage(self.usage)
        return [*events, last]

    @staticmethod
    def _usage(usage: dict[str, Any] | None) -> dict[str, Any]:
        return {} if usage is None else {"usageMetadata": usage}


def router(engine: Engine, job: Endpoint) -> APIRouter:
    """Return the routes of chats; `job` is the endpoint of the media part."""
    routes = APIRouter()

    @routes.post("/v1/models/{model}:generateContent")
    async def generate(request: Request) -> Response:
        body = await json_object(request)
        config = None if body is None else body.get("generationConfig")
        is_chat = isinstance(config, dict) and "maxOutputTokens" in config
        return await _answered(engine, request, body or {}, stream=False) if is_chat else await job(request)

    @routes.post("/v1/models/{model}:streamGenerateContent")
    async def stream(request: Request) -> Response:
        if request.query_params.get("alt") != "sse":
            return _refused(400, "The simulator streams events only.")
        return await _answered(engine, request, await json_object(request) or {}, stream=True)

    return routes


async def _answered(engine: Engine, request: Request, given: dict[str, Any], *, stream: bool) -> Response:
    model = request.path_params["model"]
    body = _read(request, model, given)
    if isinstance(body, Response):
        return body
    ask = _ask(body)
    turn = await take_turn(engine, model, ask)
    if isinstance(turn, int):
        return _refused(turn, "The request was refused.")
    if turn.directions.too_long:
        return _refused(400, TOO_LONG_OF["google"])
    said = _said(model, body, ask.prompt, turn.answer, turn.directions)
    if turn.directions.blocked:
        blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": model}
        events = [blocked | ({} if said.usage is None else {"usageMetadata": said.usage})]
    else:
        events = said.events() if stream else [said.whole()]
    if not stream:
        return whole(json.dumps(events[0]).encode(), turn.common, turn.directions, {})
    sent = disturbed([*map(_event, events)], _event(_error(503, "Overloaded.")), turn.common, turn.directions)
    return EventStream(sent, turn.directions, {})


def _read(request: Request, model: str, given: dict[str, Any]) -> _Body | Response:
    """Return the body of a request, or Google's refusal."""
    if header_key(request, "x-goog-api-key") is None:
        return _refused(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID")
    if model not in TOKENS:
        return _refused(404, f"models/{model} is not found for API version v1beta.")
    try:
        body = _Body.model_validate(given)
    except ValidationError as exc:
        return _refused(
            400, f"Invalid JSON payload received. {exc.errors()[0]['loc']}: {exc.errors()[0]['msg']}"
        )
    if body.generation_config.image_config.image_size not in TOKENS[model]:
        return _refused(400, "The image size is not supported by this model.")
    return body


def _ask(body: _Body) -> Ask:
    parts = [part for content in body.contents for part in content.parts]
    images = sum(part.inline_data is not None for part in parts)
    texts = [part.text for part in body.contents[-1].parts if part.text]
    said = [part.text for part in parts if part.text]
    tokens = count_tokens(said) + INPUT_IMAGE_TOKENS * images
    return Ask(text(texts[-1] if texts else ""), tokens, body.generation_config.max_output_tokens)


def _said(model: str, body: _Body, caption: str, answer: Answer, directions: TextDirections) -> _Said:
    """Return the content of a response. An image above the limit of output is not made."""
    config = body.generation_config
    asked, limit = config.image_config, min(config.max_output_tokens, LIMITS.get(model, MAX_OUTPUT))
    each = TOKENS[model][asked.image_size]
    draws = "IMAGE" in config.response_modalities and not (directions.blocked or directions.unsafe)
    wanted = directions.images if draws else 0
    made = min(wanted, limit // each)
    writes = "TEXT" in config.response_modalities and not directions.blocked
    pieces = answer.text[: limit - made * each] if writes else ()
    edge, ratio = _EDGES[asked.image_size], asked.aspect_ratio
    if directions.large_images:
        drawn = (_noise(),) * made
    else:
        drawn = tuple(_drawn(model, edge, ratio, caption, f"{answer.id}{number}") for number in range(made))
    finish = "MAX_TOKENS" if made < wanted else "IMAGE_SAFETY" if directions.unsafe else "STOP"
    usage = None if directions.no_usage else _usage(answer, len(pieces), made * each, directions)
    return _Said(pieces, drawn, usage, finish, directions.named(model), answer.id)


def _usage(answer: Answer, said: int, drawn: int, directions: TextDirections) -> dict[str, Any]:
    """Return the usage of a response, with `said` tokens of text and `drawn` tokens of images."""
    counted = {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": said + drawn,
        "thoughtsTokenCount": answer.reasoning_tokens,
    }
    counted["totalTokenCount"] = sum(counted.values())
    found: dict[str, Any] = scaled(counted, directions.usage_factor)
    if drawn and not directions.no_details:
        detail = {"modality": "IMAGE", "tokenCount": drawn}
        found["candidatesTokensDetails"] = [scaled(detail, directions.usage_factor)]
    return found


@lru_cache(maxsize=16)
def _drawn(model: str, edge: int, ratio: str, caption: str, seed: str) -> str:
    across, _, down = ratio.partition(":")
    scale = math.sqrt(int(across) / int(down))
    image = Picture(round(edge * scale), round(edge / scale), caption, model, seed=sum(map(ord, seed)))
    return b64encode(image.render()).decode()


@lru_cache(maxsize=1)
def _noise() -> str:
    """Return an image that does not compress, as large as a response may be."""
    pixels = shake_128(b"noise").digest(3 * NOISE_EDGE**2)
    content = io.BytesIO()
    Image.frombytes("RGB", (NOISE_EDGE, NOISE_EDGE), pixels).save(content, "PNG")
    return b64encode(content.getvalue()).decode()


def _refused(status: int, message: str, reason: str | None = None) -> Response:
    return JSONResponse(_error(status, message, reason), status)


def _error(status: int, message: str, reason: str | None = None) -> dict[str, Any]:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}
    details = {} if reason is None else {"details": [{**info, "domain": "googleapis.com"}]}
    return {
        "error": {"code": status, "message": message, "status": STATUSES.get(status, "INTERNAL"), **details}
    }


def _event(payload: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(payload)}\r\n\r\n".encode()
