"""Rows of customers' stored content: each expires, and content that is too large for a row is in an object.

The account is a part of each key, so no account finds another account's rows.
"""

from dataclasses import dataclass

from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.expressions import Add, Below, Condition, Missing, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Write
from tollgate.text.responses.states import MovedOnError
from tollgate.text.responses.timers import TIMER
from tollgate.text.wire.errors import StoreFullError

# OpenAI's own: "Response objects are saved for 30 days by default".
LIFETIME_S = 30 * 24 * 3600
# Of content in its row; DynamoDB takes 400 KB, ids and names included.
MAX_ROW_BYTES = 300_000
# Most bytes that one account may store in a day, because storage is the only free resource here.
MAX_DAY_BYTES = 256 * 1024 * 1024
# Conversations that one account may create in a day.
MAX_DAY_CONVERSATIONS = 10_000

_DAY_S = 24 * 3600
_PREFIX = "responses/"


@dataclass(frozen=True, slots=True)
class Storage:
    """The table of stored content, and the bucket for large content. All methods raise `DatabaseError`."""

    db: AsyncDatabase
    table: str
    objects: S3Objects
    clock: Clock

    async def keep(self, account_id: str, row_id: str, content: str, fields: Item) -> None:
        """Store content, and count it. Raises `StoreFullError`, and as `put` does."""
        await self.count(account_id, len(content))
        await self.put(account_id, row_id, content, fields)

    async def put(
        self, account_id: str, row_id: str, content: str, fields: Item, only_if: Condition | None = None
    ) -> None:
        """Store content; a repeat changes nothing. Raises `ObjectStoreError`.

        `fields` are the row's other attributes, with `expires_at_s`. Raises `MovedOnError` if the row that is
        there does not meet the condition `only_if`.
        """
        is_large = len(content) > MAX_ROW_BYTES
        if is_large:
            # Write the object first, so that a row never names a missing object.
            await self.objects.put(_object_key(account_id, row_id), content.encode())
        row: Item = {**row_key(account_id, row_id), **fields, "content": None if is_large else content}
        await self.db.write(Write(self.table, item=row, condition=only_if, refused=lambda _: MovedOnError()))

    async def row(self, account_id: str, row_id: str) -> Item | None:
        """Return a row that has not expired."""
        row = await self.db.get(self.table, row_key(account_id, row_id))
        # DynamoDB may delete an expired row days later.
        return None if row is None or row["expires_at_s"] <= self.now_s() else row

    async def content(self, row: Item) -> str | bytes | None:
        """Return a row's content, or `None` if it has none. Raises `ObjectStoreError`."""
        content: str | bytes | None = row["content"]
        if content is None:
            content = await self.objects.get(_object_key(row["account_id"], row["response_id"]))
        return content

    async def empty_object(self, row: Item) -> None:
        """Overwrite the object of a row, if it has one. Raises `ObjectStoreError`."""
        if row["content"] is None:
            await self.objects.put(_object_key(row["account_id"], row["response_id"]), b"")

    def gone(self, row: Item) -> Write:
        """Return the write that overwrites a row with `gone_row`."""
        return Write(self.table, item=self.gone_row(row))

    def gone_row(self, row: Item) -> Item:
        """Return a row without its content. It expires, so the function needs no permission to delete."""
        timer = {name: row[name] for name in TIMER if name in row}
        return {**row_key(row["account_id"], row["response_id"]), **timer, "expires_at_s": self.now_s()}

    async def count(self, account_id: str, size_bytes: int, conversations: int = 0) -> None:
        """Count what an account stores today. Raises `StoreFullError`."""
        now_s = self.now_s()
        # Nothing was stored on this day yet, or less than may be.
        has_bytes = Missing("stored_bytes") | Below("stored_bytes", MAX_DAY_BYTES)
        has_room = Missing("conversations") | Below("conversations", MAX_DAY_CONVERSATIONS)
        count = CountingWrite(
            self.table,
            key=row_key(account_id, f"day_{now_s // _DAY_S}"),
            update=(
                Set("expires_at_s", now_s + 2 * _DAY_S),
                Add("stored_bytes", size_bytes, start=0),
                *([Add("conversations", conversations, start=0)] if conversations else []),
            ),
            condition=has_bytes & has_room if conversations else has_bytes,
            refused=lambda _: StoreFullError(),
        )
        # A transaction of one write, for its token: if the answer is lost, the bytes are not counted twice.
        await self.db.transact([count])

    def now_s(self) -> int:
        """Return the time in seconds."""
        return self.clock.now_ms() // MS_PER_S


def row_key(account_id: str, row_id: str) -> Item:
    """Return the key of a row. The attribute has its name from the first kind of row."""
    return {"account_id": account_id, "response_id": row_id}


def _object_key(account_id: str, row_id: str) -> str:
    return f"{_PREFIX}{account_id}/{row_id}.json"
