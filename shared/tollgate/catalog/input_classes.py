"""A model's own input class: its profile with its restrictions applied.

Each model has a class derived from its profile. Validation, the published params and the JSON Schema all read
that class.
"""

import re
from dataclasses import fields, replace
from typing import Annotated, Any, cast

from pydantic import Field, create_model
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, PydanticUndefined

from tollgate.catalog.errors import CatalogError
from tollgate.catalog.kinds import Choice, Flag, Kind, Many, Number, Text, Whole, kind_of
from tollgate.catalog.profiles import profile_named
from tollgate.catalog.profiles.base import ABSENT, Profile
from tollgate.catalog.restrictions import FieldRestriction, Restrictions
from tollgate.catalog.rules import one_is_given

BOUNDS = ("minimum", "maximum", "min_items", "max_items", "max_length")


def build_input_class(name: str, profile_name: str, restrictions: Restrictions) -> type[Profile]:
    """Return the profile with `restrictions` applied; raises `CatalogError` if they do not fit it."""
    profile = profile_named(profile_name)
    hidden = restrictions.hidden(frozenset(profile.model_fields))
    changed: dict[str, Any] = {}
    for field_name, info in profile.model_fields.items():
        if field_name in hidden:
            changed[field_name] = (info.annotation, ABSENT)
        elif field_name in restrictions.fields:
            changed[field_name] = _restricted(field_name, info, restrictions.fields[field_name])
    if not changed and not restrictions.one_of:
        return profile
    derived = cast("type[Profile]", create_model(name, __base__=profile, __doc__=profile.__doc__, **changed))
    derived.hidden = hidden
    derived.rules = (*profile.rules, *(one_is_given(*fields) for fields in restrictions.one_of))
    return derived


def _restricted(name: str, info: FieldInfo, restriction: FieldRestriction) -> tuple[Any, Any]:
    """Return a field as `create_model` takes it: its type with the new kind, and its new default."""
    kind = _restricted_kind(name, kind_of(name, info), restriction)
    default = info.default if restriction.default is None else restriction.default
    if restriction.required is not None:
        default = PydanticUndefined if restriction.required else ABSENT
    if default not in (None, PydanticUndefined):
        _check_default(name, kind, default)
    description = restriction.description or _restricted_description(
        info.description or "", kind_of(name, info), kind
    )
    shown = Field(default=default, title=info.title, description=description)
    return Annotated[info.annotation, kind], shown


def _restricted_description(description: str, before: Kind, after: Kind) -> str:
    """Return the profile's description of an array, with the model's bound instead of the profile's."""
    if not isinstance(before, Many) or not isinstance(after, Many) or before.max_items == after.max_items:
        return description
    if after.max_items == 1:
        return re.sub(rf"\bUp to {before.max_items} (\w+)s\b", r"One \1", description)
    return re.sub(rf"\bto {before.max_items}\b", f"to {after.max_items}", description)


def _restricted_kind(name: str, kind: Kind, restriction: FieldRestriction) -> Kind:
    if restriction.options is not None:
        if isinstance(kind, Flag) and len(restriction.options) == 1:
            return Flag(only=bool(restriction.options[0]))
        if not isinstance(kind, Choice | Text | Whole | Number):
            raise CatalogError(f"field {name} takes no options")
        return Choice(tuple(restriction.options))
    bounds = {name: bound for name in BOUNDS if (bound := getattr(restriction, name)) is not None}
    if unfit := bounds.keys() - {slot.name for slot in fields(kind)}:
        raise CatalogError(f"field {name} has no {', '.join(sorted(unfit))}")
    return replace(kind, **bounds)


def _check_default(name: str, kind: Kind, default: Any) -> None:
    try:
        kind.check(default)
    except PydanticCustomError as error:
        raise CatalogError(f"field {name}: its default {default!r} is refused: {error}") from error
