"""The query of a list: filter, page, and the attributes to return. Pure.

Source: RFC 7644, sections 3.4.2 and 3.9. Directories look a person up by one equality, so no other filter is
supported.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from tollgate.scim.attributes import STORED, USER
from tollgate.scim.errors import ScimError

MAX_PAGE = 100
# Characters of a filter or of a list of attributes.
MAX_QUERY = 1_000
_COMPARISON = re.compile(r"\s*([\w.:]+)\s+eq\s+(\"(?:[^\"\\]|\\.)*\"|true|false)\s*", re.IGNORECASE)
_ENTRY_FILTER = re.compile(r"\[[^\]]*\]")
_ALWAYS = {"schemas", "id"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`attribute eq value`; the attribute in lower case, without the schema's name."""

    attribute: str
    value: str | bool

    def holds(self, resource: Mapping[str, Any]) -> bool:
        """Return whether a resource has the value. Only ids distinguish upper and lower case."""
        name, _, part = self.attribute.partition(".")
        found = next((one for key, one in resource.items() if key.lower() == name), None)
        is_exact = name == "id" or (name in STORED and STORED[name].is_exact)
        return any(_same(one, self.value, is_exact=is_exact) for one in _values(found, part or "value"))


def comparison_of(text: str) -> Comparison:
    """Return the comparison in a filter. Raises `ScimError` for another filter."""
    found = _COMPARISON.fullmatch(text) if len(text) <= MAX_QUERY else None
    if found is None:
        raise ScimError(
            HTTPStatus.BAD_REQUEST, 'Only filters such as userName eq "name" are supported.', "invalidFilter"
        )
    value = found[2] if found[2].startswith('"') else found[2].lower()
    try:
        return Comparison(without_schema(found[1]).lower(), json.loads(value))
    except ValueError as exc:
        raise ScimError(HTTPStatus.BAD_REQUEST, "The filter's text cannot be read.", "invalidFilter") from exc


def without_schema(path: str) -> str:
    """Return a path without the name of the schema of users before it."""
    prefix = f"{USER}:"
    return path[len(prefix) :] if path.lower().startswith(prefix.lower()) else path


def filter_of(text: str) -> Comparison:
    """Return the filter of a list. Raises `ScimError`.

    Entra ID looks up an address by `emails[type eq "work"].value`; its own filter is ignored, because an
    address of another type belongs to the same person.
    """
    return comparison_of(_ENTRY_FILTER.sub("", text, count=1) if len(text) <= MAX_QUERY else text)


def number_of(text: str | None, default: int, name: str) -> int:
    """Return a number of the query. Raises `ScimError`."""
    try:
        return default if text is None else int(text)
    except ValueError as exc:
        raise ScimError(HTTPStatus.BAD_REQUEST, f"{name}: a whole number.", "invalidValue") from exc


def chosen(resource: Mapping[str, Any], wanted: str | None, unwanted: str | None) -> dict[str, Any]:
    """Return a resource with only the `wanted` attributes, or without the `unwanted`, both by commas.

    The id is always there. A part, such as name.familyName, stands for its whole attribute.
    """
    if wanted:
        names = _names(wanted) | _ALWAYS
        return {name: one for name, one in resource.items() if name.lower() in names}
    names = _names(unwanted or "") - _ALWAYS
    return {name: one for name, one in resource.items() if name.lower() not in names}


def _names(text: str) -> set[str]:
    return {without_schema(one.strip()).partition(".")[0].lower() for one in text[:MAX_QUERY].split(",")}


def _values(found: Any, part: str) -> list[Any]:
    entries = found if isinstance(found, list) else [found]
    return [
        next((one for key, one in entry.items() if key.lower() == part), None)
        if isinstance(entry, Mapping)
        else entry
        for entry in entries
    ]


def _same(found: Any, wanted: str | bool, *, is_exact: bool) -> bool:
    # Entra ID writes `primary eq "True"`.
    if isinstance(found, bool) and isinstance(wanted, str):
        return str(found).lower() == wanted.lower()
    if isinstance(found, str) and isinstance(wanted, str) and not is_exact:
        return found.casefold() == wanted.casefold()
    return type(found) is type(wanted) and found == wanted
