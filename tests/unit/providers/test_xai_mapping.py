"""Our input in xAI's words, written down from docs/providers/xai.md."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, Case, mapped
from tollgate.providers.mapping.images import CannotMapError

P = {"prompt": "a fox"}
VIDEO = {**P, "aspect_ratio": "16:9", "duration": 6, "resolution": "480p"}

CASES: list[Case] = [
    ("grok-imagine-image", {**P, "size": "2:3"}, "grok-imagine-image", {**P, "aspect_ratio": "2:3"}),
    ("grok-imagine-image", {**P, "urls": [A]}, "grok-imagine-image",
     {**P, "aspect_ratio": "1:1", "image": {"url": A, "type": "image_url"}}),
    ("grok-imagine-image-2.0", P, "grok-imagine-image-2.0",
     {**P, "aspect_ratio": "1:1", "quality": "low", "resolution": "1k"}),
    ("grok-imagine-video", P, "grok-imagine-video", VIDEO),
    ("grok-imagine-video", {**P, "urls": [A], "duration": 15, "resolution": "720p", "size": "9:16"},
     "grok-imagine-video",
     {**P, "aspect_ratio": "9:16", "duration": 15, "resolution": "720p", "image": {"url": A}}),
    ("grok-imagine-video-1.5", {**P, "urls": [A, B]}, "grok-imagine-video-1.5",
     {**VIDEO, "reference_images": [{"url": A}, {"url": B}]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({**P, "urls": [A, B], "duration": 15}, "duration is more than 10 with two images"),
        ({"prompt": "ä" * 2_049}, "prompt is more than 4096 bytes"),
    ],
)
@pytest.mark.parametrize("provider", ["xai", "fal", "apimart"])
def test_what_grok_15_refuses_is_not_sent(provider: str, source: dict[str, Any], reason: str) -> None:
    with pytest.raises(CannotMapError, match=reason):
        mapped(provider, "grok-imagine-video-1.5", source)


def test_what_grok_15_just_takes() -> None:
    assert mapped("xai", "grok-imagine-video-1.5", {**P, "urls": [A, B], "duration": 10})
    assert mapped("xai", "grok-imagine-video-1.5", {"prompt": "ä" * 2_048, "urls": [A], "duration": 15})
