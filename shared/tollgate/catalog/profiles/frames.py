"""Images with a role in a video: the frame it starts or ends with, or a reference."""

from collections.abc import Iterator
from typing import Annotated

from tollgate.catalog.kinds import Choice
from tollgate.catalog.profiles.base import ImageUrl, Part, field
from tollgate.catalog.rules import CheckedInput, Schema, at, items, rule
from tollgate.kit.problems import Problem

FRAMES = ("first_frame", "last_frame")
REFERENCE = "reference_image"


class FrameImage(Part):
    """An image and the frame it becomes (docs/contract.md#vid-d: `{url, role: first_frame|last_frame}`)."""

    url: ImageUrl = field("URL", "The image.", required=True)
    role: Annotated[str, Choice(FRAMES)] = field("Role", "The frame that the image becomes.", required=True)


class RoleImage(Part):
    """An image with its purpose (docs/contract.md#vid-e: `first_frame|last_frame|reference_image`)."""

    url: ImageUrl = field("URL", "The image.", required=True)
    role: Annotated[str, Choice((*FRAMES, REFERENCE))] = field("Role", "Use of the image.", required=True)


class OptionalRoleImage(Part):
    """An image with an optional purpose (docs/contract.md#vid-p: `{url, role?}`)."""

    url: ImageUrl = field("URL", "The image.", required=True)
    role: Annotated[str, Choice((*FRAMES, REFERENCE))] = field(
        "Role", "Use of the image. The default depends on generationType."
    )


class WebSearch(Part):
    """A tool the model may use (docs/contract.md#vid-d: `{type: web_search}`)."""

    type: Annotated[str, Choice(("web_search",))] = field("Type", "The tool.", required=True)


def _some_are(*roles: str) -> Schema:
    """Return the JSON Schema that requires an image with any of these `roles`."""
    return {"contains": {"required": ["role"], "properties": {"role": {"enum": list(roles)}}}}


SOME_IMAGE_IS_A_FRAME: Schema = {
    "required": ["imageWithRoles"],
    "properties": {"imageWithRoles": _some_are(*FRAMES)},
}
SOME_IMAGE_IS_A_REFERENCE: Schema = {
    "required": ["imageWithRoles"],
    "properties": {"imageWithRoles": _some_are(REFERENCE)},
}
ONE_OF_EACH: Schema = {
    "allOf": [
        {"properties": {"imageWithRoles": {**_some_are(role), "minContains": 0, "maxContains": 1}}}
        for role in FRAMES
    ]
}
LAST_AFTER_FIRST: Schema = {
    "if": {"required": ["imageWithRoles"], "properties": {"imageWithRoles": _some_are("last_frame")}},
    "then": {"properties": {"imageWithRoles": _some_are("first_frame")}},
}


@rule("imageWithRoles", schema=ONE_OF_EACH)
def each_frame_has_one_image(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse two images for the same frame: only one could be used, and we would have to choose."""
    seen = set()
    for index, image in enumerate(items(checked, "imageWithRoles")):
        role = image.get("role")
        if role in FRAMES and role in seen:
            yield Problem(at("imageWithRoles", index, "role"), f"{role} is given twice.")
        seen.add(role)


@rule("imageWithRoles", schema=LAST_AFTER_FIRST)
def a_last_frame_follows_a_first(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse a last frame without a first: the providers take an end image only beside a start image."""
    roles = {image.get("role") for image in items(checked, "imageWithRoles")}
    if "last_frame" in roles and "first_frame" not in roles:
        yield Problem(at("imageWithRoles"), "A last_frame needs a first_frame.")
