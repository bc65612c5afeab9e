"""The public reference for tools and language models. The dashboard has `/docs`."""

from fastapi import APIRouter, Request, Response

from api.catalog import IfNoneMatch
from api.http import Services, envelope
from tollgate.kit.http.base_url import base_url
from tollgate.kit.http.cached_response import cached_response
from tollgate.kit.version import VERSION

router = APIRouter()


@router.get("/openapi.json")  # where tools look for it
@router.get("/api/v1/openapi.json")
def get_openapi(api: Services, request: Request, if_none_match: IfNoneMatch = None) -> Response:
    """Return the OpenAPI document, with the address of the request as its server."""
    return cached_response(api.reference.openapi(base_url(request.scope)), if_none_match)


@router.get("/api/v1/version")
def get_version() -> Response:
    """Return the version of the service."""
    return envelope({"version": VERSION})


@router.get("/llms.txt")
def get_text(api: Services, if_none_match: IfNoneMatch = None) -> Response:
    """Return the document as plain text."""
    return cached_response(api.reference.text, if_none_match, "text/plain")
