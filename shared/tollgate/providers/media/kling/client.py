"""Kling's HTTP API with both kinds of credentials."""

import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from tollgate.providers.media.kling import facts
from tollgate.providers.runtime.http import ProviderHttp


class KlingHttp(ProviderHttp):
    """The API with a key: an API key of the console, or a pair `<access key>:<secret key>`.

    A token of a pair is valid for half an hour, so each call has a new one.
    """

    def fresh_headers(self) -> Mapping[str, str]:
        """Return the header with the token."""
        return {"authorization": f"Bearer {bearer(self.key, int(time.time()))}"}


def bearer(key: str, now_s: int) -> str:
    """Return the bearer token: the key itself, or for a pair a JSON Web Token (RFC 7519, HS256)."""
    access_key, _, secret_key = key.partition(facts.PAIR_MARK)
    if not secret_key:
        return key
    claims = {"iss": access_key, "exp": now_s + facts.TOKEN_S, "nbf": now_s - facts.SKEW_S}
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    return f"{signed}.{_encoded(hmac.digest(secret_key.encode(), signed.encode(), 'sha256'))}"


def _part(value: Mapping[str, Any]) -> str:
    return _encoded(json.dumps(value, separators=(",", ":")).encode())


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
