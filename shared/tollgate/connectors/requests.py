"""The authorization request of a client: what it asks for, and where the answer goes. Pure.

Sources: RFC 6749 (4.1.1), RFC 7636 (4.3), RFC 8707 (2) and RFC 9207 (2).
"""

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from tollgate.accounts.scopes import Scope
from tollgate.connectors.clients import Client, is_loopback, shown_host
from tollgate.connectors.errors import OAuthError, UntrustedRequestError
from tollgate.connectors.metadata import SCOPES

# A base64url SHA-256 has 43 characters. A verifier has 43 to 128 (RFC 7636, section 4.1).
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")
MAX_STATE_LENGTH = 1_000
_FIELDS = (
    *("client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"),
    *("state", "scope", "resource"),
)


class Sent(Protocol):
    """The fields of a query or a form, of which each can be there several times."""

    def get(self, key: str, /) -> str | None:
        """Return the last value of a field, or `None`."""

    def getlist(self, key: str, /) -> list[str]:
        """Return all values of a field."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A client's request, with the client and the address for the answer, both checked.

    `challenge` is the SHA-256 of the verifier, and `issuer` this service. `problem` is the reason for a
    refusal of all else in the request.
    """

    client: Client
    redirect_uri: str
    fields: Mapping[str, str]
    issuer: str
    challenge: str = ""
    scopes: frozenset[Scope] = frozenset()
    problem: OAuthError | None = None

    @property
    def host(self) -> str:
        """Return the host to which the person is sent back."""
        return shown_host(self.redirect_uri)

    @property
    def is_local(self) -> bool:
        """Return whether the person is sent back to a program on their own machine."""
        return is_loopback(self.redirect_uri)

    def accepted(self, code: str) -> str:
        """Return the address that gives the client a code."""
        return self._answer({"code": code})

    def refused(self, problem: OAuthError | None = None) -> str:
        """Return the address that tells the client why there is no code; by default, the person declined."""
        found = problem or OAuthError("access_denied", "The person declined.")
        return self._answer(found.body())

    def _answer(self, values: Mapping[str, str]) -> str:
        state = {"state": self.fields["state"]} if "state" in self.fields else {}
        query = urlencode({**values, **state, "iss": self.issuer})
        return f"{self.redirect_uri}{'&' if urlsplit(self.redirect_uri).query else '?'}{query}"


def read_request(
    sent: Sent, find: Callable[[str], Client], issuer: str, resource: str
) -> AuthorizationRequest:
    """Return the request in the fields of a query. `find` returns the client with an id.

    Raises `UntrustedRequestError` if the client or its address is unknown. The `problem` of the request has
    all other errors, because the client should learn about these.
    """
    fields = {name: text for name in _FIELDS if (text := sent.get(name)) is not None}
    twice = [name for name in _FIELDS if len(sent.getlist(name)) > 1]
    if twice:
        raise UntrustedRequestError(f"The app sent {twice[0]} more than once.")
    client = find(fields.get("client_id", ""))
    redirect_uri = client.redirect_uri(fields.get("redirect_uri"))
    if len(fields.get("state", "")) > MAX_STATE_LENGTH:
        raise UntrustedRequestError(f"The app sent a state of more than {MAX_STATE_LENGTH} characters.")
    try:
        scopes = _checked(fields, resource)
    except OAuthError as problem:
        return AuthorizationRequest(client, redirect_uri, fields, issuer, problem=problem)
    return AuthorizationRequest(client, redirect_uri, fields, issuer, fields["code_challenge"], scopes)


def _checked(fields: Mapping[str, str], resource: str) -> frozenset[Scope]:
    """Return the requested scopes. Raises `OAuthError`."""
    if fields.get("response_type") != "code":
        raise OAuthError("unsupported_response_type", "response_type must be code.")
    if fields.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(
        fields.get("code_challenge", "")
    ):
        message = "PKCE is required: code_challenge_method S256, and a code_challenge of 43 characters."
        raise OAuthError("invalid_request", message)
    check_resource(fields.get("resource"), resource)
    return read_scopes(fields.get("scope"))


def check_resource(sent: str | None, resource: str) -> None:
    """Raise `OAuthError` if a client asks for the token of another service.

    Clients before 2025 send no resource. The case of the host and a slash at the end do not matter.
    """
    if sent is not None and _canonical(sent) != _canonical(resource):
        raise OAuthError("invalid_target", f"resource must be {resource}.")


def read_scopes(text: str | None) -> frozenset[Scope]:
    """Return the scopes in a `scope` field; without one, all that a connector may have.

    Raises `OAuthError`.
    """
    known = {str(scope) for scope in SCOPES}
    words = (text or "").split(" ") if text else sorted(known)
    if not known.issuperset(words):
        raise OAuthError("invalid_scope", f"scope may contain {' and '.join(sorted(known))}.")
    return frozenset(Scope(word) for word in words)


def is_proof(verifier: str, challenge: str) -> bool:
    """Return whether a verifier proves that a request is of the client that sent the challenge (S256)."""
    digest = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
    return _VERIFIER.fullmatch(verifier) is not None and hmac.compare_digest(digest, challenge)


def _canonical(uri: str) -> str:
    parts = urlsplit(uri)
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl().rstrip("/")
