"""The SCIM routes, for a company's directory. Each is authenticated by the directory's token."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from dashboard.form_body import SentJson
from dashboard.services import Services
from dashboard.serving import scim_answer
from tollgate.kit.http.base_url import base_url
from tollgate.members.team import Team
from tollgate.scim import discovery
from tollgate.scim.directory import DirectoryUser
from tollgate.scim.errors import ScimError, not_found
from tollgate.scim.filters import MAX_PAGE, chosen, filter_of, number_of

PREFIX = "/scim/v2"

router = APIRouter(prefix=PREFIX)


def account_of(services: Services, request: Request) -> str:
    """Return the account of the directory that sends a request, and count the request."""
    scheme, _, token = request.headers.get("authorization", "").strip().partition(" ")
    account_id = services.directories.authenticate(token.strip() if scheme.lower() == "bearer" else "")
    services.api.count(account_id)
    services.api.share_count(account_id)
    return account_id


Account = Annotated[str, Depends(account_of)]


@router.get("/ServiceProviderConfig")
def config(request: Request, _: Account) -> Response:
    """Return the features of this service."""
    return scim_answer(discovery.config(_base(request)))


@router.get("/ResourceTypes")
def resource_types(request: Request, _: Account) -> Response:
    """Return the types of resources."""
    return scim_answer(discovery.resource_types(_base(request)))


@router.get("/ResourceTypes/{name}")
def resource_type(request: Request, _: Account, name: str) -> Response:
    """Return a type of resources."""
    return scim_answer(discovery.resource_type(_base(request), name))


@router.get("/Schemas")
def schemas(request: Request, _: Account) -> Response:
    """Return all schemas."""
    return scim_answer(discovery.schemas(_base(request)))


@router.get("/Schemas/{schema_id}")
def schema(request: Request, _: Account, schema_id: str) -> Response:
    """Return a schema."""
    return scim_answer(discovery.schema(_base(request), schema_id))


@router.get("/Users")
def users(services: Services, request: Request, account_id: Account) -> Response:
    """Return a page of users, or the users for whom a filter holds."""
    asked, found = request.query_params, services.directories.of(account_id)
    start = max(1, number_of(asked.get("startIndex"), 1, "startIndex"))
    count = min(MAX_PAGE, max(0, number_of(asked.get("count"), MAX_PAGE, "count")))
    all_users = [one.resource(found.team, _users(request)) for one in found.directory.users]
    if "filter" in asked:
        wanted = filter_of(asked["filter"])
        all_users = [one for one in all_users if wanted.holds(one)]
    page = all_users[start - 1 : start - 1 + count]
    shown = [chosen(one, asked.get("attributes"), asked.get("excludedAttributes")) for one in page]
    return scim_answer(discovery.listed(shown, len(all_users), start))


@router.post("/Users")
def create(services: Services, request: Request, account_id: Account, body: SentJson) -> Response:
    """Add a user."""
    user, team = services.directories.create(account_id, body)
    answer = _shown(request, user, team, HTTPStatus.CREATED)
    answer.headers["location"] = f"{_users(request)}/{user.user_id}"
    return answer


@router.get("/Users/{user_id}")
def user(services: Services, request: Request, account_id: Account, user_id: str) -> Response:
    """Return a user."""
    found = services.directories.of(account_id)
    return _shown(request, found.directory.user(user_id), found.team)


@router.put("/Users/{user_id}")
def replace(
    services: Services, request: Request, account_id: Account, user_id: str, body: SentJson
) -> Response:
    """Replace the attributes of a user."""
    return _shown(request, *services.directories.replaced(account_id, user_id, body))


@router.patch("/Users/{user_id}")
def patch(
    services: Services, request: Request, account_id: Account, user_id: str, body: SentJson
) -> Response:
    """Change some attributes of a user."""
    return _shown(request, *services.directories.patched(account_id, user_id, body))


@router.delete("/Users/{user_id}")
def delete(services: Services, account_id: Account, user_id: str) -> Response:
    """Delete a user."""
    services.directories.delete(account_id, user_id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/.search")
@router.post("/Users/.search")
@router.post("/Bulk")
@router.get("/Me")
def not_supported(_: Account) -> Response:
    """Refuse the optional parts of the protocol (RFC 7644, section 3.12)."""
    raise ScimError(HTTPStatus.NOT_IMPLEMENTED, "This service does not support this operation.")


@router.get("/Groups")
def groups(_: Account) -> Response:
    """Refuse groups: roles are an attribute of users."""
    raise not_found("The resource type Group")


def _base(request: Request) -> str:
    return f"{base_url(request.scope)}{PREFIX}"


def _users(request: Request) -> str:
    return f"{_base(request)}/Users"


def _shown(request: Request, user: DirectoryUser, team: Team, status: int = HTTPStatus.OK) -> Response:
    asked = request.query_params
    shown = user.resource(team, _users(request))
    return scim_answer(chosen(shown, asked.get("attributes"), asked.get("excludedAttributes")), status)
