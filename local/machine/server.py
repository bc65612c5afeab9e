"""One port for all requests of customers: the API, and the stored files under `/storage`."""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from hmac import compare_digest
from importlib import import_module
from posixpath import normpath
from typing import TYPE_CHECKING, Any

import uvicorn
from botocore.exceptions import ClientError
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from local.machine.door import Door, allowed_hosts
from local.machine.files import ACCOUNTS_HEADER, ACCOUNTS_KEY, ACCOUNTS_PATH, LAMBDA_PATH, STORAGE_PATH
from local.machine.lambda_api import create_lambda_api
from local.machine.missing_pages import MissingPages
from local.machine.patience import PatientProtocol
from local.machine.preflight import Preflights
from local.template import read_template
from tollgate.composition import api as api_parts
from tollgate.composition.parts import cors_headers
from tollgate.kit.aws import sdk
from tollgate.kit.money import micro_usd_of_cents

if TYPE_CHECKING:
    from botocore.response import StreamingBody

CHUNK_BYTES = 256 * 1024
MAX_KEY_BYTES = 1024
"""The longest key of an object in S3."""
PRIVATE = ("inputs/", "private/", "responses/")
"""Files that need a signed URL, or that only the service reads."""
# The headers of the distribution in template.yaml.
STORAGE_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; media-src 'self'; img-src 'self'; sandbox",
    "access-control-allow-origin": "*",
    "accept-ranges": "bytes",
}
LISTEN, LOOPBACK = "TOLLGATE_LISTEN", "127.0.0.1"
"""The address to listen on. A container needs all addresses, or its published port is closed."""
_PASSED = ("ContentType", "ContentLength", "ContentRange", "ETag", "CacheControl")
_HEADER_NAMES = {
    "ContentType": "content-type",
    "ContentLength": "content-length",
    "ContentRange": "content-range",
    "ETag": "etag",
    "CacheControl": "cache-control",
}


def stored_file(request: Request) -> Response:
    """Serve a stored file, or a range of it, like CloudFront."""
    key = request.path_params["key"]
    if not key or len(key.encode()) > MAX_KEY_BYTES or normpath(f"/{key}").lstrip("/").startswith(PRIVATE):
        # The distribution's response if the bucket refuses a file.
        return Response(status_code=403, headers=STORAGE_HEADERS)
    bucket = request.app.state.bucket
    wanted: dict[str, Any] = {"Bucket": bucket, "Key": key}
    if "range" in request.headers:
        wanted["Range"] = request.headers["range"]
    try:
        found: Any = sdk.s3().get_object(**wanted)
    except ClientError as exc:
        status = exc.response["ResponseMetadata"]["HTTPStatusCode"]
        return Response(status_code=status, headers=STORAGE_HEADERS)
    headers = {_HEADER_NAMES[name]: str(found[name]) for name in _PASSED if found.get(name)}
    status = found["ResponseMetadata"]["HTTPStatusCode"]
    headers |= STORAGE_HEADERS
    if request.method == "HEAD":
        found["Body"].close()
        return Response(status_code=status, headers=headers)
    return StreamingResponse(_chunks(found["Body"]), status_code=status, headers=headers)


def _chunks(body: "StreamingBody") -> Iterator[bytes]:
    yield from body.iter_chunks(CHUNK_BYTES)


def opened_account(request: Request) -> Response:
    """Open an account with the credit `cents`, for a program of this machine's user.

    The service may be open to others (`TOLLGATE_ALLOW_HOSTS`), so the program needs the key.
    """
    if not compare_digest(
        request.headers.get(ACCOUNTS_HEADER, "").encode(), os.environ[ACCOUNTS_KEY].encode()
    ):
        return Response(status_code=403)
    opened = api_parts.api().accounts.open(micro_usd_of_cents(int(request.query_params["cents"])))
    return JSONResponse(
        {"apiKey": opened.api_key, "userId": opened.account_id, "webhookSecret": opened.webhook_secret}
    )


