"""A provider's handling of data as the API shows it. Pure; text loads it, so it needs no pydantic."""

from tollgate.kit.response_shapes import Date, Shape
from tollgate.routing.facts import DataPolicy, Fact


class FactView(Shape):
    """A fact about a provider, with its public source and the day on which that was read."""

    value: str | bool
    source: str
    asOf: Date


class RetentionView(Shape):
    """How long a provider keeps prompts and results. 0 hours: not at all; null: for an unknown time."""

    hours: int | None
    source: str
    asOf: Date


class DataPolicyView(Shape):
    """A provider's handling of data under its default terms. Null means unknown, and never \"no\"."""

    region: FactView | None
    """A country's code."""
    retention: RetentionView | None
    training: FactView | None
    """Whether it may train models with prompts and results."""
    passesWishes: FactView | None
    """True if it chooses among other companies, and only among those that fulfil `zdr` and
    `data_collection`."""


def data_policy_view(data: DataPolicy) -> DataPolicyView:
    """Return a provider's handling of data as the API shows it."""
    kept = data.kept
    return {
        "region": _fact(data.region),
        "retention": None
        if kept is None
        else {"hours": kept.value.hours, "source": kept.source, "asOf": kept.as_of},
        "training": _fact(data.trains),
        "passesWishes": _fact(data.passes_wishes),
    }


def _fact(fact: Fact[str] | Fact[bool] | None) -> FactView | None:
    return None if fact is None else {"value": fact.value, "source": fact.source, "asOf": fact.as_of}
