"""Authentication for the text routes: the same rules as `auth.py`, without blocking the loop."""

import asyncio

from tollgate.accounts.auth import KeyCache, UseAlreadyRecordedError, accepted, checked_id, use_write
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.observability import logger


class AsyncAuthenticator:
    """Finds the account of an API key."""

    def __init__(self, db: AsyncDatabase, api_keys_table: str, clock: Clock) -> None:
        self._db = db
        self._table = api_keys_table
        self._clock = clock
        self._cache = KeyCache(clock)
        self._noting: set[asyncio.Task[None]] = set()

    async def authenticate(self, text: str, scope: Scope, address: str | None) -> ApiKey:
        """Return the key with this text, if it is valid for `scope` from `address`.

        Raises as `checked_id` and `accepted` do.
        """
        key_id = checked_id(text)
        key = self._cache.get(key_id, text) or await self._read(key_id)
        good = accepted(text, await self._within(key), scope, address, self._clock.now_ms())
        if key is not None and self._cache.use_is_due(key):
            # Runs beside the request, which does not wait for it. The set keeps it from being collected.
            noting = asyncio.create_task(self._record_use(key))
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)
        return good

    async def current(self, key_id: str) -> ApiKey | None:
        """Return a key that a batch was created with; `None` if it can no longer be used for text."""
        return self._usable(await self._within(self._cache.known(key_id) or await self._read(key_id)))

    async def current_now(self, key_id: str) -> ApiKey | None:
        """As `current`, but with the key as it is stored now: for a step of a workflow, which is rare."""
        key = await self._read(key_id)
        if key is not None and key.run is not None:
            key = key.within(await self._read(key.run.key_id), self._clock.now_ms())
        return self._usable(key)

    def _usable(self, key: ApiKey | None) -> ApiKey | None:
        is_usable = key is not None and key.usable_at(self._clock.now_ms()) and Scope.TEXT in key.scopes
        return key if is_usable else None

    async def _read(self, key_id: str) -> ApiKey | None:
        row = await self._db.get(self._table, {"key_id": key_id})
        key = None if row is None else ApiKey.from_item(row)
        self._cache.put(key_id, key)
        return key

    async def _within(self, key: ApiKey | None) -> ApiKey | None:
        """Return a key with its current permissions. A run token has the permissions of another key."""
        if key is None or key.run is None:
            return key
        creator_id = key.run.key_id
        creator = self._cache.known(creator_id) or await self._read(creator_id)
        return key.within(creator, self._clock.now_ms())

    async def _record_use(self, key: ApiKey) -> None:
        try:
            await self._db.write(use_write(self._table, key.key_id, self._clock.now_ms()))
        except UseAlreadyRecordedError:
            return  # by another process
        except Exception:  # noqa: BLE001 - the boundary: no request fails because noting its use fails
            logger.exception("keys.use_not_noted", key_id=key.key_id)
