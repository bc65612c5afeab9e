"""Our input in fal's words, written down from the endpoints' schemas (docs/providers/fal.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import (
    FIRST,
    LAST,
    REFERENCE,
    A,
    B,
    C,
    Case,
    S,
    V,
    W,
    said,
)
from tollgate.providers.mapping.images import CannotMapError

P = {"prompt": "a fox"}
SEEDANCE = {**P, "aspect_ratio": "16:9", "resolution": "480p", "duration": "5", "generate_audio": True}
SEEDANCE_25 = {**SEEDANCE, "aspect_ratio": "auto"}
OMNI = {**P, "aspect_ratio": "16:9", "resolution": "720p"}
FLUX = {**P, "resolution": "720p", "duration": 5, "aspect_ratio": "auto", "safety_tolerance": 2}
KLING = {**P, "duration": "5", "generate_audio": False}
KLING_4 = {**P, "resolution": "720p", "generate_audio": True}
H3 = {**P, "aspect_ratio": "16:9", "duration": 5}
PIXVERSE = {**P, "resolution": "360p", "duration": 5, "seed": 0, "generate_audio_switch": False}
WAN_27 = {"resolution": "720p", "duration": 5}
WAN_3 = {"aspect_ratio": "adaptive", "resolution": "480p", "duration": 5, "audio": True}
VEO = {**P, "aspect_ratio": "16:9", "resolution": "1080p", "duration": "8s", "generate_audio": True}

IMAGES: list[Case] = [
    (
        "flux-3-image",
        {**P},
        "blackforestlabs/flux-3/text-to-image",
        {**P, "aspect_ratio": "auto", "resolution": "1k"},
    ),
    (
        "flux-3-image",
        {**P, "urls": [A, B], "resolution": "768SQ", "size": "7:5"},
        "blackforestlabs/flux-3/edit-image",
        {**P, "aspect_ratio": "7:5", "resolution": "768sq", "image_urls": [A, B]},
    ),
    (
        "gpt-image-2",
        {**P},
        "openai/gpt-image-2",
        {**P, "image_size": {"width": 1024, "height": 1024}, "quality": "medium"},
    ),
    (
        "gpt-image-2",
        {**P, "size": "16:9", "resolution": "4k", "urls": [A]},
        "openai/gpt-image-2/edit",
        {**P, "image_size": {"width": 3840, "height": 2160}, "quality": "medium", "image_urls": [A]},
    ),
    (
        "gpt-image-2.5-flare",
        {**P, "size": "auto"},
        "openai/gpt-image-2.5/flare/text-to-image",
        {**P, "image_size": "auto", "quality": "medium"},
    ),
    (
        "gpt-image-2.5-sunburst",
        {**P, "size": "1:3", "resolution": "2k", "urls": [A]},
        "openai/gpt-image-2.5/sunburst/edit",
        {**P, "image_size": {"width": 1168, "height": 3504}, "quality": "medium", "image_urls": [A]},
    ),
    (
        "grok-imagine-image-2.0",
        {**P, "size": "3:4"},
        "xai/grok-imagine-image/v2.0/text-to-image",
        {**P, "aspect_ratio": "3:4"},
    ),
    (
        "nano-banana-2",
        {**P, "resolution": "512px", "size": "8:1"},
        "fal-ai/nano-banana-2",
        {**P, "aspect_ratio": "8:1", "resolution": "0.5K"},
    ),
    (
        "nano-banana-2",
        {**P, "urls": [A, B, C]},
        "fal-ai/nano-banana-2/edit",
        {**P, "aspect_ratio": "16:9", "resolution": "1K", "image_urls": [A, B, C]},
    ),
    (
        "nano-banana-pro",
        {**P, "resolution": "4K"},
        "fal-ai/nano-banana-pro",
        {**P, "aspect_ratio": "16:9", "resolution": "4K"},
    ),
    (
        "seedream-5-lite",
        {**P},
        "bytedance/seedream/v5/lite/text-to-image",
        {**P, "image_size": {"width": 2048, "height": 2048}},
    ),
    (
        "seedream-5-pro",
        {**P, "size": "16:9", "resolution": "1.5K", "urls": [A]},
        "bytedance/seedream/v5/pro/edit",
        {**P, "image_size": {"width": 2048, "height": 1152}, "image_urls": [A]},
    ),
    (
        "seedream-5-flash",
        {**P, "size": "3:2", "resolution": "1K"},
        "bytedance/seedream/v5/flash/text-to-image",
        {**P, "image_size": {"width": 1248, "height": 832}},
    ),
    (
        "seedream-4.5",
        {**P, "size": "9:21", "resolution": "4K"},
        "fal-ai/bytedance/seedream/v4.5/text-to-image",
        {**P, "image_size": {"width": 2640, "height": 6160}},
    ),
    (
        "z-image",
        {**P, "size": "9:16", "enableSafetyChecker": False},
        "fal-ai/z-image/turbo",
        {**P, "image_size": "portrait_16_9", "enable_safety_checker": False},
    ),
    (
        "z-image",
        {**P, "urls": [A]},
        "fal-ai/z-image/turbo/image-to-image",
        {**P, "image_size": "square_hd", "image_url": A, "enable_safety_checker": True},
    ),
]
VIDEOS: list[Case] = [
    (
        "seedance-1.5-pro",
        {"imageWithRoles": [FIRST, LAST]},
        "fal-ai/bytedance/seedance/v1.5/pro/image-to-video",
        {
            "prompt": "",
            "aspect_ratio": "16:9",
            "resolution": "480p",
            "duration": "4",
            "generate_audio": True,
            "camera_fixed": False,
            "image_url": A,
            "end_image_url": B,
        },
    ),
    ("seedance-2.0", {**P}, "bytedance/seedance-2.0/text-to-video", SEEDANCE),
    (
        "seedance-2.0",
        {**P, "imageWithRoles": [FIRST, LAST], "size": "adaptive", "duration": 15},
        "bytedance/seedance-2.0/image-to-video",
        {**SEEDANCE, "aspect_ratio": "auto", "duration": "15", "image_url": A, "end_image_url": B},
    ),
    (
        "seedance-2.0-fast",
        {"imageUrls": [A, B], "videoUrls": [V], "audioUrls": [S], "generateAudio": False},
        "bytedance/seedance-2.0/fast/reference-to-video",
        {
            **SEEDANCE,
            "prompt": "",
            "generate_audio": False,
            "image_urls": [A, B],
            "video_urls": [V],
            "audio_urls": [S],
        },
    ),
    ("seedance-2.5", {**P}, "bytedance/seedance-2.5/text-to-video", SEEDANCE_25),
    (
        "seedance-2.5",
        {**P, "imageWithRoles": [FIRST]},
        "bytedance/seedance-2.5/image-to-video",
        {**SEEDANCE_25, "image_url": A},
    ),
    (
        "seedance-2.5",
        {**P, "imageUrls": [A], "imageWithRoles": [REFERENCE], "omniReferenceTaskType": "reference"},
        "bytedance/seedance-2.5/reference-to-video",
        {**SEEDANCE_25, "image_urls": [A, C], "task": "reference"},
    ),
    (
        "seedance-2.5",
        {**P, "videoUrls": [V], "omniReferenceTaskType": "extend"},
        "bytedance/seedance-2.5/reference-to-video",
        {**SEEDANCE_25, "video_urls": [V], "task": "extension"},
    ),
    (
        "grok-imagine-video",
        {**P},
        "xai/grok-imagine-video/text-to-video",
        {**P, "aspect_ratio": "16:9", "duration": 6, "resolution": "480p"},
    ),
    (
        "grok-imagine-video",
        {**P, "urls": [A], "duration": 15},
        "xai/grok-imagine-video/image-to-video",
        {**P, "aspect_ratio": "16:9", "duration": 15, "resolution": "480p", "image_url": A},
    ),
    (
        "grok-imagine-video-1.5",
        {**P, "urls": [A, B]},
        "xai/grok-imagine-video/v1.5/reference-to-video",
        {**P, "aspect_ratio": "16:9", "duration": 6, "resolution": "480p", "reference_image_urls": [A, B]},
    ),
    (
        "gemini-omni-1.1-flash",
        {**P},
        "google/gemini-omni-flash/v1.1/text-to-video",
        {**OMNI, "duration": 8},
    ),
    (
        "gemini-omni-1.1-flash",
        {**P, "imageUrls": [A], "resolution": "360p"},
        "google/gemini-omni-flash/v1.1/image-to-video",
        {**OMNI, "resolution": "360p", "duration": 8, "image_url": A},
    ),
    (
        "gemini-omni-1.1-flash",
        {**P, "referenceImageUrls": [A, B, C]},
        "google/gemini-omni-flash/v1.1/reference-to-video",
        {**OMNI, "duration": 8, "image_urls": [A, B, C]},
    ),
    (
        "gemini-omni-1.1-flash",
        {**P, "referenceImageUrls": [A], "referenceVideoUrls": [V]},
        "google/gemini-omni-flash/v1.1/reference-to-video",
        {**OMNI, "image_urls": [A], "reference_video_urls": [V]},
    ),
    (
        "gemini-omni-1.1-flash",
        {**P, "referenceVideoUrls": [V], "duration": 4},
        "google/gemini-omni-flash/v1.1/edit",
        {**OMNI, "video_url": V},
    ),
    ("flux-3-video", {**P}, "blackforestlabs/flux-3/text-to-video", FLUX),
    (
        "flux-3-video",
        {**P, "draft": True, "safetyTolerance": 0},
        "blackforestlabs/flux-3/text-to-video/draft",
        {**FLUX, "safety_tolerance": 0},
    ),
    (
        "flux-3-video",
        {**P, "imageUrls": [A]},
        "blackforestlabs/flux-3/image-to-video",
        {**FLUX, "image_url": A},
    ),
    (
        "flux-3-video",
        {**P, "imageUrls": [A, B], "draft": True},
        "blackforestlabs/flux-3/first-last-frame-to-video/draft",
        {**FLUX, "start_image_url": A, "end_image_url": B},
    ),
    (
        # 7 s have 168 frames; 168/3 = 56.
        "flux-3-video",
        {**P, "imageUrls": [A, B, C, A], "duration": 7},
        "blackforestlabs/flux-3/keyframes-to-video",
        {
            **FLUX,
            "duration": 7,
            "keyframes": [
                {"frame_index": 0, "image_url": A},
                {"frame_index": 56, "image_url": B},
                {"frame_index": 112, "image_url": C},
                {"frame_index": 168, "image_url": A},
            ],
        },
    ),
    (
        "flux-3-video",
        {**P, "videoUrl": V, "resolution": "1080p"},
        "blackforestlabs/flux-3/extend-video",
        {**FLUX, "resolution": "1080p", "video_url": V},
    ),
    ("minimax-h3", {**P}, "minimax/h3/text-to-video", {**H3, "resolution": "768P"}),
    (
        "minimax-h3",
        {**P, "imageUrls": [A, B], "audioUrls": [S], "resolution": "2k", "seed": 3},
        "minimax/h3/reference-to-video",
        {
            **H3,
            "resolution": "2K",
            "seed": 3,
            "reference_image_urls": [A, B],
            "reference_audio_urls": [S],
        },
    ),
    (
        "minimax-h3-max",
        {**P, "imageUrls": [A]},
        "minimax/h3-max/reference-to-video",
        {**H3, "resolution": "480P", "reference_image_urls": [A], "prompt_expansion_mode": "disabled"},
    ),
    (
        "pixverse-v6",
        {**P, "size": "21:9", "negativePrompt": "rain", "seed": 5},
        "fal-ai/pixverse/v6/text-to-video",
        {**PIXVERSE, "aspect_ratio": "21:9", "negative_prompt": "rain", "seed": 5},
    ),
    (
        "pixverse-v6",
        {**P, "imageUrls": [A, B], "audio": True},
        "fal-ai/pixverse/v6/image-to-video",
        {**PIXVERSE, "image_url": A, "generate_audio_switch": True},
    ),
    (
        "pixverse-v6",
        {**P, "firstFrameImage": A, "lastFrameImage": B, "duration": 8},
        "fal-ai/pixverse/v6/transition",
        {**PIXVERSE, "duration": 8, "first_image_url": A, "end_image_url": B},
    ),
    (
        "wan-2.7-text-to-video",
        {**P, "seed": 9},
        "fal-ai/wan/v2.7/text-to-video",
        {**P, **WAN_27, "aspect_ratio": "16:9", "seed": 9},
    ),
    (
        "wan-2.7-image-to-video",
        {"imageUrls": [A, B]},
        "fal-ai/wan/v2.7/image-to-video",
        {**WAN_27, "image_url": A, "end_image_url": B},
    ),
    (
        "wan-2.7-image-to-video",
        {**P, "continueVideoUrl": V},
        "fal-ai/wan/v2.7/image-to-video",
        {**P, **WAN_27, "video_url": V},
    ),
    (
        "wan-2.7-edit-video",
        {**P, "editVideoUrl": V, "referenceImageUrl": A, "duration": 0},
        "fal-ai/wan/v2.7/edit-video",
        {
            **P,
            **WAN_27,
            "duration": 0,
            "aspect_ratio": "16:9",
            "video_url": V,
            "reference_image_url": A,
        },
    ),
    ("wan-3.0", {**P, "seed": 1}, "alibaba/wan-3.0/text-to-video", {**P, **WAN_3, "seed": 1}),
    (
        "wan-3.0",
        {"imageUrls": [A, B], "generationType": "frame", "audio": False},
        "alibaba/wan-3.0/image-to-video",
        {**WAN_3, "audio": False, "start_image_url": A, "end_image_url": B},
    ),
    (
        "wan-3.0",
        {**P, "imageWithRoles": [{"url": A}], "videoUrls": [V, W], "audioUrls": [S]},
        "alibaba/wan-3.0/reference-to-video",
        {**P, **WAN_3, "image_urls": [A], "video_urls": [V, W], "audio_urls": [S]},
    ),
    (
        "wan-3.0-prime",
        {**P, "imageWithRoles": [FIRST]},
        "alibaba/wan-3.0-prime/image-to-video",
        {**P, **WAN_3, "start_image_url": A},
    ),
    ("veo-3.1-quality", {**P}, "fal-ai/veo3.1", VEO),
    (
        "veo-3.1-fast",
        {**P, "urls": [A]},
        "fal-ai/veo3.1/fast/image-to-video",
        {**VEO, "image_url": A},
    ),
    (
        "veo-3.1-fast",
        {**P, "urls": [A, B], "generationType": "frame"},
        "fal-ai/veo3.1/fast/first-last-frame-to-video",
        {**VEO, "first_frame_url": A, "last_frame_url": B},
    ),
    (
        "veo-3.1-quality",
        {**P, "urls": [A], "generationType": "reference"},
        "fal-ai/veo3.1/reference-to-video",
        {**VEO, "image_urls": [A]},
    ),
    ("veo-3.1-lite", {**P, "resolution": "720p"}, "fal-ai/veo3.1/lite", {**VEO, "resolution": "720p"}),
]
KLINGS: list[Case] = [
    (
        "kling-3.0",
        {**P, "aspectRatio": "9:16"},
        "fal-ai/kling-video/v3/standard/text-to-video",
        {**KLING, "aspect_ratio": "9:16"},
    ),
    (
        "kling-3.0",
        {**P, "resolution": "4k", "imageUrls": [A, B], "generateAudio": True},
        "fal-ai/kling-video/v3/4k/image-to-video",
        {**KLING, "generate_audio": True, "start_image_url": A, "end_image_url": B},
    ),
    (
        "kling-o3",
        {**P, "resolution": "1080p", "imageUrls": [A, B], "duration": 15},
        "fal-ai/kling-video/o3/pro/image-to-video",
        {**KLING, "duration": "15", "image_url": A, "end_image_url": B},
    ),
    (
        "kling-3.0-turbo",
        {**P},
        "fal-ai/kling-video/v3/turbo/standard/text-to-video",
        {**P, "duration": "5", "aspect_ratio": "16:9"},
    ),
    (
        "kling-3.0-turbo",
        {**P, "imageUrls": [A], "resolution": "1080p"},
        "fal-ai/kling-video/v3/turbo/pro/image-to-video",
        {**P, "duration": "5", "image_url": A},
    ),
    (
        "wan-2.7-reference-to-video",
        {**P, "referenceImageUrls": [A, B], "referenceVideoUrls": [V], "multiShots": True},
        "fal-ai/wan/v2.7/reference-to-video",
        {
            **P,
            **WAN_27,
            "aspect_ratio": "16:9",
            "reference_image_urls": [A, B],
            "reference_video_urls": [V],
            "multi_shots": True,
        },
    ),
    (
        "wan-2.7-image-to-video",
        {**P, "imageUrls": [A, B], "audioUrl": S},
        "fal-ai/wan/v2.7/image-to-video",
        {**P, "resolution": "720p", "duration": 5, "image_url": A, "end_image_url": B, "audio_url": S},
    ),
    (
        "wan-2.7-edit-video",
        {**P, "editVideoUrl": V, "audioSetting": "origin"},
        "fal-ai/wan/v2.7/edit-video",
        {**P, **WAN_27, "aspect_ratio": "16:9", "video_url": V, "audio_setting": "origin"},
    ),
    (
        "kling-3.0-motion-control",
        {**P, "imageUrls": [A], "videoUrls": [V], "characterOrientation": "video", "resolution": "1080p"},
        "fal-ai/kling-video/v3/pro/motion-control",
        {**P, "image_url": A, "video_url": V, "character_orientation": "video"},
    ),
    (
        "kling-4.0",
        {**P, "aspectRatio": "21:9", "duration": 30},
        "kling/v4/text-to-video",
        {**KLING_4, "aspect_ratio": "21:9", "duration": 30},
    ),
    (
        "kling-4.0",
        {"multiShots": [{"prompt": "a", "duration": 2}, {"prompt": "b", "duration": 3}]},
        "kling/v4/text-to-video",
        {
            "resolution": "720p",
            "generate_audio": True,
            "multi_prompt": [{"prompt": "a", "duration": 2}, {"prompt": "b", "duration": 3}],
        },
    ),
    (
        "kling-4.0",
        {
            **P,
            "videoMode": "start_end_frame",
            "startFrameUrl": A,
            "keyframeUrls": [B],
            "endFrameUrl": C,
            "keepAudio": False,
        },
        "kling/v4/image-to-video",
        {
            **KLING_4,
            "duration": 3,
            "start_image_url": A,
            "middle_image_urls": [B],
            "end_image_url": C,
        },
    ),
    (
        "kling-4.0",
        {
            **P,
            "videoMode": "elements",
            "imageUrls": [A],
            "elements": [{"description": "a dog", "imageUrls": [B]}, {"type": "video", "videoUrl": V}],
        },
        "kling/v4/reference-to-video",
        {
            **KLING_4,
            "duration": 3,
            "image_urls": [A],
            "elements": [
                {"description": "a dog", "image_urls": [B]},
                {"type": "video", "video_url": V},
            ],
        },
    ),
    (
        "kling-4.0",
        {**P, "videoMode": "video_reference", "videoUrl": V, "duration": 9},
        "kling/v4/reference-to-video",
        {**KLING_4, "video_urls": [V], "keep_audio": True},
    ),
    (
        "kling-4.0",
        {**P, "videoMode": "transform", "videoUrl": V, "keepAudio": False},
        "kling/v4/video-to-video/edit",
        {**KLING_4, "video_url": V, "keep_audio": False},
    ),
]
CASES = [*IMAGES, *VIDEOS, *KLINGS]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("flux-3-image", {**P, "grounding": False}, "False, but only"),
    ("gpt-image-2", {**P, "size": "auto", "resolution": "2k"}, "auto has no tier"),
    ("grok-imagine-image-2.0", {**P, "urls": [A]}, "no id for edit"),
    ("seedream-5-lite", {**P, "size": "auto"}, "auto has no tier"),
    ("seedream-5-lite", {**P, "outputFormat": "png"}, "'png', but only"),
    ("seedream-5-lite", {**P, "promptOptimizeMode": "fast"}, "'fast', but only"),
    ("seedream-5-pro", {**P, "watermark": True}, "True, but only"),
    ("seedance-2.0", {**P, "seed": 1}, "no word for seed"),
    ("seedance-2.0", {**P, "tools": [{"type": "web_search"}]}, "no word for tools"),
    ("seedance-2.0", {**P, "returnLastFrame": True}, "True, but only"),
    ("seedance-2.0", {**P, "nsfwCheck": True}, "True, but only"),
    ("seedance-2.5", {**P, "outputFormat": "mov"}, "'mov', but only"),
    ("seedance-2.5", {**P, "watermark": True}, "True, but only"),
    ("grok-imagine-video", {**P, "urls": [A, B]}, "no id for reference"),
    ("gemini-omni-1.1-flash", {**P, "imageUrls": [A, B]}, "2 items"),
    ("kling-4.0", {**P, "videoMode": "elements", "imageUrls": [A], "startImageIndex": 1}, "startImageIndex"),
    ("pixverse-v6", {**P, "watermark": True}, "True, but only"),
    ("pixverse-v6", {**P, "generateMultiClipSwitch": True}, "True, but only"),
    ("pixverse-v6", {**P, "imgReferences": [A]}, "no word for imgReferences"),
    ("pixverse-v6", {**P, "extendFromTaskId": "task_0"}, "no word for extendFromTaskId"),
    ("wan-2.7-image-to-video", {"imageUrls": [A], "multiShots": True}, "no word for multiShots"),
    ("wan-2.7-edit-video", {"editVideoUrl": V}, "no prompt"),
    ("wan-2.7-reference-to-video", {"referenceImageUrls": [A]}, "no prompt"),
    ("wan-2.7-edit-video", {**P, "editVideoUrl": V, "audioSetting": "loud"}, "'loud'"),
    ("wan-3.0", {**P, "fileUrl": "https://a.test/a.pdf"}, "no word for fileUrl"),
    ("wan-3.0", {**P, "imageWithRoles": [FIRST], "audioUrls": [S]}, "no word for audioUrls"),
    ("wan-3.0-prime", {**P}, "no id for text"),
]


def test_frames_and_references_are_two_jobs() -> None:
    values = {**P, "imageWithRoles": [FIRST], "videoUrls": [V]}
    with pytest.raises(CannotMapError, match="no word for videoUrls"):
        said("fal", "seedance-2.5", values)
