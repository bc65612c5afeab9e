"""The proof of the accounts: an account's money equals the sum of its ledger. Pure.

Source: docs/ledger.md#the-proof.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from tollgate.ledger.budget_rows import counted_item
from tollgate.ledger.entries import Entry, EntryKind, refund_id_of
from tollgate.ledger.hold_entries import text_entry_id
from tollgate.ledger.holds import Hold

# Budgets that one drift names.
MAX_NAMED = 20
NO_COUNTERS: Mapping[str, int] = MappingProxyType({})


class Line(NamedTuple):
    """The fields of an entry that the proof needs; `kind`, `answers` and `budgets` as in `Entry`."""

    entry_id: str
    kind: str
    amount_micro_usd: int
    created_at_ms: int
    answers: str | None = None
    budgets: Sequence[str] = ()
    markup_micro_usd: int = 0
    peer: str | None = None


_NOTHING = Line("", "", 0, 0)


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums of an account's entries up to `through_ms`; the next proof starts from this checkpoint."""

    through_ms: int = -1
    entries: int = 0
    amount_micro_usd: int = 0
    markup_micro_usd: int = 0
    """The mark-up of the charges, less the mark-up that was moved to the parent."""


@dataclass(frozen=True, slots=True)
class Drift:
    """An account whose books do not agree. Amounts in micro-USD, signed."""

    account_id: str
    balance_micro_usd: int
    ledger_micro_usd: int
    unanswered_refunds: tuple[str, ...]
    """Refunds without the charge they answer, or of another amount; and entries about money between a parent
    and a sub-account without the other account's entry."""
    held_micro_usd: int = 0
    budgets: Mapping[str, int] = field(default_factory=dict)
    """How much each budget's rows exceed its entries and open holds, by main row; at most `MAX_NAMED`."""
    entry_id: str = field(default="", compare=False)
    """The newest entry that was read."""
    markup_micro_usd: int = 0
    """How much the counters of a sub-account's mark-up exceed its entries."""

    @property
    def amount_micro_usd(self) -> int:
        """Return how much the balance and the holds exceed the ledger; negative if they are below it."""
        return self.balance_micro_usd + self.held_micro_usd - self.ledger_micro_usd

    def is_same_as(self, other: "Drift") -> bool:
        """Return whether this is the same drift as `other`, at the same entry.

        Later entries moved balance and ledger alike, so a drift at that entry is still the drift now.
        """
        return (
            self.account_id == other.account_id
            and self.amount_micro_usd == other.amount_micro_usd
            and self.unanswered_refunds == other.unanswered_refunds
            and self.budgets == other.budgets
            and self.markup_micro_usd == other.markup_micro_usd
            and (self.balance_micro_usd < 0) == (other.balance_micro_usd < 0)
        )


@dataclass(slots=True)
class EntrySums:
    """Entries that are read one after the other, in any order, and their sums."""

    tally: Tally = Tally()
    texts: dict[str, Line] = field(default_factory=dict)
    """Charges that open holds may be settled with: those that are newer than a hold can be old."""
    unanswered: tuple[str, ...] = ()
    newest: tuple[int, str] = (-1, "")
    counted: dict[str, int] = field(default_factory=dict)
    """The spending of each budget that is proved, by main row. Other budgets are not summed."""

    def copy(self) -> "EntrySums":
        """Return an independent copy of this reading."""
        return replace(self, texts=dict(self.texts), counted=dict(self.counted))

    def add(self, lines: Sequence[Line], unanswered: Sequence[str] = (), *, recent: bool = True) -> None:
        """Add entries; `recent` if an open hold may be settled with one of them."""
        count, amount = self.tally.entries, self.tally.amount_micro_usd
        self.tally = replace(
            self.tally,
            entries=count + len(lines),
            amount_micro_usd=amount + sum(line.amount_micro_usd for line in lines),
            markup_micro_usd=self.tally.markup_micro_usd + sum(line.markup_micro_usd for line in lines),
        )
        self.unanswered += tuple(unanswered)
        if self.counted:
            count_spent(self.counted, ((line.budgets, -line.amount_micro_usd) for line in lines))
        if lines:
            last = max((line.created_at_ms, line.entry_id) for line in lines)
            self.newest = max(self.newest, last)
        if recent:
            self.texts |= {line.entry_id: line for line in lines if line.kind == "text"}


