"""The input of each model, generated from the catalog. The service checks every input."""

from __future__ import annotations

import os
import sys
from typing import IO, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required

Media = Union[str, "os.PathLike[str]", bytes, IO[bytes]]
"""A URL, a data URI, the id of an upload, or a local file."""

ModelId = Literal[
    "bria-rmbg-2.0",
    "bytedance-video-upscaler",
    "flux-3-image",
    "flux-3-klein",
    "flux-3-video",
    "gemini-omni-1.1-flash",
    "gemini-omni-1.2-flash",
    "gpt-image-2",
    "gpt-image-2.5-flare",
    "gpt-image-2.5-sunburst",
    "grok-imagine-image",
    "grok-imagine-image-1.5",
    "grok-imagine-image-2.0",
    "grok-imagine-video",
    "grok-imagine-video-1.5",
    "hunyuan-3d-3.1",
    "kling-2.6",
    "kling-2.6-motion-control",
    "kling-3.0",
    "kling-3.0-motion-control",
    "kling-3.0-turbo",
    "kling-4.0",
    "kling-4.0-flash",
    "kling-avatar-2.0",
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
    "sync-lipsync-2",
    "test-3d",
    "test-image",
    "test-seedance-1",
    "test-sora-2",
    "test-suno",
    "test-upscale",
    "test-video",
    "topaz-image-upscale",
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


class _ImgAInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given images."""
    size: Literal["auto", "21:9", "2:1", "16:9", "3:2", "7:5", "4:3", "5:4", "1:1", "4:5", "3:4", "5:7", "2:3", "9:16", "1:2", "9:21"]
    """Ratio of width to height."""


class _VidHInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the video."""
    imageUrls: list[Media]
    """The first and optionally the last frame. Not with references."""
    referenceImageUrls: list[Media]
    """Up to 7 images, up to 5 with a reference video. Not with imageUrls."""
    aspectRatio: Literal["16:9", "9:16"]
    """Ratio of width to height."""
    duration: Literal[4, 6, 8, 10]
    """Length in seconds. Ignored with a source video."""
    resolution: Literal["360p", "720p", "1080p", "4k"]
    """1080p and 4k are upscaled."""


class _ImgBInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given images."""
    urls: list[Media]
    """Up to 16 images to use as a reference."""
    size: Literal["auto", "1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "21:9", "9:21"]
    """Ratio of width to height. 1:3 and 3:1 need a resolution of 2k or 4k."""
    resolution: Literal["1k", "2k", "4k"]
    """The price depends on the resolution."""
    quality: Literal["auto", "low", "medium", "high"]
    """More details take more time. `auto` has the price of `medium`."""
    outputFormat: Literal["png", "jpeg", "webp"]
    """File type of the result."""
    outputCompression: float
    """Quality of a JPEG or WebP file in percent. Needs `outputFormat`."""
    moderation: Literal["auto", "low"]
    """How strictly the vendor checks the content."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class _ImgCInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given image."""


class _VidGInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the video."""
    size: Literal["16:9", "9:16", "1:1", "3:2", "2:3"]
    """Ratio of width to height."""
    resolution: Literal["480p", "720p"]
    """The price per second depends on the resolution."""
    urls: list[Media]
    """Images to start from. Without them, the video is generated only from the text."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class _Kind3dInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: str
    """A description of the object. Not with an image."""
    imageUrls: list[Media]
    """Exactly one image of the object: JPG, PNG or WebP, at most 8 MB. Not with a prompt."""
    quality: Literal["rapid", "pro"]
    """The speed and the details, on which the price depends."""
    texture: bool
    """Whether the object has colours."""
    pbr: bool
    """Metal, roughness and normal maps. The price is higher."""


class _VidJInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the video."""
    aspectRatio: Literal["16:9", "9:16", "1:1"]
    """Ratio of width to height. Ignored if the video starts from an image."""
    imageUrls: list[Media]
    """One image is the first frame, two are the first and the last."""


class _VidKInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: str
    """Other content of the video."""
    imageUrls: Required[list[Media]]
    """Exactly one image of the character: JPG or PNG, at most 10 MB."""
    videoUrls: Required[list[Media]]
    """Exactly one video of the motion: MP4 or MOV, at most 100 MB."""
    characterOrientation: Required[Literal["image", "video"]]
    """Take the character's orientation from the image or the video."""
    resolution: Literal["720p", "1080p"]
    """The price per second depends on the resolution."""


class _VidLInput(TypedDict, total=False):
    """Fields that several models have."""

    duration: float
    """Length in seconds. Ignored with a source video and with scenes."""
    aspectRatio: Literal["auto", "16:9", "9:16", "1:1", "21:9"]
    """Ratio of width to height. Must be auto with a source video."""


class _VidMInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the video."""
    aspectRatio: Literal["16:9", "9:16"]
    """Ratio of width to height."""
    audioUrls: list[Media]
    """Up to 3 files, free of charge."""
    seed: float
    """The same seed and input return a similar result."""


class _ImgDInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given images."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class _ImgGInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given images."""
    urls: list[Media]
    """Images to edit. The prompt can refer to them by their order."""
    size: Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]
    """Ratio of width to height."""
    seed: float
    """The same seed and input return a similar result."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class _VidFInput(TypedDict, total=False):
    """Fields that several models have."""

    duration: Literal[4, 8, 12]
    """Length in seconds."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Ratio of width to height."""
    resolution: Literal["480p", "720p", "1080p"]
    """The price per second depends on the resolution."""
    seed: float
    """The same seed and input return a similar result."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with imageUrls."""
    cameraFixed: bool
    """Keep the camera still."""


