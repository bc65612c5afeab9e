"""The Midjourney-style image profile of the contract: one `action` per kind of job, flags as fields.

The inputs of each action are decided here, by its kind of job (docs/contract.md#midjourney):

    imagine                          a prompt
    edits                            a prompt and an image
    blend                            two to four images
    describe                         one image
    upscale, variation, high- and    one of the four images of an earlier result: `parentTaskId` and
    low-variation, zoom, pan,        `index`, or the button of that image (`customId`) instead of the index
    inpaint
    remix-strong, remix-subtle       one of the four, by its index
    reroll                           an earlier result as a whole: all four are generated again
    modal                            an earlier action that waits for its input, a prompt or a mask

A field that the action does not support (`FIELDS_OF_ACTION`) is refused, because no route can send it.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Many, Number, Pattern, Text, Whole
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, Prompt, Seed, TaskId, field
from tollgate.catalog.rules import (
    Case,
    CheckedInput,
    Rule,
    at,
    has_required_source,
    items,
    only_usable_fields,
    rule,
)
from tollgate.kit.problems import Problem

ACTIONS = (
    "imagine", "edits", "blend", "describe", "upscale", "variation", "high-variation", "low-variation",
    "reroll", "zoom", "pan", "inpaint", "modal", "remix-strong", "remix-subtle",
)  # fmt: skip
ONE_IMAGE = ("upscale", "variation", "high-variation", "low-variation", "zoom", "inpaint")
REMIXES = ("remix-strong", "remix-subtle")
WHICH = ("index", "customId")
CASES = (
    Case(("imagine",), ("prompt",)),
    Case(("edits",), ("prompt", "imageUrls")),
    Case(("blend", "describe"), ("imageUrls",)),
    Case(ONE_IMAGE, ("parentTaskId",), WHICH),
    Case(("pan",), ("parentTaskId", "direction"), WHICH),
    Case(REMIXES, ("parentTaskId", "index")),
    Case(("reroll",), ("parentTaskId",)),
    Case(("modal",), ("parentTaskId",), ("prompt", "maskUrl")),
)
FLAGS = (
    "prompt", "imageUrls", "size", "quality", "style", "version", "seed", "negativePrompt", "stylize",
    "chaos", "weird", "tile", "niji", "iw", "cw", "sw", "cref", "sref", "dref", "dw", "raw", "draft", "hd",
    "stop", "extra",
)  # fmt: skip
BUTTON = ("parentTaskId", "customId")
ONE_OF_FOUR = (*BUTTON, "index")
# The fields that each action supports besides the speed, because its routes can send them.
FIELDS_OF_ACTION: Mapping[str, tuple[str, ...]] = {
    # A repeat runs a whole imagine again and is billed for each, so no other action has it.
    "imagine": (*FLAGS, "repeat"),
    "edits": FLAGS,
    "blend": ("imageUrls", "dimensions", "size"),
    "describe": ("imageUrls",),
    **dict.fromkeys(("upscale", "variation", "high-variation", "low-variation", "inpaint"), ONE_OF_FOUR),
    "reroll": BUTTON,
    "zoom": (*ONE_OF_FOUR, "zoomRatio"),
    "pan": (*ONE_OF_FOUR, "direction"),
    "modal": ("parentTaskId", "prompt", "maskUrl"),
    **dict.fromkeys(REMIXES, ("parentTaskId", "index", "prompt")),
}
REDUNDANT_VALUES: Mapping[str, Any] = {"dimensions": "SQUARE"}
# How few and how many images an action takes (APIMart's documentation, blend and describe).
IMAGE_COUNTS: Mapping[str, tuple[int, int]] = {"blend": (2, 4), "describe": (1, 1)}
MAX_FLAGS = 1000
MAX_REFERENCE = 2048

Reference = Annotated[str, Text(MAX_REFERENCE)]
Percent = Annotated[int, Whole(0, 100)]


@rule("action", "imageUrls", schema={
    "allOf": [
        {
            "if": {"required": ["action"], "properties": {"action": {"const": action}}},
            "then": {"properties": {"imageUrls": {"minItems": fewest, "maxItems": most}}},
        }
        for action, (fewest, most) in IMAGE_COUNTS.items()
    ]
})  # fmt: skip
def an_action_has_as_many_images_as_it_takes(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse to blend one image, to describe two, and more than the action takes."""
    action, count = checked.values["action"], len(items(checked, "imageUrls"))
    fewest, most = IMAGE_COUNTS.get(action, (0, count))
    if count and not fewest <= count <= most:
        allowed = f"{fewest} item" if most == 1 else f"{fewest} to {most} items"
        yield Problem(at("imageUrls"), f"Action {action} takes {allowed}, has {count}.", allowed)


