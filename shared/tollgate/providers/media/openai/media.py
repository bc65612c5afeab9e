"""Pictures from OpenAI, which answers with the result itself (docs/providers/openai.md)."""

from tollgate.providers.mapping.inline import inline_files
from tollgate.providers.media.openai import facts
from tollgate.providers.media.openai.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    Handle,
    Job,
    Lost,
    PollOutcome,
    Rejected,
    RejectionKind,
    SubmitOutcome,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.codes import verdict
from tollgate.providers.runtime.http import Reply, failure_of, refused, send_submit


class OpenAiMedia(MediaAdapter):
    """Picture generations and edits. There are no jobs: nothing to poll, to cancel or to call back."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Have the picture made, once; the answer has it."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            return _refusal(reply)
        files = inline_files(reply.get("data"), "b64_json")
        return Succeeded(files) if files else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:  # noqa: ARG002 - the protocol's shape
        """Say that nothing is known: a submit never leaves a job behind."""
        return Unknown("OpenAI has no jobs to ask for")

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        path = facts.EDIT_PATH if "images" in mapped.body else facts.GENERATE_PATH
        return self._http.call("POST", path, {"model": mapped.upstream, **mapped.body})


def _refusal(reply: Reply) -> Rejected | Failed:
    """Read `{"error": {message, type, param, code}}`."""
    message = reply.string("error", "message")
    meant = verdict(facts.CODES, reply.string("error", "code"), message, reply)
    return meant or failure_of(reply) or refused(RejectionKind.INPUT, message)
