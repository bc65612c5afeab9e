"""Sign-in with Amazon Cognito's hosted pages: OpenID Connect, authorization code with PKCE, by Authlib.

https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html

Imported only when someone signs in. The library takes a tenth of a cold start, and most requests have a
session.
"""

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client import OAuth
from joserfc.errors import JoseError
from starlette.requests import Request
from starlette.responses import Response

from tollgate.members.identities import COGNITO, OPERATORS, Person
from tollgate.web.pool import (
    PoolSettings,
    SignInRefusedError,
    SignInUnavailableError,
    provider_of,
)

SCOPES = "openid email"
SETTINGS_SCOPE = "aws.cognito.signin.user.admin"
TIMEOUT_S = 5.0
GROUPS_CLAIM = "cognito:groups"
ALGORITHMS = ("RS256",)
"""Cognito's signature algorithm. Other algorithms, or `none`, are refused even if the metadata lists them."""
MAX_SUBJECT_LENGTH = 255
"""OpenID Connect Core 1.0, section 2."""

T = TypeVar("T")


class Cognito:
    """A client of one user pool. State and verifier are stored in the visitor's session."""

    def __init__(self, pool: PoolSettings) -> None:
        self._pool = pool
        self._companies = {each.name: each for each in pool.companies}
        self._issuer = str(pool.issuer).rstrip("/")
        self._client = self._registered()

    async def begin(
        self, request: Request, callback: str, company: str | None = None, *, for_settings: bool = False
    ) -> Response:
        """Return the redirect to the hosted sign-in, which ends at the URL `callback`.

        With the name of a company's provider, the pool redirects to that provider at once. `for_settings`:
        the access token may change the person's second factor. Raises `SignInUnavailableError`.
        """
        more = {"identity_provider": company} if company in self._companies else {}
        if for_settings:
            # Newer hosted pages then request the password again. Older pages ignore this.
            more |= {"scope": f"{SCOPES} {SETTINGS_SCOPE}", "prompt": "login"}
        redirect: Response = await self._asked(self._redirect(request, callback, more))
        return redirect

    async def end(self, request: Request) -> tuple[Person, str]:
        """Return the person who signed in, and the access token, from the request to the callback.

        Raises `SignInRefusedError` and `SignInUnavailableError`.
        """
        token = await self._asked(self._token(request))
        claims = token.get("userinfo")
        if not claims:
            raise SignInRefusedError("no id token")
        subject = claims["sub"]
        if not (isinstance(subject, str) and 1 <= len(subject) <= MAX_SUBJECT_LENGTH):
            raise SignInRefusedError("no subject")
        # The address is only displayed, so it need not be verified. Accounts are found by the subject.
        email = claims.get("email")
        name = email if email and isinstance(email, str) else subject
        proven = name.lower() if name is email and self._is_proven(claims, name.lower()) else None
        groups = claims.get(GROUPS_CLAIM)
        is_operator = isinstance(groups, list) and OPERATORS in groups
        return Person(f"{COGNITO}{subject}", name, proven, is_operator), str(token.get("access_token", ""))

    def _is_proven(self, claims: Mapping[str, Any], email: str) -> bool:
        """Return whether the address of a person who signed in is theirs.

        For people of the pool, the pool checked it. A company's provider proves only addresses of the
        company's domains, regardless of its own claim: otherwise it could sign in as any invited person.
        """
        # Cognito always sends the user name. A pool without companies may be another OpenID Connect provider.
        username = claims.get("cognito:username", None if self._companies else claims["sub"])
        if not claims.get("identities") and username == claims["sub"]:
            return claims.get("email_verified") is True
        provider = self._companies.get(provider_of(claims) or "")
        return provider is not None and provider.proves(email)

    async def _redirect(self, request: Request, callback: str, more: Mapping[str, str]) -> Response:
        await self._check_metadata()
        redirect: Response = await self._client.authorize_redirect(request, callback, **more)
        return redirect

    async def _token(self, request: Request) -> dict[str, Any]:
        await self._check_metadata()
        self._check_answerer(request.query_params.get("iss"))
        token: dict[str, Any] = await self._client.authorize_access_token(
            request,
            claims_options={
                "iss": {"essential": True, "value": self._issuer_said},
                "aud": {"essential": True, "value": self._pool.client_id},
            },
        )
        return token

    async def _check_metadata(self) -> None:
        """Read the pool's metadata once. Raises `SignInUnavailableError` if it names another issuer."""
        found = await self._client.load_server_metadata()
        # OpenID Connect Discovery 1.0, section 4.3
        if str(found["issuer"]).rstrip("/") != self._issuer:
            raise SignInUnavailableError("the metadata is of another issuer")
        found["id_token_signing_alg_values_supported"] = list(ALGORITHMS)

    def _check_answerer(self, issuer: str | None) -> None:
        """Raise `SignInRefusedError` if the response comes from another issuer (RFC 9207)."""
        must_say = self._client.server_metadata.get("authorization_response_iss_parameter_supported")
        if issuer is None and not must_say:
            return
        if issuer != self._issuer_said:
            raise SignInRefusedError("the answer is of another issuer")

    @property
    def _issuer_said(self) -> str:
        return str(self._client.server_metadata["issuer"])

    async def _asked(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except SignInRefusedError:
            raise
        except (OAuthError, JoseError) as exc:
            raise SignInRefusedError(str(exc)) from exc
        except Exception as exc:
            # Authlib keeps the response that it read without checking it, so a bad one would stay until a
            # restart.
            self._client = self._registered()
            raise SignInUnavailableError(str(exc)) from exc

    def _registered(self) -> Any:
        return OAuth().register(
            "cognito",
            client_id=self._pool.client_id,
            server_metadata_url=f"{self._issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": SCOPES,
                "code_challenge_method": "S256",
                # A public client: PKCE proves that the client that redeems the code is the one it was issued
                # to.
                "token_endpoint_auth_method": "none",
                "timeout": TIMEOUT_S,
            },
        )
