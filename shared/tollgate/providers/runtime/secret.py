"""Provider credentials: one JSON secret, `{"<provider>": {"key": "…", "baseUrl": "…"?}}`. Pure.

`baseUrl` is for a provider's other regions, and for the simulator.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.clock import MS_PER_S

# The longest time until a changed secret is used.
REFRESH_MS = 300 * MS_PER_S
# The characters of a header. A line break at the end would fail every call, with the key in the error.
KEY = re.compile(r"[\x21-\x7e]+")
# The address of a request: without user, query and fragment.
ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?(?:/[!-\"$->@-~]*)?"
)
_LAST_PORT = 65_535
NAMES = {"key", "baseUrl"}


class MalformedSecretError(Exception):
    """An invalid secret or key; the message contains nothing of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """One provider's key, and its address if it differs from the default. Raises `MalformedSecretError`."""

    key: str = field(repr=False)
    base_url: str | None = None

    def __post_init__(self) -> None:
        """Refuse a key that cannot be sent in a header, and an invalid address."""
        if not isinstance(self.key, str) or not KEY.fullmatch(self.key):
            raise MalformedSecretError("key: must be printable ASCII without spaces")
        if self.base_url is not None and not _is_address(self.base_url):
            raise MalformedSecretError("baseUrl: must be an address that begins with http:// or https://")

    def stored(self) -> dict[str, str]:
        """Return the credentials in the secret's format."""
        address = {} if self.base_url is None else {"baseUrl": self.base_url}
        return {"key": self.key, **address}


def read_credentials(secret: str) -> dict[str, Credentials]:
    """Return the credentials in the secret's text, by provider. Raises `MalformedSecretError`."""
    try:
        found = json.loads(secret)
    except ValueError:
        # `from None`, because the parser's error contains the text.
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
