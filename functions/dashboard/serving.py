"""The parts that all pages share: a session, forgery checks, request ids, and faults as pages."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse

from dashboard.languages import gettext, speak, wanted
from dashboard.render import PATH, ZONE, home, invalid, is_part, page, part, toast
from dashboard.security import (
    WANTED,
    AtStage,
    ForgeryError,
    Sessions,
    SignInNeededError,
    check_change,
    drop_ended,
    path_of,
    security_headers,
)
from dashboard.static_files import StaticFirst
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition.parts import cors_headers
from tollgate.connectors.errors import OAuthError
from tollgate.kit.errors import (
    ForbiddenError,
    InvalidInputError,
    RouteNotFoundError,
    TollgateError,
    UserNotFoundError,
)
from tollgate.kit.http.head import HeadLikeGet
from tollgate.kit.observability import begin_request, logger
from tollgate.kit.problems import Problem
from tollgate.kit.retry import fault
from tollgate.members.team import TeamError
from tollgate.scim import errors as scim_errors
from tollgate.scim.errors import ScimError
from tollgate.web.problems import in_words
from tollgate.web.zones import use_zone

FORGED = 403
SEE_OTHER = 303
BAD = 400
TOO_MANY = 429
# The routes for OAuth clients.
OAUTH = "/oauth/"
# The routes for directories.
SCIM = "/scim/"
# Programs in pages of other origins may read these, because no cookie is involved.
SHARED = (OAUTH, "/.well-known/oauth-")
REFUSED = 409
# A cookie holds 4 KB of base64: this and, during a sign-in, half a kilobyte of Authlib's.
MAX_WANTED = 2_000
# Only for the log: nginx's status for a client that disconnected.
CLIENT_LEFT = 499
# The gateway passes these types on unchanged, and all others in base64.
TEXT_TYPES = ["text/", "application/json", "application/scim+json", "image/svg+xml"]


def site(permitted: Callable[[Request], None]) -> FastAPI:
    """Return an app without pages, which checks and names each request and shows each fault.

    `permitted` runs before each of its routes, and raises if the visitor may not use the route.
    """
    app = FastAPI(openapi_url=None, redirect_slashes=False, dependencies=[Depends(permitted)])
    app.middleware("http")(guarded)
    app.exception_handler(SignInNeededError)(to_sign_in)
    app.exception_handler(UserNotFoundError)(to_sign_in)
    app.exception_handler(TollgateError)(tollgate_error)
    app.exception_handler(TeamError)(team_error)
    app.exception_handler(OAuthError)(oauth_error)
    app.exception_handler(ScimError)(scim_error)
    app.exception_handler(HTTPException)(unknown_route)
    app.exception_handler(RequestValidationError)(wrong_parameter)
    app.add_middleware(Sessions, failed=failed)
    app.add_middleware(StaticFirst)
    app.add_middleware(AtStage)
    app.add_middleware(HeadLikeGet)
    return app


async def guarded(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse forged changes, name and log each request, and turn an unexpected fault into a page."""
    request_id = begin_request()
    speak(wanted(request))
    use_zone(request.session.get(ZONE, ""))
    # Here, because a mounted app adds its own path to the request's root.
    path = path_of(request)
    # Files of this version were answered before (`StaticFirst`).
    is_static = request.url.path.startswith(f"{home(request)}/static/")
    try:
        if not is_static:
            await run_in_threadpool(drop_ended, request, dashboard_parts.dashboard().sessions)
        check_change(request)
        answer = await call_next(request)
    except ForgeryError:
        answer = _forged(request)
    except ClientDisconnect:
        # The client disconnected during its upload. This is no fault, and no one reads the response.
        answer = Response(status_code=CLIENT_LEFT)
    except TollgateError as error:
        # Raised before any route was reached, so the error handlers did not run.
        answer = _error(request, error)
    except Exception as exc:  # noqa: BLE001 - the boundary: logged with its cause, answered as ours
        answer = failed(request, exc)
    joined = dashboard_parts.dashboard()
    is_local = joined.settings.stage == "local"
    answer.headers.update(
        security_headers(
            joined.settings.storage_url,
            joined.upload_origin,
            path=path,
            is_local=is_local,
            is_signed_in="account_id" in request.session,
        )
    )
    answer.headers["x-request-id"] = request_id
    if path.startswith(SHARED):
        answer.headers.update(cors_headers())
    if is_static and answer.status_code < BAD:
        answer.headers["cache-control"] = "no-cache"
    elif answer.status_code >= BAD or "etag" not in answer.headers:
        answer.headers["cache-control"] = "no-store"
    logger.info("dashboard.request", path=request.url.path, status=answer.status_code)
    return answer