class _VidDInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: str
    """A description of the video. Required without reference images or videos."""
    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9"]
    """Ratio of width to height."""
    seed: float
    """The same seed and input return a similar result."""
    generateAudio: bool
    """Generate sound for the video."""
    nsfwCheck: bool
    """Have the provider check the content first."""
    returnLastFrame: bool
    """Also return the last frame as an image."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""
    imageWithRoles: list[dict[str, Any]]
    """Up to 2 images, each with its role. Not with other reference media."""
    videoUrls: list[Media]
    """Up to 3 videos, together more than 1.8 s and less than 15.2 s."""
    audioUrls: list[Media]
    """Up to 3 files, 15 s together. Needs imageUrls or videoUrls."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class _ImgEInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given images."""
    urls: list[Media]
    """Images to use as a reference."""
    watermark: bool
    """Add the vendor's watermark to the image."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class _MusicInput(TypedDict, total=False):
    """Fields that several models have."""

    action: Literal["music", "extend", "cover", "add-instrumental", "add-vocals", "sound", "stems", "stems-all", "wav", "lyrics", "voice", "timestamped-lyrics", "boost-style", "music-cover", "replace-section", "music-video", "inspo", "upload", "remaster", "add-stem", "vox", "remove-section", "crop", "fade-in", "fade-out", "adjust-speed", "concat", "mashup", "sample", "midi", "bpm"]
    """The kind of job."""
    prompt: str
    """The subject of the song; with styles or title, its lyrics."""
    styles: str
    """Genres, moods, instruments, separated by commas."""
    title: str
    """Title of the track."""
    instrumental: bool
    """Generate music without vocals."""
    autoLyrics: bool
    """Write lyrics from the prompt, instead of using it as lyrics."""
    negativeTags: str
    """Styles to avoid, separated by commas."""
    styleWeight: float
    """How closely to follow the styles."""
    weirdnessConstraint: float
    """Higher values return more unusual music."""
    audioWeight: float
    """How closely to follow the given audio."""
    vocalGender: Literal["Male", "Female"]
    """Preferred voice."""
    variationCategory: Literal["subtle", "normal", "high"]
    """Strength of a variation."""
    audioUrls: list[Media]
    """Tracks to use."""
    parentTaskId: str
    """The task with the track to use."""
    audioId: str
    """The id of a track of that task."""
    audioUrl: Media
    """URL of a track, instead of an earlier task."""
    voiceAudioUrl: Media
    """A recording of the voice to copy."""
    verificationAudioUrl: Media
    """A recording of the phrase, read by the same voice."""
    phraseId: str
    """The id of the phrase, from the output of an earlier voice task."""
    name: str
    """Name of the voice or model."""
    description: str
    """Description of the voice."""
    singerSkillLevel: Literal["Beginner", "Intermediate", "Advanced", "Professional"]
    """Singing skill of the voice."""
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
    """Type of a sound."""
    speed: float
    """1 is the original speed."""
    keepPitch: bool
    """Change the speed without changing the pitch."""
    sourceTaskIds: list[str]
    """Exactly 2 tasks to mash up."""
    audioIds: list[str]
    """One audio id for each source task."""
    voxAudioId: str
    """Deprecated and ignored."""


class _UpscaleImageInput(TypedDict, total=False):
    """Fields that several models have."""

    imageUrls: Required[list[Media]]
    """Exactly one image: JPG, PNG or WebP, at most 10 MB."""
    upscaleFactor: Literal[1, 2, 4, 8]
    """The factor for width and height. 1 only improves the details."""


class _VidCInput(TypedDict, total=False):
    """Fields that several models have."""

    prompt: Required[str]
    """A description of the video."""
    aspectRatio: Literal["16:9", "9:16"]
    """Ratio of width to height."""
    resolution: Literal["720p", "1080p", "4k"]
    """The price depends on the resolution."""


class _VidOInput(TypedDict, total=False):
    """Fields that several models have."""

    resolution: Literal["720p", "1080p"]
    """The price per second depends on the resolution."""
    seed: float
    """The same seed and input return a similar result."""
    enableSafetyChecker: bool
    """Refuse content that the provider's checker finds unsafe."""


