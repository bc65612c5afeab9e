"""Videos on PixVerse: all mappings of the catalog that it has (docs/providers/pixverse.md).

Its ids in the catalog are the paths of its jobs. Images are uploaded before the job: an `Upload` in the body
is replaced by the number of the uploaded image.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.kit.numbers import digits
from tollgate.providers.mapping.fields import Body, Family, FieldMap, Mapper, Values
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.targets import INT32_MAX, accept_only, at_most, ignored
from tollgate.providers.media.pixverse import facts

MAX_VIDEO_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Upload:
    """An image that must be uploaded to PixVerse before the job; its number replaces this object."""

    url: str


def _variant(values: Values) -> str:
    if values.get("extendFromTaskId"):
        return "extend"
    if values.get("firstFrameImage"):
        return "transition"
    if values.get("imgReferences"):
        return "reference"
    return "image" if values.get("imageUrls") else "text"


def _named(values: Values) -> Values:
    """Return `values` with every reference in the prompt, because PixVerse ignores others.

    The prompt names a reference by its number, such as `@image1`. To add missing names at the end is
    INFERRED.
    """
    names = [f"@{name}" for name in _names(values.get("imgReferences", []))]
    unspoken = [name for name in names if name not in values["prompt"]]
    return {**values, "prompt": " ".join([values["prompt"], *unspoken])}


def _names(references: Sequence[str]) -> list[str]:
    return [f"image{number}" for number in range(1, len(references) + 1)]


def _references(urls: Sequence[str]) -> Body:
    if len(urls) > facts.MAX_REFERENCES:
        raise CannotMapError(f"{len(urls)} references")
    return {
        "image_references": [
            {"type": "subject", "img_id": Upload(url), "ref_name": name}
            for url, name in zip(urls, _names(urls), strict=True)
        ]
    }


def _source(reference: str) -> Body:
    video_id = digits(reference, 0, MAX_VIDEO_ID)
    if video_id is None:
        raise CannotMapError("the video to extend is not PixVerse's")
    return {"source_video_id": video_id}


_SHAPED: FieldMap = {"size": "aspect_ratio"}
_ONE_OR_MORE_CLIPS: FieldMap = {"generateMultiClipSwitch": "generate_multi_clip_switch"}
# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "pixverse-v6": Family(
        {
            "prompt": "prompt",
            "resolution": "quality",
            "duration": "duration",
            "audio": "generate_audio_switch",
            "seed": at_most("seed", INT32_MAX),
            # "Effective only in text-to-video and multi-reference fusion" (docs/contract.md#vid-n).
            "size": ignored,
            "generateMultiClipSwitch": accept_only(False),
            # No longer in its documentation of V6, like negative prompts.
            "motionMode": accept_only("normal"),
            "watermark": accept_only(False),
        },
        _variant,
        {
            "text": {**_SHAPED, **_ONE_OR_MORE_CLIPS},
            # "First image used" (VID-N).
            "image": {**_ONE_OR_MORE_CLIPS, "imageUrls": lambda urls: {"img_id": Upload(urls[0])}},
            "transition": {
                "firstFrameImage": lambda url: {"first_frame_img": Upload(url)},
                "lastFrameImage": lambda url: {"last_frame_img": Upload(url)},
            },
            "reference": {**_SHAPED, "imgReferences": _references},
            "extend": {"extendFromTaskId": _source},
        },
        fixed={"model": facts.MODEL},
        prepare=_named,
    )
}
