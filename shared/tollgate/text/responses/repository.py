"""Stored responses: kept per account for `LIFETIME_S`, for clients that continue them by their ids.

A row has the response and the items of its input; content that is too large for a row is in an object. An
account cannot find another account's response, because the account is a part of the key. A key cannot find
responses of models that it may not use.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.ids import is_id
from tollgate.text.errors import ResponseNotFoundError
from tollgate.text.models import TextModel
from tollgate.text.request import MAX_BODY_BYTES, dumps
from tollgate.text.responses.gathering import encoded_list
from tollgate.text.responses.storage import LIFETIME_S, Storage

# Responses in one conversation. Each is a separate read when the conversation continues.
MAX_EARLIER = 200
# Responses that are read at once for one request.
MAX_AT_ONCE = 8
# Read for one request, all its responses together: of each it may use a part only.
MAX_READ_BYTES = 2 * MAX_BODY_BYTES


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of stored responses: the account, and whether its key `may_read` a model's responses.

    `may_read` takes the model's id, or a name under which a customer knew it.
    """

    account_id: str
    may_read: Callable[[str], bool]

    @classmethod
    def of(cls, key: ApiKey, models: Mapping[str, TextModel]) -> "Reader":
        """Return the reader for a key: content of all models that it may use, from any key.

        `models` are the catalog's, by all their names. Only a key for all models may read content of a model
        that has left the catalog.
        """

        def may_read(name: str) -> bool:
            known = models.get(name.casefold())
            return key.models is None or (known is not None and key.allows(known.id))

        return cls(key.account_id, may_read)


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

    @property
    def said(self) -> list[Any]:
        """Return the items that it adds to its conversation."""
        return [*self.items, *self.response["output"]]


@dataclass(frozen=True, slots=True)
class ResponseRepository:
    """The stored responses."""

    storage: Storage

    async def keep(self, account_id: str, stored: StoredResponse) -> None:
        """Store a response. Raises `StoreFullError`, `DatabaseError` and `ObjectStoreError`."""
        response_id = stored.response["id"]
        items = await encoded_list(stored.items)
        content = f'{{"response":{dumps(stored.response)},"items":{items}}}'
        fields: Item = {
            "earlier": list(stored.earlier),
            "model": stored.model,
            "expires_at_s": self.storage.now_s() + LIFETIME_S,
        }
        await self.storage.keep(account_id, response_id, content, fields)

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
        return StoredResponse(found["response"], found["items"], row["earlier"], model, len(content))

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
        await self.storage.empty_object(row)
        await self.storage.db.transact([self.storage.gone(row), noted])

    async def _row(self, reader: Reader, response_id: str) -> Item:
        # DynamoDB refuses some keys, which are none of our ids.
        is_ours = is_id("resp", response_id)
        row = await self.storage.row(reader.account_id, response_id) if is_ours else None
        if row is None:
            raise ResponseNotFoundError(response_id)
        # Before its object is read.
        if "model" in row and not reader.may_read(row["model"]):
            raise ResponseNotFoundError(response_id)
        return row