class _VidPInput(TypedDict, total=False):
    """Fields that several models have."""

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
    """frame: the first and the last frame. reference: people or things that appear in the video."""
    size: Literal["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16"]
    """Ratio of width to height."""
    resolution: Literal["480p", "720p", "1080p"]
    """The price per second depends on the resolution."""
    duration: float
    """Length in seconds."""
    audio: bool
    """Generate sound for the video."""
    watermark: bool
    """Add the vendor's watermark to the video."""
    seed: float
    """The same seed and input return a similar result."""


class BriaRmbg20Input(TypedDict, total=False):
    """Bria RMBG 2.0 (`bria-rmbg-2.0`)."""

    imageUrls: Required[list[Media]]
    """Exactly one image: JPG, PNG or WebP, at most 10 MB."""


class BytedanceVideoUpscalerInput(TypedDict, total=False):
    """ByteDance Video Upscaler (`bytedance-video-upscaler`)."""

    videoUrls: Required[list[Media]]
    """Exactly one video: MP4 or MOV, at most 600 s and 500 MB."""
    resolution: Literal["1080p", "2k", "4k"]
    """The price per second depends on the resolution."""


class Flux3ImageInput(_ImgAInput, total=False):
    """FLUX 3 Image (`flux-3-image`)."""

    urls: list[Media]
    """Up to 10 images to use as a reference."""
    resolution: Literal["768SQ", "1K", "1.5K", "2K", "4K"]
    """The price depends on the resolution."""
    grounding: bool
    """Search the web for facts and images first. No extra cost."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class Flux3KleinInput(_ImgAInput, total=False):
    """FLUX 3 Klein (`flux-3-klein`)."""

    resolution: Literal["1K", "2K", "4K"]
    """The price depends on the resolution."""


class Flux3VideoInput(TypedDict, total=False):
    """FLUX 3 Video (`flux-3-video`)."""

    prompt: Required[str]
    """A description of the video."""
    resolution: Literal["720p", "1080p"]
    """The price per second depends on the resolution. A draft is 720p."""
    duration: float
    """Length in seconds."""
    aspectRatio: Literal["auto", "21:9", "2:1", "16:9", "4:3", "1:1", "3:4", "9:16"]
    """Ratio of width to height."""
    imageUrls: list[Media]
    """1 to 10 images in the order of their appearance. Not with videoUrl."""
    videoUrl: Media
    """An MP4 file. Not with imageUrls."""
    draft: bool
    """A faster and cheaper preview, only in 720p."""
    safetyTolerance: float
    """0 is the strictest check of the content."""


class GeminiOmni11FlashInput(_VidHInput, total=False):
    """Gemini Omni Flash 1.1 (`gemini-omni-1.1-flash`)."""

    referenceVideoUrls: list[Media]
    """One video of 3 to 10 s. The result has the same length. Not with imageUrls."""


class GeminiOmni12FlashInput(_VidHInput, total=False):
    """Gemini Omni Flash 1.2 (`gemini-omni-1.2-flash`)."""



class GptImage2Input(_ImgBInput, total=False):
    """GPT Image 2 (`gpt-image-2`)."""



class GptImage25FlareInput(_ImgBInput, total=False):
    """GPT Image 2.5 Flare (`gpt-image-2.5-flare`)."""



class GptImage25SunburstInput(_ImgBInput, total=False):
    """GPT Image 2.5 Sunburst (`gpt-image-2.5-sunburst`)."""



class GrokImagineImageInput(_ImgCInput, total=False):
    """Grok Imagine Image (`grok-imagine-image`)."""

    urls: list[Media]
    """At most one image to use as a reference."""
    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Ratio of width to height."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class GrokImagineImage15Input(_ImgCInput, total=False):
    """Grok Imagine Image 1.5 (text only) (`grok-imagine-image-1.5`)."""

    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Ratio of width to height."""


class GrokImagineImage20Input(_ImgCInput, total=False):
    """Grok Imagine Image 2.0 (`grok-imagine-image-2.0`)."""

    urls: list[Media]
    """At most one image to use as a reference."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9"]
    """Ratio of width to height."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class GrokImagineVideoInput(_VidGInput, total=False):
    """Grok Imagine Video (`grok-imagine-video`)."""

    duration: Literal[6, 10, 15, 20, 25, 30]
    """Length in seconds."""


