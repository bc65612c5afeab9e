"""Width and height in pixels, for providers that want them instead of a ratio and a tier. Pure."""

from math import gcd, isqrt

STEP_PX = 16
"""Sides are multiples of this: what image models commonly ask for."""


def size_px(ratio: str, area_px: int, longest_px: int | None = None) -> dict[str, int]:
    """Give the largest `{width, height}` of a ratio (such as `16:9`) within an area and a long side."""
    sides = [int(side) for side in ratio.split(":")]
    shared = gcd(*sides)
    width, height = (side // shared * STEP_PX for side in sides)
    times = isqrt(area_px // (width * height))
    if longest_px is not None:
        times = min(times, longest_px // max(width, height))
    return {"width": width * times, "height": height * times}
