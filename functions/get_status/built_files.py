"""The packages of our clients, and the images of link previews.

They are here because the gateway passes on bytes only of streamed answers.
"""

from starlette.requests import Request
from starlette.responses import Response

from get_status.http import base_url_of
from tollgate.kit.errors import RouteNotFoundError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.kit.http.cached_response import REVALIDATED, cached_response
from tollgate.reference import preview_store
from tollgate.reference.clients import WHEELS, packages

CLIENTS = "/clients/{file}"
PREVIEWS = "/previews/{file}"


async def client_package(request: Request) -> Response:
    """Return a package, or a requirements file that names it.

    Raises `RouteNotFoundError` for another name.
    """
    name = request.path_params["file"]
    if name in WHEELS:
        return _file(request, f"{base_url_of(request)}/clients/{WHEELS[name]}\n".encode(), "text/plain")
    return _file(request, packages().get(name), "application/octet-stream")


async def preview(request: Request) -> Response:
    """Return an image. Raises `RouteNotFoundError` for another name."""
    return _file(request, preview_store.content(request.path_params["file"]), "image/png")


def _file(request: Request, content: bytes | None, kind: str) -> Response:
    """Return a file, which a deployment can change without a release. Raises `RouteNotFoundError`."""
    if content is None:
        raise RouteNotFoundError(request.method, request.url.path)
    page = CachedBody.of_bytes(content)
    if_none_match = request.headers.get("if-none-match")
    return cached_response(page, if_none_match, kind, REVALIDATED, {"x-content-type-options": "nosniff"})
