"""The inputs of PoYo's models: fields, types and limits from docs/providers/poyo.md and PoYo's API manual."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from local.simulator.media import Artifact
from local.simulator.media.palette import seed_of
from local.simulator.media.sound import Song
from local.simulator.providers import poyo_tools
from local.simulator.providers.inputs import (
    ImageInput,
    ModelInput,
    Prompt,
    Size,
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

_TRACKS = 2
_ONE_URL = Annotated[list[Url], Field(min_length=1, max_length=1)]
_TWO_URLS = Annotated[list[Url], Field(min_length=1, max_length=2)]
_KLING_RATIOS = one("16:9", "9:16", "1:1")
_KLING: dict[str, Any] = {
    "duration": one(*range(3, 16)),
    "aspect_ratio": _KLING_RATIOS,
    "image_urls": _TWO_URLS,
}
_FLUX: dict[str, Any] = {
    "resolution": one("720p", "1080p"),
    "duration": one(*range(5, 21)),
    "aspect_ratio": str,
}
_MOTION: dict[str, Any] = {
    "prompt": Prompt,
    "image_urls": needed(_ONE_URL),
    "video_urls": needed(_ONE_URL),
    "character_orientation": needed(one("image", "video")),
    "resolution": one("720p", "1080p"),
}
_WAN: dict[str, Any] = {
    "prompt": Prompt,
    "image_urls": Urls,
    "reference_image_urls": Urls,
    "reference_video_urls": Urls,
    "audio_url": Url,
    "video_url": Url,
    "reference_image_url": Url,
    "aspect_ratio": one("16:9", "9:16", "1:1", "4:3", "3:4"),
    "resolution": one("720p", "1080p"),
    "duration": int,
    "multi_shots": bool,
    "audio_setting": str,
    "seed": Annotated[int, Field(le=2**31 - 1)],
    "enable_safety_checker": bool,
}
_VEO: dict[str, Any] = {
    "aspect_ratio": one("16:9", "9:16"),
    "resolution": one("720p", "1080p", "4k"),
    "image_urls": Annotated[list[Url], Field(min_length=1, max_length=3)],
    "generation_type": one("frame", "reference"),
}
_Weight = Annotated[float, Field(ge=0, le=1, strict=False)]
_ENGINE = one("V4", "V4_5", "V4_5ALL", "V4_5PLUS", "V5", "V5_5")
_SUNG: dict[str, Any] = {
    "prompt": Prompt,
    "mv": _ENGINE,
    "style": str,
    "title": str,
    "negative_tags": str,
    "style_weight": _Weight,
    "weirdness_constraint": _Weight,
    "audio_weight": _Weight,
    "vocal_gender": one("m", "f"),
}
_TRACK: dict[str, Any] = {"task_id": needed(str), "audio_id": needed(str)}
_SECONDS = Annotated[float, Field(ge=0, strict=False)]


class SongInput(ModelInput):
    """The input of a music model."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return the job's tracks."""
        said = self.said()
        title = text(said.get("title") or said.get("prompt"))
        seed = seed_of(f"{label}{said.get('prompt')}{said.get('style')}")
        return [Song(title, seed + index) for index in range(count)]


class TracksInput(SongInput):
    """The input of a model that sings. Each generation creates two tracks."""

    def artifacts(self, label: str, count: int) -> list[Artifact]:
        """Return two tracks for each generation."""
        return super().artifacts(label, count * _TRACKS if count == 1 else count)


def _images() -> dict[str, type[ModelInput]]:
    gpt: dict[str, Any] = {"size": str, "resolution": one("1K", "2K", "4K")}
    wan: dict[str, Any] = {
        "size": Size,
        "image_urls": Annotated[list[Url], Field(min_length=1, max_length=4)],
        "seed": Annotated[int, Field(le=2**31 - 1)],
    }
    qwen: dict[str, Any] = {
        "size": one("1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"),
        "image_urls": Annotated[list[Url], Field(min_length=1, max_length=3)],
        "seed": Annotated[int, Field(le=2**31 - 1)],
    }
    grok = one("1:1", "2:3", "3:2", "9:16", "16:9")
    return {
        "gpt-image-2": images(**gpt),
        "gpt-image-2-edit": images(**gpt, image_urls=needed(Urls)),
        "grok-imagine-image": images(size=grok, image_urls=_ONE_URL),
        "wan-2.7-image": images(**wan),
        "wan-2.7-image-pro": images(**wan),
        "qwen-image-3": images(**qwen),
        "qwen-image-3-pro": images(**qwen, resolution=needed(one("1K", "2K"))),
    }


