"""Stored responses: kept per account for `LIFETIME_S`, for clients that continue them by their ids.

A row has the response and the items of its input; content that is too large for a row is in an object. An
account cannot find another account's response, because the account is a part of the key. A key cannot find
responses of models that it may not use, and a run token finds only those that it created.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.kit.dynamodb.expressions import Condition
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.text.body.fields import invalid
from tollgate.text.body.json_body import MAX_BODY_BYTES, dumps
from tollgate.text.models import TextModel
from tollgate.text.responses import states
from tollgate.text.responses.events import QUEUED
from tollgate.text.responses.gathering import encoded_list
from tollgate.text.responses.parts import Parts
from tollgate.text.responses.storage import LIFETIME_S, Storage
from tollgate.text.wire.errors import ResponseNotFoundError

# Responses in one conversation. Each is a separate read when the conversation continues.
MAX_EARLIER = 200
# Responses that are read at once for one request.
MAX_AT_ONCE = 8
# Read for one request, all its responses together: of each it may use a part only.
MAX_READ_BYTES = 2 * MAX_BODY_BYTES


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of stored responses: the caller, and whether its key `may_read` a model's responses.

    `may_read` takes the model's id, or a name under which a customer knew it.
    """

    caller: Caller
    may_read: Callable[[str], bool]

    def may_see(self, row: Item) -> bool:
        """Return whether it may read and change the content of a row."""
        return self.caller.may_see(Caller.from_item(row))

    @classmethod
    def of(cls, key: ApiKey, models: Mapping[str, TextModel]) -> "Reader":
        """Return the reader for a key: content of all models that it may use, from any key.

        `models` are the catalog's, by all their names. Only a key for all models may read content of a model
        that has left the catalog.
        """

        def may_read(name: str) -> bool:
            known = models.get(name.casefold())
            return key.models is None or (known is not None and key.allows(known.id))

        return cls(key.caller, may_read)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response in its client's form, the items of its own input, and the ids of earlier responses.

    `model` is the id of its model. `size_bytes` is how much was read for it.
    """

    response: Mapping[str, Any]
    items: Sequence[Any]
    earlier: Sequence[str]
    model: str
    size_bytes: int = 0
    run: Mapping[str, Any] | None = None
    """The rest of a background request, until the response has ended."""
    before: Sequence[Any] = ()
    """The items that a background request continues."""
    row: Item = field(default_factory=dict)

    @property
    def said(self) -> list[Any]:
        """Return the items that it adds to its conversation."""
        return [*self.items, *self.response["output"]]


@dataclass(frozen=True, slots=True)
class ResponseRepository:
    """The stored responses."""

    storage: Storage

    @property
    def parts(self) -> Parts:
        """Return the parts of streamed background responses."""
        return Parts(self.storage)

    async def keep(self, creator: Caller, stored: StoredResponse) -> None:
        """Store a response. Raises `StoreFullError`, `DatabaseError` and `ObjectStoreError`."""
        content, fields = await self._encoded(creator, stored)
        await self.storage.keep(creator.account_id, stored.response["id"], content, fields)

    async def queue(
        self, creator: Caller, stored: StoredResponse, before: Sequence[Any], *, is_streamed: bool
    ) -> Item:
        """Store a background response that has not begun; return its state in the row.

        `before` are the items that it continues. Raises as `keep` does.
        """
        more = f',"run":{dumps(stored.run)},"before":{await encoded_list(before)}'
        content, fields = await self._encoded(creator, stored, more)
        state = states.queued(self.storage.now_s(), is_streamed=is_streamed)
        await self.storage.keep(creator.account_id, stored.response["id"], content, {**fields, **state})
        return state

    async def end(self, creator: Caller, stored: StoredResponse, only_if: Condition, **fields: Any) -> None:
        """Store the end of a background response. Its bytes were counted, or are bounded by its price.

        Raises `MovedOnError` if its row does not meet the condition `only_if`; then nothing is stored.
        """
        content, own = await self._encoded(creator, stored)
        await self.storage.put(creator.account_id, stored.response["id"], content, {**own, **fields}, only_if)

    async def claim(self, account_id: str, response_id: str, token: str) -> StoredResponse | None:
        """Take a queued response for this process; return it, or `None` if it is not waiting now."""
        row = await self.storage.row(account_id, response_id)
        now_s = self.storage.now_s()
        if row is None or row.get("state") != QUEUED or not states.is_running(row, now_s):
            return None
        try:
            await self.storage.db.write(states.claim(self.storage.table, row, token, now_s))
        except states.MovedOnError:
            return None
        # Whoever queued it could read it.
        return await self._read(Reader(Caller.of_account(account_id), lambda _: True), row)

    async def _encoded(self, creator: Caller, stored: StoredResponse, more: str = "") -> tuple[str, Item]:
        """Return the content and the attributes of a response's row."""
        items = await encoded_list(stored.items)
        content = f'{{"response":{dumps(stored.response)},"items":{items}{more}}}'
        return content, {
            "earlier": list(stored.earlier),
            "model": stored.model,
            **creator.stored(),
            "expires_at_s": self.storage.now_s() + LIFETIME_S,
        }

    async def find(self, reader: Reader, response_id: str) -> StoredResponse:
        """Return a stored response. Raises `ResponseNotFoundError`, and the errors of `keep`."""
        return await self._read(reader, await self._row(reader, response_id))

    async def _read(self, reader: Reader, row: Item) -> StoredResponse:
        """Return the response of a row. Raises the errors of `find`."""
        response_id = row["response_id"]
        content = await self.storage.content(row)
        if content is None:
            raise ResponseNotFoundError(response_id)
        found = json.loads(content)
        # A row from before models were stored: the response has the model's requested name.
        model = row.get("model") or str(found["response"].get("model"))
        if not reader.may_read(model):
            raise ResponseNotFoundError(response_id)
        response = states.shown(found["response"], row, self.storage.now_s())
        return StoredResponse(
            response,
            found["items"],
            row["earlier"],
            model,
            len(content),
            found.get("run"),
            found.get("before", ()),
            row,
        )

    async def find_all(self, reader: Reader, response_ids: Sequence[str], path: str) -> list[StoredResponse]:
        """Return stored responses, at most `MAX_EARLIER` of them: a few rows at a time, and one large one.

        Raises as `find` does, and `InvalidInputError` at `path` if they are too large together.
        """
        found: list[StoredResponse] = []
        wanted = response_ids[:MAX_EARLIER]
        for start in range(0, len(wanted), MAX_AT_ONCE):
            batch = wanted[start : start + MAX_AT_ONCE]
            for row in await asyncio.gather(*(self._row(reader, each) for each in batch)):
                found.append(await self._read(reader, row))
                if sum(each.size_bytes for each in found) > MAX_READ_BYTES:
                    message = (
                        f"The stored responses that this names have over {MAX_READ_BYTES} bytes together."
                    )
                    raise InvalidInputError([Problem(path, message)])
        return found

    async def delete(self, reader: Reader, response_id: str, noted: Write) -> None:
        """Delete a stored response, together with another write. Raises as `find` does."""
        row = await self._row(reader, response_id)
        if "model" not in row:
            await self.find(reader, response_id)
        if states.is_running(row, self.storage.now_s()):
            raise invalid("/response_id", "This response has not ended. Cancel it first.")
        await self.parts.erase(row)
        await self.storage.empty_object(row)
        await self.storage.db.transact([self.storage.gone(row), noted])

    async def _row(self, reader: Reader, response_id: str) -> Item:
        # DynamoDB refuses some keys, which are none of our ids.
        is_ours = is_id("resp", response_id)
        row = await self.storage.row(reader.caller.account_id, response_id) if is_ours else None
        if row is None or not reader.may_see(row):
            raise ResponseNotFoundError(response_id)
        # Before its object is read.
        if "model" in row and not reader.may_read(row["model"]):
            raise ResponseNotFoundError(response_id)
        return row
