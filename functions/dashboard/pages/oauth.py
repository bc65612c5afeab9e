"""The routes for OAuth clients: metadata, registration, tokens, revocation. None of them has a session."""

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse

from dashboard.form_body import Sent, SentJson
from dashboard.services import Services
from tollgate.connectors.metadata import (
    REGISTER_PATH,
    REVOKE_PATH,
    TOKEN_PATH,
    resource_metadata,
    server_metadata,
)
from tollgate.kit.http.base_url import base_url

CREATED = 201

router = APIRouter()


@router.get("/.well-known/oauth-protected-resource")
@router.get("/.well-known/oauth-protected-resource/mcp")
def resource(request: Request) -> Response:
    """Return the metadata of the MCP server."""
    return JSONResponse(resource_metadata(base_url(request.scope)))


@router.get("/.well-known/oauth-authorization-server")
def server(request: Request) -> Response:
    """Return the metadata of the authorization server."""
    return JSONResponse(server_metadata(base_url(request.scope)))


@router.post(REGISTER_PATH)
def register(services: Services, body: SentJson) -> Response:
    """Register a client."""
    return JSONResponse(services.connectors.register(body), CREATED)


@router.post(TOKEN_PATH)
def tokens(services: Services, request: Request, sent: Sent) -> Response:
    """Return tokens for a code or a refresh token."""
    return JSONResponse(services.connectors.tokens(sent, base_url(request.scope)))


@router.post(REVOKE_PATH)
def revoke(services: Services, sent: Sent) -> Response:
    """End a connection. An unknown token has the same response (RFC 7009, section 2.2)."""
    services.connectors.revoke(sent)
    return JSONResponse({})
