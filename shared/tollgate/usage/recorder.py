"""Adds a batch of the ledger's stream to the daily roll-up, and has the changed balances checked."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.kit.observability import logger
from tollgate.ledger.entries import Entry
from tollgate.usage.counts import BALANCE_KINDS, Bucket, bucket_of
from tollgate.usage.repository import RollUp


@dataclass(frozen=True, slots=True)
class UsageRecorder:
    """Counts new entries of the ledger, and passes them to `checks`, which check balances and caps.

    A repeat is harmless: each entry is counted once, and a second check changes nothing.
    """

    roll_up: RollUp
    checks: Sequence[Callable[[Sequence[Entry]], None]]
    clock: Clock

    def record(self, changes: Sequence[Mapping[str, Any]]) -> list[str]:
        """Count a batch of records; `dynamodb.NewImage` of each is an entry in DynamoDB's typed attributes.

        Returns the sequence numbers of the records that failed; a failed bucket does not affect the others.
        Raises the errors of `Entry.from_item` for a row that is not an entry; then nothing was counted.
        """
        # One write for each account and day, so that entries of the same row do not compete.
        buckets: dict[Bucket, dict[str, Entry]] = defaultdict(dict)
        for change in changes:
            entry = Entry.from_item(from_attributes(change["dynamodb"]["NewImage"]))
            buckets[bucket_of(entry)][change["dynamodb"]["SequenceNumber"]] = entry
        failed: list[str] = []
        for bucket, entries in buckets.items():
            # A request without a charge changes no count. Only the checks look at it.
            moved = [entry for entry in entries.values() if entry.kind in BALANCE_KINDS]
            try:
                self.roll_up.count(bucket, moved, self.clock.now_ms())
            except Exception:  # noqa: BLE001 - the batch boundary: logged, and given again by the stream
                logger.exception("record_usage.failed", entries=len(entries), **bucket._asdict())
                failed += entries
                continue
            try:
                for look in self.checks:
                    look(list(entries.values()))
            except Exception:  # noqa: BLE001 - as above
                logger.exception("record_usage.look_failed", **bucket._asdict())
                failed += entries
        return failed
