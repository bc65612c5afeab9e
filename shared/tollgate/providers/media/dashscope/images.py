"""Images on DashScope: Wan and Qwen (docs/providers/dashscope.md)."""

from collections.abc import Mapping

from tollgate.providers.mapping.content import taken_out
from tollgate.providers.mapping.fields import Body, Family, Mapper, Values
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.pixels import exactly
from tollgate.providers.mapping.targets import INT32_MAX, at_most
from tollgate.providers.media.dashscope import facts
from tollgate.providers.runtime.base import Job, Mapped

# Mappings of models whose image is in the response to the submit.
AT_ONCE = frozenset({"qwen-image-3"})


def _sized(values: Values, least_px: int, most_px: int) -> Values:
    """Return `values` with `imageSize`. Raises `CannotMapError` for an unsupported size."""
    found = exactly(values, most_px)
    width, height = found["imageSize"]["width"], found["imageSize"]["height"]
    too_long = max(width, height) > min(width, height) * facts.ASPECT_LIMIT
    if too_long or not least_px <= width * height <= most_px:
        raise CannotMapError(f"no image of {width} by {height}")
    return found


def _by_pixels(size: Mapping[str, int]) -> Body:
    return {"size": f"{size['width']}*{size['height']}"}


def _mapper(least_px: int, most_px: int) -> Mapper:
    family = Family(
        {
            "prompt": "text",
            "urls": "image",
            "imageSize": _by_pixels,
            "seed": at_most("seed", INT32_MAX),
        },
        # Some models would generate four.
        fixed={"n": 1},
        prepare=lambda values: _sized(values, least_px, most_px),
    )

    def mapped(job: Job) -> Mapped:
        said = family(job)
        content, parameters = taken_out(said.body, ("image", "text"))
        message = {"role": "user", "content": [{kind: value} for kind, value in content]}
        return Mapped(said.upstream, {"input": {"messages": [message]}, "parameters": parameters})

    return mapped


# The mappers by the names in the catalog's routes.
MAPPINGS: Mapping[str, Mapper] = {
    "wan-2.7-image": _mapper(*facts.WAN_IMAGE_PX),
    "qwen-image-3": _mapper(*facts.QWEN_IMAGE_PX),
}
