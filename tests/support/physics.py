"""DynamoDB with physics: a proxy before the emulator that refuses what DynamoDB would, and takes its time.

    our clients ─► here: conflict? over an item's limit? ─► 3 to 8 ms ─► the emulator

- Two transactions, or a transaction and a write, that overlap on an item: the later one is refused. A
  transaction that reads stands in nobody's way.
- An item takes 1,000 write units and gives 3,000 read units a second; one above that is throttled.
- `unrest` is the share of requests that are throttled for no reason of ours, as when a partition is split.

Sizes are those of what was last written to or read from an item through here.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html (conflicts),
bp-partition-key-design.html (an item's limits) and read-write-operations.html (units) beside it.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import aiohttp
from aiohttp import web

from tests.bench.cost.units import size_of
from tests.support.lossy_proxy import served

WRITE_UNITS_PER_S, READ_UNITS_PER_S = 1_000, 3_000
WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1_024, 4_096
SERVICE_S = (0.003, 0.008)
PREFIX = "DynamoDB_20120810."
WRITES = {"PutItem", "UpdateItem", "DeleteItem"}

Where = tuple[str, Hashable]
"""An item: its table, and its key in any form."""


@dataclass
class Physics:
    """What is in progress, and what each item has had in this second."""

    random: Random
    unrest: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    """How often something was refused, by why: `conflict`, `throttle`."""
    _in_transaction: set[Where] = field(default_factory=set)
    _writing: Counter[Where] = field(default_factory=Counter)
    _bytes: dict[Where, int] = field(default_factory=dict)
    _used: dict[tuple[str, Where], tuple[int, int]] = field(default_factory=dict)

    def conflicts(self, items: Sequence[Where], *, transaction: bool) -> list[bool]:
        """Return for each item whether something else that is in progress stands in the way."""
        return [one in self._in_transaction or (transaction and self._writing[one] > 0) for one in items]

    @contextmanager
    def in_progress(self, items: Sequence[Where], *, transaction: bool) -> Iterator[None]:
        """Stand in the way of others until the end."""
        self._in_transaction.update(items if transaction else ())
        self._writing.update(() if transaction else items)
        try:
            yield
        finally:
            self._in_transaction.difference_update(items if transaction else ())
            self._writing.subtract(() if transaction else items)

    def throttles(self, kind: str, item: Where, now_s: float, *, times: int = 1) -> bool:
        """Count a read or write of an item; return whether it is too many."""
        unit, most = (
            (WRITE_UNIT_BYTES, WRITE_UNITS_PER_S) if kind == "write" else (READ_UNIT_BYTES, READ_UNITS_PER_S)
        )
        units = times * max(1, -(-self._bytes.get(item, 0) // unit))
        second, used = self._used.get((kind, item), (0, 0))
        used = used if second == int(now_s) else 0
        if used + units > most or self.random.random() < self.unrest:
            return True
        self._used[kind, item] = (int(now_s), used + units)
        return False

    def weigh(self, item: Where, row: Mapping[str, Any]) -> None:
        """Note how large an item is."""
        self._bytes[item] = size_of(row)

    def refusal(self, operation: str, items: Sequence[Where], now_s: float) -> tuple[str, list[str]] | None:
        """Return what a request is refused with: an error's name and, of a transaction, the reasons."""
        transaction = operation.startswith("Transact")
        is_write = operation == "TransactWriteItems" or operation in WRITES
        if (is_write or transaction) and any(stood := self.conflicts(items, transaction=transaction)):
            self.refused["conflict"] += 1
            return _refused("TransactionConflict", "TransactionConflictException", stood, transaction)
        kind = "write" if is_write else "read"
        # A transaction writes each item twice: once to prepare it, once to carry it out.
        over = [self.throttles(kind, one, now_s, times=1 + transaction) for one in items]
        if not any(over):
            return None
        self.refused["throttle"] += 1
        return _refused("ThrottlingError", "ProvisionedThroughputExceededException", over, transaction)

    def service_s(self) -> float:
        """Return how long the next request takes."""
        return self.random.uniform(*SERVICE_S)


def _refused(reason: str, error: str, which: Sequence[bool], transaction: bool) -> tuple[str, list[str]]:
    reasons = [reason if one else "None" for one in which]
    return ("TransactionCanceledException", reasons) if transaction else (error, [])


