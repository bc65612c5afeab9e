"""Provider credentials: one JSON secret, `{"<provider>": {"key": "…", "baseUrl": "…"?}}`. Pure.

`baseUrl` is for a provider's other regions, and for the simulator on one machine.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.clock import MS_PER_S

# A changed secret is in use at most this much later.
REFRESH_MS = 300 * MS_PER_S
# What a header can carry: a line break at its end would fail every call, with the key in the error.
KEY = re.compile(r"[\x21-\x7e]+")
# What a request can be sent to: no user, no query, no fragment.
ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?(?:/[!-\"$->@-~]*)?"
)
_LAST_PORT = 65_535
NAMES = {"key", "baseUrl"}


class MalformedSecretError(Exception):
    """A secret, or a key, that is none; the message shows nothing of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """One provider's key, and its address where it is not its own. Raises `MalformedSecretError`."""

    key: str = field(repr=False)
    base_url: str | None = None

    def __post_init__(self) -> None:
        """Refuse a key that no header can carry, and an address that no request can be sent to."""
        if not isinstance(self.key, str) or not KEY.fullmatch(self.key):
            raise MalformedSecretError("key: must be printable ASCII without spaces")
        if self.base_url is not None and not _is_address(self.base_url):
            raise MalformedSecretError("baseUrl: must be an address that begins with http:// or https://")

    def stored(self) -> dict[str, str]:
        """Return what stands in the secret."""
        address = {} if self.base_url is None else {"baseUrl": self.base_url}
        return {"key": self.key, **address}


def read_credentials(secret: str) -> dict[str, Credentials]:
    """Return the credentials in the secret's text, by provider. Raises `MalformedSecretError`."""
    try:
        found = json.loads(secret)
    except ValueError:
        # Not as its cause: the parser's error has the text.
        raise MalformedSecretError("not JSON") from None
    if not isinstance(found, dict):
        raise MalformedSecretError("must be an object of credentials by provider")
    return {provider: _credentials(provider, one) for provider, one in found.items()}


def _is_address(given: Any) -> bool:
    found = ADDRESS.fullmatch(given) if isinstance(given, str) else None
    return found is not None and int(found["port"] or 0) <= _LAST_PORT


def _credentials(provider: str, found: Any) -> Credentials:
    if not isinstance(found, dict) or "key" not in found or not found.keys() <= NAMES:
        raise MalformedSecretError(f"{provider}: must have `key`, may have `baseUrl`, and nothing else")
    try:
        return Credentials(key=found["key"], base_url=found.get("baseUrl"))
    except MalformedSecretError as error:
        raise MalformedSecretError(f"{provider}: {error}") from None
