"""Our input in Google's words, written down from the vendor's pages (docs/providers/google.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, Case, V, mapped

P = {"prompt": "a fox"}
TEXT = {"type": "text", "text": "a fox"}


def picture(parts: list[dict[str, Any]], **config: str) -> dict[str, Any]:
    return {
        "contents": [{"role": "user", "parts": [{"text": "a fox"}, *parts]}],
        "generationConfig": {"responseModalities": ["TEXT", "IMAGE"], "imageConfig": config},
    }


def video(task: str, media: list[dict[str, str]], **response: str) -> dict[str, Any]:
    return {
        "model": "gemini-omni-1.1-flash",
        "input": [{"type": "user_input", "content": [*media, TEXT]}],
        "generation_config": {"video_config": {"task": task}},
        "response_format": {"type": "video", "delivery": "uri", **response},
        "background": True,
    }


def image(url: str) -> dict[str, str]:
    return {"type": "image", "uri": url, "mime_type": "image/png"}


USUAL = {"aspect_ratio": "16:9", "resolution": "720p"}

CASES: list[Case] = [
    ("nano-banana-2", P, "gemini-3.1-flash-image", picture([], aspectRatio="16:9", imageSize="1K")),
    ("nano-banana-2", {**P, "urls": [A], "size": "1:8", "resolution": "512px"}, "gemini-3.1-flash-image",
     picture([{"fileData": {"fileUri": A, "mimeType": "image/png"}}], aspectRatio="1:8", imageSize="512")),
    ("nano-banana-pro", {**P, "resolution": "4K"}, "gemini-3-pro-image",
     picture([], aspectRatio="16:9", imageSize="4K")),
    # It has one resolution, so none is said.
    ("nano-banana-2-lite", P, "gemini-3.1-flash-lite-image", picture([], aspectRatio="16:9")),
    ("gemini-omni-1.1-flash", {**P, "duration": 10, "resolution": "4k", "aspectRatio": "9:16"},
     "gemini-omni-1.1-flash",
     video("text_to_video", [], aspect_ratio="9:16", resolution="4k", duration="10s")),
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A]}, "gemini-omni-1.1-flash",
     video("image_to_video", [image(A)], **USUAL, duration="8s")),
    ("gemini-omni-1.1-flash", {**P, "referenceImageUrls": [A, B]}, "gemini-omni-1.1-flash",
     video("reference_to_video", [image(A), image(B)], **USUAL, duration="8s")),
    # The first and the last frame.
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A, B]}, "gemini-omni-1.1-flash",
     video("image_to_video", [image(A), image(B)], **USUAL, duration="8s")),
    ("gemini-omni-1.2-flash", {**P, "resolution": "4k"}, "gemini-omni-1.2-flash",
     {**video("text_to_video", [], aspect_ratio="16:9", resolution="4k", duration="8s"),
      "model": "gemini-omni-1.2-flash"}),
    ("veo-3.1-fast", {**P, "resolution": "720p"}, "veo-3.1-fast-generate-001",
     {"instances": [P],
      "parameters": {"aspectRatio": "16:9", "resolution": "720p", "durationSeconds": 8, "sampleCount": 1}}),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("nano-banana-2", {**P, "urls": ["https://a.test/picture"]}, "does not tell its type"),
    # Its tokens are billed, and a longer one costs more than the price.
    ("nano-banana-pro", {"prompt": "a" * 5_401}, "more than 5400 bytes"),
    ("gemini-omni-1.1-flash", {**P, "imageUrls": ["https://a.test/a.heic"]}, "does not tell its type"),
    ("gemini-omni-1.1-flash", {**P, "referenceVideoUrls": [V]}, "no word for referenceVideoUrls"),
    ("veo-3.1-fast", {**P, "urls": [A]}, "no word for urls"),
]


@pytest.mark.parametrize(
    ("address", "media_type"),
    [
        ("https://a.test/A.JPG?x=1", "image/jpeg"),
        ("https://a.test/a.jpeg", "image/jpeg"),
        ("https://a.test/a.webp#1", "image/webp"),
    ],
)
def test_the_type_of_an_address(address: str, media_type: str) -> None:
    body = mapped("google", "nano-banana-2", {**P, "urls": [address]}).body
    assert body["contents"][0]["parts"][1]["fileData"]["mimeType"] == media_type
