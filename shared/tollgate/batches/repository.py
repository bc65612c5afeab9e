"""The rows of batches and of their lines' results, beside stored responses.

Every change of a batch is one write of its row. It is refused if the row's `seq` has changed since the read.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from tollgate.batches.models import (
    RESULT_LIFETIME_S,
    Batch,
    ChangedError,
    Kind,
    once_id,
    result_id,
    row_id,
    vendor_account,
)
from tollgate.kit.dynamodb.expressions import Below, Between, Equals, Missing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write, put_if_unchanged
from tollgate.kit.errors import StorageBusyError
from tollgate.text.responses.storage import Storage, row_key

# Attempts to change a row that others change, and the longest wait between two of them.
MAX_ATTEMPTS = 20
MAX_WAIT_S = 0.2
# Longer than a create takes.
ONCE_S = 10 * 60
# After every id.
_LAST = "~"

Change = Callable[[Batch], Item | None]


@dataclass(frozen=True, slots=True)
class Result:
    """The stored result of a line as JSON."""

    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class BatchRepository:
    """The stored batches. All methods raise `DatabaseError`, and result methods `ObjectStoreError` too."""

    storage: Storage

    async def create(self, batch: Batch) -> None:
        """Store a new batch. Raises `ChangedError` if another one has the same Idempotency-Key.

        The row of the key refuses requests at the same time. A later one finds the batch itself.
        """
        table, account_id = self.storage.table, batch.account_id
        new = put_if_unchanged(table, batch.row, "response_id", 0, lambda _: ChangedError(batch.id))
        once: list[Write] = []
        if batch.row["once"] is not None:
            now_s = self.storage.now_s()
            key = row_key(account_id, once_id(batch.kind, batch.row["once"]))
            is_free = Missing("response_id") | Below("expires_at_s", now_s)
            row: Item = {**key, "content": batch.id, "expires_at_s": now_s + ONCE_S}
            once = [Write(table, item=row, condition=is_free, refused=lambda _: ChangedError(batch.id))]
        await self.storage.db.transact([*once, new])

    async def find(self, account_id: str, batch_id: str) -> Batch | None:
        """Return a batch of the account."""
        row = await self.storage.row(account_id, row_id(batch_id))
        return None if row is None else Batch(row)

    async def page(
        self, account_id: str, kind: Kind, limit: int, *, after: str | None = None, before: str | None = None
    ) -> tuple[list[Batch], bool]:
        """Return a page, the newest first, and whether there are more.

        It has the batches older than `after`, or newer than `before`.
        """
        first = row_id(f"{kind.prefix}_") if before is None else row_id(before)
        last = row_id(f"{kind.prefix}_{_LAST}") if after is None else row_id(after)
        inside = Equals("account_id", account_id) & Between("response_id", first, last)
        # The bounds are inclusive, and one row shows that there are more.
        found = await self.storage.db.query(
            self.storage.table, inside, limit=limit + 2, newest_first=before is None
        )
        now_s = self.storage.now_s()
        batches = [
            Batch(row)
            for row in found
            if row["response_id"] not in (first, last) and row["expires_at_s"] > now_s
        ]
        shown = batches[:limit]
        return (shown if before is None else shown[::-1]), len(batches) > limit

    async def change(self, account_id: str, batch_id: str, change: Change) -> Batch | None:
        """Store the row that `change` returns for the current batch; for `None` nothing is changed.

        Returns the batch as it is then. Raises `StorageBusyError`, and as `change` does.
        """
        for _ in range(MAX_ATTEMPTS):
            found = await self.find(account_id, batch_id)
            row = None if found is None else change(found)
            if found is None or row is None:
                return found
            try:
                await self.storage.db.write(self.put(found, row))
            except ChangedError:
                await asyncio.sleep(random.uniform(0, MAX_WAIT_S))  # noqa: S311 - not a secret
            else:
                return Batch(row)
        raise StorageBusyError

    def put(self, found: Batch, row: Item) -> Write:
        """Return the write that replaces the row of a batch that was read."""
        return put_if_unchanged(
            self.storage.table, row, "response_id", found.row["seq"], lambda _: ChangedError(found.id)
        )

    async def delete(self, batch: Batch, noted: Write) -> None:
        """Delete a batch, together with another write. Raises `ChangedError`."""
        await self.storage.db.transact([self.put(batch, self.storage.gone_row(batch.row)), noted])

    async def know(self, provider: str, vendor_id: str, owner: str) -> None:
        """Note whose a batch at a vendor without labels is; a repeat changes nothing."""
        expires_at_s = self.storage.now_s() + RESULT_LIFETIME_S
        await self.storage.put(vendor_account(provider), vendor_id, owner, {"expires_at_s": expires_at_s})

    async def owner(self, provider: str, vendor_id: str) -> str | None:
        """Return whose a batch at a vendor without labels is, if that was noted."""
        row = await self.storage.row(vendor_account(provider), vendor_id)
        return None if row is None else str(row["content"])

    async def keep_result(self, batch: Batch, number: int, result: Result) -> None:
        """Store the result of a line; a repeat changes nothing."""
        expires_at_s = self.storage.now_s() + RESULT_LIFETIME_S
        fields: Item = {"is_error": result.is_error, "expires_at_s": expires_at_s}
        await self.storage.put(batch.account_id, result_id(batch.id, number), result.text, fields)

    async def result(self, batch: Batch, number: int) -> Result | None:
        """Return the result of a line, if it has one."""
        row = await self.storage.row(batch.account_id, result_id(batch.id, number))
        content = None if row is None else await self.storage.content(row)
        if row is None or content is None:
            return None
        text = content if isinstance(content, str) else content.decode()
        return Result(text, row["is_error"])
