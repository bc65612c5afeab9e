"""The inputs of APIMart's models: fields, types and limits (docs/providers/apimart.md)."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from local.simulator.media import Artifact
from local.simulator.media.mp4 import Mp4
from local.simulator.media.palette import seed_of
from local.simulator.providers.inputs import (
    ImageInput,
    ModelInput,
    Prompt,
    Url,
    Urls,
    VideoInput,
    images,
    made,
    needed,
    one,
    videos,
)
from local.simulator.wire import text

GRID = 4
"""Images of an imagine. An upscale has one image."""
SINGLE = frozenset({"upscale", "describe"})
_VIDEO_S = 5
_MJ = "midjourney/generations"
_RATIOS = one("16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "adaptive")
_SPEED = {"speed": one("relax", "fast", "turbo")}
_Number = Annotated[float, Field(strict=False)]
_Index = Annotated[int, Field(ge=1, le=GRID)]


def _urls(most: int, least: int = 1) -> Any:
    return Annotated[list[Url], Field(min_length=least, max_length=most)]


class GridInput(ImageInput):
    """The input of a Midjourney action, which creates four images or one, multiplied by `repeat`."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's images."""
        said = self.said()
        each = 1 if label.rpartition("/")[2] in SINGLE else GRID
        return super().artifacts(label, each * said.get("repeat", 1) if count == 1 else count)


class VideosInput(VideoInput):
    """The input of a Midjourney video, which creates `batch_size` videos of five seconds."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's videos."""
        said = self.said()
        caption, videos = text(said.get("prompt")), said.get("batch_size", 1) if count == 1 else count
        seed = seed_of(caption)
        return [Mp4((16, 9), _VIDEO_S, False, caption, label, seed + index) for index in range(videos)]


def _seedances() -> dict[str, type[ModelInput]]:
    two: dict[str, Any] = {
        "prompt": Prompt,
        "duration": one(*range(4, 16)),
        "size": _RATIOS,
        "resolution": one("480p", "720p", "1080p", "4k"),
        "seed": int,
        "generate_audio": bool,
        "nsfw_check": bool,
        "return_last_frame": bool,
        "image_urls": _urls(9),
        "image_with_roles": list[dict[str, str]],
        "video_urls": _urls(3),
        "audio_urls": _urls(3),
        "tools": list[dict[str, str]],
    }
    later: dict[str, Any] = {
        **two,
        "duration": one(*range(4, 31)),
        "image_urls": _urls(30),
        "video_urls": _urls(10),
        "audio_urls": _urls(10),
        "omni_reference_task_type": one("auto", "reference", "edit", "extend"),
        "output_format": one("mp4", "mov"),
        "watermark": bool,
    }
    first: dict[str, Any] = {
        "prompt": Prompt,
        "duration": one(*range(2, 13)),
        "aspect_ratio": _RATIOS,
        "resolution": one("480p", "720p", "1080p"),
        "seed": int,
        "camera_fixed": bool,
        "image_with_roles": list[dict[str, str]],
    }
    return {
        **{f"seedance-2.0{kind}": made("Videos", VideoInput, two) for kind in ("", "-fast", "-mini")},
        "seedance-2.5": made("Videos", VideoInput, later),
        "seedance-1-0-pro-fast": made("Videos", VideoInput, first),
    }


def _videos() -> dict[str, type[ModelInput]]:
    grok: dict[str, Any] = {
        "size": one("16:9", "9:16", "1:1", "3:2", "2:3"),
        "duration": one(*range(6, 16)),
        "resolution": one("480p", "720p"),
        "image_urls": _urls(7),
    }
    turbo: dict[str, Any] = {
        "duration": one(*range(3, 16)),
        "resolution": one("720p", "1080p"),
        "aspect_ratio": one("16:9", "9:16", "1:1"),
        "first_frame_image": Url,
    }
    pixverse: dict[str, Any] = {
        "duration": one(*range(1, 16)),
        "resolution": one("360p", "540p", "720p", "1080p"),
        "size": one("16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9"),
        "seed": Annotated[int, Field(ge=0, le=2**31 - 1)],
        "negative_prompt": str,
        "audio": bool,
        "watermark": bool,
        "generate_multi_clip_switch": bool,
        "image_urls": _urls(1),
        "first_frame_image": Url,
        "last_frame_image": Url,
        "img_references": _urls(7),
        "extend_from_task_id": str,
    }
    return {
        **_seedances(),
        "grok-imagine-1.5-video-ext": videos(**grok),
        "kling-3.0-turbo": videos(**turbo),
        "pixverse-v6": videos(**pixverse),
    }


def _midjourneys() -> dict[str, type[ModelInput]]:
    flags: dict[str, Any] = {
        **dict.fromkeys(("size", "quality", "style", "version", "negative_prompt", "extra"), str),
        **dict.fromkeys(("cref", "sref", "dref"), str),
        **dict.fromkeys(("seed", "stylize", "chaos", "weird", "cw", "sw", "stop"), int),
        **dict.fromkeys(("tile", "niji", "raw", "draft", "hd"), bool),
        **dict.fromkeys(("iw", "dw"), _Number),
        "prompt": needed(Prompt),
    }
    button: dict[str, Any] = {"task_id": needed(str), "custom_id": str}
    image: dict[str, Any] = {**button, "index": _Index}
    remix: dict[str, Any] = {"task_id": needed(str), "index": needed(_Index), "prompt": Prompt}
    actions: dict[str, dict[str, Any]] = {
        "imagine": {**flags, "image_urls": Urls, "repeat": int},
        "edits": {**flags, "image_urls": needed(_urls(16))},
        "blend": {
            "image_urls": needed(_urls(4, 2)),
            "dimensions": one("SQUARE", "PORTRAIT", "LANDSCAPE"),
            "size": str,
        },
        "describe": {"image_urls": needed(_urls(1))},
        **dict.fromkeys(("upscale", "variation", "high-variation", "low-variation", "inpaint"), image),
        "reroll": button,
        "zoom": {**image, "zoom_ratio": _Number},
        "pan": {**image, "direction": needed(one("left", "right", "up", "down"))},
        "modal": {"task_id": needed(str), "prompt": Prompt, "mask_url": Url},
        **dict.fromkeys(("remix-strong", "remix-subtle"), remix),
    }
    video: dict[str, Any] = {
        "prompt": Prompt,
        "image_urls": _urls(1),
        "task_id": str,
        "index": one(*range(GRID)),
        "video_type": str,
        "animate_mode": one("manual", "auto"),
        "motion": one("low", "high"),
        "batch_size": one(1, 2, 4),
        "end_url": Url,
    }
    return {
        **{f"{_MJ}/{name}": made("Grid", GridInput, {**_SPEED, **table}) for name, table in actions.items()},
        f"{_MJ}/video": made("Video", VideosInput, video),
    }


MIDJOURNEY: Mapping[str, type[ModelInput]] = _midjourneys()
"""By the path below `/v1/`."""
IMAGES: Mapping[str, type[ModelInput]] = {
    "grok-imagine-1.5-ext": images(size=one("1:1", "16:9", "9:16", "3:2", "2:3"))
}
"""By the name of the model."""
VIDEOS: Mapping[str, type[ModelInput]] = _videos()
