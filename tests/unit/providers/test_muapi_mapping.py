"""Our input in MuAPI's words, written down from its documentation (docs/providers/muapi.md)."""

from typing import Any

from tests.unit.providers.mapping_support import A, B, C, Case, V

P = {"prompt": "a fox"}
USUAL = {"resolution": "720p", "duration": 3}
CAST = {"videoMode": "elements", "imageUrls": [A]}
CASES: list[Case] = [
    ("kling-4.0", {**P, "aspectRatio": "1:1"}, "kling-4.0-text-to-video",
     {**P, **USUAL, "aspect_ratio": "1:1"}),
    # An element with a single image is an image.
    ("kling-4.0",
     {"prompt": "@Image1 @Element1 @Element2 @element_3", **CAST,
      "elements": [{"imageUrls": [B, C], "description": "a dog"}, {"imageUrls": [C], "description": "a hat"},
                   {"videoUrl": V}]},
     "kling-4.0-reference-to-video",
     {"prompt": "@image_1 @element_1 @image_2 @element_3\n@image_2: a hat", **USUAL, "image_urls": [A, C],
      "elements": [{"name": "element_1", "image_urls": [B, C], "description": "a dog"},
                   {"name": "element_3", "video_url": V}]}),
    ("flux-3-klein", {**P, "size": "9:21", "resolution": "4K"}, "flux-3-klein-text-to-image",
     {**P, "aspect_ratio": "9:21", "resolution": "4K"}),
    # Without an image to follow, the shape is a square.
    ("flux-3-klein", P, "flux-3-klein-text-to-image",
     {**P, "aspect_ratio": "1:1", "resolution": "1K"}),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("kling-4.0", {**P, **CAST, "imageUrls": [A] * 10, "elements": [{"imageUrls": [B]}]}, "11 images"),
    ("kling-4.0", {**P, "videoMode": "start_end_frame", "startFrameUrl": A}, "no word for startFrameUrl"),
    ("kling-4.0", {**P, "generateAudio": False}, "only"),
]
