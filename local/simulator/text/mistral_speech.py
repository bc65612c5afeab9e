"""Mistral's speech: JSON with the whole recording in base64, or events with pieces of it.

Source: `SpeechRequest`, `SpeechStreamAudioDelta`, `SpeechStreamDone` and `HTTPValidationError` of mistralai
3.7.0 (PyPI). Voices: docs.mistral.ai/studio/audio/text-to-speech/voices. INFERRED: the longest input.
"""

import json
from base64 import b64encode
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.media.speech import recording
from local.simulator.text.content import Ask, count_tokens
from local.simulator.text.errors import refusal_of
from local.simulator.text.speech import CHARACTERS_PER_S, PIECE_BYTES
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import Turn, take_turn
from local.simulator.wire import api_key, json_object, text

BAD_REQUEST = 400
MODELS = ("voxtral-mini-tts-3-0",)
VOICES = (
    *(f"voice_{number}" for number in (447, 478, 479, 480, 481, 482, 483, 484, 485)),
    *("en_paul_neutral", "gb_jane_neutral", "gb_oliver_neutral"),
)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    model: str
    input: Annotated[str, Field(min_length=1, max_length=4_096)]
    voice_id: str
    response_format: Literal["pcm", "wav", "mp3", "flac", "opus"] = "mp3"
    stream: bool = False


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route."""

    @routes.post("/v1/audio/speech")
    async def speech(request: Request) -> Response:
        if api_key(request, "Bearer") is None:
            return JSONResponse({"detail": "Unauthorized"}, 401)
        try:
            body = _Body.model_validate(await json_object(request))
        except ValidationError as exc:
            return JSONResponse({"detail": json.loads(exc.json(include_url=False))}, 422)
        if body.model not in MODELS or body.voice_id not in VOICES:
            return _refused(BAD_REQUEST if body.model in MODELS else 404)
        ask = Ask(prompt=text(body.input), input_tokens=count_tokens(body.input), limit=None)
        turn = await take_turn(engine, body.model, ask)
        return _refused(turn) if isinstance(turn, int) else _spoken(body, turn, ask)


def _refused(status: int) -> Response:
    status, said = refusal_of("mistral", status, "Invalid voice." if status == BAD_REQUEST else None)
    return JSONResponse(said, status)


def _spoken(body: _Body, turn: Turn, ask: Ask) -> Response:
    sound = recording(
        len(body.input), max(1, round(len(body.input) / CHARACTERS_PER_S)), body.response_format
    )
    if not body.stream:
        content = json.dumps({"audio_data": b64encode(sound).decode()}).encode()
        return whole(content, turn.common, turn.directions, {})
    pieces = [sound[at : at + PIECE_BYTES] for at in range(0, len(sound), PIECE_BYTES)]
    deltas = [{"type": "speech.audio.delta", "audio_data": b64encode(piece).decode()} for piece in pieces]
    usage = {"prompt_tokens": ask.input_tokens, "completion_tokens": 0, "total_tokens": ask.input_tokens}
    done: dict[str, Any] = {"type": "speech.audio.done", "usage": usage}
    events = [_event(each) for each in (*deltas, done)]
    error = _event({"type": "error", "error": refusal_of("mistral", 500)[1]["error"]})
    return EventStream(disturbed(events, error, turn.common, turn.directions), turn.directions, {})


def _event(payload: dict[str, Any]) -> bytes:
    return f"event: {payload['type']}\ndata: {json.dumps(payload)}\n\n".encode()