def count_spent(counted: dict[str, int], spent: Iterable[tuple[Sequence[str], int]]) -> None:
    """Add amounts to the budgets in `counted`; each amount has the rows that counted it."""
    for items, amount_micro_usd in spent:
        for main in map(counted_item, items):
            if main in counted:
                counted[main] += amount_micro_usd


def unanswered_refunds(lines: Iterable[Line], charges: Mapping[str, int]) -> list[str]:
    """Return the refunds that do not return exactly their charge, of `charges` by id.

    An entry's id is unique, so a charge has at most one refund with the refund id derived from it.
    """
    return [
        line.entry_id
        for line in lines
        if line.kind == EntryKind.REFUND
        and (
            line.answers is None
            or refund_id_of(line.answers) != line.entry_id
            or charges.get(line.answers) != -line.amount_micro_usd
        )
    ]


def unpaired(account_id: str, lines: Iterable[Line], others: Mapping[tuple[str, str], Entry]) -> list[str]:
    """Return the entries about money between a parent and a sub-account that do not add up with the other's.

    `others` are the entries of the other accounts, by account and id.
    """
    return [
        line.entry_id
        for line in lines
        if line.peer is not None and not _is_pair(account_id, line, others.get((line.peer, line.entry_id)))
    ]


def _is_pair(account_id: str, line: Line, other: Entry | None) -> bool:
    if other is None or other.peer != account_id or other.kind != line.kind:
        return False
    return line.amount_micro_usd + line.markup_micro_usd == -(
        other.amount_micro_usd + (other.markup_micro_usd or 0)
    )


def compare(
    account_id: str,
    balance_micro_usd: int,
    holds: Iterable[Hold],
    reading: EntrySums,
    counters: Mapping[str, int] = NO_COUNTERS,
    *,
    markup_micro_usd: int = 0,
) -> Drift | None:
    """Compare a balance and its open holds with the entries that were read; `None` when all is well.

    Checked: the sum; that the balance is not negative; that each refund returns exactly its charge; that the
    `counters` of budgets, in micro-USD by main row, are the sums of the entries and holds that name them; and
    that the counters of mark-up, together `markup_micro_usd`, are the sum of the entries' mark-up. A hold
    whose request is recorded but not settled counts for hold − charge. Its mark-up is not counted yet.
    """
    open_holds = list(holds)
    recorded = [reading.texts.get(text_entry_id(hold.request_id), _NOTHING) for hold in open_holds]
    held = [
        (hold.budgets, hold.amount_micro_usd + line.amount_micro_usd)
        for hold, line in zip(open_holds, recorded, strict=True)
    ]
    due = reading.tally.markup_micro_usd - sum(line.markup_micro_usd for line in recorded)
    counted = dict(reading.counted)
    count_spent(counted, held)
    budgets = {main: counters[main] - due for main, due in counted.items() if counters.get(main, due) != due}
    total, held_total = reading.tally.amount_micro_usd, sum(amount for _, amount in held)
    agree = total == balance_micro_usd + held_total and balance_micro_usd >= 0
    if agree and not reading.unanswered and not budgets and markup_micro_usd == due:
        return None
    named = dict(islice(sorted(budgets.items()), MAX_NAMED))
    last = reading.newest[1]
    return Drift(
        account_id,
        balance_micro_usd,
        total,
        reading.unanswered,
        held_total,
        named,
        last,
        markup_micro_usd - due,
    )


def audit(
    account_id: str, balance_micro_usd: int, entries: Iterable[Entry], holds: Iterable[Hold] = ()
) -> Drift | None:
    """Compare a balance and its open holds with all entries at once, as `compare` does."""
    lines = [
        Line(each.entry_id, each.kind, each.amount_micro_usd, each.created_at_ms, each.answers)
        for each in entries
    ]
    charges = {line.entry_id: line.amount_micro_usd for line in lines if line.kind == EntryKind.CHARGE}
    reading = EntrySums()
    reading.add(lines, unanswered_refunds(lines, charges))
    return compare(account_id, balance_micro_usd, holds, reading)
