"""The attempts of one line: again after a refusal that passes, never after it may have been charged."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.models import ApiKey
from tollgate.batches.calls import Call, LineCalls
from tollgate.batches.lines import Line, Outcome
from tollgate.batches.models import Batch, Kind, request_id_of
from tollgate.batches.parcels import parcels_of
from tollgate.kit.errors import ConcurrencyLimitedError, TollgateError
from tollgate.ledger.errors import (
    BudgetReachedError,
    InsufficientBalanceError,
    RateLimitedError,
    SpendingCapReachedError,
)
from tollgate.text.models import TextProtocol
from tollgate.text.serving.middleware import public_error
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import error_body

# Of one line by one worker, each after all providers refused the one before.
MAX_ATTEMPTS = 4
# The wait after the first of them. Each next one is twice as long.
FIRST_WAIT_S = 2.0
# The wait after a refusal by the account's own limits.
LIMIT_WAIT_S = 5.0
# How often a line that lacks money looks whether others have ended.
MONEY_WAIT_S = 0.5
# Providers say these of a moment: they are busy.
PASSING = frozenset({429, 500, 502, 503, 529})
# A refusal that took longer is final, like a timeout: a provider may bill us for each such attempt.
QUICK_S = 30.0
NO_MONEY = (InsufficientBalanceError, SpendingCapReachedError, BudgetReachedError)
LIMITED = (RateLimitedError, ConcurrencyLimitedError)


class LaterError(Exception):
    """The time of this worker is over; the line was not charged, and another worker runs it."""


class MoneyLaterError(LaterError):
    """The lines of this batch that are at a vendor hold the money for this one."""


@dataclass(slots=True)
class Attempts:
    """The attempts of the lines of one batch by one worker, until `start_by` (`time.monotonic`).

    `key` returns the key of the batch, or `None` if it can no longer be used.
    """

    batch: Batch
    calls: LineCalls
    key: Callable[[], Awaitable[ApiKey | None]]
    start_by: float
    _answering: int = field(default=0)
    """Lines that hold money now."""

    @property
    def claim(self) -> int:
        """Return the number of the worker's claim."""
        return int(self.batch.row["claims"])

    async def outcome(self, number: int, line: Line) -> Outcome:
        """Run a line to its end. Raises `LaterError`."""
        attempt = 0
        while True:
            request_id = request_id_of(self.batch.id, number, self.claim, attempt)
            began_at = time.monotonic()
            try:
                outcome = await self._once(line, request_id)
            except LIMITED:
                # Nothing was held or called, so the same attempt begins again.
                await self._pause(LIMIT_WAIT_S)
                continue
            except NO_MONEY as exc:
                if self._answering:
                    await self._pause(MONEY_WAIT_S)
                    continue
                if parcels_of(self.batch):
                    raise MoneyLaterError from exc
                return self._refused(exc, request_id)
            except Exception as exc:  # noqa: BLE001 - the boundary: whatever it is, the line ends with it
                return self._refused(public_error(exc), request_id)
            attempt += 1
            is_slow = time.monotonic() - began_at > QUICK_S
            if outcome.status not in PASSING or is_slow or attempt == MAX_ATTEMPTS:
                return outcome
            await self._pause(FIRST_WAIT_S * 2 ** (attempt - 1))

    async def _once(self, line: Line, request_id: str) -> Outcome:
        key = await self.key()
        if key is None:
            raise InvalidApiKeyError
        call = Call(key, request_id, self.batch.row["headers"])
        endpoint = self.batch.row["endpoint"]
        self._answering += 1
        try:
            reply = await self.calls.answer(endpoint, line.body, call)
        finally:
            self._answering -= 1
        return Outcome(request_id, reply.status, reply.body)

    async def _pause(self, seconds: float) -> None:
        """Wait. Raises `LaterError` if no attempt may begin after that."""
        if time.monotonic() + seconds >= self.start_by:
            raise LaterError
        await asyncio.sleep(seconds)

    def _refused(self, error: TollgateError, request_id: str) -> Outcome:
        is_anthropic = self.batch.kind is Kind.ANTHROPIC
        protocol = TextProtocol.ANTHROPIC if is_anthropic else TextProtocol.OPENAI
        return Outcome(request_id, error.status, encoded(error_body(protocol, error)))
