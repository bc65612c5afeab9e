"""The providers and routes that an operator switched off, for this process.

Their names are the keys of `ProvidersTable`: `<provider>`, or `<provider>/<model>` for one route.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import logger

# The least time from one read to the next.
REFRESH_MS = 15 * MS_PER_S
# A request does not wait for a newer state than this: a switch takes effect within this time.
ACCEPTED_MS = 30 * MS_PER_S
# How long the first request after a pause waits for the read, which began with the request.
WAIT_S = 2.0

Read = Callable[[], Awaitable[frozenset[str]]]
"""Returns the names that are switched off. Raises `DatabaseError`."""


def switch_reader(db: AsyncDatabase, table: str) -> Read:
    """Return the function that reads the switches from `ProvidersTable`."""

    async def read() -> frozenset[str]:
        return frozenset(row["provider"] for row in await db.scan(table) if row.get("disabled"))

    return read


@dataclass(slots=True)
class Switches:
    """The switches as they were last read. If a read fails, the last known state remains."""

    read: Read
    clock: Clock
    _off: frozenset[str] = frozenset()
    _begun_ms: int | None = None
    _known_ms: int | None = None
    _reading: "asyncio.Future[None] | None" = field(default=None, repr=False)

    def follow(self) -> None:
        """Begin to read the switches if it is time. It waits for nothing."""
        now_ms = self.clock.now_ms()
        if self._begun_ms is None or now_ms - self._begun_ms >= REFRESH_MS:
            self._begun_ms = now_ms
            self._reading = asyncio.ensure_future(self._follow())

    async def known(self) -> None:
        """Wait for the switches if the known state is too old, `WAIT_S` at most."""
        self.follow()
        is_recent = self._known_ms is not None and self.clock.now_ms() - self._known_ms < ACCEPTED_MS
        if not is_recent and self._reading is not None:
            await asyncio.wait({self._reading}, timeout=WAIT_S)

    def is_off(self, provider: str, model_id: str) -> bool:
        """Return whether the provider, or its route of the model, is switched off."""
        return bool(self._off) and (provider in self._off or f"{provider}/{model_id}" in self._off)

    async def _follow(self) -> None:
        begun_ms = self._begun_ms
        try:
            self._off = await self.read()
        except DatabaseError:
            logger.exception("text.switches_not_read", off=sorted(self._off))
        else:
            self._known_ms = begun_ms