def _klings() -> dict[str, type[ModelInput]]:
    shots = {"multi_shots": needed(bool), "sound": bool}
    turbo = {**_KLING, "image_urls": _ONE_URL}
    old: dict[str, Any] = {
        "prompt": needed(Annotated[str, Field(max_length=1_000)]),
        "duration": one(5, 10),
        "aspect_ratio": needed(_KLING_RATIOS),
        "sound": bool,
        "image_urls": _ONE_URL,
        "end_image_url": Url,
    }
    return {
        **{f"kling-3.0/{tier}": videos(**_KLING, **shots) for tier in ("standard", "pro", "4K")},
        **{f"kling-3.0-turbo/{tier}": videos(**turbo) for tier in ("standard", "pro")},
        "kling-2.6": made("Videos", VideoInput, old),
        "kling-2.6-motion-control": videos(**_MOTION),
        "kling-3.0-motion-control": videos(**_MOTION),
    }


def _videos() -> dict[str, type[ModelInput]]:
    wans = ("text-to-video", "image-to-video", "reference-to-video", "edit-video")
    grok: dict[str, Any] = {
        "aspect_ratio": one("16:9", "9:16", "1:1", "3:2", "2:3"),
        "duration": one(*range(1, 16)),
        "resolution": one("480p", "720p"),
        "image_urls": needed(_ONE_URL),
    }
    omni: dict[str, Any] = {
        "image_urls": _ONE_URL,
        "video_urls": _ONE_URL,
        "aspect_ratio": one("16:9", "9:16"),
        "duration": one(4, 6, 8, 10),
        "resolution": one("720p", "1080p", "4k"),
    }
    minimax: dict[str, Any] = {
        "reference_image_urls": Annotated[list[Url], Field(min_length=1, max_length=9)],
        "reference_audio_urls": Annotated[list[Url], Field(min_length=1, max_length=3)],
        "duration": one(*range(5, 16)),
        "resolution": one("2K"),
    }
    sora: dict[str, Any] = {
        "aspect_ratio": one("16:9", "9:16"),
        "duration": one(4, 8, 12, 16, 20),
        "image_urls": _ONE_URL,
    }
    return {
        **_klings(),
        **{f"wan2.7-{job}": videos(**_WAN) for job in wans},
        **{f"veo3.1-{kind}": videos(**_VEO) for kind in ("quality", "fast", "lite")},
        "grok-imagine-video-1.5": videos(**grok),
        "omni-flash": videos(**omni),
        "hailuo-03": videos(**minimax),
        "sora-2-official": videos(**sora),
        "flux-3/text-to-video": videos(**_FLUX),
        "flux-3/image-to-video": videos(**_FLUX, image_urls=needed(_ONE_URL)),
        "flux-3/first-last-frame-to-video": videos(**_FLUX, image_urls=needed(_TWO_URLS)),
        "flux-3/keyframes-to-video": videos(**_FLUX, keyframes=needed(list[dict[str, Any]])),
        "flux-3/extend-video": videos(**_FLUX, video_url=needed(Url)),
    }


def _songs() -> dict[str, type[ModelInput]]:
    switched: dict[str, Any] = {
        **_SUNG,
        "prompt": needed(Prompt),
        "mv": needed(_ENGINE),
        "custom_mode": needed(bool),
        "instrumental": needed(bool),
    }
    extended: dict[str, Any] = {
        **_SUNG,
        "mv": needed(_ENGINE),
        "default_param_flag": needed(bool),
        "audio_id": needed(str),
        "continue_at": _SECONDS,
    }
    added: dict[str, Any] = {"upload_url": needed(Url), "title": needed(str), "negative_tags": needed(str)}
    section: dict[str, Any] = {
        **_TRACK,
        "prompt": needed(Prompt),
        "full_lyrics": needed(str),
        "tags": needed(str),
        "title": needed(str),
        "infill_start_s": needed(_SECONDS),
        "infill_end_s": needed(_SECONDS),
        "negative_tags": str,
    }
    sung = {
        "generate-music": switched,
        "extend-music": extended,
        "upload-and-cover-audio": {**switched, "upload_url": needed(Url)},
        "add-instrumental": {**added, "tags": needed(str), "mv": _ENGINE},
        "add-vocals": {**_SUNG, **added, "prompt": needed(Prompt), "style": needed(str)},
        "replace-section": section,
    }
    return {name: made("Tracks", TracksInput, table) for name, table in sung.items()}


def _tools() -> dict[str, type[ModelInput]]:
    task = {"task_id": needed(str)}
    on_a_track = ("separate-vocals", "stem-split", "convert-to-wav", "get-timestamped-lyrics")
    return {
        **{name: made("Tool", SongInput, _TRACK) for name in on_a_track},
        "generate-midi": made("Tool", SongInput, {**task, "feature_code": needed(one("generate-midi"))}),
        "generate-lyrics": made("Tool", SongInput, {"prompt": needed(Prompt)}),
        "boost-music-style": made("Tool", SongInput, {"content": needed(str)}),
        "generate-music-cover": made("Tool", ImageInput, task),
        "create-music-video": made("Tool", VideoInput, _TRACK),
    }


MUSIC: Mapping[str, type[ModelInput]] = {**_songs(), **_tools()}
"""By name. These jobs have a separate path for status."""
MODELS: Mapping[str, type[ModelInput]] = {**_images(), **_videos(), **MUSIC, **poyo_tools.MODELS}
"""By name."""
