"""The names by which a model may be asked for: its id, its aliases, and either after a vendor's name. Pure.

A vendor dates its ids (`claude-haiku-4-5-20251001`), gateways write `vendor/model` and dots for dashes
(`anthropic/claude-haiku-4.5` on OpenRouter, `xai/grok-4.7` in LiteLLM), and people type capitals. All of it
is data, `aliases` and `vendorNames`; upper and lower case are the same. The answer always names the id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tollgate.catalog.nearest import nearest
from tollgate.kit.problems import shortened

# Longer names are not looked up, because no model has one.
MAX_CHARS = 128

Raw = Mapping[str, Any]


def names_of(model_id: str, aliases: Sequence[str], vendor_names: Sequence[str]) -> Iterator[str]:
    """Return every name of one model, its id first; in lower case."""
    own = [model_id, *aliases]
    yield from (name.casefold() for name in own)
    for vendor in vendor_names:
        yield from (f"{vendor}/{name}".casefold() for name in own)


def index(models: Iterable[Raw]) -> dict[str, str]:
    """Return, by name, the id of the model that has it; `name_conflicts` sees to it that there is one."""
    return {name: raw["id"] for raw in models for name in _names(raw)}


def name_conflicts(models: Iterable[Raw]) -> list[str]:
    """Return the conflicts between the names of all models: each name that two models share."""
    owners: dict[str, str] = {}
    found = []
    for raw in models:
        for name in _names(raw):
            # A name of two models would charge by the price of whichever was read last.
            if (owner := owners.setdefault(name, raw["id"])) != raw["id"]:
                found.append(f"{raw['id']}: aliases: {name!r} is a name of {owner} too")
    return found


def _names(raw: Raw) -> Iterator[str]:
    return names_of(raw["id"], raw.get("aliases", []), raw.get("vendorNames", []))


def unknown(name: str, ids: Iterable[str], where: str, kind: str = "model") -> str:
    """Return the message for an unknown `name`: the id that may be meant, and `where` all ids are listed."""
    shown = f" {shortened(name)!r}" if name and name.isprintable() else ""
    meant = nearest(name.rpartition("/")[2], tuple(ids))
    hint = "" if meant is None else f" Did you mean {meant!r}?"
    return f"Unknown {kind}{shown}.{hint} GET {where} lists the models."
