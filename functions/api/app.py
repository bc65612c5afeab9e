"""Trigger: API Gateway, the account, media and catalog routes of the contract.

Parses, calls one function of the domain, wraps the answer in the contract's envelope. Never talks to a
provider, and never holds provider credentials.

http.py       what the routes share: the key, the body, the envelope
media.py      estimate, create, status, cancel, lists
requests.py   running text requests
images.py     images in OpenAI's protocol; `videos.py`: videos; `form.py`: bodies with files in them
account.py    the account; `statistics.py`: usage and ledger; `keys.py`: API keys
catalog.py    catalog and prices; `reference.py`: the OpenAPI document and its pages
webhooks.py   deliveries and secrets; `callbacks.py`: providers' hints; `payments.py`: Stripe's
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from mangum import Mangum
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from api import (
    account,
    callbacks,
    catalog,
    files,
    images,
    keys,
    media,
    payments,
    reference,
    requests,
    statistics,
    videos,
    webhooks,
)
from tollgate.composition import api as api_parts
from tollgate.composition.parts import cors_headers
from tollgate.composition.snapshot import begin_anew_when_restored
from tollgate.kit.contention import fault
from tollgate.kit.cors import CrossOrigin
from tollgate.kit.errors import (
    MethodNotAllowedError,
    RouteNotFoundError,
    TollgateError,
    shortened,
)
from tollgate.kit.observability import begin_request, logger

# For the log alone, by nginx's word for it.
CLIENT_LEFT = 499
FIRST_ERROR = 400
ANTHROPIC_HEADERS = ("anthropic-version", "x-api-key")

# The document is ours (reference/document.py): FastAPI knows neither the models nor the errors.
app = FastAPI(openapi_url=None, redirect_slashes=False)
ROUTERS = [
    routes.router
    for routes in (
        account,
        statistics,
        keys,
        media,
        files,
        requests,
        images,
        videos,
        catalog,
        reference,
        callbacks,
        webhooks,
        payments,
    )
]
for router in ROUTERS:
    app.include_router(router)


class WithoutTrailingSlash:
    """Takes a path that ends in a slash for the same without it, as clients join base URLs either way."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on."""
        if scope["type"] == "http" and len(scope["path"]) > 1:
            scope = {**scope, "path": scope["path"].removesuffix("/")}
        await self._app(scope, receive, send)


@app.middleware("http")
async def with_request_id(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Name each request, log it in one line, and turn a fault of ours into a 500 that says nothing."""
    request_id = begin_request()
    try:
        response = await call_next(request)
    except ClientDisconnect:
        # It left during its upload: nothing is wrong here, and nobody reads the answer.
        response = Response(status_code=CLIENT_LEFT)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        response = _error_response(request, fault(exc, "api.fault", **_route(request)))
    response.headers["x-request-id"] = request_id
    account_id = getattr(request.state, "account_id", None)
    if account_id is not None:
        api = api_parts.api()
        # What took money was counted by the write that took it.
        if request.method != "POST" or response.status_code >= FIRST_ERROR:
            await run_in_threadpool(api.tell_count, account_id)
        response.headers.update(api.rate_headers(account_id))
    logger.info("api.request", account_id=account_id, status=response.status_code, **_route(request))
    return response


def _route(request: Request) -> dict[str, Any]:
    """The route and the ids in the path. A callback's token, and a path that is none, are not logged."""
    route = request.scope.get("route")
    ids = {name: shortened(text) for name, text in request.path_params.items() if name != "token"}
    return {} if route is None else {"route": route.path, **ids}


@app.exception_handler(TollgateError)
async def tollgate_error(request: Request, error: Exception) -> Response:
    """Answer with the error's own status and body."""
    if not isinstance(error, TollgateError):
        raise error
    return _error_response(request, error)


@app.exception_handler(HTTPException)
async def unknown_route(request: Request, _: Exception) -> Response:
    """Answer an unknown path or method in the contract's shape."""
    allowed = _methods(request)
    if allowed:
        return _error_response(request, MethodNotAllowedError(allowed))
    return _error_response(request, RouteNotFoundError(request.method, request.url.path))


def _methods(request: Request) -> set[str]:
    """Return the methods that the request's path is good for: a path's routes are apart, one a method."""
    return {
        method
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


def _error_response(request: Request, error: TollgateError) -> JSONResponse:
    """Answer with an error, as the SDK that asked reads it: Anthropic's is known by its headers."""
    body = error.body()
    if any(name in request.headers for name in ANTHROPIC_HEADERS):
        # Imported here: it has much of text with it, which no other request needs.
        from tollgate.text.errors import error_body  # noqa: PLC0415 - see above
        from tollgate.text.models import TextProtocol  # noqa: PLC0415 - see above

        body = error_body(TextProtocol.ANTHROPIC, error)
    return JSONResponse(body, status_code=error.status, headers=error.headers())


app.add_middleware(WithoutTrailingSlash)
app.add_middleware(CrossOrigin, headers=cors_headers)

begin_anew_when_restored()
handler = Mangum(app, lifespan="off")
