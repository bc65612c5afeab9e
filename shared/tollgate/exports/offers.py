"""Hands requests that ended to `deliver_webhook`, if their account exports them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tollgate.exports.repository import ExportRepository
from tollgate.exports.settings import ExportSettings
from tollgate.kit.aws.queue import Queue
from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.ledger.entries import Entry, EntryKind, charge_id
from tollgate.ledger.service import last_settled_day

# How long a process uses settings that it read. A new export begins that much later at most.
KNOWN_MS = 30 * MS_PER_S
MAX_KNOWN = 1_000
# Requests of one message.
MAX_REQUESTS = 50
# The entries at the end of a text request. A generation ends with its task.
ENDINGS = frozenset({EntryKind.TEXT, EntryKind.VOID})


@dataclass(frozen=True, slots=True)
class RequestOffers:
    """Sends messages `{account_id, entries, attempt}`. A repeat is harmless: no event is sent twice."""

    exports: ExportRepository
    queue: Queue
    clock: Clock
    known: BoundedCache[tuple[int, ExportSettings]] = field(default_factory=lambda: BoundedCache(MAX_KNOWN))

    def check_entries(self, entries: Iterable[Entry]) -> None:
        """Offer the text requests among new entries of the ledger."""
        ended: dict[str, list[str]] = defaultdict(list)
        for entry in entries:
            if entry.kind in ENDINGS:
                ended[entry.account_id].append(entry.entry_id)
        for account_id, entry_ids in ended.items():
            self._offer(account_id, entry_ids)

    def offer_task(self, account_id: str, task_id: str) -> None:
        """Offer a generation that ended."""
        self._offer(account_id, [charge_id(task_id)])

    def offer_day(self, account_id: str) -> None:
        """Have the files of the last complete day written, if the account has a bucket."""
        if self._settings(account_id).bucket is not None:
            self.queue.send({"account_id": account_id, "day": last_settled_day(self.clock.now_ms())})

    def _offer(self, account_id: str, entry_ids: list[str]) -> None:
        if self._settings(account_id).has_requests:
            self.queue.send_all(
                [{"account_id": account_id, "entries": some, "attempt": 1} for some in _parts(entry_ids)]
            )

    def _settings(self, account_id: str) -> ExportSettings:
        now_ms = self.clock.now_ms()
        read_ms, found = self.known.get(account_id, (-KNOWN_MS, None))
        if found is None or now_ms - read_ms >= KNOWN_MS:
            found = self.exports.read(account_id)
            self.known[account_id] = (now_ms, found)
        return found


def _parts(entry_ids: list[str]) -> Iterator[list[str]]:
    return (entry_ids[first : first + MAX_REQUESTS] for first in range(0, len(entry_ids), MAX_REQUESTS))
