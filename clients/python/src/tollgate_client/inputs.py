"""The input of each model, generated from the catalog. The service checks every input."""

from __future__ import annotations

import os
from typing import IO, Any, Literal, TypedDict, Union

Media = Union[str, "os.PathLike[str]", bytes, IO[bytes]]
"""A URL, a data URI, the id of an upload, or a local file."""

ModelId = Literal[
    "flux-3-image",
    "flux-3-klein",
    "flux-3-video",
    "gemini-omni-1.1-flash",
    "gpt-image-2",
    "gpt-image-2.5-flare",
    "gpt-image-2.5-sunburst",
    "grok-imagine-image",
    "grok-imagine-image-1.5",
    "grok-imagine-image-2.0",
    "grok-imagine-video",
    "grok-imagine-video-1.5",
    "kling-2.6",
    "kling-2.6-motion-control",
    "kling-3.0",
    "kling-3.0-motion-control",
    "kling-3.0-turbo",
    "kling-4.0",
    "kling-4.0-flash",
    "kling-o3",
    "midjourney",
    "midjourney-video",
    "minimax-h3",
    "minimax-h3-max",
    "nano-banana-2",
    "nano-banana-2-lite",
    "nano-banana-2.1",
    "nano-banana-pro",
    "pixverse-v6",
    "qwen-image-3",
    "qwen-image-3-pro",
    "seedance-1.0-pro-fast",
    "seedance-1.5-pro",
    "seedance-2.0",
    "seedance-2.0-fast",
    "seedance-2.0-mini",
    "seedance-2.5",
    "seedream-4.0",
    "seedream-4.5",
    "seedream-5-flash",
    "seedream-5-lite",
    "seedream-5-pro",
    "suno",
    "suno-custom-model",
    "test-image",
    "test-kling-4",
    "test-omni",
    "test-seedance-1",
    "test-sora-2",
    "test-suno",
    "test-video",
    "veo-3.1-fast",
    "veo-3.1-lite",
    "veo-3.1-quality",
    "wan-2.7-edit-video",
    "wan-2.7-image",
    "wan-2.7-image-pro",
    "wan-2.7-image-to-video",
    "wan-2.7-reference-to-video",
    "wan-2.7-text-to-video",
    "wan-3.0",
    "wan-3.0-prime",
    "z-image",
]


class _Flux3ImageInput(TypedDict):
    """Required fields of `flux-3-image`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Flux3ImageInput(_Flux3ImageInput, total=False):
    """FLUX 3 Image (`flux-3-image`)."""

    urls: list[Media]
    """Up to 10 images to work from."""
    size: Literal["auto", "21:9", "2:1", "16:9", "3:2", "7:5", "4:3", "5:4", "1:1", "4:5", "3:4", "5:7", "2:3", "9:16", "1:2", "9:21"]
    """Shape of the image."""
    resolution: Literal["768SQ", "1K", "1.5K", "2K", "4K"]
    """Each tier has its price."""
    grounding: bool
    """Look up facts and images on the web first. Costs nothing extra."""


class _Flux3KleinInput(TypedDict):
    """Required fields of `flux-3-klein`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Flux3KleinInput(_Flux3KleinInput, total=False):
    """FLUX 3 Klein (`flux-3-klein`)."""

    size: Literal["auto", "21:9", "2:1", "16:9", "3:2", "7:5", "4:3", "5:4", "1:1", "4:5", "3:4", "5:7", "2:3", "9:16", "1:2", "9:21"]
    """Shape of the image."""
    resolution: Literal["1K", "2K", "4K"]
    """Each tier has its price."""


class _Flux3VideoInput(TypedDict):
    """Required fields of `flux-3-video`."""

    prompt: str
    """A description of the video."""


