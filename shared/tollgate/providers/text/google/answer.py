"""Responses of Google's `generateContent` as chat completions, complete and streamed.

Source: docs/providers/google.md#chats-with-images. Each event of a stream is a response with more parts.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.providers.text.google import facts
from tollgate.text.body.images import IMAGES
from tollgate.text.body.json_body import dumps
from tollgate.text.models import TextProtocol
from tollgate.text.translation.call_state import EXTRA
from tollgate.text.usage import ReasoningCount, Usage, chat_usage, read_chat_usage
from tollgate.text.wire.faults import STREAM_BROKEN, UNREADABLE, Fault, FaultError, fault_of, read_object
from tollgate.text.wire.relay import DONE_EVENT, chat_event
from tollgate.text.wire.shown import CHAT_ID_PREFIX, shown_words
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stream import AnswerStream, Meter

_NOTHING: Mapping[str, Any] = {}
_Delta = dict[str, Any]


def completion_of_content(body: bytes, meter: Meter, public_model: str, created_s: int) -> bytes:
    """Return a whole response as a chat completion; `created_s` is the time now, in epoch seconds.

    Raises `FaultError` for a response that failed or is unreadable.
    """
    if len(body) > facts.MAX_ANSWER_BYTES:
        raise FaultError(UNREADABLE)
    payload = read_object(body)
    fault, deltas, finish = read_content(payload, meter)
    if fault is not None or finish is None:
        raise FaultError(fault or UNREADABLE)
    meter.final = meter.reported is not None
    message = {"role": "assistant", "content": None, "refusal": None}
    for delta in deltas:
        for name, value in delta.items():
            known = message.get(name)
            message[name] = value if known is None or name == EXTRA else known + value
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    head = {"id": _id(payload, meter), "object": "chat.completion", "created": created_s}
    head |= {"model": public_model, "system_fingerprint": None}
    return dumps({**head, "choices": [choice], "usage": meter.told(chat_usage, is_whole=True)}).encode()


class ChatFromContent(AnswerStream):
    """A stream of `generateContent`, as chunks for an OpenAI client.

    It has no end mark: it is whole if the connection ends after a finish reason.
    """

    def __init__(self, meter: Meter, public_model: str, created_s: int, *, wants_usage: bool) -> None:
        super().__init__(TextProtocol.OPENAI, meter)
        self._head = {
            "id": "",
            "object": "chat.completion.chunk",
            "created": created_s,
            "model": public_model,
        }
        self._wants_usage = wants_usage
        self._finish: str | None = None

    def close(self, fault: Fault = STREAM_BROKEN) -> bytes:
        """Return the bytes for the client when nothing more comes."""
        if self.ended or self._finish is None:
            return super().close(fault)
        self.done = True
        self.meter.final = self.meter.reported is not None
        usage = chat_event({**self._head, "choices": [], "usage": self.meter.told(chat_usage)})
        return usage + DONE_EVENT if self._wants_usage else DONE_EVENT

    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        del event
        fault, deltas, finish = read_content(payload, self.meter)
        if fault is not None:
            return self.fail(fault)
        said = [] if self._head["id"] else [self._chunk({"role": "assistant", "content": ""}, payload)]
        said += [self._chunk(delta, payload) for delta in deltas]
        if finish is not None and self._finish is None:
            self._finish = finish
            said.append(self._chunk({}, payload, finish))
        return b"".join(said)

    def _chunk(self, delta: _Delta, payload: Mapping[str, Any], finish: str | None = None) -> bytes:
        if not self._head["id"]:
            self._head["id"] = _id(payload, self.meter)
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        unknown = {"usage": None} if self._wants_usage else {}
        return chat_event({**self._head, "choices": [choice], **unknown})


def read_content(payload: Mapping[str, Any], meter: Meter) -> tuple[Fault | None, list[_Delta], str | None]:
    """Read a response, or an event of a stream, into `meter`.

    Returns its fault, or its parts as deltas of a chat, and its finish reason if it has one.
    """
    if payload.get("error"):
        return fault_of(payload, 200, facts.CODE_STATUSES), [], None
    meter.note(payload.get("modelVersion"))
    if (usage := usage_of_content(payload.get("usageMetadata"))) is not None:
        meter.reported = usage
    if _part(payload, "promptFeedback").get("blockReason"):
        return None, [{"refusal": facts.REFUSED_PROMPT}], "content_filter"
    candidates = payload.get("candidates")
    candidate = candidates[0] if isinstance(candidates, list) and candidates else _NOTHING
    if not isinstance(candidate, Mapping):
        return UNREADABLE, [], None
    reason = candidate.get("finishReason")
    if (status := facts.FAULTY_FINISHES.get(str(reason))) is not None:
        return (
            Fault(status, "The provider broke off its response.", "ServiceUnavailable", "provider_error"),
            [],
            None,
        )
    deltas = list(_deltas(_part(candidate, "content").get("parts"), meter))
    if reason in (None, facts.UNSPECIFIED):
        return None, deltas, None
    finish = facts.FINISHES.get(str(reason), "stop")
    if finish == "content_filter":
        said = candidate.get("finishMessage")
        deltas.append(
            {"refusal": shown_words(said) if isinstance(said, str) and said else facts.REFUSED_IMAGE}
        )
    return None, deltas, finish


def usage_of_content(reported: object) -> Usage | None:
    """Return the usage in `usageMetadata`; `None` if it is empty. Thoughts are beside the candidates."""
    if not isinstance(reported, Mapping):
        return None
    thoughts = _number(reported, "thoughtsTokenCount")
    details = reported.get("candidatesTokensDetails")
    drawn = sum(
        _number(detail, "tokenCount")
        for detail in (details if isinstance(details, list) else ())
        if isinstance(detail, Mapping) and detail.get("modality") == "IMAGE"
    )
    prompt = _number(reported, "promptTokenCount") + _number(reported, "toolUsePromptTokenCount")
    chat = {
        "prompt_tokens": prompt,
        "completion_tokens": _number(reported, "candidatesTokenCount") + thoughts,
        "prompt_tokens_details": {"cached_tokens": _number(reported, "cachedContentTokenCount")},
        "completion_tokens_details": {"reasoning_tokens": thoughts, "image_tokens": drawn},
    }
    return read_chat_usage(chat, ReasoningCount.INSIDE)


def _deltas(parts: Any, meter: Meter) -> Iterator[_Delta]:
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, Mapping):
            continue
        text, data = part.get("text"), _part(part, "inlineData")
        signed = _state(part)
        if part.get("thought") is True:
            # Images among the thoughts are drafts, which are not billed as images.
            if isinstance(text, str) and text:
                meter.deliver(text)
                yield {"reasoning_content": text}
        elif str(data.get("mimeType")).startswith("image/") and isinstance(data.get("data"), str):
            url = f"data:{data['mimeType']};base64,{data['data']}"
            image = {"index": meter.images, "type": "image_url", "image_url": {"url": url}, **signed}
            meter.images += 1
            yield {IMAGES: [image]}
        elif isinstance(text, str) and (text or signed):
            meter.deliver(text)
            yield {"content": text, **signed}


def _state(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that comes back with a part, in the form of Google's endpoint for OpenAI's clients."""
    signature = part.get("thoughtSignature")
    return {EXTRA: {"google": {"thought_signature": signature}}} if isinstance(signature, str) else {}


def _id(payload: Mapping[str, Any], meter: Meter) -> str:
    return CHAT_ID_PREFIX + meter.id_of({"id": payload.get("responseId")})


def _number(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = payload.get(name)
    return value if isinstance(value, Mapping) else _NOTHING
