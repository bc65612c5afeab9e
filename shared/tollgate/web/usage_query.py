"""The usage page's address: the days, the metric, the group and the filters. Pure.

The daily roll-up answers most of them. For the others the requests are read one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from tollgate.ledger.attribution import PROJECT, TOKEN, USER
from tollgate.ledger.query import DASHBOARD
from tollgate.usage.counts import KEY, MEMBER, MODEL, TAG
from tollgate.usage.period import CUSTOM
from tollgate.web.usage_chart import ROLLED_UP, Metric

RANGES = {
    "today": "Today",
    "7d": "7 days",
    "30d": "30 days",
    "90d": "90 days",
    "month": "This month",
    "last-month": "Last month",
    "year": "12 months",
    CUSTOM: "Other days",
}
DEFAULT_RANGE = "30d"
_LENGTHS = {"today": 1, "7d": 7, "30d": 30, "90d": 90, "year": 366}
# The parameters of the address that are filters. In it, `tag` names a group, so the filter is `label`.
LABEL = "label"
FILTERS = ("kind", "model", "key", "project", "status", "user", LABEL, "token")
ANY_TAG = "tag"
GROUPS = {
    MODEL: "Model",
    KEY: "API key",
    MEMBER: "Member",
    PROJECT: "Project",
    USER: "End user",
    TOKEN: "Run token",
    ANY_TAG: "Tag",
}
# Groups by a label, which a request can lack.
LABELS = (PROJECT, USER, TOKEN, ANY_TAG)


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """The chosen parameters. `filters` has no empty values.

    `tag` is the name of the tag if the group is `ANY_TAG`.
    """

    range: str
    first: str
    last: str
    metric: Metric
    group: str
    tag: str
    filters: Mapping[str, str]

    @property
    def group_by(self) -> str:
        """Return the group as the statistics name it."""
        return f"{TAG}{self.tag}" if self.group == ANY_TAG else self.group

    @property
    def days(self) -> dict[str, str]:
        """Return the days as the statistics read them."""
        return {"range": CUSTOM, "from": self.first, "to": self.last}

    @property
    def rows(self) -> dict[str, str]:
        """Return the filters and the days as the activity reads them."""
        filters = {"tag" if name == LABEL else name: value for name, value in self.filters.items()}
        return {**filters, "from": self.first, "to": self.last}

    @property
    def address(self) -> dict[str, str]:
        """Return the parameters of the address of this page."""
        days = {"from": self.first, "to": self.last} if self.range == CUSTOM else {"range": self.range}
        tag = {"tag": self.tag} if self.group == ANY_TAG else {}
        return {**days, "metric": self.metric, "by": self.group, **tag, **self.filters}

    @property
    def is_rolled_up(self) -> bool:
        """Return whether the roll-up has the metric, and its rows have all that the filters ask for."""
        own = LABEL if self.group == ANY_TAG else self.group
        return self.metric in ROLLED_UP and not set(self.filters) - {own} and self._is_own_tag()

    def _is_own_tag(self) -> bool:
        label = self.filters.get(LABEL)
        return label is None or label.startswith(f"{self.tag}=")

    def matches(self, group: str) -> bool:
        """Return whether the filter of the group's own kind lets a value pass."""
        own = LABEL if self.group == ANY_TAG else self.group
        wanted = self.filters.get(own)
        if wanted is None:
            return True
        named = f"{self.tag}={group}" if self.group == ANY_TAG else group
        return named == ("" if own == KEY and wanted == DASHBOARD else wanted)


def usage_query(sent: Mapping[str, str], today: str) -> UsageQuery:
    """Read the parameters of an address. Unknown words have their defaults.

    Dates are not checked here, because the services refuse invalid dates by name.
    """
    is_custom = bool(sent.get("from") or sent.get("to")) and sent.get("range", CUSTOM) == CUSTOM
    chosen = CUSTOM if is_custom else sent.get("range", DEFAULT_RANGE)
    if chosen not in RANGES or (chosen == CUSTOM and not is_custom):
        chosen = DEFAULT_RANGE
    first, last = _ends(chosen, today)
    if is_custom:
        first, last = _custom(sent.get("from", ""), sent.get("to", ""), today)
    metric, group = sent.get("metric", ""), sent.get("by", "")
    return UsageQuery(
        range=chosen,
        first=first,
        last=last,
        metric=Metric(metric) if metric in set(Metric) else Metric.SPEND,
        group=group if group in GROUPS else MODEL,
        tag=sent.get("tag", "").strip(),
        filters={name: sent[name] for name in FILTERS if sent.get(name)},
    )


def _ends(name: str, today: str) -> tuple[str, str]:
    day = date.fromisoformat(today)
    if name == "month":
        return day.replace(day=1).isoformat(), today
    if name == "last-month":
        last = day.replace(day=1) - timedelta(days=1)
        return last.replace(day=1).isoformat(), last.isoformat()
    length = _LENGTHS.get(name, _LENGTHS[DEFAULT_RANGE])
    return (day - timedelta(days=length - 1)).isoformat(), today


def _custom(first: str, last: str, today: str) -> tuple[str, str]:
    """Return both ends of a range. Without an end it ends today; without a beginning it has 30 days."""
    try:
        end = date.fromisoformat(last or max(today, first))
    except ValueError:
        return first or last, last
    return first or (end - timedelta(days=_LENGTHS[DEFAULT_RANGE] - 1)).isoformat(), end.isoformat()
