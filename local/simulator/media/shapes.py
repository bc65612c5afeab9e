"""Aspect ratios in providers' notation, e.g. `16:9`."""

LONG_SIDE_PX = 1_024


def aspect(ratio: str) -> tuple[int, int]:
    """Return width and height of a ratio such as `16:9`. Raises `ValueError` for anything else."""
    width, height = (int(side) for side in ratio.split(":"))
    return width, height


def image_size_px(ratio: str) -> tuple[int, int]:
    """Return width and height of an image with that ratio whose longer side is `LONG_SIDE_PX`."""
    width, height = aspect(ratio)
    longest = max(width, height)
    return LONG_SIDE_PX * width // longest, LONG_SIDE_PX * height // longest
