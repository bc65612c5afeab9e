"""Reads an account's batches for the dashboard, which has no event loop. One list has both protocols."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.artifacts.uploads import Uploads
from tollgate.batches.models import ENDED, Batch, ChangedError, Kind, results_key, row_id
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Between, Equals
from tollgate.kit.dynamodb.pages import Page
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import put_if_unchanged
from tollgate.kit.errors import InvalidInputError, StorageBusyError, UploadNotFoundError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.text.wire.errors import BatchNotFoundError

# Attempts to change a row that a worker may change at the same time.
MAX_ATTEMPTS = 10
# The field of a row with the id of each file. Batches of Anthropic's protocol have only results.
FILES = {"input": "input_file_id", "results": "output_file_id", "errors": "error_file_id"}
# Sorts after every id.
_LAST = "~"

Send = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class BatchReader:
    """Shows and cancels the batches of an account. `send` sends a message to the worker.

    Each method with an id raises `BatchNotFoundError`.
    """

    db: Database
    table: str
    uploads: Uploads
    send: Send
    clock: Clock

    def page(self, account_id: str, cursor: str, limit: int) -> Page[Batch]:
        """Return a page, the newest batch first. The first page has an empty `cursor`.

        Raises `InvalidInputError`.
        """
        if cursor and not is_id(Kind.OPENAI.prefix, f"{Kind.OPENAI.prefix}_{cursor}"):
            raise InvalidInputError([Problem("/cursor", "Not the cursor of a page.")])
        rows = [row for kind in Kind for row in self._rows(account_id, kind, cursor, limit)]
        rows.sort(key=_ulid, reverse=True)
        shown, now_s = rows[:limit], self._now_s()
        # A deleted batch leaves a row that has expired.
        batches = [Batch(row) for row in shown if row["expires_at_s"] > now_s]
        return Page(batches, _ulid(shown[-1]) if len(rows) > limit else None)

    def find(self, account_id: str, batch_id: str) -> Batch:
        """Return a batch. If no worker has it, its message is sent again."""
        kind = next((kind for kind in Kind if is_id(kind.prefix, batch_id)), None)
        key = {"account_id": account_id, "response_id": row_id(batch_id)}
        row = None if kind is None else self.db.get(self.table, key)
        now_s = self._now_s()
        if row is None or row["expires_at_s"] <= now_s:
            raise BatchNotFoundError(batch_id)
        batch = Batch(row)
        awakened = batch.awakened(now_s)
        if awakened is None:
            return batch
        self.send({"account_id": account_id, "batch_id": batch_id})
        # If another process has changed it, it needs no second message.
        return self._changed(batch, awakened) or batch

    def cancel(self, account_id: str, batch_id: str) -> Batch:
        """Cancel a batch and return it. A batch that has ended stays unchanged. Raises `StorageBusyError`."""
        for _ in range(MAX_ATTEMPTS):
            batch = self.find(account_id, batch_id)
            row = batch.cancelling(self._now_s())
            changed = batch if row is None else self._changed(batch, row)
            if changed is not None:
                if changed.is_at_vendor:
                    # Otherwise its worker would look at it only minutes later.
                    self.send({"account_id": account_id, "batch_id": batch_id, "is_urgent": True})
                return changed
        raise StorageBusyError

    def file_url(self, account_id: str, batch_id: str, name: str) -> str:
        """Return a URL to download one of the `FILES`. It is valid for a few minutes.

        Raises `UploadNotFoundError`.
        """
        batch = self.find(account_id, batch_id)
        if name not in files_of(batch):
            raise UploadNotFoundError
        if batch.kind is Kind.ANTHROPIC:
            return self.uploads.signed_url(results_key(batch))
        return self.uploads.content_url(Caller.of_account(account_id), batch.row[FILES[name]])

    def _rows(self, account_id: str, kind: Kind, cursor: str, limit: int) -> list[Item]:
        """Return the rows of a kind before the cursor: at most one more than the page has."""
        first, last = row_id(f"{kind.prefix}_"), row_id(f"{kind.prefix}_{cursor or _LAST}")
        inside = Equals("account_id", account_id) & Between("response_id", first, last)
        # `Between` includes the cursor, which is the last row of the page before.
        found = self.db.query(self.table, inside, limit=limit + 2, newest_first=True)
        return [row for row in found if row["response_id"] != last][: limit + 1]

    def _changed(self, batch: Batch, row: Item) -> Batch | None:
        """Write the next row of a batch; `None` if another process has changed it since it was read."""
        seq = batch.row["seq"]
        try:
            self.db.write(
                put_if_unchanged(self.table, row, "response_id", seq, lambda _: ChangedError(batch.id))
            )
        except ChangedError:
            return None
        return Batch(row)

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def files_of(batch: Batch) -> list[str]:
    """Return the names of the files that a batch has now."""
    if batch.kind is Kind.ANTHROPIC:
        return ["results"] if batch.state in ENDED else []
    # The row has the ids of results before the files are written.
    return [name for name, field in FILES.items() if batch.row[field] and (name == "input" or batch.is_ended)]


def _ulid(row: Item) -> str:
    return str(row["response_id"]).rpartition("_")[2]
