"""Our input in DashScope's words, written down from the vendor's pages (docs/providers/dashscope.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import FIRST, LAST, A, B, Case, Refusal, S, V, mapped, said

P = {"prompt": "a fox"}
LARGE_SEED = 2**31
WAN = {"resolution": "720P", "duration": 5}
WAN_3 = {"resolution": "480P", "duration": 5, "ratio": "adaptive", "audio": True, "watermark": False}


def media(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"media": [{"type": kind, "url": url} for kind, url in pairs]}


def message(*parts: dict[str, str]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(parts)}]}


VIDEOS: list[Case] = [
    (
        "wan-2.7-text-to-video",
        {**P, "audioUrl": S, "size": "9:16", "resolution": "1080p", "seed": 3},
        "wan2.7-t2v",
        {
            "input": {**P, "audio_url": S},
            "parameters": {"resolution": "1080P", "duration": 5, "ratio": "9:16", "seed": 3},
        },
    ),
    (
        "wan-2.7-image-to-video",
        {"imageUrls": [A, B], "audioUrl": S, "enableSafetyChecker": True},
        "wan2.7-i2v",
        {"input": media(("first_frame", A), ("last_frame", B), ("driving_audio", S)), "parameters": WAN},
    ),
    (
        "wan-2.7-image-to-video",
        {**P, "continueVideoUrl": V, "duration": 2},
        "wan2.7-i2v",
        {"input": {**P, **media(("first_clip", V))}, "parameters": {**WAN, "duration": 2}},
    ),
    (
        "wan-2.7-reference-to-video",
        {**P, "referenceImageUrls": [A, B], "referenceVideoUrls": [V]},
        "wan2.7-r2v",
        {
            "input": {**P, **media(("reference_image", A), ("reference_image", B), ("reference_video", V))},
            "parameters": {**WAN, "ratio": "16:9"},
        },
    ),
    (
        "wan-2.7-edit-video",
        {**P, "editVideoUrl": V, "referenceImageUrl": A, "audioSetting": "origin", "duration": 0},
        "wan2.7-videoedit",
        {
            "input": {**P, **media(("video", V), ("reference_image", A))},
            "parameters": {**WAN, "ratio": "16:9", "duration": 0, "audio_setting": "origin"},
        },
    ),
    ("wan-3.0", P, "wan3.0-video", {"input": P, "parameters": WAN_3}),
    (
        "wan-3.0",
        {"imageWithRoles": [FIRST, LAST], "audioUrls": [S], "watermark": True, "audio": False},
        "wan3.0-video",
        {
            "input": media(("first_frame", A), ("last_frame", B), ("reference_audio", S)),
            "parameters": {**WAN_3, "watermark": True, "audio": False},
        },
    ),
    (
        "wan-3.0-prime",
        {**P, "imageUrls": [A], "audioUrls": [S], "fileUrl": "https://a.test/a.pdf"},
        "wan3.0-video-prime",
        {
            "input": {
                **P,
                **media(("reference_image", A), ("reference_audio", S), ("file", "https://a.test/a.pdf")),
            },
            "parameters": WAN_3,
        },
    ),
    (
        "wan-3.0",
        {**P, "linkUrl": "https://a.test/page"},
        "wan3.0-video",
        {"input": {**P, **media(("link", "https://a.test/page"))}, "parameters": WAN_3},
    ),
]
IMAGES: list[Case] = [
    ("wan-2.7-image", {**P, "size": "16:9", "seed": 5}, "wan2.7-image",
     {"input": message({"text": "a fox"}), "parameters": {"size": "2560*1440", "n": 1, "seed": 5}}),
    ("wan-2.7-image-pro", {**P, "urls": [A, B], "width": 1_000, "height": 900}, "wan2.7-image-pro",
     {"input": message({"image": A}, {"image": B}, {"text": "a fox"}),
      "parameters": {"size": "1000*900", "n": 1}}),
    (
        "qwen-image-3",
        P,
        "qwen-image-3.0",
        # 1488² is the largest square in steps of 16 within 2 250 000 pixels.
        {"input": message({"text": "a fox"}), "parameters": {"size": "1488*1488", "n": 1}},
    ),
    ("qwen-image-3-pro", {**P, "urls": [A], "size": "1:1"}, "qwen-image-3.0-pro",
     {"input": message({"image": A}, {"text": "a fox"}), "parameters": {"size": "1488*1488", "n": 1}}),
]  # fmt: skip


CASES = [*VIDEOS, *IMAGES]
REFUSED: list[Refusal] = [
    ("wan-2.7-text-to-video", {**P, "seed": LARGE_SEED}, "seed is more than"),
    ("wan-2.7-text-to-video", {**P, "enableSafetyChecker": False}, "False, but only"),
    ("wan-2.7-image-to-video", {"imageUrls": [A], "multiShots": True}, "no word for multiShots"),
    ("wan-2.7-reference-to-video", {"referenceImageUrls": [A]}, "no prompt"),
    ("wan-2.7-reference-to-video", {**P, "referenceImageUrls": [A] * 4, "referenceVideoUrls": [V] * 2},
     "6 references"),
    ("wan-2.7-edit-video", {"editVideoUrl": V, "audioSetting": "off"}, "cannot be 'off'"),
    # The fewest pixels are 768², the most 2048²; no side is more than eight times the other.
    ("wan-2.7-image", {**P, "width": 767, "height": 768}, "no image of 767 by 768"),
    ("wan-2.7-image", {**P, "width": 2_049, "height": 2_048}, "no image of 2049 by 2048"),
    ("wan-2.7-image", {**P, "width": 4_000, "height": 400}, "no image of 4000 by 400"),
]  # fmt: skip


@pytest.mark.parametrize(("width", "height"), [(768, 768), (2_048, 2_048), (3_200, 400)])
def test_a_size_at_the_edge_of_its_bounds(width: int, height: int) -> None:
    body = mapped("dashscope", "wan-2.7-image", {**P, "width": width, "height": height}).body
    assert body["parameters"]["size"] == f"{width}*{height}"


def test_a_qwen_image_of_given_pixels_is_made_where_the_catalog_allows_it() -> None:
    values = {**P, "size": "1:1", "width": 1_024, "height": 768}
    assert said("dashscope", "qwen-image-3", values).body["parameters"]["size"] == "1024*768"
