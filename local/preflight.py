"""Answers preflights as the gateway does: by what SAM makes of the template, before any function."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from local.template import Template

_VARIABLE = re.compile(r"\\{\w+\\}")


class Preflights:
    """Answers the preflights of the template's paths, and hands everything else to `app`."""

    def __init__(self, app: ASGIApp, template: Template, allowed_origin: str) -> None:
        self._app = app
        self._paths = {
            re.compile(_VARIABLE.sub("[^/]+", re.escape(path)) + "/?"): {
                name: _resolved(value, allowed_origin) for name, value in headers.items()
            }
            for path, headers in template.preflights().items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = self._headers(scope["path"]) if scope.get("method") == "OPTIONS" else None
        app = self._app if headers is None else JSONResponse({}, headers=headers)
        await app(scope, receive, send)

    def _headers(self, path: str) -> Mapping[str, str] | None:
        # The plain path before one with a variable in it, as the gateway matches.
        found = [each for each in self._paths if each.fullmatch(path)]
        return self._paths[min(found, key=lambda each: each.pattern.count("[^/]+"))] if found else None


def _resolved(value: Any, allowed_origin: str) -> str:
    text = value["Fn::Sub"] if isinstance(value, dict) else value
    return str(text).replace("${AllowedOrigin}", allowed_origin).strip("'")
