"""The inputs of kie's models: fields, types and bounds (docs/providers/kie.md)."""

from collections.abc import Mapping
from typing import Any

from local.simulator.providers.orders import Order, Prompt, Url, Urls, films, needed, one, pictures

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


def _seedreams() -> dict[str, type[Order]]:
    shaped: dict[str, Any] = {"aspect_ratio": needed(_RATIOS), "output_format": _FILE_TYPES}
    lite = {"quality": needed(one("basic", "high", "ultra"))}
    two = {"quality": needed(one("basic", "high"))}
    flash = {"size": one("1K", "1.5K", "2K")}
    old: dict[str, Any] = {"image_size": str, "image_resolution": one("1K", "2K", "4K")}
    return {
        "seedream/4.5-text-to-image": pictures(**shaped, **two),
        "seedream/4.5-edit": pictures(**shaped, **two, **_EDIT),
        "seedream/5-lite-text-to-image": pictures(**shaped, **lite),
        "seedream/5-lite-image-to-image": pictures(**shaped, **lite, **_EDIT),
        "seedream/5-pro-text-to-image": pictures(**shaped, **two),
        "seedream/5-pro-image-to-image": pictures(**shaped, **two, **_EDIT),
        "seedream/5-flash-text-to-image": pictures(**shaped, **flash),
        "seedream/5-flash-image-to-image": pictures(**shaped, **flash, **_EDIT),
        "bytedance/seedream-v4-text-to-image": pictures(**old),
        "bytedance/seedream-v4-edit": pictures(**old, **_EDIT),
    }


def _gpts() -> dict[str, type[Order]]:
    found: dict[str, type[Order]] = {}
    for name in ("gpt-image-2", "gpt-image-2-5-flare", "gpt-image-2-5-sunburst"):
        found[f"{name}-text-to-image"] = pictures(**_GPT)
        found[f"{name}-image-to-image"] = pictures(**_GPT, input_urls=needed(Urls))
    return found


def _images() -> dict[str, type[Order]]:
    nanos = ("nano-banana-2", "nano-banana-2-1", "nano-banana-pro")
    return {
        **_seedreams(),
        **_gpts(),
        **{name: pictures(**_NANO, image_input=Urls) for name in nanos},
        "nano-banana-2-lite": pictures(**_NANO, image_urls=Urls),
        "z-image": pictures(aspect_ratio=needed(one("1:1", "4:3", "3:4", "16:9", "9:16"))),
        "grok-imagine-image-2-0/text-to-image": pictures(**_GROK_IMAGE),
        "grok-imagine-image-2-0/image-edit": pictures(**_GROK_IMAGE, **_EDIT),
        "wan/2-7-image": pictures(**_WAN_IMAGE),
        "wan/2-7-image-pro": pictures(**_WAN_IMAGE),
        "qwen3/text-to-image": pictures(**_QWEN),
        "qwen3/image-to-image": pictures(**_QWEN, **_EDIT),
        "qwen3/pro-text-to-image": pictures(**_QWEN),
        "qwen3/pro-image-to-image": pictures(**_QWEN, **_EDIT),
    }


def _klings() -> dict[str, type[Order]]:
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
        "kling-3.0/video": films(**video, **shape),
        "kling-3.0-omni/text-to-video": films(**omni, **shape),
        "kling-3.0-omni/image-to-video": films(**omni, **_EDIT),
        "kling/v3-turbo-text-to-video": films(**turbo, **shape),
        "kling/v3-turbo-image-to-video": films(**turbo, **_EDIT),
        "kling-2.6/text-to-video": films(**old, **shape),
        "kling-2.6/image-to-video": films(**old, **_EDIT),
        "kling-2.6/motion-control": films(**_MOTION),
        "kling-3.0/motion-control": films(**_MOTION),
    }


def _wans() -> dict[str, type[Order]]:
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
        "wan/2-7-text-to-video": films(**_WAN_27, audio_url=Url, ratio=_WAN_RATIOS),
        "wan/2-7-image-to-video": films(**_WAN_27, **frames),
        "wan/2-7-r2v": films(**_WAN_27, **references),
        "wan/2-7-videoedit": films(**_WAN_27, **edit),
        "wan/3-0-video": films(**_WAN_3),
        "wan/3-0-video-prime": films(**_WAN_3),
    }


def _videos() -> dict[str, type[Order]]:
    kinds = ("seedance-2", "seedance-2-fast", "seedance-2-mini", "seedance-2-5")
    sora: dict[str, Any] = {
        "aspect_ratio": one("landscape", "portrait"),
        "n_frames": one("10", "15"),
    }
    return {
        **_klings(),
        **_wans(),
        **{f"bytedance/{kind}": films(**_SEEDANCE) for kind in kinds},
        "grok-imagine/text-to-video": films(**_GROK, duration=int),
        "grok-imagine/image-to-video": films(**_GROK, duration=str, **_EDIT),
        "minimax-h3/text-to-video": films(**_MINIMAX),
        "minimax-h3/reference-to-video": films(**_MINIMAX, reference_image_urls=needed(Urls)),
        "pixverse-v6/text-to-video": films(**_PIXVERSE, aspect_ratio=str),
        "pixverse-v6/image-to-video": films(**_PIXVERSE, **_EDIT),
        "sora-2-text-to-video": films(**sora),
        "sora-2-image-to-video": films(**sora, **_EDIT),
    }


MODELS: Mapping[str, type[Order]] = {**_images(), **_videos()}
"""By name."""
