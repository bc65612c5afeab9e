"""OpenAI's wire format for images, which are in the response (docs/providers/openai.md)."""

from tollgate.providers.mapping.inline import inline_files
from tollgate.providers.media.openai import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import refusal
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Handle
from tollgate.providers.runtime.reply import Reply


class Adapter(MediaAdapter):
    """Image generations and edits, without jobs: there is no poll, no cancel and no callback."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:  # noqa: ARG002 - the mapping says it all
        """Return the request for a job, whose response has the image."""
        path = facts.EDIT_PATH if "images" in mapped.body else facts.GENERATE_PATH
        return Submission(path, {"model": mapped.upstream, **mapped.body}, _image, _refusal)

    def status(self, handle: Handle) -> StatusQuery | None:  # noqa: ARG002 - there is nothing to find
        """Return `None`, because a submit creates no job."""
        return None


def _image(reply: Reply) -> outcomes.SubmitOutcome:
    files = inline_files(reply.get("data"), "b64_json")
    return outcomes.Succeeded(files) if files else outcomes.Lost(reply.detail())


def _refusal(reply: Reply) -> outcomes.Refusal:
    """Read `{"error": {message, type, param, code}}`."""
    return refusal(reply, reply.string("error", "message"), facts.CODES, [reply.string("error", "code")])