class GrokImagineVideo15Input(_VidGInput, total=False):
    """Grok Imagine Video 1.5 (`grok-imagine-video-1.5`)."""

    duration: Literal[6, 10, 15]
    """Length in seconds."""


class Hunyuan3d31Input(_Kind3dInput, total=False):
    """Hunyuan 3D 3.1 (`hunyuan-3d-3.1`)."""



class Kling26Input(_VidJInput, total=False):
    """Kling 2.6 (`kling-2.6`)."""

    resolution: Literal["1080p"]
    """The price depends on the resolution."""
    duration: Literal[5, 10]
    """Length in seconds."""
    generateAudio: bool
    """Generate sound for the video."""


class Kling26MotionControlInput(_VidKInput, total=False):
    """Kling 2.6 Motion Control (`kling-2.6-motion-control`)."""



class Kling30Input(_VidJInput, total=False):
    """Kling 3.0 (`kling-3.0`)."""

    resolution: Literal["720p", "1080p", "4k"]
    """The price depends on the resolution."""
    duration: float
    """Length in seconds."""
    generateAudio: bool
    """Generate sound for the video."""


class Kling30MotionControlInput(_VidKInput, total=False):
    """Kling 3.0 Motion Control (`kling-3.0-motion-control`)."""



class Kling30TurboInput(_VidJInput, total=False):
    """Kling 3.0 Turbo (`kling-3.0-turbo`)."""

    resolution: Literal["720p", "1080p"]
    """The price depends on the resolution."""
    duration: float
    """Length in seconds."""


class Kling40Input(_VidLInput, total=False):
    """Kling 4.0 (`kling-4.0`)."""

    prompt: str
    """A description of the video. Required unless there are scenes."""
    videoMode: Literal["elements", "start_end_frame", "transform", "video_reference"]
    """The source of the video. Without it, the source is only the text."""
    resolution: Literal["720p", "1080p"]
    """The price per second depends on the resolution."""
    generateAudio: bool
    """Generate sound for the video."""
    keepAudio: bool
    """Keep the sound of the source video."""
    imageUrls: list[Media]
    """Up to 10 images, in the modes elements, transform and video_reference."""
    startImageIndex: float
    """Number of the image in imageUrls that starts the video, from 1."""
    elements: list[dict[str, Any]]
    """Up to 7 people or things in the video, at most 3 of them with a video."""
    startFrameUrl: Media
    """Required in mode start_end_frame."""
    keyframeUrls: list[Media]
    """Up to 8 frames between the first and the last."""
    endFrameUrl: Media
    """The last frame, in mode start_end_frame."""
    videoUrl: Media
    """transform: 3 to 10 s, short side at least 700 pixels. video_reference: 3 to 30 s."""
    multiShots: list[dict[str, Any]]
    """2 to 6 scenes, together 3 to 30 s, each with a prompt. Not with prompt."""


class Kling40FlashInput(_VidLInput, total=False):
    """Kling 4.0 Flash (`kling-4.0-flash`)."""

    prompt: Required[str]
    """A description of the video. Required unless there are scenes."""
    resolution: Literal["720p"]
    """The price per second depends on the resolution."""


class KlingAvatar20Input(TypedDict, total=False):
    """Kling Avatar 2.0 (`kling-avatar-2.0`)."""

    imageUrls: Required[list[Media]]
    """Exactly one image of a person: JPG, PNG or WebP, at most 10 MB."""
    audioUrls: Required[list[Media]]
    """Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB."""
    prompt: str
    """The emotion, the gestures and the camera."""
    quality: Literal["standard", "pro"]
    """The price per second depends on the quality."""


class KlingO3Input(_VidJInput, total=False):
    """Kling O3 (3.0 Omni) (`kling-o3`)."""

    resolution: Literal["720p", "1080p", "4k"]
    """The price depends on the resolution."""
    duration: float
    """Length in seconds."""
    generateAudio: bool
    """Generate sound for the video."""


