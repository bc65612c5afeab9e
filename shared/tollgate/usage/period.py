"""The days of a request for statistics (site/statistics.md#statistics). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.http.query import QueryReader
from tollgate.kit.problems import Problem

# Days of each range that ends today.
LENGTHS = {"today": 1, "7d": 7, "30d": 30}
CUSTOM = "custom"
GROUP_BY = "groupBy"
RANGES = (*LENGTHS, CUSTOM)
MAX_DAYS = 366

_A_DATE = "a date such as 2026-11-21"


@dataclass(frozen=True, slots=True)
class Period:
    """Whole UTC days, both ends included.

    `name` is the requested range: one of `RANGES`.
    """

    name: str
    first: date
    last: date

    def days(self) -> list[str]:
        """Return every day, as `2026-11-21`, in order."""
        return [
            (self.first + timedelta(days=n)).isoformat() for n in range((self.last - self.first).days + 1)
        ]


def read_period(query: Mapping[str, str], now_ms: int) -> Period:
    """Read `range`, `from` and `to`, but not `groupBy`. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, ("range", "from", "to", GROUP_BY))
    name = reader.choose("range", _range, "today", RANGES)
    ends = [reader.read(end, _date, None, "Not a calendar date.", _A_DATE) for end in ("from", "to")]
    for end in ("from", "to"):
        if name == CUSTOM and end not in query:
            reader.problems.append(Problem(f"/{end}", "Required with range=custom.", _A_DATE))
        if name != CUSTOM and end in query:
            reader.problems.append(Problem(f"/{end}", "Only with range=custom."))
    today = datetime.fromtimestamp(now_ms // MS_PER_S, tz=UTC).date()
    first, last = ends[0] or today, ends[1] or today
    if name == CUSTOM and None not in ends:
        if first > last:
            reader.problems.append(Problem("/from", "Must not be after `to`."))
        if (last - first).days >= MAX_DAYS:
            reader.problems.append(Problem("/to", f"At most {MAX_DAYS} days, both ends included."))
    reader.finish()
    if name == CUSTOM:
        return Period(name, first, last)
    return Period(name, today - timedelta(days=LENGTHS[name] - 1), today)


def _range(text: str) -> str:
    if text not in RANGES:
        raise ValueError(text)
    return text


def _date(text: str) -> date:
    """Read `YYYY-MM-DD`; raise `ValueError` for the other formats of ISO 8601."""
    found = date.fromisoformat(text)
    if found.isoformat() != text:
        raise ValueError(text)
    return found
