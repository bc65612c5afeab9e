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

from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.expressions import Add, Below, Missing, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, Write
from tollgate.kit.errors import InvalidInputError, Problem
from tollgate.kit.ids import is_id
from tollgate.text.errors import ResponseNotFoundError
from tollgate.text.request import MAX_BODY_BYTES, dumps
from tollgate.text.responses.gathering import encoded_list

# OpenAI's own: "Response objects are saved for 30 days by default".
LIFETIME_S = 30 * 24 * 3600
# Of a response in its row; DynamoDB takes 400 KB, ids and names included.
MAX_ROW_BYTES = 300_000
# Most bytes that one account may store in a day, because storage is the only free resource here.
MAX_DAY_BYTES = 256 * 1024 * 1024
# Responses in one conversation. Each is a separate read when the conversation continues.
MAX_EARLIER = 200
# Responses that are read at once for one request.
MAX_AT_ONCE = 8
# Read for one request, all its responses together: of each it may use a part only.
MAX_READ_BYTES = 2 * MAX_BODY_BYTES

_DAY_S = 24 * 3600
_PREFIX = "responses/"


class StoreFullError(Exception):
    """The account has stored all that it may today."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of stored responses: the account, and whether its key `may_read` a model's responses.

    `may_read` takes the model's id, or a name under which a customer knew it.
    """

    account_id: str
    may_read: Callable[[str], bool]


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
    """The table of stored responses, and the bucket for large responses."""

    db: AsyncDatabase
    table: str
    objects: S3Objects
    clock: Clock

    async def keep(self, account_id: str, stored: StoredResponse) -> None:
        """Store a response. Raises `StoreFullError`, `DatabaseError` and `ObjectStoreError`."""
        response_id = stored.response["id"]
        items = await encoded_list(stored.items)
        content = f'{{"response":{dumps(stored.response)},"items":{items}}}'
        await self._count(account_id, len(content))
        is_large = len(content) > MAX_ROW_BYTES
        if is_large:
            # Write the object first, so that a row never names a missing object.
            await self.objects.put(_object_key(account_id, response_id), content.encode())
        row: Item = {
            **_key(account_id, response_id),
            "earlier": list(stored.earlier),
            "model": stored.model,
            "content": None if is_large else content,
            "expires_at_s": self._now_s() + LIFETIME_S,
        }
        await self.db.write(Write(self.table, item=row))

    async def find(self, reader: Reader, response_id: str) -> StoredResponse:
        """Return a stored response. Raises `ResponseNotFoundError`, and the errors of `keep`."""
        return await self._read(reader, await self._row(reader, response_id))

    async def _read(self, reader: Reader, row: Item) -> StoredResponse:
        """Return the response of a row. Raises the errors of `find`."""
        response_id = row["response_id"]
        content = await self._content(reader, row)
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
        """Delete a stored response, together with another write. Raises as `find` does.

        Its content is overwritten, and the remainder expires, so the function needs no permission to delete.
        """
        row = await self._row(reader, response_id)
        if "model" not in row:
            await self.find(reader, response_id)
        account_id = reader.account_id
        if row["content"] is None:
            await self.objects.put(_object_key(account_id, response_id), b"")
        gone = {**_key(account_id, response_id), "expires_at_s": self._now_s()}
        await self.db.transact([Write(self.table, item=gone), noted])

    async def _content(self, reader: Reader, row: Item) -> str | bytes:
        """Return the stored content, from the row or from its object. Raises `ResponseNotFoundError`."""
        content: str | bytes | None = row["content"]
        if content is None:
            content = await self.objects.get(_object_key(reader.account_id, row["response_id"]))
        if content is None:
            raise ResponseNotFoundError(row["response_id"])
        return content

    async def _row(self, reader: Reader, response_id: str) -> Item:
        # DynamoDB refuses some keys, and none of them is an id of ours.
        key = _key(reader.account_id, response_id)
        row = await self.db.get(self.table, key) if _is_id(response_id) else None
        # A row that is over may stay for days.
        if row is None or row["expires_at_s"] <= self._now_s():
            raise ResponseNotFoundError(response_id)
        # Before its object is read.
        if "model" in row and not reader.may_read(row["model"]):
            raise ResponseNotFoundError(response_id)
        return row

    async def _count(self, account_id: str, size_bytes: int) -> None:
        """Count the bytes to be stored in the account's row of the day."""
        now_s = self._now_s()
        # Nothing was stored on this day yet, or less than may be.
        is_first, has_room = Missing("stored_bytes"), Below("stored_bytes", MAX_DAY_BYTES)
        count = CountingWrite(
            self.table,
            key=_key(account_id, f"day_{now_s // _DAY_S}"),
            update=(Set("expires_at_s", now_s + 2 * _DAY_S), Add("stored_bytes", size_bytes, start=0)),
            condition=is_first | has_room,
            refused=lambda _: StoreFullError(),
        )
        # A transaction of one write, for its token: if the answer is lost, the bytes are not counted twice.
        await self.db.transact([count])

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def _is_id(response_id: str) -> bool:
    return is_id("resp", response_id)


def _key(account_id: str, response_id: str) -> Item:
    return {"account_id": account_id, "response_id": response_id}


def _object_key(account_id: str, response_id: str) -> str:
    return f"{_PREFIX}{account_id}/{response_id}.json"
