"""Our input in APIMart's words, written down from the vendor's pages (docs/providers/apimart.md) of PixVerse,
Seedance, Kling and Midjourney. Its music is in `test_apimart_music.py`."""

from typing import Any

from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import (
    FIRST,
    LAST,
    REFERENCE,
    A,
    B,
    Case,
    S,
    V,
    route_of,
    without_words,
)
from tollgate.catalog.profiles.midjourney import ACTIONS
from tollgate.providers.media.apimart import midjourney

P = {"prompt": "a fox"}
SEEDANCE = {**P, "resolution": "480p", "duration": 5, "generate_audio": True, "nsfw_check": False}
PIXVERSE = {
    **P, "resolution": "360p", "duration": 5, "seed": 0, "audio": False, "watermark": False,
    "generate_multi_clip_switch": False,
}  # fmt: skip
MJ = "midjourney/generations"
RELAX = {"speed": "relax"}
PARENT = {"parentTaskId": "task_A"}
PICTURE = {**PARENT, "index": 3}
CLIP = {"video_type": "vid_1.1_i2v_480", "animate_mode": "manual", "motion": "high", "batch_size": 1}

FLAGS = {
    "size": "16:9", "style": "raw", "version": "7", "seed": 1, "stylize": 250, "chaos": 10, "weird": 5,
    "tile": True, "niji": False, "iw": 1.5, "cw": 50, "sw": 100, "cref": A, "sref": "123", "dref": B,
    "dw": 20, "raw": True, "draft": True, "hd": True, "stop": 90, "extra": "--p", "repeat": 2,
}  # fmt: skip
"""Those that have the same name there."""

