"""SCIM's errors. Pure.

Source: RFC 7644, section 3.12.
"""

from http import HTTPStatus
from typing import Any

SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error"


class ScimError(Exception):
    """A refused request: its HTTP status, a reason for people, and SCIM's word for it if it has one."""

    def __init__(self, status: HTTPStatus, detail: str, scim_type: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.scim_type = scim_type


def body(status: int, detail: str, scim_type: str | None = None) -> dict[str, Any]:
    """Return the body of an error; SCIM writes the status as text."""
    kind = {} if scim_type is None else {"scimType": scim_type}
    return {"schemas": [SCHEMA], "status": str(status), **kind, "detail": detail}


def invalid_value(detail: str) -> ScimError:
    """Return the refusal of a value that does not fit its attribute."""
    return ScimError(HTTPStatus.BAD_REQUEST, detail, "invalidValue")


def not_found(what: str) -> ScimError:
    """Return the refusal of an address without a resource."""
    return ScimError(HTTPStatus.NOT_FOUND, f"{what} does not exist.")
