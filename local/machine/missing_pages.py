"""Answers a browser at an address that no route has as the gateway does, with the template's own page."""

from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from local.template import Template, path_pattern
from tollgate.kit.ids import new_id


class MissingPages:
    """ASGI middleware: the gateway's HTML for an unknown path, if the client accepts HTML."""

    def __init__(self, app: ASGIApp, template: Template) -> None:
        self._app = app
        answers: dict[str, Any] = template.openapi()["x-amazon-apigateway-gateway-responses"]
        page, _ = answers["MISSING_AUTHENTICATION_TOKEN"]["responseTemplates"]["text/html"]["Fn::Sub"]
        self._page: str = page.replace("${Home}", "/")
        self._paths = [path_pattern(path) for method, path in template.routes() if method == "GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        app = self._app
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and self._is_missing(scope):
            page = self._page.replace("$context.requestId", new_id("req"))
            app = HTMLResponse(page, status_code=404)
        await app(scope, receive, send)

    def _is_missing(self, scope: Scope) -> bool:
        accepts = Headers(scope=scope).get("accept", "")
        return "text/html" in accepts and not any(path.fullmatch(scope["path"]) for path in self._paths)
