"""The caller's address, and errors in the contract's format, for all routes."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tollgate.accounts.networks import gateway_address
from tollgate.composition.get_status import get_status
from tollgate.kit.errors import TollgateError


def address_of(request: Request) -> str | None:
    """Return the caller's address as the gateway received it. The web adapter forwards it in a header."""
    if get_status().is_adapted:
        return gateway_address(request.headers.get("x-amzn-request-context"))
    return request.client.host if request.client else None


def refused(error: TollgateError) -> Response:
    """Return the status and body of an error as a response."""
    return JSONResponse(error.body(), status_code=error.status, headers=error.headers())
