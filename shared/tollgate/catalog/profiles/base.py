"""What every profile is: a pydantic model of the contract's public field names, and rules across them."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from tollgate.catalog.kinds import Flag, Ignored, Kind, Url, Whole, kind_of
from tollgate.catalog.rules import Rule

# What a field holds that the customer left out. It is typed Any so that a field keeps the type of its
# values: null is not one of them.
ABSENT: Any = None

MAX_SEED = 2**32 - 1

Bool = Annotated[bool, Flag()]
MediaUrl = Annotated[str, Url()]
Seed = Annotated[int, Whole(0, MAX_SEED)]


def field(label: str, description: str, default: Any = ABSENT, *, required: bool = False) -> Any:
    """Declare a field of a profile: what a form shows, and its default (none unless given)."""
    return Field(default=... if required else default, title=label, description=description)


class Part(BaseModel):
    """An object inside an input, e.g. an image with its role."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Profile(BaseModel):
    """The input of a family of models (interface.md, "Media `input` schemas")."""

    # Built on first use: a cold start touches one model, not all of them.
    model_config = ConfigDict(extra="forbid", defer_build=True)

    rules: ClassVar[tuple[Rule, ...]] = ()
    dimensions: ClassVar[Mapping[str, str]] = {}
    """The price dimensions that read a field: dimension to field."""
    source_videos: ClassVar[tuple[str, ...]] = ()
    """The fields that, when given, make the price dimension `sourceVideo` true."""
    hidden: ClassVar[frozenset[str]] = frozenset()
    """The fields a model dropped from its profile."""

    @classmethod
    @cache
    def published(cls) -> dict[str, FieldInfo]:
        """Give the fields a customer may send, in their order, deprecated ones too."""
        return {name: info for name, info in cls.model_fields.items() if name not in cls.hidden}

    @classmethod
    @cache
    def kinds(cls) -> dict[str, Kind]:
        """Give the kind of each published field."""
        return {name: kind_of(name, info) for name, info in cls.published().items()}

    @classmethod
    @cache
    def accepted(cls) -> frozenset[str]:
        """Give the published fields that mean something: the deprecated ones are taken out."""
        return frozenset(name for name, kind in cls.kinds().items() if not isinstance(kind, Ignored))
