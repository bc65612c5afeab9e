"""The attributes of a user: their forms in a body, and their description in the schema. Pure.

Source: RFC 7643, sections 2 and 4.1. Directories send more attributes than Tollgate has a use for (a title,
a department); the other attributes of the standard are accepted and not stored.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.mail.addresses import ALLOWED, address_of
from tollgate.members.roles import Role
from tollgate.scim.errors import invalid_value

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
# Characters of a text, and entries of a list.
MAX_TEXT, MAX_NAME, MAX_VALUES = 254, 100, 5
# Of all attributes of a user together, as JSON. A hundred such users fit into a row of DynamoDB (400 KB).
MAX_USER_BYTES = 3_000
ROLES = (Role.DEVELOPER, Role.BILLING, Role.VIEWER)
"""The roles that a directory may give. Otherwise its token would be enough to become an owner."""
# Entra ID sends booleans as text: https://learn.microsoft.com/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility
_BOOLEANS = {"true": True, "false": False}

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a schema, described as in RFC 7643, section 7. A complex one has parts."""

    name: str
    description: str
    type: str = "string"
    is_many: bool = False
    is_required: bool = False
    is_read_only: bool = False
    is_unique: bool = False
    is_exact: bool = False
    most: int = MAX_TEXT
    choices: tuple[str, ...] = ()
    parts: tuple["Attribute", ...] = ()

    def described(self) -> dict[str, Any]:
        """Return the attribute as a part of a schema."""
        shown: dict[str, Any] = {
            "name": self.name,
            "type": "complex" if self.parts else self.type,
            "multiValued": self.is_many,
            "description": self.description,
            "required": self.is_required,
            "mutability": "readOnly" if self.is_read_only else "readWrite",
            "returned": "default",
        }
        if self.parts:
            return shown | {"subAttributes": [part.described() for part in self.parts]}
        if self.type == "reference":
            shown["referenceTypes"] = ["uri"]
        if self.choices:
            shown["canonicalValues"] = list(self.choices)
        return shown | {"caseExact": self.is_exact, "uniqueness": "server" if self.is_unique else "none"}


PRIMARY = Attribute("primary", "Whether this is the one to use.", "boolean")
ATTRIBUTES = (
    Attribute(
        "userName", "The name at the directory, usually an e-mail address.", is_required=True, is_unique=True
    ),
    Attribute(
        "name",
        "The person's name.",
        parts=(
            Attribute("formatted", "The whole name.", most=MAX_NAME),
            Attribute("familyName", "The family name.", most=MAX_NAME),
            Attribute("givenName", "The given name.", most=MAX_NAME),
        ),
    ),
    Attribute("displayName", "The name for display.", most=MAX_NAME),
    Attribute(
        "active", "Whether the person has access. If false, access ends at once.", "boolean", is_required=True
    ),
    Attribute(
        "emails",
        "The primary address, or the first, is the one with which the person signs in.",
        is_many=True,
        is_required=True,
        parts=(
            Attribute("value", "The address.", is_required=True),
            Attribute("type", "A label, such as work.", most=MAX_NAME),
            PRIMARY,
        ),
    ),
    Attribute(
        "roles",
        "The role in the account. Without it, the default role of the directory.",
        is_many=True,
        parts=(Attribute("value", "The role.", is_required=True, choices=tuple(map(str, ROLES))), PRIMARY),
    ),
)
EXTERNAL_ID = Attribute("externalId", "The id at the directory.", is_exact=True)
"""A common attribute: no schema lists it (RFC 7643, section 3.1)."""
STORED = {one.name.lower(): one for one in (*ATTRIBUTES, EXTERNAL_ID)}
_OTHERS = """
schemas id meta nickName profileUrl title userType preferredLanguage locale timezone password phoneNumbers
ims photos addresses groups entitlements x509Certificates
"""
NOT_STORED = frozenset(_OTHERS.lower().split())
"""The other attributes of the standard: accepted, and not stored."""


def fields_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a user that are stored, from a request's body. Raises `ScimError`."""
    found: dict[str, Any] = {}
    for name, value in body.items():
        attribute = STORED.get(name.lower())
        kept = None if attribute is None else value_of(attribute, value)
        if attribute is not None and kept is not None:
            found[attribute.name] = kept
    return checked(found)


def checked(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes if a user can have them together. Raises `ScimError`."""
    if "userName" not in fields:
        raise invalid_value("userName is required.")
    if address_in(fields) is None:
        raise invalid_value(f"One e-mail address is required, in emails or as userName, {ALLOWED}.")
    if len(json.dumps(fields, ensure_ascii=False).encode()) > MAX_USER_BYTES:
        raise invalid_value(f"The attributes of a user have at most {MAX_USER_BYTES} bytes.")
    return fields


def address_in(fields: Fields) -> str | None:
    """Return the address with which a person signs in: the primary or first of emails, or userName."""
    first = main_value(fields.get("emails", ()))
    return address_of(fields["userName"] if first is None else first)


def role_in(fields: Fields) -> Role | None:
    """Return the role that the directory gives, if it gives one."""
    found = main_value(fields.get("roles", ()))
    return None if found is None else Role(found)


def main_value(entries: Sequence[Fields]) -> str | None:
    """Return the value of the primary entry of a list, or else of the first entry with a value."""
    values = [one for one in entries if "value" in one]
    found = next((one for one in values if one.get("primary")), values[0] if values else None)
    return None if found is None else str(found["value"])


def value_of(attribute: Attribute, value: Any) -> Any:
    """Return a value in the form in which it is stored; `None` if the attribute has none then.

    Raises `ScimError` for a value of another type, and for a value that is too long.
    """
    if attribute.is_many:
        return _many(attribute, value)
    return _parts(attribute, value) if attribute.parts else _simple(attribute, value)


def _many(attribute: Attribute, value: Any) -> list[Any] | None:
    # Okta and Entra ID send a single entry without the list, or its text, if a mapping is written that way.
    entries = value if isinstance(value, list) else [value]
    found = [_parts(attribute, {"value": one} if isinstance(one, str) else one) for one in entries]
    kept = [one for one in found if one is not None]
    if len(kept) > MAX_VALUES:
        raise invalid_value(f"{attribute.name}: at most {MAX_VALUES} values.")
    if sum(bool(one.get("primary")) for one in kept) > 1:
        raise invalid_value(f"{attribute.name}: only one value can be primary.")
    return kept or None


def _parts(attribute: Attribute, value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise invalid_value(
            f"{attribute.name}: an object with {_listed(one.name for one in attribute.parts)}."
        )
    parts = {part.name.lower(): part for part in attribute.parts}
    found = {
        parts[name.lower()].name: _simple(parts[name.lower()], one, f"{attribute.name}.")
        for name, one in value.items()
        if name.lower() in parts
    }
    return {name: one for name, one in found.items() if one is not None} or None


def _simple(attribute: Attribute, value: Any, within: str = "") -> Any:
    name = within + attribute.name
    if value is None or value == "":
        return None
    if attribute.type == "boolean":
        found = _BOOLEANS.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(found, bool):
            raise invalid_value(f"{name}: true or false.")
        return found
    if not isinstance(value, str) or len(value) > attribute.most:
        raise invalid_value(f"{name}: a text of at most {attribute.most} characters.")
    if attribute.choices and value.lower() not in attribute.choices:
        raise invalid_value(f"{name}: one of {', '.join(attribute.choices)}.")
    return value.lower() if attribute.choices else value


def _listed(names: Any) -> str:
    return ", ".join(names)
