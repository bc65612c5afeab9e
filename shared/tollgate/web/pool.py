"""The settings of Cognito's user pool, and the errors of a sign-in there (`cognito.py`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, HttpUrl


class SignInRefusedError(Exception):
    """The sign-in did not complete: it was refused, expired, or did not start here."""


class SignInUnavailableError(Exception):
    """The user pool did not return a valid response."""


OIDC, SAML = "CompanyOidc", "CompanySaml"
"""The names of companies' providers in the user pool, as in template.yaml."""


@dataclass(frozen=True, slots=True)
class CompanyProvider:
    """A company's sign-in: its name in the pool, the label of its button, the domains that it proves."""

    name: str
    label: str
    domains: frozenset[str]

    def proves(self, email: str) -> bool:
        """Return whether an address that this provider sent is proven: its domain is the company's."""
        return email.rpartition("@")[2] in self.domains


def provider_of(claims: Mapping[str, Any]) -> str | None:
    """Return the name of the one provider through which a person signs in, from the pool's signed claims.

    Source: https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
    A person who is linked to two providers has no single one.
    """
    found = claims.get("identities")
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], Mapping):
        return str(found[0].get("providerName"))
    username = claims.get("cognito:username")
    # Without the claim, the user name begins with the provider's. People of the pool have a UUID.
    name, separator, _ = username.partition("_") if isinstance(username, str) and not found else ("", "", "")
    return next((each for each in (OIDC, SAML) if separator and each.lower() == name.lower()), None)


class PoolSettings(BaseModel):
    """The parameter that template.yaml writes: the issuer of the tokens, and the client at the pool.

    For each kind of a company's provider: the name on its button, empty for none, and the domains of the
    addresses that it proves, separated by commas.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    issuer: HttpUrl
    client_id: str
    domain: HttpUrl
    oidc_name: str = ""
    oidc_domains: str = ""
    saml_name: str = ""
    saml_domains: str = ""

    @property
    def pool_id(self) -> str:
        """Return the id of the user pool, the last part of the issuer."""
        return str(self.issuer).rstrip("/").rpartition("/")[2]

    @property
    def companies(self) -> list[CompanyProvider]:
        """Return the providers of companies."""
        found = ((OIDC, self.oidc_name, self.oidc_domains), (SAML, self.saml_name, self.saml_domains))
        return [
            CompanyProvider(name, label, frozenset(domains.split(",")) - {""})
            for name, label, domains in found
            if label
        ]

    def sign_out_url(self, back: str) -> str:
        """Return the URL that signs the visitor out of the pool and then redirects to the URL `back`."""
        query = urlencode({"client_id": self.client_id, "logout_uri": back})
        return f"{str(self.domain).rstrip('/')}/logout?{query}"
