"""An OpenID Connect provider on loopback, as a Cognito user pool is one: discovery, keys, tokens."""

import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.support.http_server import Received, Reply, http_server

CLIENT_ID = "client-of-ours"
SUBJECT = "11111111-2222-3333-4444-555555555555"
KEY = RSAKey.generate_key(2048, {"kid": "the-key"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "the-key"})
LIFETIME_S = 300


@dataclass
class Issuer:
    """The provider. `claims` take the place of those of a good token, `None` leaves one out; `key` signs it.

    `broken` are answers by path, in the place of good ones; `metadata` changes what discovery says.
    """

    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: KEY)
    algorithm: str = "RS256"
    broken: dict[str, Reply] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    redeemed: list[dict[str, str]] = field(default_factory=list)
    access_token: str = "x"

    def authorize(self, location: str) -> str:
        """Let the visitor in who was sent to `location`; give the query that they come back with."""
        assert location.startswith(f"{self.url}/authorize?")
        self.asked = dict(parse_qsl(urlsplit(location).query))
        return f"code=the-code&state={self.asked['state']}"

    def answer(self, request: Received) -> Reply:
        path = urlsplit(request.path).path
        if path in self.broken:
            return self.broken[path]
        match path:
            case "/.well-known/openid-configuration":
                return _json(
                    {
                        "issuer": self.url,
                        "authorization_endpoint": f"{self.url}/authorize",
                        "token_endpoint": f"{self.url}/token",
                        "jwks_uri": f"{self.url}/keys",
                        "id_token_signing_alg_values_supported": ["RS256"],
                        **self.metadata,
                    }
                )
            case "/keys":
                return _json({"keys": [KEY.as_dict(private=False)]})
            case "/token":
                return self._token({name: one[0] for name, one in parse_qs(request.body.decode()).items()})
        return Reply(404)

    def _token(self, sent: dict[str, str]) -> Reply:
        self.redeemed.append(sent)
        challenge = urlsafe_b64encode(sha256(sent["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if sent["code"] != "the-code" or challenge != self.asked["code_challenge"]:
            return _json({"error": "invalid_grant"}, 400)
        now_s = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": SUBJECT,
            "email": "ada@example.com",
            "nonce": self.asked["nonce"],
            "iat": now_s,
            "exp": now_s + LIFETIME_S,
            **self.claims,
        }
        said = {name: value for name, value in claims.items() if value is not None}
        id_token = self._signed(said)
        return _json({"access_token": self.access_token, "token_type": "Bearer", "id_token": id_token})

    def _signed(self, claims: dict[str, Any]) -> str:
        head = {"alg": self.algorithm, "kid": "the-key"}
        if self.algorithm == "RS256":
            return jwt.encode(head, claims, self.key)
        # Nobody's signature, or one by a secret that everybody knows: the public key.
        parts = [urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, claims)]
        signature = b"" if self.algorithm == "none" else self._by_public_key(b".".join(parts))
        return b".".join([*parts, signature]).decode()

    @staticmethod
    def _by_public_key(text: bytes) -> bytes:
        secret = KEY.as_pem(private=False)
        return urlsafe_b64encode(hmac.digest(secret, text, "sha256")).rstrip(b"=")


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    """Serve one."""
    issuer = Issuer()
    with http_server(issuer.answer) as address:
        issuer.url = address.removesuffix("/hook")
        yield issuer


def _json(content: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(content).encode(), {"content-type": "application/json"})
