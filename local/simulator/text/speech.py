"""OpenAI's speech, with its refusals. The recording's length depends on the input's.

Source: `openai.types.audio.SpeechCreateParams` (openai 3.57.0, PyPI);
https://developers.openai.com/api/docs/guides/text-to-speech.
"""

import json
from base64 import b64encode
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.media.speech import recording
from local.simulator.text.content import Ask, count_tokens
from local.simulator.text.errors import refusal_of
from local.simulator.text.responses import refused
from local.simulator.text.streaming import EventStream, disturbed
from local.simulator.text.turn import Turn, take_turn
from local.simulator.wire import accepted_body, text

_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
_VOICES = ("alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer")
_MORE_VOICES = (*_VOICES, "ballad", "verse", "marin", "cedar")
_BY_CHARACTER = ("tts-1", "tts-1-hd")
_BY_TOKEN = ("gpt-4o-mini-tts",)
_FIELDS = ("model", "input", "voice", "instructions", "response_format", "speed", "stream_format")
_MOST_CHARACTERS, _MOST_TOKENS = 4096, 2000
_MIN_SPEED, _MAX_SPEED = 0.25, 4.0
CHARACTERS_PER_S = 15
TOKENS_PER_S = 1250 / 60
PIECE_BYTES = 4096


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of one vendor."""

    @routes.post("/v1/audio/speech")
    async def speech(request: Request) -> Response:
        body = await accepted_body(request, refused, _refusal)
        if isinstance(body, Response):
            return body
        ask = Ask(prompt=text(body["input"]), input_tokens=_tokens(body), limit=None)
        turn = await take_turn(engine, text(body.get("model")), ask)
        if isinstance(turn, int):
            status, said = refusal_of(engine.provider, turn)
            return JSONResponse(said, status)
        return _spoken(body, turn, ask)


def _spoken(body: dict[str, Any], turn: Turn, ask: Ask) -> Response:
    name = body.get("response_format") or "mp3"
    seconds = max(1, round(len(body["input"]) / CHARACTERS_PER_S / (body.get("speed") or 1)))
    sound = recording(len(body["input"]), seconds, name)
    pieces = [sound[at : at + PIECE_BYTES] for at in range(0, len(sound), PIECE_BYTES)]
    headers = {"x-request-id": f"req_{turn.answer.id}"}
    if body.get("stream_format") != "sse":
        if turn.common.garbage_answers:
            pieces = [b"<html>upstream hiccup</html>"]
        return EventStream(pieces, turn.directions, headers, _TYPES[name])
    spoken = round(seconds * TOKENS_PER_S) * turn.directions.usage_factor
    usage = {"input_tokens": ask.input_tokens, "output_tokens": spoken}
    done: dict[str, Any] = {"type": "speech.audio.done"}
    if not turn.directions.no_usage:
        done["usage"] = {**usage, "total_tokens": sum(usage.values())}
    deltas = [{"type": "speech.audio.delta", "audio": b64encode(piece).decode()} for piece in pieces]
    events = [_event(each) for each in (*deltas, done)]
    error = _event(refusal_of("openai", 500)[1])
    return EventStream(disturbed(events, error, turn.common, turn.directions), turn.directions, headers)


def _event(payload: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(payload)}\n\n".encode()


def _tokens(body: dict[str, Any]) -> int:
    return count_tokens(text(body["input"])) + count_tokens(text(body.get("instructions")))


def _refusal(body: dict[str, Any]) -> str | None:
    """Return OpenAI's reason to refuse a body, or `None`."""
    model, spoken, speed = text(body.get("model")), body.get("input"), body.get("speed", 1)
    voices = _VOICES if model in _BY_CHARACTER else _MORE_VOICES
    unknown = [name for name in body if name not in _FIELDS]
    is_text = isinstance(spoken, str) and 0 < len(spoken) <= _MOST_CHARACTERS
    is_speed = isinstance(speed, int | float) and _MIN_SPEED <= speed <= _MAX_SPEED
    too_long = model in _BY_TOKEN and is_text and _tokens(body) > _MOST_TOKENS
    is_sse = body.get("stream_format") == "sse" and model in _BY_CHARACTER
    reasons = (
        (bool(unknown), f"Unknown parameter: {unknown}."),
        (model not in (*_BY_CHARACTER, *_BY_TOKEN), f"The model '{model}' is no speech model."),
        (not is_text, f"input: must be a string of 1 to {_MOST_CHARACTERS} characters."),
        (too_long, f"input: has more than {_MOST_TOKENS} tokens."),
        (body.get("voice") not in voices, f"voice: not in {voices}."),
        (body.get("response_format", "mp3") not in _TYPES, "response_format: unknown."),
        (not is_speed, f"speed: must be between {_MIN_SPEED} and {_MAX_SPEED}."),
        (is_sse, f"stream_format: 'sse' is not supported for {model}."),
    )
    return next((reason for applies, reason in reasons if applies), None)