class MidjourneyInput(TypedDict, total=False):
    """Midjourney (`midjourney`)."""

    action: Literal["imagine", "edits", "blend", "describe", "upscale", "variation", "high-variation", "low-variation", "reroll", "zoom", "pan", "inpaint", "modal", "remix-strong", "remix-subtle"]
    """The kind of job."""
    prompt: str
    """A description of the image. Required for imagine and edits."""
    imageUrls: list[Media]
    """Images to use. Required for blend and describe."""
    parentTaskId: str
    """The task with the result for a follow-up action."""
    index: float
    """Number of the image, 1 to 4 from the top left."""
    customId: str
    """The id of a button of the earlier result, instead of index."""
    speed: Literal["relax", "fast", "turbo"]
    """The price depends on the speed."""
    direction: Literal["left", "right", "up", "down"]
    """The direction in which the image grows. Required for pan."""
    zoomRatio: float
    """Zoom factor, 1 to 2."""
    maskUrl: Media
    """A mask of the part to change."""
    dimensions: Literal["SQUARE", "PORTRAIT", "LANDSCAPE"]
    """Ratio of width to height for a blend of images."""
    size: str
    """Width to height, e.g. 16:9."""
    quality: float
    """Higher quality takes more time."""
    style: str
    """A style of the model, e.g. raw."""
    version: Literal["8.1", "7", "6.1", "5.2", "5.1"]
    """Version of the model."""
    seed: float
    """The same seed and input return a similar result."""
    negativePrompt: str
    """Things that must not appear."""
    stylize: float
    """Strength of the model's own style."""
    chaos: float
    """Variation between the four images."""
    weird: float
    """Higher values return more unusual images."""
    tile: bool
    """Generate a seamless pattern."""
    niji: bool
    """Use the model for anime."""
    iw: float
    """Influence of the given images."""
    cw: float
    """Influence of cref."""
    sw: float
    """Influence of sref."""
    cref: str
    """URL of a character to keep."""
    sref: str
    """URL or code of a style to keep."""
    dref: str
    """URL of an image with the depth to keep."""
    dw: float
    """Influence of dref."""
    repeat: float
    """Number of times to run an imagine. Each run is billed."""
    raw: bool
    """Less of the model's own style."""
    draft: bool
    """Faster, with less quality."""
    hd: bool
    """A larger image."""
    stop: float
    """Stop at this percentage."""
    extra: str
    """Further flags, as text."""


class MidjourneyVideoInput(TypedDict, total=False):
    """Midjourney Video (`midjourney-video`)."""

    prompt: str
    """Description of the motion."""
    imageUrls: list[Media]
    """The image to animate."""
    parentTaskId: str
    """The task with the image to animate."""
    index: float
    """Number of the image, 0 to 3."""
    videoType: Literal["vid_1.1_i2v_480", "vid_1.1_i2v_720", "vid_1.1_i2v_start_end_480", "vid_1.1_i2v_start_end_720"]
    """Resolution, and if a last frame is given."""
    animateMode: Literal["manual", "auto"]
    """auto chooses the motion. It needs parentTaskId and index."""
    motion: Literal["low", "high"]
    """Amount of motion."""
    batchSize: Literal[1, 2, 4]
    """Number of videos. Each is billed."""
    endUrl: Media
    """The last frame, for the start_end types."""


class MinimaxH3Input(_VidMInput, total=False):
    """MiniMax H3 (`minimax-h3`)."""

    imageUrls: list[Media]
    """Up to 9 images. The first 5 are free, each additional image is billed."""
    resolution: Literal["768p", "2k"]
    """The price per second depends on the resolution."""
    duration: float
    """Length in seconds."""


class MinimaxH3MaxInput(_VidMInput, total=False):
    """MiniMax H3 Max (`minimax-h3-max`)."""

    imageUrls: list[Media]
    """Up to 2 images. The first 5 are free, each additional image is billed."""
    resolution: Literal["480p", "768p", "1080p"]
    """The price per second depends on the resolution."""
    duration: float
    """Length in seconds. At most 10 at 1080p."""


class NanoBanana2Input(_ImgDInput, total=False):
    """Nano Banana 2 (`nano-banana-2`)."""

    urls: list[Media]
    """Up to 14 images to use as a reference."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1"]
    """Ratio of width to height."""
    resolution: Literal["512px", "1K", "2K", "4K"]
    """The price depends on the resolution."""


class NanoBanana2LiteInput(_ImgDInput, total=False):
    """Nano Banana 2 Lite (`nano-banana-2-lite`)."""

    urls: list[Media]
    """Up to 10 images to use as a reference."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]
    """Ratio of width to height."""


