"""Counts every request of the text routes, and shares the counts between processes in the background."""

import asyncio
from dataclasses import dataclass, field

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import logger
from tollgate.ledger.request_counts import RequestMeter, Share, StaleCountError
from tollgate.ledger.wallets import DEFAULT, KnownLimits


@dataclass(frozen=True, slots=True)
class RequestCounter:
    """The requests of this process, by account."""

    db: AsyncDatabase
    accounts_table: str
    meter: RequestMeter
    limits: KnownLimits
    clock: Clock
    # The loop keeps only weak references to tasks.
    _telling: "set[asyncio.Task[None]]" = field(default_factory=set)

    def count(self, account_id: str) -> None:
        """Count a request. Raises `RateLimitedError`."""
        self.meter.count(account_id, self.clock.now_ms(), self.limits.get(account_id) or DEFAULT)

    def left(self, account_id: str) -> int:
        """Return how many requests the account has left in this minute at most."""
        return self.meter.left(account_id, self.clock.now_ms(), self.limits.get(account_id) or DEFAULT)

    def tell(self, account_id: str) -> None:
        """Pass this process's count on to the others if it is large enough. No caller waits for it."""
        limits = self.limits.get(account_id) or DEFAULT
        share = self.meter.take(self.accounts_table, account_id, self.clock.now_ms(), limits)
        if share is not None:
            task = asyncio.ensure_future(self._tell(account_id, share))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell(self, account_id: str, share: Share) -> None:
        try:
            await self.db.write(share.write)
        except StaleCountError as exc:
            self.meter.moved(account_id, share, exc, self.clock.now_ms())
        except DatabaseError:
            # A count that is not shared is still counted here.
            logger.warning("text.count_not_told")
