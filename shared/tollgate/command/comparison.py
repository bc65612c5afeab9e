"""The differences between two catalogs, by model and field. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

# Entries of a list are matched by these fields: prices and extras have a key, routes a provider.
NAMES = ("key", "provider")


@dataclass(frozen=True, slots=True)
class Change:
    """A field of a model that differs.

    A side is `None` if it lacks the field.
    """

    path: str
    live: Any
    shipped: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """The models of only one catalog, and the changes of models in both."""

    only_live: list[str]
    only_shipped: list[str]
    changed: dict[str, list[Change]]

    @property
    def is_same(self) -> bool:
        """Return whether the catalogs are equal."""
        return not (self.only_live or self.only_shipped or self.changed)

    def view(self) -> dict[str, Any]:
        """Return the comparison for `--json`."""
        return {
            "same": self.is_same,
            "onlyLive": self.only_live,
            "onlyShipped": self.only_shipped,
            "changed": {
                model_id: [asdict(change) for change in changes] for model_id, changes in self.changed.items()
            },
        }


def compare_catalogs(live: Mapping[str, Any], shipped: Mapping[str, Any]) -> Comparison:
    """Compare two catalogs, each a mapping of model id to data."""
    both = sorted(live.keys() & shipped.keys())
    changed = {model_id: _changes(live[model_id], shipped[model_id]) for model_id in both}
    return Comparison(
        only_live=sorted(live.keys() - shipped.keys()),
        only_shipped=sorted(shipped.keys() - live.keys()),
        changed={model_id: changes for model_id, changes in changed.items() if changes},
    )


def _changes(live: Any, shipped: Any) -> list[Change]:
    before, after = dict(_fields(live, "")), dict(_fields(shipped, ""))
    return [
        Change(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


def _fields(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Return every field below `value` with its path; a list of plain values is one field.

    A null means the same as a missing field in every catalog.
    """
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            yield from _fields(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        named = _named(value)
        # The order is a separate field, because the first route is tried first.
        yield path, [*named]
        yield from _fields(named, path)
    else:
        yield path, value


def _named(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the entries by key or provider, or else by number. A repeated name gets a suffix: `name#2`."""
    found: dict[str, Mapping[str, Any]] = {}
    for number, entry in enumerate(entries, 1):
        name = str(next((entry[name] for name in NAMES if name in entry), number))
        found[f"{name}#{number}" if name in found else name] = entry
    return found
