"""`make bench-stats`: how long 30-day statistics take of an account with a million ledger entries.

The rows of the roll-up are written directly: those that 1 000 000 entries over 30 days, all models of the
catalog and 20 values of a tag make. That entries make such rows is what the tests of `usage/repository.py`
prove. Then the API's own service is asked, on the emulator.
"""

import json
import os
import statistics
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator
from local.machine.stack import Stack
from local.template import ROOT, read_template
from tests.bench import machine
from tests.support.overrides import overrides
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.usage.counts import Counts

ENTRIES = 1_000_000
DAYS = 30
ROUNDS = 30
VALUES = 20
"""Values of the tag; each has its part of each day."""
GROUPS = ("model", "tag:team")
ACCOUNT = "usr_01JD5R6Q00EXAMP1EACCT00001"


def rows() -> list[dict[str, Any]]:
    """Return the rows of the roll-up; each day and model has its part of the entries."""
    models = [model.id for model in Catalog.shipped().all_models()]
    part, rest = divmod(ENTRIES, DAYS * len(models))
    today = datetime.now(tz=UTC).date()
    found = []
    for day in range(DAYS):
        numbers = [part + (day * len(models) + n < rest) for n in range(len(models))]
        counts = {
            model: Counts(number * 12_345, 0, number, 0, number * 1_234, number * 567)
            for model, number in zip(models, numbers, strict=True)
        }
        key = {"account_id": ACCOUNT, "usage_day": str(today - timedelta(days=day))}
        found.append({**key, "seq": 1, "counts": json.dumps(counts)})
        found += [
            {
                **key,
                "usage_day": f"tag:team#{key['usage_day']}#team-{value}",
                "requests": number,
                "spent_micro_usd": number * 12_345,
            }
            for value, number in enumerate(_parts(sum(numbers), VALUES))
        ]
    return found


def _parts(whole: int, parts: int) -> list[int]:
    part, rest = divmod(whole, parts)
    return [part + (number < rest) for number in range(parts)]


def main() -> None:
    """Fill the table, ask, and print."""
    os.chdir(ROOT)
    with ExitStack() as ends, TemporaryDirectory() as folder:
        emulator = Emulator(Path(folder) / "emulator.log")
        ends.callback(emulator.stop)
        variables = overrides(AWS_ENDPOINT_URL=emulator.endpoint)
        clients = Clients.at(emulator.endpoint)
        stack = Stack(read_template(), clients, {"Stage": "local", "LogLevel": "ERROR"}, variables)
        stack.create({})
        os.environ.update({**aws_environment(emulator.endpoint), **stack.environment()})
        filled = rows()
        for row in filled:
            clients.dynamodb.put_item(TableName=stack.refs["UsageTable"], Item=to_attributes(row))
        queries: Counter[str] = Counter()
        group = ""

        def note(**_: Any) -> None:
            queries[group] += 1

        sdk.dynamodb().meta.events.register("provide-client-params.dynamodb.Query", note)
        service = api_parts.api().statistics
        times: dict[str, list[float]] = {group: [] for group in GROUPS}
        # In turn, so that other work on the machine affects all of them.
        for group in GROUPS * ROUNDS:
            started = time.perf_counter()
            found = service.of(ACCOUNT, {"range": "30d", "groupBy": group})
            times[group].append((time.perf_counter() - started) * 1e3)
            assert sum(one["requests"] for one in found["groups"]) == ENTRIES
    table = Table("30-day statistics of 1 000 000 entries", *(f"by {group}" for group in GROUPS))
    days = [row for row in filled if "counts" in row]
    table.add_row("rows of the roll-up", str(len(days)), str(len(filled) - len(days)))
    table.add_row("queries for one answer", *(f"{queries[group] / ROUNDS:g}" for group in GROUPS))
    table.add_row("ms, median", *(f"{statistics.median(times[group]):.1f}" for group in GROUPS))
    table.add_row("ms, best", *(f"{min(times[group]):.1f}" for group in GROUPS))
    Console().print(table)
    machine.show()


if __name__ == "__main__":
    main()
