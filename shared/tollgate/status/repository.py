"""The status in DynamoDB: a row for each day of checks, in UsageTable; incidents, in BudgetsTable.

    service#status   checks#2026-11-27   slot 4988, counts {"media": [280, 8, 0], "model/suno": [288, 0, 0]}
    service#status   visits#2026-11-27   the same, of visits
    incidents        inc_01JD…           an incident with its updates

Days expire after the last day on which the page shows them. No account has these partitions.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, utc_day
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.dynamodb.database import Database, OneTable
from tollgate.kit.dynamodb.expressions import Between, Equals, Missing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write, put_if_unchanged
from tollgate.kit.encoded_json import encode
from tollgate.routing.measures import Counts as Calls
from tollgate.routing.measures import by_provider
from tollgate.status.checks import PARTS
from tollgate.status.history import DAYS, Day, State, States, counted
from tollgate.status.incidents import Incident

CHECKS, VISITS = "checks", "visits"
# Incidents that the page shows: the newest.
MAX_INCIDENTS = 100
_STATUS, _INCIDENTS = "service#status", "incidents"
_LIFETIME_MS = (DAYS + 2) * MS_PER_DAY


@dataclass(frozen=True, slots=True)
class Recorded:
    """A UTC day, the time of its last check (Unix ms), and the states of parts that this check found."""

    day: str
    counts: Day
    at_ms: int
    parts: States


class StaleDayError(Exception):
    """Another process counted the same check; nothing was written."""


class StaleIncidentError(Exception):
    """The incident was changed since it was read; nothing was written."""


class StatusRepository:
    """Reads and writes days of checks, and reads the calls of text models."""

    def __init__(self, db: Database, usage_table: str) -> None:
        self._db = db
        self._usage_table = usage_table

    def count(self, source: str, slot: int, at_ms: int, states: States) -> None:
        """Add one check to its day. `slot` is its number, so that a repeated check is counted once."""
        key = {"account_id": _STATUS, "usage_day": f"{source}#{utc_day(at_ms)}"}
        read = self._db.get(self._usage_table, key)
        if read is not None and read["slot"] >= slot:
            return
        item = {
            **key,
            "slot": slot,
            "at_ms": at_ms,
            # One text, because thousands of numbers in DynamoDB's form are slow to read.
            "counts": encode(counted(_day_of(read or {}), states)),
            "parts": {name: state for name, state in states.items() if name in PARTS},
            "expires_at_s": (at_ms + _LIFETIME_MS) // MS_PER_S,
        }
        unchanged = Missing("usage_day") if read is None else Equals("slot", read["slot"])
        with suppress(StaleDayError):
            self._db.write(
                Write(
                    self._usage_table, item=item, condition=unchanged, refused=lambda _: StaleDayError(slot)
                )
            )

    def days(self, source: str, first: str, last: str) -> list[Recorded]:
        """Return the days from `first` to `last`, both included, that have checks."""
        ends = Between("usage_day", f"{source}#{first}", f"{source}#{last}")
        rows = self._db.query(self._usage_table, Equals("account_id", _STATUS) & ends)
        return [
            Recorded(
                row["usage_day"].partition("#")[2],
                _day_of(row),
                int(row["at_ms"]),
                {name: State(word) for name, word in row["parts"].items()},
            )
            for row in rows
        ]

    def calls(self, keys: list[dict[str, str]]) -> dict[str, Mapping[str, Calls]]:
        """Return the calls in the rows of routes, by model and provider."""
        found: dict[str, list[Item]] = {}
        for start in range(0, len(keys), MAX_KEYS):
            for row in self._db.get_all(self._usage_table, keys[start : start + MAX_KEYS]):
                found.setdefault(row["account_id"].partition("#")[2], []).append(row)
        return {model_id: by_provider(rows) for model_id, rows in found.items()}


class IncidentRepository(OneTable):
    """Reads and writes incidents."""

    def newest(self) -> list[Incident]:
        """Return the newest incidents, the newest first."""
        rows = self._db.query(
            self._table, Equals("account_id", _INCIDENTS), newest_first=True, limit=MAX_INCIDENTS
        )
        return list(_incidents(rows))

    def get(self, incident_id: str) -> Incident | None:
        """Return one incident, or `None`."""
        return self._find(_key(incident_id), lambda row: Incident.from_item(incident_id, row))

    def save(self, incident: Incident, *others: Write) -> None:
        """Write an incident as changed since it was read, with other writes. Raises `StaleIncidentError`."""
        item = {**_key(incident.incident_id), **incident.to_item(), "seq": incident.seq + 1}
        refused = StaleIncidentError(incident.incident_id)
        self._db.transact(
            [put_if_unchanged(self._table, item, "item", incident.seq, lambda _: refused), *others]
        )


def _key(incident_id: str) -> dict[str, str]:
    return {"account_id": _INCIDENTS, "item": incident_id}


def _incidents(rows: Iterable[Item]) -> Iterator[Incident]:
    return (Incident.from_item(row["item"], row) for row in rows)


def _day_of(row: Mapping[str, str]) -> Day:
    return {name: tuple(each) for name, each in json.loads(row.get("counts", "{}")).items()}
