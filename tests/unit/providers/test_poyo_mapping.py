"""Our input in PoYo's words, written down from its catalogue (docs/providers/poyo.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import FIRST, A, B, C, Case, S, V, mapped, said
from tollgate.providers.mapping.images import CannotMapError

P = {"prompt": "a fox"}
FLUX = {**P, "resolution": "720p", "duration": 5, "aspect_ratio": "auto"}
KLING = {**P, "duration": 5, "sound": False, "multi_shots": False}
OMNI = {**P, "aspect_ratio": "16:9", "resolution": "720p"}
WAN = {"resolution": "720p", "duration": 5}
VEO = {**P, "aspect_ratio": "16:9", "resolution": "1080p"}

IMAGES: list[Case] = [
    ("z-image", {**P, "size": "4:3"}, "z-image", {**P, "size": "4:3", "enable_safety_checker": True}),
    ("z-image", {**P, "urls": [A], "enableSafetyChecker": False}, "z-image",
     {**P, "size": "1:1", "image_urls": [A], "enable_safety_checker": False}),
    ("gpt-image-2", {**P}, "gpt-image-2", {**P, "size": "1:1", "resolution": "1K"}),
    ("gpt-image-2", {**P, "urls": [A, B], "resolution": "4k", "size": "auto"}, "gpt-image-2-edit",
     {**P, "size": "auto", "resolution": "4K", "image_urls": [A, B]}),
    ("grok-imagine-image", {**P, "urls": [A], "size": "2:3"}, "grok-imagine-image",
     {**P, "size": "2:3", "image_urls": [A]}),
    ("wan-2.7-image", {**P, "seed": 7}, "wan-2.7-image",
     {**P, "size": {"width": 2048, "height": 2048}, "seed": 7}),
    ("wan-2.7-image-pro", {**P, "urls": [B, A], "size": "3:2"}, "wan-2.7-image-pro",
     {**P, "size": {"width": 2496, "height": 1664}, "image_urls": [B, A]}),
    ("wan-2.7-image", {**P, "size": "16:9", "width": 800, "height": 600}, "wan-2.7-image",
     {**P, "size": {"width": 800, "height": 600}}),
    ("qwen-image-3", {**P, "urls": [A], "seed": 1}, "qwen-image-3",
     {**P, "size": "1:1", "image_urls": [A], "seed": 1}),
    ("qwen-image-3-pro", {**P, "size": "2:3"}, "qwen-image-3-pro", {**P, "size": "2:3", "resolution": "1K"}),
]  # fmt: skip
VIDEOS: list[Case] = [
    ("seedance-1.5-pro", {**P, "imageUrls": [A, B], "duration": 12, "cameraFixed": True}, "seedance-1.5-pro",
     {**P, "aspect_ratio": "16:9", "resolution": "480p", "duration": 12, "generate_audio": True,
      "fixed_lens": True, "image_urls": [A, B]}),
    ("grok-imagine-video-1.5", {**P, "urls": [A], "size": "1:1"}, "grok-imagine-video-1.5",
     {**P, "aspect_ratio": "1:1", "duration": 6, "resolution": "480p", "image_urls": [A]}),
    ("gemini-omni-1.1-flash", {**P, "duration": 10}, "omni-flash", {**OMNI, "duration": 10}),
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A]}, "omni-flash",
     {**OMNI, "duration": 8, "image_urls": [A]}),
    ("gemini-omni-1.1-flash", {**P, "referenceVideoUrls": [V]}, "omni-flash", {**OMNI, "video_urls": [V]}),
    ("flux-3-video", {**P}, "flux-3/text-to-video", FLUX),
    ("flux-3-video", {**P, "imageUrls": [A]}, "flux-3/image-to-video", {**FLUX, "image_urls": [A]}),
    ("flux-3-video", {**P, "imageUrls": [A, B]}, "flux-3/first-last-frame-to-video",
     {**FLUX, "image_urls": [A, B]}),
    (
        # 5 s have 120 frames, and the second of three images is half way.
        "flux-3-video",
        {**P, "imageUrls": [A, B, C]},
        "flux-3/keyframes-to-video",
        {
            **FLUX,
            "keyframes": [
                {"frame_index": 0, "image_url": A},
                {"frame_index": 60, "image_url": B},
                {"frame_index": 120, "image_url": C},
            ],
        },
    ),
    ("flux-3-video", {**P, "videoUrl": V}, "flux-3/extend-video", {**FLUX, "video_url": V}),
    ("kling-3.0", {**P}, "kling-3.0/standard", {**KLING, "aspect_ratio": "16:9"}),
    ("kling-3.0", {**P, "imageUrls": [A, B], "resolution": "4k", "generateAudio": True}, "kling-3.0/4K",
     {**KLING, "sound": True, "image_urls": [A, B]}),
    ("kling-3.0-turbo", {**P, "resolution": "1080p"}, "kling-3.0-turbo/pro",
     {**P, "duration": 5, "aspect_ratio": "16:9"}),
    ("kling-3.0-turbo", {**P, "imageUrls": [A]}, "kling-3.0-turbo/standard",
     {**P, "duration": 5, "image_urls": [A]}),
    ("kling-2.6", {**P, "aspectRatio": "1:1"}, "kling-2.6",
     {**P, "duration": 5, "aspect_ratio": "1:1", "sound": False}),
    ("kling-2.6", {**P, "imageUrls": [A], "duration": 10}, "kling-2.6",
     {**P, "duration": 10, "sound": False, "aspect_ratio": "16:9", "image_urls": [A]}),
    *(
        (
            model,
            {"imageUrls": [A], "videoUrls": [V], "characterOrientation": "image"},
            model,
            {
                "image_urls": [A],
                "video_urls": [V],
                "character_orientation": "image",
                "resolution": "720p",
            },
        )
        for model in ("kling-2.6-motion-control", "kling-3.0-motion-control")
    ),
    ("minimax-h3", {**P, "resolution": "2k", "imageUrls": [A], "audioUrls": [S], "duration": 15}, "hailuo-03",
     {**P, "resolution": "2K", "duration": 15, "reference_image_urls": [A], "reference_audio_urls": [S]}),
    ("wan-2.7-text-to-video", {**P, "audioUrl": S, "enableSafetyChecker": True}, "wan2.7-text-to-video",
     {**P, **WAN, "aspect_ratio": "16:9", "audio_url": S, "enable_safety_checker": True}),
    ("wan-2.7-image-to-video", {"imageUrls": [A, B], "multiShots": True, "seed": 4}, "wan2.7-image-to-video",
     {**WAN, "image_urls": [A, B], "multi_shots": True, "seed": 4}),
    ("wan-2.7-image-to-video", {"continueVideoUrl": V}, "wan2.7-image-to-video", {**WAN, "video_url": V}),
    ("wan-2.7-reference-to-video", {"referenceImageUrls": [A, B], "referenceVideoUrls": [V], "size": "1:1"},
     "wan2.7-reference-to-video",
     {**WAN, "aspect_ratio": "1:1", "reference_image_urls": [A, B], "reference_video_urls": [V]}),
    ("wan-2.7-edit-video",
     {**P, "editVideoUrl": V, "referenceImageUrl": A, "audioSetting": "origin", "duration": 0},
     "wan2.7-edit-video",
     {**P, **WAN, "duration": 0, "aspect_ratio": "16:9", "video_url": V, "reference_image_url": A,
      "audio_setting": "origin"}),
    ("veo-3.1-quality", {**P}, "veo3.1-quality", VEO),
    ("veo-3.1-fast", {**P, "urls": [A, B, C], "generationType": "reference"}, "veo3.1-fast",
     {**VEO, "image_urls": [A, B, C], "generation_type": "reference"}),
    ("sora-2-official", {**P, "urls": [A], "duration": 20}, "sora-2-official",
     {**P, "aspect_ratio": "16:9", "duration": 20, "image_urls": [A]}),
]  # fmt: skip
TOOLS: list[Case] = [
    ("kling-avatar-2.0", {**P, "imageUrls": [A], "audioUrls": [S]}, "kling-avatar-2.0/standard",
     {**P, "image_urls": [A], "audio_url": S}),
    ("hunyuan-3d-3.1", {"imageUrls": [A], "pbr": True}, "hunyuan-3d/v3.1/pro/image-to-3d",
     {"image_urls": [A], "enable_pbr": True}),
    ("hunyuan-3d-3.1", {**P, "quality": "rapid", "texture": False}, "hunyuan-3d/v3.1/rapid/text-to-3d",
     {**P, "enable_pbr": False, "enable_geometry": True}),
]  # fmt: skip
CASES = [*IMAGES, *VIDEOS, *TOOLS]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("seedance-1.5-pro", {"imageUrls": [A]}, "no prompt"),
    ("seedance-1.5-pro", {"prompt": "go"}, "a prompt that is too short"),
    ("seedance-1.5-pro", {**P, "seed": 1}, "no word for seed"),
    ("seedance-1.5-pro", {**P, "imageUrls": [A, B, C]}, "3 images"),
    ("grok-imagine-video-1.5", {**P}, "no urls"),
    ("grok-imagine-video-1.5", {**P, "urls": [A, B]}, "more than 1"),
    ("gemini-omni-1.1-flash", {**P, "resolution": "360p"}, "cannot be '360p'"),
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A, B]}, "more than 1"),
    ("gemini-omni-1.1-flash", {**P, "referenceImageUrls": [A]}, "no word for referenceImageUrls"),
    ("flux-3-video", {**P, "draft": True}, "True, but only"),
    ("flux-3-video", {**P, "safetyTolerance": 4}, "4, but only"),
    ("kling-2.6", {"prompt": "x" * 1_001}, "prompt is more than 1000"),
    ("minimax-h3", {**P, "resolution": "2k", "seed": 1}, "no word for seed"),
    ("minimax-h3", {**P, "resolution": "2k", "aspectRatio": "9:16"}, "'9:16', but only"),
]


def test_the_first_frame_is_the_first_image_by_its_role_too() -> None:
    assert mapped("poyo", "seedance-1.5-pro", {**P, "imageWithRoles": [FIRST]}).body["image_urls"] == [A]


def test_kling_26_has_no_sound_between_two_images() -> None:
    values = {**P, "imageUrls": [A, B], "aspectRatio": "16:9", "generateAudio": False}
    assert said("poyo", "kling-2.6", values).body["end_image_url"] == B
    with pytest.raises(CannotMapError, match="sound beside an end image"):
        said("poyo", "kling-2.6", {**values, "generateAudio": True})