def touched(operation: str, body: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the items of a request whose place is known, each with what is done to it."""
    if operation in {"TransactWriteItems", "TransactGetItems"}:
        return [next(iter(one.items())) for one in body["TransactItems"]]
    if operation in WRITES or operation == "GetItem":
        return [(operation.removesuffix("Item"), body)]
    return []


class Proxy:
    """Carries requests to the emulator, as far as `physics` lets them."""

    def __init__(self, upstream: str, physics: Physics) -> None:
        self._upstream = upstream
        self._physics = physics
        self._keys: dict[str, list[str]] = {}
        self._session: aiohttp.ClientSession | None = None

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one request."""
        headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
        raw, target = await request.read(), request.headers.get("x-amz-target", "")
        operation = target.removeprefix(PREFIX)
        body = json.loads(raw) if target.startswith(PREFIX) else {}
        touches = touched(operation, body)
        items = [await self._where(kind, one) for kind, one in touches]
        if (refusal := self._physics.refusal(operation, items, time.monotonic())) is not None:
            return _error(*refusal)
        transaction = operation == "TransactWriteItems"
        written = items if transaction or operation in WRITES else []
        with self._physics.in_progress(written, transaction=transaction):
            await asyncio.sleep(self._physics.service_s())
            status, answer = await self._send(request.method, request.rel_url.raw_path_qs, headers, raw)
        one_by_one = zip(items, touches, strict=True) if written or operation == "GetItem" else ()
        for where, (kind, one) in one_by_one:
            await self._weigh(where, kind, one, answer)
        return web.Response(status=status, body=answer, content_type="application/x-amz-json-1.0")

    async def _weigh(self, where: Where, kind: str, one: Mapping[str, Any], answer: bytes) -> None:
        """Note how large an item is now; one that was updated is read for it."""
        if kind == "Put":
            self._physics.weigh(where, one["Item"])
            return
        if kind == "Update":
            body = json.dumps({"TableName": one["TableName"], "Key": one["Key"]}).encode()
            _, answer = await self._send("POST", "/", _headers("GetItem"), body)
        self._physics.weigh(where, json.loads(answer or b"{}").get("Item", {}))

    async def _where(self, kind: str, one: Mapping[str, Any]) -> Where:
        table = str(one["TableName"])
        key = one["Key"] if kind != "Put" else {name: one["Item"][name] for name in await self._key_of(table)}
        return table, json.dumps(key, sort_keys=True)

    async def _key_of(self, table: str) -> list[str]:
        if table not in self._keys:
            body = json.dumps({"TableName": table}).encode()
            _, answer = await self._send("POST", "/", _headers("DescribeTable"), body)
            schema = json.loads(answer)["Table"]["KeySchema"]
            self._keys[table] = [part["AttributeName"] for part in schema]
        return self._keys[table]

    async def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, bytes]:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        async with self._session.request(method, self._upstream + path, data=body, headers=headers) as answer:
            return answer.status, await answer.read()

    async def close(self) -> None:
        """End the connections to the emulator."""
        if self._session is not None:
            await self._session.close()


def _headers(operation: str) -> dict[str, str]:
    return {"x-amz-target": f"{PREFIX}{operation}", "content-type": "application/x-amz-json-1.0"}


def _error(code: str, reasons: Sequence[str]) -> web.Response:
    body = error_body(code, reasons)
    return web.json_response(body, status=400, content_type="application/x-amz-json-1.0")


def error_body(code: str, reasons: Sequence[str]) -> dict[str, Any]:
    """Return the body of an error; a cancelled transaction has `reasons`."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "by physics"}
    return body | ({"CancellationReasons": [{"Code": reason} for reason in reasons]} if reasons else {})


@contextmanager
def physics_before(upstream: str, seed: int, unrest: float = 0.0) -> Iterator[tuple[str, Physics]]:
    """Run the proxy in a thread; give its address, for `AWS_ENDPOINT_URL_DYNAMODB`, and its physics."""
    physics = Physics(Random(seed), unrest)  # noqa: S311 - not a secret
    proxy = Proxy(upstream, physics)
    with served(proxy.handle, proxy.close) as url:
        yield url, physics
