"""Images by `generateContent`, whose response contains the result. Pure."""

from typing import Any

from tollgate.providers.mapping.inline import inline_file
from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.google import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import meaning, provider_error, rejected
from tollgate.providers.runtime.outcomes import RejectionKind
from tollgate.providers.runtime.reply import Reply


def answered(reply: Reply) -> outcomes.SubmitOutcome:
    """Read a 2xx response, which may also be a rejection of the content."""
    if reply.string("promptFeedback", "blockReason") is not None:
        return rejected(RejectionKind.CONTENT, reply.string("promptFeedback", "blockReasonMessage"))
    candidates = objects(reply.get("candidates"))
    files = [inline_file(part["data"]) for candidate in candidates for part in _images(candidate)]
    found = tuple(file for file in files if file is not None)
    if found:
        return outcomes.Succeeded(found)
    if not candidates or files:
        return outcomes.Lost(reply.detail())
    reason, message = candidates[0].get("finishReason"), candidates[0].get("finishMessage")
    meant = meaning(facts.CODES, [str(reason)], message if isinstance(message, str) else None, reply)
    return meant or provider_error(reply)


def _images(candidate: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the `inlineData` of the result, without images from the model's thinking."""
    content = candidate.get("content")
    parts = objects(content.get("parts")) if isinstance(content, dict) else []
    found = [part.get("inlineData") for part in parts if part.get("thought") is not True]
    return [data for data in found if isinstance(data, dict) and "data" in data]
