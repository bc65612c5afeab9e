"""Our input in ModelArk's words, written down from the vendor's pages (docs/providers/ark.md)."""

from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.providers.mapping_support import (
    FIRST,
    LAST,
    REFERENCE,
    A,
    B,
    C,
    Case,
    Refusal,
    S,
    V,
    mapped,
    without_words,
)
from tollgate.catalog.profiles.img_e import SIZES

P = {"prompt": "a fox"}
TEXT = {"type": "text", "text": "a fox"}
SEEDANCE_2 = {"ratio": "16:9", "resolution": "480p", "duration": 5, "generate_audio": True}
SEEDANCE_20 = {**SEEDANCE_2, "return_last_frame": False}
SEEDANCE_25 = {
    **SEEDANCE_20,
    "ratio": "adaptive",
    "watermark": False,
    "output_format": "mp4",
    "omni_reference_task_type": "auto",
}
SEEDANCE_15 = {**SEEDANCE_2, "duration": 4, "camera_fixed": False}
SEEDREAM = {**P, "watermark": False, "sequential_image_generation": "disabled", "response_format": "url"}
MODEL_20, MODEL_25 = "dreamina-seedance-2-0-260128", "dreamina-seedance-2-5-260628"


def image(url: str, role: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}, "role": role}


VIDEOS: list[Case] = [
    ("seedance-2.0", P, MODEL_20, {**SEEDANCE_20, "content": [TEXT]}),
    ("seedance-2.0-fast", P, "dreamina-seedance-2-0-fast-260128", {**SEEDANCE_20, "content": [TEXT]}),
    ("seedance-2.0-mini", P, "dreamina-seedance-2-0-mini", {**SEEDANCE_20, "content": [TEXT]}),
    (
        "seedance-2.0",
        {"imageWithRoles": [LAST, FIRST], "seed": 7, "returnLastFrame": True, "nsfwCheck": True},
        MODEL_20,
        {
            **SEEDANCE_20,
            "content": [image(A, "first_frame"), image(B, "last_frame")],
            "seed": 7,
            "return_last_frame": True,
        },
    ),
    (
        "seedance-2.0",
        {**P, "imageUrls": [A, B], "videoUrls": [V], "audioUrls": [S], "tools": [{"type": "web_search"}]},
        MODEL_20,
        {
            **SEEDANCE_20,
            "content": [
                TEXT,
                image(A, "reference_image"),
                image(B, "reference_image"),
                {"type": "video_url", "video_url": {"url": V}, "role": "reference_video"},
                {"type": "audio_url", "audio_url": {"url": S}, "role": "reference_audio"},
            ],
            "tools": [{"type": "web_search"}],
        },
    ),
    (
        "seedance-2.5",
        {
            **P,
            "imageUrls": [A],
            "imageWithRoles": [REFERENCE],
            "watermark": True,
            "outputFormat": "mov",
            "omniReferenceTaskType": "reference",
            "size": "21:9",
        },
        MODEL_25,
        {
            **SEEDANCE_25,
            "content": [TEXT, image(A, "reference_image"), image(C, "reference_image")],
            "ratio": "21:9",
            "watermark": True,
            "output_format": "mov",
            "omni_reference_task_type": "auto",
        },
    ),
    ("seedance-2.5", {**P, "duration": 30}, MODEL_25, {**SEEDANCE_25, "content": [TEXT], "duration": 30}),
    (
        "seedance-1.5-pro",
        {**P, "imageUrls": [A, B], "cameraFixed": True},
        "seedance-1-5-pro-251215",
        {
            **SEEDANCE_15,
            "content": [TEXT, image(A, "first_frame"), image(B, "last_frame")],
            "camera_fixed": True,
        },
    ),
]
IMAGES: list[Case] = [
    ("seedream-4.0",
     {**P, "resolution": "1K", "size": "21:9", "promptOptimizeMode": "fast", "watermark": True},
     "seedream-4-0-250828",
     {**SEEDREAM, "size": "1512x648", "watermark": True, "optimize_prompt_options": {"mode": "fast"}}),
    ("seedream-4.5", {**P, "urls": [A, B], "resolution": "4K"}, "seedream-4-5-251128",
     {**SEEDREAM, "size": "4096x4096", "image": [A, B]}),
    ("seedream-5-lite", {**P, "size": "auto", "outputFormat": "png"}, "seedream-5-0-260128",
     {**SEEDREAM, "size": "2K", "output_format": "png"}),
    ("seedream-5-pro", {**P, "size": "3:2", "resolution": "2K"}, "dola-seedream-5-0-pro-260628",
     {**SEEDREAM, "size": "2496x1664", "output_format": "jpeg"}),
]  # fmt: skip


CASES = [*VIDEOS, *IMAGES]
REFUSED: list[Refusal] = [
    ("seedream-4.0", {**P, "outputFormat": "png"}, "'png', but only"),
    ("seedream-4.5", {**P, "outputFormat": "png"}, "'png', but only"),
    ("seedream-4.5", {**P, "promptOptimizeMode": "fast"}, "'fast', but only"),
    ("seedream-5-lite", {**P, "promptOptimizeMode": "fast"}, "'fast', but only"),
    ("seedance-1.5-pro", {**P, "imageUrls": [A, B, C]}, "at most two frames"),
]
test_no_words = without_words(
    "ark",
    [("seedance-2.0", {**P, "imageWithRoles": [FIRST], "videoUrls": [V]}, "frames and references together")],
)


@pytest.mark.parametrize(
    ("model", "tier", "least_px", "most_px"),
    [
        # The vendor's pages have none; these are in the documentation of platforms that pass requests on.
        ("seedream-4.0", "1K", 921_600, 16_777_216),
        ("seedream-4.0", "4K", 921_600, 16_777_216),
        ("seedream-4.5", "2K", 3_686_400, 16_777_216),
        ("seedream-4.5", "4K", 3_686_400, 16_777_216),
        ("seedream-5-lite", "2K", 3_686_400, 10_404_496),
        ("seedream-5-lite", "3K", 3_686_400, 10_404_496),
    ],
)
@given(size=st.sampled_from([size for size in SIZES if size != "auto"]))
def test_a_size_is_within_the_bounds_of_its_model(
    model: str, tier: str, least_px: int, most_px: int, size: str
) -> None:
    body = mapped("ark", model, {**P, "size": size, "resolution": tier}).body
    width, height = map(int, body["size"].split("x"))
    ours = [int(side) for side in size.split(":")]
    assert width * ours[1] == height * ours[0]
    assert least_px <= prod((width, height)) <= most_px
