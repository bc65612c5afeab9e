"""Monthly statements, from the roll-up and the entries that are listed one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tollgate.kit.clock import Clock, utc_month
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry
from tollgate.ledger.reader import LedgerReader
from tollgate.usage.counts import LABEL, LABEL_FORMS, DayCounts
from tollgate.usage.repository import TooManyLabelsError, UsageRepository
from tollgate.usage.statement import (
    MONTH_LENGTH,
    Days,
    MonthStatement,
    month_problem,
    month_statement,
    months_of,
)

_FIRST_DAY, _LAST_DAY = "0000-01-01", "9999-12-31"
# Entries that one read of DynamoDB takes.
READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class MonthlyStatements:
    """Reads monthly statements; changes nothing. They are seconds behind the ledger, like the roll-up.

    `total_funds` returns the money of an account in micro-USD: its balance and its open holds.
    """

    usage: UsageRepository
    ledger: LedgerReader
    total_funds: Callable[[str], int]
    clock: Clock

    def statement(self, account_id: str, month: str | None) -> tuple[MonthStatement, list[str]]:
        """Return the statement of a month, by default the newest, and all months with a statement.

        Raises `InvalidInputError`.
        """
        days = dict(self.usage.days(account_id, _FIRST_DAY, _LAST_DAY))
        months = months_of(days, utc_month(self.clock.now_ms()))
        chosen = month or (months[0] if months else None)
        if chosen is None or chosen not in months:
            raise InvalidInputError([month_problem(months)])
        stated = {day: counts for day, counts in days.items() if day[:MONTH_LENGTH] >= months[-1]}
        before = self._before(account_id, stated) if len(stated) < len(days) else 0
        until = {day: counts for day, counts in stated.items() if day[:MONTH_LENGTH] <= chosen}
        return month_statement(chosen, until, self._listed(account_id, chosen, until), before), months

    def by_label(self, account_id: str, statement: MonthStatement, label: str) -> MonthStatement:
        """Return a statement with its usage by `user`, `project`, `token`, or `tag:` and the name of a tag.

        Raises `InvalidInputError`.
        """
        if not LABEL.fullmatch(label):
            raise InvalidInputError([Problem("/by", f"Must be {LABEL_FORMS}.", LABEL_FORMS)])
        month = statement.month
        try:
            found = self.usage.labels(account_id, label, f"{month}-01", f"{month}-31")
            return statement.labelled(label, [(value, counts) for _, value, counts in found])
        except TooManyLabelsError as exc:
            raise InvalidInputError(
                [Problem("/by", "This month has too many values of this label.")]
            ) from exc

    def _before(self, account_id: str, stated: Days) -> int:
        """Return the balance before the first statement, if earlier days have no counts by kind."""
        moved = (each for counts in stated.values() for each in (counts.by_kind or {}).values())
        return self.total_funds(account_id) - sum(each.amount_micro_usd for each in moved)

    def _listed(self, account_id: str, month: str, days: Days) -> list[Entry]:
        own: list[DayCounts] = [counts for day, counts in days.items() if day[:MONTH_LENGTH] == month]
        ids = [entry_id for counts in own for entry_id in counts.listed]
        return [entry for some in _in_chunks(ids) for entry in self.ledger.named(account_id, some)]


def _in_chunks(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[first : first + READ_AT_ONCE] for first in range(0, len(ids), READ_AT_ONCE)]
