"""Places the hold of one text request, in the row of its account that has the money (docs/ledger.md)."""

import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseBusyError, Written
from tollgate.kit.dynamodb.writes import SingleWrite
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.ledger.budgets import (
    MAX_AT_ONCE,
    Applied,
    BudgetShortError,
    Spender,
    StaleBudgetsError,
    Use,
)
from tollgate.ledger.caps import Allowance, AlreadyOpenError, open_period
from tollgate.ledger.errors import InsufficientBalanceError, RateLimitedError
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, MAX_HOLDS, Hold, HoldRefusedError
from tollgate.ledger.rate import RateMeter, RateWindow, RateWindowMismatchError
from tollgate.ledger.wallets import DEFAULT, KnownLimits, Limits, rows_to_try, wallet_number
from tollgate.text.money.budgets import TextBudgets
from tollgate.text.money.endings import HoldEndings
from tollgate.text.money.metering import HoldPlan
from tollgate.text.money.placed import PlacedHold
from tollgate.text.money.refusal import available, hold_refused
from tollgate.text.money.renewals import Renewals
from tollgate.text.money.route_plan import Choose, RoutePlan
from tollgate.text.money.wallets import Wallets

# Attempts to place one hold: the full hold, the first of a minute and of a cap's period, the affordable hold,
# and again if the balance changed in between.
MAX_PLACES = 7
# Attempts with an account's limits and budgets: none, then the stored values, and again after a change.
MAX_READS = 6
# Times that an account's money is brought together for one hold, while others move it about.
MAX_GATHERS = 12
# Attempts to place one hold in a row while money and budgets are moved for it: each can lack a share, then
# the whole, and again because others took the money.
MAX_MOVES = 4 * MAX_AT_ONCE


@dataclass(frozen=True, slots=True)
class _HoldTerms:
    """The hold that a request needs, in any row of its account."""

    account_id: str
    request_id: str
    routes: RoutePlan
    allowance: Allowance | None
    spender: Spender
    lifetime_ms: int
    accepted_at: float
    markup_percent: int = 0
    """Of the prices of the routes, which have these prices here."""


@dataclass(slots=True)
class _Wanted:
    """The hold that is tried in one row, and the budgets that have no share for this row."""

    plan: HoldPlan
    mains: set[Use] = field(default_factory=set)


class _ShortError(Exception):
    """This row has not the whole amount; the account's other rows may have the rest."""

    def __init__(self, balance_micro_usd: int, needed_micro_usd: int) -> None:
        super().__init__("the row has less than the amount to hold")
        self.balance_micro_usd = balance_micro_usd
        self.needed_micro_usd = needed_micro_usd


class _StaleLimitsError(Exception):
    """The account has other limits than this process knew."""


