"""The inputs of DashScope's models: fields, types and limits (docs/providers/dashscope.md)."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from local.simulator.providers.inputs import ModelInput, Prompt, Url, Urls, images, needed, one, videos

_SEED = Annotated[int, Field(ge=0, le=2**31 - 1)]
_WAN_27: dict[str, Any] = {
    "resolution": one("720P", "1080P"),
    "duration": int,
    "seed": _SEED,
    "watermark": bool,
    "prompt_extend": bool,
}
_RATIOS = one("16:9", "9:16", "1:1", "4:3", "3:4")
_WAN_3: dict[str, Any] = {
    "prompt": Prompt,
    "first_frame": Url,
    "last_frame": Url,
    "reference_image": Urls,
    "reference_video": Urls,
    "reference_audio": Urls,
    "file": Url,
    "link": Url,
    "resolution": one("480P", "720P", "1080P"),
    "ratio": one("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"),
    "duration": one(*range(2, 31)),
    "audio": bool,
    "watermark": bool,
    "seed": _SEED,
}
LISTS = frozenset({"reference_image", "reference_video", "reference_audio", "image"})
"""The kinds of media that may occur several times."""
VIDEOS: Mapping[str, type[ModelInput]] = {
    "wan2.7-t2v": videos(**_WAN_27, audio_url=Url, ratio=_RATIOS),
    "wan2.7-i2v": videos(
        **_WAN_27, prompt=Prompt, first_frame=Url, last_frame=Url, first_clip=Url, driving_audio=Url
    ),
    "wan2.7-r2v": videos(**_WAN_27, reference_image=Urls, reference_video=Urls, ratio=_RATIOS),
    "wan2.7-videoedit": videos(
        **_WAN_27,
        prompt=Prompt,
        video=needed(Url),
        reference_image=Urls,
        ratio=_RATIOS,
        audio_setting=one("auto", "origin"),
    ),
    "wan3.0-video": videos(**_WAN_3),
    "wan3.0-video-prime": videos(**_WAN_3),
}
_IMAGE: dict[str, Any] = {
    "size": needed(Annotated[str, Field(pattern=r"^\d{2,4}\*\d{2,4}$")]),
    "n": needed(one(1)),
    "seed": _SEED,
}
IMAGES: Mapping[str, type[ModelInput]] = {
    "wan2.7-image": images(**_IMAGE, image=Annotated[Urls, Field(max_length=9)]),
    "wan2.7-image-pro": images(**_IMAGE, image=Annotated[Urls, Field(max_length=9)]),
}
IMAGES_AT_ONCE: Mapping[str, type[ModelInput]] = {
    "qwen-image-3.0": images(**_IMAGE, image=Annotated[Urls, Field(max_length=3)]),
    "qwen-image-3.0-pro": images(**_IMAGE, image=Annotated[Urls, Field(max_length=3)]),
}
