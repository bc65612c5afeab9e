"""Speech: the audio of a text, in OpenAI's protocol, from any vendor. Pure.

Source: `openai.types.audio.SpeechCreateParams` of the package openai 3.57.0 (PyPI), and
https://developers.openai.com/api/reference/resources/audio/subresources/speech/methods/create for the
events. A model is priced by the characters of its input, which are known before, or by tokens, which only
the provider's last event tells. Whichever a provider sends, the client gets bytes or events as it asked.
"""

import math
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem, one_of
from tollgate.text.body.json_body import read_json_body
from tollgate.text.body.request import TextRequest, routed_body
from tollgate.text.body.tokens import MESSAGE_OVERHEAD_TOKENS, tokens_of_bytes, utf8_length
from tollgate.text.kinds.whole import WholeMeter
from tollgate.text.models import Speech, TextModel, TextProtocol
from tollgate.text.money.metering import Demand
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, faults_in_body
from tollgate.text.usage import Usage, read_responses_usage, speech_usage
from tollgate.text.wire.faults import STREAM_BROKEN, UNREADABLE, Fault, chat_fault
from tollgate.text.wire.relay import chat_event
from tollgate.text.wire.sse import SseEvent, SseSplitter
from tollgate.text.wire.stream import AnswerStream, Meter

