"""Transcriptions and translations: the text of a recording, in OpenAI's protocol, from any vendor. Pure.

Source: `openai.types.audio` of the package openai 3.57.0 (PyPI): the parameters, `Transcription`,
`TranscriptionVerbose` and the events of a stream. The length of the recording is read from the file itself
before anything is held, and decides the price. If a vendor does not stream, a stream has only its last event.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from hashlib import sha256
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.forms import FormFile
from tollgate.kit.problems import Problem, one_of
from tollgate.text.body.json_body import JsonBody, dumps
from tollgate.text.body.request import TextRequest, routed_body
from tollgate.text.kinds.whole import WholeMeter
from tollgate.text.models import TextModel, TextProtocol, Transcription
from tollgate.text.money.metering import Demand
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, faults_in_body
from tollgate.text.usage import Usage
from tollgate.text.wire.faults import STREAM_BROKEN, UNREADABLE, FaultError, chat_fault, fault_in, read_object
from tollgate.text.wire.relay import chat_event
from tollgate.text.wire.sse import EventTooLargeError, SseEvent, SseSplitter
from tollgate.text.wire.stream import AnswerStream

JSON, TEXT, VERBOSE = "json", "text", "verbose_json"
FORMATS = (JSON, TEXT, VERBOSE, "srt", "vtt")
PLAIN = (TEXT, "srt", "vtt")
"""The formats whose body is text."""
GRANULARITIES = ("word", "segment")
LOGPROBS = "logprobs"
FIELDS = (
    *("file", "model", "language", "prompt", "response_format", "temperature"),
    *("timestamp_granularities", "stream", "include"),
)
OF_TRANSLATIONS = ("file", "model", "prompt", "response_format", "temperature")
ROUTING = ("provider", "models")
MAX_PROMPT_CHARACTERS = 4_096
MAX_LANGUAGE_CHARACTERS = 16
MAX_DEPTH = 3
MAX_ANSWER_BYTES = 8 * 1024 * 1024
"""More than the words of the longest recording, each with its times."""
TRANSLATION = "translation"
"""The name of the protocol in records, beside `transcription`."""

# A vendor that hears more than this beyond the probed length was sent a file with a false header.
TOLERATED_S, TOLERATED_SHARE = 2, 1.1
_DELTA, _DONE = "transcript.text.delta", "transcript.text.done"
_SHOWN = {
    JSON: ("text", "logprobs", "languages"),
    VERBOSE: ("task", "language", "duration", "text", "segments", "words"),
}

Fields = Mapping[str, Any]
Form = Iterable[tuple[str, str | FormFile]]


@dataclass(frozen=True, slots=True)
class Recording:
    """An uploaded recording: its bytes, its name with the extension of its real type, its length in seconds.

    The length is rounded up, and 0 before the file is probed. `translates`: its text is wanted in English.
    """

    data: bytes = field(repr=False)
    name: str = "recording"
    seconds: int = 0
    translates: bool = False


def read_transcription_request(form: Form, *, translates: bool) -> TextRequest:
    """Return the request in a form. Its recording is not probed.

    Raises `InvalidInputError` for problems that do not depend on the model.
    """
    fields, problems = _fields_of(form)
    known = OF_TRANSLATIONS if translates else FIELDS
    problems += _problems(fields, known)
    if problems:
        raise InvalidInputError(problems)
    recording = Recording(fields.pop("file").data, translates=translates)
    size = sum(len(str(value)) for value in fields.values())
    parsed, asked, problems = routed_body(JsonBody({**fields, "file": recording}, {}, size))
    if problems:
        raise InvalidInputError(problems)
    return TextRequest(
        TextProtocol.TRANSCRIPTION,
        parsed,
        parsed.fields["model"],
        stream=fields.get("stream") is True,
        wants_usage=True,
        output_limit=None,
        answers=1,
        translated=TRANSLATION if translates else None,
        asked=asked,
    )


def probed(request: TextRequest, container: str, duration_s: Decimal) -> TextRequest:
    """Return the request with the facts of its recording."""
    sent = recording_of(request.fields)
    known = replace(sent, name=f"recording.{container}", seconds=max(1, math.ceil(duration_s)))
    body = replace(request.body, fields={**request.fields, "file": known})
    return replace(request, body=body)


def recording_of(fields: Fields) -> Recording:
    """Return the recording of a request with these fields."""
    found: Recording = fields["file"]
    return found


def format_of(fields: Fields) -> str:
    """Return the format of the answer."""
    return str(fields.get("response_format") or JSON)


def is_plain(request: TextRequest) -> bool:
    """Return whether the answer is text, and no JSON."""
    return not request.stream and format_of(request.fields) in PLAIN


def transcription_demand(fields: Fields, model: TextModel) -> Demand:
    """Return the seconds of a recording. Raises `InvalidInputError`."""
    assert model.transcription is not None  # noqa: S101 - the protocol of the model
    if problems := [*transcription_problems(fields, model.id, model.transcription)]:
        raise InvalidInputError(problems)
    return Demand(0, None, seconds=recording_of(fields).seconds)


def read_no_body(_: bytes) -> TextRequest:
    """Raise `InvalidInputError`: the request is a form."""
    raise InvalidInputError([Problem("", "The body must be a form with a file.")])


def no_tokens(_: Fields, __: TextModel) -> int:
    """Return 0: a recording has seconds."""
    return 0


def transcription_problems(fields: Fields, model_id: str, takes: Transcription) -> Iterator[Problem]:
    """Return the problems of a request for a model."""
    wanted = format_of(fields)
    if recording_of(fields).translates and not takes.translates:
        yield Problem("/model", f"{model_id} does not translate. Use POST /api/v1/audio/transcriptions.")
    if wanted not in takes.formats:
        yield Problem("/response_format", f"{model_id} does not answer so.", list(takes.formats))
    elif fields.get("stream") is True and wanted not in (JSON, TEXT):
        yield Problem("/response_format", "A stream has no other format.", [JSON, TEXT])
    if fields.get("timestamp_granularities") and wanted != VERBOSE:
        yield Problem("/timestamp_granularities", f"Needs the response_format {VERBOSE}.")
    if fields.get("include") and not takes.tells_logprobs:
        yield Problem("/include", f"{model_id} tells no {LOGPROBS}.")


def form_of(request: TextRequest, model: str, *, streams: bool) -> tuple[str, bytes]:
    """Return the content type and the body of a request for a provider."""
    sent, recording = request.fields, recording_of(request.fields)
    wanted = JSON if request.stream else format_of(sent)
    values = [("model", model), ("response_format", wanted)]
    values += [(name, str(sent[name])) for name in ("language", "prompt", "temperature") if name in sent]
    for name in ("timestamp_granularities", "include"):
        values += [(f"{name}[]", value) for value in sent.get(name) or ()]
    values += [("stream", "true")] if streams else []
    # Nothing that is sent contains the hash of all of it, so no value and no file can end its part.
    boundary = sha256(repr(values).encode() + recording.data).hexdigest()
    head = f"--{boundary}\r\nContent-Disposition: form-data; name="
    pieces = [f'{head}"{name}"\r\n\r\n{value}\r\n'.encode("utf-8", "replace") for name, value in values]
    named = f'{head}"file"; filename="{recording.name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
    pieces += [named.encode(), recording.data, f"\r\n--{boundary}--\r\n".encode()]
    return f"multipart/form-data; boundary={boundary}", b"".join(pieces)


def transcription_exchange(
    routed: RoutedRequest, call: HttpCall | Answer, codes: Mapping[str, int], *, streams: bool
) -> Exchange:
    """Return the exchange for a `call`; `streams`: its response is OpenAI's events.

    `codes`: `code_statuses` of a `ChatDialect`.
    """
    wanted = format_of(routed.request.fields)
    meter = TranscriptMeter(routed)
    stream = TranscriptStream(meter, codes)
    splitter = SseSplitter() if streams else _WholeSplitter()

    def read_whole(body: bytes) -> bytes:
        return (
            _read_plain(body, meter, codes)
            if is_plain(routed.request)
            else _read_json(body, wanted, meter, codes)
        )

    return Exchange(call, meter, read_whole, stream, faults_in_body(codes), splitter)


class TranscriptMeter(WholeMeter):
    """The usage of a transcription: the length that was probed, if the answer is whole."""

    def __init__(self, routed: RoutedRequest) -> None:
        self.seconds = recording_of(routed.request.fields).seconds
        super().__init__(routed.meter(), Usage(0, 0, seconds=self.seconds))

    def complete(self, payload: Fields) -> None:
        """Note that the answer is whole, and a length that the provider tells and that cannot be true."""
        usage = payload.get("usage")
        told = [payload.get("duration"), usage.get("seconds") if isinstance(usage, dict) else None]
        longest = max((one for one in told if isinstance(one, int | float)), default=0)
        if longest > self.seconds * TOLERATED_SHARE + TOLERATED_S:
            # The price of the probed length stays. This rings an alarm.
            self.known_usage = Usage(0, 0, seconds=self.seconds, disbelieved=True)
        self.is_whole = True


def shown_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as OpenAI's usage of a recording."""
    return {"type": "duration", "seconds": usage.seconds}


