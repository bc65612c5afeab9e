"""The documents that describe this service to a directory: features, types of resources, and schemas. Pure.

Source: RFC 7643, sections 5 to 7. The schemas that describe the documents themselves are in section 8.7.2.
"""

from typing import Any

from tollgate.scim.attributes import ATTRIBUTES, USER, Attribute
from tollgate.scim.errors import not_found
from tollgate.scim.filters import MAX_PAGE

_CORE = "urn:ietf:params:scim:schemas:core:2.0:"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
CONFIG, TYPE, SCHEMA = f"{_CORE}ServiceProviderConfig", f"{_CORE}ResourceType", f"{_CORE}Schema"


def listed(resources: list[dict[str, Any]], total: int | None = None, start: int = 1) -> dict[str, Any]:
    """Return the response of a list: a page that begins at `start`, of `total` resources."""
    return {
        "schemas": [LIST],
        "totalResults": len(resources) if total is None else total,
        "startIndex": start,
        "itemsPerPage": len(resources),
        "Resources": resources,
    }


def config(base: str) -> dict[str, Any]:
    """Return the features of this service; `base` is the address of its SCIM routes."""
    no = {"supported": False}
    bearer = {
        "type": "oauthbearertoken",
        "name": "Bearer token",
        "description": "The token that an owner creates on the page Members.",
        "primary": True,
    }
    return {
        "schemas": [CONFIG],
        "patch": {"supported": True},
        "bulk": {**no, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": MAX_PAGE},
        "changePassword": no,
        "sort": no,
        "etag": no,
        "authenticationSchemes": [bearer],
        "meta": {"resourceType": "ServiceProviderConfig", "location": f"{base}/ServiceProviderConfig"},
    }


def resource_types(base: str) -> dict[str, Any]:
    """Return the types of resources: users."""
    return listed([resource_type(base, "User")])


def resource_type(base: str, name: str) -> dict[str, Any]:
    """Return a type of resources. Raises `ScimError`."""
    if name != "User":
        raise not_found("This resource type")
    return {
        "schemas": [TYPE],
        "id": "User",
        "name": "User",
        "endpoint": "/Users",
        "description": "A member of the account, or a person who may become one.",
        "schema": USER,
        "meta": {"resourceType": "ResourceType", "location": f"{base}/ResourceTypes/User"},
    }


def schemas(base: str) -> dict[str, Any]:
    """Return all schemas."""
    return listed([schema(base, each) for each in _SCHEMAS])


def schema(base: str, schema_id: str) -> dict[str, Any]:
    """Return a schema by its id. Raises `ScimError`."""
    if schema_id not in _SCHEMAS:
        raise not_found("This schema")
    description, attributes = _SCHEMAS[schema_id]
    return {
        "schemas": [SCHEMA],
        "id": schema_id,
        "name": schema_id.removeprefix(_CORE),
        "description": description,
        "attributes": [one.described() for one in attributes],
        "meta": {"resourceType": "Schema", "location": f"{base}/Schemas/{schema_id}"},
    }


def _shown(name: str, description: str, kind: str = "string", **more: Any) -> Attribute:
    return Attribute(name, description, kind, is_read_only=True, **more)


def _feature(name: str, *more: Attribute) -> Attribute:
    supported = _shown("supported", "Whether it is supported.", "boolean", is_required=True)
    return _shown(name, f"The feature {name}.", is_required=True, parts=(supported, *more))


_REQUIRED: dict[str, Any] = {"is_required": True}
_NAME = _shown("name", "The name.", **_REQUIRED)
_DESCRIPTION = _shown("description", "The description.")
_LINK = _shown("documentationUri", "The address of a page for people.", "reference", is_exact=True)
_ABOUT_ATTRIBUTES = (
    _NAME,
    _shown("type", "The type of its values.", **_REQUIRED),
    _shown("multiValued", "Whether it is a list.", "boolean", **_REQUIRED),
    _DESCRIPTION,
    _shown("required", "Whether it is required.", "boolean"),
    _shown("canonicalValues", "The values to use.", is_many=True),
    _shown("caseExact", "Whether upper and lower case differ.", "boolean"),
    _shown("mutability", "Whether it can be changed."),
    _shown("returned", "When it is returned."),
    _shown("uniqueness", "Whether its values are unique."),
    _shown("referenceTypes", "The kinds of resources to which it refers.", is_many=True),
)
_SCHEMAS: dict[str, tuple[str, tuple[Attribute, ...]]] = {
    USER: ("A member of the account, or a person who may become one.", ATTRIBUTES),
    CONFIG: (
        "The features of this service.",
        (
            _LINK,
            _feature("patch"),
            _feature(
                "bulk",
                _shown("maxOperations", "Operations at once.", "integer", **_REQUIRED),
                _shown("maxPayloadSize", "Bytes of a request.", "integer", **_REQUIRED),
            ),
            _feature("filter", _shown("maxResults", "Resources of a page.", "integer", **_REQUIRED)),
            _feature("changePassword"),
            _feature("sort"),
            _feature("etag"),
            _shown(
                "authenticationSchemes",
                "The ways to authenticate.",
                is_many=True,
                is_required=True,
                parts=(
                    _shown("type", "The kind.", **_REQUIRED),
                    _NAME,
                    _shown("description", "The description.", **_REQUIRED),
                    _shown("specUri", "The address of its standard.", "reference", is_exact=True),
                    _LINK,
                ),
            ),
        ),
    ),
    TYPE: (
        "A type of resources.",
        (
            _NAME,
            _DESCRIPTION,
            _shown("endpoint", "The path of its resources.", "reference", is_required=True, is_exact=True),
            _shown("schema", "The id of its schema.", "reference", is_required=True, is_exact=True),
            _shown(
                "schemaExtensions",
                "The schemas of its extensions.",
                is_many=True,
                parts=(
                    _shown("schema", "The id of the schema.", "reference", is_required=True, is_exact=True),
                    _shown("required", "Whether it is required.", "boolean", **_REQUIRED),
                ),
            ),
        ),
    ),
    SCHEMA: (
        "The attributes of a kind of resource.",
        (
            _NAME,
            _DESCRIPTION,
            _shown(
                "attributes",
                "The attributes.",
                is_many=True,
                is_required=True,
                parts=(
                    *_ABOUT_ATTRIBUTES,
                    _shown("subAttributes", "The parts.", is_many=True, parts=_ABOUT_ATTRIBUTES),
                ),
            ),
        ),
    ),
}
