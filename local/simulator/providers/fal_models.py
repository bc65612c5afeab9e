"""The inputs of fal's models: fields, types and limits, if known, from docs/providers/fal.md."""

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from local.simulator.providers.inputs import (
    ModelInput,
    Prompt,
    Size,
    Url,
    Urls,
    images,
    jpegs,
    needed,
    one,
    videos,
)


class KlingShot(BaseModel):
    """A scene of Kling 4.0."""

    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: Prompt
    duration: Annotated[int, Field(ge=1, le=30)]


class KlingElement(BaseModel):
    """A subject of Kling: images, or a video, by the names of Kling O3."""

    model_config = ConfigDict(extra="forbid", strict=True)

    frontal_image_url: Url | None = None
    reference_image_urls: Urls | None = None
    video_url: Url | None = None


def _most(items: int) -> Any:
    return Annotated[list[Url], Field(max_length=items)]


_WIDE = one("16:9", "9:16")
_SEEDANCE_SIZES = one("16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "auto")
_SEEDANCE_LENGTHS = one(*map(str, range(4, 31)))
_SEEDANCE: dict[str, Any] = {
    "aspect_ratio": _SEEDANCE_SIZES,
    "resolution": one("480p", "720p", "1080p", "4k"),
    "duration": _SEEDANCE_LENGTHS,
    "generate_audio": bool,
}
_REFERENCES: dict[str, Any] = {"image_urls": Urls, "video_urls": Urls, "audio_urls": Urls}
_GROK: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16", "1:1", "3:2", "2:3"),
    "duration": int,
    "resolution": one("480p", "720p"),
}
_GROK_15_IMAGE: dict[str, Any] = {"duration": one(*range(1, 16)), "resolution": one("480p", "720p", "1080p")}
_OMNI: dict[str, Any] = {
    "aspect_ratio": _WIDE,
    "duration": one(*range(3, 11)),
    "resolution": one("360p", "720p", "1080p", "4k"),
}
_FLUX: dict[str, Any] = {
    "resolution": one("720p", "1080p"),
    "duration": one(*range(5, 21)),
    "aspect_ratio": one("auto", "21:9", "2:1", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "safety_tolerance": one(*range(5)),
}
_KLING: dict[str, Any] = {"duration": one(*map(str, range(3, 16))), "generate_audio": bool}
_KLING_SHAPE = {"aspect_ratio": one("16:9", "9:16", "1:1")}
_KLING_4: dict[str, Any] = {
    "prompt": Prompt,
    "resolution": one("720p", "1080p"),
    "duration": int,
    "aspect_ratio": one("16:9", "9:16", "1:1", "21:9"),
    "generate_audio": bool,
    "image_urls": Urls,
    "elements": Annotated[list[KlingElement], Field(max_length=7)],
}
_MINIMAX: dict[str, Any] = {
    "aspect_ratio": one("21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "duration": one(*range(5, 16)),
    "seed": int,
}
_H3 = {**_MINIMAX, "resolution": one("480P", "768P", "2K", "4K")}
_H3_MAX = {**_MINIMAX, "resolution": one("480P", "768P", "1080P")}
_MINIMAX_REFERENCES: dict[str, Any] = {"reference_image_urls": Urls, "reference_audio_urls": Urls}
_EXPANSION = {"prompt_expansion_mode": needed(one("disabled", "balanced"))}
_PIXVERSE: dict[str, Any] = {
    "resolution": one("360p", "540p", "720p", "1080p"),
    "duration": int,
    "seed": int,
    "negative_prompt": str,
    "generate_audio_switch": bool,
}
_WAN_27: dict[str, Any] = {
    "prompt": Prompt,
    "image_url": Url,
    "end_image_url": Url,
    "video_url": Url,
    "reference_image_url": Url,
    "reference_image_urls": Urls,
    "reference_video_urls": Urls,
    "multi_shots": bool,
    "audio_url": Url,
    "audio_setting": one("auto", "origin"),
    "aspect_ratio": one("16:9", "9:16", "1:1", "4:3", "3:4"),
    "resolution": one("720p", "1080p"),
    "duration": int,
    "seed": int,
}
_WAN_3: dict[str, Any] = {
    "prompt": Prompt,
    "aspect_ratio": one("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "resolution": one("480p", "720p", "1080p"),
    "duration": one(*range(2, 31)),
    "audio": bool,
    "seed": int,
}
_WAN_3_REFERENCES: dict[str, Any] = {
    "reference_image_urls": _most(10),
    "reference_video_urls": _most(5),
    "reference_audio_urls": _most(5),
}
_VEO: dict[str, Any] = {
    "aspect_ratio": _WIDE,
    "resolution": one("720p", "1080p", "4k"),
    "duration": one("8s"),
    "generate_audio": bool,
}
_NANO: dict[str, Any] = {"aspect_ratio": str, "resolution": one("0.5K", "1K", "2K", "4K")}
_GPT: dict[str, Any] = {
    "image_size": Size | one("auto"),
    "quality": one("low", "medium", "high"),
    "output_format": one("jpeg", "png", "webp"),
}
_GPT_25: dict[str, Any] = {**_GPT, "output_compression": Annotated[int, Field(ge=0, le=100)]}
_SEEDREAM: dict[str, Any] = {"image_size": Size}
_FLUX_IMAGE: dict[str, Any] = {
    "aspect_ratio": str,
    "resolution": one("768sq", "1k", "1.5k", "2k", "4k"),
}
_EDIT = {"image_urls": needed(Urls)}


def _images() -> dict[str, type[ModelInput]]:
    nanos = ("fal-ai/nano-banana-2", "fal-ai/nano-banana-pro")
    gpts = ("openai/gpt-image-2.5/flare", "openai/gpt-image-2.5/sunburst")
    seedreams = (
        *(f"bytedance/seedream/v5/{kind}" for kind in ("lite", "pro", "flash")),
        "fal-ai/bytedance/seedream/v4.5",
    )
    return {
        "blackforestlabs/flux-3/text-to-image": images(**_FLUX_IMAGE),
        "blackforestlabs/flux-3/edit-image": images(**_FLUX_IMAGE, **_EDIT),
        "openai/gpt-image-2": images(**_GPT),
        "openai/gpt-image-2/edit": images(**_GPT, **_EDIT),
        "xai/grok-imagine-image/v2.0/text-to-image": images(aspect_ratio=str),
        **{f"{path}/text-to-image": images(**_GPT_25) for path in gpts},
        **{f"{path}/edit": images(**_GPT_25, **_EDIT) for path in gpts},
        **{path: images(**_NANO) for path in nanos},
        **{f"{path}/edit": images(**_NANO, **_EDIT) for path in nanos},
        **{f"{path}/text-to-image": jpegs(**_SEEDREAM) for path in seedreams},
        **{f"{path}/edit": jpegs(**_SEEDREAM, **_EDIT) for path in seedreams},
    }


def _seedances() -> dict[str, type[ModelInput]]:
    paths = ("bytedance/seedance-2.0", "bytedance/seedance-2.0/fast", "bytedance/seedance-2.5")
    task = {"task": one("reference", "editing", "extension")}
    return {
        **{f"{path}/text-to-video": videos(**_SEEDANCE) for path in paths},
        **{
            f"{path}/image-to-video": videos(**_SEEDANCE, image_url=needed(Url), end_image_url=Url)
            for path in paths
        },
        **{f"{path}/reference-to-video": videos(**_SEEDANCE, **_REFERENCES, **task) for path in paths},
    }


def _groks() -> dict[str, type[ModelInput]]:
    path = "xai/grok-imagine-video"
    return {
        **{f"{path}{version}/text-to-video": videos(**_GROK) for version in ("", "/v1.5")},
        f"{path}/image-to-video": videos(**_GROK, image_url=needed(Url)),
        f"{path}/v1.5/image-to-video": videos(**_GROK_15_IMAGE, image_url=needed(Url)),
        f"{path}/v1.5/reference-to-video": videos(**_GROK, reference_image_urls=needed(Urls)),
    }


def _omnis() -> dict[str, type[ModelInput]]:
    path = "google/gemini-omni-flash/v1.1"
    return {
        f"{path}/text-to-video": videos(**_OMNI),
        f"{path}/image-to-video": videos(**_OMNI, image_url=needed(Url), end_image_url=Url),
        f"{path}/reference-to-video": videos(**_OMNI, image_urls=needed(Urls), reference_video_urls=_most(3)),
        f"{path}/edit": videos(**_OMNI, video_url=needed(Url)),
    }


def _fluxes() -> dict[str, type[ModelInput]]:
    jobs = {
        "text-to-video": videos(**_FLUX),
        "image-to-video": videos(**_FLUX, image_url=needed(Url)),
        "first-last-frame-to-video": videos(**_FLUX, start_image_url=needed(Url), end_image_url=needed(Url)),
        "keyframes-to-video": videos(**_FLUX, keyframes=needed(list[dict[str, Any]])),
        "extend-video": videos(**_FLUX, video_url=needed(Url)),
    }
    path = "blackforestlabs/flux-3"
    return {f"{path}/{job}{draft}": asked for (job, asked), draft in product(jobs.items(), ("", "/draft"))}


def _klings() -> dict[str, type[ModelInput]]:
    path = "fal-ai/kling-video"
    found: dict[str, type[ModelInput]] = {}
    for (version, frame), tier in product(
        (("v3", "start_image_url"), ("o3", "image_url")), ("standard", "pro", "4k")
    ):
        found[f"{path}/{version}/{tier}/text-to-video"] = videos(**_KLING, **_KLING_SHAPE)
        frames: dict[str, Any] = {frame: needed(Url), "end_image_url": Url}
        found[f"{path}/{version}/{tier}/image-to-video"] = videos(**_KLING, **frames)
    length = {"duration": _KLING["duration"]}
    motion: dict[str, Any] = {
        "prompt": Prompt,
        "image_url": needed(Url),
        "video_url": needed(Url),
        "character_orientation": needed(one("image", "video")),
    }
    for tier in ("standard", "pro"):
        found[f"{path}/v3/turbo/{tier}/text-to-video"] = videos(**length, **_KLING_SHAPE)
        found[f"{path}/v3/turbo/{tier}/image-to-video"] = videos(**length, image_url=needed(Url))
        found[f"{path}/v3/{tier}/motion-control"] = videos(**motion)
    return found


def _klings_4() -> dict[str, type[ModelInput]]:
    frames: dict[str, Any] = {
        "start_image_url": needed(Url),
        "middle_image_urls": Urls,
        "end_image_url": Url,
    }
    shots = {"multi_prompt": Annotated[list[KlingShot], Field(min_length=1, max_length=6)]}
    return {
        "kling/v4/text-to-video": videos(**_KLING_4, **shots),
        "kling/v4/image-to-video": videos(**_KLING_4, **frames),
        "kling/v4/reference-to-video": videos(**_KLING_4, **shots, video_urls=Urls, keep_audio=bool),
        "kling/v4/video-to-video/edit": videos(**_KLING_4, video_url=needed(Url), keep_audio=bool),
    }


def _others() -> dict[str, type[ModelInput]]:
    frames: dict[str, Any] = {"start_image_url": needed(Url), "end_image_url": Url}
    wan_3 = {
        f"alibaba/wan-3.0{kind}/image-to-video": videos(**_WAN_3, **frames) for kind in ("", "-prime")
    } | {
        f"alibaba/wan-3.0{kind}/reference-to-video": videos(**_WAN_3, **_WAN_3_REFERENCES)
        for kind in ("", "-prime")
    }
    wan_27 = {f"fal-ai/wan/v2.7/{job}": videos(**_WAN_27) for job in ("text-to-video", "image-to-video")} | {
        f"fal-ai/wan/v2.7/{job}": videos(**{**_WAN_27, "prompt": needed(Prompt)})
        for job in ("reference-to-video", "edit-video")
    }
    ends: dict[str, Any] = {"first_image_url": needed(Url), "end_image_url": needed(Url)}
    return {
        **wan_3,
        **wan_27,
        "alibaba/wan-3.0/text-to-video": videos(**_WAN_3),
        "minimax/h3/text-to-video": videos(**_H3),
        "minimax/h3/reference-to-video": videos(**_H3, **_MINIMAX_REFERENCES),
        "minimax/h3-max/text-to-video": videos(**_H3_MAX, **_EXPANSION),
        "minimax/h3-max/reference-to-video": videos(**_H3_MAX, **_EXPANSION, **_MINIMAX_REFERENCES),
        "fal-ai/pixverse/v6/text-to-video": videos(**_PIXVERSE, aspect_ratio=str),
        "fal-ai/pixverse/v6/image-to-video": videos(**_PIXVERSE, image_url=needed(Url)),
        "fal-ai/pixverse/v6/transition": videos(**_PIXVERSE, **ends),
    }


def _veos() -> dict[str, type[ModelInput]]:
    found: dict[str, type[ModelInput]] = {
        "fal-ai/veo3.1/reference-to-video": videos(**_VEO, image_urls=needed(Urls)),
        "fal-ai/veo3.1/lite": videos(**_VEO),
    }
    frames: dict[str, Any] = {"first_frame_url": needed(Url), "last_frame_url": needed(Url)}
    for path in ("fal-ai/veo3.1", "fal-ai/veo3.1/fast"):
        found[path] = videos(**_VEO)
        found[f"{path}/image-to-video"] = videos(**_VEO, image_url=needed(Url))
        found[f"{path}/first-last-frame-to-video"] = videos(**_VEO, **frames)
    return found


MODELS: Mapping[str, type[ModelInput]] = {
    **_images(),
    **_seedances(),
    **_groks(),
    **_omnis(),
    **_fluxes(),
    **_klings(),
    **_klings_4(),
    **_others(),
    **_veos(),
}
"""By id."""