class Flux3VideoInput(_Flux3VideoInput, total=False):
    """FLUX 3 Video (`flux-3-video`)."""

    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier. A draft is 720p."""
    duration: float
    """Length in seconds."""
    aspectRatio: Literal["auto", "21:9", "2:1", "16:9", "4:3", "1:1", "3:4", "9:16"]
    """Shape of the video."""
    imageUrls: list[Media]
    """1 to 10 images in the order in which they appear. Not with videoUrl."""
    videoUrl: Media
    """An MP4 file. Not with imageUrls."""
    draft: bool
    """A quick, cheap look, in 720p only."""
    safetyTolerance: float
    """0 is the strictest check of the content."""


class _GeminiOmni11FlashInput(TypedDict):
    """Required fields of `gemini-omni-1.1-flash`."""

    prompt: str
    """A description of the video."""


class GeminiOmni11FlashInput(_GeminiOmni11FlashInput, total=False):
    """Gemini Omni Flash 1.1 (`gemini-omni-1.1-flash`)."""

    imageUrls: list[Media]
    """The first frame and, if you like, the last. Not with references."""
    referenceImageUrls: list[Media]
    """Up to 7 images, up to 5 with a reference video. Not with imageUrls."""
    referenceVideoUrls: list[Media]
    """One video of 3 to 10 s. The result is as long. Not with imageUrls."""
    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    duration: Literal[4, 6, 8, 10]
    """Length in seconds. Ignored with a source video."""
    resolution: Literal["360p", "720p", "1080p", "4k"]
    """1080p and 4k are upscaled."""


class _GptImage2Input(TypedDict):
    """Required fields of `gpt-image-2`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class GptImage2Input(_GptImage2Input, total=False):
    """GPT Image 2 (`gpt-image-2`)."""

    urls: list[Media]
    """Up to 16 images to work from."""
    size: Literal["auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "21:9", "9:21"]
    """Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k."""
    resolution: Literal["1k", "2k", "4k"]
    """Each tier has its price."""


class _GptImage25FlareInput(TypedDict):
    """Required fields of `gpt-image-2.5-flare`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class GptImage25FlareInput(_GptImage25FlareInput, total=False):
    """GPT Image 2.5 Flare (`gpt-image-2.5-flare`)."""

    urls: list[Media]
    """Up to 16 images to work from."""
    size: Literal["auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "21:9", "9:21"]
    """Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k."""
    resolution: Literal["1k", "2k", "4k"]
    """Each tier has its price."""


class _GptImage25SunburstInput(TypedDict):
    """Required fields of `gpt-image-2.5-sunburst`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class GptImage25SunburstInput(_GptImage25SunburstInput, total=False):
    """GPT Image 2.5 Sunburst (`gpt-image-2.5-sunburst`)."""

    urls: list[Media]
    """Up to 16 images to work from."""
    size: Literal["auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "21:9", "9:21"]
    """Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k."""
    resolution: Literal["1k", "2k", "4k"]
    """Each tier has its price."""


class _GrokImagineImageInput(TypedDict):
    """Required fields of `grok-imagine-image`."""

    prompt: str
    """A description of the image, or of the changes to the given image."""


class GrokImagineImageInput(_GrokImagineImageInput, total=False):
    """Grok Imagine Image (`grok-imagine-image`)."""

    urls: list[Media]
    """At most one image to work from."""
    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Shape of the image."""


class _GrokImagineImage15Input(TypedDict):
    """Required fields of `grok-imagine-image-1.5`."""

    prompt: str
    """A description of the image, or of the changes to the given image."""


class GrokImagineImage15Input(_GrokImagineImage15Input, total=False):
    """Grok Imagine Image 1.5 (text only) (`grok-imagine-image-1.5`)."""

    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Shape of the image."""


class _GrokImagineImage20Input(TypedDict):
    """Required fields of `grok-imagine-image-2.0`."""

    prompt: str
    """A description of the image, or of the changes to the given image."""


class GrokImagineImage20Input(_GrokImagineImage20Input, total=False):
    """Grok Imagine Image 2.0 (`grok-imagine-image-2.0`)."""

    urls: list[Media]
    """At most one image to work from."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9"]
    """Shape of the image."""


class _GrokImagineVideoInput(TypedDict):
    """Required fields of `grok-imagine-video`."""

    prompt: str
    """A description of the video."""


class GrokImagineVideoInput(_GrokImagineVideoInput, total=False):
    """Grok Imagine Video (`grok-imagine-video`)."""

    size: Literal["16:9", "9:16", "1:1", "3:2", "2:3"]
    """Shape of the video."""
    duration: Literal[6, 10, 15, 20, 25, 30]
    """Length in seconds."""
    resolution: Literal["480p", "720p"]
    """Billed per second of each tier."""
    urls: list[Media]
    """Images to start from. Without them, the video is generated only from the text."""


class _GrokImagineVideo15Input(TypedDict):
    """Required fields of `grok-imagine-video-1.5`."""

    prompt: str
    """A description of the video."""


class GrokImagineVideo15Input(_GrokImagineVideo15Input, total=False):
    """Grok Imagine Video 1.5 (`grok-imagine-video-1.5`)."""

    size: Literal["16:9", "9:16", "1:1", "3:2", "2:3"]
    """Shape of the video."""
    duration: Literal[6, 10, 15]
    """Length in seconds."""
    resolution: Literal["480p", "720p"]
    """Billed per second of each tier."""
    urls: list[Media]
    """Images to start from. Without them, the video is generated only from the text."""


class _Kling26Input(TypedDict):
    """Required fields of `kling-2.6`."""

    prompt: str
    """A description of the video."""


class Kling26Input(_Kling26Input, total=False):
    """Kling 2.6 (`kling-2.6`)."""

    resolution: Literal["1080p"]
    """Each tier has its price."""
    duration: Literal[5, 10]
    """Length in seconds."""
    aspectRatio: Literal["16:9", "9:16", "1:1"]
    """Shape of the video. Ignored when it starts from an image."""
    generateAudio: bool
    """Make sound that fits the video."""
    imageUrls: list[Media]
    """One image is the first frame, two are the first and the last."""


class _Kling26MotionControlInput(TypedDict):
    """Required fields of `kling-2.6-motion-control`."""

    imageUrls: list[Media]
    """Exactly one image of the figure: JPG or PNG, at most 10 MB."""
    videoUrls: list[Media]
    """Exactly one video of the motion: MP4 or MOV, at most 100 MB."""
    characterOrientation: Literal["image", "video"]
    """Which of the two the figure is turned like."""


class Kling26MotionControlInput(_Kling26MotionControlInput, total=False):
    """Kling 2.6 Motion Control (`kling-2.6-motion-control`)."""

    prompt: str
    """Other content of the video."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""


class _Kling30Input(TypedDict):
    """Required fields of `kling-3.0`."""

    prompt: str
    """A description of the video."""


class Kling30Input(_Kling30Input, total=False):
    """Kling 3.0 (`kling-3.0`)."""

    resolution: Literal["720p", "1080p", "4k"]
    """Each tier has its price."""
    duration: float
    """Length in seconds."""
    aspectRatio: Literal["16:9", "9:16", "1:1"]
    """Shape of the video. Ignored when it starts from an image."""
    generateAudio: bool
    """Make sound that fits the video."""
    imageUrls: list[Media]
    """One image is the first frame, two are the first and the last."""


class _Kling30MotionControlInput(TypedDict):
    """Required fields of `kling-3.0-motion-control`."""

    imageUrls: list[Media]
    """Exactly one image of the figure: JPG or PNG, at most 10 MB."""
    videoUrls: list[Media]
    """Exactly one video of the motion: MP4 or MOV, at most 100 MB."""
    characterOrientation: Literal["image", "video"]
    """Which of the two the figure is turned like."""


class Kling30MotionControlInput(_Kling30MotionControlInput, total=False):
    """Kling 3.0 Motion Control (`kling-3.0-motion-control`)."""

    prompt: str
    """Other content of the video."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""


class _Kling30TurboInput(TypedDict):
    """Required fields of `kling-3.0-turbo`."""

    prompt: str
    """A description of the video."""


class Kling30TurboInput(_Kling30TurboInput, total=False):
    """Kling 3.0 Turbo (`kling-3.0-turbo`)."""

    resolution: Literal["720p", "1080p"]
    """Each tier has its price."""
    duration: float
    """Length in seconds."""
    aspectRatio: Literal["16:9", "9:16", "1:1"]
    """Shape of the video. Ignored when it starts from an image."""
    imageUrls: list[Media]
    """One image is the first frame, two are the first and the last."""


class Kling40Input(TypedDict, total=False):
    """Kling 4.0 (`kling-4.0`)."""

    prompt: str
    """A description of the video. Required unless there are scenes."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds. Ignored with a source video and with scenes."""
    aspectRatio: Literal["auto", "16:9", "9:16", "1:1", "21:9"]
    """Shape of the video. Must be auto with a source video."""
    generateAudio: bool
    """Make sound that fits the video."""
    keepAudio: bool
    """Keep the sound of the source video."""


class _Kling40FlashInput(TypedDict):
    """Required fields of `kling-4.0-flash`."""

    prompt: str
    """A description of the video. Required unless there are scenes."""


class Kling40FlashInput(_Kling40FlashInput, total=False):
    """Kling 4.0 Flash (`kling-4.0-flash`)."""

    resolution: Literal["720p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds. Ignored with a source video and with scenes."""
    aspectRatio: Literal["auto", "16:9", "9:16", "1:1", "21:9"]
    """Shape of the video. Must be auto with a source video."""


class _KlingO3Input(TypedDict):
    """Required fields of `kling-o3`."""

    prompt: str
    """A description of the video."""


class KlingO3Input(_KlingO3Input, total=False):
    """Kling O3 (3.0 Omni) (`kling-o3`)."""

    resolution: Literal["720p", "1080p", "4k"]
    """Each tier has its price."""
    duration: float
    """Length in seconds."""
    aspectRatio: Literal["16:9", "9:16", "1:1"]
    """Shape of the video. Ignored when it starts from an image."""
    generateAudio: bool
    """Make sound that fits the video."""
    imageUrls: list[Media]
    """One image is the first frame, two are the first and the last."""


class MidjourneyInput(TypedDict, total=False):
    """Midjourney (`midjourney`)."""

    action: Literal["imagine", "edits", "blend", "describe", "upscale", "variation", "high-variation", "low-variation", "reroll", "zoom", "pan", "inpaint", "modal", "remix-strong", "remix-subtle"]
    """The kind of job."""
    prompt: str
    """A description of the image. Required for imagine and edits."""
    imageUrls: list[Media]
    """Images to work from. Required for blend and describe."""
    parentTaskId: str
    """The task whose result a follow-up action works on."""
    index: float
    """Which of the four images, from the top left."""
    customId: str
    """A button of the earlier result, instead of index."""
    speed: Literal["relax", "fast", "turbo"]
    """Each speed has its price."""
    direction: Literal["left", "right", "up", "down"]
    """The direction in which the image grows. Required for pan."""
    zoomRatio: float
    """How far to zoom out: 1 to 2."""
    maskUrl: Media
    """An image of the part to change."""
    dimensions: Literal["SQUARE", "PORTRAIT", "LANDSCAPE"]
    """Shape of a blend of images."""
    size: str
    """Width to height, e.g. 16:9."""
    quality: float
    """How much work goes into it."""
    style: str
    """A style of the model, e.g. raw."""
    version: Literal["8.1", "7", "6.1", "5.2", "5.1"]
    """Version of the model."""
    seed: float
    """The same seed and input give a similar result."""
    negativePrompt: str
    """Things that must not appear."""
    stylize: float
    """How strongly the model's own taste shows."""
    chaos: float
    """How different the four images are."""
    weird: float
    """How unusual the image is."""
    tile: bool
    """Make a pattern that repeats without seams."""
    niji: bool
    """Use the model for anime."""
    iw: float
    """How much given images count."""
    cw: float
    """How much cref counts."""
    sw: float
    """How much sref counts."""
    cref: str
    """URL of a character to keep."""
    sref: str
    """URL or code of a style to keep."""
    dref: str
    """URL of an image whose depth to keep."""
    dw: float
    """How much dref counts."""
    repeat: float
    """Run an imagine this often; each run is billed."""
    raw: bool
    """Less of the model's own taste."""
    draft: bool
    """Quick and rough."""
    hd: bool
    """A larger image."""
    stop: float
    """Stop early, at this percentage."""
    extra: str
    """Further flags, as text."""


class MidjourneyVideoInput(TypedDict, total=False):
    """Midjourney Video (`midjourney-video`)."""

    prompt: str
    """How the image moves."""
    imageUrls: list[Media]
    """The image to set in motion."""
    parentTaskId: str
    """The task with the image to animate."""
    index: float
    """Which of the four images; 0 is the first."""
    videoType: Literal["vid_1.1_i2v_480", "vid_1.1_i2v_720", "vid_1.1_i2v_start_end_480", "vid_1.1_i2v_start_end_720"]
    """Resolution, and whether the last frame is given too."""
    animateMode: Literal["manual", "auto"]
    """auto invents the motion; it needs parentTaskId and index."""
    motion: Literal["low", "high"]
    """How much moves."""
    batchSize: Literal[1, 2, 4]
    """How many to make; each is billed."""
    endUrl: Media
    """The last frame, for the start_end types."""


class _MinimaxH3Input(TypedDict):
    """Required fields of `minimax-h3`."""

    prompt: str
    """A description of the video."""


class MinimaxH3Input(_MinimaxH3Input, total=False):
    """MiniMax H3 (`minimax-h3`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    imageUrls: list[Media]
    """Up to 9 images. The first 5 are free, each further one is billed."""
    audioUrls: list[Media]
    """Up to 3 files, free."""
    resolution: Literal["768p", "2k"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds."""
    seed: float
    """The same seed and input give a similar result."""


class _MinimaxH3MaxInput(TypedDict):
    """Required fields of `minimax-h3-max`."""

    prompt: str
    """A description of the video."""


class MinimaxH3MaxInput(_MinimaxH3MaxInput, total=False):
    """MiniMax H3 Max (`minimax-h3-max`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    imageUrls: list[Media]
    """Up to 9 images. The first 5 are free, each further one is billed."""
    audioUrls: list[Media]
    """Up to 3 files, free."""
    resolution: Literal["480p", "768p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds. At most 10 at 1080p."""
    seed: float
    """The same seed and input give a similar result."""


class _NanoBanana2Input(TypedDict):
    """Required fields of `nano-banana-2`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class NanoBanana2Input(_NanoBanana2Input, total=False):
    """Nano Banana 2 (`nano-banana-2`)."""

    urls: list[Media]
    """Up to 14 images to work from."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1"]
    """Shape of the image."""
    resolution: Literal["512px", "1K", "2K", "4K"]
    """Each tier has its price."""


class _NanoBanana2LiteInput(TypedDict):
    """Required fields of `nano-banana-2-lite`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class NanoBanana2LiteInput(_NanoBanana2LiteInput, total=False):
    """Nano Banana 2 Lite (`nano-banana-2-lite`)."""

    urls: list[Media]
    """Up to 10 images to work from."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]
    """Shape of the image."""


class _NanoBanana21Input(TypedDict):
    """Required fields of `nano-banana-2.1`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class NanoBanana21Input(_NanoBanana21Input, total=False):
    """Nano Banana 2.1 (`nano-banana-2.1`)."""

    urls: list[Media]
    """Up to 10 images to work from."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1"]
    """Shape of the image."""
    resolution: Literal["1K", "2K", "4K"]
    """Each tier has its price."""


class _NanoBananaProInput(TypedDict):
    """Required fields of `nano-banana-pro`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class NanoBananaProInput(_NanoBananaProInput, total=False):
    """Nano Banana Pro (`nano-banana-pro`)."""

    urls: list[Media]
    """Up to 8 images to work from."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]
    """Shape of the image."""
    resolution: Literal["1K", "2K", "4K"]
    """Each tier has its price."""


class _PixverseV6Input(TypedDict):
    """Required fields of `pixverse-v6`."""

    prompt: str
    """A description of the video."""


class PixverseV6Input(_PixverseV6Input, total=False):
    """PixVerse V6 (`pixverse-v6`)."""

    resolution: Literal["360p", "540p", "720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds. A transition has 5 or 8."""
    size: Literal["16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9"]
    """Shape of a video that is generated from text or references."""
    seed: float
    """The same seed and input give a similar result."""
    negativePrompt: str
    """Things that must not appear."""
    audio: bool
    """Make sound that fits the video."""
    watermark: bool
    """Put the vendor's mark on the video."""
    motionMode: Literal["normal"]
    """How fast things move."""
    generateMultiClipSwitch: bool
    """Cut the video from several shots. Only from text or an image."""
    imageUrls: list[Media]
    """The image to start from; the first one is used."""
    firstFrameImage: Media
    """Start of a transition, with lastFrameImage."""
    lastFrameImage: Media
    """End of a transition, with firstFrameImage."""
    imgReferences: list[Media]
    """1 to 7 images of what appears in the video."""
    extendFromTaskId: str
    """The id of an earlier task of this model."""


class _QwenImage3Input(TypedDict):
    """Required fields of `qwen-image-3`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class QwenImage3Input(_QwenImage3Input, total=False):
    """Qwen Image 3.0 (`qwen-image-3`)."""

    urls: list[Media]
    """Images to edit; the prompt may speak of them by their order."""
    size: Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]
    """Shape of the image."""
    seed: float
    """The same seed and input give a similar result."""


class _QwenImage3ProInput(TypedDict):
    """Required fields of `qwen-image-3-pro`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class QwenImage3ProInput(_QwenImage3ProInput, total=False):
    """Qwen Image 3.0 Pro (`qwen-image-3-pro`)."""

    urls: list[Media]
    """Images to edit; the prompt may speak of them by their order."""
    size: Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]
    """Shape of the image."""
    seed: float
    """The same seed and input give a similar result."""


class Seedance10ProFastInput(TypedDict, total=False):
    """Seedance 1.0 Pro Fast (`seedance-1.0-pro-fast`)."""

    prompt: str
    """A description of the video. Required without an image."""
    duration: Literal[4, 8, 12]
    """Length in seconds."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    imageUrls: list[Media]
    """One image. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with imageUrls."""
    cameraFixed: bool
    """Keep the camera still."""


class Seedance15ProInput(TypedDict, total=False):
    """Seedance 1.5 Pro (`seedance-1.5-pro`)."""

    prompt: str
    """A description of the video. Required without an image."""
    duration: Literal[4, 8, 12]
    """Length in seconds."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    generateAudio: bool
    """Make sound that fits the video."""
    imageUrls: list[Media]
    """Up to 2 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with imageUrls."""
    cameraFixed: bool
    """Keep the camera still."""


class Seedance20Input(TypedDict, total=False):
    """Seedance 2.0 (`seedance-2.0`)."""

    prompt: str
    """A description of the video. Required without reference images or videos."""
    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p", "4k"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    generateAudio: bool
    """Make sound that fits the video."""
    nsfwCheck: bool
    """Let the provider check the content first."""
    returnLastFrame: bool
    """Give the last frame as an image too."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with other reference media."""
    videoUrls: list[Media]
    """Up to 3 videos, together more than 1.8 s and less than 15.2 s."""
    audioUrls: list[Media]
    """Up to 3 files of 15 s together. Needs imageUrls or videoUrls."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class Seedance20FastInput(TypedDict, total=False):
    """Seedance 2.0 Fast (`seedance-2.0-fast`)."""

    prompt: str
    """A description of the video. Required without reference images or videos."""
    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    generateAudio: bool
    """Make sound that fits the video."""
    nsfwCheck: bool
    """Let the provider check the content first."""
    returnLastFrame: bool
    """Give the last frame as an image too."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with other reference media."""
    videoUrls: list[Media]
    """Up to 3 videos, together more than 1.8 s and less than 15.2 s."""
    audioUrls: list[Media]
    """Up to 3 files of 15 s together. Needs imageUrls or videoUrls."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class Seedance20MiniInput(TypedDict, total=False):
    """Seedance 2.0 Mini (`seedance-2.0-mini`)."""

    prompt: str
    """A description of the video. Required without reference images or videos."""
    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    generateAudio: bool
    """Make sound that fits the video."""
    nsfwCheck: bool
    """Let the provider check the content first."""
    returnLastFrame: bool
    """Give the last frame as an image too."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with other reference media."""
    videoUrls: list[Media]
    """Up to 3 videos, together more than 1.8 s and less than 15.2 s."""
    audioUrls: list[Media]
    """Up to 3 files of 15 s together. Needs imageUrls or videoUrls."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class _Seedance25Input(TypedDict):
    """Required fields of `seedance-2.5`."""

    prompt: str
    """A description of the video."""


class Seedance25Input(_Seedance25Input, total=False):
    """Seedance 2.5 (`seedance-2.5`)."""

    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]
    """Shape of the video. Must be adaptive with a first or last frame."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    generateAudio: bool
    """Make sound that fits the video."""
    nsfwCheck: bool
    """Let the provider check the content first."""
    watermark: bool
    """Put the vendor's mark on the video."""
    seed: float
    """The same seed and input give a similar result."""
    outputFormat: Literal["mp4", "mov"]
    """Type of the result."""
    omniReferenceTaskType: Literal["auto", "reference", "extend"]
    """The use of the reference media: as references, or to extend the video."""
    imageUrls: list[Media]
    """Up to 30 images, including the images in imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Images as first frame, last frame or reference."""
    videoUrls: list[Media]
    """Up to 10 videos of 2 to 30 s, 30 s together."""
    audioUrls: list[Media]
    """Up to 10 files, 30 s together."""
    returnLastFrame: bool
    """Give the last frame as an image too."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class _Seedream40Input(TypedDict):
    """Required fields of `seedream-4.0`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Seedream40Input(_Seedream40Input, total=False):
    """Seedream 4.0 (`seedream-4.0`)."""

    urls: list[Media]
    """Images to work from."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Shape of the image."""
    resolution: Literal["1K", "2K", "4K"]
    """Each tier has its price."""
    outputFormat: Literal["jpeg"]
    """Type of the result."""
    promptOptimizeMode: Literal["standard", "fast"]
    """How thoroughly the prompt is reworked before the image is generated."""
    watermark: bool
    """Put the vendor's mark on the image."""


class _Seedream45Input(TypedDict):
    """Required fields of `seedream-4.5`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Seedream45Input(_Seedream45Input, total=False):
    """Seedream 4.5 (`seedream-4.5`)."""

    urls: list[Media]
    """Images to work from."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Shape of the image."""
    resolution: Literal["2K", "4K"]
    """Each tier has its price."""
    outputFormat: Literal["jpeg", "png"]
    """Type of the result."""
    promptOptimizeMode: Literal["standard"]
    """How thoroughly the prompt is reworked before the image is generated."""
    watermark: bool
    """Put the vendor's mark on the image."""


class _Seedream5FlashInput(TypedDict):
    """Required fields of `seedream-5-flash`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Seedream5FlashInput(_Seedream5FlashInput, total=False):
    """Seedream 5.0 Flash (`seedream-5-flash`)."""

    urls: list[Media]
    """Images to work from."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9"]
    """Shape of the image."""
    resolution: Literal["1K", "1.5K", "2K"]
    """Each tier has its price."""
    outputFormat: Literal["jpeg", "png"]
    """Type of the result."""
    watermark: bool
    """Put the vendor's mark on the image."""


