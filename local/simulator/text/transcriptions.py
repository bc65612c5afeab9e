"""OpenAI's transcriptions and translations, with its refusals. The text depends on the recording.

Directions are in the form's `prompt`. Source: `openai.types.audio` (openai 3.57.0, PyPI);
https://developers.openai.com/api/docs/guides/speech-to-text.
"""

import io
import json
import math
from collections.abc import Mapping
from typing import Any

import av
from fastapi import APIRouter
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.text.content import Ask
from local.simulator.text.errors import refusal_of
from local.simulator.text.responses import refused
from local.simulator.text.streaming import EventStream, disturbed, whole
from local.simulator.text.turn import Turn, take_turn
from local.simulator.wire import api_key

_SUFFIXES = ("flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm")
_WHISPER, _STREAMS = "whisper-1", "gpt-transcribe"
_FORMATS = {_WHISPER: ("json", "text", "verbose_json", "srt", "vtt"), _STREAMS: ("json", "text")}
_FIELDS = (
    *("file", "model", "language", "prompt", "response_format", "temperature", "stream", "include[]"),
    *("timestamp_granularities[]", "chunking_strategy"),
)
_OF_TRANSLATIONS = ("file", "model", "prompt", "response_format", "temperature")
MAX_BYTES = 25 * 1024 * 1024
SEGMENT_S = 4.0
PIECE_CHARS = 8
ABSURD = 1000


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of one vendor."""

    @routes.post("/v1/audio/transcriptions")
    async def transcriptions(request: Request) -> Response:
        return await _answered(engine, request, _FIELDS)

    @routes.post("/v1/audio/translations")
    async def translations(request: Request) -> Response:
        return await _answered(engine, request, _OF_TRANSLATIONS)


async def _answered(engine: Engine, request: Request, known: tuple[str, ...]) -> Response:
    if api_key(request, "Bearer") is None:
        return refused(401, "Incorrect API key provided.")
    async with request.form() as form:
        file = form.get("file")
        data = await file.read() if isinstance(file, UploadFile) else b""
        named = file.filename if isinstance(file, UploadFile) else None
        if (reason := _refusal(form, data, named or "", known)) is not None:
            return refused(400, reason)
        sent = dict(form)
        words = "timestamp_granularities[]" in form and "word" in form.getlist("timestamp_granularities[]")
    seconds = _length(data)
    if seconds is None:
        return refused(400, "Audio file might be corrupted or unsupported")
    turn = await take_turn(engine, str(sent["model"]), Ask(str(sent.get("prompt") or ""), 0, None))
    if isinstance(turn, int):
        status, said = refusal_of(engine.provider, turn)
        return JSONResponse(said, status)
    is_translation = known is _OF_TRANSLATIONS
    return _told(sent, turn, _Spoken(seconds, is_translation=is_translation, has_words=words))


class _Spoken:
    """The text of a recording, cut into segments."""

    def __init__(self, seconds: float, *, is_translation: bool, has_words: bool) -> None:
        self.seconds = seconds
        self.task = "translate" if is_translation else "transcribe"
        self._has_words = has_words
        count = max(1, math.ceil(seconds / SEGMENT_S))
        said = "In English, " if is_translation else ""
        self._parts = [f"{said}segment {number + 1} of the recording." for number in range(count)]

    @property
    def text(self) -> str:
        return " ".join(self._parts)

    def segments(self) -> list[dict[str, Any]]:
        return [
            {
                "id": number,
                "seek": 0,
                "start": number * SEGMENT_S,
                "end": min((number + 1) * SEGMENT_S, self.seconds),
                "text": part,
                "tokens": [50364, 440],
                "temperature": 0.0,
                "avg_logprob": -0.2,
                "compression_ratio": 1.1,
                "no_speech_prob": 0.01,
            }
            for number, part in enumerate(self._parts)
        ]

    def verbose(self) -> dict[str, Any]:
        words = [
            {"word": word, "start": segment["start"], "end": segment["end"]}
            for segment in self.segments()
            for word in segment["text"].split()
        ]
        shown = {"words": words} if self._has_words else {"segments": self.segments()}
        return {
            "task": self.task,
            "language": "english",
            "duration": self.seconds,
            "text": self.text,
            **shown,
        }

    def subtitles(self, comma: str) -> str:
        return "".join(
            f"{segment['id'] + 1}\n{_time(segment['start'], comma)} --> {_time(segment['end'], comma)}\n"
            f"{segment['text']}\n\n"
            for segment in self.segments()
        )


def _told(sent: Mapping[str, Any], turn: Turn, spoken: _Spoken) -> Response:
    usage: dict[str, Any] = {"type": "duration", "seconds": math.ceil(spoken.seconds)}
    usage["seconds"] *= ABSURD if turn.directions.usage_factor != 1 else 1
    told = {} if turn.directions.no_usage else {"usage": usage}
    wanted = str(sent.get("response_format") or "json")
    if str(sent.get("stream")).lower() == "true" and sent["model"] == _STREAMS:
        text = spoken.text
        pieces = [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]
        events = [_event({"type": "transcript.text.delta", "delta": piece}) for piece in pieces]
        events.append(_event({"type": "transcript.text.done", "text": text, **told}))
        error = _event(refusal_of("openai", 500)[1])
        return EventStream(disturbed(events, error, turn.common, turn.directions), turn.directions, {})
    if wanted in ("json", "verbose_json"):
        shown = spoken.verbose() if wanted == "verbose_json" else {"text": spoken.text}
        return whole(json.dumps({**shown, **told}).encode(), turn.common, turn.directions, {})
    plain = {
        "text": spoken.text + "\n",
        "srt": spoken.subtitles(","),
        "vtt": "WEBVTT\n\n" + spoken.subtitles("."),
    }
    content = b"<html>upstream hiccup" if turn.common.garbage_answers else plain[wanted].encode()
    answer = whole(content, turn.common, turn.directions, {})
    answer.headers["content-type"] = "text/plain; charset=utf-8"
    return answer


def _refusal(form: FormData, data: bytes, name: str, known: tuple[str, ...]) -> str | None:
    """Return OpenAI's reason to refuse a form, or `None`."""
    model, unknown = str(form.get("model")), [field for field in form if field not in known]
    formats = _FORMATS.get(model, ())
    is_translation = known is _OF_TRANSLATIONS
    suffix = name.rpartition(".")[2].lower()
    reasons = (
        (bool(unknown), f"Unknown parameter: {unknown}."),
        (not formats or (is_translation and model != _WHISPER), f"Invalid model '{model}'."),
        (not data, "file: is required."),
        (len(data) > MAX_BYTES, f"Maximum content size limit ({MAX_BYTES}) exceeded"),
        (suffix not in _SUFFIXES, f"Unrecognized file format. Supported formats: {_SUFFIXES}"),
        (form.get("response_format", "json") not in formats, f"response_format: not in {formats}."),
        (
            "timestamp_granularities[]" in form and form.get("response_format") != "verbose_json",
            "timestamp_granularities[] needs response_format verbose_json.",
        ),
        ("include[]" in form, f"include[]: logprobs are not available with {model}."),
    )
    return next((reason for applies, reason in reasons if applies), None)


def _length(data: bytes) -> float | None:
    """Return the length of a recording in seconds by decoding it; `None` if it is none."""
    try:
        with av.open(io.BytesIO(data), "r") as file:
            frames = [(frame.samples, frame.sample_rate) for frame in file.decode(audio=0)]
    except (av.FFmpegError, IndexError):
        return None
    return sum(samples / rate for samples, rate in frames) or None


def _time(seconds: float, comma: str) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"00:{int(minutes):02}:{rest:06.3f}".replace(".", comma)


def _event(payload: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(payload)}\n\n".encode()
