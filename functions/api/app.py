"""Trigger: API Gateway, the account, media and catalog routes of the contract.

Parses, calls one function of the domain, wraps the answer in the contract's envelope.
Never talks to a provider, and never holds provider credentials.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse
from mangum import Mangum
from starlette.exceptions import HTTPException

from tollgate import bootstrap
from tollgate.accounts.models import ApiKey, Scope
from tollgate.catalog.listing import Page
from tollgate.kit.errors import (
    InternalError,
    MethodNotAllowedError,
    PayloadTooLargeError,
    RouteNotFoundError,
    TollgateError,
)
from tollgate.kit.ids import new_id
from tollgate.kit.json_body import MAX_BODY_BYTES, json_object
from tollgate.kit.observability import logger

METHOD_NOT_ALLOWED = 405
NOT_MODIFIED = 304

app = FastAPI(openapi_url=None, redirect_slashes=False)

Authorization = Annotated[str | None, Header()]
IfNoneMatch = Annotated[str | None, Header()]


async def parsed_body(request: Request) -> dict[str, Any]:
    """Read the request's JSON object, no more of it than is allowed."""
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > MAX_BODY_BYTES:
            raise PayloadTooLargeError(MAX_BODY_BYTES)
    return json_object(bytes(found))


def media_key(authorization: Authorization = None) -> ApiKey:
    """Give the caller's key, which must have the `media` scope."""
    return bootstrap.api().authenticator.authenticate(authorization, Scope.MEDIA)


def account_key(authorization: Authorization = None) -> ApiKey:
    """Give the caller's key, which must have the `account` scope."""
    return bootstrap.api().authenticator.authenticate(authorization, Scope.ACCOUNT)


Body = Annotated[dict[str, Any], Depends(parsed_body)]
MediaKey = Annotated[ApiKey, Depends(media_key)]
AccountKey = Annotated[ApiKey, Depends(account_key)]


def envelope(data: Any) -> JSONResponse:
    """Wrap `data` as `{code, data}` (interface.md, Envelope)."""
    return JSONResponse({"code": 200, "data": data})


def published(page: Page, if_none_match: str | None) -> Response:
    """Answer with a page of the catalog, or with 304 where the client has it."""
    headers = {"etag": page.etag, "cache-control": "no-cache"}
    if page.is_known_to(if_none_match):
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(page.body, headers=headers, media_type="application/json")


@app.get("/api/v1/user/me")
def get_me(key: AccountKey) -> Response:
    """Give the caller's account."""
    return envelope(bootstrap.api().accounts.me(key.account_id).view())


@app.post("/api/v1/generation/estimate")
def estimate(key: MediaKey, body: Body) -> Response:  # noqa: ARG001 - the key is the permission
    """Give what create would debit for the same body."""
    return envelope(bootstrap.api().tasks.estimate(body))


@app.post("/api/v1/generation/create")
def create(key: MediaKey, body: Body, idempotency_key: Annotated[str | None, Header()] = None) -> Response:
    """Charge and queue a generation."""
    return envelope(bootstrap.api().tasks.create(key.account_id, body, idempotency_key))


@app.get("/api/v1/task/status/{task_id}")
def status(key: MediaKey, task_id: str) -> Response:
    """Give a task's status."""
    return envelope(bootstrap.api().tasks.status(key.account_id, task_id))


@app.get("/api/v1/catalog")
def list_catalog(request: Request, if_none_match: IfNoneMatch = None) -> Response:
    """Give every model that has a live route and fits the query's filters."""
    return published(bootstrap.api().listing.models(request.query_params), if_none_match)


@app.get("/api/v1/catalog/{model_id}")
def get_model(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give one model."""
    return published(bootstrap.api().listing.model(model_id), if_none_match)


@app.get("/api/v1/catalog/{model_id}/schema")
def get_schema(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give the JSON Schema of a model's input."""
    return published(bootstrap.api().listing.schema(model_id), if_none_match)


@app.get("/api/v1/cost")
def list_costs(if_none_match: IfNoneMatch = None) -> Response:
    """Give all prices, by model."""
    return published(bootstrap.api().listing.costs(), if_none_match)


@app.get("/api/v1/cost/{model_id}")
def get_cost(model_id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Give the prices of one model."""
    return published(bootstrap.api().listing.cost(model_id), if_none_match)


@app.middleware("http")
async def with_request_id(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Name each request, log it in one line, and turn a fault of ours into a 500 that says nothing."""
    request_id = new_id("req")
    try:
        response = await call_next(request)
    except Exception:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        logger.exception("api.fault", request_id=request_id, path=request.url.path)
        response = _error_response(InternalError())
    response.headers["x-request-id"] = request_id
    logger.info("api.request", request_id=request_id, path=request.url.path, status=response.status_code)
    return response


@app.exception_handler(TollgateError)
async def tollgate_error(_: Request, error: Exception) -> Response:
    """Answer with the error's own status and body."""
    if not isinstance(error, TollgateError):
        raise error
    return _error_response(error)


@app.exception_handler(HTTPException)
async def unknown_route(_: Request, error: Exception) -> Response:
    """Answer an unknown path or method in the contract's shape."""
    wrong_method = isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED
    return _error_response(MethodNotAllowedError() if wrong_method else RouteNotFoundError())


def _error_response(error: TollgateError) -> JSONResponse:
    return JSONResponse(error.body(), status_code=error.status, headers=error.headers())


handler = Mangum(app, lifespan="off")