class _Seedream5LiteInput(TypedDict):
    """Required fields of `seedream-5-lite`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Seedream5LiteInput(_Seedream5LiteInput, total=False):
    """Seedream 5.0 Lite (`seedream-5-lite`)."""

    urls: list[Media]
    """Images to work from."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Shape of the image."""
    resolution: Literal["2K", "3K", "4K"]
    """Each tier has its price."""
    outputFormat: Literal["jpeg", "png"]
    """Type of the result."""
    promptOptimizeMode: Literal["standard"]
    """How thoroughly the prompt is reworked before the image is generated."""
    watermark: bool
    """Put the vendor's mark on the image."""


class _Seedream5ProInput(TypedDict):
    """Required fields of `seedream-5-pro`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Seedream5ProInput(_Seedream5ProInput, total=False):
    """Seedream 5.0 Pro (`seedream-5-pro`)."""

    urls: list[Media]
    """Images to work from."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9"]
    """Shape of the image."""
    resolution: Literal["1K", "1.5K", "2K"]
    """Each tier has its price."""
    outputFormat: Literal["jpeg", "png"]
    """Type of the result."""
    watermark: bool
    """Put the vendor's mark on the image."""


class SunoInput(TypedDict, total=False):
    """Suno (`suno`)."""

    action: Literal["music", "extend", "cover", "add-instrumental", "add-vocals", "sound", "stems", "stems-all", "wav", "lyrics", "voice", "timestamped-lyrics", "boost-style", "music-cover", "replace-section", "music-video", "inspo", "upload", "remaster", "add-stem", "vox", "remove-section", "crop", "fade-in", "fade-out", "adjust-speed", "concat", "mashup", "sample", "midi", "bpm"]
    """The kind of job."""
    prompt: str
    """The subject of the song; with styles or title, its lyrics."""
    styles: str
    """Genres, moods, instruments, separated by commas."""
    title: str
    """Title of the track."""
    instrumental: bool
    """Make music without a voice."""
    autoLyrics: bool
    """Write lyrics from the prompt instead of singing it."""
    negativeTags: str
    """Styles to keep out, separated by commas."""
    mv: Literal["v3.5", "v4.0", "v4.5", "v4.5+", "v5.0", "v5.5"]
    """Version of the music engine."""
    styleWeight: float
    """How closely to follow the styles."""
    weirdnessConstraint: float
    """How far to go from the usual."""
    audioWeight: float
    """How closely to follow the given audio."""
    vocalGender: Literal["Male", "Female"]
    """Preferred voice."""
    variationCategory: Literal["subtle", "normal", "high"]
    """How far a variation goes."""
    audioUrls: list[Media]
    """Tracks to work from."""
    parentTaskId: str
    """The task whose track to work on."""
    audioId: str
    """Which track of that task."""
    audioUrl: Media
    """A track from elsewhere, in place of an earlier task."""
    voiceAudioUrl: Media
    """The voice to learn."""
    aspectRatio: Literal["9:16"]
    """Shape of a music video."""
    quality: Literal["compact"]
    """Of a video."""
    startS: float
    """Start of the section in seconds; for extend, the time at which the extension starts."""
    endS: float
    """End of the section in seconds, after startS."""
    durationS: float
    """Length in seconds."""
    bpm: float
    """Beats per minute."""
    key: str
    """Musical key, e.g. C minor."""
    type: Literal["one-shot", "loop"]
    """Of a sound."""
    stemType: Literal["lead_vocal"]
    """The stem to take out."""
    speed: float
    """1 keeps the speed."""
    keepPitch: bool
    """Change the speed without changing the pitch."""
    sourceTaskIds: list[str]
    """Exactly 2 tasks to mash up."""
    audioIds: list[str]
    """One audio id for each source task."""
    voxAudioId: str
    """Deprecated and ignored."""


