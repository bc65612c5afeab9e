"""The database with physics is what DynamoDB's documents say, and money under it stays what it was."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.machine.clients import aws_environment
from local.machine.emulator import Emulator
from tests.support.physics import Physics, physics_before
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add, AtLeast, Missing, Set
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.ids import new_id

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

WRITERS, EACH = 8, 15


class NotEnoughError(Exception):
    """The row has less than is to be taken."""


@dataclass
class World:
    """A table behind the proxy, its physics, and a client that tries once only."""

    url: str
    physics: Physics
    table: str

    def client(self, attempts: int = 1) -> Any:
        config = Config(retries={"total_max_attempts": attempts})
        return boto3.client("dynamodb", endpoint_url=self.url, config=config)

    def take(self, key: str, amount: int, entry: str) -> list[TransactWrite]:
        """Return a transaction that takes an amount and says so in a row of its own."""
        taken = CountingWrite(
            self.table,
            key={"id": key},
            update=(Add("n", -amount),),
            condition=AtLeast("n", amount),
            refused=lambda _: NotEnoughError(),
        )
        said = Write(self.table, item={"id": entry}, condition=Missing("id"))
        return [taken, said]


@pytest.fixture
def world(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name, value in aws_environment(emulator.endpoint).items():
        monkeypatch.setenv(name, value)
    with physics_before(emulator.endpoint, seed=1) as (url, physics):
        table = new_id("physics")
        made = World(url, physics, table)
        made.client().create_table(
            TableName=table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        )
        yield made


def codes_of_two_at_once(world: World, first: Write, second: list[TransactWrite]) -> Counter[str]:
    """Send a write and a transaction at the same moment, some times; count what they were refused with."""
    found: Counter[str] = Counter()
    client = world.client()

    def send(barrier: threading.Barrier, writes: list[TransactWrite]) -> None:
        barrier.wait()
        try:
            if len(writes) == 1:
                client.update_item(**writes[0].request())
            else:
                client.transact_write_items(TransactItems=[{one.kind(): one.request()} for one in writes])
        except ClientError as exc:
            reasons: Any = exc.response.get("CancellationReasons", [{}])
            found[reasons[0].get("Code") or exc.response["Error"]["Code"]] += 1

    with ThreadPoolExecutor(2) as pool:
        for _ in range(EACH):
            barrier = threading.Barrier(2)
            list(pool.map(lambda one, at=barrier: send(at, one), ([first], second)))
    return found


def test_a_transaction_and_a_write_of_one_item_at_once_conflict(world: World) -> None:
    Database(world.client()).write(Write(world.table, item={"id": "a", "n": 10**6}))
    alone = Write(world.table, key={"id": "a"}, update=(Set("x", 1),))
    other = Write(world.table, key={"id": "b"}, update=(Set("x", 1),))
    both: list[TransactWrite] = [
        CountingWrite(world.table, key={"id": "a"}, update=(Add("n", -1),)),
        other,
    ]
    found = codes_of_two_at_once(world, alone, both)
    assert found.keys() <= {"TransactionConflict", "TransactionConflictException"}
    assert found.total() > 0
    assert codes_of_two_at_once(world, alone, [other]) == Counter()


def test_an_item_takes_a_thousand_units_a_second(world: World) -> None:
    item = (world.table, '{"id": {"S": "a"}}')
    assert [world.physics.throttles("write", item, 7.0) for _ in range(1_001)] == [False] * 1_000 + [True]
    assert not world.physics.throttles("write", item, 8.0)
    world.physics.weigh(item, {"large": {"S": "x" * 10_000}})
    reads = [world.physics.throttles("read", item, 7.0) for _ in range(1_001)]
    assert reads == [False] * 1_000 + [True]
    assert [world.physics.throttles("write", item, 9.0) for _ in range(101)].count(False) == 100


def test_no_money_is_lost_or_made_under_conflicts_and_throttles(world: World) -> None:
    world.physics.unrest = 0.05
    database = Database(world.client(4))
    start = WRITERS * EACH // 2
    database.write(Write(world.table, item={"id": "a", "n": start}))

    def work(writer: int) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        for n in range(EACH):
            try:
                database.transact(world.take("a", 1, f"{writer}-{n}"))
            except NotEnoughError:
                outcomes["refused"] += 1
            except StorageBusyError:
                outcomes["busy"] += 1
            else:
                outcomes["taken"] += 1
        return outcomes

    with ThreadPoolExecutor(WRITERS) as pool:
        outcomes: Counter[str] = sum(pool.map(work, range(WRITERS)), Counter())
    rows = {row["id"]: row for row in database.scan(world.table)}
    assert len(rows) - 1 == outcomes["taken"] == start - rows["a"]["n"]
    assert rows["a"]["n"] >= 0
    assert outcomes["taken"] > 0
    assert world.physics.refused["conflict"] > 0
    assert world.physics.refused["throttle"] > 0
