"""Our input in PixVerse's words, written down from the vendor's pages (docs/providers/pixverse.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, Case, mapped, said
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.pixverse.mappings import Upload

P = {"prompt": "a fox"}
V6 = {
    **P, "model": "v6", "quality": "360p", "duration": 5, "seed": 0, "generate_audio_switch": False,
}  # fmt: skip
ONE_CLIP = {"generate_multi_clip_switch": False}
CASES: list[Case] = [
    ("pixverse-v6", P, "video/text/generate", {**V6, **ONE_CLIP, "aspect_ratio": "16:9"}),
    (
        "pixverse-v6",
        {**P, "imageUrls": [A, B], "audio": True, "generateMultiClipSwitch": True, "resolution": "1080p"},
        "video/img/generate",
        {
            **V6,
            "quality": "1080p",
            "generate_audio_switch": True,
            "generate_multi_clip_switch": True,
            "img_id": Upload(A),
        },
    ),
    (
        "pixverse-v6",
        {**P, "firstFrameImage": A, "lastFrameImage": B, "duration": 8},
        "video/transition/generate",
        {**V6, "duration": 8, "first_frame_img": Upload(A), "last_frame_img": Upload(B)},
    ),
    (
        "pixverse-v6",
        {"prompt": "@image2 runs", "imgReferences": [A, B], "size": "1:1", "seed": 9},
        "video/fusion/generate",
        {
            **V6,
            "prompt": "@image2 runs @image1",
            "seed": 9,
            "aspect_ratio": "1:1",
            "image_references": [
                {"type": "subject", "img_id": Upload(A), "ref_name": "image1"},
                {"type": "subject", "img_id": Upload(B), "ref_name": "image2"},
            ],
        },
    ),
    (
        "pixverse-v6",
        {**P, "extendFromTaskId": "3180"},
        "video/extend/generate",
        {**V6, "source_video_id": 3180},
    ),
]


@pytest.mark.parametrize(
    "source", [{**P, "negativePrompt": "rain"}, {**P, "watermark": True}, {**P, "extendFromTaskId": "task_1"}]
)
def test_what_it_has_no_words_for_is_another_providers(source: dict[str, Any]) -> None:
    with pytest.raises(CannotMapError):
        mapped("pixverse", "pixverse-v6", source)


def test_more_references_than_it_takes() -> None:
    values = {**P, "imgReferences": [A] * 8}
    with pytest.raises(CannotMapError):
        said("pixverse", "pixverse-v6", values)
