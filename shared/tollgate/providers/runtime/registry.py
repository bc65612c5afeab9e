"""The media providers there are: every folder of `providers/media/` that declares one. No list of names."""

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
    """Return how a provider says the jobs of a mapping, `None` where it has no word for them."""
    declared = providers().get(provider)
    return None if declared is None else declared.mappers().get(mapping)


class MappingNames(Mapping[str, Collection[str]]):
    """By provider, the names of the mappings that its adapter knows (for `Catalog.with_live`).

    A provider's mappings are imported when it is asked for: a function that serves one model needs one's.
    """

    def __getitem__(self, name: str) -> Collection[str]:
        """Return a provider's; raises `KeyError`."""
        return providers()[name].mappers().keys()

    def __iter__(self) -> Iterator[str]:
        """Go through the providers."""
        return iter(providers())

    def __len__(self) -> int:
        """Return how many providers there are."""
        return len(providers())
