"""OAuth clients, and the addresses to which their answers may go. Pure.

A registered client is not stored. Its id contains its name and addresses, signed by this service (RFC 7591,
appendix A.5.2). So registrations cost no storage, no matter how many there are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import SplitResult, urlsplit

from itsdangerous import BadData, URLSafeSerializer

from tollgate.accounts.key_request import INVISIBLE_JOINERS
from tollgate.connectors.errors import OAuthError, UntrustedRequestError
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S

# Longer than the longest connection, so that a client does not lose its id before its tokens.
REGISTRATION_MS = 400 * MS_PER_DAY
MAX_NAME_LENGTH = 60
MAX_REDIRECT_URIS = 10
MAX_REDIRECT_LENGTH = 400
MAX_CLIENT_ID_LENGTH = 2_000
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DOCUMENT = "https://"
# RFC 3986 without "#": a browser reads other characters, such as a backslash, in its own way.
_URI = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.\-]*[a-z0-9])?|::1")
_SALT = "connector client"


@dataclass(frozen=True, slots=True)
class Client:
    """An OAuth client. Its `name` is its own claim.

    `host` is the host of the document in which the client describes itself, or `None` for a registered one.
    """

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]
    host: str | None = None

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the id, which is stored instead of the id."""
        return digest_of(self.client_id)

    def redirect_uri(self, sent: str | None) -> str:
        """Return the address for the answer. It must match an address of the client exactly.

        On this machine any port is allowed (RFC 8252, section 7.3). Raises `UntrustedRequestError`.
        """
        if sent is None and len(self.redirect_uris) == 1:
            return self.redirect_uris[0]
        if sent is None or not (sent in self.redirect_uris or self._has_loopback(sent)):
            message = "The app asks to be answered at an address that it has not registered."
            raise UntrustedRequestError(message)
        return sent

    def _has_loopback(self, sent: str) -> bool:
        if not is_redirect_uri(sent) or not is_loopback(sent):
            return False
        return any(is_loopback(each) and _any_port(each) == _any_port(sent) for each in self.redirect_uris)


class Registry:
    """Registers clients. `secret` signs their ids and is known only to this service."""

    def __init__(self, secret: str) -> None:
        self._signed = URLSafeSerializer(secret, _SALT, signer_kwargs={"digest_method": sha256})

    def register(self, body: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
        """Return the response to a registration (RFC 7591, section 3.2.1). Raises `OAuthError`."""
        name, uris = read_metadata(body)
        until_s = (now_ms + REGISTRATION_MS) // MS_PER_S
        client_id = self._signed.dumps({"n": name, "r": uris, "e": until_s})
        text = client_id if isinstance(client_id, str) else client_id.decode()
        if len(text) > MAX_CLIENT_ID_LENGTH:
            raise OAuthError("invalid_redirect_uri", "The redirect_uris are too long together.")
        return {
            "client_id": text,
            "client_id_issued_at": now_ms // MS_PER_S,
            "client_name": name,
            "redirect_uris": uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }

    def find(self, client_id: str, now_ms: int) -> Client:
        """Return the registered client with this id. Raises `UntrustedRequestError`."""
        is_possible = client_id.isascii() and len(client_id) <= MAX_CLIENT_ID_LENGTH
        try:
            found = self._signed.loads(client_id) if is_possible else None
        except BadData:
            found = None
        if found is None or found["e"] * MS_PER_S <= now_ms:
            raise UntrustedRequestError("The app is not registered here, or its registration has expired.")
        return Client(client_id, found["n"], tuple(found["r"]))


def read_metadata(body: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return a client's name and addresses from its metadata (RFC 7591, section 2).

    A client without a name has the host of its first address. Raises `OAuthError`.
    """
    uris = body.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= MAX_REDIRECT_URIS:
        raise OAuthError("invalid_redirect_uri", f"redirect_uris must list 1 to {MAX_REDIRECT_URIS} URLs.")
    for n, uri in enumerate(uris):
        if not isinstance(uri, str) or not is_redirect_uri(uri):
            message = (
                f"redirect_uris/{n} must be an https URL, or an http URL of localhost, without a fragment."
            )
            raise OAuthError("invalid_redirect_uri", message)
    grants = body.get("grant_types", ["authorization_code"])
    if not isinstance(grants, list) or "authorization_code" not in grants:
        raise OAuthError("invalid_client_metadata", "grant_types must contain authorization_code.")
    return _name(body.get("client_name")) or shown_host(uris[0]), uris


def is_document(client_id: str) -> bool:
    """Return whether a client's id is the address of a document that describes the client."""
    return client_id.startswith(_DOCUMENT)


def is_redirect_uri(uri: str) -> bool:
    """Return whether an address may receive codes: https, or http on the person's own machine."""
    parts = parts_of(uri) if len(uri) <= MAX_REDIRECT_LENGTH else None
    if parts is None:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def is_loopback(uri: str) -> bool:
    """Return whether an address is on the person's own machine."""
    return urlsplit(uri).hostname in LOOPBACK


def shown_host(uri: str) -> str:
    """Return the host of an address, with its port, if it has one."""
    return urlsplit(uri).netloc


def parts_of(uri: str) -> SplitResult | None:
    """Return the parts of an address with a host, without a user and a fragment; `None` for any other."""
    if not _URI.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    is_plain = host is not None and _HOST.fullmatch(host) is not None and "@" not in parts.netloc
    return parts if is_plain else None


def digest_of(client_id: str) -> str:
    """Return the SHA-256 of a client's id."""
    return sha256(client_id.encode()).hexdigest()


def _any_port(uri: str) -> tuple[str, str | None, str, str]:
    parts = urlsplit(uri)
    return parts.scheme, parts.hostname, parts.path, parts.query


def _name(value: object) -> str:
    """Return a name without surrounding spaces; nothing for an invisible one. Raises `OAuthError`."""
    if value is None:
        return ""
    name = value.strip() if isinstance(value, str) else "\n"
    # Not printable are also the characters that change the direction of a text.
    if not INVISIBLE_JOINERS.sub("", name).isprintable() or len(name) > MAX_NAME_LENGTH:
        message = f"client_name must have at most {MAX_NAME_LENGTH} printable characters."
        raise OAuthError("invalid_client_metadata", message)
    return INVISIBLE_JOINERS.sub("", name)
