"""Clients that describe themselves: their id is the address of a JSON document.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-02. The address is
the client's choice, so the document is fetched by the guarded client, without redirects.
"""

import json
from typing import Any

import httpx

from tollgate.connectors.clients import MAX_CLIENT_ID_LENGTH, Client, parts_of, read_metadata, shown_host
from tollgate.connectors.errors import OAuthError, UntrustedRequestError
from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.http.addresses import ForbiddenAddressError
from tollgate.kit.http.outbound import Outbound

TIMEOUT_S = 5.0
# The draft recommends 5 KB.
MAX_DOCUMENT_BYTES = 10 * 1024
CACHE_MS = 5 * 60 * MS_PER_S
MAX_CACHED = 200
OK = 200


class Documents:
    """Fetches the documents of clients, and keeps them for five minutes."""

    def __init__(self, outbound: Outbound, clock: Clock) -> None:
        self._outbound = outbound
        self._clock = clock
        self._known: BoundedCache[tuple[int, Client]] = BoundedCache(MAX_CACHED)

    def find(self, client_id: str) -> Client:
        """Return the client that the document at `client_id` describes. Raises `UntrustedRequestError`."""
        known = self._known.get(client_id)
        if known is not None and self._clock.now_ms() < known[0]:
            return known[1]
        _check_address(client_id)
        client = client_of(client_id, self._fetched(client_id))
        self._known[client_id] = (self._clock.now_ms() + CACHE_MS, client)
        return client

    def _fetched(self, client_id: str) -> bytes:
        try:
            answer = self._outbound.get(
                client_id, {"accept": "application/json"}, TIMEOUT_S, MAX_DOCUMENT_BYTES + 1
            )
        except (ForbiddenAddressError, httpx.TransportError) as exc:
            raise UntrustedRequestError("The description of the app could not be fetched.") from exc
        if answer.status != OK or len(answer.body) > MAX_DOCUMENT_BYTES:
            raise UntrustedRequestError("The description of the app could not be fetched.")
        return answer.body


def client_of(client_id: str, document: bytes) -> Client:
    """Return the client that a document describes. Raises `UntrustedRequestError`.

    A client that says how it proves itself by a key or a secret is refused, because no proof is checked here.
    """
    try:
        found: Any = json.loads(document)
        if not isinstance(found, dict) or found.get("client_id") != client_id:
            raise UntrustedRequestError("The description of the app is of another app.")
        if found.get("token_endpoint_auth_method", "none") != "none":
            raise UntrustedRequestError("The app requires a client secret or key, which is not supported.")
        name, uris = read_metadata(found)
    except (ValueError, RecursionError, OAuthError) as exc:
        raise UntrustedRequestError("The description of the app is not valid.") from exc
    return Client(client_id, name, tuple(uris), shown_host(client_id))


def _check_address(client_id: str) -> None:
    parts = parts_of(client_id) if len(client_id) <= MAX_CLIENT_ID_LENGTH else None
    segments = parts.path.split("/") if parts is not None else []
    if parts is None or parts.path in ("", "/") or "." in segments or ".." in segments:
        raise UntrustedRequestError("The address of the app's description is not valid.")
