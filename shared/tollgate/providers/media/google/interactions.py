"""Videos by the Interactions API, in the background (docs/providers/google.md). Pure."""

from collections.abc import Callable, Iterator
from typing import Any

from tollgate.providers.mapping.inline import inline_file
from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.google import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import meaning, rejected, taken
from tollgate.providers.runtime.outcomes import FailureKind, InlineFile, RejectionKind, ResultFile
from tollgate.providers.runtime.reply import Reply

_RESULT = "model_output"


def started(reply: Reply) -> outcomes.SubmitOutcome:
    """Read a 2xx response to a submit; the handle is the interaction's id."""
    return taken(reply, interaction=reply.string("id"))


def outcome(reply: Reply, file: Callable[[str], ResultFile]) -> outcomes.PollOutcome:
    """Read the interaction; `file` returns the file at a URL, with credentials if necessary."""
    status = reply.string("status")
    if status in facts.WAITING:
        return outcomes.Pending()
    if status == facts.COMPLETED:
        return _result(reply, file)
    if status not in facts.FAILED:
        return outcomes.Unknown(reply.detail())
    for error in _errors(reply):
        message, said = error.get("message"), (str(error.get("status")), str(error.get("code")))
        if meant := meaning(facts.CODES, said, message if isinstance(message, str) else None, reply):
            return meant
    return outcomes.Failed(facts.FAILED[status], reply.detail())


def _result(reply: Reply, file: Callable[[str], ResultFile]) -> outcomes.PollOutcome:
    """Return the video; it may be inside the response, although its URL was requested."""
    content = [
        part
        for step in objects(reply.get("steps"))
        if step.get("type") == _RESULT
        for part in objects(step.get("content"))
    ]
    videos = [part for part in content if part.get("type") == "video"]
    files = tuple(_files(videos, file))
    if files:
        return outcomes.Succeeded(files)
    if videos or _has_video_tokens(reply):
        return outcomes.Failed(FailureKind.BAD_RESULT, reply.detail())
    # The model refuses in text, with the status of a result.
    words = " ".join(part["text"] for part in content if isinstance(part.get("text"), str))
    if any(word in words.lower() for word in facts.REGION_WORDS):
        return outcomes.Failed(FailureKind.NOT_CONFIGURED, reply.detail())
    return rejected(RejectionKind.CONTENT, words)


def _files(
    videos: list[dict[str, Any]], file: Callable[[str], ResultFile]
) -> Iterator[ResultFile | InlineFile]:
    for video in videos:
        uri, inline = video.get("uri"), inline_file(video.get("data"))
        if isinstance(uri, str) and uri:
            yield file(uri)
        elif inline is not None:
            yield inline


def _has_video_tokens(reply: Reply) -> bool:
    """Return whether a video was generated and billed."""
    tokens = objects(reply.get("usage", "output_tokens_by_modality"))
    return any(one.get("modality") == "video" and one.get("tokens") for one in tokens)


def _errors(reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the errors of an interaction and of its steps."""
    yield from objects([reply.get("error")])
    yield from objects(reply.get("errors"))
    yield from objects([step.get("error") for step in objects(reply.get("steps"))])
