"""The inputs of kie's models: fields, types and limits (docs/providers/kie.md)."""

from collections.abc import Mapping
from typing import Any

from local.simulator.providers import kie_tools
from local.simulator.providers.inputs import ModelInput, Prompt, Url, Urls, images, jpegs, needed, one, videos

_RATIOS = one("1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9")
_KLING_RATIOS = one("16:9", "9:16", "1:1")
_KLING_LENGTHS = one(*map(str, range(3, 16)))
_FILE_TYPES = one("jpeg", "png")
_EDIT = {"image_urls": needed(Urls)}
_GPT: dict[str, Any] = {"aspect_ratio": str, "resolution": one("1K", "2K", "4K")}
_GROK_IMAGE: dict[str, Any] = {
    "aspect_ratio": one("1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9"),
}
_NANO: dict[str, Any] = {"aspect_ratio": str, "resolution": one("1K", "2K", "4K")}
_QWEN: dict[str, Any] = {"image_size": one("1:1", "4:3", "3:4", "16:9", "9:16"), "seed": int}
_WAN_IMAGE: dict[str, Any] = {
    "input_urls": Urls,
    "aspect_ratio": one("1:1", "16:9", "4:3", "21:9", "3:4", "9:16", "8:1", "1:8"),
    "n": int,
    "seed": int,
}
_SEEDANCE: dict[str, Any] = {
    "prompt": Prompt,
    "aspect_ratio": one("1:1", "4:3", "3:4", "16:9", "9:16", "21:9", "adaptive"),
    "resolution": one("480p", "720p", "1080p", "4k"),
    "duration": int,
    "generate_audio": bool,
    "first_frame_url": Url,
    "last_frame_url": Url,
    "reference_image_urls": Urls,
    "reference_video_urls": Urls,
    "reference_audio_urls": Urls,
    "web_search": needed(bool),
    "nsfw_checker": bool,
}
_OMNI: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16"),
    "resolution": one("360p", "720p", "1080p", "4k"),
    "duration": one("4", "6", "8", "10"),
    "first_frame_url": Url,
    "last_frame_url": Url,
    "image_urls": Urls,
    "seed": int,
}
_GROK: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16", "1:1", "3:2", "2:3"),
    "resolution": one("480p", "720p"),
    "mode": one("fun", "normal", "spicy"),
}
_MOTION: dict[str, Any] = {
    "prompt": Prompt,
    "input_urls": needed(Urls),
    "video_urls": needed(Urls),
    "mode": one("720p", "1080p"),
    "character_orientation": one("image", "video"),
}
_MINIMAX: dict[str, Any] = {
    "resolution": one("768P", "2K"),
    "duration": one(*range(4, 16)),
    "aspect_ratio": str,
}
_PIXVERSE: dict[str, Any] = {
    "quality": one("360p", "540p", "720p", "1080p"),
    "duration": int,
    "generate_audio_switch": bool,
    "generate_multi_clip_switch": bool,
}
_WAN_27: dict[str, Any] = {
    "resolution": one("720p", "1080p"),
    "duration": int,
    "seed": int,
    "nsfw_checker": bool,
}
_WAN_RATIOS = one("16:9", "9:16", "1:1", "4:3", "3:4")
_WAN_3: dict[str, Any] = {
    "prompt": Prompt,
    "resolution": one("480P", "720P", "1080P"),
    "duration": int,
    "aspect_ratio": one("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "audio": bool,
    "first_frame_url": Url,
    "last_frame_url": Url,
    "reference_image_urls": Urls,
    "reference_video_urls": Urls,
    "reference_audio_urls": Urls,
    "seed": int,
}


def _seedreams() -> dict[str, type[ModelInput]]:
    shaped: dict[str, Any] = {"aspect_ratio": needed(_RATIOS), "output_format": _FILE_TYPES}
    lite = {"quality": needed(one("basic", "high", "ultra"))}
    two = {"quality": needed(one("basic", "high"))}
    flash = {"size": one("1K", "1.5K", "2K")}
    old: dict[str, Any] = {"image_size": str, "image_resolution": one("1K", "2K", "4K")}
    return {
        "seedream/4.5-text-to-image": images(**shaped, **two),
        "seedream/4.5-edit": images(**shaped, **two, **_EDIT),
        "seedream/5-lite-text-to-image": images(**shaped, **lite),
        "seedream/5-lite-image-to-image": images(**shaped, **lite, **_EDIT),
        "seedream/5-pro-text-to-image": images(**shaped, **two),
        "seedream/5-pro-image-to-image": images(**shaped, **two, **_EDIT),
        "seedream/5-flash-text-to-image": images(**shaped, **flash),
        "seedream/5-flash-image-to-image": images(**shaped, **flash, **_EDIT),
        "bytedance/seedream-v4-text-to-image": jpegs(**old),
        "bytedance/seedream-v4-edit": jpegs(**old, **_EDIT),
    }


def _gpts() -> dict[str, type[ModelInput]]:
    found: dict[str, type[ModelInput]] = {}
    for name in ("gpt-image-2", "gpt-image-2-5-flare", "gpt-image-2-5-sunburst"):
        found[f"{name}-text-to-image"] = images(**_GPT)
        found[f"{name}-image-to-image"] = images(**_GPT, input_urls=needed(Urls))
    return found


def _images() -> dict[str, type[ModelInput]]:
    nanos = ("nano-banana-2", "nano-banana-2-1", "nano-banana-pro")
    return {
        **_seedreams(),
        **_gpts(),
        **{name: images(**_NANO, image_input=Urls) for name in nanos},
        "nano-banana-2-lite": images(**_NANO, image_urls=Urls),
        "z-image": images(aspect_ratio=needed(one("1:1", "4:3", "3:4", "16:9", "9:16"))),
        "grok-imagine-image-2-0/text-to-image": images(**_GROK_IMAGE),
        "grok-imagine-image-2-0/image-edit": images(**_GROK_IMAGE, **_EDIT),
        "wan/2-7-image": images(**_WAN_IMAGE),
        "wan/2-7-image-pro": images(**_WAN_IMAGE),
        "qwen3/text-to-image": images(**_QWEN),
        "qwen3/image-to-image": images(**_QWEN, **_EDIT),
        "qwen3/pro-text-to-image": images(**_QWEN),
        "qwen3/pro-image-to-image": images(**_QWEN, **_EDIT),
    }


def _klings() -> dict[str, type[ModelInput]]:
    shape = {"aspect_ratio": _KLING_RATIOS}
    turbo: dict[str, Any] = {"resolution": one("720p", "1080p"), "duration": _KLING_LENGTHS}
    old: dict[str, Any] = {"duration": needed(one("5", "10")), "sound": needed(bool)}
    omni: dict[str, Any] = {
        "resolution": one("720p", "1080p", "4K"),
        "duration": one(*range(3, 16)),
        "audio": bool,
    }
    video: dict[str, Any] = {
        "mode": one("std", "pro", "4K"),
        "duration": _KLING_LENGTHS,
        "sound": bool,
        "image_urls": Urls,
        "multi_shots": bool,
    }
    return {
        "kling-3.0/video": videos(**video, **shape),
        "kling-3.0-omni/text-to-video": videos(**omni, **shape),
        "kling-3.0-omni/image-to-video": videos(**omni, **_EDIT),
        "kling/v3-turbo-text-to-video": videos(**turbo, **shape),
        "kling/v3-turbo-image-to-video": videos(**turbo, **_EDIT),
        "kling-2.6/text-to-video": videos(**old, **shape),
        "kling-2.6/image-to-video": videos(**old, **_EDIT),
        "kling-2.6/motion-control": videos(**_MOTION),
        "kling-3.0/motion-control": videos(**_MOTION),
    }


def _wans() -> dict[str, type[ModelInput]]:
    frames: dict[str, Any] = {
        "first_frame_url": Url,
        "last_frame_url": Url,
        "first_clip_url": Url,
        "driving_audio_url": Url,
    }
    edit: dict[str, Any] = {
        "prompt": Prompt,
        "video_url": needed(Url),
        "reference_image": Url,
        "audio_setting": one("auto", "origin"),
        "aspect_ratio": _WAN_RATIOS,
    }
    references: dict[str, Any] = {
        "reference_image": Urls,
        "reference_video": Urls,
        "aspect_ratio": _WAN_RATIOS,
    }
    return {
        "wan/2-7-text-to-video": videos(**_WAN_27, audio_url=Url, ratio=_WAN_RATIOS),
        "wan/2-7-image-to-video": videos(**_WAN_27, **frames),
        "wan/2-7-r2v": videos(**_WAN_27, **references),
        "wan/2-7-videoedit": videos(**_WAN_27, **edit),
        "wan/3-0-video": videos(**_WAN_3),
        "wan/3-0-video-prime": videos(**_WAN_3),
    }


def _videos() -> dict[str, type[ModelInput]]:
    kinds = ("seedance-2", "seedance-2-fast", "seedance-2-mini", "seedance-2-5")
    sora: dict[str, Any] = {
        "aspect_ratio": one("landscape", "portrait"),
        "n_frames": one("10", "15"),
    }
    return {
        **_klings(),
        **_wans(),
        **{f"bytedance/{kind}": videos(**_SEEDANCE) for kind in kinds},
        "google/gemini-omni-flash-1-1": videos(**_OMNI),
        "grok-imagine/text-to-video": videos(**_GROK, duration=int),
        "grok-imagine/image-to-video": videos(**_GROK, duration=str, **_EDIT),
        "minimax-h3/text-to-video": videos(**_MINIMAX),
        "minimax-h3/reference-to-video": videos(**_MINIMAX, reference_image_urls=needed(Urls)),
        "pixverse-v6/text-to-video": videos(**_PIXVERSE, aspect_ratio=str),
        "pixverse-v6/image-to-video": videos(**_PIXVERSE, **_EDIT),
        "sora-2-text-to-video": videos(**sora),
        "sora-2-image-to-video": videos(**sora, **_EDIT),
    }


MODELS: Mapping[str, type[ModelInput]] = {**_images(), **_videos(), **kie_tools.MODELS}
"""By name."""
