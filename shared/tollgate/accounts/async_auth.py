"""Who is calling, for the text routes: the same rules as `service.py`, without blocking the loop."""

from tollgate.accounts.models import ApiKey, Scope
from tollgate.accounts.service import KeyCache, accepted, bearer_key
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb_async import AsyncDatabase


class AsyncAuthenticator:
    """Tells the account behind an `Authorization` header."""

    def __init__(self, db: AsyncDatabase, api_keys_table: str, clock: Clock) -> None:
        self._db = db
        self._table = api_keys_table
        self._clock = clock
        self._cache = KeyCache(clock)

    async def authenticate(self, authorization: str | None, scope: Scope) -> ApiKey:
        """Give the key that the header names. Raises as `bearer_key` and `accepted` do."""
        text, key_id = bearer_key(authorization)
        key = self._cache.get(key_id)
        if key is None:
            row = await self._db.get(self._table, {"key_id": key_id})
            key = None if row is None else ApiKey.from_item(row)
            if key is not None:
                self._cache.put(key)
        return accepted(text, key, scope, self._clock.now_ms())
