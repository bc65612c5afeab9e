"""The daily roll-up in DynamoDB: a row for each account and day, and a mark for each entry that is in it.

    2026-11-21                     the day: its models, keys and kinds
    user#2026-11-21#alice          an end user's day
    tag:team#2026-11-21#search     a day of a tag's value

A row has three texts: the counts by model, the counts by API key, and the sums by kind. So 30 days are 30
small rows with any amount of usage. A row is written in one transaction with the marks of its new entries.
So each entry counts exactly once, in any order and with any number of repeats (decision 0021). End users and
the values of a tag can be many, so each has its own rows, to which the same transaction adds.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.core import MAX_KEYS, WriteConflictError
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, Between, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Write, put_if_unchanged, put_new
from tollgate.ledger.entries import Entry
from tollgate.routing.measures import by_provider, hours_of
from tollgate.usage.counts import (
    COUNTED,
    LISTED,
    Bucket,
    ByKind,
    ByName,
    Counts,
    DayCounts,
    LedgerSum,
    by_kind,
    by_name,
    counts_of,
    key_of,
    labels_of,
    ledger_sum_of,
    model_of,
    total,
)

# Marks and rows of labels in one transaction. DynamoDB allows 100 writes; one is the row of the day.
MAX_AT_ONCE = 99
# Payments of one day that a statement lists; their sum includes all payments.
MAX_LISTED = 500
# Attempts to count some entries. Each reads the row again and skips entries that others counted meanwhile.
MAX_ROUNDS = 8
# A stream has no records older than 24 hours; the rest is a margin for clocks and repeats by hand.
MARK_LIFETIME_MS = 7 * MS_PER_DAY


# The fields of `Counts` in a row's `counts` and `keys`. Earlier versions cannot read longer lists, so later
# fields are beside them, in `counts_more` and `keys_more`.
FIRST_COUNTS = 8
# Rows of labels of one round trip. They are about 1 MB, the most that DynamoDB reads for one.
LABEL_PAGE = 10_000
# Rows of labels that one request for statistics reads.
MAX_LABEL_ROWS = 5 * LABEL_PAGE
# Above "#", so it is after every value of a day.
_AFTER_VALUES = "~"


class TooManyLabelsError(Exception):
    """The days have more values of this label than one request reads."""


class StaleRollUpError(Exception):
    """Some entries were counted before, or another worker wrote the row; nothing was counted."""


class UsageRepository:
    """Reads the roll-up."""

    def __init__(self, db: Database, usage_table: str) -> None:
        self._db = db
        self._usage_table = usage_table

    def days(self, account_id: str, first: str, last: str) -> Iterator[tuple[str, DayCounts]]:
        """Return the days with counts from `first` to `last`, both included, with their counts."""
        rows = self._db.query(
            self._usage_table,
            Equals("account_id", account_id) & Between("usage_day", first, last),
        )
        return ((row["usage_day"], _read_day(row)) for row in rows)

    def of_day(self, account_ids: Sequence[str], day: str) -> Iterator[DayCounts]:
        """Return the counts of a UTC day of some accounts, for the accounts that have any."""
        for start in range(0, len(account_ids), MAX_KEYS):
            some = account_ids[start : start + MAX_KEYS]
            keys = [{"account_id": account_id, "usage_day": day} for account_id in some]
            yield from map(_read_day, self._db.get_all(self._usage_table, keys))

    def busiest(self, account_ids: Sequence[str], day: str, most: int) -> list[str]:
        """Return the accounts with the most generations on a UTC day, at most `most`, the busiest first."""
        found: dict[str, int] = {}
        for start in range(0, len(account_ids), MAX_KEYS):
            some = account_ids[start : start + MAX_KEYS]
            keys = [{"account_id": account_id, "usage_day": day} for account_id in some]
            for row in self._db.get_all(self._usage_table, keys):
                found[row["account_id"]] = total(_read_day(row).by_model.values()).tasks
        busy = sorted((each for each, tasks in found.items() if tasks), key=lambda each: -found[each])
        return busy[:most]

    def text_calls(self, model_ids: Iterable[str], now_ms: int) -> dict[str, Counter[str]]:
        """Return the counts of the text calls of the last 24 hours of some models, by provider."""
        found = (self._db.query(self._usage_table, hours_of(model_id, now_ms)) for model_id in model_ids)
        return by_provider(row for rows in found for row in rows)

    def labels(self, account_id: str, label: str, first: str, last: str) -> Iterator[tuple[str, str, Counts]]:
        """Return a day, a value of a label and its counts of that day, for the days from `first` to `last`.

        `label` is `user`, or `tag:` and the tag's name. Raises `TooManyLabelsError` after `MAX_LABEL_ROWS`.
        """
        ends = Between("usage_day", f"{label}#{first}", f"{label}#{last}{_AFTER_VALUES}")
        of_label = Equals("account_id", account_id) & ends
        rows = self._db.query(self._usage_table, of_label, page_size=LABEL_PAGE)
        for read, row in enumerate(rows):
            if read == MAX_LABEL_ROWS:
                raise TooManyLabelsError(label)
            _, day, value = row["usage_day"].split("#", 2)
            yield day, value, Counts(*(row.get(name, 0) for name in Counts._fields))


class RollUp:
    """Adds entries of the ledger to the roll-up, each once."""

    def __init__(self, db: Database, usage_table: str, counted_table: str) -> None:
        self._db = db
        self._usage_table = usage_table
        self._counted_table = counted_table

    def count(self, bucket: Bucket, entries: Iterable[Entry], now_ms: int) -> None:
        """Add the entries of one bucket, except entries that were counted before.

        Raises `WriteConflictError` if other workers wrote the row in every attempt; a repeat is harmless.
        """
        # A batch may contain an entry twice, but a transaction takes each row only once.
        distinct = list({entry.entry_id: entry for entry in entries}.values())
        for some in in_transactions(distinct, lambda entry: 1 + len(labels_of(entry)), MAX_AT_ONCE):
            self._count_some(bucket, some, now_ms)

    def _count_some(self, bucket: Bucket, entries: Sequence[Entry], now_ms: int) -> None:
        left = entries
        # A refusal does not show which entry was counted meanwhile, so read the marks and continue with the
        # rest. None is left if another worker counted all of them.
        for _ in range(MAX_ROUNDS):
            marks = [self._mark(entry, now_ms) for entry in left]
            try:
                self._db.transact([*marks, self._add_entries(bucket, left), *self._add_labels(bucket, left)])
            except StaleRollUpError:
                left = self._uncounted(left)
            else:
                return
            if not left:
                return
        raise WriteConflictError

    def _uncounted(self, entries: Sequence[Entry]) -> list[Entry]:
        keys = [{"entry_id": _mark_of(entry)} for entry in entries]
        counted = {row["entry_id"] for row in self._db.get_all(self._counted_table, keys)}
        return [entry for entry in entries if _mark_of(entry) not in counted]

    def _mark(self, entry: Entry, now_ms: int) -> Write:
        mark = {"entry_id": _mark_of(entry), "expires_at_s": (now_ms + MARK_LIFETIME_MS) // MS_PER_S}
        return put_new(self._counted_table, mark, "entry_id", lambda _: StaleRollUpError(entry.entry_id))

    def _add_entries(self, bucket: Bucket, entries: Sequence[Entry]) -> Write:
        """Return the write of the row with `entries` added; it is refused if the row changes before."""
        key = {"account_id": bucket.account_id, "usage_day": bucket.day}
        # The row is read and written whole, because its counts are one text; `seq` refuses the write if
        # another worker was faster.
        row = self._db.get(self._usage_table, key) or {**key, "seq": 0, "counts": "{}"}
        known = _read_day(row)
        usage = [entry for entry in entries if entry.kind in COUNTED]
        models = by_name([*known.by_model.items(), *((model_of(one), counts_of(one)) for one in usage)])
        keys = by_name([*known.by_key.items(), *((key_of(one), counts_of(one)) for one in usage)])
        item: Item = {
            **key,
            "seq": row["seq"] + 1,
            "counts": _first_counts(models),
            "keys": _first_counts(keys),
            **{
                name: _text(later)
                for name, later in (("counts_more", _later(models)), ("keys_more", _later(keys)))
                if later
            },
        }
        # A row from before kinds were counted would have only a part of them, so it continues without.
        if known.by_kind is not None or not row["seq"]:
            moved = by_kind([*(known.by_kind or {}).items(), *(ledger_sum_of(one) for one in entries)])
            item["kinds"] = _text(moved)
            listed = [one.entry_id for one in entries if one.kind in LISTED]
            item["listed"] = [*known.listed, *listed][:MAX_LISTED]
        return put_if_unchanged(
            self._usage_table, item, "account_id", row["seq"], lambda _: StaleRollUpError(bucket)
        )

    def _add_labels(self, bucket: Bucket, entries: Sequence[Entry]) -> Iterator[CountingWrite]:
        """Return the writes of the rows of the entries' labels."""
        usage = [entry for entry in entries if entry.kind in COUNTED]
        sums = by_name(
            (f"{name}#{bucket.day}#{value}", counts_of(entry))
            for entry in usage
            for name, value in labels_of(entry)
        )
        for row, counts in sums.items():
            changes = [Add(name, amount, start=0) for name, amount in counts._asdict().items() if amount]
            if changes:
                key = {"account_id": bucket.account_id, "usage_day": row}
                yield CountingWrite(self._usage_table, key=key, update=changes)


