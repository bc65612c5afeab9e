"""The media providers that have credentials in the secret, and those that need none."""

from collections.abc import Callable, Iterator, Mapping

from tollgate.kit.cache import CachedValue
from tollgate.kit.clock import Clock
from tollgate.providers.runtime.base import MediaProvider
from tollgate.providers.runtime.registry import providers
from tollgate.providers.runtime.secret import REFRESH_MS, Credentials, read_credentials


class Adapters(Mapping[str, MediaProvider]):
    """The adapters of the available providers, by name; each is created at its first use.

    A provider is available if it has credentials, including an address if it is self-hosted, or if it needs
    none.
    """

    def __init__(self, credentials: Mapping[str, Credentials], clock: Clock) -> None:
        self._credentials = credentials
        self._clock = clock
        self._made: dict[str, MediaProvider] = {}

    def __getitem__(self, name: str) -> MediaProvider:
        """Return a provider's adapter. Raises `KeyError`."""
        if name not in self._made:
            if not self._is_there(name):
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return (name for name in providers() if self._is_there(name))

    def __len__(self) -> int:
        """Return the number of available providers."""
        return len(list(iter(self)))

    def _is_there(self, name: str) -> bool:
        declared, found = providers().get(name), self._credentials.get(name)
        if declared is None or declared.key_env is None:
            return declared is not None
        return found is not None and (not declared.self_hosted or bool(found.base_url))

    def _make(self, name: str) -> MediaProvider:
        declared = providers()[name]
        if declared.key_env is None:
            return declared.built_in(self._clock)
        return declared.connect(self._credentials[name].key, self._credentials[name].base_url)


class ProviderSource:
    """The adapters for the secret's credentials, cached for `REFRESH_MS`; `report` is of `CachedValue`."""

    def __init__(
        self, read_secret: Callable[[], str], clock: Clock, report: Callable[[Exception], None] | None = None
    ) -> None:
        self._adapters = CachedValue(
            lambda: Adapters(read_credentials(read_secret()), clock), REFRESH_MS, clock, report
        )

    def providers(self) -> Mapping[str, MediaProvider]:
        """Return the adapters by name. Raises `MalformedSecretError`, but not after a good secret."""
        return self._adapters.get()
