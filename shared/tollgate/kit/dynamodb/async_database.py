"""DynamoDB through our own HTTP client, for text: the same requests as `database.py`, without an SDK.

A boto3 call costs 560 µs of CPU and blocks the loop; this one costs about a tenth of that.
"""

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from tollgate.kit.aws.json_protocol import AwsJson
from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.core import LOST, Answer, Patience, Request, Steps, Wait, Written
from tollgate.kit.dynamodb.expressions import Condition
from tollgate.kit.dynamodb.rows import Item, from_attributes
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite

# About 6 s of collisions. So 100 requests that change one row at the same moment are all carried out
# (`tests/unit/ledger/test_budget_rules.py`).
PATIENCE = Patience(attempts=24, unanswered=8, max_wait_s=0.5)
FIRST_SERVER_ERROR = 500
OK = 200

T = TypeVar("T")


class AsyncDatabase:
    """The tables of one region. Every method raises `DatabaseError`, of which a busy row is one kind."""

    def __init__(self, dynamodb: AwsJson) -> None:
        self._dynamodb = dynamodb

    async def get(self, table: str, key: Item) -> Item | None:
        """Return the row at `key` as it is now, or `None`."""
        return await self._carry_out(core.get(table, key, PATIENCE))

    async def get_together(self, table: str, keys: Sequence[Item]) -> list[Item]:
        """Return rows, all read at one moment; a missing row is empty."""
        return await self._carry_out(core.get_together(table, keys, PATIENCE))

    async def query(
        self, table: str, condition: Condition, *, limit: int | None = None, newest_first: bool = False
    ) -> list[Item]:
        """Return the rows of one partition in key order, or in reverse, at most `limit` of them.

        Only for rows that fit into one page of 1 MB.
        """
        steps = core.query(table, condition, PATIENCE, limit=limit, newest_first=newest_first)
        return await self._carry_out(steps)

    async def scan(self, table: str) -> list[Item]:
        """Return all rows of a table of a few rows, which fit into one page of 1 MB.

        A row can be about a second old.
        """
        request = Request("Scan", {"TableName": table}, table)
        answer = await self._carry_out(core.read(request, PATIENCE))
        return [from_attributes(item) for item in answer["Items"]]

    async def write(self, write: SingleWrite) -> Written:
        """Do one write. Raises the error of `write.refused` if its condition fails."""
        return await self._carry_out(core.write(write, PATIENCE))

    async def transact(self, writes: Sequence[TransactWrite]) -> None:
        """Do all writes or none. Raises the error of the first refused write, in the order given."""
        await self._carry_out(core.transact(writes, PATIENCE))

    async def transact_once(self, writes: Sequence[TransactWrite]) -> bool:
        """Send a transaction once; return whether it was surely carried out (`core.transact_once`)."""
        return await self._carry_out(core.transact_once(writes))

    async def _carry_out(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                step = steps.send(await self._take(step))
        except StopIteration as end:
            outcome: T = end.value
            return outcome

    async def _take(self, step: Request | Wait) -> Answer:
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            return Answer()
        return await self._send(step)

    async def _send(self, request: Request) -> Answer:
        try:
            status, body = await self._dynamodb.call(request.operation, request.body)
        except (OSError, ValueError) as exc:
            return Answer({}, LOST, exc)
        if status == OK:
            return Answer(body)
        code = str(body.get("__type", "")).rpartition("#")[2]
        return Answer(body, LOST if status >= FIRST_SERVER_ERROR else code or f"status {status}")
