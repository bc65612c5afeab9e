"""The caller's key, the body and the contract's envelope, for all routes."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import JSONResponse

from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.accounts.sent_key import ACCOUNT_HEADER, sent_key
from tollgate.composition import api as api_parts
from tollgate.composition.api import Api
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.kit.http.json_body import MAX_BODY_BYTES, MAX_MEDIA_BODY_BYTES, json_object
from tollgate.kit.http.request_body import read_bytes
from tollgate.ledger.attribution import Attribution, attribution_of
from tollgate.tasks.openai_media import with_sent_names


async def services() -> Api:
    """Return the services.

    It is `async` because it never blocks; FastAPI runs other functions in a thread.
    """
    return api_parts.api()


Services = Annotated[Api, Depends(services)]


async def read_body(request: Request, max_bytes: int) -> dict[str, Any]:
    """Return the request's JSON object. Raises the errors of `read_bytes` and `json_object`."""
    return json_object(await read_bytes(request, max_bytes), max_bytes)


async def parsed_body(request: Request) -> dict[str, Any]:
    """Return the JSON body of most routes."""
    return await read_body(request, MAX_BODY_BYTES)


async def optional_body(request: Request) -> dict[str, Any]:
    """Return the JSON body of a route for which it is optional; empty without a body."""
    found = await read_bytes(request, MAX_BODY_BYTES)
    return json_object(found, MAX_BODY_BYTES) if found else {}


async def parsed_media_body(request: Request) -> dict[str, Any]:
    """Return the JSON body of a generation, which may contain media."""
    return await read_body(request, MAX_MEDIA_BODY_BYTES)


def media_key(api: Services, request: Request) -> ApiKey:
    """Return the caller's key, which must have the `media` scope."""
    return _known(api, request, api.authenticator.authenticate(*_caller(request, Scope.MEDIA)))


def text_key(api: Services, request: Request) -> ApiKey:
    """Return the caller's key, which must have the `text` scope."""
    return _known(api, request, api.authenticator.authenticate(*_caller(request, Scope.TEXT)))


def file_key(api: Services, request: Request) -> ApiKey:
    """Return the caller's key, which must have the `media` or the `text` scope: files are for both."""
    with suppress(ForbiddenError):
        return text_key(api, request)
    return media_key(api, request)


def account_key(api: Services, request: Request) -> ApiKey:
    """Return the caller's key, which must have the `account` scope.

    For a sub-account that the request names, it is a key of the parent.
    """
    key = _known(api, request, api.authenticator.authenticate(*_caller(request, Scope.ACCOUNT)))
    return _acting(api, request, key)


def any_key(api: Services, request: Request) -> ApiKey:
    """Return the caller's key, whatever its scopes. A sub-account needs the scope `account`."""
    if ACCOUNT_HEADER in request.headers:
        return account_key(api, request)
    with suppress(ForbiddenError):
        return file_key(api, request)
    return account_key(api, request)


def key_of_now(api: Services, request: Request) -> ApiKey:
    """Return the caller's key with the `account` scope from the table, not from the cache of 30 s."""
    key = _known(api, request, api.authenticator.authenticate_now(*_caller(request, Scope.ACCOUNT)))
    return _acting(api, request, key)


async def attributed(request: Request) -> Attribution:
    """Return the tags and the end user in the request's header."""
    return attribution_of(request.headers)


def attribution_with_user(request: Request, fields: Mapping[str, Any]) -> Attribution:
    """Return the same, with the end user in the `fields` of a body in OpenAI's protocol."""
    # OpenAI's clients send the newer field in place of `user`.
    return attribution_of(request.headers, {"user": fields.get("safety_identifier") or fields.get("user")})


def _known(api: Api, request: Request, key: ApiKey) -> ApiKey:
    """Store the account for the log line and the rate headers, and count the request."""
    request.state.account_id = key.account_id
    api.count(key.account_id)
    return key


def _acting(api: Api, request: Request, key: ApiKey) -> ApiKey:
    """Return the key as a caller of the sub-account that the request names, if it names one."""
    child = request.headers.get(ACCOUNT_HEADER)
    if child is None:
        return key
    return api.subaccounts.acting(key, child, changes=request.method not in ("GET", "HEAD"))


def _caller(request: Request, scope: Scope) -> tuple[str, Scope, str | None]:
    # Read here instead of declared, because FastAPI would build a validator of each header for each route.
    text = sent_key(request.headers, request.query_params, acts=scope is Scope.ACCOUNT)
    # On Lambda this is the address that the gateway received (Mangum reads it from the event).
    return text, scope, request.client.host if request.client else None


Body = Annotated[dict[str, Any], Depends(parsed_body)]
OptionalBody = Annotated[dict[str, Any], Depends(optional_body)]
MediaBody = Annotated[dict[str, Any], Depends(parsed_media_body)]
MediaKey = Annotated[ApiKey, Depends(media_key)]
FileKey = Annotated[ApiKey, Depends(file_key)]
TextKey = Annotated[ApiKey, Depends(text_key)]
AnyKey = Annotated[ApiKey, Depends(any_key)]
AccountKey = Annotated[ApiKey, Depends(account_key)]
Attributed = Annotated[Attribution, Depends(attributed)]
KeyOfNow = Annotated[ApiKey, Depends(key_of_now)]


def created_of(
    api: Api,
    key: ApiKey,
    create: dict[str, Any],
    idempotency_key: str | None,
    sent_names: Mapping[str, str],
    *,
    attribution: Attribution,
    copies: int = 1,
) -> list[str]:
    """Create the tasks of a request in OpenAI's protocol, all or none; return their ids.

    Errors name that protocol's fields.
    """
    try:
        created = api.tasks.create_copies(
            key.account_id, create, idempotency_key, key, attribution, copies=copies
        )
    except InvalidInputError as exc:
        raise with_sent_names(exc, sent_names) from exc
    return [one["taskId"] for one in created]


def envelope(data: Any) -> JSONResponse:
    """Wrap `data` as `{code, data}` (site/conventions.md#envelope)."""
    return JSONResponse({"code": 200, "data": data})
