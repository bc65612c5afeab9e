"""Trigger: API Gateway, the account, media and catalog routes of the contract.

Parses, calls one function of the domain, wraps the answer in the contract's envelope; the routes stand in
the files beside this one. Never talks to a provider, and never holds provider credentials.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from mangum import Mangum
from starlette.exceptions import HTTPException

from api import account, callbacks, catalog, keys, media, payments, reference, statistics, webhooks
from tollgate.composition import api as api_parts
from tollgate.kit.errors import InternalError, MethodNotAllowedError, RouteNotFoundError, TollgateError
from tollgate.kit.observability import begin_request, logger

METHOD_NOT_ALLOWED = 405

# The document is ours (reference/document.py): FastAPI knows neither the models nor the errors.
app = FastAPI(openapi_url=None, redirect_slashes=False)
for routes in (account, statistics, keys, media, catalog, reference, callbacks, webhooks, payments):
    app.include_router(routes.router)


@app.middleware("http")
async def with_request_id(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Name each request, log it in one line, and turn a fault of ours into a 500 that says nothing."""
    request_id = begin_request()
    try:
        response = await call_next(request)
    except Exception:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        logger.exception("api.fault", **_route(request))
        response = _error_response(InternalError())
    response.headers["x-request-id"] = request_id
    account_id = getattr(request.state, "account_id", None)
    if account_id is not None:
        response.headers.update(api_parts.api().rate_headers(account_id))
    logger.info("api.request", account_id=account_id, status=response.status_code, **_route(request))
    return response


def _route(request: Request) -> dict[str, Any]:
    """The route and the ids in the path. A callback's token, and a path that is none, are not logged."""
    route = request.scope.get("route")
    ids = {name: text for name, text in request.path_params.items() if name != "token"}
    return {} if route is None else {"route": route.path, **ids}


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
