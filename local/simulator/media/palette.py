"""Colours and numbers derived from a prompt, so that each prompt has a distinct look and sound."""

import hashlib

Colour = tuple[int, int, int]

_PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((20, 33, 61), (252, 163, 17), (42, 157, 143)),
    ((58, 12, 163), (247, 37, 133), (76, 201, 240)),
    ((0, 48, 73), (214, 40, 40), (252, 191, 73)),
    ((27, 67, 50), (149, 213, 178), (255, 183, 3)),
    ((61, 52, 139), (118, 120, 237), (247, 184, 1)),
    ((74, 20, 51), (255, 111, 89), (67, 170, 139)),
)

_SEED_BYTES = 4


def seed_of(text: str) -> int:
    """Return a number from 0 to 2**31 - 1 that depends only on `text`."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:_SEED_BYTES], "big") >> 1


def palette(seed: int) -> tuple[Colour, Colour, Colour]:
    """Return a dark, a bright and an accent colour for `seed`."""
    return _PALETTES[seed % len(_PALETTES)]
