"""The documents by which a client finds the endpoints: RFC 9728 and RFC 8414. Pure."""

from typing import Any

from tollgate.accounts.scopes import Scope

SCOPES = (Scope.MEDIA, Scope.TEXT)
"""The scopes of connectors. A connector never manages keys, so it cannot extend its own rights."""
RESOURCE_PATH = "/mcp"
CONSENT_PATH = "/dashboard/connect"
TOKEN_PATH, REGISTER_PATH, REVOKE_PATH = "/oauth/token", "/oauth/register", "/oauth/revoke"
# Only public clients, because each person's copy of a chat product would need its own secret.
_NO_SECRET = ["none"]


def resource_of(base_url: str) -> str:
    """Return the address of the MCP server, which is the `resource` of every token (RFC 8707)."""
    return base_url + RESOURCE_PATH


def resource_metadata(base_url: str) -> dict[str, Any]:
    """Return the metadata of the MCP server (RFC 9728, section 2)."""
    return {
        "resource": resource_of(base_url),
        "authorization_servers": [base_url],
        "scopes_supported": [str(scope) for scope in SCOPES],
        "bearer_methods_supported": ["header"],
        "resource_name": "Tollgate",
        "resource_documentation": f"{base_url}/docs/use/mcp",
    }


def server_metadata(base_url: str) -> dict[str, Any]:
    """Return the metadata of the authorization server (RFC 8414, section 2)."""
    return {
        "issuer": base_url,
        "authorization_endpoint": base_url + CONSENT_PATH,
        "token_endpoint": base_url + TOKEN_PATH,
        "registration_endpoint": base_url + REGISTER_PATH,
        "revocation_endpoint": base_url + REVOKE_PATH,
        "scopes_supported": [str(scope) for scope in SCOPES],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": _NO_SECRET,
        "revocation_endpoint_auth_methods_supported": _NO_SECRET,
        "code_challenge_methods_supported": ["S256"],
        # RFC 9207: a client knows which server a response is from.
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "service_documentation": f"{base_url}/docs/use/mcp",
    }