class _SunoCustomModelInput(TypedDict):
    """Required fields of `suno-custom-model`."""

    name: str
    """Name of the engine."""
    audioUrls: list[Media]
    """6 to 24 tracks: MP3, WAV or M4A."""


class SunoCustomModelInput(_SunoCustomModelInput, total=False):
    """Suno Custom Model (`suno-custom-model`)."""



class _TestImageInput(TypedDict):
    """Required fields of `test-image`."""

    prompt: str
    """A description of the image, or of the changes to the given image."""


class TestImageInput(_TestImageInput, total=False):
    """Test image (`test-image`)."""

    urls: list[Media]
    """At most one image to work from."""
    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Shape of the image."""


class TestKling4Input(TypedDict, total=False):
    """Test: Kling 4 (`test-kling-4`)."""

    prompt: str
    """A description of the video. Required unless there are scenes."""
    videoMode: Literal["elements", "start_end_frame", "transform", "video_reference"]
    """The source of the video. Without it, the source is only the text."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds. Ignored with a source video and with scenes."""
    aspectRatio: Literal["auto", "16:9", "9:16", "1:1", "21:9"]
    """Shape of the video. Must be auto with a source video."""
    generateAudio: bool
    """Make sound that fits the video."""
    keepAudio: bool
    """Keep the sound of the source video."""
    imageUrls: list[Media]
    """Up to 10 images, in the modes elements, transform and video_reference."""
    startImageIndex: float
    """Which of imageUrls the video starts with; 1 is the first."""
    elements: list[dict[str, Any]]
    """Up to 7 who or what appears, at most 3 of them shown by a video."""
    startFrameUrl: Media
    """Required in mode start_end_frame."""
    keyframeUrls: list[Media]
    """Up to 8 frames between the first and the last."""
    endFrameUrl: Media
    """The last frame, in mode start_end_frame."""
    videoUrl: Media
    """transform: 3 to 10 s, short side at least 700 pixels. video_reference: 3 to 30 s."""
    multiShots: list[dict[str, Any]]
    """2 to 6 scenes of 3 to 30 s together, each with its prompt. Not with prompt."""


