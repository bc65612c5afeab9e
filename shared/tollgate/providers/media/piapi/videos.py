"""Videos on PiAPI: Kling 4.0 from text; its version is a field of the input (docs/providers/piapi.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.fields import Body, FieldMap, Mapper, map_fields, upstream_of
from tollgate.providers.mapping.targets import accept_only, ignored, translated
from tollgate.providers.media.piapi import facts
from tollgate.providers.runtime.base import Job, Mapped


def _shape(ratio: str) -> Body:
    # It has no value for an automatic shape, which is its default (INFERRED).
    return {} if ratio == "auto" else {"aspect_ratio": ratio}


_KLING_4: FieldMap = {
    "prompt": "prompt",
    "duration": "duration",
    # A resolution is a mode; with a field `resolution`, it would make and charge its own default.
    "resolution": translated("mode", facts.KLING_MODES),
    "aspectRatio": _shape,
    # Kling 4.0 always has sound, and PiAPI's request has no field for it.
    "generateAudio": accept_only(True),
    # There is no source video with sound to keep.
    "keepAudio": ignored,
}


def _kling_4(job: Job) -> Mapped:
    version = upstream_of(job, "text")
    said = {**map_fields(job.values, _KLING_4), "version": version}
    body = {"model": facts.KLING, "task_type": facts.TEXT_TO_VIDEO, "input": said}
    return Mapped(version, {**body, "config": {"service_mode": facts.PAY_AS_YOU_GO}})


# The mappers by the names in the catalog's routes; they return the whole body of the request.
MAPPINGS: Mapping[str, Mapper] = {"kling-4.0": _kling_4}
