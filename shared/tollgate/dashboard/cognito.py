"""Signing in with Amazon Cognito's hosted pages: OpenID Connect, authorization code with PKCE, by Authlib.

https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
"""

from urllib.parse import urlencode

from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client import OAuth
from joserfc.errors import JoseError
from pydantic import BaseModel, ConfigDict, HttpUrl
from starlette.requests import Request
from starlette.responses import Response

from tollgate.dashboard.identities import Person

SCOPES = "openid email"
TIMEOUT_S = 5.0


class SignInRefusedError(Exception):
    """The sign-in did not come to its end: refused there, too late, or not begun here."""


class PoolSettings(BaseModel):
    """What template.yaml writes into the parameter: whose tokens we take, and as which client."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: HttpUrl
    client_id: str
    domain: HttpUrl


class Cognito:
    """One user pool, and us as its client. State and verifier wait in the visitor's session."""

    def __init__(self, pool: PoolSettings) -> None:
        self._pool = pool
        self._client = OAuth().register(
            "cognito",
            client_id=pool.client_id,
            server_metadata_url=f"{pool.issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": SCOPES,
                "code_challenge_method": "S256",
                # A public client: PKCE proves that who redeems the code is who asked for it.
                "token_endpoint_auth_method": "none",
                "timeout": TIMEOUT_S,
            },
        )

    async def begin(self, request: Request, callback: str) -> Response:
        """Return the redirect to the hosted sign-in, which ends at the URL `callback`."""
        redirect: Response = await self._client.authorize_redirect(request, callback)
        return redirect

    async def end(self, request: Request) -> Person:
        """Return who signed in, from the request to the callback. Raises `SignInRefusedError`."""
        try:
            token = await self._client.authorize_access_token(request)
        except (OAuthError, JoseError) as exc:
            raise SignInRefusedError(str(exc)) from exc
        claims = token.get("userinfo")
        if not claims:
            raise SignInRefusedError("no id token")
        return Person(f"cognito#{claims['sub']}", claims.get("email") or claims["sub"])

    def sign_out_url(self, back: str) -> str:
        """Return where the pool forgets the visitor too, and then sends them to the URL `back`."""
        query = urlencode({"client_id": self._pool.client_id, "logout_uri": back})
        return f"{str(self._pool.domain).rstrip('/')}/logout?{query}"