def _forged(request: Request) -> Response:
    """Return the message for a change without the session's token, often from a page left open."""
    is_at_sign_in = path_of(request).startswith(f"{PATH}/sign-in")
    if "account_id" in request.session or is_at_sign_in:
        return toast(
            request, gettext("This page is too old. Reload it and try again."), status=FORGED, bad=True
        )
    return toast(request, gettext("You are signed out."), status=FORGED, bad=True, is_signed_out=True)


async def to_sign_in(request: Request, _: Exception) -> Response:
    """Redirect a visitor who is not signed in, or whose account is gone, to the sign-in."""
    request.session.clear()
    if is_part(request):
        return Response(headers={"hx-redirect": f"{home(request)}/sign-in"})
    wanted = f"{path_of(request)}?{request.url.query}".rstrip("?")
    if request.method == "GET" and len(wanted) <= MAX_WANTED:
        request.session[WANTED] = wanted
    return RedirectResponse(f"{home(request)}/sign-in", SEE_OTHER)


async def tollgate_error(request: Request, error: Exception) -> Response:
    """Show an error with the API's message."""
    if not isinstance(error, TollgateError):
        raise error
    return _error(request, error)


async def team_error(request: Request, error: Exception) -> Response:
    """Show why a change of the account's members was refused."""
    if path_of(request).startswith(SCIM):
        return scim_answer(scim_errors.body(REFUSED, str(error)), REFUSED)
    return toast(request, gettext(str(error)), status=REFUSED, bad=True)


async def oauth_error(_: Request, error: Exception) -> Response:
    """Return the refusal of an OAuth client's request."""
    if not isinstance(error, OAuthError):
        raise error
    return JSONResponse(error.body(), error.status)


async def scim_error(_: Request, error: Exception) -> Response:
    """Return the refusal of a directory's request."""
    if not isinstance(error, ScimError):
        raise error
    answer = scim_answer(scim_errors.body(error.status, error.detail, error.scim_type), error.status)
    if error.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def scim_answer(body: dict[str, Any], status: int = 200) -> Response:
    """Return a response to a directory (RFC 7644, section 3.1)."""
    return JSONResponse(body, status, media_type="application/scim+json")


async def unknown_route(request: Request, error: Exception) -> Response:
    """Show that the page does not exist."""
    if path_of(request).startswith(SCIM) and isinstance(error, HTTPException):
        return scim_answer(scim_errors.body(error.status_code, error.detail), error.status_code)
    return _error(request, RouteNotFoundError(request.method, request.url.path))


async def wrong_parameter(request: Request, error: Exception) -> Response:
    """Show which parameter of the address is missing or wrong."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [Problem(f"/{one['loc'][-1]}", f"{one['msg']}.") for one in found]
    return _error(request, InvalidInputError(problems))


def failed(request: Request, exc: Exception) -> Response:
    """Log an unexpected fault, and show an error page."""
    return _error(request, fault(exc, "dashboard.fault", path=request.url.path))


def _error(request: Request, error: TollgateError) -> Response:
    if path_of(request).startswith(OAUTH):
        # A client reads JSON. An error without its own code in RFC 6749 gets one of these two.
        code = "invalid_request" if error.status < TOO_MANY else "temporarily_unavailable"
        body = OAuthError(code, error.message).body()
        answer: Response = JSONResponse(body, error.status)
    elif path_of(request).startswith(SCIM):
        words = in_words(error.problems) if isinstance(error, InvalidInputError) else error.message
        answer = scim_answer(scim_errors.body(error.status, words), error.status)
    elif is_part(request) and isinstance(error, InvalidInputError):
        answer = invalid(request, error)
    elif is_part(request):
        answer = toast(request, error.message, status=error.status, bad=True)
    elif isinstance(error, ForbiddenError):
        # The visitor may have the permission in another account. This page offers the choice.
        answer = page(request, "error.html", error.status, error=error, layout="base.html")
    else:
        # A visitor of the public pages has no dashboard to go to.
        layout = "base.html" if "account_id" in request.session else "public.html"
        answer = part(request, "error.html", error.status, error=error, account=None, layout=layout)
    answer.headers.update(error.headers())
    return answer
