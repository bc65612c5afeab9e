"""The counts of an account, a day and a model: the arithmetic of the daily roll-up. Pure."""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import reduce
from operator import add
from typing import NamedTuple, NotRequired

from tollgate.kit.clock import utc_day
from tollgate.kit.money import cents_up
from tollgate.kit.response_shapes import Cents, Date, Shape, TypedDict
from tollgate.ledger.attribution import NAME_PATTERN, PROJECT, TOKEN, USER
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.trace import Trace

# The kinds of entries that change a balance.
BALANCE_KINDS = frozenset(set(EntryKind) - {EntryKind.VOID})
# The kinds that statements list one by one: payments, and credits and debits by operators.
LISTED = (EntryKind.CREDIT, EntryKind.DEBIT)
# The kinds that are usage.
COUNTED = (EntryKind.CHARGE, EntryKind.REFUND, EntryKind.TEXT)

# The disjoint counts of a request's input (`text/usage.py`). The entry has no count of 0.
WEB_SEARCHES = "web_searches"
INPUT = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")
# The disjoint counts of its output: text with reasoning, and images.
OUTPUT = ("output_tokens", "image_tokens")


MODEL, KEY, MEMBER = "model", "key", "member"
"""Names in `groupBy`, besides the labels."""

TAG = "tag:"
"""Precedes the name of a tag, in `groupBy` and in the rows."""
LABEL = re.compile(rf"{USER}|{PROJECT}|{TOKEN}|{TAG}{NAME_PATTERN}")
LABEL_FORMS = f"{USER}, {PROJECT}, {TOKEN} or {TAG}<name>"


class Bucket(NamedTuple):
    """The key of one row of the roll-up; `day` is a UTC date such as `2026-11-21`."""

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
    webSearches: NotRequired[int]
    """Searches of the web, if there are any."""
    webSearchMicroUsd: NotRequired[int]
    """Their part of the money that was spent."""


class Counts(NamedTuple):
    """Sums over entries. Money is in micro-USD and never negative; spent is before refunds.

    Input tokens are all of them, cached or not; output tokens include reasoning and images. Cached tokens are
    reads. Days before 2026-11-26 have 0 cached and 0 reasoning tokens, because these were not counted. The
    same applies to searches of the web before 2026-11-27; their price is a part of the money that was spent.
    """

    spent_micro_usd: int = 0
    refunded_micro_usd: int = 0
    requests: int = 0
    tasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    web_searches: int = 0
    web_search_micro_usd: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums of both."""
        return Counts(*map(add, self, other))

    def view(self) -> CountsView:
        """Return the counts as the API shows them.

        Cents are rounded up once, from the sum. Only text requests have fractions of a cent.
        """
        shown: CountsView = {
            "spentCents": cents_up(self.spent_micro_usd),
            "spentMicroUsd": self.spent_micro_usd,
            "refundedCents": cents_up(self.refunded_micro_usd),
            "refundedMicroUsd": self.refunded_micro_usd,
            "requests": self.requests,
            "tasks": self.tasks,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
        }
        if self.web_searches:
            shown |= {"webSearches": self.web_searches, "webSearchMicroUsd": self.web_search_micro_usd}
        return shown


class DayView(CountsView):
    """The sums of a UTC day."""

    date: Date


class ModelCountsView(CountsView):
    """The sums of a model."""

    model: str


class KeyCountsView(CountsView):
    """The sums of an API key."""

    keyId: str
    """The API key of the requests; empty for requests from the dashboard."""


class GroupView(CountsView):
    """The sums of one value."""

    value: str
    """A user, a tag's value, or the id of a model, key or member; empty for requests without any."""


# A call, because `from` cannot be the name of a field in a class.
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
        "groupBy": NotRequired[str],
        "groups": NotRequired[list[GroupView]],
        "groupsLeftOut": NotRequired[int],
    },
)