class TranscriptStream(AnswerStream):
    """One transcription, as events of the provider, or as its whole answer at the end."""

    def __init__(self, meter: TranscriptMeter, codes: Mapping[str, int]) -> None:
        super().__init__(TextProtocol.TRANSCRIPTION, meter)
        self._transcript = meter
        self._codes = codes

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        if (fault := chat_fault(payload, self._codes)) is not None:
            return self.fail(fault)
        kind = payload.get("type", _DONE)
        if kind == _DELTA:
            self.meter.deliver(payload.get("delta"))
            return chat_event(_only(payload, ("type", "delta", "logprobs")))
        if kind != _DONE or not isinstance(payload.get("text"), str):
            return b"" if kind != _DONE else self.fail(UNREADABLE)
        del event
        self._transcript.complete(payload)
        self.done = True
        shown = _only(payload, _SHOWN[JSON])
        return chat_event({"type": _DONE, **shown, "usage": self.meter.told(shown_usage)})

    def _is_end_mark(self, data: bytes) -> bool:
        return data == b"[DONE]"

    def _end(self, event: SseEvent) -> bytes:
        del event
        return self.fail(STREAM_BROKEN)


class _WholeSplitter:
    """Gathers a whole answer, which is one event."""

    def __init__(self) -> None:
        self._found = bytearray()

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Return nothing. Raises `EventTooLargeError`."""
        self._found += piece
        if len(self._found) > MAX_ANSWER_BYTES:
            raise EventTooLargeError
        return iter(())

    def close(self) -> Iterator[SseEvent]:
        """Return the answer."""
        yield SseEvent(bytes(self._found), bytes(self._found))


def _read_json(body: bytes, wanted: str, meter: TranscriptMeter, codes: Mapping[str, int]) -> bytes:
    payload = read_object(body)
    if not isinstance(payload.get("text"), str):
        raise FaultError(chat_fault(payload, codes) or UNREADABLE)
    meter.complete(payload)
    shown = _only(payload, _SHOWN[wanted])
    return dumps({**shown, "usage": meter.told(shown_usage, is_whole=True)}).encode()


def _read_plain(body: bytes, meter: TranscriptMeter, codes: Mapping[str, int]) -> bytes:
    try:
        text = body.decode()
    except UnicodeDecodeError as exc:
        raise FaultError(UNREADABLE) from exc
    if text.lstrip()[:1] in ("{", "<"):
        raise FaultError(fault_in(body, codes) or UNREADABLE)
    meter.complete({})
    return body


def _only(payload: Fields, names: Sequence[str]) -> dict[str, Any]:
    return {name: payload[name] for name in names if payload.get(name) is not None}


def _fields_of(form: Form) -> tuple[dict[str, Any], list[Problem]]:
    """Return the fields of a form as JSON values, and the problems of their form."""
    found: dict[str, Any] = {}
    for name, sent in form:
        first, *inner = name.replace("]", "").split("[", MAX_DEPTH)
        if isinstance(sent, FormFile) or not inner:
            found[first] = sent
        else:
            _put(found, first, inner, sent)
    problems: list[Problem] = []
    for name, read in _READERS.items():
        if isinstance(value := found.get(name), str):
            try:
                found[name] = read(value)
            except (ValueError, RecursionError):
                problems.append(Problem(f"/{name}", f"Must be {_KINDS[name]}."))
    return found, problems


def _put(found: dict[str, Any], name: str, inner: Sequence[str], value: str) -> None:
    """Put a value where `name[]` or `name[key][]` says."""
    for step in inner[:-1]:
        below = found.get(name)
        found[name] = found = below if isinstance(below, dict) else {}
        name = step
    if inner[-1]:
        below = found.get(name)
        found[name] = {**(below if isinstance(below, dict) else {}), inner[-1]: _READ_WORDS.get(value, value)}
    else:
        earlier = found.get(name)
        found[name] = [*(earlier if isinstance(earlier, list) else []), value]


_READ_WORDS = {"true": True, "false": False}


def _truth(text: str) -> bool:
    if (found := _READ_WORDS.get(text.lower())) is None:
        raise ValueError(text)
    return found


def _number(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


_READERS: Mapping[str, Callable[[str], Any]] = {
    "stream": _truth,
    "temperature": _number,
    "provider": json.loads,
}
_KINDS = {"stream": "true or false", "temperature": "a number from 0 to 1", "provider": "a JSON object"}


def _problems(fields: Fields, known: Sequence[str]) -> Iterator[Problem]:
    file = fields.get("file")
    if not isinstance(file, FormFile) or not file.data:
        yield Problem("/file", "Must be the recording: a file of the form, not empty.")
    if not isinstance(fields.get("model"), str):
        yield Problem("/model", "Must be a transcription model's id.")
    if (fields.get("response_format") or JSON) not in FORMATS:
        yield one_of("/response_format", FORMATS)
    yield from _problems_of_words(fields)
    for name in fields:
        if name not in (*known, *ROUTING):
            yield Problem(f"/{name}", "Unknown field.", list(known))


def _problems_of_words(fields: Fields) -> Iterator[Problem]:
    for name, most in (("prompt", MAX_PROMPT_CHARACTERS), ("language", MAX_LANGUAGE_CHARACTERS)):
        if not isinstance(fields.get(name), str | None) or len(fields.get(name) or "") > most:
            yield Problem(f"/{name}", f"Must be a text of at most {most} characters.")
    for name, allowed in (("timestamp_granularities", GRANULARITIES), ("include", (LOGPROBS,))):
        sent = fields.get(name, [])
        if not isinstance(sent, list) or not set(sent) <= set(allowed):
            yield Problem(f"/{name}", "Must be a list of the allowed words.", list(allowed))
