"""Media on MuAPI, which cannot cancel."""

from typing import Any
from urllib.parse import quote

from tollgate.providers.media.muapi import facts
from tollgate.providers.media.muapi.mappings import MAPPINGS
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Pending,
    PollOutcome,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.http import (
    Reply,
    failure_of,
    refused,
    send_poll,
    send_submit,
    shown,
)


class MuapiMedia(MediaAdapter):
    """Media generations through MuAPI's predictions."""

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is the request id."""
        reply = send_submit(lambda: self._send(job))
        if not isinstance(reply, Reply):
            return reply
        if not reply.ok:
            # Its own words for an invalid input were not read: `detail` is INFERRED.
            return failure_of(reply) or refused(RejectionKind.INPUT, reply.string("detail"))
        request_id = reply.string("request_id")
        return Submitted({"request_id": request_id}) if request_id else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the result; it carries the files."""
        path = f"/predictions/{quote(handle['request_id'], safe='')}/result"
        reply = send_poll(lambda: self._http.call("GET", path))
        if not isinstance(reply, Reply):
            return reply
        status = reply.string("status")
        if status in facts.WAITING:
            return Pending()
        if status == facts.COMPLETED:
            return Succeeded(_files(reply.get("outputs")))
        if status in facts.FAILED:
            # It says why in free text only, so a refusal cannot be told from a fault: the next provider
            # decides.
            error = reply.string("error")
            return Failed(FailureKind.PROVIDER_ERROR, shown(error) if error else reply.detail())
        return Unknown(reply.detail())

    def _send(self, job: Job) -> Reply:
        mapped = MAPPINGS[job.mapping](job)
        return self._http.call("POST", f"/{mapped.upstream}", mapped.body)


def _files(outputs: Any) -> tuple[ResultFile, ...]:
    urls = outputs if isinstance(outputs, list) else []
    return tuple(ResultFile(url) for url in urls if isinstance(url, str) and url)