VOICE = "voice"
MP3, AUDIO, SSE = "mp3", "audio", "sse"
CONTENT_TYPES = {
    MP3: "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
"""The content type of each format. Opus is sent in Ogg."""
FIELDS = ("model", "input", "voice", "response_format", "speed", "instructions", "stream_format")
"""The fields of OpenAI. `routing/reading.py` reads OpenRouter's routing fields."""
MIN_SPEED, MAX_SPEED = 0.25, 4.0
MAX_INSTRUCTION_CHARACTERS = 4_096
MAX_AUDIO_BYTES = 128 * 1024 * 1024
"""More than the longest input has in the largest format: 45 minutes of uncompressed audio."""

# OpenAI states 0.015 USD per minute at 12 USD per 1M tokens, so 1,250 tokens are a minute. A minute of slow
# speech has some 800 characters, but one character may be a word, such as a digit (INFERRED).
MOST_TOKENS_PER_CHARACTER = 16
LEAST_AUDIO_TOKENS = 1_024
TYPICAL_TOKENS_PER_CHARACTER = 1.5

# The first byte of each format but PCM, which has none: any other is no audio, but an error page.
_FIRST_BYTES = {MP3: b"I\xff", "opus": b"O", "aac": b"\xff", "flac": b"f", "wav": b"R"}
_DELTA, _DONE = "speech.audio.delta", "speech.audio.done"

Fields = Mapping[str, Any]


def read_speech_request(body: bytes) -> TextRequest:
    """Return the request in `body`.

    Raises `PayloadTooLargeError`, or `InvalidInputError` for problems that do not depend on the model.
    """
    parsed, asked, problems = routed_body(read_json_body(body))
    problems += _shape_problems(parsed.fields)
    if problems:
        raise InvalidInputError(problems)
    return TextRequest(
        TextProtocol.SPEECH,
        parsed,
        parsed.fields["model"],
        stream=True,
        wants_usage=True,
        output_limit=None,
        answers=1,
        asked=asked,
    )


def wants_events(request: TextRequest) -> bool:
    """Return whether the client asked for events instead of the audio's bytes."""
    return request.fields.get("stream_format") == SSE


def format_of(request: TextRequest) -> str:
    """Return the format of the audio."""
    return request.fields.get("response_format") or MP3


def speech_problems(fields: Fields, model_id: str, takes: Speech) -> Iterator[Problem]:
    """Return the problems of a request for a model."""
    if len(fields["input"]) > takes.max_characters:
        yield Problem("/input", f"{model_id} accepts at most {takes.max_characters} characters.")
    if fields["voice"] not in takes.voices:
        yield Problem("/voice", f"{model_id} has no such voice.", list(takes.voices))
    if (fields.get("response_format") or MP3) not in takes.formats:
        yield Problem("/response_format", f"{model_id} does not make this format.", list(takes.formats))
    if fields.get("instructions") and not takes.takes_instructions:
        yield Problem("/instructions", f"{model_id} takes no instructions. Leave them out.")
    if fields.get("speed") not in (None, 1) and not takes.takes_speed:
        yield Problem("/speed", f"{model_id} has one speed. Leave it out.", [1])


def speech_demand(fields: Fields, model: TextModel) -> Demand:
    """Return the most that a request can use: characters if they are priced, else tokens of input and output.

    Raises `InvalidInputError`.
    """
    assert model.speech is not None  # noqa: S101 - the protocol of the model
    if problems := [*speech_problems(fields, model.id, model.speech)]:
        raise InvalidInputError(problems)
    characters = len(fields["input"])
    if model.prices.character is not None:
        return Demand(0, 0, characters=characters)
    texts = (fields["input"], fields.get("instructions") or "")
    slowness = 1 / min(fields.get("speed") or 1, 1)
    most = LEAST_AUDIO_TOKENS + math.ceil(characters * MOST_TOKENS_PER_CHARACTER * slowness)
    tokens = sum(map(utf8_length, texts)) + MESSAGE_OVERHEAD_TOKENS
    return Demand(tokens, min(most, model.max_output_tokens))


def speech_estimate(fields: Fields, _: TextModel) -> int:
    """Return about how many input tokens a request has, for a provider that reports none. Never 0."""
    texts = (fields["input"], fields.get("instructions") or "")
    return max(1, sum(tokens_of_bytes(utf8_length(text)) for text in texts))


class SpeechMeter(WholeMeter):
    """The usage of one speech: characters that are known before, or the tokens that the provider reports."""

    def __init__(self, meter: Meter, request: TextRequest, model: TextModel) -> None:
        self._characters = len(request.fields["input"])
        is_by_character = model.prices.character is not None
        super().__init__(meter, Usage(0, 0, characters=self._characters) if is_by_character else None)

    def usage(self) -> Usage:
        """Return the usage to bill: without a report a usual number of tokens, as an estimate."""
        found = super().usage()
        if not found.estimated:
            return found
        # The bytes of a recording tell nothing about its tokens.
        typical = math.ceil(self._characters * TYPICAL_TOKENS_PER_CHARACTER)
        return replace(found, output_tokens=min(typical, self.output_limit))


class SpeechStream(AnswerStream):
    """One speech: the provider's events or, as events without data, the bytes of its body.

    A speech that breaks is not charged.
    """

    def __init__(self, meter: SpeechMeter, request: TextRequest, codes: Mapping[str, int]) -> None:
        super().__init__(TextProtocol.SPEECH, meter)
        self._speech = meter
        self._as_events = wants_events(request)
        self._first_bytes = _FIRST_BYTES.get(format_of(request))
        self._codes = codes

    def feed(self, event: SseEvent) -> bytes:
        """Return the bytes for the client that follow from `event`."""
        if event is END_OF_AUDIO:
            return b"" if self.ended else self._finish()
        if isinstance(event, AudioPiece):
            return b"" if self.ended else self._audio(event.raw)
        return super().feed(event)

    def error(self, fault: Fault) -> bytes:
        """Return the event of an error. In the bytes of a recording is no place for one."""
        return super().error(fault) if self._as_events else b""

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        del event
        if (fault := chat_fault(payload, self._codes)) is not None:
            return self.fail(fault)
        kind = payload.get("type")
        if kind == _DELTA:
            try:
                # Vendors have one name or the other.
                audio = payload.get("audio") or payload.get("audio_data")
                return self._audio(b64decode(str(audio), validate=True))
            except Base64Error:
                return self.fail(UNREADABLE)
        if kind != _DONE:
            return b""
        self.meter.reported = read_responses_usage(payload.get("usage"))
        self.meter.final = self.meter.reported is not None
        return self._finish()

    def _is_end_mark(self, data: bytes) -> bool:
        # Whether the speech is whole is said by its own event; some gateways add OpenAI's mark after it.
        return data == b"[DONE]"

    def _audio(self, audio: bytes) -> bytes:
        if not audio:
            return b""
        is_first = not self.meter.delivered_bytes
        if is_first and self._first_bytes is not None and audio[0] not in self._first_bytes:
            return self.fail(UNREADABLE)
        self.meter.delivered_bytes += len(audio)
        if self.meter.delivered_bytes > MAX_AUDIO_BYTES:
            return self.fail(STREAM_BROKEN)
        if not self._as_events:
            return audio
        return chat_event({"type": _DELTA, "audio": b64encode(audio).decode()})

    def _finish(self) -> bytes:
        if not self.meter.delivered_bytes:
            return self.fail(UNREADABLE)
        self.done = self._speech.is_whole = True
        return chat_event({"type": _DONE, "usage": self.meter.told(speech_usage)}) if self._as_events else b""


class AudioPiece(SseEvent):
    """A piece of a body that is audio itself."""


END_OF_AUDIO = SseEvent(b"", None)
"""The end of a body that is audio itself."""


class AudioSplitter:
    """Passes on the pieces of a body that is audio itself."""

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Return the piece."""
        yield AudioPiece(piece, None)

    def close(self) -> Iterator[SseEvent]:
        """Return the end: the HTTP client has checked that the body is whole."""
        yield END_OF_AUDIO


def provider_fields(request: TextRequest, voice: str = VOICE) -> dict[str, Any]:
    """Return the fields for a provider with OpenAI's protocol, without the model; `voice` is its own name."""
    names = {"input": "input", VOICE: voice, "speed": "speed", "instructions": "instructions"}
    sent = {theirs: request.fields.get(name) for name, theirs in names.items()}
    sent["response_format"] = format_of(request)
    return {name: value for name, value in sent.items() if value is not None}


def speech_exchange(
    routed: RoutedRequest, call: HttpCall | Answer, codes: Mapping[str, int], *, is_audio: bool
) -> Exchange:
    """Return the exchange for a `call` whose response is audio itself, or OpenAI's events of it.

    `codes`: `code_statuses` of a `ChatDialect`.
    """
    meter = SpeechMeter(routed.meter(), routed.request, routed.model)
    stream = SpeechStream(meter, routed.request, codes)
    splitter = AudioSplitter() if is_audio else SseSplitter()
    return Exchange(call, meter, _no_whole_body, stream, faults_in_body(codes), splitter)


def _no_whole_body(body: bytes) -> bytes:
    """Refuse a whole body: a speech is always relayed as it comes."""
    raise AssertionError(f"{len(body)} bytes of a speech were read as a whole")


def _shape_problems(fields: Fields) -> Iterator[Problem]:
    if not isinstance(fields.get("model"), str):
        yield Problem("/model", "Must be a speech model's id.")
    if not isinstance(fields.get("input"), str) or not fields["input"].strip():
        yield Problem("/input", "Must be the text to speak, not empty.")
    if not isinstance(fields.get("voice"), str):
        yield Problem("/voice", "Must be the name of a voice of the model. Custom voices are not supported.")
    if fields.get("response_format") not in (None, *CONTENT_TYPES):
        yield one_of("/response_format", CONTENT_TYPES)
    if not _is_speed(fields.get("speed")):
        yield Problem("/speed", f"Must be a number from {MIN_SPEED} to {MAX_SPEED}.")
    instructions = fields.get("instructions")
    if not isinstance(instructions, str | None) or len(instructions or "") > MAX_INSTRUCTION_CHARACTERS:
        yield Problem("/instructions", f"Must be a text of at most {MAX_INSTRUCTION_CHARACTERS} characters.")
    if fields.get("stream_format") not in (None, AUDIO, SSE):
        yield Problem("/stream_format", f"Must be {AUDIO} or {SSE}.", [AUDIO, SSE])
    for name in fields:
        if name not in FIELDS:
            yield Problem(f"/{name}", "Unknown field.", list(FIELDS))


def _is_speed(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and MIN_SPEED <= value <= MAX_SPEED
