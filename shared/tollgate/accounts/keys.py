"""API keys: `tg_live_<id>_<secret><checksum>`. Pure functions; only a hash is ever stored.

Source: site/keys.md.

The secret has 192 bits from the system's generator, so one round of SHA-256 is enough to store it. The
checksum allows a wrong key to be refused, and a leaked key to be recognised, without a database read.
"""

import hashlib
import hmac
import secrets
import string
import zlib
from dataclasses import dataclass

from ulid import ULID

PREFIX = "tg_live_"

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SECRET_CHARACTERS = 33  # 62^33 is just above 2^196
CHECKSUM_CHARACTERS = 6  # 62^6 is above 2^32, a CRC-32 fits
_ID_CHARACTERS = 26  # a ULID
_ID_PREFIX = "key_"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A fresh key.

    `text` is the key itself, which its customer sees only once. Stored are its id, which is also part of the
    text, and the `digest` (SHA-256): a reader of the table cannot use any key.
    """

    key_id: str
    text: str
    digest: str


def new_key(key_id: str | None = None) -> NewKey:
    """Generate a key from the system's random generator; with `key_id`, a new secret of that key."""
    secret = "".join(secrets.choice(_ALPHABET) for _ in range(_SECRET_CHARACTERS))
    return _key(f"{_ID_PREFIX}{ULID()}" if key_id is None else key_id, secret)


def derived_key(key_id: str, secret: str) -> NewKey:
    """Return the key that is derived from an id and a secret of this service: always the same key."""
    number = int.from_bytes(hmac.digest(secret.encode(), key_id.encode(), "sha256"))
    characters = []
    for _ in range(_SECRET_CHARACTERS):
        number, position = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[position])
    return _key(key_id, "".join(characters))


def _key(key_id: str, secret: str) -> NewKey:
    body = f"{PREFIX}{key_id.removeprefix(_ID_PREFIX)}_{secret}"
    text = body + checksum(body)
    return NewKey(key_id, text, digest(text))


def visible_prefix(key_id: str) -> str:
    """Return the start of a key, by which its owner recognises it; it contains no part of its secret."""
    return PREFIX + key_id.removeprefix(_ID_PREFIX)


def key_id_of(text: str) -> str | None:
    """Return the id inside a well-formed key, or `None` if it cannot be a key of this service."""
    if not text.startswith(PREFIX) or not text.isascii():
        return None
    ulid, _, secret = text[len(PREFIX) :].partition("_")
    well_formed = len(ulid) == _ID_CHARACTERS and len(secret) == _SECRET_CHARACTERS + CHECKSUM_CHARACTERS
    body = text[:-CHECKSUM_CHARACTERS]
    if not well_formed or not hmac.compare_digest(checksum(body), text[-CHECKSUM_CHARACTERS:]):
        return None
    return _ID_PREFIX + ulid


def digest(text: str) -> str:
    """Return the hash that is stored instead of a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def matches(text: str, stored_digest: str) -> bool:
    """Compare a key with a stored hash in constant time."""
    return hmac.compare_digest(digest(text), stored_digest)


def checksum(body: str) -> str:
    """Return the characters at the end of a key that prove that the rest is complete."""
    rest, characters = zlib.crc32(body.encode()), []
    for _ in range(CHECKSUM_CHARACTERS):
        rest, position = divmod(rest, len(_ALPHABET))
        characters.append(_ALPHABET[position])
    return "".join(characters)