# Counts by the id of a model or an API key; requests from the dashboard have the key id "".
ByName = dict[str, Counts]


class LedgerSum(NamedTuple):
    """The entries of one kind: their sum, signed as in the ledger, and their number."""

    amount_micro_usd: int = 0
    entries: int = 0

    def plus(self, other: "LedgerSum") -> "LedgerSum":
        """Return the sums of both."""
        return LedgerSum(*map(add, self, other))


# Sums by the kind of the entries.
ByKind = dict[str, LedgerSum]


class DayCounts(NamedTuple):
    """The counts of one day: by model, by API key, and by the kind of the entries.

    `by_kind` is `None` for days from before kinds were counted. `listed` are the ids of the entries that
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
    """Return the sums for each name."""
    sums: ByName = {}
    for name, each in counts:
        sums[name] = sums.get(name, Counts()).plus(each)
    return sums


def by_kind(moved: Iterable[tuple[str, LedgerSum]]) -> ByKind:
    """Return the sums for each kind."""
    sums: ByKind = {}
    for kind, each in moved:
        sums[kind] = sums.get(kind, LedgerSum()).plus(each)
    return sums


def by_descending_cost(days: Iterable[ByName]) -> list[tuple[str, Counts]]:
    """Return the sums of several days for each name, the most expensive name first."""
    sums = by_name(pair for counts in days for pair in counts.items())
    return sorted(sums.items(), key=lambda pair: (-pair[1].spent_micro_usd, pair[0]))


def bucket_of(entry: Entry) -> Bucket:
    """Return the bucket of an entry, by its UTC day. A refund counts on its own day."""
    return Bucket(entry.account_id, utc_day(entry.created_at_ms))


def model_of(entry: Entry) -> str:
    """Return the model of an entry in the counts."""
    return entry.model or ""


def key_of(entry: Entry) -> str:
    """Return the API key of an entry in the counts."""
    return entry.key_id or ""


def labels_of(entry: Entry) -> list[tuple[str, str]]:
    """Return the name and the value of each label of an entry: its tags, end user, project and run token."""
    tags = [(f"{TAG}{name}", value) for name, value in (entry.tags or {}).items()]
    others = ((USER, entry.user), (PROJECT, entry.project), (TOKEN, entry.token))
    return [*tags, *((name, value) for name, value in others if value is not None)]


def ledger_sum_of(entry: Entry) -> tuple[str, LedgerSum]:
    """Return the kind of an entry, and its amount."""
    return str(entry.kind), LedgerSum(entry.amount_micro_usd, 1)


def counts_of(entry: Entry) -> Counts:
    """Return the counts of one entry. Raises `ValueError` for a kind that is not usage."""
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
                input_tokens=sum(usage.get(name, 0) for name in INPUT),
                output_tokens=sum(usage.get(name, 0) for name in OUTPUT),
                cached_tokens=usage.get("cache_read_tokens", 0),
                reasoning_tokens=usage.get("reasoning_tokens", 0),
                web_searches=searches_of(entry),
                web_search_micro_usd=searches_micro_usd(entry),
            )
        case _:
            raise ValueError(f"{entry.entry_id} is no usage but a {entry.kind}")


def searches_micro_usd(entry: Entry) -> int:
    """Return the part of a text request's charge that its searches of the web have."""
    price = web_search_micro_usd(entry)
    return 0 if price is None else min(int(searches_of(entry) * price), -entry.amount_micro_usd)


def searches_of(entry: Entry) -> int:
    """Return the searches of the web of a text request."""
    return int((entry.usage or {}).get(WEB_SEARCHES, 0))


def web_search_micro_usd(entry: Entry) -> Decimal | None:
    """Return the price of a search of the web in a text request; `None` if it has no search."""
    price = Trace.from_item(entry.trace or {}).prices.get(WEB_SEARCHES)
    # US dollars per million searches are micro-USD per search.
    return None if price is None else Decimal(price)
