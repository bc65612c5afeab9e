"""The body of a response that caches may keep, with its ETag. Pure."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

ETAG_CHARS = 32


@dataclass(frozen=True, slots=True)
class CachedBody:
    """The bytes of a body, most often JSON, and their strong ETag, quotes included."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, content: Any) -> "CachedBody":
        """Return the page of something that JSON can hold; the same content has the same ETag."""
        return cls.of_bytes(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())

    @classmethod
    def of_bytes(cls, body: bytes) -> "CachedBody":
        """Return the page of a body."""
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:ETAG_CHARS]}"')

    def matches(self, if_none_match: str | None) -> bool:
        """Return whether a client that sent this `If-None-Match` has the page already (RFC 9110, 13.1.2)."""
        if if_none_match is None:
            return False
        known = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
        return "*" in known or self.etag in known