class Midjourney(Profile):
    """15 actions and all flags (docs/contract.md#midjourney).

    Decided here: `cref`, `sref` and `dref` are text, because they hold URLs or codes of styles.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        has_required_source("action", CASES, "imagine"),
        an_action_has_as_many_images_as_it_takes,
        only_usable_fields("action", FIELDS_OF_ACTION, REDUNDANT_VALUES),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"action": "action", "mode": "speed"}

    action: Annotated[str, Choice(ACTIONS)] = field("Action", "The kind of job.", "imagine")
    prompt: Prompt = field("Prompt", "A description of the image. Required for imagine and edits.")
    imageUrls: Annotated[list[ImageUrl], Many(0, 16)] = field(
        "Images", "Images to use. Required for blend and describe."
    )
    parentTaskId: TaskId = field("Earlier task", "The task with the result for a follow-up action.")
    index: Annotated[int, Whole(1, 4)] = field("Image", "Number of the image, 1 to 4 from the top left.")
    customId: Annotated[str, Text(200)] = field(
        "Button", "The id of a button of the earlier result, instead of index."
    )
    speed: Annotated[str, Choice(("relax", "fast", "turbo"))] = field(
        "Speed", "The price depends on the speed.", "relax"
    )
    direction: Annotated[str, Choice(("left", "right", "up", "down"))] = field(
        "Direction", "The direction in which the image grows. Required for pan."
    )
    zoomRatio: Annotated[float, Number(1, 2, decimals=2)] = field("Zoom", "Zoom factor, 1 to 2.")
    maskUrl: ImageUrl = field("Mask", "A mask of the part to change.")
    dimensions: Annotated[str, Choice(("SQUARE", "PORTRAIT", "LANDSCAPE"))] = field(
        "Aspect ratio of a blend", "Ratio of width to height for a blend of images.", "SQUARE"
    )
    size: Annotated[str, Pattern(r"[1-9][0-9]{0,2}:[1-9][0-9]{0,2}", "a ratio like 16:9")] = field(
        "Aspect ratio", "Width to height, e.g. 16:9."
    )
    quality: Annotated[float, Choice((0.25, 0.5, 1, 2))] = field("Quality", "Higher quality takes more time.")
    style: Annotated[str, Text(50)] = field("Style", "A style of the model, e.g. raw.")
    version: Annotated[str, Choice(("8.1", "7", "6.1", "5.2", "5.1"))] = field(
        "Version", "Version of the model."
    )
    seed: Seed = field("Seed", "The same seed and input return a similar result.")
    negativePrompt: Annotated[str, Text(2000, multiline=True)] = field(
        "Negative prompt", "Things that must not appear."
    )
    stylize: Annotated[int, Whole(0, 1000)] = field("Stylize", "Strength of the model's own style.")
    chaos: Percent = field("Chaos", "Variation between the four images.")
    weird: Annotated[int, Whole(0, 3000)] = field("Weird", "Higher values return more unusual images.")
    tile: Bool = field("Tile", "Generate a seamless pattern.")
    niji: Bool = field("Niji", "Use the model for anime.")
    iw: Annotated[float, Number(0, 3, decimals=2)] = field("Image weight", "Influence of the given images.")
    cw: Percent = field("Character weight", "Influence of cref.")
    sw: Annotated[int, Whole(0, 1000)] = field("Style weight", "Influence of sref.")
    cref: Reference = field("Character reference", "URL of a character to keep.")
    sref: Reference = field("Style reference", "URL or code of a style to keep.")
    dref: Reference = field("Depth reference", "URL of an image with the depth to keep.")
    dw: Percent = field("Depth weight", "Influence of dref.")
    repeat: Annotated[int, Whole(2, 40)] = field(
        "Repeat", "Number of times to run an imagine. Each run is billed."
    )
    raw: Bool = field("Raw", "Less of the model's own style.")
    draft: Bool = field("Draft", "Faster, with less quality.")
    hd: Bool = field("HD", "A larger image.")
    stop: Annotated[int, Whole(10, 100)] = field("Stop", "Stop at this percentage.")
    extra: Annotated[str, Text(MAX_FLAGS)] = field("More flags", "Further flags, as text.")
