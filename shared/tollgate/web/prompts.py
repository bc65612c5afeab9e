"""Example prompts for the forms of models, and for the examples on a model's page. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

PROMPTS: Mapping[str, Sequence[str]] = {
    "IMAGE": (
        "A lighthouse on a cliff at dusk, oil on canvas, warm light on wet rocks",
        "A red fox asleep on a stack of old books, soft window light, shallow depth of field",
        "A poster for a jazz night with the words LATE TRAIN, screen print in two colours",
        "A glass teapot with a small storm inside, studio photograph on a grey background",
    ),
    "VIDEO": (
        "Waves roll against a lighthouse at dusk while the camera rises slowly above the cliff",
        "A paper boat floats along a rainy street, seen from just above the water",
        "A potter shapes a bowl on a turning wheel, close-up, late afternoon light",
        "Time lapse of clouds that pass over a mountain village as its lights come on",
    ),
    "MUSIC": (
        "A calm song about a lighthouse keeper, with acoustic guitar and a warm voice",
        "Upbeat jazz trio for a late evening, with brushed drums and a walking bass",
        "Slow electronic piece with soft pads and a distant piano",
        "Cheerful folk tune with fiddle and hand claps",
    ),
    "3D": (
        "A small wooden lighthouse with a red roof",
        "A ceramic teapot in the shape of an owl",
        "A low stone bridge covered in moss",
        "A brass desk lamp with a round shade",
    ),
}


def prompt_field(params: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the name of the field for the prompt among a model's published `params`, if it has one."""
    return next((param["name"] for param in params if param["isPrompt"] and not param["isArray"]), None)
