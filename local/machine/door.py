"""Protects the local service from other people's web pages that are open in this machine's browser.

The `Origin` header names the site of such a page. If the name of its site was pointed to this machine after
it was opened (DNS rebinding), the `Host` header has that name.
"""

import json
import os
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tollgate.kit.errors import ForbiddenError
from tollgate.kit.http.base_url import base_url
from tollgate.kit.http.error_help import with_help
from tollgate.kit.ids import new_id

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
VARIABLE = "TOLLGATE_ALLOW_HOSTS"
"""Additional names, separated by spaces, such as host.docker.internal."""
MAX_SHOWN = 100
_ALLOW = f"To allow the name, start with {VARIABLE}=name make run."


def allowed_hosts() -> frozenset[str]:
    """Return the host names with which clients may call the service, on any port."""
    return LOOPBACK | frozenset(os.environ.get(VARIABLE, "").lower().split())


class Door:
    """Forwards a request or refuses it with 403. `origin` is an additional origin for pages."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], origin: str = "*") -> None:
        self._app = app
        self._hosts = hosts
        self._origin = origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        request_id = new_id("req")
        body = with_help(refusal.body(), refusal.code, base_url(scope), request_id)
        await JSONResponse(body, refusal.status, {"x-request-id": request_id})(scope, receive, send)

    def _refusal(self, headers: Headers) -> ForbiddenError | None:
        """Return the error that refuses a request, or `None`. All values of repeated headers are checked."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        strange = [each for each in hosts if _host_of(f"//{each}") not in self._hosts]
        if strange or not hosts:
            return ForbiddenError(f"The Host {_shown(strange)} is not this machine.", _ALLOW)
        foreign = [each for each in origins if not self._is_ours(each)]
        if foreign:
            return ForbiddenError(f"Pages of {_shown(foreign)} are not allowed here.", _ALLOW)
        return None

    def _is_ours(self, origin: str) -> bool:
        return origin == self._origin or _host_of(origin) in self._hosts


def _host_of(address: str) -> str | None:
    """Return the name in an address, without its port; `None` if it is not an address."""
    try:
        split = urlsplit(address)
        # Raises for an invalid port.
        _ = split.port
    except ValueError:
        return None
    return None if split.path or split.username is not None else split.hostname


def _shown(headers: list[str]) -> str:
    return json.dumps(headers[0][:MAX_SHOWN]) if headers else "header that is missing"
