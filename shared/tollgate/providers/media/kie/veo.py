"""Veo 3.1 on kie, which has its own paths and records (docs/providers/kie.md#veo)."""

from tollgate.providers.mapping.fields import Body, Family, Mapper, Values
from tollgate.providers.mapping.reading import texts
from tollgate.providers.mapping.targets import ignored
from tollgate.providers.media.kie import facts
from tollgate.providers.runtime import outcomes
from tollgate.providers.runtime.answers import provider_error, result_files
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.reply import Reply

_FRAMES = 2
_VIDEO = Family(
    {
        "prompt": "prompt",
        "aspectRatio": "aspect_ratio",
        "urls": "imageUrls",
        # The first request makes 720p; a second one returns the same video in 1080p.
        "resolution": ignored,
        "generationType": ignored,
    }
)


def _kind(values: Values) -> Body:
    count = len(values.get("urls", []))
    if not count:
        return {"generationType": "TEXT_2_VIDEO"}
    is_reference = values.get("generationType") == "reference" or count > _FRAMES
    return {"generationType": "REFERENCE_2_VIDEO" if is_reference else "FIRST_AND_LAST_FRAMES_2_VIDEO"}


def _veo(job: Job) -> Mapped:
    """Return the whole body, in which the model has a field."""
    mapped = _VIDEO(job)
    return Mapped(mapped.upstream, {"model": mapped.upstream, **mapped.body, **_kind(job.values)})


def outcome(reply: Reply) -> outcomes.PollOutcome:
    """Return the outcome in a job's record."""
    flag = reply.get("data", "successFlag")
    if flag == facts.VEO_WAITING and flag is not False:
        return outcomes.Pending()
    if flag == facts.VEO_SUCCESS and flag is not True:
        return outcomes.Succeeded(result_files(reply.get("data", "response", "resultUrls")))
    if flag in facts.VEO_FAILED:
        return provider_error(reply, reply.string("data", "errorMessage") or None)
    return outcomes.Unknown(reply.detail())


def in_1080p(reply: Reply) -> outcomes.PollOutcome:
    """Return the video in 1080p, which kie makes some minutes after the first one."""
    if reply.get("code") == facts.OK and texts(reply.get("data", "resultUrl")):
        return outcomes.Succeeded(result_files(reply.get("data", "resultUrl")))
    is_soon = reply.get("code") in facts.VEO_NOT_YET
    return outcomes.Pending() if is_soon else outcomes.Unknown(reply.detail())


# The mappers by the names in the catalog's routes.
MAPPINGS: dict[str, Mapper] = {facts.VEO_MAPPING: _veo}
