"""What is counted, for which account, day and model: the arithmetic of the daily roll-up. Pure."""

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import NamedTuple

from tollgate.kit.clock import utc_day
from tollgate.kit.money import cents_up
from tollgate.kit.shapes import Cents, Date, Shape, TypedDict
from tollgate.ledger.entries import Entry, EntryKind

# The kinds of entries that move a balance; the filter of the ledger's stream names the same.
MOVES = frozenset(set(EntryKind) - {EntryKind.VOID})
# Those of them that statements list one by one: payments, and what an operator did.
LISTED = (EntryKind.CREDIT, EntryKind.DEBIT)
# Those of them that are usage.
COUNTED = (EntryKind.CHARGE, EntryKind.REFUND, EntryKind.TEXT)

# The disjoint counts of a request's input (`text/usage.py`); one that is 0 is not in the entry.
_INPUT = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")


class Bucket(NamedTuple):
    """What one row of the roll-up is for; `day` is a UTC date such as `2026-11-21`."""

    account_id: str
    day: str


class CountsView(Shape):
    """Sums of a period; spent is before refunds."""

    spentCents: Cents
    spentMicroUsd: int
    refundedCents: Cents
    refundedMicroUsd: int
    requests: int
    tasks: int
    inputTokens: int
    outputTokens: int


class Counts(NamedTuple):
    """Sums over entries. Money is in micro-USD and never negative; spent is before refunds.

    Input tokens are all of them, cached or not; output tokens include reasoning.
    """

    spent_micro_usd: int = 0
    refunded_micro_usd: int = 0
    requests: int = 0
    tasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums of both."""
        return Counts(*map(add, self, other))

    def view(self) -> CountsView:
        """Return the counts as the API shows them.

        Cents are rounded up, once, from the sum that they stand beside: parts of a cent are only in text.
        """
        return {
            "spentCents": cents_up(self.spent_micro_usd),
            "spentMicroUsd": self.spent_micro_usd,
            "refundedCents": cents_up(self.refunded_micro_usd),
            "refundedMicroUsd": self.refunded_micro_usd,
            "requests": self.requests,
            "tasks": self.tasks,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
        }


class DayView(CountsView):
    """The sums of a UTC day."""

    date: Date


class ModelCountsView(CountsView):
    """The sums of a model."""

    model: str


class KeyCountsView(CountsView):
    """The sums of an API key."""

    keyId: str
    """The API key that asked; empty for what was asked for in the dashboard."""


# Written as a call: `from` is no name of a field in a class.
StatisticsView = TypedDict(
    "StatisticsView",
    {
        "range": str,
        "from": Date,
        "to": Date,
        "total": CountsView,
        "byDay": list[DayView],
        "byModel": list[ModelCountsView],
        "byKey": list[KeyCountsView],
    },
)


# Counts by the id of a model, or of an API key; what no key asked for, in the dashboard, has the id "".
ByName = dict[str, Counts]


class Moved(NamedTuple):
    """What the entries of one kind moved: their sum, signed as in the ledger, and how many they are."""

    amount_micro_usd: int = 0
    entries: int = 0

    def plus(self, other: "Moved") -> "Moved":
        """Return the sums of both."""
        return Moved(*map(add, self, other))


# What was moved, by the kind of the entries.
ByKind = dict[str, Moved]


class DayCounts(NamedTuple):
    """The counts of one day, once by model and once by API key, and all that was moved.

    `by_kind` is `None` of days that were counted before kinds were; `listed` are the ids of the entries that
    statements list one by one.
    """

    by_model: ByName
    by_key: ByName
    by_kind: ByKind | None = None
    listed: tuple[str, ...] = ()


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum."""
    return reduce(Counts.plus, counts, Counts())


def by_name(counts: Iterable[tuple[str, Counts]]) -> ByName:
    """Return the sums for each name of pairs of a name and counts."""
    sums: ByName = {}
    for name, each in counts:
        sums[name] = sums.get(name, Counts()).plus(each)
    return sums


def by_kind(moved: Iterable[tuple[str, Moved]]) -> ByKind:
    """Return the sums for each kind of pairs of a kind and what was moved."""
    sums: ByKind = {}
    for kind, each in moved:
        sums[kind] = sums.get(kind, Moved()).plus(each)
    return sums


def dearest_first(days: Iterable[ByName]) -> list[tuple[str, Counts]]:
    """Return the sums of several days for each name, what was spent most on first."""
    sums = by_name(pair for counts in days for pair in counts.items())
    return sorted(sums.items(), key=lambda pair: (-pair[1].spent_micro_usd, pair[0]))


def bucket_of(entry: Entry) -> Bucket:
    """Return the bucket of an entry: the UTC day that it was made on, so a refund's is that of the refund."""
    return Bucket(entry.account_id, utc_day(entry.created_at_ms))


def model_of(entry: Entry) -> str:
    """Return the model that an entry is counted for."""
    return entry.model or ""


def key_of(entry: Entry) -> str:
    """Return the API key that an entry is counted for."""
    return entry.key_id or ""


def moved_by(entry: Entry) -> tuple[str, Moved]:
    """Return the kind of an entry, and what it moves."""
    return str(entry.kind), Moved(entry.amount_micro_usd, 1)


def counts_of(entry: Entry) -> Counts:
    """Return what one entry adds. Raises `ValueError` for a kind that is no usage."""
    match entry.kind:
        case EntryKind.CHARGE:
            return Counts(spent_micro_usd=-entry.amount_micro_usd, tasks=1)
        case EntryKind.REFUND:
            return Counts(refunded_micro_usd=entry.amount_micro_usd)
        case EntryKind.TEXT:
            usage = entry.usage or {}
            return Counts(
                spent_micro_usd=-entry.amount_micro_usd,
                requests=1,
                input_tokens=sum(usage.get(name, 0) for name in _INPUT),
                output_tokens=usage.get("output_tokens", 0),
            )
        case _:
            raise ValueError(f"{entry.entry_id} is no usage but a {entry.kind}")
