"""The caller's address, the API's address, and errors in the contract's format, for all routes."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tollgate.accounts.networks import gateway_address
from tollgate.composition.get_status import get_status
from tollgate.kit.errors import TollgateError
from tollgate.kit.http.base_url import adapted_url, base_url
from tollgate.kit.http.error_help import with_help


def address_of(request: Request) -> str | None:
    """Return the caller's address as the gateway received it. The web adapter forwards it in a header."""
    if get_status().is_adapted:
        return gateway_address(request.headers.get("x-amzn-request-context"))
    return request.client.host if request.client else None


def base_url_of(request: Request) -> str:
    """Return the API's address: the address at which this request arrived."""
    if not get_status().is_adapted:
        return base_url(request.scope)
    return adapted_url(request.headers.get("x-amzn-request-context"))


def refused(request: Request, error: TollgateError, request_id: str) -> Response:
    """Return the status and body of an error as a response."""
    body = error.body()
    if request.url.path.startswith("/api/v1/images/"):
        body["error"]["param"] = error.param
    body = with_help(body, error.code, base_url_of(request), request_id)
    return JSONResponse(body, error.status, {**error.headers(), "x-request-id": request_id})
