"""The key that signs seals: Ed25519, made from a secret. Pure.

The secret is a random text, which CloudFormation makes. Another secret is another key with another id.
Earlier keys stay published.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tollgate.seals.models import PublicKey, thumbprint
from tollgate.seals.verification import canonical

# Keeps the key apart from any other use of the same secret.
_PURPOSE = b"tollgate ledger seals v1\n"


class SigningKey:
    """Signs seals."""

    def __init__(self, secret: str) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(sha256(_PURPOSE + secret.encode()).digest())
        x = _encoded(self._key.public_key().public_bytes_raw())
        self.public = PublicKey(thumbprint(x), x)

    def sign(self, payload: dict[str, object]) -> str:
        """Return the signature of a payload in its canonical form, in base64url."""
        return _encoded(self._key.sign(canonical(payload)))


def _encoded(found: bytes) -> str:
    return urlsafe_b64encode(found).decode().rstrip("=")
