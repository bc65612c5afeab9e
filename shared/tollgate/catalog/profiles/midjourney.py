"""The Midjourney-style image profile of the contract: one `action` per kind of job, flags as fields.

Which action needs what is decided here, after what the job works on (providers.md §14):

    imagine                          a prompt
    edits                            a prompt and a picture: a given one, or an earlier result
    blend                            two to five pictures
    describe                         a picture
    upscale, variation, high- and    one of the four pictures of an earlier result: `parentTaskId` and
    low-variation, zoom, pan,        `index`, or the button of that picture (`customId`) in place of the index
    inpaint, remix-strong, -subtle
    reroll                           an earlier result as a whole: all four are made again
    modal                            an earlier action that waits for its answer, a prompt or a mask
"""
# ruff: noqa: N815  (field names are the contract's)

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Number, Pattern, Text, Whole
from tollgate.catalog.profiles.base import Bool, MediaUrl, Profile, Prompt, Seed, TaskId, field
from tollgate.catalog.rules import Case, CheckedInput, Rule, at, has_what_it_works_on, items, only_when, rule
from tollgate.kit.errors import Problem

ACTIONS = (
    "imagine", "edits", "blend", "describe", "upscale", "variation", "high-variation", "low-variation",
    "reroll", "zoom", "pan", "inpaint", "modal", "remix-strong", "remix-subtle",
)  # fmt: skip
ONE_PICTURE = (
    "upscale", "variation", "high-variation", "low-variation", "zoom", "inpaint", "remix-strong",
    "remix-subtle",
)  # fmt: skip
WHICH = ("index", "customId")
CASES = (
    Case(("imagine",), ("prompt",)),
    Case(("edits",), ("prompt",), ("imageUrls", "parentTaskId")),
    Case(("blend", "describe"), ("imageUrls",)),
    Case(ONE_PICTURE, ("parentTaskId",), WHICH),
    Case(("pan",), ("parentTaskId", "direction"), WHICH),
    Case(("reroll",), ("parentTaskId",)),
    Case(("modal",), ("parentTaskId",), ("prompt", "maskUrl")),
)
MIN_BLENDED, MAX_BLENDED = 2, 5
MAX_FLAGS = 1000
MAX_REFERENCE = 2048

Reference = Annotated[str, Text(MAX_REFERENCE)]
Percent = Annotated[int, Whole(0, 100)]


@rule("action", "imageUrls", schema={
    "if": {"required": ["action"], "properties": {"action": {"const": "blend"}}},
    "then": {"properties": {"imageUrls": {"minItems": MIN_BLENDED, "maxItems": MAX_BLENDED}}},
})  # fmt: skip
def a_blend_has_several_pictures(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse to blend one picture, or more than the model takes (providers.md §14a)."""
    count = len(items(checked, "imageUrls"))
    if checked.values["action"] == "blend" and count and not MIN_BLENDED <= count <= MAX_BLENDED:
        allowed = f"{MIN_BLENDED} to {MAX_BLENDED} items"
        yield Problem(at("imageUrls"), f"Action blend takes {allowed}, has {count}.", allowed)


class Midjourney(Profile):
    """15 actions and all flags (interface.md, "Midjourney-style image/video profile").

    Decided here: `repeat` runs a whole `imagine` again and is billed for each, so no other action has it;
    `cref`, `sref` and `dref` are text, because they hold URLs or codes of styles.
    """

    rules: ClassVar[tuple[Rule, ...]] = (
        has_what_it_works_on("action", CASES, "imagine"),
        a_blend_has_several_pictures,
        only_when("repeat", "action", ("imagine",), "imagine"),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"action": "action", "mode": "speed"}

    action: Annotated[str, Choice(ACTIONS)] = field("Action", "The kind of job.", "imagine")
    prompt: Prompt = field("Prompt", "What the image shows. Required for imagine and edits.")
    imageUrls: Annotated[list[MediaUrl], Many(0, 16)] = field(
        "Images", "Images to work from. Required for blend and describe."
    )
    parentTaskId: TaskId = field("Earlier task", "The task whose result a follow-up action works on.")
    index: Annotated[int, Whole(1, 4)] = field("Picture", "Which of the four pictures, from the top left.")
    customId: Annotated[str, Text(200)] = field("Button", "A button of the earlier result, instead of index.")
    speed: Annotated[str, Choice(("relax", "fast", "turbo"))] = field(
        "Speed", "Each speed has its price.", "relax"
    )
    direction: Annotated[str, Choice(("left", "right", "up", "down"))] = field(
        "Direction", "Where the picture grows. Required for pan."
    )
    zoomRatio: Annotated[float, Number(1, 2, decimals=2)] = field("Zoom", "How far to zoom out: 1 to 2.")
    maskUrl: MediaUrl = field("Mask", "An image of the part to change.")
    dimensions: Annotated[str, Choice(("SQUARE", "PORTRAIT", "LANDSCAPE"))] = field(
        "Shape of a blend", "Shape of a blend of pictures.", "SQUARE"
    )
    size: Annotated[str, Pattern(r"[1-9][0-9]{0,2}:[1-9][0-9]{0,2}", "a ratio like 16:9")] = field(
        "Aspect ratio", "Width to height, e.g. 16:9."
    )
    quality: Annotated[float, Choice((0.25, 0.5, 1, 2))] = field("Quality", "How much work goes into it.")
    style: Annotated[str, Text(50)] = field("Style", "A style of the model, e.g. raw.")
    version: Annotated[str, Choice(("8.1", "7", "6.1", "5.2", "5.1"))] = field(
        "Version", "Version of the model."
    )
    seed: Seed = field("Seed", "The same seed and input give a similar result.")
    negativePrompt: Annotated[str, Text(2000, multiline=True)] = field(
        "Negative prompt", "What must not appear."
    )
    stylize: Annotated[int, Whole(0, 1000)] = field("Stylize", "How strongly the model's own taste shows.")
    chaos: Percent = field("Chaos", "How different the four pictures are.")
    weird: Annotated[int, Whole(0, 3000)] = field("Weird", "How unusual the picture is.")
    tile: Bool = field("Tile", "Make a pattern that repeats without seams.")
    niji: Bool = field("Niji", "Use the model for anime.")
    iw: Annotated[float, Number(0, 3, decimals=2)] = field("Image weight", "How much given images count.")
    cw: Percent = field("Character weight", "How much cref counts.")
    sw: Annotated[int, Whole(0, 1000)] = field("Style weight", "How much sref counts.")
    cref: Reference = field("Character reference", "URL of a character to keep.")
    sref: Reference = field("Style reference", "URL or code of a style to keep.")
    dref: Reference = field("Depth reference", "URL of an image whose depth to keep.")
    dw: Percent = field("Depth weight", "How much dref counts.")
    repeat: Annotated[int, Whole(2, 40)] = field("Repeat", "Run an imagine this often; each run is billed.")
    raw: Bool = field("Raw", "Less of the model's own taste.")
    draft: Bool = field("Draft", "Quick and rough.")
    hd: Bool = field("HD", "A larger picture.")
    stop: Annotated[int, Whole(10, 100)] = field("Stop", "Stop early, at this percentage.")
    extra: Annotated[str, Text(MAX_FLAGS)] = field("More flags", "Further flags, as text.")