class NanoBanana21Input(_ImgDInput, total=False):
    """Nano Banana 2.1 (`nano-banana-2.1`)."""

    urls: list[Media]
    """Up to 10 images to use as a reference."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9", "1:4", "1:8", "4:1", "8:1"]
    """Ratio of width to height."""
    resolution: Literal["1K", "2K", "4K"]
    """The price depends on the resolution."""


class NanoBananaProInput(_ImgDInput, total=False):
    """Nano Banana Pro (`nano-banana-pro`)."""

    urls: list[Media]
    """Up to 8 images to use as a reference."""
    size: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]
    """Ratio of width to height."""
    resolution: Literal["1K", "2K", "4K"]
    """The price depends on the resolution."""


class PixverseV6Input(TypedDict, total=False):
    """PixVerse V6 (`pixverse-v6`)."""

    prompt: Required[str]
    """A description of the video."""
    resolution: Literal["360p", "540p", "720p", "1080p"]
    """The price per second depends on the resolution."""
    duration: float
    """Length in seconds. A transition has 5 or 8."""
    size: Literal["16:9", "4:3", "1:1", "3:4", "9:16", "2:3", "3:2", "21:9"]
    """Shape of a video that is generated from text or references."""
    seed: float
    """The same seed and input return a similar result."""
    negativePrompt: str
    """Things that must not appear."""
    audio: bool
    """Generate sound for the video."""
    watermark: bool
    """Add the vendor's watermark to the video."""
    motionMode: Literal["normal"]
    """Speed of the motion."""
    generateMultiClipSwitch: bool
    """Use several shots. Only for videos from text or an image."""
    imageUrls: list[Media]
    """The image to start from. Only the first image is used."""
    firstFrameImage: Media
    """Start of a transition, with lastFrameImage."""
    lastFrameImage: Media
    """End of a transition, with firstFrameImage."""
    imgReferences: list[Media]
    """1 to 7 images of people or things in the video."""
    extendFromTaskId: str
    """The id of an earlier task of this model."""


class QwenImage3Input(_ImgGInput, total=False):
    """Qwen Image 3.0 (`qwen-image-3`)."""



class QwenImage3ProInput(_ImgGInput, total=False):
    """Qwen Image 3.0 Pro (`qwen-image-3-pro`)."""



class Seedance10ProFastInput(_VidFInput, total=False):
    """Seedance 1.0 Pro Fast (`seedance-1.0-pro-fast`)."""

    prompt: Required[str]
    """A description of the video. Required without an image."""
    imageUrls: list[Media]
    """One image. Not with imageWithRoles."""


class Seedance15ProInput(_VidFInput, total=False):
    """Seedance 1.5 Pro (`seedance-1.5-pro`)."""

    prompt: str
    """A description of the video. Required without an image."""
    generateAudio: bool
    """Generate sound for the video."""
    imageUrls: list[Media]
    """Up to 2 images. Not with imageWithRoles."""


class Seedance20Input(_VidDInput, total=False):
    """Seedance 2.0 (`seedance-2.0`)."""

    resolution: Literal["480p", "720p", "1080p", "4k"]
    """The price per second depends on the resolution."""


class Seedance20FastInput(_VidDInput, total=False):
    """Seedance 2.0 Fast (`seedance-2.0-fast`)."""

    resolution: Literal["480p", "720p"]
    """The price per second depends on the resolution."""


class Seedance20MiniInput(_VidDInput, total=False):
    """Seedance 2.0 Mini (`seedance-2.0-mini`)."""

    resolution: Literal["480p", "720p"]
    """The price per second depends on the resolution."""


class Seedance25Input(TypedDict, total=False):
    """Seedance 2.5 (`seedance-2.5`)."""

    prompt: Required[str]
    """A description of the video."""
    duration: float
    """Length in seconds."""
    size: Literal["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]
    """Ratio of width to height. Must be adaptive with a first or last frame."""
    resolution: Literal["480p", "720p", "1080p"]
    """The price per second depends on the resolution."""
    generateAudio: bool
    """Generate sound for the video."""
    nsfwCheck: bool
    """Have the provider check the content first."""
    watermark: bool
    """Add the vendor's watermark to the video."""
    seed: float
    """The same seed and input return a similar result."""
    outputFormat: Literal["mp4", "mov"]
    """File type of the result."""
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
    """Also return the last frame as an image."""
    tools: list[dict[str, Any]]
    """Tools for the model: a web search."""


class Seedream40Input(_ImgEInput, total=False):
    """Seedream 4.0 (`seedream-4.0`)."""

    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Ratio of width to height."""
    resolution: Literal["1K", "2K", "4K"]
    """The price depends on the resolution."""
    outputFormat: Literal["jpeg"]
    """File type of the result."""
    promptOptimizeMode: Literal["standard", "fast"]
    """How thoroughly the prompt is reworked before the image is generated."""


class Seedream45Input(_ImgEInput, total=False):
    """Seedream 4.5 (`seedream-4.5`)."""

    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Ratio of width to height."""
    resolution: Literal["2K", "4K"]
    """The price depends on the resolution."""
    outputFormat: Literal["jpeg", "png"]
    """File type of the result."""
    promptOptimizeMode: Literal["standard"]
    """How thoroughly the prompt is reworked before the image is generated."""


class Seedream5FlashInput(_ImgEInput, total=False):
    """Seedream 5.0 Flash (`seedream-5-flash`)."""

    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9"]
    """Ratio of width to height."""
    resolution: Literal["1K", "1.5K", "2K"]
    """The price depends on the resolution."""
    outputFormat: Literal["jpeg", "png"]
    """File type of the result."""


class Seedream5LiteInput(_ImgEInput, total=False):
    """Seedream 5.0 Lite (`seedream-5-lite`)."""

    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9", "9:21", "auto"]
    """Ratio of width to height."""
    resolution: Literal["2K", "3K", "4K"]
    """The price depends on the resolution."""
    outputFormat: Literal["jpeg", "png"]
    """File type of the result."""
    promptOptimizeMode: Literal["standard"]
    """How thoroughly the prompt is reworked before the image is generated."""


class Seedream5ProInput(_ImgEInput, total=False):
    """Seedream 5.0 Pro (`seedream-5-pro`)."""

    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "21:9"]
    """Ratio of width to height."""
    resolution: Literal["1K", "1.5K", "2K"]
    """The price depends on the resolution."""
    outputFormat: Literal["jpeg", "png"]
    """File type of the result."""


