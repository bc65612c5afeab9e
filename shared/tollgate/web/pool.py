"""The settings of Cognito's user pool, and the errors of a sign-in there (`cognito.py`)."""

from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, HttpUrl


class SignInRefusedError(Exception):
    """The sign-in did not complete: it was refused, expired, or did not start here."""


class SignInUnavailableError(Exception):
    """The user pool did not return a valid response."""


class PoolSettings(BaseModel):
    """The parameter that template.yaml writes: the issuer of the tokens, and the client at the pool."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: HttpUrl
    client_id: str
    domain: HttpUrl

    def sign_out_url(self, back: str) -> str:
        """Return the URL that signs the visitor out of the pool and then redirects to the URL `back`."""
        query = urlencode({"client_id": self.client_id, "logout_uri": back})
        return f"{str(self.domain).rstrip('/')}/logout?{query}"
