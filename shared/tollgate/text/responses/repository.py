"""Stored responses: kept per account for `LIFETIME_S`, for clients that go on from them by their ids.

A row has the response and the items of its input; what is too large for a row is an object beside it. Nobody
else's response can be found: the account is a part of the key.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb_async import AsyncDatabase
from tollgate.kit.expressions import Add, Below, Missing, Set
from tollgate.kit.ids import is_id
from tollgate.kit.rows import Item
from tollgate.kit.s3_objects import S3Objects
from tollgate.kit.writes import Write
from tollgate.text.errors import ResponseNotFoundError
from tollgate.text.request import dumps

# OpenAI's own: "Response objects are saved for 30 days by default".
LIFETIME_S = 30 * 24 * 3600
# Of a response in its row; DynamoDB takes 400 KB, ids and names included.
MAX_ROW_BYTES = 300_000
# What one account may store in a day: storage is the one thing here that nobody is charged for.
MAX_DAY_BYTES = 256 * 1024 * 1024
# Responses in one conversation. Each is a read of its own when the conversation goes on.
MAX_EARLIER = 200

_DAY_S = 24 * 3600
_PREFIX = "responses/"


class StoreFullError(Exception):
    """The account has stored all that it may today."""


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as its client has it, the items of its own input, and the ids of those before it."""

    response: Mapping[str, Any]
    items: Sequence[Any]
    earlier: Sequence[str]

    @property
    def said(self) -> list[Any]:
        """Return the items that it adds to its conversation."""
        return [*self.items, *self.response["output"]]


@dataclass(frozen=True, slots=True)
class ResponseRepository:
    """The table of stored responses, and the bucket for the large ones."""

    db: AsyncDatabase
    table: str
    objects: S3Objects
    clock: Clock

    async def keep(self, account_id: str, stored: StoredResponse) -> None:
        """Store a response. Raises `StoreFullError`, `DatabaseError` and `ObjectStoreError`."""
        response_id = stored.response["id"]
        content = dumps({"response": stored.response, "items": list(stored.items)})
        await self._count(account_id, len(content))
        is_large = len(content) > MAX_ROW_BYTES
        if is_large:
            # The object first: a row never names one that is not there.
            await self.objects.put(_object_key(account_id, response_id), content.encode())
        row: Item = {
            **_key(account_id, response_id),
            "earlier": list(stored.earlier),
            "content": None if is_large else content,
            "expires_at_s": self._now_s() + LIFETIME_S,
        }
        await self.db.write(Write(self.table, item=row))

    async def find(self, account_id: str, response_id: str) -> StoredResponse:
        """Return a stored response. Raises `ResponseNotFoundError`, and what `keep` does."""
        row = await self._row(account_id, response_id)
        content = row["content"]
        if content is None:
            content = await self.objects.get(_object_key(account_id, response_id))
        if content is None:
            raise ResponseNotFoundError(response_id)
        found = json.loads(content)
        return StoredResponse(found["response"], found["items"], row["earlier"])

    async def find_all(self, account_id: str, response_ids: Sequence[str]) -> list[StoredResponse]:
        """Return stored responses, at most `MAX_EARLIER` of them. Raises as `find` does."""
        return await asyncio.gather(*(self.find(account_id, each) for each in response_ids[:MAX_EARLIER]))

    async def delete(self, account_id: str, response_id: str) -> None:
        """Forget a stored response. Raises as `find` does.

        Its content is written over, and what is left goes with its time: so the function may delete nothing.
        """
        row = await self._row(account_id, response_id)
        if row["content"] is None:
            await self.objects.put(_object_key(account_id, response_id), b"")
        gone = {**_key(account_id, response_id), "expires_at_s": self._now_s()}
        await self.db.write(Write(self.table, item=gone))

    async def _row(self, account_id: str, response_id: str) -> Item:
        # DynamoDB refuses keys that no id of ours can be.
        row = await self.db.get(self.table, _key(account_id, response_id)) if _is_id(response_id) else None
        # A row that is over may stay for days.
        if row is None or row["expires_at_s"] <= self._now_s():
            raise ResponseNotFoundError(response_id)
        return row

    async def _count(self, account_id: str, size_bytes: int) -> None:
        """Count what is about to be stored in the account's row of the day."""
        now_s = self._now_s()
        # Nothing was stored on this day yet, or less than may be.
        is_first, has_room = Missing("stored_bytes"), Below("stored_bytes", MAX_DAY_BYTES)
        await self.db.write(
            Write(
                self.table,
                key=_key(account_id, f"day_{now_s // _DAY_S}"),
                update=(Set("expires_at_s", now_s + 2 * _DAY_S), Add("stored_bytes", size_bytes, start=0)),
                condition=is_first | has_room,
                refused=lambda _: StoreFullError(),
            )
        )

    def _now_s(self) -> int:
        return self.clock.now_ms() // MS_PER_S


def _is_id(response_id: str) -> bool:
    return is_id("resp", response_id)


def _key(account_id: str, response_id: str) -> Item:
    return {"account_id": account_id, "response_id": response_id}


def _object_key(account_id: str, response_id: str) -> str:
    return f"{_PREFIX}{account_id}/{response_id}.json"
