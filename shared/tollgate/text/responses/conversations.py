"""Stored conversations: items that requests continue and extend, kept for `LIFETIME_S` from their creation.

A conversation is a row that lists batches, in order. A batch is a row with the items that were added
together, and never changes. Every change of a conversation is one write of its row, and is refused if its
`seq` has changed since the row was read. So of two additions at once, the later one follows the earlier.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write, put_if_unchanged
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.ids import is_id, new_id
from tollgate.ledger.callers import Caller
from tollgate.text.body.fields import invalid
from tollgate.text.body.json_body import MAX_BODY_BYTES
from tollgate.text.responses.gathering import encoded_list
from tollgate.text.responses.items import MAX_ITEMS
from tollgate.text.responses.repository import MAX_AT_ONCE, Reader
from tollgate.text.responses.storage import LIFETIME_S, Storage, row_key
from tollgate.text.wire.errors import ConversationNotFoundError

# Additions to one conversation: responses, and requests that add items. Each is a separate read.
MAX_BATCHES = 200
# Attempts to change a row that other requests change, and the longest wait between two of them.
MAX_ATTEMPTS = 20
MAX_WAIT_S = 0.2
PATH = "/conversation"

_PREFIX = "conv"


class _ChangedError(Exception):
    """Another request changed the conversation since it was read."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Items that were added together: the id of their row, their number and their bytes as JSON."""

    id: str
    count: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its items. `models` are the ids of the models that took part."""

    row: Item

    @property
    def id(self) -> str:
        """Return its id."""
        return str(self.row["response_id"])

    @property
    def batches(self) -> list[Batch]:
        """Return its batches in order."""
        return [Batch(*each) for each in self.row["batches"]]

    def shown(self) -> dict[str, Any]:
        """Return it as OpenAI's SDK reads it (`openai.types.conversations.Conversation`)."""
        created = {"id": self.id, "object": "conversation", "created_at": self.row["created_at_s"]}
        return {**created, "metadata": self.row["metadata"]}

    def changed(self, **fields: Any) -> Item:
        """Return its row with other fields."""
        return {**self.row, **fields, "seq": self.row["seq"] + 1}

    def check_room(self, path: str, count: int = 0, size_bytes: int = 0) -> None:
        """Raise `InvalidInputError` at `path` if there is no room for one more batch of these sizes."""
        batches = self.batches
        if len(batches) >= MAX_BATCHES:
            raise invalid(path, f"A conversation has at most {MAX_BATCHES} responses and other additions.")
        if sum(each.count for each in batches) + count > MAX_ITEMS:
            raise invalid(path, f"A conversation has at most {MAX_ITEMS} items.")
        if sum(each.size_bytes for each in batches) + size_bytes > MAX_BODY_BYTES:
            raise invalid(path, f"The items of a conversation have at most {MAX_BODY_BYTES} bytes together.")


