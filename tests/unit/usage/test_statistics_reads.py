"""Statistics of a million entries by tag: one more read than by model, at the same time and smaller."""

import json
from datetime import UTC, datetime
from threading import Barrier
from typing import Any

import pytest

from tests.bench.stats import ACCOUNT, DAYS, ENTRIES, VALUES, rows
from tests.support.clock import ManualClock
from tests.unit.usage.test_roll_up import Books, books
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.usage.repository import UsageRepository
from tollgate.usage.service import StatisticsService

__all__ = ["books"]

PATIENCE_S = 30
"""A query waits so long for the other one. If they are not sent at once, the test fails."""


class CountingClient:
    """A client that notes the rows and the bytes of each query; `at_once` queries must run together."""

    def __init__(self, client: Any, at_once: int) -> None:
        self._client = client
        self._barrier = Barrier(at_once, timeout=PATIENCE_S)
        self.reads: list[tuple[int, int]] = []

    def query(self, **request: Any) -> Any:
        self._barrier.wait()
        answer = self._client.query(**request)
        self.reads.append((len(answer["Items"]), len(json.dumps(answer["Items"]))))
        return answer


@pytest.fixture
def filled(books: Books) -> tuple[Books, ManualClock]:
    stored = rows()
    for start in range(0, len(stored), 25):
        puts = [{"PutRequest": {"Item": to_attributes(row)}} for row in stored[start : start + 25]]
        books.client.batch_write_item(RequestItems={"Usage": puts})
    newest = max(row["usage_day"] for row in stored if row["usage_day"][0] == "2")
    return books, ManualClock(int(datetime.fromisoformat(newest).replace(tzinfo=UTC).timestamp()) * MS_PER_S)


def test_a_tag_is_one_more_read_at_the_same_time(filled: tuple[Books, ManualClock]) -> None:
    books, clock = filled
    reads = {}
    for group_by, at_once in (("model", 1), ("tag:team", 2)):
        client = CountingClient(books.client, at_once)
        usage = UsageRepository(Database(client), "Usage")  # type: ignore[arg-type]
        found = StatisticsService(usage, clock).of(ACCOUNT, {"range": "30d", "groupBy": group_by})
        assert sum(group["requests"] for group in found["groups"]) == ENTRIES
        reads[group_by] = sorted(client.reads)
    (days,) = reads["model"]
    assert days[0] == DAYS
    assert reads["tag:team"] == [days, (DAYS * VALUES, reads["tag:team"][1][1])]
    # The row of a day has all models and keys, so it is much larger than that of a value.
    assert reads["tag:team"][1][1] < days[1]
