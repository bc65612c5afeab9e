"""The caller's address, the API's address, and errors in the contract's format, for all routes."""

import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tollgate.accounts.networks import gateway_address
from tollgate.composition.get_status import get_status
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.base_url import base_url, gateway_url


def address_of(request: Request) -> str | None:
    """Return the caller's address as the gateway received it. The web adapter forwards it in a header."""
    if get_status().is_adapted:
        return gateway_address(request.headers.get("x-amzn-request-context"))
    return request.client.host if request.client else None


def base_url_of(request: Request) -> str:
    """Return the API's address: the address at which this request arrived."""
    if not get_status().is_adapted:
        return base_url(request.scope)
    # The web adapter sets this header, and replaces a caller's value.
    return gateway_url(json.loads(request.headers["x-amzn-request-context"]), request.url.path)


def refused(error: TollgateError) -> Response:
    """Return the status and body of an error as a response."""
    return JSONResponse(error.body(), status_code=error.status, headers=error.headers())
