"""From a batch of the ledger's stream to the daily roll-up, and to a look at the balances it moved."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import Clock
from tollgate.kit.observability import logger
from tollgate.kit.rows import from_attributes
from tollgate.ledger.entries import Entry
from tollgate.usage.counts import Bucket, bucket_of
from tollgate.usage.repository import RollUp


@dataclass(frozen=True, slots=True)
class UsageRecorder:
    """Counts new entries of the ledger, and has the balances and caps looked at that they moved.

    A repeat is harmless: each entry is counted once, and a look changes nothing twice.
    """

    roll_up: RollUp
    looks: Sequence[Callable[[Sequence[Entry]], None]]
    clock: Clock

    def record(self, changes: Sequence[Mapping[str, Any]]) -> list[str]:
        """Count a batch of records (`dynamodb.NewImage` is an entry in typed attributes).

        Gives the sequence numbers of those that could not be counted now; one bucket's trouble leaves the
        others alone. Raises what `Entry.from_item` does for a row that is no entry: then nothing was counted.
        """
        # One row for an account's day: entries that meet there are written together, not against each other.
        buckets: dict[Bucket, dict[str, Entry]] = defaultdict(dict)
        for change in changes:
            entry = Entry.from_item(from_attributes(change["dynamodb"]["NewImage"]))
            buckets[bucket_of(entry)][change["dynamodb"]["SequenceNumber"]] = entry
        failed: list[str] = []
        for bucket, entries in buckets.items():
            try:
                self.roll_up.count(bucket, entries.values(), self.clock.now_ms())
            except Exception:  # noqa: BLE001 - the batch boundary: logged, and given again by the stream
                logger.exception("record_usage.failed", entries=len(entries), **bucket._asdict())
                failed += entries
                continue
            try:
                for look in self.looks:
                    look(list(entries.values()))
            except Exception:  # noqa: BLE001 - as above
                logger.exception("record_usage.look_failed", **bucket._asdict())
                failed += entries
        return failed
