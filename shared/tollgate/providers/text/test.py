"""A chat model that repeats the last message, and a model of each other kind, in the vendors' protocols.

Its responses are bytes, processed like any provider's: complete or streamed, relayed or translated.
"""

import asyncio
import re
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.resources import files
from typing import Any

from tollgate.kit.ids import new_id
from tollgate.providers.media.test.directions import Directions, directions_of, without_directions
from tollgate.text.body.fields import unsent
from tollgate.text.body.json_body import dumps
from tollgate.text.kinds.embeddings import embeddings_exchange
from tollgate.text.kinds.moderations import moderation_exchange
from tollgate.text.kinds.rerank import rerank_body, rerank_exchange
from tollgate.text.kinds.speech import MP3, format_of, speech_exchange
from tollgate.text.kinds.transcription import is_plain, recording_of, transcription_exchange
from tollgate.text.models import TextProtocol
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, chat_exchange
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.sse import UnreadableStreamError

# Between two words in a stream.
WORD_PAUSE_S = 0.02
# A recording has a second of samples, as OpenAI's have them. It is sent in pieces of this size.
SAMPLES_PER_S = 24_000
RECORDING_BYTES = 2 * SAMPLES_PER_S
PIECE_BYTES = 1024
_SONG = files("tollgate") / "providers/media/test/files/track.mp3"
# Less than 100 s, the longest response time.
MAX_SLOW_S = 60

_LACKS = frozenset({"n", "logprobs", "top_logprobs", "audio", "moderation"})
_CATEGORIES = ("harassment", "hate", "illicit", "self-harm", "sexual", "violence")
_WORD = re.compile(r"\s*\S+")
_FAILURE = (500, "The message requested a failure.", "server_error", "server_error")
_REJECTION = (400, "The message requested a rejection.", "invalid_request_error", "content_rejected")


class TextTestProvider:
    """Follows the directions in the last message."""

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request; a word counts as a token.

        Raises `InvalidInputError` for several answers and log probabilities.
        """
        fields, own = routed.request.fields, _KINDS.get(routed.request.protocol)
        is_chat = routed.model.is_chat
        if is_chat:
            unsent(routed.request.protocol, fields, lambda name: name not in _LACKS)
        prompt = _last_text(fields) if is_chat else _prompt_of(fields)
        wanted = directions_of(prompt)
        if wanted.fail or wanted.reject:
            status, message, kind, code = _REJECTION if wanted.reject else _FAILURE
            error = {"error": {"message": message, "type": kind, "code": code}}
            answer = _Answer(status, _at_once(dumps(error).encode()))
        elif routed.model.speech is not None:
            answer = _Answer(200, _recording(format_of(routed.request), wanted))
        elif routed.model.transcription is not None:
            answer = _Answer(200, _transcript(routed, wanted))
        elif own is not None:
            answer = _Answer(200, _at_once(own.answer(routed)))
        else:
            answer = _Answer(200, _pieces(routed, prompt, wanted))
        if routed.model.speech is not None:
            return speech_exchange(routed, answer, {}, is_audio=True)
        if routed.model.transcription is not None:
            return transcription_exchange(routed, answer, {}, streams=routed.request.stream)
        exchange = chat_exchange if own is None else own.exchange
        return replace(exchange(routed, answer, ChatDialect()), is_countable=True)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response with the interface that the text service reads."""

    status: int
    pieces: AsyncIterator[bytes]
    headers: Mapping[str, str] = field(default_factory=dict)

    async def readany(self) -> bytes:
        """Return the next piece."""
        return await anext(self.pieces, b"")

    def close(self) -> None:
        """Do nothing: there is no connection to close."""