class SunoInput(_MusicInput, total=False):
    """Suno (`suno`)."""

    mv: Literal["v3.5", "v4.0", "v4.5", "v4.5+", "v5.0", "v5.5"]
    """Version of the music engine."""
    aspectRatio: Literal["9:16"]
    """Ratio of width to height of a music video."""
    quality: Literal["compact"]
    """Quality of a music video."""
    stemType: Literal["lead_vocal"]
    """The stem to extract."""


class SunoCustomModelInput(TypedDict, total=False):
    """Suno Custom Model (`suno-custom-model`)."""

    name: Required[str]
    """Name of the engine."""
    audioUrls: Required[list[Media]]
    """6 to 24 tracks: MP3, WAV or M4A."""


class SyncLipsync2Input(TypedDict, total=False):
    """Sync Lipsync 2 (`sync-lipsync-2`)."""

    videoUrls: Required[list[Media]]
    """Exactly one video of a speaker: MP4, 1 to 60 s, at most 100 MB."""
    audioUrls: Required[list[Media]]
    """Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB."""
    syncMode: Literal["loop", "bounce"]
    """Repeat a video that is shorter than the sound, or play it back and forth."""
    quality: Literal["standard", "pro"]
    """The price per second depends on the quality."""


class Test3dInput(_Kind3dInput, total=False):
    """Test 3D (`test-3d`)."""



class TestImageInput(_ImgCInput, total=False):
    """Test image (`test-image`)."""

    urls: list[Media]
    """At most one image to use as a reference."""
    size: Literal["1:1", "16:9", "9:16", "3:2", "2:3"]
    """Ratio of width to height."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class TestSeedance1Input(_VidFInput, total=False):
    """Test: Seedance 1 (`test-seedance-1`)."""

    prompt: str
    """A description of the video. Required without an image."""
    generateAudio: bool
    """Generate sound for the video."""
    imageUrls: list[Media]
    """Up to 9 images. Not with imageWithRoles."""


class TestSora2Input(TypedDict, total=False):
    """Test: Sora 2 (`test-sora-2`)."""

    prompt: Required[str]
    """A description of the video."""
    aspectRatio: Literal["16:9", "9:16"]
    """Ratio of width to height."""
    urls: list[Media]
    """At most one image to start from."""
    duration: Literal[4, 8, 12, 16, 20]
    """Length in seconds."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class TestSunoInput(_MusicInput, total=False):
    """Test: Suno (`test-suno`)."""

    mv: Literal["v3.5", "v4.0", "v4.5", "v4.5+", "v5.0", "v5.5", "custom"]
    """Version of the music engine."""
    imageUrl: Media
    """Image for a music video."""
    aspectRatio: Literal["9:16", "16:9", "1:1", "3:4", "4:3"]
    """Ratio of width to height of a music video."""
    backgroundColors: list[str]
    """1 to 4 hex colors."""
    quality: Literal["compact", "high", "max"]
    """Quality of a music video."""
    stemType: str
    """The stem to extract."""
    imageUrls: list[Media]
    """Another name of imageUrl. Do not send both."""


class TestUpscaleInput(_UpscaleImageInput, total=False):
    """Test upscaling (`test-upscale`)."""



