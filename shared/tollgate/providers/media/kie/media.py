"""kie's wire format (docs/providers/kie.md)."""

from functools import partial
from typing import Any
from urllib.parse import quote

from tollgate.providers.mapping.fields import upstream_of
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.kie import facts, records, veo
from tollgate.providers.media.kie.music import variant_of
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.adapter import MediaAdapter, StatusQuery, Submission
from tollgate.providers.runtime.answers import failure_of, progress_of, provider_error, rejected
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import FailureKind, Handle, RejectionKind, ResultFile
from tollgate.providers.runtime.reply import Reply, json_of

# The path of a job's record in its handle, and the record's name unless it is the usual one.
RECORDS, RECORD = "records", "record"
# The resolution of a Veo job in its handle.
VEO = "veo"


class Adapter(MediaAdapter):
    """Jobs; music has its own paths, codes and records."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request for a job.

        The handle is kie's task id and, for music, the path of its records.
        """
        hook = {} if job.callback_url is None else {"callBackUrl": job.callback_url}
        if job.mapping == facts.MUSIC_MAPPING:
            return _music(job, mapped, hook)
        if job.mapping == facts.VEO_MAPPING:
            handle = {VEO: job.values["resolution"]}
            read = partial(_submitted, handle, facts.CODES)
            return Submission(f"{facts.VEO_PATH}/generate", {**mapped.body, **hook}, read, read)
        body = {"model": mapped.upstream, "input": mapped.body, **hook}
        read = partial(_submitted, {}, facts.CODES)
        return Submission(facts.SUBMIT_PATH, body, read, read)

    def status(self, handle: Handle) -> StatusQuery:
        """Return the request for the state of a job, whose response has the files."""
        task_id = quote(handle["task_id"], safe="")
        if VEO in handle:
            path = f"{facts.VEO_PATH}/{facts.RECORD}?taskId={task_id}"
            return StatusQuery(path, partial(self._veo, handle[VEO], task_id))
        if RECORDS in handle:
            record = handle.get(RECORD, facts.RECORD)
            read = records.voice if handle[RECORDS] == facts.VOICE else records.outcome
            path = f"{facts.MUSIC_PATH}/{handle[RECORDS]}/{record}?taskId={task_id}"
            return StatusQuery(path, partial(read, handle["task_id"]))
        return StatusQuery(f"{facts.STATUS_PATH}?taskId={task_id}", _state)

    def _veo(self, resolution: str, task_id: str, reply: Reply) -> outcomes.PollOutcome:
        found = veo.outcome(reply)
        if resolution != facts.HD or not isinstance(found, outcomes.Succeeded):
            return found
        return veo.in_1080p(self._http.call("GET", f"{facts.VEO_HD_PATH}?taskId={task_id}&index=0"))


def _music(job: Job, mapped: Mapped, hook: dict[str, str]) -> Submission:
    """Return the request for a music job, whose record is next to its submit path."""
    if not hook:
        raise CannotMapError("kie takes no music without an address to call back")
    variant = variant_of(job.values)
    handle = {RECORDS: upstream_of(job, variant).partition("/")[0]}
    if variant == facts.VOICE_PHRASE:
        handle[RECORD] = facts.PHRASE_RECORD
    read = partial(_submitted, handle, facts.MUSIC_CODES)
    return Submission(f"{facts.MUSIC_PATH}/{mapped.upstream}", {**mapped.body, **hook}, read, read)


def _submitted(more: Handle, codes: facts.Codes, reply: Reply) -> outcomes.SubmitOutcome:
    """Read a response: the envelope's code decides, with any HTTP status."""
    task_id, code = reply.get("data", "taskId"), reply.get("code")
    if reply.ok and code == facts.OK and isinstance(task_id, str) and task_id:
        return outcomes.Submitted({"task_id": task_id, **more})
    is_code = isinstance(code, int) and not isinstance(code, bool)
    if not is_code and not reply.ok:
        return failure_of(reply) or provider_error(reply)
    if not is_code or code == facts.OK or task_id is not None:
        return outcomes.Lost(reply.detail())
    kind = codes.get(code, FailureKind.PROVIDER_ERROR)
    if isinstance(kind, RejectionKind):
        return rejected(kind, reply.string("msg"))
    return outcomes.Failed(kind, reply.detail())


def _state(reply: Reply) -> outcomes.PollOutcome:
    state = reply.string("data", "state")
    if state in facts.WAITING:
        return outcomes.Pending(progress_of(reply.get("data", "progress")))
    if state == facts.SUCCESS:
        return outcomes.Succeeded(_files(reply.get("data", "resultJson")))
    if state == facts.FAIL:
        return provider_error(reply, reply.string("data", "failMsg"))
    return outcomes.Unknown(reply.detail())


def _files(result: Any) -> tuple[ResultFile, ...]:
    """Return the files in `resultJson`, an object as text: `{"resultUrls": […]}`."""
    found = json_of(result)
    urls = found.get("resultUrls") if isinstance(found, dict) else None
    return tuple(ResultFile(url) for url in urls if isinstance(url, str)) if isinstance(urls, list) else ()