class _TestOmniInput(TypedDict):
    """Required fields of `test-omni`."""

    prompt: str
    """A description of the video."""


class TestOmniInput(_TestOmniInput, total=False):
    """Test: Omni (`test-omni`)."""

    imageUrls: list[Media]
    """The first frame and, if you like, the last. Not with references."""
    referenceImageUrls: list[Media]
    """Up to 7 images, up to 5 with a reference video. Not with imageUrls."""
    referenceVideoUrls: list[Media]
    """One video of 3 to 10 s. The result is as long. Not with imageUrls."""
    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    duration: Literal[4, 6, 8, 10]
    """Length in seconds. Ignored with a source video."""
    resolution: Literal["360p", "720p", "1080p", "4k"]
    """1080p and 4k are upscaled."""


class TestSeedance1Input(TypedDict, total=False):
    """Test: Seedance 1 (`test-seedance-1`)."""

    prompt: str
    """A description of the video. Required without an image."""
    duration: Literal[4, 8, 12]
    """Length in seconds."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    seed: float
    """The same seed and input give a similar result."""
    generateAudio: bool
    """Make sound that fits the video."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with imageUrls."""
    cameraFixed: bool
    """Keep the camera still."""


class _TestSora2Input(TypedDict):
    """Required fields of `test-sora-2`."""

    prompt: str
    """A description of the video."""