async def _at_once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _pieces(routed: RoutedRequest, prompt: str, wanted: Directions) -> AsyncIterator[bytes]:
    """Yield the bytes of a response with HTTP 200, as slow and as complete as `wanted`.

    Raises `TimeoutError` if it should expire, like a connection.
    """
    await asyncio.sleep(min(wanted.slow_s, MAX_SLOW_S))
    if wanted.expire:
        raise TimeoutError
    spoken = _WORD.findall(f"You wrote: {without_directions(prompt).strip()}")
    words = spoken[: routed.hold.output_limit]
    told = {
        "id": new_id("chatcmpl").replace("_", "-"),
        "created": routed.created_s,
        "model": routed.route.upstream_id,
        "usage": {
            "prompt_tokens": routed.input_estimate,
            "completion_tokens": len(words),
            "total_tokens": routed.input_estimate + len(words),
        },
    }
    finish = "stop" if words == spoken else "length"
    if routed.request.stream:
        async for event in _events(told, words, finish, wanted.stream_cut):
            yield event
    else:
        whole = _completion(told, words, finish)
        yield whole if wanted.stream_cut is None else whole[: len(whole) // 2]


def _vectors(routed: RoutedRequest) -> bytes:
    """Return a vector for each input; the same input always has the same vector."""
    sent, takes = routed.request.fields["input"], routed.model.embedding
    inputs = sent if isinstance(sent, list) else [sent]
    length = routed.request.fields.get("dimensions") or (takes.dimensions if takes else 1)
    digests = [sha256(str(each).encode()).digest() for each in inputs]
    data = [{"embedding": [byte / 255 for byte in digest[:length]]} for digest in digests]
    return dumps({"data": data, "usage": {"prompt_tokens": routed.input_estimate}}).encode()


def _ranked(routed: RoutedRequest) -> bytes:
    """Return the documents by the share of the query's words that each has."""
    asked = rerank_body(routed)
    words = set(_words(asked["query"]))
    scores = [len(words.intersection(_words(each))) / max(1, len(words)) for each in asked["documents"]]
    order = sorted(range(len(scores)), key=lambda at: -scores[at])[: asked.get("top_n")]
    results = [{"index": at, "relevance_score": round(scores[at], 4)} for at in order]
    return dumps({"results": results, "meta": {"billed_units": {"search_units": 1}}}).encode()


def _judged(routed: RoutedRequest) -> bytes:
    """Return a result for each text, or for all parts: it is flagged for a name of a category in it."""
    sent = routed.request.fields["input"]
    inputs = sent if isinstance(sent, list) and isinstance(sent[0], str) else [sent]
    results = []
    for each in inputs:
        found = {name: name in str(each).lower() for name in _CATEGORIES}
        scores = {name: float(is_found) for name, is_found in found.items()}
        results.append({"flagged": any(found.values()), "categories": found, "category_scores": scores})
    return dumps({"results": results, "usage": {"prompt_tokens": routed.input_estimate}}).encode()


def _words(source: str) -> list[str]:
    return re.findall(r"\w+", source.lower())


async def _transcript(routed: RoutedRequest, wanted: Directions) -> AsyncIterator[bytes]:
    """Yield a text that tells the recording's length, word by word if streamed. Raises as `_recording`."""
    await asyncio.sleep(min(wanted.slow_s, MAX_SLOW_S))
    if wanted.expire:
        raise TimeoutError
    text = f"The recording has {recording_of(routed.request.fields).seconds} seconds."
    if not routed.request.stream:
        if wanted.stream_cut is not None:
            raise UnreadableStreamError
        yield text.encode() if is_plain(routed.request) else dumps({"text": text}).encode()
        return
    deltas = [{"type": "transcript.text.delta", "delta": word} for word in _WORD.findall(text)]
    for number, event in enumerate([*deltas, {"type": "transcript.text.done", "text": text}]):
        if number == wanted.stream_cut:
            raise UnreadableStreamError
        yield f"data: {dumps(event)}\n\n".encode()
        await asyncio.sleep(WORD_PAUSE_S)


async def _recording(name: str, wanted: Directions) -> AsyncIterator[bytes]:
    """Yield a recording in pieces: a song for MP3, else a second of silence.

    Raises `TimeoutError` if it should expire, and `UnreadableStreamError` where it should break.
    """
    await asyncio.sleep(min(wanted.slow_s, MAX_SLOW_S))
    if wanted.expire:
        raise TimeoutError
    samples = bytes(RECORDING_BYTES)
    found = _SONG.read_bytes() if name == MP3 else samples if name == "pcm" else _wav_head() + samples
    for number in range(-(-len(found) // PIECE_BYTES)):
        if number == wanted.stream_cut:
            raise UnreadableStreamError
        yield found[number * PIECE_BYTES : (number + 1) * PIECE_BYTES]
        await asyncio.sleep(WORD_PAUSE_S)


def _wav_head() -> bytes:
    """Return the head of a WAV file with `RECORDING_BYTES` of mono samples of 16 bits."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, SAMPLES_PER_S, 2 * SAMPLES_PER_S, 2, 16)
    sizes = (36 + RECORDING_BYTES, RECORDING_BYTES)
    return struct.pack("<4sI4s", b"RIFF", sizes[0], b"WAVE") + form + struct.pack("<4sI", b"data", sizes[1])


def _completion(told: Mapping[str, Any], words: list[str], finish: str) -> bytes:
    message = {"role": "assistant", "content": "".join(words)}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return dumps({**told, "object": "chat.completion", "choices": [choice]}).encode()


async def _events(
    told: Mapping[str, Any], words: list[str], finish: str, cut: int | None
) -> AsyncIterator[bytes]:
    """Yield an event for each word, and the end; after `cut` words nothing more comes."""
    kept = {name: value for name, value in told.items() if name != "usage"}
    chunk = {**kept, "object": "chat.completion.chunk"}
    for position, word in enumerate(words[:cut]):
        role = {} if position else {"role": "assistant"}
        yield _event(
            chunk, {"index": 0, "delta": {**role, "content": word}, "logprobs": None, "finish_reason": None}
        )
        await asyncio.sleep(WORD_PAUSE_S)
    if cut is None:
        yield _event(chunk, {"delta": {}, "finish_reason": finish})
        yield f"data: {dumps({**chunk, 'choices': [], 'usage': told['usage']})}\n\n".encode()
        yield b"data: [DONE]\n\n"


def _event(chunk: Mapping[str, Any], choice: Mapping[str, Any]) -> bytes:
    shown = {"index": 0, "logprobs": None, **choice}
    return f"data: {dumps({**chunk, 'choices': [shown]})}\n\n".encode()


def _prompt_of(fields: Mapping[str, Any]) -> str:
    """Return the text with the directions of a request that is no chat."""
    found = (fields.get(name) for name in ("input", "query", "prompt"))
    return str(next((each for each in found if each), ""))


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a request that is no chat is answered, and how the answer is read."""

    answer: Callable[[RoutedRequest], bytes]
    exchange: Callable[[RoutedRequest, HttpCall | Answer, ChatDialect], Exchange]


_KINDS = {
    TextProtocol.EMBEDDINGS: _Kind(_vectors, embeddings_exchange),
    TextProtocol.RERANK: _Kind(_ranked, rerank_exchange),
    TextProtocol.MODERATIONS: _Kind(_judged, moderation_exchange),
}


def _last_text(fields: Mapping[str, Any]) -> str:
    """Return the text of the last message, in both protocols."""
    messages = fields["messages"]
    content = messages[-1].get("content") if messages else None
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))
