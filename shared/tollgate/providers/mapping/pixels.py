"""Width and height in pixels, for providers that require them instead of a ratio and a tier. Pure."""

from collections.abc import Mapping
from math import gcd, isqrt
from typing import Any

from tollgate.providers.mapping.images import CannotMapError

# Sides are multiples of this, a common requirement of image models.
STEP_PX = 16
# By tier of Seedream: nK is the area of a square with sides of n times 1024 pixels (INFERRED).
SEEDREAM_AREAS_PX = {
    "1K": 1_024**2,
    "1.5K": 1_536**2,
    "2K": 2_048**2,
    "3K": 3_072**2,
    "4K": 4_096**2,
}


def size_px(
    ratio: str, area_px: int, longest_px: int | None = None, step_px: int = STEP_PX
) -> dict[str, int]:
    """Return the largest `{width, height}` of a ratio (such as `16:9`) within an area and a long side.

    Both sides are multiples of `step_px`.
    """
    sides = [int(side) for side in ratio.split(":")]
    shared = gcd(*sides)
    width, height = (side // shared * step_px for side in sides)
    times = isqrt(area_px // (width * height))
    if longest_px is not None:
        times = min(times, longest_px // max(width, height))
    return {"width": width * times, "height": height * times}


def sized(
    values: Mapping[str, Any], areas_px: Mapping[str, int], longest_px: int | None = None
) -> Mapping[str, Any]:
    """Return `values` with `imageSize` (width and height) instead of `size` and `resolution`.

    `areas_px` are the areas by resolution. Raises `CannotMapError` for the size `auto`.
    """
    if values["size"] == "auto":
        raise CannotMapError("a size of auto has no tier")
    others = {name: value for name, value in values.items() if name not in ("size", "resolution")}
    return {**others, "imageSize": size_px(values["size"], areas_px[values["resolution"]], longest_px)}


def exactly(values: Mapping[str, Any], area_px: int) -> Mapping[str, Any]:
    """Return `values` with `imageSize` instead of `width` and `height`, or else instead of `size`.

    A `size` gets an area of `area_px` (docs/contract.md#img-g: width and height "override `size`").
    """
    named = ("size", "width", "height")
    others = {name: value for name, value in values.items() if name not in named}
    if "width" in values:
        return {**others, "imageSize": {"width": values["width"], "height": values["height"]}}
    return {**others, "imageSize": size_px(values["size"], area_px)}
