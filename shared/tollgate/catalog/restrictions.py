"""The restrictions or extensions of a model's profile, as data (docs/catalog.md).

`input_classes.py` applies them.
"""

from dataclasses import dataclass, field
from typing import Any

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.fields import Data


@dataclass(frozen=True, kw_only=True)
class FieldRestriction(Data):
    """A model's changes to one field of its profile; `description` only if the profile's does not fit."""

    description: str | None = None
    options: list[bool | str | int | float] | None = None
    default: Any = None
    required: bool | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_items: int | None = None
    max_items: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, kw_only=True)
class Restrictions(Data):
    """A model's changes to its profile.

    It has `only` these fields, or all but `drop`; some `fields` are different; and of each list in `one_of`,
    at least one field must be given.
    """

    only: list[str] | None = None
    drop: list[str] = field(default_factory=list)
    fields: dict[str, FieldRestriction] = field(default_factory=dict)
    one_of: list[list[str]] = field(default_factory=list)

    def hidden(self, names: frozenset[str]) -> frozenset[str]:
        """Return the fields among `names` that the model lacks; raises `CatalogError` for unknown fields."""
        named = {*(self.only or ()), *self.drop, *self.fields, *(name for one in self.one_of for name in one)}
        if unknown := named - names:
            raise CatalogError(f"restrictions name fields that are not in the profile: {sorted(unknown)}")
        hidden = frozenset(self.drop) | (frozenset() if self.only is None else names - frozenset(self.only))
        if lost := hidden & self.fields.keys():
            raise CatalogError(f"restrictions change fields that they drop: {sorted(lost)}")
        return hidden
