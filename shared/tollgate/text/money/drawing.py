"""Takes the hold of one text request from the reserved money of a quote (`ledger/reservations.py`)."""

import time
from dataclasses import dataclass

from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseBusyError, Written
from tollgate.kit.ids import is_id
from tollgate.ledger.budgets import Budgets, StaleBudgetsError
from tollgate.ledger.errors import (
    QuoteEndedError,
    QuoteExhaustedError,
    QuoteNotCreatedError,
    QuoteNotFoundError,
)
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import MAX_HOLDS, Hold, HoldRefusedError
from tollgate.ledger.rate import RateMeter, RateWindowMismatchError
from tollgate.ledger.reservations import QUOTE_PREFIX, Reservation, draw, quote_key, reserved_in
from tollgate.ledger.wallets import DEFAULT, KnownLimits
from tollgate.text.money.budgets import TextBudgets
from tollgate.text.money.placed import PlacedHold
from tollgate.text.money.refusal import too_many_at_once
from tollgate.text.money.renewals import Renewals
from tollgate.text.money.route_plan import Choose

# Attempts to take one hold: the first, with the row's limits, and in the other minute.
MAX_DRAWS = 4
# Attempts with an account's budgets and policy: none, then the stored values, and again after a change.
MAX_READS = 6
# `QuoteStatus.OPEN` of quotes/views.py, which imports this package.
_OPEN = "open"
_OVER = "has no reserved money any more"
_NONE = "has no reserved money for text requests"


@dataclass(frozen=True, slots=True)
class Drawing:
    """Takes holds from reservations. `budgets` are those that a late charge has to count."""

    db: AsyncDatabase
    writes: HoldWrites
    clock: Clock
    meter: RateMeter
    limits: KnownLimits
    renewals: Renewals
    budgets: TextBudgets

    async def draw(
        self, quote_id: str, key: ApiKey, request_id: str, choose: Choose, *, lifetime_ms: int
    ) -> PlacedHold:
        """Hold the most that the request can cost, from a quote of this key. It takes one read and one write.

        `choose` returns the routes that the account's policy permits. Raises `QuoteNotFoundError`,
        `QuoteEndedError`, `QuoteExhaustedError`, `ConcurrencyLimitedError`, `RateLimitedError`,
        `AccountSuspendedError`, `UserNotFoundError`, and as `choose` does; then nothing is held.
        """
        accepted_at, account_id = time.monotonic(), key.account_id
        reservation, now_ms = await self._reservation(quote_id, key), self.clock.now_ms()
        if now_ms >= reservation.ends_at_ms:
            raise QuoteEndedError(quote_id, _OVER)
        spender = key.spender(reservation.labels)
        for _ in range(MAX_READS):
            routes = choose(self.budgets.routing(account_id))
            applied, plan = self.budgets.applied(account_id, spender), routes.full_hold()
            share = reservation.share(request_id, plan.amount_micro_usd, now_ms + lifetime_ms)
            try:
                written = await self._drawn(account_id, reservation, share, applied.budgets)
            except StaleBudgetsError:
                await self.budgets.load(account_id)
                continue
            placed = PlacedHold(
                account_id,
                reservation.row_id,
                share,
                plan,
                key.allowance(now_ms),
                routes.answers,
                spender=spender,
                uses=applied.uses,
                routes=routes,
            )
            completes = (self.limits.get(account_id) or DEFAULT).completes_answers
            placed.begin(accepted_at, is_doubtful=written.is_doubtful, completes=completes)
            self.renewals.plan(placed)
            return placed
        raise DatabaseBusyError("the account's budgets keep moving")

    async def _reservation(self, quote_id: str, key: ApiKey) -> Reservation:
        row = None
        if is_id(QUOTE_PREFIX, quote_id):
            row = await self.db.get(self.writes.budgets_table, quote_key(key.account_id, quote_id))
        if row is None or row["key_id"] != key.key_id:
            raise QuoteNotFoundError
        if "reservation" not in row:
            # A quote without text requests has none after its creation either.
            is_open = row["status"] == _OPEN
            raise QuoteNotCreatedError(quote_id) if is_open else QuoteEndedError(quote_id, _NONE)
        return Reservation.from_item(quote_id, row["reservation"])

    async def _drawn(
        self, account_id: str, reservation: Reservation, share: Hold, budgets: Budgets
    ) -> Written:
        row_id, quote_id = reservation.row_id, reservation.quote_id
        limits = self.limits.get(account_id) or DEFAULT
        window = self.meter.guess(row_id, self.clock.now_ms(), limits)
        for _ in range(MAX_DRAWS):
            most = limits.text_at_once or MAX_HOLDS
            try:
                written = await self.db.write(
                    draw(self.writes, reservation, share, window, most=most, budgets=budgets)
                )
            except HoldRefusedError as refusal:
                rest = reserved_in(refusal.holds, quote_id)
                if rest is None:
                    raise QuoteEndedError(quote_id, _OVER) from refusal
                if rest.amount_micro_usd < share.amount_micro_usd:
                    left, needed = rest.amount_micro_usd, share.amount_micro_usd
                    raise QuoteExhaustedError(quote_id, left, needed) from refusal
                if refusal.limits != limits:
                    # This process did not know the limits of the row.
                    limits = refusal.limits
                    window = self.meter.guess(row_id, self.clock.now_ms(), limits)
                elif isinstance(refusal.rate, RateWindowMismatchError):
                    window = refusal.rate.window
                elif refusal.rate is not None:
                    self.meter.refused(row_id, self.clock.now_ms(), limits)
                    raise refusal.rate from refusal
                elif refusal.too_many:
                    raise too_many_at_once(most) from refusal
            else:
                self.meter.counted(row_id, window)
                return written
        raise DatabaseBusyError("the account's minute or limits keep moving")
