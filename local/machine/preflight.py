"""Responds to preflights like the gateway, with the headers in SAM's translation of the template."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from local.template import ANY_PARTS, ONE_PART, Template, path_pattern


class Preflights:
    """Responds to preflights of the template's paths, and forwards all other requests to `app`."""

    def __init__(self, app: ASGIApp, template: Template, allowed_origin: str) -> None:
        self._app = app
        self._paths = {
            path_pattern(path): {name: _resolved(value, allowed_origin) for name, value in headers.items()}
            for path, headers in template.preflights().items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""
        headers = self._headers(scope["path"]) if scope.get("method") == "OPTIONS" else None
        app = self._app if headers is None else JSONResponse({}, headers=headers)
        await app(scope, receive, send)

    def _headers(self, path: str) -> Mapping[str, str] | None:
        # A literal path comes before a path with a variable, and `{name+}` is last, as in the gateway.
        found = [each for each in self._paths if each.fullmatch(path)]
        return self._paths[min(found, key=_variables)] if found else None


def _variables(pattern: re.Pattern[str]) -> tuple[int, int]:
    return pattern.pattern.count(ANY_PARTS), pattern.pattern.count(ONE_PART)


def _resolved(value: Any, allowed_origin: str) -> str:
    text = value["Fn::Sub"] if isinstance(value, dict) else value
    return str(text).replace("${AllowedOrigin}", allowed_origin).strip("'")
