"""However many count the same entries at once, each counts once."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tollgate.composition import api as api_parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import charge_entry

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.usefixtures("service"),
]

THREADS = 8
ENTRIES = 150
BATCH = 10
MAX_DELIVERIES = 100
NOON_MS = 1_795_262_400_000  # 2026-11-21T12:00:00Z


class TestManyRecorders:
    def test_each_entry_is_in_the_statistics_once(self) -> None:
        account_id = new_id("usr")
        tasks = [new_id("task") for _ in range(ENTRIES)]
        changes = [change(account_id, task_id) for task_id in tasks]
        recorder = record_usage_parts.usage_recorder()

        def deliver(seed: int) -> None:
            """Deliver all changes in an order of its own; what failed comes again, as the stream gives it."""
            mine = random.Random(seed).sample(changes, len(changes))  # noqa: S311 - not a secret
            left = [mine[first : first + BATCH] for first in range(0, len(mine), BATCH)]
            for _ in range(MAX_DELIVERIES):
                if not left:
                    return
                batch = left.pop()
                if recorder.record(batch):
                    left.insert(0, batch)
            pytest.fail("the changes were not counted")

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(deliver, range(THREADS)))
        query = {"range": "custom", "from": "2026-11-21", "to": "2026-11-21"}
        total = api_parts.api().statistics.of(account_id, query)["total"]
        assert (total["tasks"], total["spentCents"]) == (ENTRIES, ENTRIES)


def change(account_id: str, task_id: str) -> dict[str, Any]:
    """Return a charge of a cent as a record of the stream."""
    entry = charge_entry(account_id, task_id, "test-image", 10_000, NOON_MS)
    return {"dynamodb": {"NewImage": to_attributes(entry.to_item()), "SequenceNumber": task_id}}
