"""Our input in kie's words, written down from its documentation (docs/providers/kie.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import FIRST, LAST, REFERENCE, A, B, C, Case, S, V, said
from tollgate.providers.mapping.images import CannotMapError

P = {"prompt": "a fox"}
LARGE_SEED = 2**31
SEEDANCE = {
    **P, "aspect_ratio": "16:9", "resolution": "480p", "duration": 5, "generate_audio": True,
    "nsfw_checker": False, "web_search": False,
}  # fmt: skip
GROK = {**P, "aspect_ratio": "16:9", "resolution": "480p", "mode": "normal"}
OMNI = {**P, "aspect_ratio": "16:9", "resolution": "720p", "duration": "8"}
KLING = {**P, "mode": "std", "duration": "5", "sound": False, "multi_shots": False}
H3 = {**P, "aspect_ratio": "16:9", "duration": 5}
PIXVERSE = {
    **P,
    "quality": "360p",
    "duration": 5,
    "generate_audio_switch": False,
    "generate_multi_clip_switch": False,
}
WAN = {"resolution": "720p", "duration": 5}
WAN_3 = {"aspect_ratio": "adaptive", "resolution": "480P", "duration": 5, "audio": True}

IMAGES: list[Case] = [
    ("z-image", {**P, "size": "3:4"}, "z-image", {**P, "aspect_ratio": "3:4"}),
    ("gpt-image-2", {**P, "resolution": "2k"}, "gpt-image-2-text-to-image",
     {**P, "aspect_ratio": "1:1", "resolution": "2K"}),
    ("gpt-image-2.5-flare", {**P, "urls": [A, B], "size": "16:9", "resolution": "4k"},
     "gpt-image-2-5-flare-image-to-image",
     {**P, "aspect_ratio": "16:9", "resolution": "4K", "input_urls": [A, B]}),
    ("gpt-image-2.5-sunburst", {**P}, "gpt-image-2-5-sunburst-text-to-image",
     {**P, "aspect_ratio": "1:1", "resolution": "1K"}),
    ("grok-imagine-image-2.0", {**P, "size": "4:3"}, "grok-imagine-image-2-0/text-to-image",
     {**P, "aspect_ratio": "4:3"}),
    ("grok-imagine-image-2.0", {**P, "urls": [A]}, "grok-imagine-image-2-0/image-edit",
     {**P, "aspect_ratio": "1:1", "image_urls": [A]}),
    *(
        (
            model,
            {**P, "urls": [A, B], "resolution": "4K"},
            upstream,
            {**P, "aspect_ratio": "16:9", "resolution": "4K", "image_input": [A, B]},
        )
        for model, upstream in (
            ("nano-banana-2", "nano-banana-2"),
            ("nano-banana-2.1", "nano-banana-2-1"),
            ("nano-banana-pro", "nano-banana-pro"),
        )
    ),
    ("nano-banana-2-lite", {**P, "urls": [A], "size": "1:1"}, "nano-banana-2-lite",
     {**P, "aspect_ratio": "1:1", "image_urls": [A]}),
    ("seedream-5-lite", {**P, "resolution": "4K", "outputFormat": "png"}, "seedream/5-lite-text-to-image",
     {**P, "aspect_ratio": "1:1", "quality": "ultra", "output_format": "png"}),
    ("seedream-5-lite", {**P, "resolution": "3K", "urls": [A]}, "seedream/5-lite-image-to-image",
     {**P, "aspect_ratio": "1:1", "quality": "high", "output_format": "jpeg", "image_urls": [A]}),
    ("seedream-5-pro", {**P, "resolution": "1K"}, "seedream/5-pro-text-to-image",
     {**P, "aspect_ratio": "1:1", "quality": "basic", "output_format": "jpeg"}),
    ("seedream-5-pro", {**P, "urls": [A]}, "seedream/5-pro-image-to-image",
     {**P, "aspect_ratio": "1:1", "quality": "high", "output_format": "jpeg", "image_urls": [A]}),
    ("seedream-5-flash", {**P, "resolution": "1.5K", "size": "21:9"}, "seedream/5-flash-text-to-image",
     {**P, "aspect_ratio": "21:9", "size": "1.5K", "output_format": "jpeg"}),
    ("seedream-4.5", {**P, "resolution": "4K", "urls": [A, B]}, "seedream/4.5-edit",
     {**P, "aspect_ratio": "1:1", "quality": "high", "output_format": "jpeg", "image_urls": [A, B]}),
    ("seedream-4.0", {**P, "size": "3:2", "resolution": "1K"}, "bytedance/seedream-v4-text-to-image",
     {**P, "image_size": "landscape_3_2", "image_resolution": "1K"}),
    ("seedream-4.0", {**P, "urls": [A]}, "bytedance/seedream-v4-edit",
     {**P, "image_size": "square_hd", "image_resolution": "2K", "image_urls": [A]}),
    ("wan-2.7-image", {**P, "size": "16:9", "seed": 5}, "wan/2-7-image",
     {**P, "aspect_ratio": "16:9", "seed": 5, "n": 1}),
    ("wan-2.7-image-pro", {**P, "urls": [A]}, "wan/2-7-image-pro", {**P, "input_urls": [A], "n": 1}),
    ("qwen-image-3", {**P}, "qwen3/text-to-image", {**P, "image_size": "1:1"}),
    ("qwen-image-3-pro", {**P, "urls": [A, B], "size": "9:16"}, "qwen3/pro-image-to-image",
     {**P, "image_size": "9:16", "image_urls": [A, B]}),
]  # fmt: skip
VIDEOS: list[Case] = [
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A, B], "duration": 6}, "google/gemini-omni-flash-1-1",
     {**OMNI, "duration": "6", "first_frame_url": A, "last_frame_url": B}),
    ("gemini-omni-1.1-flash", {**P, "referenceImageUrls": [A, B], "resolution": "4k"},
     "google/gemini-omni-flash-1-1", {**OMNI, "resolution": "4k", "image_urls": [A, B]}),
    ("seedance-2.0", {**P}, "bytedance/seedance-2", SEEDANCE),
    ("seedance-2.0-fast", {"imageWithRoles": [LAST, FIRST], "nsfwCheck": True, "size": "adaptive"},
     "bytedance/seedance-2-fast",
     {**{name: value for name, value in SEEDANCE.items() if name != "prompt"}, "aspect_ratio": "adaptive",
      "nsfw_checker": True, "first_frame_url": A, "last_frame_url": B}),
    ("seedance-2.0-mini",
     {**P, "imageUrls": [A], "videoUrls": [V], "audioUrls": [S], "tools": [{"type": "web_search"}],
      "resolution": "720p"}, "bytedance/seedance-2-mini",
     {**SEEDANCE, "resolution": "720p", "web_search": True, "reference_image_urls": [A],
      "reference_video_urls": [V], "reference_audio_urls": [S]}),
    ("seedance-2.5",
     {**P, "imageUrls": [A], "imageWithRoles": [REFERENCE], "omniReferenceTaskType": "reference"},
     "bytedance/seedance-2-5", {**SEEDANCE, "aspect_ratio": "adaptive", "reference_image_urls": [A, C]}),
    ("grok-imagine-video", {**P}, "grok-imagine/text-to-video", {**GROK, "duration": 6}),
    ("grok-imagine-video", {**P, "urls": [A, B], "duration": 30}, "grok-imagine/image-to-video",
     {**GROK, "duration": "30", "image_urls": [A, B]}),
    ("kling-3.0", {**P}, "kling-3.0/video", {**KLING, "aspect_ratio": "16:9"}),
    ("kling-3.0", {**P, "imageUrls": [A, B], "resolution": "4k", "duration": 15, "generateAudio": True},
     "kling-3.0/video", {**KLING, "mode": "4K", "duration": "15", "sound": True, "image_urls": [A, B]}),
    ("kling-o3", {**P, "resolution": "4k", "aspectRatio": "1:1"}, "kling-3.0-omni/text-to-video",
     {**P, "resolution": "4K", "duration": 5, "aspect_ratio": "1:1", "audio": False}),
    ("kling-o3", {**P, "imageUrls": [A], "generateAudio": True}, "kling-3.0-omni/image-to-video",
     {**P, "resolution": "720p", "duration": 5, "audio": True, "image_urls": [A]}),
    ("kling-3.0-turbo", {**P}, "kling/v3-turbo-text-to-video",
     {**P, "resolution": "720p", "duration": "5", "aspect_ratio": "16:9"}),
    ("kling-3.0-turbo", {**P, "imageUrls": [A]}, "kling/v3-turbo-image-to-video",
     {**P, "resolution": "720p", "duration": "5", "image_urls": [A]}),
    ("kling-2.6", {**P, "duration": 10, "generateAudio": True}, "kling-2.6/text-to-video",
     {**P, "duration": "10", "aspect_ratio": "16:9", "sound": True}),
    ("kling-2.6", {**P, "imageUrls": [A]}, "kling-2.6/image-to-video",
     {**P, "duration": "5", "sound": False, "image_urls": [A]}),
    *(
        (
            model,
            {**P, "imageUrls": [A], "videoUrls": [V], "characterOrientation": "image", "resolution": "1080p"},
            upstream,
            {
                **P,
                "input_urls": [A],
                "video_urls": [V],
                "character_orientation": "image",
                "mode": "1080p",
            },
        )
        for model, upstream in (
            ("kling-2.6-motion-control", "kling-2.6/motion-control"),
            ("kling-3.0-motion-control", "kling-3.0/motion-control"),
        )
    ),
    ("minimax-h3", {**P}, "minimax-h3/text-to-video", {**H3, "resolution": "768P"}),
    ("minimax-h3", {**P, "imageUrls": [A, B], "resolution": "2k"}, "minimax-h3/reference-to-video",
     {**H3, "resolution": "2K", "reference_image_urls": [A, B]}),
    ("pixverse-v6", {**P, "size": "2:3", "generateMultiClipSwitch": True}, "pixverse-v6/text-to-video",
     {**PIXVERSE, "aspect_ratio": "2:3", "generate_multi_clip_switch": True}),
    ("pixverse-v6", {**P, "imageUrls": [A, B], "resolution": "1080p", "audio": True},
     "pixverse-v6/image-to-video",
     {**PIXVERSE, "quality": "1080p", "generate_audio_switch": True, "image_urls": [A]}),
    ("wan-2.7-text-to-video", {**P, "audioUrl": S, "seed": 3, "enableSafetyChecker": False},
     "wan/2-7-text-to-video",
     {**P, **WAN, "ratio": "16:9", "audio_url": S, "seed": 3, "nsfw_checker": False}),
    ("wan-2.7-image-to-video", {**P, "imageUrls": [A, B], "audioUrl": S}, "wan/2-7-image-to-video",
     {**P, **WAN, "first_frame_url": A, "last_frame_url": B, "driving_audio_url": S}),
    ("wan-2.7-image-to-video", {**P, "continueVideoUrl": V}, "wan/2-7-image-to-video",
     {**P, **WAN, "first_clip_url": V}),
    ("wan-2.7-reference-to-video", {**P, "referenceImageUrls": [A], "referenceVideoUrls": [V]}, "wan/2-7-r2v",
     {**P, **WAN, "aspect_ratio": "16:9", "reference_image": [A], "reference_video": [V]}),
    ("wan-2.7-edit-video", {"editVideoUrl": V, "referenceImageUrl": A, "audioSetting": "auto", "duration": 0},
     "wan/2-7-videoedit",
     {**WAN, "duration": 0, "aspect_ratio": "16:9", "video_url": V, "reference_image": A,
      "audio_setting": "auto"}),
    ("wan-3.0", {**P}, "wan/3-0-video", {**P, **WAN_3}),
    ("wan-3.0-prime",
     {**P, "imageWithRoles": [FIRST, LAST], "resolution": "1080p", "seed": 2, "audioUrls": [S]},
     "wan/3-0-video-prime",
     {**P, **WAN_3, "resolution": "1080P", "seed": 2, "first_frame_url": A, "last_frame_url": B,
      "reference_audio_urls": [S]}),
    ("wan-3.0", {"imageUrls": [A], "videoUrls": [V], "generationType": "reference"}, "wan/3-0-video",
     {**WAN_3, "reference_image_urls": [A], "reference_video_urls": [V]}),
    ("sora-2", {**P, "aspectRatio": "9:16", "duration": 15}, "sora-2-text-to-video",
     {**P, "aspect_ratio": "portrait", "n_frames": "15"}),
    ("sora-2", {**P, "urls": [A]}, "sora-2-image-to-video",
     {**P, "aspect_ratio": "landscape", "n_frames": "10", "image_urls": [A]}),
]  # fmt: skip
TOOLS: list[Case] = [
    ("topaz-image-upscale", {"imageUrls": [A], "upscaleFactor": 8}, "topaz/image-upscale",
     {"image_url": A, "upscale_factor": "8"}),
]  # fmt: skip
CASES = [*IMAGES, *VIDEOS, *TOOLS]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("z-image", {**P, "urls": [A]}, "no id for edit"),
    ("z-image", {**P, "size": "1:1", "enableSafetyChecker": False}, "False, but only"),
    ("gpt-image-2", {**P, "resolution": "4k"}, "no square at 4k"),
    ("grok-imagine-image-2.0", {"prompt": "x" * 8_001}, "prompt is more than 8000"),
    ("nano-banana-2", {**P, "resolution": "512px"}, "cannot be '512px'"),
    ("seedream-5-lite", {**P, "size": "auto"}, "cannot be 'auto'"),
    ("seedream-5-lite", {**P, "watermark": True}, "True, but only"),
    ("seedream-5-lite", {**P, "promptOptimizeMode": "fast"}, "'fast', but only"),
    ("seedream-5-pro", {**P, "resolution": "1.5K"}, "cannot be '1.5K'"),
    ("seedream-4.0", {**P, "outputFormat": "png"}, "'png', but only"),
    ("wan-2.7-image", {**P, "size": "3:2"}, "cannot be '3:2'"),
    ("wan-2.7-image", {**P, "urls": [A], "size": "16:9"}, "'16:9', but only"),
    ("wan-2.7-image", {**P, "width": 64, "height": 64}, "no word for width"),
    ("qwen-image-3", {**P, "size": "2:3"}, "cannot be '2:3'"),
    ("seedance-2.0", {**P, "seed": 1}, "no word for seed"),
    ("seedance-2.0", {**P, "returnLastFrame": True}, "True, but only"),
    ("seedance-2.5", {**P, "videoUrls": [V], "omniReferenceTaskType": "extend"}, "'extend', but only"),
    ("minimax-h3", {"prompt": "x" * 7_001}, "prompt is more than 7000"),
    ("minimax-h3", {**P, "audioUrls": [S]}, "no word for audioUrls"),
    ("minimax-h3", {**P, "seed": 1}, "no word for seed"),
    ("pixverse-v6", {**P, "seed": 1}, "1, but only"),
    ("pixverse-v6", {**P, "negativePrompt": "rain"}, "no word for negativePrompt"),
    ("pixverse-v6", {**P, "firstFrameImage": A, "lastFrameImage": B}, "no word for firstFrameImage"),
    ("wan-2.7-text-to-video", {**P, "seed": LARGE_SEED}, "seed is more than"),
    ("wan-2.7-image-to-video", {"imageUrls": [A]}, "no prompt"),
    (
        "wan-2.7-reference-to-video",
        {**P, "referenceImageUrls": [A] * 3, "referenceVideoUrls": [V] * 3},
        "6 references",
    ),
    ("wan-2.7-edit-video", {"editVideoUrl": V, "audioSetting": "loud"}, "cannot be 'loud'"),
    ("wan-3.0", {**P, "linkUrl": "https://a.test"}, "no word for linkUrl"),
    ("wan-3.0", {**P, "watermark": True}, "True, but only"),
]


def test_frames_and_references_are_two_jobs() -> None:
    values = {**P, "imageWithRoles": [FIRST], "imageUrls": [B]}
    with pytest.raises(CannotMapError, match="frames and references together"):
        said("kie", "seedance-2.5", values)


def test_kling_26_starts_from_one_image_at_most() -> None:
    values = {**P, "imageUrls": [A, B], "duration": 5, "resolution": "1080p", "generateAudio": False}
    with pytest.raises(CannotMapError, match="more than 1"):
        said("kie", "kling-2.6", values)