CASES: list[Case] = [
    ("grok-imagine-image-1.5", {**P, "size": "16:9"}, "grok-imagine-1.5-ext", {**P, "size": "16:9"}),
    ("grok-imagine-video-1.5", {**P, "urls": [A, B], "duration": 10, "resolution": "720p"},
     "grok-imagine-1.5-video-ext",
     {**P, "size": "16:9", "duration": 10, "resolution": "720p", "image_urls": [A, B]}),
    ("kling-3.0-turbo", {**P, "imageUrls": [A], "aspectRatio": "9:16"}, "kling-3.0-turbo",
     {**P, "duration": 5, "resolution": "720p", "first_frame_image": A}),
    ("kling-3.0-turbo", {**P, "aspectRatio": "9:16"}, "kling-3.0-turbo",
     {**P, "duration": 5, "resolution": "720p", "aspect_ratio": "9:16"}),
    ("pixverse-v6", {**P, "imageUrls": [A, B], "size": "9:16", "seed": 5}, "pixverse-v6",
     {**PIXVERSE, "seed": 5, "image_urls": [A]}),
    ("pixverse-v6", {**P, "firstFrameImage": A, "lastFrameImage": B}, "pixverse-v6",
     {**PIXVERSE, "first_frame_image": A, "last_frame_image": B}),
    ("pixverse-v6", {**P, "extendFromTaskId": "task_A"}, "pixverse-v6",
     {**PIXVERSE, "size": "16:9", "extend_from_task_id": "task_A"}),
    ("seedance-2.0", {**P, "imageUrls": [A], "videoUrls": [V], "audioUrls": [S], "seed": 7}, "seedance-2.0",
     {**SEEDANCE, "size": "16:9", "return_last_frame": False, "image_urls": [A], "video_urls": [V],
      "audio_urls": [S], "seed": 7}),
    ("seedance-2.0-fast", {**P, "imageWithRoles": [FIRST, LAST]}, "seedance-2.0-fast",
     {**SEEDANCE, "size": "16:9", "return_last_frame": False, "image_with_roles": [FIRST, LAST]}),
    ("seedance-1.0-pro-fast", {**P, "imageUrls": [A], "size": "9:16", "seed": 3}, "seedance-1-0-pro-fast",
     {**P, "resolution": "480p", "duration": 4, "camera_fixed": False, "aspect_ratio": "9:16", "seed": 3,
      "image_with_roles": [{"url": A, "role": "first_frame"}]}),
    ("midjourney", P, f"{MJ}/imagine", {**P, **RELAX}),
    ("midjourney",
     {**P, **FLAGS, "imageUrls": [A], "quality": 0.5, "negativePrompt": "rain", "speed": "turbo"},
     f"{MJ}/imagine",
     {**P, **FLAGS, "image_urls": [A], "quality": "0.5", "negative_prompt": "rain", "speed": "turbo"}),
    ("midjourney", {**P, "action": "edits", "imageUrls": [A]}, f"{MJ}/edits",
     {**P, **RELAX, "image_urls": [A]}),
    ("midjourney", {"action": "blend", "imageUrls": [A, B], "dimensions": "PORTRAIT", "size": "2:3"},
     f"{MJ}/blend", {**RELAX, "image_urls": [A, B], "dimensions": "PORTRAIT", "size": "2:3"}),
    ("midjourney", {"action": "describe", "imageUrls": [A]}, f"{MJ}/describe", {**RELAX, "image_urls": [A]}),
    ("midjourney", {"action": "upscale", **PICTURE, "speed": "fast"}, f"{MJ}/upscale",
     {"task_id": "task_A", "index": 3, "speed": "fast"}),
    ("midjourney", {"action": "variation", **PARENT, "customId": "MJ::JOB::variation::1::x"},
     f"{MJ}/variation", {**RELAX, "task_id": "task_A", "custom_id": "MJ::JOB::variation::1::x"}),
    ("midjourney", {"action": "reroll", **PARENT}, f"{MJ}/reroll", {**RELAX, "task_id": "task_A"}),
    ("midjourney", {"action": "zoom", **PICTURE, "zoomRatio": 1.5}, f"{MJ}/zoom",
     {**RELAX, "task_id": "task_A", "index": 3, "zoom_ratio": 1.5}),
    ("midjourney", {"action": "pan", **PICTURE, "direction": "up"}, f"{MJ}/pan",
     {**RELAX, "task_id": "task_A", "index": 3, "direction": "up"}),
    ("midjourney", {"action": "inpaint", **PICTURE}, f"{MJ}/inpaint",
     {**RELAX, "task_id": "task_A", "index": 3}),
    ("midjourney", {"action": "modal", **PARENT, **P, "maskUrl": A}, f"{MJ}/modal",
     {**RELAX, **P, "task_id": "task_A", "mask_url": A}),
    ("midjourney", {"action": "remix-subtle", **PICTURE, **P}, f"{MJ}/remix-subtle",
     {**RELAX, **P, "task_id": "task_A", "index": 3}),
    ("midjourney-video", {**P, "imageUrls": [A]}, f"{MJ}/video", {**P, **CLIP, "image_urls": [A]}),
    ("midjourney-video",
     {**PARENT, "index": 0, "animateMode": "auto", "motion": "low", "batchSize": 4,
      "videoType": "vid_1.1_i2v_start_end_720", "endUrl": B}, f"{MJ}/video",
     {"task_id": "task_A", "index": 0, "animate_mode": "auto", "motion": "low", "batch_size": 4,
      "video_type": "vid_1.1_i2v_start_end_720", "end_url": B}),
]  # fmt: skip

UNKNOWN: list[tuple[str, dict[str, Any], str]] = [
    ("grok-imagine-video-1.5", {**P, "duration": 20}, "6 to 15 are possible"),
    ("grok-imagine-video-1.5", {**P, "urls": [A] * 8}, "more than 7"),
    ("kling-3.0-turbo", {"prompt": "x" * 3_073}, "prompt is more than 3072"),
    ("pixverse-v6", {**P, "seed": 2**31}, "seed is more than"),
    ("pixverse-v6", {**P, "motionMode": "fast"}, "'fast', but only"),
    ("seedance-1.0-pro-fast", {**P, "imageWithRoles": [REFERENCE]}, "no word for imageUrls"),
    ("midjourney", {**P, "action": "shorten"}, "no path for the action shorten"),
    ("midjourney", {**PICTURE, "action": "upscale", "size": "16:9"}, "no word for size"),
    ("midjourney", {**PICTURE, "action": "upscale", "dimensions": "PORTRAIT"}, "'PORTRAIT', but only"),
    ("midjourney", {**PARENT, "action": "remix-strong", "customId": "x"}, "no word for customId"),
]
test_no_words = without_words("apimart", UNKNOWN)


def test_every_action_of_midjourney_has_words() -> None:
    assert set(midjourney.ACTIONS) == set(ACTIONS)
    assert route_of("apimart", "midjourney").enabled
    assert len(CATALOG.media_model("midjourney").pricing.prices) == 3 * len(ACTIONS)
