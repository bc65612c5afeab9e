"""The media providers that have credentials, read from the secret, and the one that needs none."""

from collections.abc import Callable

from tollgate.kit.clock import Clock
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.media.test.media import MediaTestProvider
from tollgate.providers.runtime.base import MediaProvider
from tollgate.providers.runtime.registry import make_providers
from tollgate.providers.runtime.secret import REFRESH_MS, read_credentials


class ProviderSource:
    """The providers that have credentials, made from the secret and remembered for a while."""

    def __init__(self, read_secret: Callable[[], str], clock: Clock) -> None:
        self._read_secret = read_secret
        self._clock = clock
        self._providers: dict[str, MediaProvider] = {}
        self._read_at_ms: int | None = None

    def providers(self) -> dict[str, MediaProvider]:
        """Return the providers by name. Raises pydantic's `ValidationError` for a malformed secret."""
        now_ms = self._clock.now_ms()
        if self._read_at_ms is None or now_ms - self._read_at_ms >= REFRESH_MS:
            found = read_credentials(self._read_secret())
            keys = {name: credentials.key for name, credentials in found.items()}
            urls = {name: entry.base_url for name, entry in found.items() if entry.base_url}
            self._providers = {**make_providers(keys, urls), TEST: MediaTestProvider(self._clock)}
            self._read_at_ms = now_ms
        return self._providers
