"""Where the contract says that a variant differs, the model's data says it: both sides of each difference."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG, URL, VIDEO
from tollgate.kit.errors import InvalidInputError

P = {"prompt": "a cat"}

ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("grok-imagine-image", {**P, "urls": [URL]}),
    ("grok-imagine-image-2.0", {**P, "size": "3:4"}),
    ("grok-imagine-image-1.5", {**P, "size": "3:2"}),
    ("nano-banana-2", {**P, "resolution": "512px"}),
    ("nano-banana-2.1", {**P, "resolution": "4K", "size": "1:8"}),
    ("nano-banana-pro", {**P, "size": "21:9"}),
    ("nano-banana-2-lite", {**P, "size": "4:5"}),
    ("seedream-5-lite", {**P, "resolution": "3K", "urls": [URL] * 14}),
    ("seedream-5-pro", {"prompt": "x" * 5000, "urls": [URL] * 10, "resolution": "1.5K"}),
    ("seedream-5-flash", {**P, "size": "21:9"}),
    ("seedream-4.5", {**P, "resolution": "4K"}),
    ("seedream-4.0", {**P, "promptOptimizeMode": "fast", "resolution": "1K"}),
    ("qwen-image-3", {**P, "urls": [URL] * 3}),
    ("wan-2.7-image", {**P, "urls": [URL] * 4, "width": 512, "height": 512}),
    ("sora-2", {**P, "duration": 15}),
    ("sora-2-pro", {**P, "duration": 25}),
    ("veo-3.1-fast", {**P, "urls": [URL], "generationType": "frame"}),
    ("veo-3.1-lite", {**P, "resolution": "4k"}),
    ("seedance-2.0-fast", {**P, "resolution": "720p"}),
    ("seedance-1.0-pro-fast", {**P, "imageUrls": [URL]}),
    ("grok-imagine-video-1.5", {**P, "duration": 15}),
    ("kling-3.0-turbo", {**P, "imageUrls": [URL]}),
    ("kling-2.6", {**P, "duration": 10}),
    ("kling-4.0-flash", {**P, "duration": 20}),
    ("minimax-h3", {**P, "resolution": "2k", "duration": 5}),
    ("wan-2.7-text-to-video", {**P, "duration": 15, "audioUrl": URL}),
    ("wan-2.7-image-to-video", {"continueVideoUrl": VIDEO, "duration": 2}),
    ("wan-2.7-image-to-video", {"imageUrls": [URL, URL], "duration": 15}),
    ("wan-2.7-reference-to-video", {"referenceVideoUrls": [VIDEO], "duration": 10}),
    ("wan-2.7-edit-video", {"editVideoUrl": VIDEO, "duration": 0, "referenceImageUrl": URL}),
    ("suno", {**P, "mv": "v3.5"}),
    ("suno", {**P, "mv": "v5.5"}),
]

REFUSED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("grok-imagine-image", {**P, "size": "3:4"}, ["/input/size"]),
    ("grok-imagine-image-1.5", {**P, "urls": [URL]}, ["/input/urls"]),
    ("nano-banana-2.1", {**P, "resolution": "512px"}, ["/input/resolution"]),
    ("nano-banana-pro", {**P, "size": "1:8"}, ["/input/size"]),
    ("nano-banana-2-lite", {**P, "resolution": "1K"}, ["/input/resolution"]),
    ("seedream-5-lite", {**P, "resolution": "1K"}, ["/input/resolution"]),
    ("seedream-5-pro", {"prompt": "x" * 5001}, ["/input/prompt"]),
    ("seedream-5-pro", {**P, "urls": [URL] * 11}, ["/input/urls"]),
    ("seedream-5-flash", {**P, "size": "9:21"}, ["/input/size"]),
    ("seedream-5-flash", {**P, "size": "auto"}, ["/input/size"]),
    ("seedream-4.5", {**P, "resolution": "1K"}, ["/input/resolution"]),
    ("seedream-4.0", {**P, "resolution": "3K"}, ["/input/resolution"]),
    ("qwen-image-3", {**P, "urls": [URL] * 4}, ["/input/urls"]),
    ("qwen-image-3-pro", {**P, "width": 512, "height": 512}, ["/input/width", "/input/height"]),
    ("sora-2", {**P, "duration": 25}, ["/input/duration"]),
    ("veo-3.1-lite", {**P, "urls": [URL]}, ["/input/urls"]),
    ("veo-3.1-lite", {**P, "generationType": "frame"}, ["/input/generationType"]),
    ("seedance-2.0-mini", {**P, "resolution": "1080p"}, ["/input/resolution"]),
    ("seedance-1.0-pro-fast", {**P, "generateAudio": True}, ["/input/generateAudio"]),
    ("seedance-1.0-pro-fast", {**P, "imageUrls": [URL] * 2}, ["/input/imageUrls"]),
    ("seedance-1.0-pro-fast", {"imageUrls": [URL]}, ["/input/prompt"]),
    ("grok-imagine-video-1.5", {**P, "duration": 20}, ["/input/duration"]),
    ("kling-3.0-turbo", {**P, "resolution": "4k"}, ["/input/resolution"]),
    ("kling-3.0-turbo", {**P, "imageUrls": [URL] * 2}, ["/input/imageUrls"]),
    ("kling-2.6", {**P, "duration": 6}, ["/input/duration"]),
    ("kling-2.6", {**P, "resolution": "720p"}, ["/input/resolution"]),
    ("kling-4.0-flash", {**P, "duration": 21}, ["/input/duration"]),
    ("kling-4.0-flash", {}, ["/input/prompt"]),
    ("minimax-h3", {**P, "resolution": "480p"}, ["/input/resolution"]),
    ("minimax-h3", {**P, "duration": 4}, ["/input/duration"]),
    ("wan-2.7-text-to-video", {**P, "imageUrls": [URL]}, ["/input/imageUrls"]),
    ("wan-2.7-text-to-video", {}, ["/input/prompt"]),
    ("wan-2.7-image-to-video", P, ["/input"]),
    ("wan-2.7-image-to-video", {"imageUrls": [URL], "duration": 1}, ["/input/duration"]),
    ("wan-2.7-reference-to-video", P, ["/input"]),
    ("wan-2.7-reference-to-video", {"referenceImageUrls": [URL], "duration": 11}, ["/input/duration"]),
    ("wan-2.7-edit-video", P, ["/input/editVideoUrl"]),
    ("wan-2.7-edit-video", {"editVideoUrl": VIDEO, "duration": 1}, ["/input/duration"]),
    ("suno", {**P, "mv": "custom"}, ["/input/mv"]),
]


@pytest.mark.parametrize(("model_id", "source"), ACCEPTED)
def test_has_what_its_variant_has(model_id: str, source: dict[str, Any]) -> None:
    CATALOG.media_model(model_id).check(source)


@pytest.mark.parametrize(("model_id", "source", "paths"), REFUSED)
def test_has_not_what_its_variant_lacks(model_id: str, source: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(InvalidInputError) as raised:
        CATALOG.media_model(model_id).check(source)
    assert [problem.path for problem in raised.value.problems] == paths


def test_defaults_of_a_variant_are_its_own() -> None:
    assert CATALOG.media_model("kling-2.6").check(P).values["resolution"] == "1080p"
    assert CATALOG.media_model("minimax-h3").check(P).values["resolution"] == "768p"
    assert "resolution" not in CATALOG.media_model("nano-banana-2-lite").check(P).values