T = TypeVar("T")
Change = Callable[[Conversation], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class ConversationRepository:
    """The stored conversations. All methods raise `DatabaseError` and `ObjectStoreError`.

    All methods with a `reader` raise `ConversationNotFoundError`, also if its key may not use a model that
    took part, and if it is a run token that did not create the conversation.
    """

    storage: Storage

    async def create(
        self, creator: Caller, metadata: Mapping[str, str], items: Sequence[Any]
    ) -> Conversation:
        """Store a new conversation. Raises `StoreFullError`."""
        row: Item = {
            **row_key(creator.account_id, new_id(_PREFIX)),
            **creator.stored(),
            "created_at_s": self.storage.now_s(),
            "expires_at_s": self.storage.now_s() + LIFETIME_S,
            "metadata": dict(metadata),
            "models": [],
            "batches": [],
            "seq": 1,
        }
        await self.storage.count(creator.account_id, len(json.dumps(metadata)), conversations=1)
        if items:
            batch = await self._batch(row, new_id("batch"), items)
            row["batches"] = [batch]
        await self.storage.db.write(Write(self.storage.table, item=row))
        return Conversation(row)

    async def find(self, reader: Reader, conversation_id: str) -> Conversation:
        """Return a conversation."""
        found = await self._find(reader.caller.account_id, conversation_id)
        if not reader.may_see(found.row) or not all(reader.may_read(model) for model in found.row["models"]):
            raise ConversationNotFoundError(conversation_id)
        return found

    async def items(self, conversation: Conversation) -> list[Any]:
        """Return all items of a conversation, in order."""
        return [item for _, items in await self._contents(conversation) for item in items]

    async def append(
        self, account_id: str, conversation_id: str, core: str, items: Sequence[Any], model: str | None = None
    ) -> None:
        """Add items to the end, once for each `core`. `model` is the id of the model that wrote some of them.

        Raises `ConversationNotFoundError`, `StoreFullError` and `StorageBusyError`.
        """
        batch_id = f"batch_{core}"
        row = (await self._find(account_id, conversation_id)).row
        batch = await self._batch(row, batch_id, items)

        def added(now: Conversation) -> Mapping[str, Any] | None:
            if any(each.id == batch_id for each in now.batches):
                return None
            models = sorted({*now.row["models"], *([model] if model else [])})
            return {"batches": [*now.row["batches"], batch], "models": models}

        try:
            await self._change(account_id, conversation_id, added)
        except ConversationNotFoundError:
            # It was deleted in the meantime, so its items must not stay.
            await self._erase(account_id, [Batch(*batch)])
            raise

    async def set_metadata(
        self, reader: Reader, conversation_id: str, metadata: Mapping[str, str]
    ) -> Conversation:
        """Replace the metadata. Raises `StorageBusyError`."""
        await self.find(reader, conversation_id)
        return await self._change(
            reader.caller.account_id, conversation_id, lambda _: {"metadata": dict(metadata)}
        )

    async def delete(self, reader: Reader, conversation_id: str, noted: Write) -> None:
        """Delete a conversation with its items, together with another write. Raises `StorageBusyError`.

        The items go first, so a repeat after a failure finds the conversation and deletes the rest.
        """

        async def attempt() -> None:
            found = await self.find(reader, conversation_id)
            await self._erase(reader.caller.account_id, found.batches)
            await self.storage.db.transact([self._put(found, self.storage.gone_row(found.row)), noted])

        await _repeated(attempt)

    async def remove_item(
        self, reader: Reader, conversation_id: str, item_id: str, noted: Write
    ) -> Conversation:
        """Delete an item, together with another write; return the conversation. Raises `StorageBusyError`.

        The other items of its batch move to a new batch, because a batch never changes.
        """

        async def attempt() -> Conversation:
            found = await self.find(reader, conversation_id)
            batch, rest = await self._without(found, item_id)
            moved = [await self._batch(found.row, new_id("batch"), rest, is_counted=False)] if rest else []
            kept = found.row["batches"]
            at = found.batches.index(batch)
            row = found.changed(batches=[*kept[:at], *moved, *kept[at + 1 :]])
            try:
                await self.storage.db.transact([self._put(found, row), noted])
            except _ChangedError:
                await self._erase(reader.caller.account_id, [Batch(*each) for each in moved])
                raise
            await self._erase(reader.caller.account_id, [batch])
            return Conversation(row)

        return await _repeated(attempt)

    async def _without(self, conversation: Conversation, item_id: str) -> tuple[Batch, list[Any]]:
        """Return the batch of an item, and the other items of the batch."""
        for batch, items in await self._contents(conversation):
            rest = [item for item in items if item["id"] != item_id]
            if len(rest) < len(items):
                return batch, rest
        raise ConversationNotFoundError(item_id)

    async def _find(self, account_id: str, conversation_id: str) -> Conversation:
        # DynamoDB refuses some keys, which are none of our ids.
        is_ours = is_id(_PREFIX, conversation_id)
        row = await self.storage.row(account_id, conversation_id) if is_ours else None
        if row is None:
            raise ConversationNotFoundError(conversation_id)
        return Conversation(row)

    async def _contents(self, conversation: Conversation) -> list[tuple[Batch, list[Any]]]:
        """Return all batches with their items: a few rows at a time."""
        return [
            (batch, json.loads(content) if content else [])
            for batches in _rounds(conversation.batches)
            for batch, content in zip(
                batches,
                await asyncio.gather(*(self._content(conversation, batch) for batch in batches)),
                strict=True,
            )
        ]

    async def _content(self, conversation: Conversation, batch: Batch) -> str | bytes | None:
        """Return a batch's items as JSON, or `None` if they are deleted."""
        row = await self.storage.row(conversation.row["account_id"], batch.id)
        return None if row is None else await self.storage.content(row)

    async def _batch(
        self, row: Item, batch_id: str, items: Sequence[Any], *, is_counted: bool = True
    ) -> list[Any]:
        """Store items as a batch, and return it as the row of its conversation lists it."""
        content = await encoded_list(items)
        keep = self.storage.keep if is_counted else self.storage.put
        await keep(row["account_id"], batch_id, content, {"expires_at_s": row["expires_at_s"]})
        return [batch_id, len(items), len(content)]

    async def _change(self, account_id: str, conversation_id: str, change: Change) -> Conversation:
        """Set the attributes that `change` returns for the current conversation; nothing for `None`."""

        async def attempt() -> Conversation:
            found = await self._find(account_id, conversation_id)
            fields = change(found)
            if fields is None:
                return found
            row = found.changed(**fields)
            await self.storage.db.write(self._put(found, row))
            return Conversation(row)

        return await _repeated(attempt)

    def _put(self, found: Conversation, row: Item) -> Write:
        """Return the write that replaces the row of `found`."""
        return put_if_unchanged(
            self.storage.table, row, "response_id", found.row["seq"], lambda _: _ChangedError()
        )

    async def _erase(self, account_id: str, batches: Sequence[Batch]) -> None:
        """Overwrite the items of batches."""
        for some in _rounds(batches):
            await asyncio.gather(*(self._erase_one(account_id, batch) for batch in some))

    async def _erase_one(self, account_id: str, batch: Batch) -> None:
        row = await self.storage.row(account_id, batch.id)
        if row is not None:
            await self.storage.empty_object(row)
            await self.storage.db.write(self.storage.gone(row))


async def _repeated(attempt: Callable[[], Awaitable[T]]) -> T:
    """Return the result of the first attempt that no other request disturbed. Raises `StorageBusyError`."""
    for _ in range(MAX_ATTEMPTS):
        try:
            return await attempt()
        except _ChangedError:
            await asyncio.sleep(random.uniform(0, MAX_WAIT_S))  # noqa: S311 - not a secret
    raise StorageBusyError


def _rounds(batches: Sequence[Batch]) -> Iterator[Sequence[Batch]]:
    """Yield batches, as many as are read or written at once."""
    for start in range(0, len(batches), MAX_AT_ONCE):
        yield batches[start : start + MAX_AT_ONCE]
