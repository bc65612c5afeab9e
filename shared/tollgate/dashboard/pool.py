"""Cognito's user pool as a setting, and what may become of a sign-in there (`cognito.py`)."""

from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, HttpUrl


class SignInRefusedError(Exception):
    """The sign-in did not come to its end: refused there, too late, or not begun here."""


class SignInUnavailableError(Exception):
    """The user pool did not answer as one does."""


class PoolSettings(BaseModel):
    """What template.yaml writes into the parameter: whose tokens we take, and as which client."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: HttpUrl
    client_id: str
    domain: HttpUrl

    def sign_out_url(self, back: str) -> str:
        """Return where the pool forgets the visitor too, and then sends them to the URL `back`."""
        query = urlencode({"client_id": self.client_id, "logout_uri": back})
        return f"{str(self.domain).rstrip('/')}/logout?{query}"
