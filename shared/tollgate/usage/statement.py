"""The statement of one month: the opening balance, the changes, and the closing balance. Pure.

    opening + credits + debits + transfers + mark-up + charges + refunds = closing, the next month's opening

All amounts are sums of the ledger's entries, by the UTC month of each entry (site/statistics.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from operator import sub

from tollgate.kit.clock import iso
from tollgate.kit.csv_table import Cell
from tollgate.kit.money import usd_decimal, usd_text
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.usage.counts import (
    ByKind,
    Counts,
    DayCounts,
    LedgerSum,
    by_descending_cost,
    by_kind,
    by_name,
    total,
)

MONTH_LENGTH = len("2026-11")
COLUMNS = ("line", "name", "date", "description", "reference", "amountUsd", "amountMicroUsd")
_CHARGES = (EntryKind.CHARGE, EntryKind.TEXT)

Days = Mapping[str, DayCounts]


@dataclass(frozen=True, slots=True)
class MonthStatement:
    """One month of an account, in micro-USD, signed as in the ledger: a positive amount raises the balance.

    `moved` has the sums by kind. `entries` lists the credits and debits one by one.
    """

    month: str
    opening_micro_usd: int
    sums_by_kind: ByKind
    by_model: Sequence[tuple[str, Counts]]
    by_key: Sequence[tuple[str, Counts]]
    entries: Sequence[Entry] = ()
    label: str | None = None
    """The label by which usage is shown too, such as `user` or `tag:team`."""
    by_label: Sequence[tuple[str, Counts]] = ()
    """By value; the usage without this label has an empty value."""

    def labelled(self, label: str, counted: Iterable[tuple[str, Counts]]) -> "MonthStatement":
        """Return the statement with its usage by a label, from the counts of each value."""
        by_value = by_name(counted)
        all_usage, labelled = total(counts for _, counts in self.by_model), total(by_value.values())
        rest = Counts(*map(sub, all_usage, labelled))
        found = by_descending_cost([by_value, {"": rest}] if any(rest) else [by_value])
        return replace(self, label=label, by_label=found)

    @property
    def credits_micro_usd(self) -> int:
        """Return the sum of payments and credits."""
        return self._sum(EntryKind.CREDIT)

    @property
    def debits_micro_usd(self) -> int:
        """Return the sum of debits by operators: a negative amount."""
        return self._sum(EntryKind.DEBIT)

    @property
    def charges_micro_usd(self) -> int:
        """Return the cost of generations and text requests: a negative amount."""
        return self._sum(*_CHARGES)

    @property
    def refunds_micro_usd(self) -> int:
        """Return the sum of refunds."""
        return self._sum(EntryKind.REFUND)

    @property
    def transfers_micro_usd(self) -> int:
        """Return the money from and to sub-accounts, or the parent account."""
        return self._sum(EntryKind.TRANSFER)

    @property
    def markup_micro_usd(self) -> int:
        """Return the mark-up that sub-accounts have earned for this account."""
        return self._sum(EntryKind.MARKUP)

    @property
    def closing_micro_usd(self) -> int:
        """Return the balance at the end of the month."""
        return self.opening_micro_usd + sum(each.amount_micro_usd for each in self.sums_by_kind.values())

    def _sum(self, *kinds: EntryKind) -> int:
        return sum(self.sums_by_kind.get(kind, LedgerSum()).amount_micro_usd for kind in kinds)

    def lines(self, key_names: Mapping[str, str]) -> Iterable[Sequence[Cell]]:
        """Return the statement for a spreadsheet, in the order of `COLUMNS`.

        The amounts between the two balances add up to their difference. The lines below them repeat parts of
        the charges and refunds: searches of the web by model, and the sums by API key and by label. Lines of
        keys have the key's name, and its id as the reference.
        """
        yield _line("opening", self.opening_micro_usd)
        for entry in self.entries:
            amount, about = entry.amount_micro_usd, entry.reason or ""
            yield _line(
                str(entry.kind), amount, date=iso(entry.created_at_ms), about=about, of=entry.reference
            )
        # One line each: a parent with many sub-accounts has thousands of entries.
        moved = (EntryKind.TRANSFER, self.transfers_micro_usd), (EntryKind.MARKUP, self.markup_micro_usd)
        yield from (_line(str(kind), amount) for kind, amount in moved if amount)
        for model, counts in self.by_model:
            yield from _usage_lines("charge", "refund", model, counts)
        yield _line("closing", self.closing_micro_usd)
        for model, counts in self.by_model:
            if counts.web_searches:
                amount, about = -counts.web_search_micro_usd, _searches(counts)
                yield _line("web_searches", amount, name=model, about=about)
        for key, counts in self.by_key:
            yield from _usage_lines("charge_of_key", "refund_of_key", key_names.get(key, key), counts, key)
        for value, counts in self.by_label:
            yield from _usage_lines(f"charge_of_{self.label}", f"refund_of_{self.label}", value, counts)


def month_statement(
    month: str, days: Days, entries: Sequence[Entry] = (), before_micro_usd: int = 0
) -> MonthStatement:
    """Return the statement of a month (`2026-11`), from all days up to its end that have entries.

    `before_micro_usd` is the balance before the first of these days; `entries` are the month's credits and
    debits.
    """
    earlier = [counts for day, counts in days.items() if day[:MONTH_LENGTH] < month]
    own = [counts for day, counts in days.items() if day[:MONTH_LENGTH] == month]
    moved_earlier = _sums_by_kind(earlier).values()
    return MonthStatement(
        month,
        before_micro_usd + sum(each.amount_micro_usd for each in moved_earlier),
        _sums_by_kind(own),
        by_descending_cost(each.by_model for each in own),
        by_descending_cost(each.by_key for each in own),
        sorted(entries, key=lambda entry: (entry.created_at_ms, entry.entry_id)),
    )


def months_of(days: Days, this_month: str) -> list[str]:
    """Return every month from the first possible statement to this month, the newest first.

    The first is the month of the first entry. If some days have no counts by kind, it is the month after the
    last of these days.
    """
    uncounted = [day for day, counts in days.items() if counts.by_kind is None]
    counted = [day[:MONTH_LENGTH] for day, counts in days.items() if counts.by_kind is not None]
    first = next_month(max(uncounted)[:MONTH_LENGTH]) if uncounted else min(counted, default=this_month)
    found = []
    while first <= this_month:
        found.append(first)
        first = next_month(first)
    return found[::-1]


def next_month(month: str) -> str:
    """Return the next month, such as `2026-12` for `2026-11`."""
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def month_problem(known: Sequence[str]) -> Problem:
    """Return the problem for a month without a statement; it names the months that have one."""
    allowed = f"from {known[-1]} to {known[0]}" if known else "none yet"
    return Problem("/month", "There is no statement of this month.", allowed)


def _sums_by_kind(days: Iterable[DayCounts]) -> ByKind:
    return by_kind(chain.from_iterable((counts.by_kind or {}).items() for counts in days))


def _usage_lines(
    charge: str, refund: str, name: str, counts: Counts, of: str | None = None
) -> Iterable[Sequence[Cell]]:
    yield _line(charge, -counts.spent_micro_usd, name=name, of=of)
    if counts.refunded_micro_usd:
        yield _line(refund, counts.refunded_micro_usd, name=name, of=of)


def _searches(counts: Counts) -> str:
    """Return the number of searches of the web, with their price if all have the same."""
    number, price = counts.web_searches, Decimal(counts.web_search_micro_usd) / counts.web_searches
    each = f" at {usd_text(int(price))} USD" if price == int(price) else ""
    return f"{number} search{'' if number == 1 else 'es'}{each}"


def _line(
    kind: str, amount: int, *, name: str = "", date: str = "", about: str = "", of: str | None = None
) -> list[Cell]:
    return [kind, name, date, about, of or "", usd_decimal(amount), amount]
