"""Requests of every kind: each live model, follow-ups on earlier results, and every fault of a provider."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

PROVIDERS = ("fal", "poyo", "kie", "apimart", "ark")
"""Those that most models have a route to; a fault is for one of them, or for all providers."""
FAULTS = (
    "fail",
    "reject",
    "slow 4",
    "stuck",
    "garbage",
    "garbage 2",
    "status 429 2",
    "status 503",
    "error-in-200",
    "progress-negative",
    "progress-absurd",
    "lost",
    "hang 1",
    "files 3",
    "vanish",
    "truncate",
    "lie",
)
"""Directions to the simulator (`local/simulator/directions.py`)."""
FAULTY_SHARE = 0.6
FOR_ALL_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Earlier:
    """Finished tasks that others build on: ids, and where the files of some are."""

    image_url: str
    video_url: str
    song_url: str
    song_task_id: str
    grid_task_id: str
    """Of four images by Midjourney."""


FIRST: Mapping[str, dict[str, Any]] = {
    "z-image": {"prompt": "a fox", "size": "1:1"},
    "seedance-1.5-pro": {"prompt": "a fox runs"},
    "suno": {"prompt": "a song of a fox"},
    "midjourney": {"prompt": "a fox"},
}
"""What `Earlier` is made of."""


def inputs(models: Sequence[str], earlier: Earlier) -> list[tuple[str, dict[str, Any]]]:
    """Return a model and a short valid input for each kind of request: every model, and every follow-up."""
    image, video, song = earlier.image_url, earlier.video_url, earlier.song_url
    of_image, of_video = {"imageUrls": [image]}, {"videoUrls": [video]}
    motion = {**of_image, **of_video}
    more: dict[str, dict[str, Any]] = {
        "bria-rmbg-2.0": of_image,
        "bytedance-video-upscaler": of_video,
        "kling-2.6-motion-control": {**motion, "characterOrientation": "image"},
        "kling-3.0-motion-control": {**motion, "characterOrientation": "video"},
        "kling-avatar-2.0": {**of_image, "audioUrls": [song]},
        "midjourney-video": of_image,
        "suno-custom-model": {"name": "mine", "audioUrls": [song] * 6},
        "sync-lipsync-2": {**of_video, "audioUrls": [song]},
        "test-upscale": of_image,
        "topaz-image-upscale": of_image,
        "wan-2.7-edit-video": {"editVideoUrl": video},
        "wan-2.7-image-to-video": of_image,
        "wan-2.7-reference-to-video": {"referenceImageUrls": [image]},
        "z-image": {"size": "1:1"},
    }
    track = {"parentTaskId": earlier.song_task_id, "audioId": "1"}
    grid = {"parentTaskId": earlier.grid_task_id, "index": 2}
    return [
        *((model, more.get(model, {})) for model in models),
        ("suno", {"action": "lyrics"}),
        ("suno", {"action": "extend", "startS": 1, **track}),
        ("suno", {"action": "wav", **track}),
        ("midjourney", {"action": "upscale", **grid}),
        ("midjourney", {"action": "remix-subtle", **grid}),
        ("midjourney", {"action": "describe", **of_image}),
    ]


PROMPTLESS = (
    "bria-rmbg-2.0",
    "bytedance-video-upscaler",
    "suno-custom-model",
    "sync-lipsync-2",
    "test-upscale",
    "topaz-image-upscale",
)
PROMPTLESS_ACTIONS = ("extend", "wav", "upscale", "describe")
"""Models and actions whose input has no prompt."""


def with_a_prompt(model: str, values: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """Return the input with this prompt, if it can have one."""
    told = model not in PROMPTLESS and values.get("action") not in PROMPTLESS_ACTIONS
    return {**values, "prompt": prompt} if told else dict(values)


def prompt_of(number: int, random: Random) -> str:
    """Return a prompt of its own, mostly with one or two faults for one provider or for all."""
    faults = random.sample(FAULTS, random.choice((1, 2))) if random.random() < FAULTY_SHARE else []
    told = [
        f"[[{fault}]]" if random.random() < FOR_ALL_SHARE else f"[[{random.choice(PROVIDERS)}: {fault}]]"
        for fault in faults
    ]
    return " ".join([f"request {number},", *told])
