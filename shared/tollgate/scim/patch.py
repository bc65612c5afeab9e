"""The operations of PATCH on a user's attributes. Pure.

Source: RFC 7644, section 3.5.2. The forms of Okta (no path, an object as value) and of Entra ID (`Replace`,
`"False"`, `emails[type eq "work"].value` of an entry that is not there yet) are all read.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from tollgate.scim.attributes import NOT_STORED, STORED, Attribute, Fields, checked, value_of
from tollgate.scim.errors import ScimError, invalid_value
from tollgate.scim.filters import Comparison, comparison_of, without_schema

MAX_OPERATIONS = 100
ADD, REPLACE, REMOVE = "add", "replace", "remove"
_READ_ONLY = {"id", "meta"}
_PATH = re.compile(r"([A-Za-z]\w*)(?:\[([^\]]+)\])?(?:\.([A-Za-z]\w*))?")


@dataclass(frozen=True, slots=True)
class Target:
    """The place of an operation: an attribute, in a list the entries for which `entry` holds, and a part."""

    attribute: Attribute
    entry: Comparison | None = None
    part: str | None = None


def patched(fields: Fields, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a user's attributes after all operations of a request. Raises `ScimError`."""
    found = next((one for name, one in body.items() if name.lower() == "operations"), None)
    if not isinstance(found, list) or not 1 <= len(found) <= MAX_OPERATIONS:
        raise _refused(f"Operations: a list of 1 to {MAX_OPERATIONS} operations.", "invalidSyntax")
    after = {**fields}
    for operation in found:
        if not isinstance(operation, Mapping):
            raise _refused("Operations: each operation is an object.", "invalidSyntax")
        _apply(after, operation)
    return checked(after)


def _apply(fields: dict[str, Any], operation: Mapping[str, Any]) -> None:
    op, path, value = str(operation.get("op", "")).lower(), operation.get("path"), operation.get("value")
    if op not in {ADD, REPLACE, REMOVE}:
        raise _refused("op: add, replace or remove.", "invalidSyntax")
    if path:
        _set(fields, op, str(path), None if op == REMOVE else value)
    elif op == REMOVE:
        raise _refused("path: required to remove.", "noTarget")
    elif isinstance(value, Mapping):
        for each, one in value.items():
            _set(fields, op, each, one)
    else:
        raise invalid_value("value: an object, because the operation has no path.")


def _set(fields: dict[str, Any], op: str, path: str, value: Any) -> None:
    target = _target(path)
    if target is None:
        return
    attribute, name = target.attribute, target.attribute.name
    if op == REMOVE and attribute.is_required and target.entry is None:
        raise _refused(f"{name}: required, so it cannot be removed.", "mutability")
    found: Any = value
    if attribute.is_many:
        found = _entries(target, op, fields.get(name, []), value)
    elif target.part is not None or (attribute.parts and value is not None):
        given = value if target.part is None else {target.part: value}
        if not isinstance(given, Mapping):
            raise invalid_value(f"{name}: an object.")
        found = _without_case(fields.get(name, {}), given)
    kept = value_of(attribute, found)
    fields.pop(name, None)
    if kept is not None:
        fields[name] = kept


def _entries(target: Target, op: str, before: list[Any], value: Any) -> list[Any]:
    """Return the entries of a list after an operation."""
    if target.entry is None and target.part is None:
        new = [] if value is None else value if isinstance(value, list) else [value]
        return new if op != ADD else _added(before, new)
    entry = target.entry
    applies: Callable[[Any], bool] = lambda one: entry is None or entry.holds(one)  # noqa: E731
    if op == REMOVE and target.part is None:
        return [one for one in before if not applies(one)]
    given = {target.part: value} if target.part is not None else value
    if not isinstance(given, Mapping):
        raise invalid_value(f"{target.attribute.name}: an object.")
    if not any(map(applies, before)):
        if op == REMOVE:
            return before
        # Entra ID adds an entry in this way: its filter describes the new entry.
        start = {} if entry is None else {entry.attribute: entry.value}
        return _added(before, [{**start, **given}])
    return [_without_case(one, given) if applies(one) else one for one in before]


def _added(before: list[Any], new: list[Any]) -> list[Any]:
    """Return the entries with new entries; a new primary entry replaces the old one."""
    values = [one.get("value") if isinstance(one, Mapping) else one for one in new]
    kept = [one for one in before if one.get("value") not in values]
    if any(isinstance(one, Mapping) and one.get("primary") in {True, "true", "True"} for one in new):
        kept = [{**one, "primary": False} if one.get("primary") else one for one in kept]
    return [*kept, *new]


def _without_case(before: Fields, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the given parts replaced; names differ in case between directories."""
    names = {name.lower() for name in given}
    return {**{name: one for name, one in before.items() if name.lower() not in names}, **given}


def _target(path: str) -> Target | None:
    """Return the place of a path; `None` for an attribute that is not stored. Raises `ScimError`."""
    inner = without_schema(path)
    # Of an extension: Entra ID sends the department so.
    if inner.lower().startswith("urn:"):
        return None
    found = _PATH.fullmatch(inner)
    name = "" if found is None else found[1].lower()
    if name in _READ_ONLY:
        raise _refused(f"{path}: cannot be changed.", "mutability")
    if name in NOT_STORED:
        return None
    attribute = STORED.get(name)
    if found is None or attribute is None:
        raise _refused(f"{path}: there is no such attribute.", "invalidPath")
    entry = None if found[2] is None else comparison_of(found[2])
    part = None if found[3] is None else found[3].lower()
    is_known = part is None or part in {one.name.lower() for one in attribute.parts}
    if not is_known or (entry is not None and not attribute.is_many):
        raise _refused(f"{path}: there is no such attribute.", "invalidPath")
    return Target(attribute, entry, part)


def _refused(detail: str, scim_type: str) -> ScimError:
    return ScimError(HTTPStatus.BAD_REQUEST, detail, scim_type)
