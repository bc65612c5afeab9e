"""FLUX 3 in the words of Replicate, BFL and MuAPI, written down from their pages
(docs/providers/bfl.md, docs/providers/replicate.md, docs/providers/muapi.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, C, V, mapped
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Mapped

P = {"prompt": "a fox"}
IMAGE = {**P, "aspect_ratio": "auto", "resolution": "1k", "grounding": True}
REPLICATE = {
    **P, "resolution": "720p", "duration": "5", "aspect_ratio": "auto", "draft": False, "safety_tolerance": 2,
}  # fmt: skip
BFL = {
    **P, "mode": "t2v", "resolution": "hd", "duration": 5, "aspect_ratio": "auto", "draft": False,
    "safety_tolerance": 2,
}  # fmt: skip
CASES: list[tuple[str, str, dict[str, Any], str, dict[str, Any]]] = [
    ("replicate", "flux-3-image", P, "black-forest-labs/flux-3-image", IMAGE),
    ("replicate", "flux-3-image",
     {**P, "urls": [A, B], "size": "7:5", "resolution": "768SQ", "grounding": False},
     "black-forest-labs/flux-3-image",
     {**P, "aspect_ratio": "7:5", "resolution": "768sq", "grounding": False, "images": [A, B]}),
    ("replicate", "flux-3-video", P, "black-forest-labs/flux-3", REPLICATE),
    ("replicate", "flux-3-video",
     {**P, "imageUrls": [A, B, C], "duration": 20, "resolution": "1080p", "safetyTolerance": 0},
     "black-forest-labs/flux-3",
     {**REPLICATE, "images": [A, B, C], "duration": "20", "resolution": "1080p", "safety_tolerance": 0}),
    ("replicate", "flux-3-video", {**P, "videoUrl": V, "draft": True}, "black-forest-labs/flux-3",
     {**REPLICATE, "start_video": V, "draft": True}),
    ("bfl", "flux-3-image", P, "v1/flux-3-image", IMAGE),
    ("bfl", "flux-3-image", {**P, "urls": [A], "resolution": "1.5K"}, "v1/flux-3-image",
     {**IMAGE, "resolution": "1.5k", "images": [A]}),
    ("bfl", "flux-3-video", P, "v1/flux-3-video", BFL),
    ("bfl", "flux-3-video", {**P, "imageUrls": [A, B], "duration": 8, "resolution": "1080p"},
     "v1/flux-3-video", {**BFL, "mode": "i2v", "keyframes": [A, B], "duration": 8, "resolution": "fhd"}),
    ("muapi", "flux-3-klein", {**P, "size": "9:21", "resolution": "4K"}, "flux-3-klein-text-to-image",
     {**P, "aspect_ratio": "9:21", "resolution": "4K"}),
    # Without an image to follow, the shape is a square.
    ("muapi", "flux-3-klein", P, "flux-3-klein-text-to-image",
     {**P, "aspect_ratio": "1:1", "resolution": "1K"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "model", "source", "upstream", "body"),
    CASES,
    ids=[f"{case[0]} {case[1]}: {' '.join(case[2])}" for case in CASES],
)
def test_an_input_in_the_providers_words(
    provider: str, model: str, source: dict[str, Any], upstream: str, body: dict[str, Any]
) -> None:
    assert mapped(provider, model, source) == Mapped(upstream, body)


def test_bfl_has_no_price_of_ours_for_continuing_a_video() -> None:
    with pytest.raises(CannotMapError, match="no word for videoUrl"):
        mapped("bfl", "flux-3-video", {**P, "videoUrl": V})
