"""The packages of our clients: here because the gateway passes on bytes only of streamed answers."""

from starlette.requests import Request
from starlette.responses import Response

from get_status.http import base_url_of
from tollgate.kit.errors import RouteNotFoundError
from tollgate.kit.http.cached_body import CachedBody
from tollgate.reference.clients import WHEELS, packages

ROUTE = "/clients/{file}"
NOT_MODIFIED = 304


async def client_package(request: Request) -> Response:
    """Return a package, or a requirements file that names it. Raises `RouteNotFoundError` for another name.

    A cache asks each time whether it has the current bytes: a deployment can change them without a release.
    """
    name = request.path_params["file"]
    if name in WHEELS:
        content, kind = f"{base_url_of(request)}/clients/{WHEELS[name]}\n".encode(), "text/plain"
    elif name in packages():
        content, kind = packages()[name], "application/octet-stream"
    else:
        raise RouteNotFoundError(request.method, request.url.path)
    page = CachedBody.of_bytes(content)
    headers = {"etag": page.etag, "cache-control": "no-cache", "x-content-type-options": "nosniff"}
    if page.matches(request.headers.get("if-none-match")):
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(content, headers=headers, media_type=kind)
