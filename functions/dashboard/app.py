"""Trigger: API Gateway, the routes `/`, `/docs` and under `/dashboard`: the web page for people.

Asks the domain's services and shows what they say, in HTML. Never calls our own API over HTTP, and never
shows a secret but a new key, once.

security.py   who is looking, and whether our own page asked; `sign_in.py`
services.py   what the pages call; `render.py`, `form_body.py`: out and in
landing.py    `/`, the same for everybody; `docs.py`: `/docs`
overview.py   and a file for each other page, of its name
templates/    the pages; `static/`: style, scripts, icons
"""

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from mangum import Mangum
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.staticfiles import StaticFiles

from dashboard import (
    activity,
    catalog,
    chat,
    docs,
    keys,
    landing,
    overview,
    playground,
    sign_in,
    tasks,
    top_up,
    webhooks,
)
from dashboard.render import PATH, STATIC, home, is_part, part, toast, version
from dashboard.security import (
    AtStage,
    ForgeryError,
    Sessions,
    SignInNeededError,
    check_change,
    drop_ended,
    path_of,
    security_headers,
)
from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.errors import (
    InternalError,
    InvalidInputError,
    Problem,
    RouteNotFoundError,
    TollgateError,
    UserNotFoundError,
)
from tollgate.kit.observability import begin_request, logger

FORGED = 403
SEE_OTHER = 303
BAD = 400
# For the log alone, by nginx's word for it.
CLIENT_LEFT = 499
FOR_EVER = "public, max-age=31536000, immutable"
# What the gateway takes as it is; anything else goes through it in base64.
TEXT_TYPES = ["text/", "application/json", "image/svg+xml"]

app = FastAPI(openapi_url=None, redirect_slashes=False)
for pages in (overview, activity, sign_in, catalog, playground, tasks, chat, keys, webhooks, top_up):
    app.include_router(pages.router, prefix=PATH)
app.include_router(landing.router)
app.include_router(docs.router)
app.mount(f"{PATH}/static/{{version}}", StaticFiles(directory=STATIC))


@app.middleware("http")
async def guarded(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse forged changes, name and log each request, and turn a fault of ours into a page."""
    request_id = begin_request()
    is_static = request.url.path.startswith(f"{home(request)}/static/")
    try:
        if not is_static:
            await run_in_threadpool(drop_ended, request, dashboard_parts.dashboard().sessions)
        check_change(request)
        answer = await call_next(request)
    except ForgeryError:
        answer = toast(request, "This page is too old. Reload it and try again.", status=FORGED, bad=True)
    except ClientDisconnect:
        # It left during its upload: nothing is wrong here, and nobody reads the answer.
        answer = Response(status_code=CLIENT_LEFT)
    except TollgateError as error:
        # Before any route was reached, where the error handlers are.
        answer = _error(request, error)
    except Exception:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        logger.exception("dashboard.fault", path=request.url.path)
        answer = _error(request, InternalError())
    joined = dashboard_parts.dashboard()
    is_local = joined.settings.stage == "local"
    answer.headers.update(
        security_headers(
            joined.settings.storage_url, joined.upload_origin, path=path_of(request), is_local=is_local
        )
    )
    answer.headers["x-request-id"] = request_id
    if is_static and answer.status_code < BAD:
        is_current = f"/static/{version()}/" in request.url.path
        answer.headers["cache-control"] = FOR_EVER if is_current else "no-cache"
    elif answer.status_code >= BAD or "etag" not in answer.headers:
        answer.headers["cache-control"] = "no-store"
    logger.info("dashboard.request", path=request.url.path, status=answer.status_code)
    return answer


@app.exception_handler(SignInNeededError)
@app.exception_handler(UserNotFoundError)
async def to_sign_in(request: Request, _: Exception) -> Response:
    """Send whoever is not signed in, or whose account is gone, to the sign-in."""
    request.session.clear()
    if is_part(request):
        return Response(headers={"hx-redirect": f"{home(request)}/sign-in"})
    return RedirectResponse(f"{home(request)}/sign-in", SEE_OTHER)


@app.exception_handler(TollgateError)
async def tollgate_error(request: Request, error: Exception) -> Response:
    """Say what is wrong, in the words of the API."""
    if not isinstance(error, TollgateError):
        raise error
    return _error(request, error)


@app.exception_handler(HTTPException)
async def unknown_route(request: Request, _: Exception) -> Response:
    """Say that there is no such page."""
    return _error(request, RouteNotFoundError(request.method, request.url.path))


@app.exception_handler(RequestValidationError)
async def wrong_parameter(request: Request, error: Exception) -> Response:
    """Say which parameter of the address is missing or wrong."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [Problem(f"/{one['loc'][-1]}", f"{one['msg']}.") for one in found]
    return _error(request, InvalidInputError(problems))


def _error(request: Request, error: TollgateError) -> Response:
    if is_part(request):
        return toast(request, error.message, status=error.status, bad=True)
    return part(request, "error.html", error.status, error=error, account=None)


app.add_middleware(Sessions)
app.add_middleware(AtStage)

handler = Mangum(app, lifespan="off", text_mime_types=TEXT_TYPES)