DASHBOARD_PATHS = (
    *("/", "/docs", "/models", "/status", "/dashboard", "/terms", "/privacy", "/contact"),
    *("/robots.txt", "/sitemap.xml", "/favicon.ico"),
)
DASHBOARD_FOLDERS = ("/docs/", "/models/", "/dashboard/", "/oauth/", "/scim/", "/.well-known/")
ADMIN_PATH = "/admin"
MCP_PATH = "/mcp"
WAITING_PATHS = (
    *("/api/v1/task/status/", "/api/v1/task/stream/", "/api/v1/workflow/stream/", "/api/v1/images/"),
    *("/clients/", "/previews/"),
)
"""Paths of the function that waits, and serves packages of clients and images."""
TEXT_PATHS = tuple(
    f"{base}/{name}"
    for base in ("/api/v1", "/api", "/api/v1/v1")
    for name in (
        *("chat/", "completions", "messages", "models", "responses", "conversations", "embeddings"),
        *("rerank", "v2/rerank", "moderations", "audio/", "batches"),
    )
)
"""Paths of the text function, in all the forms in which clients join base URLs."""
AT_ONCE = ("api", "dashboard")
"""Functions that every start needs, because it waits for the catalog and warms pages."""
TEXT_PARTS = "tollgate.composition.text"


def function_of(path: str) -> str:
    """Return the function to which API Gateway forwards a path: the name of its package."""
    if path.startswith(TEXT_PATHS):
        return "text"
    if path.startswith(WAITING_PATHS):
        return "get_status"
    if path == ADMIN_PATH or path.startswith(f"{ADMIN_PATH}/"):
        return "admin"
    if path in DASHBOARD_PATHS or path.startswith(DASHBOARD_FOLDERS):
        return "dashboard"
    return "serve_mcp" if path == MCP_PATH else "api"


async def api(scope: Scope, receive: Receive, send: Send) -> None:
    """Forward a request to its function, which is imported for its first request."""
    name = function_of(scope["path"] if scope["type"] == "http" else "")
    await import_module(f"{name}.app").app(scope, receive, send)


async def compressed(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond like the gateway: compressed if the client accepts it, except for streams."""
    if scope["type"] == "http" and scope["path"].startswith((*TEXT_PATHS, *WAITING_PATHS)):
        await api(scope, receive, send)
    else:
        await _gzip(scope, receive, send)


# The gateway compresses responses from this size (template.yaml, MinimumCompressionSize).
_gzip = GZipMiddleware(api, minimum_size=1024)


def create_app(bucket: str) -> Starlette:
    """Return the API, the storage and Lambda's own API as one app."""
    for name in AT_ONCE:
        import_module(f"{name}.app")
    storage = Starlette(routes=[Route("/{key:path}", stored_file, methods=["GET", "HEAD"])])
    storage.state.bucket = bucket
    template = read_template()
    functions = create_lambda_api(template)
    app = Starlette(
        routes=[
            Mount(STORAGE_PATH, storage),
            Mount(LAMBDA_PATH, functions),
            Route(ACCOUNTS_PATH, opened_account, methods=["POST"]),
        ],
        lifespan=_closing,
    )
    allowed_origin = cors_headers()["access-control-allow-origin"]
    # Not a mount at "/", because that does not match a path with a newline.
    app.router.default = MissingPages(Preflights(compressed, template, allowed_origin), template)
    app.add_middleware(Door, hosts=allowed_hosts(), origin=allowed_origin)
    return app


@asynccontextmanager
async def _closing(_: Starlette) -> AsyncIterator[None]:
    yield
    if TEXT_PARTS in sys.modules:
        await import_module(TEXT_PARTS).close()


def serve(bucket: str, port: int) -> None:
    """Serve until the process is ended."""
    uvicorn.run(
        create_app(bucket),
        host=os.environ.get(LISTEN, LOOPBACK),
        port=port,
        log_level="warning",
        access_log=False,
        http=PatientProtocol,
        # A caller's X-Forwarded-For must not set its address.
        proxy_headers=False,
    )