class TestSora2Input(_TestSora2Input, total=False):
    """Test: Sora 2 (`test-sora-2`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    urls: list[Media]
    """At most one image to start from."""
    duration: Literal[4, 8, 12, 16, 20]
    """Length in seconds."""


class TestSunoInput(TypedDict, total=False):
    """Test: Suno (`test-suno`)."""

    action: Literal["music", "extend", "cover", "add-instrumental", "add-vocals", "sound", "stems", "stems-all", "wav", "lyrics", "voice", "timestamped-lyrics", "boost-style", "music-cover", "replace-section", "music-video", "inspo", "upload", "remaster", "add-stem", "vox", "remove-section", "crop", "fade-in", "fade-out", "adjust-speed", "concat", "mashup", "sample", "midi", "bpm"]
    """The kind of job."""
    prompt: str
    """The subject of the song; with styles or title, its lyrics."""
    styles: str
    """Genres, moods, instruments, separated by commas."""
    title: str
    """Title of the track."""
    instrumental: bool
    """Make music without a voice."""
    autoLyrics: bool
    """Write lyrics from the prompt instead of singing it."""
    negativeTags: str
    """Styles to keep out, separated by commas."""
    mv: Literal["v3.5", "v4.0", "v4.5", "v4.5+", "v5.0", "v5.5", "custom"]
    """Version of the music engine."""
    styleWeight: float
    """How closely to follow the styles."""
    weirdnessConstraint: float
    """How far to go from the usual."""
    audioWeight: float
    """How closely to follow the given audio."""
    vocalGender: Literal["Male", "Female"]
    """Preferred voice."""
    variationCategory: Literal["subtle", "normal", "high"]
    """How far a variation goes."""
    audioUrls: list[Media]
    """Tracks to work from."""
    parentTaskId: str
    """The task whose track to work on."""
    audioId: str
    """Which track of that task."""
    audioUrl: Media
    """A track from elsewhere, in place of an earlier task."""
    imageUrl: Media
    """Image of a music video."""
    voiceAudioUrl: Media
    """The voice to learn."""
    verificationAudioUrl: Media
    """The phrase, read by the same voice."""
    phraseId: str
    """The phrase that was read."""
    name: str
    """Name of the voice or model."""
    description: str
    """Describes the voice."""
    singerSkillLevel: Literal["Beginner", "Intermediate", "Advanced", "Professional"]
    """How well the voice sings."""
    aspectRatio: Literal["9:16", "16:9", "1:1", "3:4", "4:3"]
    """Shape of a music video."""
    backgroundColors: list[str]
    """1 to 4 hex colors."""
    quality: Literal["compact", "high", "max"]
    """Of a video."""
    startS: float
    """Start of the section in seconds; for extend, the time at which the extension starts."""
    endS: float
    """End of the section in seconds, after startS."""
    durationS: float
    """Length in seconds."""
    bpm: float
    """Beats per minute."""
    key: str
    """Musical key, e.g. C minor."""
    type: Literal["one-shot", "loop"]
    """Of a sound."""
    stemType: str
    """The stem to take out."""
    speed: float
    """1 keeps the speed."""
    keepPitch: bool
    """Change the speed without changing the pitch."""
    sourceTaskIds: list[str]
    """Exactly 2 tasks to mash up."""
    audioIds: list[str]
    """One audio id for each source task."""
    voxAudioId: str
    """Deprecated and ignored."""


class _TestVideoInput(TypedDict):
    """Required fields of `test-video`."""

    prompt: str
    """A description of the video."""


class TestVideoInput(_TestVideoInput, total=False):
    """Test video (`test-video`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    urls: list[Media]
    """Images to start from. Without them, the video is generated only from the text."""
    duration: Literal[10, 15, 25]
    """Length in seconds."""


class _Veo31FastInput(TypedDict):
    """Required fields of `veo-3.1-fast`."""

    prompt: str
    """A description of the video."""


class Veo31FastInput(_Veo31FastInput, total=False):
    """Veo 3.1 Fast (`veo-3.1-fast`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    urls: list[Media]
    """First and last frame, or references: see generationType."""
    resolution: Literal["720p", "1080p", "4k"]
    """Each tier has its price."""
    generationType: Literal["frame", "reference"]
    """frame: the first and the last frame. reference: what appears in the video."""


class _Veo31LiteInput(TypedDict):
    """Required fields of `veo-3.1-lite`."""

    prompt: str
    """A description of the video."""


class Veo31LiteInput(_Veo31LiteInput, total=False):
    """Veo 3.1 Lite (`veo-3.1-lite`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    resolution: Literal["720p", "1080p", "4k"]
    """Each tier has its price."""


class _Veo31QualityInput(TypedDict):
    """Required fields of `veo-3.1-quality`."""

    prompt: str
    """A description of the video."""


class Veo31QualityInput(_Veo31QualityInput, total=False):
    """Veo 3.1 Quality (`veo-3.1-quality`)."""

    aspectRatio: Literal["16:9", "9:16"]
    """Shape of the video."""
    urls: list[Media]
    """First and last frame, or references: see generationType."""
    resolution: Literal["720p", "1080p", "4k"]
    """Each tier has its price."""
    generationType: Literal["frame"]
    """frame: the first and the last frame. reference: what appears in the video."""


class _Wan27EditVideoInput(TypedDict):
    """Required fields of `wan-2.7-edit-video`."""

    editVideoUrl: Media
    """The video that the prompt changes."""


class Wan27EditVideoInput(_Wan27EditVideoInput, total=False):
    """Wan 2.7 Edit Video (`wan-2.7-edit-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    referenceImageUrl: Media
    """An image that the edit refers to."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Shape of the video."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: Literal[0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """Length in seconds. 0 keeps the length of a video to edit."""
    audioSetting: str
    """The treatment of the video's sound."""
    seed: float
    """The same seed and input give a similar result."""
    enableSafetyChecker: bool
    """Refuse content that the provider's checker finds unsafe."""


class _Wan27ImageInput(TypedDict):
    """Required fields of `wan-2.7-image`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Wan27ImageInput(_Wan27ImageInput, total=False):
    """Wan 2.7 Image (`wan-2.7-image`)."""

    urls: list[Media]
    """Images to edit; the prompt may speak of them by their order."""
    size: Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]
    """Shape of the image."""
    width: float
    """Exact width in pixels, with height; takes the place of the aspect ratio."""
    height: float
    """Exact height in pixels, with width; takes the place of the aspect ratio."""
    seed: float
    """The same seed and input give a similar result."""


class _Wan27ImageProInput(TypedDict):
    """Required fields of `wan-2.7-image-pro`."""

    prompt: str
    """A description of the image, or of the changes to the given images."""


class Wan27ImageProInput(_Wan27ImageProInput, total=False):
    """Wan 2.7 Image Pro (`wan-2.7-image-pro`)."""

    urls: list[Media]
    """Images to edit; the prompt may speak of them by their order."""
    size: Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]
    """Shape of the image."""
    width: float
    """Exact width in pixels, with height; takes the place of the aspect ratio."""
    height: float
    """Exact height in pixels, with width; takes the place of the aspect ratio."""
    seed: float
    """The same seed and input give a similar result."""


class Wan27ImageToVideoInput(TypedDict, total=False):
    """Wan 2.7 Image to Video (`wan-2.7-image-to-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    imageUrls: list[Media]
    """The first frame and, if you like, the last."""
    audioUrl: Media
    """Sound that the video follows. Not with continueVideoUrl."""
    continueVideoUrl: Media
    """A video of 2 to 10 s. Not with imageUrls or audioUrl."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds."""
    multiShots: bool
    """Tell the story in several shots."""
    seed: float
    """The same seed and input give a similar result."""
    enableSafetyChecker: bool
    """Refuse content that the provider's checker finds unsafe."""


class Wan27ReferenceToVideoInput(TypedDict, total=False):
    """Wan 2.7 Reference to Video (`wan-2.7-reference-to-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    referenceImageUrls: list[Media]
    """Images of the people or things that appear."""
    referenceVideoUrls: list[Media]
    """Videos of the people or things that appear."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Shape of the video."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds."""
    multiShots: bool
    """Tell the story in several shots."""
    seed: float
    """The same seed and input give a similar result."""
    enableSafetyChecker: bool
    """Refuse content that the provider's checker finds unsafe."""


class _Wan27TextToVideoInput(TypedDict):
    """Required fields of `wan-2.7-text-to-video`."""

    prompt: str
    """A description of the video. Required without media."""


class Wan27TextToVideoInput(_Wan27TextToVideoInput, total=False):
    """Wan 2.7 Text to Video (`wan-2.7-text-to-video`)."""

    audioUrl: Media
    """Sound that the video follows. Not with continueVideoUrl."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Shape of the video."""
    resolution: Literal["720p", "1080p"]
    """Billed per second of each tier."""
    duration: Literal[5, 10, 15]
    """Length in seconds."""
    seed: float
    """The same seed and input give a similar result."""
    enableSafetyChecker: bool
    """Refuse content that the provider's checker finds unsafe."""


class Wan30Input(TypedDict, total=False):
    """Wan 3.0 (`wan-3.0`)."""

    prompt: str
    """A description of the video. Required without media."""
    imageUrls: list[Media]
    """Up to 10 images: references, or frames if generationType says so."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 10 images, as frames or as references, not both."""
    videoUrls: list[Media]
    """Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result."""
    audioUrls: list[Media]
    """Up to 5 files."""
    fileUrl: Media
    """A document for the video, of at most 100 MB and 50 pages. Not with linkUrl."""
    linkUrl: str
    """A web page for the video. Not with fileUrl."""
    generationType: Literal["frame", "reference"]
    """frame: the first and the last frame. reference: what appears in the video."""
    size: Literal["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds."""
    audio: bool
    """Make sound that fits the video."""
    watermark: bool
    """Put the vendor's mark on the video."""
    seed: float
    """The same seed and input give a similar result."""


class Wan30PrimeInput(TypedDict, total=False):
    """Wan 3.0 Prime (`wan-3.0-prime`)."""

    prompt: str
    """A description of the video. Required without media."""
    imageUrls: list[Media]
    """Up to 10 images: references, or frames if generationType says so."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 10 images, as frames or as references, not both."""
    videoUrls: list[Media]
    """Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result."""
    audioUrls: list[Media]
    """Up to 5 files."""
    fileUrl: Media
    """A document for the video, of at most 100 MB and 50 pages. Not with linkUrl."""
    linkUrl: str
    """A web page for the video. Not with fileUrl."""
    generationType: Literal["frame", "reference"]
    """frame: the first and the last frame. reference: what appears in the video."""
    size: Literal["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"]
    """Shape of the video."""
    resolution: Literal["480p", "720p", "1080p"]
    """Billed per second of each tier."""
    duration: float
    """Length in seconds."""
    audio: bool
    """Make sound that fits the video."""
    watermark: bool
    """Put the vendor's mark on the video."""
    seed: float
    """The same seed and input give a similar result."""


class _ZImageInput(TypedDict):
    """Required fields of `z-image`."""

    prompt: str
    """A description of the image, or of the changes to the given image."""


class ZImageInput(_ZImageInput, total=False):
    """Z-Image Turbo (`z-image`)."""

    urls: list[Media]
    """Exactly one image to edit. Without it, a new image is generated."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16"]
    """Shape of the image. Required without a reference image."""
    enableSafetyChecker: bool
    """Refuse results that the provider's checker finds unsafe."""
