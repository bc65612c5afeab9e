"""Serves the styles, scripts and icons of the pages, before all that only pages need."""

import mimetypes
from functools import cache

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.render import PATH, STATIC, version
from dashboard.security import security_headers
from tollgate.composition import dashboard as dashboard_parts

FOR_EVER = "public, max-age=31536000, immutable"


class StaticFirst:
    """Answers requests for files of this version, and passes all others to the app.

    A page loads up to ten of these files, and sessions, form checks and the log would take more than half of
    the time that each needs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["method"] == "GET":
            _, _, rest = scope["path"].partition(f"{PATH}/static/")
            named, _, name = rest.partition("/")
            # Only here, because both read the whole folder once, which other requests need not wait for.
            if name and named == version() and name in _names():
                await _answer(name)(scope, receive, send)
                return
        await self._app(scope, receive, send)


@cache
def _names() -> frozenset[str]:
    return frozenset(file.relative_to(STATIC).as_posix() for file in STATIC.rglob("*.*"))


def _answer(name: str) -> Response:
    # Made for each request, because the server's compression changes the headers of a response.
    body, headers = _file(name)
    return Response(body, headers=headers, media_type=mimetypes.guess_type(name)[0])


@cache
def _file(name: str) -> tuple[bytes, dict[str, str]]:
    """Return a file and its headers, which are the same for all visitors."""
    joined = dashboard_parts.dashboard()
    is_local = joined.settings.stage == "local"
    headers = security_headers(
        joined.settings.storage_url, joined.upload_origin, path=f"{PATH}/static/", is_local=is_local
    )
    return (STATIC / name).read_bytes(), {**headers, "cache-control": FOR_EVER}
