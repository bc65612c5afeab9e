"""3D: a GLB file from a text or from an image (docs/contract.md#3d)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from tollgate.catalog.kinds import Choice, Many, Text
from tollgate.catalog.media import BYTES_PER_MB, MediaRule
from tollgate.catalog.profiles.base import Bool, ImageUrl, Profile, field
from tollgate.catalog.rules import CheckedInput, Rule, at, not_together, required_unless, rule
from tollgate.kit.problems import Problem


@rule(
    "pbr",
    "texture",
    schema={
        "if": {"required": ["pbr"], "properties": {"pbr": {"const": True}}},
        "then": {"properties": {"texture": {"const": True}}},
    },
)
def materials_need_a_texture(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse materials of a shape without a texture, because vendors ignore them but the price has them."""
    if checked.values["pbr"] and not checked.values["texture"]:
        yield Problem(at("pbr"), "Must be false without a texture.", [False])


class Shape3D(Profile):
    """A prompt or exactly one image, `quality`, `texture`, `pbr` (docs/contract.md#3d)."""

    rules: ClassVar[tuple[Rule, ...]] = (
        required_unless("prompt", "imageUrls"),
        not_together("prompt", "imageUrls"),
        materials_need_a_texture,
    )
    media: ClassVar[tuple[MediaRule, ...]] = (
        MediaRule("imageUrls", "image", containers=("jpeg", "png", "webp"), max_bytes=8 * BYTES_PER_MB),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"quality": "quality", "pbr": "pbr"}

    prompt: Annotated[str, Text(200, prompt=True, multiline=True)] = field(
        "Prompt", "A description of the object. Not with an image."
    )
    imageUrls: Annotated[list[ImageUrl], Many(1, 1)] = field(
        "Image", "Exactly one image of the object: JPG, PNG or WebP, at most 8 MB. Not with a prompt."
    )
    quality: Annotated[str, Choice(("rapid", "pro"))] = field(
        "Quality", "The speed and the details, on which the price depends.", "pro"
    )
    texture: Bool = field("Texture", "Whether the object has colours.", default=True)
    pbr: Bool = field("Materials", "Metal, roughness and normal maps. The price is higher.", default=False)
