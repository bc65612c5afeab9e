"""Media on PoYo: our input in PoYo's words, and its answers in ours (catalog.md; PoYo's API manual)."""

from collections.abc import Callable, Mapping
from typing import Any

from tollgate.providers.base import (
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    Mapped,
    Pending,
    PollOutcome,
    Rejected,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.http import NoAnswerError, NotSentError, ProviderHttp, Reply, failure_of, shown
from tollgate.providers.images import CannotMapError, frames
from tollgate.providers.poyo import facts


class PoyoMedia:
    """Media generations through PoYo."""

    def __init__(self, http: ProviderHttp) -> None:
        self._http = http

    def submit(self, job: Job) -> SubmitOutcome:
        """Hand the job over once; its handle is PoYo's task id."""
        try:
            mapped = MAPPINGS[job.mapping](job)
            body = {"model": mapped.upstream, "input": mapped.body}
            reply = self._http.call("POST", facts.SUBMIT_PATH, body)
        except (CannotMapError, KeyError) as exc:
            return Failed(FailureKind.NOT_CONFIGURED, repr(exc))
        except NotSentError as exc:
            return Failed(FailureKind.UNREACHABLE, str(exc))
        except NoAnswerError as exc:
            return Lost(str(exc))
        if not reply.ok:
            return failure_of(reply) or _request_error(reply)
        task_id = reply.get("data", "task_id")
        if isinstance(task_id, str) and task_id and reply.get("code") == facts.ENVELOPE_OK:
            return Submitted({"task_id": task_id})
        # HTTP 200 with another code is an error that PoYo is sure of; anything else is no answer.
        code = reply.get("code")
        said_no = isinstance(code, int) and code != facts.ENVELOPE_OK and task_id is None
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail()) if said_no else Lost(reply.detail())

    def poll(self, handle: Handle) -> PollOutcome:
        """Ask for the status; it carries the files."""
        try:
            reply = self._http.call("GET", f"{facts.STATUS_PATH}/{handle['task_id']}")
        except (NotSentError, NoAnswerError) as exc:
            return Unknown(str(exc))
        status = reply.string("data", "status")
        if status in facts.WAITING:
            return Pending(_progress(reply.get("data", "progress")))
        if status == facts.FINISHED:
            return Succeeded(_files(reply.get("data", "files")))
        if status == facts.FAILED:
            # PoYo says why in free text only, so a refusal cannot be told from a fault: the next
            # provider decides.
            message = reply.string("data", "error_message")
            return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())
        return Unknown(reply.detail())


def _request_error(reply: Reply) -> Rejected | Failed:
    message = reply.string("error", "message")
    if reply.get("error", "type") != facts.INVALID_REQUEST:
        return Failed(FailureKind.PROVIDER_ERROR, reply.detail())
    return Rejected(RejectionKind.INPUT, shown(message) if message else "The provider refused the input.")


def _progress(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= 100 else None  # noqa: PLR2004 - per cent


def _files(files: Any) -> tuple[ResultFile, ...]:
    found = files if isinstance(files, list) else []
    urls = [file["file_url"] for file in found if isinstance(file, dict) and "file_url" in file]
    return tuple(ResultFile(url) for url in urls if isinstance(url, str))


def _z_image(job: Job) -> Mapped:
    values = job.values
    body: dict[str, Any] = {
        "prompt": values["prompt"],
        "enable_safety_checker": values["enableSafetyChecker"],
    }
    if "size" in values:
        body["size"] = values["size"]
    if values.get("urls"):
        body["image_urls"] = values["urls"]
    return Mapped(job.upstream["default"], body)


def _seedance(job: Job) -> Mapped:
    values = job.values
    if "seed" in values:
        raise CannotMapError("PoYo has no seed for this model")
    # The first image is the first frame, the second the last (catalog.json, poyo and kie).
    urls = [url for url in frames(values) if url is not None]
    body: dict[str, Any] = {
        "prompt": values.get("prompt", ""),
        "aspect_ratio": values["size"],
        "resolution": values["resolution"],
        "duration": values["duration"],
        "generate_audio": values["generateAudio"],
        "fixed_lens": values["cameraFixed"],
    }
    if urls:
        body["image_urls"] = urls
    return Mapped(job.upstream["default"], body)


_MUSIC_FIELDS = {
    "prompt": "prompt",
    "title": "title",
    "instrumental": "instrumental",
    "negativeTags": "negative_tags",
    "styleWeight": "style_weight",
    "weirdnessConstraint": "weirdness_constraint",
    "audioWeight": "audio_weight",
}


def _music(job: Job) -> Mapped:
    values = job.values
    engine = values.get("mv", "v5.0")
    if engine not in facts.MUSIC_ENGINES:
        raise CannotMapError(f"PoYo has no engine {engine}")
    body: dict[str, Any] = {theirs: values[ours] for ours, theirs in _MUSIC_FIELDS.items() if ours in values}
    body["mv"] = facts.MUSIC_ENGINES[engine]
    if "styles" in values:
        body["style"] = values["styles"]
    if "vocalGender" in values:
        body["vocal_gender"] = facts.VOCAL_GENDERS[values["vocalGender"]]
    # Title and style count in custom mode only; without them PoYo writes both from the prompt.
    body["custom_mode"] = "title" in values or "styles" in values
    return Mapped(job.upstream["default"], body)


MAPPINGS: Mapping[str, Callable[[Job], Mapped]] = {
    "z-image": _z_image,
    "seedance-1.5-pro": _seedance,
    "suno": _music,
}
"""How each mapping of the catalog is said on PoYo; fields and ids from catalog.json (FOUND there)."""
