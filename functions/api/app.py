"""Trigger: API Gateway, the account, media and catalog routes of the contract.

Parses the request, calls one function of the domain, and wraps the result in the contract's envelope. Never
calls a provider, and never holds provider credentials.

http.py       the key, the body and the envelope, for all routes
media.py      estimate, create, cancel, delete the files, list tasks; `workflows.py`: workflows. The status of
              one task is in `functions/get_status`
quotes.py     many requests at one price; `files.py`: uploaded files
seals.py      statements with proofs, and receipts; `exports.py`: files of costs
requests.py   records of requests, and the end of running text requests
openrouter.py the account in OpenRouter's shapes
images.py     images in OpenAI's protocol; `videos.py`: videos; `form.py`: bodies that contain files
account.py    the account and its routing policy; `statistics.py`: usage and ledger
keys.py       API keys; `tokens.py`: run tokens; `projects.py`: projects
budgets.py    budgets; `subaccounts.py`: sub-accounts
catalog.py    catalog and prices; `reference.py`: the OpenAPI document, the version and `llms.txt`
webhooks.py   deliveries and secrets; `callbacks.py`: providers' callbacks; `payments.py`: Stripe's webhook
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
    budgets,
    callbacks,
    catalog,
    exports,
    files,
    images,
    keys,
    media,
    openrouter,
    payments,
    projects,
    quotes,
    reference,
    requests,
    seals,
    statistics,
    subaccounts,
    tokens,
    videos,
    webhooks,
    workflows,
)
from tollgate.composition import api as api_parts
from tollgate.composition.parts import cors_headers
from tollgate.composition.snapshot import reset_after_restore
from tollgate.kit.errors import MethodNotAllowedError, RouteNotFoundError, TollgateError
from tollgate.kit.http.base_url import base_url
from tollgate.kit.http.cors import CrossOrigin
from tollgate.kit.http.error_help import with_help
from tollgate.kit.http.head import HeadLikeGet
from tollgate.kit.observability import begin_request, logger
from tollgate.kit.problems import shortened
from tollgate.kit.retry import fault

# Only for the log: nginx's status for a client that disconnected.
CLIENT_LEFT = 499
FIRST_ERROR = 400
ANTHROPIC_HEADER = "anthropic-version"
OPENAI_ROUTES = ("/api/v1/images/", "/api/v1/videos", "/api/v1/files")
"""The routes of this function that OpenAI's SDKs call. They show `param` of an error."""

# Tollgate generates its OpenAPI document (reference/document.py). FastAPI lacks the models and the errors.
app = FastAPI(openapi_url=None, redirect_slashes=False)
ROUTERS = [
    routes.router
    for routes in (
        account,
        statistics,
        keys,
        tokens,
        projects,
        quotes,
        workflows,
        subaccounts,
        budgets,
        media,
        files,
        requests,
        seals,
        exports,
        openrouter,
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
    """Ignores a slash at the end of a path, because clients join base URLs with and without it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request."""
        if scope["type"] == "http" and len(scope["path"]) > 1:
            scope = {**scope, "path": scope["path"].removesuffix("/")}
        await self._app(scope, receive, send)


@app.middleware("http")
async def with_request_id(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Assign each request an id, log it in one line, and return 500 without details for an internal error."""
    request.state.request_id = request_id = begin_request()
    try:
        response = await call_next(request)
    except ClientDisconnect:
        # The client disconnected during its upload. This is not an error, and no one reads the response.
        response = Response(status_code=CLIENT_LEFT)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        response = _error_response(request, fault(exc, "api.fault", **_route(request)))
    response.headers["x-request-id"] = request_id
    account_id = getattr(request.state, "account_id", None)
    if account_id is not None:
        api = api_parts.api()
        # A request that took money was counted by the write that took it.
        if request.method != "POST" or response.status_code >= FIRST_ERROR:
            await run_in_threadpool(api.share_count, account_id)
        response.headers.update(api.rate_headers(account_id))
    logger.info("api.request", account_id=account_id, status=response.status_code, **_route(request))
    return response


def _route(request: Request) -> dict[str, Any]:
    """Return the route and the ids in the path for the log, without a callback's token or an unknown path."""
    route = request.scope.get("route")
    ids = {name: shortened(text) for name, text in request.path_params.items() if name != "token"}
    return {} if route is None else {"route": route.path, **ids}


@app.exception_handler(TollgateError)
async def tollgate_error(request: Request, error: Exception) -> Response:
    """Return the error's status and body."""
    if not isinstance(error, TollgateError):
        raise error
    return _error_response(request, error)


@app.exception_handler(HTTPException)
async def unknown_route(request: Request, _: Exception) -> Response:
    """Return the contract's error for an unknown path or method."""
    allowed = _methods(request)
    if allowed:
        return _error_response(request, MethodNotAllowedError(allowed))
    return _error_response(request, RouteNotFoundError(request.method, request.url.path))


def _methods(request: Request) -> set[str]:
    """Return the methods that the path supports. A path has a separate route for each method.

    A word in the place of an id, such as `/videos/edits`, is another endpoint, which does not exist.
    """
    found: set[str] = set()
    for route in (route for router in ROUTERS for route in router.routes if isinstance(route, Route)):
        match, scope = route.matches(request.scope)
        ids = scope.get("path_params", {}).values()
        is_word = request.method == "POST" and any(str(each).isalpha() for each in ids)
        if match is not Match.NONE and not is_word:
            found |= route.methods or set()
    return found


def _error_response(request: Request, error: TollgateError) -> JSONResponse:
    """Return an error in the format of the calling SDK. Anthropic's SDK is recognised by its headers."""
    body = error.body()
    if ANTHROPIC_HEADER in request.headers:
        # Imported here: it imports much of text, which other requests do not need.
        from tollgate.text.models import TextProtocol  # noqa: PLC0415 - see above
        from tollgate.text.wire.errors import error_body  # noqa: PLC0415 - see above

        body = error_body(TextProtocol.ANTHROPIC, error)
    elif request.url.path.startswith(OPENAI_ROUTES):
        body["error"]["param"] = error.param
    agent = request.headers.get("user-agent", "")
    helped = with_help(body, error.code, base_url(request.scope), request.state.request_id, agent)
    return JSONResponse(helped, status_code=error.status, headers=error.headers())


app.add_middleware(WithoutTrailingSlash)
app.add_middleware(CrossOrigin, headers=cors_headers)
app.add_middleware(HeadLikeGet)

reset_after_restore()
handler = Mangum(app, lifespan="off")