class Placing:
    """Places holds, each in one row of its account."""

    def __init__(
        self,
        db: AsyncDatabase,
        writes: HoldWrites,
        clock: Clock,
        meter: RateMeter,
        renewals: Renewals,
    ) -> None:
        self._db = db
        self._writes = writes
        self._clock = clock
        self._meter = meter
        self._renewals = renewals
        self._wallets = Wallets(db, writes.accounts_table)
        self.budgets = TextBudgets(db, writes.budgets, clock)
        self._endings = HoldEndings(db, writes)
        self.limits = KnownLimits(clock)

    async def place(
        self,
        account_id: str,
        request_id: str,
        choose: Choose,
        allowance: Allowance | None,
        *,
        spender: Spender,
        lifetime_ms: int = HOLD_LIFETIME_MS,
    ) -> PlacedHold:
        """Hold the most that the request can cost, within the `allowance` of a key with a spending cap, and
        within the budgets that count the `spender`. Neither has a default: a call without it would skip
        these limits. The hold lives for `lifetime_ms` unless it is renewed.

        `choose` returns the routes that the account's stored wishes permit. The write requires that these
        wishes are current. It takes one write if the balance and the cap cover it, or one transaction with
        budgets. Raises `InsufficientBalanceError`, `SpendingCapReachedError`, `BudgetReachedError`,
        `ConcurrencyLimitedError`, `RateLimitedError`, `UserNotFoundError`, `KeyLimitReachedError` as
        `open_period` does, and as `choose` does; then nothing is held.
        """
        accepted_at = time.monotonic()
        for _ in range(MAX_READS):
            limits = self.limits.get(account_id) or DEFAULT
            percent = self.budgets.known.get(account_id).markup_percent
            routes = choose(self.budgets.routing(account_id)).marked_up(percent)
            terms = _HoldTerms(
                account_id, request_id, routes, allowance, spender, lifetime_ms, accepted_at, percent
            )
            try:
                if limits.wallets == 1:
                    return await self._place_counted(account_id, terms, limits)
                return await self._place_among(terms, limits)
            except _StaleLimitsError:
                continue
            except StaleBudgetsError as stale:
                # The refusal shows the row. So a new process need not write the main row to learn the limits.
                if stale.row.get("account_id") == account_id:
                    self.limits.learn(account_id, stale.row)
                await self.budgets.load(account_id)
        raise DatabaseBusyError("the account's limits or budgets keep moving")

    async def _place_among(self, terms: _HoldTerms, limits: Limits) -> PlacedHold:
        """Place the hold in one of several rows or, if that has too little, in the main row with all money.

        A key with a cap spends from the account's main row, because its counter is there.
        """
        rows = rows_to_try(terms.account_id, limits.wallets, random.randrange(limits.wallets))  # noqa: S311
        refusal: Exception | None = None
        for row in rows if terms.allowance is None else ():
            try:
                return await self._place_counted(row, terms, limits, is_whole=True)
            except _ShortError:
                break
            except (ConcurrencyLimitedError, RateLimitedError) as exc:
                # Another row may have room.
                refusal = exc
        else:
            if refusal is not None:
                raise refusal
        return await self._place_gathered(terms, limits.whole())

    async def _place_gathered(self, terms: _HoldTerms, limits: Limits) -> PlacedHold:
        """Place the hold in the account's main row, which takes the others' money if it has too little."""
        account_id, is_whole = terms.account_id, True
        for _ in range(MAX_GATHERS):
            try:
                return await self._place_counted(account_id, terms, limits, is_whole=is_whole)
            except _ShortError as short:
                # A smaller hold or a refusal requires that all rows together, at one moment, have too little.
                is_whole = await self._wallets.gather(account_id, limits.wallets, short.balance_micro_usd)
            except InsufficientBalanceError as exc:
                refusal = cast("HoldRefusedError", exc.__cause__)
                if not await self._wallets.gather(account_id, limits.wallets, refusal.balance_micro_usd):
                    raise
        raise DatabaseBusyError("the account's money keeps moving")

    async def _place_counted(
        self, row_id: str, terms: _HoldTerms, limits: Limits, *, is_whole: bool = False
    ) -> PlacedHold:
        """Place the hold in one row, which is given its shares of money and budgets from their main rows.

        A budget without a share for this row counts in its main row. If its rows together have too little,
        the hold is smaller. Raises `_ShortError` if a wallet has less money than the whole hold.
        """
        wanted, wallets = _Wanted(terms.routes.full_hold()), limits.wallets
        for _ in range(MAX_MOVES):
            try:
                return await self._place_in(row_id, terms, limits, wanted, is_whole=is_whole)
            except _ShortError as short:
                if not await self._wallets.fund(row_id, wallets, short.needed_micro_usd):
                    raise
            except BudgetShortError as short:
                await self._bring_budget(terms, wanted, short, wallets)
        raise DatabaseBusyError("the budgets' money keeps moving")

    async def _bring_budget(
        self, terms: _HoldTerms, wanted: _Wanted, short: BudgetShortError, wallets: int
    ) -> None:
        """Fund the row of a budget that is short, count in its main row, or want a smaller hold.

        Raises `BudgetReachedError` if all rows together do not cover even the least.
        """
        if short.wallet:
            if not await self.budgets.fund(terms.account_id, short, wallets):
                wanted.mains.add(short.use)
            return
        left = short.left_micro_usd
        if wallets > 1:
            left = await self.budgets.gather(terms.account_id, short.use, wallets)
        wanted.plan = terms.routes.affordable_hold(left)
        if wanted.plan.amount_micro_usd > left:
            raise short.refusal(left) from short

    async def _place_in(
        self,
        row_id: str,
        terms: _HoldTerms,
        limits: Limits,
        wanted: _Wanted,
        *,
        is_whole: bool,
    ) -> PlacedHold:
        """Place the hold in one row; the whole amount or none of it, where others may have the rest."""
        plan = wanted.plan
        refusal: HoldRefusedError | None = None
        # Most requests pass at once. After a refusal, its cause is fixed before the next attempt: the window,
        # expired holds, a cap's counter, at last a smaller hold.
        window = self._meter.guess(row_id, self._clock.now_ms(), limits)
        is_unknown = row_id == terms.account_id and self.limits.get(row_id) is None
        for _ in range(MAX_PLACES):
            now_ms = self._clock.now_ms()
            try:
                return await self._place_once(row_id, terms, _Wanted(plan, wanted.mains), window, limits)
            except HoldRefusedError as exc:
                refusal = exc
            if is_unknown:
                self._check_limits(row_id, refusal, limits)
            is_unknown = False
            # Nothing was wrong but our guess which minute the row is in.
            if isinstance(refusal.rate, RateWindowMismatchError):
                window = refusal.rate.window
                continue
            if refusal.rate is not None:
                self._meter.refused(row_id, now_ms, limits)
                raise refusal.rate
            if await self._endings.resolve_expired(row_id, refusal.holds, now_ms):
                continue
            await self._open_counter(row_id, terms.allowance, refusal, now_ms)
            if is_whole and not refusal.too_many and refusal.balance_micro_usd < plan.amount_micro_usd:
                raise _ShortError(refusal.balance_micro_usd, plan.amount_micro_usd)
            left = available(refusal, terms.allowance)
            plan = terms.routes.affordable_hold(left)
            # A smaller hold does not help against too many requests at once, nor where even the least costs
            # too much.
            if refusal.too_many or plan.amount_micro_usd > left:
                break
        raise hold_refused(refusal, plan, terms.allowance, limits.text_at_once or MAX_HOLDS) from refusal

    def _check_limits(self, row_id: str, refusal: HoldRefusedError, limits: Limits) -> None:
        """Cache the limits in the row found. Raises `_StaleLimitsError` if other limits were used."""
        if self.limits.put(row_id, refusal.limits) != limits:
            raise _StaleLimitsError

    async def _place_once(
        self,
        row_id: str,
        terms: _HoldTerms,
        wanted: _Wanted,
        window: RateWindow,
        limits: Limits,
    ) -> PlacedHold:
        """Place the hold by one write, or by one transaction with its budgets.

        Raises `HoldRefusedError`, `StaleBudgetsError`, `BudgetShortError`.
        """
        allowance, plan = terms.allowance, wanted.plan
        counter = None if allowance is None else allowance.counter
        expires_at_ms = self._clock.now_ms() + terms.lifetime_ms
        applied = self.budgets.applied(terms.account_id, terms.spender)
        # Another request of this process may have read the budgets since the hold was planned.
        if applied.budgets.markup_percent != terms.markup_percent:
            raise StaleBudgetsError({})
        applied = applied.beside(wallet_number(row_id), limits.wallets, plan.amount_micro_usd, wanted.mains)
        hold = Hold(terms.request_id, plan.amount_micro_usd, expires_at_ms, counter, budgets=applied.items)
        # The first write of a process to an account's row returns the account's limits.
        learns = row_id == terms.account_id and self.limits.get(row_id) is None
        most = limits.text_at_once or MAX_HOLDS
        place = self._writes.place(
            row_id, hold, window, allowance, most=most, returns=learns, budgets=applied.budgets
        )
        written = await self._write_with(place, terms.account_id, applied, hold.amount_micro_usd)
        if learns and written.row is not None:
            self.limits.learn(row_id, written.row)
        self._meter.counted(row_id, window)
        placed = PlacedHold(
            terms.account_id,
            row_id,
            hold,
            plan,
            allowance,
            terms.routes.answers,
            spender=terms.spender,
            uses=applied.uses,
            routes=terms.routes,
            markup_percent=terms.markup_percent,
        )
        completes = (self.limits.get(terms.account_id) or DEFAULT).completes_answers
        placed.begin(terms.accepted_at, is_doubtful=written.is_doubtful, completes=completes)
        self._renewals.plan(placed)
        return placed

    async def _write_with(
        self, place: SingleWrite, account_id: str, applied: Applied, amount_micro_usd: int
    ) -> Written:
        """Place a hold together with the writes of its budgets, and return the row if the hold returns it."""
        if not applied.uses:
            return await self._db.write(place)
        take = self._writes.budgets.take
        takes = [take(account_id, use, amount_micro_usd, wallet) for use, wallet in applied.counted]
        # A late copy has the token of its transaction, so it cannot take the money again.
        await self._db.transact([place, *takes])
        row = await self._db.get(place.table, place.row) if place.returns else None
        return Written(row, is_doubtful=False)

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers of an account as this process knows them."""
        limits = self.limits.get(account_id) or DEFAULT
        return self._meter.headers(account_id, self._clock.now_ms(), limits)

    async def _open_counter(
        self, account_id: str, allowance: Allowance | None, refusal: HoldRefusedError, now_ms: int
    ) -> None:
        """Start the counter of a cap's period if it is not there."""
        if allowance is None or allowance.left(refusal.counters) is not None:
            return
        # Another request may be opening it as well.
        with suppress(AlreadyOpenError):
            table = self._writes.accounts_table
            await self._db.write(open_period(table, account_id, allowance, refusal.counters, now_ms))
