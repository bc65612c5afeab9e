"""Requests of every kind: each live model, follow-ups on earlier results, and every fault of a provider."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.kit.errors import InvalidInputError

CATALOG = Catalog.shipped()

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


def shortest(model: Model, prompt: str, image: str, video: str, song: str) -> dict[str, Any]:
    """Return the shortest input of a model, with the prompt if it takes one. The last three are URLs."""
    of_image, of_video, of_song = {"imageUrls": [image]}, {"videoUrls": [video]}, {"audioUrls": [song]}
    media: Sequence[dict[str, Any]] = (
        {},
        {"size": "1:1"},
        {"referenceImageUrls": [image]},
        of_image,
        {"editVideoUrl": video},
        {**of_image, **of_video, "characterOrientation": "image"},
        of_video,
        {**of_image, **of_song},
        {**of_video, **of_song},
        {"name": "mine", "audioUrls": [song] * 6},
    )
    for given in media:
        for source in ({"prompt": prompt, **given}, given):
            with suppress(InvalidInputError):
                model.check(source)
                return source
    raise AssertionError(f"{model.id} takes no input of tests/support/creates.py: add its shortest one there")


def inputs(models: Sequence[str], earlier: Earlier) -> list[tuple[str, dict[str, Any]]]:
    """Return a model and a short valid input for each kind of request: every model, and every follow-up."""
    files = (earlier.image_url, earlier.video_url, earlier.song_url)
    track = {"parentTaskId": earlier.song_task_id, "audioId": "1"}
    grid = {"parentTaskId": earlier.grid_task_id, "index": 2}
    return [
        *((model, shortest(CATALOG.media_model(model), "a fox", *files)) for model in models),
        ("suno", {"prompt": "a fox", "action": "lyrics"}),
        ("suno", {"action": "extend", "startS": 1, **track}),
        ("suno", {"action": "wav", **track}),
        ("midjourney", {"action": "upscale", **grid}),
        ("midjourney", {"prompt": "a fox", "action": "remix-subtle", **grid}),
        ("midjourney", {"action": "describe", "imageUrls": [earlier.image_url]}),
    ]


def with_a_prompt(values: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """Return the input with this prompt instead of its own; an input without a prompt keeps none."""
    return {**values, "prompt": prompt} if "prompt" in values else dict(values)


def prompt_of(number: int, random: Random) -> str:
    """Return a prompt of its own, mostly with one or two faults for one provider or for all."""
    faults = random.sample(FAULTS, random.choice((1, 2))) if random.random() < FAULTY_SHARE else []
    told = [
        f"[[{fault}]]" if random.random() < FOR_ALL_SHARE else f"[[{random.choice(PROVIDERS)}: {fault}]]"
        for fault in faults
    ]
    return " ".join([f"request {number},", *told])
