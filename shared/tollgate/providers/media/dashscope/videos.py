"""Videos on DashScope: Wan 2.7 and 3.0.

Source: docs/providers/dashscope.md; DashScope's documentation of the models.
"""

from collections.abc import Mapping

from tollgate.providers.mapping.content import MEDIA, taken_out
from tollgate.providers.mapping.fields import Family, FieldMap, Mapper, require
from tollgate.providers.mapping.frames import by_role, few_references
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import INT32_MAX, accept_only, at_most, one_each, one_of, upper
from tollgate.providers.media.dashscope import facts
from tollgate.providers.runtime.base import Job, Mapped

_MEDIA_TYPES = (
    *("first_frame", "last_frame", "first_clip", "video", "reference_image", "reference_video"),
    *("reference_audio", "driving_audio", "file", "link"),
)
# Names in `input` beside the media; all others are parameters.
_INPUT = ("prompt", "audio_url")


_SAID: FieldMap = {
    "prompt": "prompt",
    "resolution": upper("resolution"),
    "duration": "duration",
    "seed": at_most("seed", INT32_MAX),
}
_WAN_27: FieldMap = {
    **_SAID,
    # DashScope always checks.
    "enableSafetyChecker": accept_only(True),
}
# By id: each of the four jobs has its own model.
_WANS: Mapping[str, Family] = {
    "wan2.7-t2v": Family({**_WAN_27, "audioUrl": "audio_url", "size": "ratio"}),
    "wan2.7-i2v": Family(
        {
            **_WAN_27,
            "imageUrls": one_each("first_frame", "last_frame"),
            "continueVideoUrl": "first_clip",
            "audioUrl": "driving_audio",
        }
    ),
    "wan2.7-r2v": Family(
        {
            **_WAN_27,
            "referenceImageUrls": "reference_image",
            "referenceVideoUrls": "reference_video",
            "size": "ratio",
        },
        prepare=lambda values: few_references(require(values, "prompt"), facts.MAX_WAN_REFERENCES),
    ),
    "wan2.7-videoedit": Family(
        {
            **_WAN_27,
            "editVideoUrl": "video",
            "referenceImageUrl": "reference_image",
            "audioSetting": one_of("audio_setting", "auto", "origin"),
            "size": "ratio",
        }
    ),
}
_WAN_3 = Family(
    {
        **_SAID,
        **MEDIA,
        "size": "ratio",
        "audio": "audio",
        "watermark": "watermark",
        "fileUrl": "file",
        "linkUrl": "link",
    },
    prepare=by_role,
)


def _in_place(said: Mapped) -> Mapped:
    """Return a flat body as `{"input": {…, "media": [{"type", "url"}]}, "parameters": {…}}`."""
    media, rest = taken_out(said.body, _MEDIA_TYPES)
    variant_if = {name: value for name, value in rest.items() if name in _INPUT}
    if media:
        variant_if["media"] = [{"type": kind, "url": url} for kind, url in media]
    parameters = {name: value for name, value in rest.items() if name not in _INPUT}
    return Mapped(said.upstream, {"input": variant_if, "parameters": parameters})


def _wan_27(job: Job) -> Mapped:
    (upstream,) = job.upstream.values()
    if upstream not in _WANS:
        raise CannotMapError(f"no Wan is called {upstream}")
    return _in_place(_WANS[upstream](job))


def _wan_3(job: Job) -> Mapped:
    return _in_place(_WAN_3(job))


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"wan-2.7-video": _wan_27, "wan-3.0": _wan_3}
