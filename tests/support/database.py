"""A simulated DynamoDB: tables in memory, with physics, in simulated time; and clients of it.

TextBilling ─► AsyncDatabase ─► SimulatedDynamo.call ─┐
                                                     ├─► conflict? throttled? ─► 3 to 8 ms ─► tables
TaskService ─► Database ─► BlockingClient ───────────┘
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from botocore.exceptions import ClientError, ConnectionClosedError

from local.template import read_template
from tests.support.losses import Loss, Losses
from tests.support.physics import WRITES, Physics, error_body, touched
from tests.support.simulated import SimulatedLoop, Threads
from tests.support.tables import OK, REFUSED, Answer, Tables

START_MS = 1_800_000_000_000
LATE_S = 2.0
"""How long after its sender gave up a late request is carried out."""
TABLES = read_template().of_type("AWS::DynamoDB::Table")


class SimulatedDynamo:
    """The tables of the template. Without `has_physics` nothing is refused, and all takes as long."""

    def __init__(self, seed: int, *, has_physics: bool = True) -> None:
        self.tables = Tables(TABLES)
        self.physics = Physics(Random(seed))  # noqa: S311 - not a secret
        self.losses = Losses()
        """What gets lost; may be changed."""
        self._has_physics = has_physics
        self._late: set[asyncio.Task[Answer]] = set()

    async def call(self, operation: str, request: Mapping[str, Any]) -> Answer:
        """Answer a request, as `AwsJson` does. Raises `TimeoutError` where the answer is lost."""
        loss = self.losses.next(operation)
        if loss is None:
            return await self._carried_out(operation, request)
        if loss is Loss.UNANSWERED:
            await self._carried_out(operation, request)
        if loss is Loss.LATE:
            late = asyncio.ensure_future(self._later(operation, request))
            self._late.add(late)
            late.add_done_callback(self._late.discard)
        raise TimeoutError

    async def _later(self, operation: str, request: Mapping[str, Any]) -> Answer:
        await asyncio.sleep(LATE_S)
        return await self._carried_out(operation, request)

    async def _carried_out(self, operation: str, request: Mapping[str, Any]) -> Answer:
        touches = touched(operation, request)
        items = [self.tables.key_of(kind, one) for kind, one in touches]
        if self._has_physics:
            refusal = self.physics.refusal(operation, items, asyncio.get_running_loop().time())
            if refusal is not None:
                return REFUSED, error_body(*refusal)
        transaction = operation == "TransactWriteItems"
        written = items if transaction or operation in WRITES else []
        with self.physics.in_progress(written, transaction=transaction):
            await asyncio.sleep(self.physics.service_s())
            answer = self.tables.call(operation, request)
        for where in written if self._has_physics else ():
            self.physics.weigh(where, self.tables.row(where) or {})
        return answer


class BlockingClient:
    """As much of boto3's client as `Database` asks, for threads. `kit/aws/sdk.py` lets it try once."""

    def __init__(self, dynamo: SimulatedDynamo, threads: Threads) -> None:
        self._dynamo = dynamo
        self._threads = threads

    def __getattr__(self, name: str) -> Any:
        return partial(self._call, "".join(part.capitalize() for part in name.split("_")))

    def _call(self, operation: str, **request: Any) -> dict[str, Any]:
        status, answer = self._answered(operation, request)
        if status == OK:
            return answer
        code = str(answer["__type"]).rpartition("#")[2]
        response: Any = {"Error": {"Code": code, "Message": ""}, **answer}
        raise ClientError(response, operation)

    def _answered(self, operation: str, request: Mapping[str, Any]) -> Answer:
        try:
            return self._threads.wait(self._dynamo.call(operation, request))
        except TimeoutError as exc:
            raise ConnectionClosedError(endpoint_url=operation) from exc


class SimulatedClock:
    """The loop's time."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        """Return milliseconds since the epoch."""
        return START_MS + int(self._loop.time() * 1_000)
