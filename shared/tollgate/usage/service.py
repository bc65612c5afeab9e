"""The usage of an account for its customer: totals by day, by model, by key and by label."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tollgate.kit.clock import Clock
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import PROJECT, TOKEN, USER
from tollgate.usage.counts import (
    KEY,
    LABEL,
    MEMBER,
    MODEL,
    TAG,
    Counts,
    DayCounts,
    StatisticsView,
    by_descending_cost,
    by_name,
    total,
)
from tollgate.usage.period import GROUP_BY, Period, read_period
from tollgate.usage.repository import TooManyLabelsError, UsageRepository

# Values in one response. The most expensive values come first.
MAX_GROUPS = 5_000
# Groups that the rows of days contain.
_IN_DAYS = (MODEL, KEY, MEMBER)
_FORMS = f"{USER}, {TAG}<name>, {PROJECT}, {TOKEN}, {MODEL}, {KEY} or {MEMBER}"


@dataclass(frozen=True, slots=True)
class StatisticsService:
    """Reads the daily roll-up, which is seconds behind the ledger.

    `member_of_keys` returns the identity ids of the members who created the keys of an account.
    """

    usage: UsageRepository
    clock: Clock
    member_of_keys: Callable[[str], Mapping[str, str]] = lambda _: {}

    def of(self, account_id: str, query: Mapping[str, str]) -> StatisticsView:
        """Return `{range, from, to, total, byDay, byModel, byKey}` for the days in `query`.

        With `groupBy` it has `groups` too, by one more name. Raises `InvalidInputError`.
        Source: site/statistics.md#statistics.
        """
        group_by = query.get(GROUP_BY)
        if group_by is not None:
            _check(group_by)
        if group_by is None:
            return statistics(*self.days(account_id, query))
        period, days, of_days = self._grouped(account_id, group_by, query)
        found = statistics(period, days)
        groups = by_descending_cost([by_name((value, counts) for _, value, counts in of_days)])
        found["groupBy"] = group_by
        found["groups"] = [{"value": value, **counts.view()} for value, counts in groups[:MAX_GROUPS]]
        if len(groups) > MAX_GROUPS:
            found["groupsLeftOut"] = len(groups) - MAX_GROUPS
        return found

    def days(self, account_id: str, query: Mapping[str, str]) -> tuple[Period, dict[str, DayCounts]]:
        """Return the days in `query`, and the counts of the days that have any.

        Raises `InvalidInputError`.
        """
        period = read_period(query, self.clock.now_ms())
        found = self.usage.days(account_id, period.first.isoformat(), period.last.isoformat())
        return period, dict(found)

    def by_day(
        self, account_id: str, group_by: str, query: Mapping[str, str]
    ) -> tuple[Period, list[tuple[str, str, Counts]]]:
        """Return the days in `query`, and each day and value of the group with counts, such as a model.

        A member can have several of a day. The value "" has the requests without a label. Raises
        `InvalidInputError`.
        """
        _check(group_by)
        period, days, groups = self._grouped(account_id, group_by, query)
        return period, groups if group_by in _IN_DAYS else [*groups, *_without_label(days, groups)]

    def _grouped(
        self, account_id: str, group_by: str, query: Mapping[str, str]
    ) -> tuple[Period, dict[str, DayCounts], list[tuple[str, str, Counts]]]:
        """Return the period, its days, and the days, values and counts of the group.

        Raises `InvalidInputError`, also for too many values.
        """
        if group_by in _IN_DAYS:
            period, days = self.days(account_id, query)
            return period, days, self._groups(account_id, group_by, days)
        # Labels have their own rows. Both queries run at once, so labels take as long as models.
        with ThreadPoolExecutor(max_workers=1) as beside:
            labels = beside.submit(self._labels, account_id, group_by, query)
            period, days = self.days(account_id, query)
            return period, days, labels.result()

    def _groups(
        self, account_id: str, group_by: str, days: Mapping[str, DayCounts]
    ) -> list[tuple[str, str, Counts]]:
        """Return days, values and counts of a group that the rows of days contain."""
        if group_by == MODEL:
            return [(day, *pair) for day, each in days.items() for pair in each.by_model.items()]
        keys = [(day, *pair) for day, each in days.items() for pair in each.by_key.items()]
        if group_by == KEY:
            return keys
        members = self.member_of_keys(account_id)
        return [(day, members.get(key_id, ""), counts) for day, key_id, counts in keys]

    def _labels(
        self, account_id: str, group_by: str, query: Mapping[str, str]
    ) -> list[tuple[str, str, Counts]]:
        """Return days, values and counts of a label. Raises `InvalidInputError` for too many values."""
        period = read_period(query, self.clock.now_ms())
        first, last = period.first.isoformat(), period.last.isoformat()
        try:
            return list(self.usage.labels(account_id, group_by, first, last))
        except TooManyLabelsError as exc:
            message = "These days have too many values. Ask for fewer days."
            raise InvalidInputError([Problem("/from", message)]) from exc


def _without_label(
    days: Mapping[str, DayCounts], labelled: Iterable[tuple[str, str, Counts]]
) -> list[tuple[str, str, Counts]]:
    """Return each day with the value "" and the counts that no value of the label has."""
    left = {day: total(counts.by_model.values()) for day, counts in days.items()}
    for day, _, counts in labelled:
        # The two are read in parallel, so one of them may lack a request that was just counted.
        rest = (max(0, each - other) for each, other in zip(left.get(day, Counts()), counts, strict=True))
        left[day] = Counts(*rest)
    return [(day, "", counts) for day, counts in left.items() if any(counts)]


def _check(group_by: str) -> None:
    """Raise `InvalidInputError` for an unknown group."""
    if group_by not in _IN_DAYS and not LABEL.fullmatch(group_by):
        raise InvalidInputError([Problem(f"/{GROUP_BY}", f"Must be {_FORMS}.", _FORMS)])


def statistics(period: Period, days: Mapping[str, DayCounts]) -> StatisticsView:
    """Return the sums of the period's days. `byDay` has every day; the others are sorted by cost. Pure."""
    none = DayCounts({}, {})
    by_day = {day: total(days.get(day, none).by_model.values()) for day in period.days()}
    return {
        "range": period.name,
        "from": period.first.isoformat(),
        "to": period.last.isoformat(),
        "total": total(by_day.values()).view(),
        "byDay": [{"date": day, **counts.view()} for day, counts in by_day.items()],
        "byModel": [
            {"model": model, **counts.view()}
            for model, counts in by_descending_cost(day.by_model for day in days.values())
        ],
        "byKey": [
            {"keyId": key_id, **counts.view()}
            for key_id, counts in by_descending_cost(day.by_key for day in days.values())
        ],
    }
