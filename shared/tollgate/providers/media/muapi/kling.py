"""Kling 4.0 on MuAPI, from text, images and elements (docs/providers/muapi.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tollgate.providers.mapping.fields import Body, FieldMap, Mapper, Values, map_fields, upstream_of
from tollgate.providers.mapping.kling_4 import few_images, in_words, kind_of, lower_case
from tollgate.providers.mapping.targets import accept_only, ignored
from tollgate.providers.runtime.base import Job, Mapped

_WORDS: FieldMap = {
    "prompt": "prompt",
    "resolution": "resolution",
    "duration": "duration",
    "aspectRatio": "aspect_ratio",
    "videoMode": ignored,
    # Kling 4.0 always has sound.
    "generateAudio": accept_only(True),
}


def _kling_4(job: Job) -> Mapped:
    cast = _Cast.of(job.values)
    others = {name: value for name, value in job.values.items() if name not in ("imageUrls", "elements")}
    said = map_fields(in_words(others, lower_case, cast.tags), _WORDS)
    said["prompt"] = "\n".join([said["prompt"], *cast.notes])
    media = {"image_urls": few_images(cast.images), "elements": cast.elements}
    body = {name: entries for name, entries in media.items() if entries}
    return Mapped(upstream_of(job, kind_of(job.values)), {**said, **body})


@dataclass(slots=True)
class _Cast:
    """The images and elements of a body, the tags of the input's elements, and sentences about them.

    An element has 2 to 4 images or a video. One with a single image is sent as an image, with its description
    in the prompt.
    """

    images: list[str]
    elements: list[Body] = field(default_factory=list)
    tags: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, values: Values) -> Self:
        cast = cls(list(values.get("imageUrls", [])))
        for number, element in enumerate(values.get("elements", []), 1):
            cast._add(number, element)
        return cast

    def _add(self, number: int, element: Mapping[str, Any]) -> None:
        if "videoUrl" in element or len(element.get("imageUrls", [])) != 1:
            self.tags[number] = lower_case("element", number)
            self.elements.append({"name": f"element_{number}", **_shown(element)})
            return
        self.images.append(element["imageUrls"][0])
        self.tags[number] = lower_case("image", len(self.images))
        if "description" in element:
            self.notes.append(f"{self.tags[number]}: {element['description']}")


def _shown(element: Mapping[str, Any]) -> Body:
    names = {"imageUrls": "image_urls", "videoUrl": "video_url"}
    media = {word: element[name] for name, word in names.items() if name in element}
    told = {"description": element["description"]} if "description" in element else {}
    return {**media, **told}


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {"kling-4.0": _kling_4}
