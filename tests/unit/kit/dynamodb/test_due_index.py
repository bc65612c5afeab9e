"""Timers of rows (moto): what waits is found when its time has come, and nothing else is."""

from typing import Any

import pytest

from tests.conftest import Aws
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.due_index import Due, DueIndex, StaleDueRowError
from tollgate.kit.dynamodb.shards import DUE_SHARDS, due_shard
from tollgate.kit.dynamodb.writes import Write

NOW = 1_700_000_000_000
TABLES = {"TasksTable": "task_id", "DeliveriesTable": "delivery_id"}


class Rows:
    """One of the template's tables, and its timers."""

    def __init__(self, aws: Aws, table: str) -> None:
        self._db = Database(aws.clients.dynamodb, sleep=lambda _: None)
        self._table, self._key = aws.stack.refs[table], TABLES[table]
        self.index = DueIndex(self._db, self._table, self._key)

    def put(self, row_id: str, seq: int, wake_at: int | None) -> None:
        timer = {} if wake_at is None else {"wake_at": wake_at, "due_shard": due_shard(row_id)}
        self._db.write(Write(self._table, item={self._key: row_id, "seq": seq, "more": "x", **timer}))

    def get(self, row_id: str) -> Any:
        return self._db.get(self._table, {self._key: row_id})


@pytest.fixture(params=sorted(TABLES))
def rows(aws: Aws, request: pytest.FixtureRequest) -> Rows:
    """Return each table that has timers."""
    return Rows(aws, request.param)


class TestDue:
    def test_a_row_is_due_from_its_time_on(self, rows: Rows) -> None:
        rows.put("row_1", 3, NOW)
        assert rows.index.due(NOW - 1, 10) == []
        assert rows.index.due(NOW, 10) == [Due("row_1", 3)]

    def test_what_is_done_is_never_due(self, rows: Rows) -> None:
        rows.put("row_1", 3, None)
        assert rows.index.due(NOW * 2, 10) == []

    def test_every_shard_is_looked_at(self, rows: Rows) -> None:
        names = [f"row_{n}" for n in range(4 * DUE_SHARDS)]
        assert {due_shard(name) for name in names} == {str(n) for n in range(DUE_SHARDS)}
        for name in names:
            rows.put(name, 0, NOW)
        assert sorted(due.row_id for due in rows.index.due(NOW, 10)) == sorted(names)

    def test_the_limit_is_one_for_each_shard_and_the_oldest_come_first(self, rows: Rows) -> None:
        same_shard = [f"row_{n}" for n in range(200) if due_shard(f"row_{n}") == "0"][:4]
        for age, name in enumerate(same_shard):
            rows.put(name, 0, NOW - age)
        assert [due.row_id for due in rows.index.due(NOW, 2)] == [same_shard[3], same_shard[2]]


class TestPostpone:
    def test_a_due_row_is_due_later_and_the_rest_of_it_stays(self, rows: Rows) -> None:
        rows.put("row_1", 3, NOW)
        rows.index.postpone(Due("row_1", 3), NOW + 200)
        assert rows.index.due(NOW + 199, 10) == []
        assert rows.index.due(NOW + 200, 10) == [Due("row_1", 3)]
        assert rows.get("row_1")["more"] == "x"

    @pytest.mark.parametrize(("seq", "wake_at"), [(4, NOW), (3, None), (4, None)])
    def test_one_that_moved_on_or_is_done_is_left_alone(
        self, rows: Rows, seq: int, wake_at: int | None
    ) -> None:
        rows.put("row_1", seq, wake_at)
        before = rows.get("row_1")
        with pytest.raises(StaleDueRowError):
            rows.index.postpone(Due("row_1", 3), NOW + 200)
        assert rows.get("row_1") == before

    def test_one_that_is_gone_is_not_made(self, rows: Rows) -> None:
        with pytest.raises(StaleDueRowError):
            rows.index.postpone(Due("row_1", 0), NOW)
        assert rows.get("row_1") is None