def in_transactions(
    entries: Iterable[Entry], writes_of: Callable[[Entry], int], most: int
) -> Iterator[list[Entry]]:
    """Return the entries in parts with at most so many writes each; `writes_of`: the writes of an entry."""
    batch: list[Entry] = []
    writes = 0
    for entry in entries:
        needed = writes_of(entry)
        if batch and writes + needed > most:
            yield batch
            batch, writes = [], 0
        batch.append(entry)
        writes += needed
    if batch:
        yield batch


def _read_day(row: Item) -> DayCounts:
    """Return the counts from a row: for each name, a list in the order of the fields of `Counts`."""
    # Rows from before keys were counted have no keys; rows from before kinds were counted have no kinds.
    kinds = _read_kinds(row["kinds"]) if "kinds" in row else None
    return DayCounts(
        _read_counts(row["counts"], row.get("counts_more", "{}")),
        _read_counts(row.get("keys", "{}"), row.get("keys_more", "{}")),
        kinds,
        tuple(row.get("listed", ())),
    )


def _mark_of(entry: Entry) -> str:
    """Return the id of an entry's mark. Entries of usage are named after a task or a request, so their ids
    are unique over all accounts. Entries of money have the name of a payment or an operator, which two
    accounts may share.
    """
    return entry.entry_id if entry.kind in COUNTED else f"{entry.account_id}#{entry.entry_id}"


def _read_kinds(text: str) -> ByKind:
    return {kind: LedgerSum(*values) for kind, values in json.loads(text).items()}


def _read_counts(text: str, later: str) -> ByName:
    more: dict[str, list[int]] = json.loads(later)
    return {name: Counts(*values, *more.get(name, ())) for name, values in json.loads(text).items()}


def _first_counts(counts: ByName) -> str:
    return _text({name: each[:FIRST_COUNTS] for name, each in counts.items()})


def _later(counts: ByName) -> Mapping[str, Sequence[int]]:
    return {name: each[FIRST_COUNTS:] for name, each in counts.items() if any(each[FIRST_COUNTS:])}


def _text(counts: Mapping[str, Sequence[int]]) -> str:
    return json.dumps(counts, separators=(",", ":"))
