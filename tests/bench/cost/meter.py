"""Counts what our code asks of AWS, where its calls leave: in botocore and in `AwsJson`."""

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local.machine.clients import Clients
from local.template import Properties
from tests.bench.cost.units import Row, key_names, read_units, write_units

_WRITES = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}


@dataclass
class Meter:
    """Calls and units so far. `tables` has the template's tables by their physical names.

    Rows are looked at before and after each write, by `clients` that nobody counts; `overhead_s` is the CPU
    time that this took.
    """

    clients: Clients
    tables: Mapping[str, Properties]
    calls: Counter[str] = field(default_factory=Counter)
    write_units: int = 0
    read_units: float = 0.0
    overhead_s: float = 0.0

    def register(self, client: Any) -> None:
        """Count the calls of a boto3 client."""
        client.meta.events.register("before-call", self._before_boto)
        client.meta.events.register("after-call", self._after_boto)

    def before(self, operation: str, request: Mapping[str, Any]) -> list[Row | None]:
        """Count a call that is about to be made; give the rows that it writes, as they are."""
        started = time.process_time()
        self.calls[operation] += 1
        rows = [self._row(table, key) for table, key, _ in self._written(operation, request)]
        self.overhead_s += time.process_time() - started
        return rows

    def after(
        self,
        operation: str,
        request: Mapping[str, Any],
        answer: Mapping[str, Any],
        before: list[Row | None],
    ) -> None:
        """Count the units of a call that was made."""
        started = time.process_time()
        for (table, key, in_transaction), old in zip(self._written(operation, request), before, strict=True):
            new = self._row(table, key)
            self.write_units += write_units(self.tables[table], old, new, in_transaction=in_transaction)
        self.read_units += _read(operation, request, answer)
        self.overhead_s += time.process_time() - started

    def _before_boto(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        request = _request(params)
        context["metered"] = (request, self.before(model.name, request))

    def _after_boto(self, model: Any, parsed: Any, context: dict[str, Any], **_: Any) -> None:
        request, before = context["metered"]
        self.after(model.name, request, parsed, before)

    def _written(self, operation: str, request: Mapping[str, Any]) -> list[tuple[str, Row, bool]]:
        """Return table, key, and whether it is in a transaction, of each row that a call writes."""
        if operation == "TransactWriteItems":
            parts = [next(iter(item.items())) for item in request["TransactItems"]]
            return [(part["TableName"], self._key(part), True) for kind, part in parts]
        if operation in _WRITES:
            return [(request["TableName"], self._key(request), False)]
        return []

    def _key(self, part: Mapping[str, Any]) -> Row:
        if "Key" in part:
            return dict(part["Key"])
        return {name: part["Item"][name] for name in key_names(self.tables[part["TableName"]])}

    def _row(self, table: str, key: Row) -> Row | None:
        return self.clients.dynamodb.get_item(TableName=table, Key=dict(key), ConsistentRead=True).get("Item")


def _request(params: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a call; S3 has none."""
    try:
        found = json.loads(params["body"] or b"{}")
    except (TypeError, ValueError, KeyError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(operation: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    if operation == "GetItem":
        rows = [answer["Item"]] if "Item" in answer else []
        return read_units(rows, is_consistent=bool(request.get("ConsistentRead")), together=False)
    if operation in ("Query", "Scan"):
        return read_units(answer["Items"], is_consistent=bool(request.get("ConsistentRead")), together=True)
    if operation == "BatchGetItem":
        return sum(
            read_units(
                rows,
                is_consistent=bool(request["RequestItems"][table].get("ConsistentRead")),
                together=False,
            )
            for table, rows in answer["Responses"].items()
        )
    return 0.0
