"""Videos by `predictLongRunning`, the API of Veo (docs/providers/google.md). Pure."""

from collections.abc import Callable

from tollgate.providers.mapping.reading import objects
from tollgate.providers.media.google import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import provider_error, rejected, taken
from tollgate.providers.runtime.outcomes import FailureKind, RejectionKind, ResultFile
from tollgate.providers.runtime.reply import Reply

_RESULT = ("response", "generateVideoResponse")


def started(reply: Reply) -> outcomes.SubmitOutcome:
    """Read a 2xx response to a submit; the handle is the operation's name, a path below the base URL."""
    return taken(reply, operation=reply.string("name"))


def outcome(reply: Reply, file: Callable[[str], ResultFile]) -> outcomes.PollOutcome:
    """Read the operation: its only status is `done`, and moderation leaves out the samples."""
    if not reply.ok or reply.string("name") is None:
        return outcomes.Unknown(reply.detail())
    if reply.get("done") is not True:
        return outcomes.Pending()
    return _result(reply, file) if reply.get("error") is None else _error(reply)


def _error(reply: Reply) -> outcomes.Refusal:
    if reply.get("error", "code") == facts.INVALID_ARGUMENT:
        return rejected(RejectionKind.INPUT, reply.string("error", "message"))
    return provider_error(reply)


def _result(reply: Reply, file: Callable[[str], ResultFile]) -> outcomes.Succeeded | outcomes.Refusal:
    samples = objects(reply.get(*_RESULT, "generatedSamples"))
    videos = objects([sample.get("video") for sample in samples])
    files = tuple(file(video["uri"]) for video in videos if isinstance(video.get("uri"), str))
    if files:
        return outcomes.Succeeded(files)
    reasons = reply.get(*_RESULT, "raiMediaFilteredReasons")
    if isinstance(reasons, list) and reasons:
        return rejected(RejectionKind.CONTENT, "; ".join(map(str, reasons)))
    return outcomes.Failed(FailureKind.BAD_RESULT, reply.detail())
