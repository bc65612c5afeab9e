"""What is known about a provider: its names, its region, and its handling of data. Pure.

Every fact has its source and the day on which it was read. A fact that is missing is unknown, and a wish
that depends on it excludes the provider.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_NOT_LETTERS = re.compile(r"[^a-z0-9]")

FactT = TypeVar("FactT")


@dataclass(frozen=True, slots=True)
class Fact(Generic[FactT]):
    """A value with its public source, and the day on which that was read."""

    value: FactT
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Kept:
    """How long prompts and answers are kept. 0 hours: not at all; `None`: for an unknown time."""

    hours: int | None


@dataclass(frozen=True, slots=True)
class DataPolicy:
    """A provider's handling of prompts and answers under its default terms. `None` is unknown.

    `region` is a country's code, or `global`. `trains`: it may train models with them. `passes_wishes`: it
    passes requests on to other companies, and only to those that fulfil the wishes about data.
    """

    region: Fact[str] | None = None
    kept: Fact[Kept] | None = None
    trains: Fact[bool] | None = None
    passes_wishes: Fact[bool] | None = None

    @property
    def is_free_of_training(self) -> bool:
        """Return whether it is known that nothing trains a model."""
        return self.keeps_nothing or (self.trains is not None and not self.trains.value)

    @property
    def keeps_nothing(self) -> bool:
        """Return whether it is known that nothing is kept."""
        return self._passes_wishes or (self.kept is not None and self.kept.value.hours == 0)

    @property
    def _passes_wishes(self) -> bool:
        return self.passes_wishes is not None and self.passes_wishes.value


UNKNOWN = DataPolicy()


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """One provider: its name in the catalog, its title, its other names, and its handling of data."""

    name: str
    title: str
    names: tuple[str, ...] = ()
    data: DataPolicy = UNKNOWN


@dataclass(frozen=True, slots=True)
class KnownProviders:
    """The providers of the service, by each of their names."""

    by_name: Mapping[str, ProviderFacts] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the names by their letters."""
        for one in self.by_name.values():
            for name in (one.name, one.title, *one.names):
                self._names[_letters(name)] = one.name

    @classmethod
    def of(cls, providers: Iterable[ProviderFacts]) -> "KnownProviders":
        """Return the index of these providers."""
        return cls({one.name: one for one in providers})

    def named(self, name: str) -> str | None:
        """Return the catalog's name of a provider by any of its names; `None` if it is unknown."""
        return self._names.get(_letters(name))

    def data(self, name: str) -> DataPolicy:
        """Return a provider's handling of data, by the catalog's name."""
        found = self.by_name.get(name)
        return UNKNOWN if found is None else found.data

    def title(self, name: str) -> str:
        """Return a provider's title, by the catalog's name."""
        found = self.by_name.get(name)
        return name if found is None else found.title


NO_PROVIDERS = KnownProviders()


def _letters(name: str) -> str:
    return _NOT_LETTERS.sub("", name.lower())
