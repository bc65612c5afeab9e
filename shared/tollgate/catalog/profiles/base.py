"""The base of every profile: a pydantic model of the contract's public field names, and rules across them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from tollgate.catalog.kinds import Flag, Ignored, Kind, Many, Text, Url, Whole, item_of, kind_of, media_of
from tollgate.catalog.media import MediaRule, ProbeRequest, Size
from tollgate.catalog.rules import Rule

# The value of a field that the customer omitted. It is typed Any so that a field keeps the type of its
# values, which do not include null.
ABSENT: Any = None

MAX_SEED = 2**32 - 1
# For profiles whose prompt the contract does not bound: the longest that it names anywhere.
MAX_PROMPT = 20_000
MAX_TASK_ID = 100
# The name of the images that every model accepts if it takes them in only one field (`image_alias.py`).
IMAGES = "imageUrls"

Bool = Annotated[bool, Flag()]
ImageUrl = Annotated[str, Url("image")]
VideoUrl = Annotated[str, Url("video")]
AudioUrl = Annotated[str, Url("audio")]
Seed = Annotated[int, Whole(0, MAX_SEED)]
TaskId = Annotated[str, Text(MAX_TASK_ID)]
Prompt = Annotated[str, Text(MAX_PROMPT, prompt=True, multiline=True)]


def field(label: str, description: str, default: Any = ABSENT, *, required: bool = False) -> Any:
    """Declare a field of a profile: its texts for a form, and its default (none unless given)."""
    return Field(default=... if required else default, title=label, description=description)


class Part(BaseModel):
    """An object inside an input, e.g. an image with its role."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Profile(BaseModel):
    """The input of a family of models (docs/contract.md#input-schemas)."""

    # Built on first use: a cold start touches one model, not all of them.
    model_config = ConfigDict(extra="forbid", defer_build=True)

    rules: ClassVar[tuple[Rule, ...]] = ()
    media: ClassVar[tuple[MediaRule, ...]] = ()
    """The rules for the files that are given by URL."""
    price_dimensions: ClassVar[Mapping[str, str]] = {}
    """The price dimensions that read a field: dimension to field."""
    readings: ClassVar[Mapping[str, Callable[[Any], str]]] = {}
    """How a dimension reads its field, if it is not the field's own value."""
    source_videos: ClassVar[tuple[str, ...]] = ()
    """Fields that set the price dimension `sourceVideo` to true if they are given."""
    sizes: ClassVar[Mapping[str, Size]] = {}
    """The price dimensions that are measured on a file. A `MediaRule` has it probed."""
    hidden: ClassVar[frozenset[str]] = frozenset()
    """The fields a model dropped from its profile."""

    @classmethod
    @cache
    def published(cls) -> dict[str, FieldInfo]:
        """Return the fields that a customer may send, in their order, including deprecated fields."""
        return {name: info for name, info in cls.model_fields.items() if name not in cls.hidden}

    @classmethod
    @cache
    def kinds(cls) -> dict[str, Kind]:
        """Return the kind of each published field."""
        return {name: kind_of(name, info) for name, info in cls.published().items()}

    @classmethod
    @cache
    def image_fields(cls) -> tuple[str, ...]:
        """Return the published fields that hold images, or objects with images."""
        return tuple(name for name, info in cls.published().items() if "image" in media_of(info))

    @classmethod
    @cache
    def aliased_field(cls) -> str | None:
        """Return the field for which `imageUrls` is another name, or None: the only field with images."""
        fields = cls.image_fields()
        if len(fields) != 1 or fields[0] == IMAGES:
            return None
        info = cls.published()[fields[0]]
        kind = cls.kinds()[fields[0]]
        holds_urls = isinstance(item_of(info) if isinstance(kind, Many) else kind, Url)
        return fields[0] if holds_urls else None

    @classmethod
    @cache
    def accepted(cls) -> frozenset[str]:
        """Return the published fields that have an effect, without deprecated fields."""
        return frozenset(name for name, kind in cls.kinds().items() if not isinstance(kind, Ignored))

    @classmethod
    def output_seconds(cls, values: Mapping[str, Any], source_s: Decimal) -> Decimal:
        """Return the length of an input's result if the profile has lengths; otherwise 0.

        `source_s` is the probed length of the files that the job works on.
        """
        del source_s
        return Decimal(values.get("duration", 0))

    @classmethod
    def has_source_video(cls, values: Mapping[str, Any]) -> bool:
        """Return whether an input has a video, if the price depends on that."""
        return any(name in values for name in cls.source_videos)

    @classmethod
    def with_length(cls, values: Mapping[str, Any], source_s: Decimal) -> dict[str, Any]:
        """Return the values that are sent to a provider, after the job's source files were probed.

        `source_s` is their length; a profile whose result is as long as its source names it here.
        """
        del source_s
        return dict(values)

    @classmethod
    def probes(cls, values: Mapping[str, Any]) -> list[ProbeRequest]:
        """Return the URLs of a checked input whose files a rule or a price depends on."""
        return [request for one in cls.media for request in one.requests(values)]
