"""The kinds of values in an input, from which profiles are built.

A kind checks a value, describes itself as JSON Schema, and can be restricted by a model's data
(`restrictions.py`). Types are strict (site/conventions.md#values): "5" is not 5, "false" is not false, true
is not 1, null is not a value; a whole number may come as 5.0.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.media import MediaKind
from tollgate.catalog.nearest import nearest

MAX_URL_CHARS = 2_048
URL_START = r"^[hH][tT]{2}[pP][sS]?://[^\s/?#]"
_URL = "an absolute http(s) URL"
WEB_URL = re.compile(r"https?://[^\s\x00-\x1f/?#]+[^\s\x00-\x1f]*", re.IGNORECASE)


def refuse(message: str, allowed: Any = None) -> NoReturn:
    """Refuse the value under check with our own `message` and, if it helps, the `allowed` values."""
    raise PydanticCustomError("refused", "{message}", {"message": message, "allowed": allowed})


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value, used as `Annotated[type, kind]` in a profile."""

    def check(self, value: Any) -> Any:
        """Return `value` normalised; raises errors that pydantic reports as a problem of this field."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Hook into pydantic: `check` is the whole validation of this field."""
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Hook into pydantic's JSON Schema."""
        return self.schema()


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A string of at most `max_length` characters."""

    max_length: int
    prompt: bool = False
    multiline: bool = False

    def check(self, value: Any) -> str:
        """Return `value` if it is a string of Unicode text that is short enough."""
        allowed = f"at most {self.max_length} characters"
        text = _string(value, allowed)
        if len(text) > self.max_length:
            refuse(f"Must have {allowed}, has {len(text)}.", allowed)
        return text

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "string", "maxLength": self.max_length}


@dataclass(frozen=True, slots=True)
class Pattern(Kind):
    """A string that matches `regex` as a whole; `shown` describes it in words."""

    regex: str
    shown: str

    def check(self, value: Any) -> str:
        """Return `value` if it matches."""
        text = _string(value, self.shown)
        # As a whole: `match` would take a text that only begins well.
        if not re.fullmatch(self.regex, text):
            refuse(f"Must be {self.shown}.", self.shown)
        return text

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "string", "pattern": f"^{self.regex}$"}


@dataclass(frozen=True, slots=True)
class Url(Kind):
    """An absolute http(s) URL: of a file with `media`, or of a page if `media` is None.

    The outbound client decides which addresses are allowed.
    """

    media: MediaKind | None

    def check(self, value: Any) -> str:
        """Return `value` if it is an absolute http(s) URL of at most `MAX_URL_CHARS` characters."""
        text = _string(value, _URL)
        if text[:5].lower() == "data:":
            # Media in data URIs became URLs of our storage before this (`artifacts/inputs.py`): this is none.
            refuse("A file or a data URI must contain an image, video or audio, a data URI in base64.", _URL)
        if len(text) > MAX_URL_CHARS:
            refuse(f"Must have at most {MAX_URL_CHARS} characters.", _URL)
        if not WEB_URL.fullmatch(text) or not _has_host(text):
            refuse(f"Must be {_URL}.", _URL)
        return text

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "string", "format": "uri", "pattern": URL_START, "maxLength": MAX_URL_CHARS}


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """A choice between strings, or between numbers."""

    values: tuple[Any, ...]

    @property
    def numeric(self) -> bool:
        """Return whether the choice is between numbers."""
        return not isinstance(self.values[0], str)

    def check(self, value: Any) -> Any:
        """Return the option that equals `value` (4 for 4.0)."""
        # In Python 1 equals True and 1.0: the types are looked at first.
        if self.numeric != _is_number(value) or not (self.numeric or isinstance(value, str)):
            kind = "number" if self.numeric else "string"
            refuse(f"Must be a {kind}, one of: {self._listed()}.", list(self.values))
        # Return the option, not the value sent: 4.0 must not be another price dimension than 4.
        for option in self.values:
            if option == value:
                return option
        meant = nearest(value, self.values)
        hint = "" if meant is None else f" Did you mean {meant!r}?"
        refuse(f"Must be one of: {self._listed()}.{hint}", list(self.values))

    def _listed(self) -> str:
        return ", ".join(map(str, self.values))

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "number" if self.numeric else "string", "enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number from `minimum` to `maximum`."""

    minimum: int
    maximum: int

    def check(self, value: Any) -> int:
        """Return `value` as int (5 for 5.0)."""
        allowed = f"{self.minimum} to {self.maximum}"
        if not _is_number(value) or (isinstance(value, float) and not value.is_integer()):
            refuse(f"Must be a whole number from {allowed}.", allowed)
        if not self.minimum <= value <= self.maximum:
            refuse(f"Must be from {allowed}.", allowed)
        return int(value)

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A number from `minimum` to `maximum`, with at most `decimals` decimal places if that is set."""

    minimum: float
    maximum: float
    decimals: int | None = None

    def check(self, value: Any) -> float:
        """Return `value` unchanged; infinities and NaN are out of any range."""
        allowed = f"{self.minimum} to {self.maximum}"
        if not _is_number(value):
            refuse(f"Must be a number from {allowed}.", allowed)
        if not self.minimum <= value <= self.maximum:
            refuse(f"Must be from {allowed}.", allowed)
        # Not by the digits it was sent with: 0.50 is as good as 0.5.
        if self.decimals is not None and round(value, self.decimals) != value:
            refuse(f"Must have at most {self.decimals} decimal places.", allowed)
        return value  # type: ignore[no-any-return]  # _is_number made it an int or a float

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "number", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """True or false; or `only` true or false, if a model does not support both."""

    only: bool | None = None

    def check(self, value: Any) -> bool:
        """Return `value` if it is a JSON boolean."""
        if not isinstance(value, bool):
            refuse("Must be true or false.", [True, False])
        if self.only is not None and value is not self.only:
            refuse(f"Must be {str(self.only).lower()} for this model.", [self.only])
        return value

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"type": "boolean"} if self.only is None else {"type": "boolean", "const": self.only}


@dataclass(frozen=True, slots=True)
class Ignored(Kind):
    """A deprecated field: still accepted, whatever it holds, and dropped (site/conventions.md#versions)."""

    def check(self, value: Any) -> None:
        """Return None: `checking.py` takes the field out before it gets here."""
        del value

    def schema(self) -> dict[str, Any]:
        """Return the kind as JSON Schema."""
        return {"deprecated": True}


@dataclass(frozen=True, slots=True)
class Many(Kind):
    """An array of `min_items` to `max_items`; each item is checked and reported on its own."""

    min_items: int
    max_items: int

    def check(self, value: Any) -> list[Any]:
        """Return `value` if it is an array of the right length; its items are checked later."""
        if not isinstance(value, list):
            refuse("Must be an array.", self._allowed())
        if not self.min_items <= len(value) <= self.max_items:
            refuse(f"Must have {self._allowed()}, has {len(value)}.", self._allowed())
        return value

    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema; pydantic adds the items."""
        return {"minItems": self.min_items, "maxItems": self.max_items}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Hook into pydantic: the count is checked first, so that the work on items is bounded."""
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Hook into pydantic's JSON Schema."""
        return {**handler(schema), **self.schema()}

    def _allowed(self) -> str:
        if self.min_items == self.max_items:
            return f"exactly {self.min_items} item{'' if self.min_items == 1 else 's'}"
        if self.min_items == 0:
            return f"at most {self.max_items} item{'' if self.max_items == 1 else 's'}"
        return f"{self.min_items} to {self.max_items} items"


def kind_of(name: str, field: FieldInfo) -> Kind:
    """Return the kind of a profile's field; raises `CatalogError` for a field that has none."""
    for part in field.metadata:
        if isinstance(part, Kind):
            return part
    raise CatalogError(f"field {name} has no kind")


def item_of(field: FieldInfo) -> Kind | None:
    """Return the kind of the items of an array field, or None if they are objects."""
    item = get_args(field.annotation)[0]
    if get_origin(item) is not Annotated:
        return None
    return next(part for part in get_args(item) if isinstance(part, Kind))


def media_of(field: FieldInfo) -> set[MediaKind]:
    """Return the kinds of media in a profile's field: of its URLs, or of the URLs in its objects."""
    kind = next((part for part in field.metadata if isinstance(part, Kind)), None)
    leaf = item_of(field) if isinstance(kind, Many) else kind
    if leaf is None:
        part = get_args(field.annotation)[0]
        return {media for inner in part.model_fields.values() for media in media_of(inner)}
    return {leaf.media} if isinstance(leaf, Url) and leaf.media is not None else set()


def _is_number(value: object) -> bool:
    # In Python a bool is an int; in JSON true is no number.
    return isinstance(value, int | float) and not isinstance(value, bool)


def _string(value: object, allowed: str) -> str:
    if not isinstance(value, str):
        refuse("Must be a string.", allowed)
    try:
        value.encode()
    except UnicodeEncodeError:  # JSON can carry half a surrogate pair, which no store or provider takes
        refuse("Must be valid Unicode text.")
    return value


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # `port` raises if it is no number or too large, but returns 0 unchanged.
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a bracket without its pair, or a port that is none
        return False
