"""What differs between two catalogs, model by model and down to the field. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

# What the entries of a list go by: prices and extras have a key, routes a provider.
NAMES = ("key", "provider")


@dataclass(frozen=True, slots=True)
class Change:
    """A field of a model that is not the same in both.

    A side is `None` where the field is not there.
    """

    path: str
    live: Any
    shipped: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """The models that only one of two catalogs has, and the changes of those that both have."""

    only_live: list[str]
    only_shipped: list[str]
    changed: dict[str, list[Change]]

    @property
    def is_same(self) -> bool:
        """Return whether nothing differs."""
        return not (self.only_live or self.only_shipped or self.changed)

    def view(self) -> dict[str, Any]:
        """Return it as it is shown to programs."""
        return {
            "same": self.is_same,
            "onlyLive": self.only_live,
            "onlyShipped": self.only_shipped,
            "changed": {
                model_id: [asdict(change) for change in changes] for model_id, changes in self.changed.items()
            },
        }


def compare_catalogs(live: Mapping[str, Any], shipped: Mapping[str, Any]) -> Comparison:
    """Compare two catalogs, each the data of its models by id."""
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

    No field of a catalog has a null that means more than its absence.
    """
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            yield from _fields(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        named = _named(value)
        # Their order is a field of its own: the first route is the first to be asked.
        yield path, [*named]
        yield from _fields(named, path)
    else:
        yield path, value


def _named(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the entries by what they go by, else by their number; the second of a name is `name#2`."""
    found: dict[str, Mapping[str, Any]] = {}
    for number, entry in enumerate(entries, 1):
        name = str(next((entry[name] for name in NAMES if name in entry), number))
        found[f"{name}#{number}" if name in found else name] = entry
    return found
