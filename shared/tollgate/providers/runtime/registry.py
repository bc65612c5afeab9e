"""The existing media providers: every folder of `providers/media/` that declares one. No list of names."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from tollgate.providers import media
from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.runtime.declaration import Provider


@cache
def providers() -> Mapping[str, Provider]:
    """Return the declared providers by name."""
    packages = [import_module(f"{media.__name__}.{found.name}") for found in iter_modules(media.__path__)]
    return MappingProxyType({one.PROVIDER.name: one.PROVIDER for one in packages})


def mapper_of(provider: str, mapping: str) -> Mapper | None:
    """Return the mapper of a provider for a mapping; `None` if it has none."""
    declared = providers().get(provider)
    return None if declared is None else declared.mappers().get(mapping)


class MappingNames(Mapping[str, Collection[str]]):
    """The names of the mappings of each provider's adapter (for `Catalog.with_live`).

    A provider's mappings are imported at their first use, so a function with one model imports only a few.
    """

    def __getitem__(self, name: str) -> Collection[str]:
        """Return the mappings of a provider. Raises `KeyError`."""
        return providers()[name].mappers().keys()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the providers."""
        return iter(providers())

    def __len__(self) -> int:
        """Return the number of providers."""
        return len(providers())