class TestVideoInput(TypedDict, total=False):
    """Test video (`test-video`)."""

    prompt: Required[str]
    """A description of the video."""
    aspectRatio: Literal["16:9", "9:16"]
    """Ratio of width to height."""
    urls: list[Media]
    """Images to start from. Without them, the video is generated only from the text."""
    duration: Literal[10, 15, 25]
    """Length in seconds."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class TopazImageUpscaleInput(_UpscaleImageInput, total=False):
    """Topaz Image Upscale (`topaz-image-upscale`)."""



class Veo31FastInput(_VidCInput, total=False):
    """Veo 3.1 Fast (`veo-3.1-fast`)."""

    urls: list[Media]
    """First and last frame, or references: see generationType."""
    generationType: Literal["frame", "reference"]
    """frame: the first and the last frame. reference: people or things that appear in the video."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class Veo31LiteInput(_VidCInput, total=False):
    """Veo 3.1 Lite (`veo-3.1-lite`)."""



class Veo31QualityInput(_VidCInput, total=False):
    """Veo 3.1 Quality (`veo-3.1-quality`)."""

    urls: list[Media]
    """First and last frame, or references: see generationType."""
    generationType: Literal["frame"]
    """frame: the first and the last frame. reference: people or things that appear in the video."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""


class Wan27EditVideoInput(_VidOInput, total=False):
    """Wan 2.7 Edit Video (`wan-2.7-edit-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    editVideoUrl: Required[Media]
    """The video that the prompt changes."""
    referenceImageUrl: Media
    """An image that the edit refers to."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Ratio of width to height."""
    duration: Literal[0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """Length in seconds. 0 keeps the length of a video to edit."""
    audioSetting: str
    """The treatment of the video's sound."""
    imageUrls: list[Media]
    """Another name of referenceImageUrl. Do not send both."""


class Wan27ImageInput(_ImgGInput, total=False):
    """Wan 2.7 Image (`wan-2.7-image`)."""

    width: float
    """Width in pixels, together with height. Replaces the aspect ratio."""
    height: float
    """Height in pixels, together with width. Replaces the aspect ratio."""


class Wan27ImageProInput(_ImgGInput, total=False):
    """Wan 2.7 Image Pro (`wan-2.7-image-pro`)."""

    width: float
    """Width in pixels, together with height. Replaces the aspect ratio."""
    height: float
    """Height in pixels, together with width. Replaces the aspect ratio."""


class Wan27ImageToVideoInput(_VidOInput, total=False):
    """Wan 2.7 Image to Video (`wan-2.7-image-to-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    imageUrls: list[Media]
    """The first and optionally the last frame."""
    audioUrl: Media
    """Sound that the video follows. Not with continueVideoUrl."""
    continueVideoUrl: Media
    """A video of 2 to 10 s. Not with imageUrls or audioUrl."""
    duration: float
    """Length in seconds."""
    multiShots: bool
    """Use several shots."""


class Wan27ReferenceToVideoInput(_VidOInput, total=False):
    """Wan 2.7 Reference to Video (`wan-2.7-reference-to-video`)."""

    prompt: str
    """A description of the video. Required without media."""
    referenceImageUrls: list[Media]
    """Images of the people or things that appear."""
    referenceVideoUrls: list[Media]
    """Videos of the people or things that appear."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Ratio of width to height."""
    duration: float
    """Length in seconds."""
    multiShots: bool
    """Use several shots."""
    imageUrls: list[Media]
    """Another name of referenceImageUrls. Do not send both."""


class Wan27TextToVideoInput(_VidOInput, total=False):
    """Wan 2.7 Text to Video (`wan-2.7-text-to-video`)."""

    prompt: Required[str]
    """A description of the video. Required without media."""
    audioUrl: Media
    """Sound that the video follows. Not with continueVideoUrl."""
    size: Literal["16:9", "9:16", "1:1", "4:3", "3:4"]
    """Ratio of width to height."""
    duration: Literal[5, 10, 15]
    """Length in seconds."""


class Wan30Input(_VidPInput, total=False):
    """Wan 3.0 (`wan-3.0`)."""



class Wan30PrimeInput(_VidPInput, total=False):
    """Wan 3.0 Prime (`wan-3.0-prime`)."""



class ZImageInput(TypedDict, total=False):
    """Z-Image Turbo (`z-image`)."""

    prompt: Required[str]
    """A description of the image, or of the changes to the given image."""
    urls: list[Media]
    """Exactly one image to edit. Without it, a new image is generated."""
    size: Literal["1:1", "4:3", "3:4", "16:9", "9:16"]
    """Ratio of width to height. Required without a reference image."""
    enableSafetyChecker: bool
    """Refuse results that fail the provider's content check."""
    imageUrls: list[Media]
    """Another name of urls. Do not send both."""
