"""Who may speak to the service on this machine: programs here, and pages that a person opened from here.

A page of somebody else that is open in a browser here must not use the service. Its `Origin` tells whose it
is. Where its name was pointed to this machine after it was opened (DNS rebinding), its name is the `Host`.
"""

import json
import os
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tollgate.kit.errors import ForbiddenError

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
VARIABLE = "TOLLGATE_ALLOW_HOSTS"
"""Names more names, such as host.docker.internal, with spaces between them."""
MAX_SHOWN = 100


def allowed_hosts() -> frozenset[str]:
    """Return the names by which the service may be spoken to, whatever the port."""
    return LOOPBACK | frozenset(os.environ.get(VARIABLE, "").lower().split())


class Door:
    """Hands a request on, or refuses it with 403; `origin` is one more that pages may have."""

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
        error = ForbiddenError(refusal)
        await JSONResponse(error.body(), error.status)(scope, receive, send)

    def _refusal(self, headers: Headers) -> str | None:
        """Return why a request is refused, if it is. Each of several headers of a name counts."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        strange = [each for each in hosts if _host_of(f"//{each}") not in self._hosts]
        if strange or not hosts:
            return f"The Host {_shown(strange)} is not this machine. To allow it: {VARIABLE}=name make run"
        foreign = [each for each in origins if not self._is_ours(each)]
        if foreign:
            return f"Pages of {_shown(foreign)} are not let in here. To allow them: {VARIABLE}=name make run"
        return None

    def _is_ours(self, origin: str) -> bool:
        return origin == self._origin or _host_of(origin) in self._hosts


def _host_of(address: str) -> str | None:
    """Return the name in an address, without its port; `None` for what is none."""
    try:
        split = urlsplit(address)
        # Raises for a port that is none.
        _ = split.port
    except ValueError:
        return None
    return None if split.path or split.username is not None else split.hostname


def _shown(headers: list[str]) -> str:
    return json.dumps(headers[0][:MAX_SHOWN]) if headers else "header that is missing"
