"""Extends the holds of running requests, each time that one is due."""

import asyncio
from dataclasses import dataclass, field

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import logger
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import (
    HOLD_LIFETIME_MS,
    MAX_RENEWAL_FAILURES,
    MAX_RENEWALS,
    RENEW_AFTER_MS,
    RENEWAL_RETRY_MS,
    AlreadyResolvedError,
)
from tollgate.text.money.placed import PlacedHold


@dataclass(frozen=True, slots=True)
class Renewals:
    """The renewals of one process."""

    db: AsyncDatabase
    writes: HoldWrites
    clock: Clock
    # The loop keeps only weak references to tasks.
    _running: "set[asyncio.Task[None]]" = field(default_factory=set)

    def plan(self, placed: PlacedHold) -> None:
        """Plan the next renewal of a hold, or a retry if the last renewal failed; both have a bound."""
        if placed.is_over or placed.renewals >= MAX_RENEWALS:
            return
        if placed.failed_renewals >= MAX_RENEWAL_FAILURES:
            logger.error("text.renewal_given_up", request=placed.hold.request_id)
            return
        delay_ms = RENEWAL_RETRY_MS if placed.failed_renewals else RENEW_AFTER_MS
        loop = asyncio.get_running_loop()
        placed.timer = loop.call_later(delay_ms / MS_PER_S, self._start, placed)

    @staticmethod
    def stop(placed: PlacedHold) -> None:
        """Renew a hold no more, because its request is being settled or voided."""
        placed.is_over = True
        if placed.timer is not None:
            placed.timer.cancel()
            placed.timer = None

    async def take_over(self, placed: PlacedHold) -> bool:
        """Renew the hold of a request that another process placed; return whether the hold is still there.

        Raises `DatabaseError`.
        """
        expires_at_ms = self.clock.now_ms() + HOLD_LIFETIME_MS
        try:
            await self.db.write(self.writes.renew(placed.row_id, placed.hold, expires_at_ms))
        except AlreadyResolvedError:
            return False
        self.plan(placed)
        return True

    def _start(self, placed: PlacedHold) -> None:
        running = asyncio.ensure_future(self._renew(placed))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _renew(self, placed: PlacedHold) -> None:
        """Extend the hold of a running request, and plan the next renewal, or another attempt of this one."""
        expires_at_ms = self.clock.now_ms() + HOLD_LIFETIME_MS
        try:
            await self.db.write(self.writes.renew(placed.row_id, placed.hold, expires_at_ms))
        except AlreadyResolvedError:
            # It is settled by now, or its hold has expired: then its settlement comes late.
            return
        except DatabaseError:
            logger.warning("text.not_renewed", request=placed.hold.request_id, exc_info=True)
            placed.failed_renewals += 1
        else:
            placed.renewals += 1
            placed.failed_renewals = 0
        self.plan(placed)
