"""A person's own settings: name, language, time zone and theme. Pure."""

from dataclasses import asdict, dataclass
from typing import Any

from tollgate.kit.dynamodb.rows import Item


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings of a person, in all of their accounts. An empty setting is the default.

    `name` is shown to other members. It never stands in the audit log, because it is not proven. Without
    `language` and `theme` the browser decides. Without `zone`, times are in UTC.
    """

    name: str = ""
    language: str = ""
    zone: str = ""
    theme: str = ""

    @classmethod
    def from_item(cls, item: Item) -> "Preferences":
        """Return the settings of a row; unknown settings are left out."""
        found: dict[str, Any] = item.get("preferences", {})
        return cls(**{name: str(found[name]) for name in cls.__dataclass_fields__ if name in found})

    def to_item(self) -> Item:
        """Return the attribute of the row."""
        return asdict(self)


DEFAULTS = Preferences()
