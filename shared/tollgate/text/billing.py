"""Money around one text request: hold before the provider is called, record and settle after.

`docs/ledger.md` has the protocol, and why it holds in whatever order its steps come.
"""

import asyncio
import random
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseBusyError, DatabaseError, Written
from tollgate.kit.dynamodb.writes import MarkedWrite
from tollgate.kit.errors import (
    BudgetReachedError,
    ConcurrencyLimitedError,
    InsufficientBalanceError,
    RateLimitedError,
)
from tollgate.kit.observability import emit, logger
from tollgate.ledger.budgets import NOBODY, Applied, BudgetShortError, Spender, StaleBudgetsError
from tollgate.ledger.caps import Allowance, AlreadyOpenError, open_period
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import (
    EMPTY_LIFETIME_MS,
    HOLD_LIFETIME_MS,
    MAX_HOLDS,
    AlreadyRecordedError,
    AlreadyResolvedError,
    Hold,
    HoldRefusedError,
    HoldWrites,
    LateChargeRefusedError,
    affordable_late_charge,
    charge_of,
    failed_entry,
    is_end_requested,
    late_entry,
    text_entry,
    void_entry,
)
from tollgate.ledger.rate import RateMeter, RateWindow, RateWindowMismatchError
from tollgate.ledger.wallets import DEFAULT, KnownLimits, Limits, account_of, rows_to_try, wallet_number
from tollgate.text.budgets import TextBudgets
from tollgate.text.metering import (
    Demand,
    HoldPlan,
    affordable_hold,
    charge_micro_usd,
    full_hold,
    unit_prices,
)
from tollgate.text.models import TextModel
from tollgate.text.placed import Billed, PlacedHold
from tollgate.text.refusal import available, hold_refused
from tollgate.text.renewals import Renewals
from tollgate.text.usage import Usage, stored_usage
from tollgate.text.wallets import Wallets

# Attempts to place one hold: the full hold, the first of a minute and of a cap's period, the affordable hold,
# and again if the balance changed in between.
MAX_PLACES = 7
# The ledger's text for a response that ended because the money did.
LIMITED = "The balance limited the response."
# Between the providers that were called, in the order of the calls.
ARROW = " → "
# Attempts with an account's limits and budgets: none, the stored ones, and again if they changed.
MAX_READS = 6
# Times that an account's money is brought together for one hold, while others move it about.
MAX_GATHERS = 6
# Random delay before funding an empty wallet, so that one process does it.
MAX_FUND_WAIT_S = 0.2
# Tries of a late charge; each but the first because other requests took from the balance in between.
MAX_LATE_CHARGES = 6


@dataclass(frozen=True, slots=True)
class _HoldTerms:
    """The hold that a request needs, in any row of its account."""

    account_id: str
    request_id: str
    demand: Demand
    model: TextModel
    allowance: Allowance | None
    spender: Spender
    lifetime_ms: int
    accepted_at: float


class _ShortError(Exception):
    """This row has not the whole amount; the account's other rows may have the rest."""

    def __init__(self, balance_micro_usd: int, needed_micro_usd: int) -> None:
        super().__init__("the row has less than the amount to hold")
        self.balance_micro_usd = balance_micro_usd
        self.needed_micro_usd = needed_micro_usd


class _StaleLimitsError(Exception):
    """The account has other limits than this process knew."""


class TextBilling:
    """Holds, records and settles."""

    def __init__(self, db: AsyncDatabase, writes: HoldWrites, clock: Clock, meter: RateMeter) -> None:
        self._db = db
        self._writes = writes
        self._clock = clock
        self._wallets = Wallets(db, writes.accounts_table)
        self.budgets = TextBudgets(db, writes.budgets, clock)
        self.limits = KnownLimits(clock)
        self.meter = meter
        self._renewals = Renewals(db, writes, clock)
        self._aside: set[asyncio.Future[None]] = set()
        """The loop keeps only weak references to tasks."""

    async def place(
        self,
        account_id: str,
        request_id: str,
        demand: Demand,
        model: TextModel,
        allowance: Allowance | None = None,
        *,
        spender: Spender = NOBODY,
        lifetime_ms: int = HOLD_LIFETIME_MS,
    ) -> PlacedHold:
        """Hold the most that the request can cost, within the `allowance` of a key with a spending cap, and
        within the budgets that count the `spender`. The hold lives for `lifetime_ms` unless it is renewed.

        It takes one write if the balance and the cap cover it, or one transaction with budgets. Raises
        `InsufficientBalanceError`, `SpendingCapReachedError`, `BudgetReachedError`,
        `ConcurrencyLimitedError`, `RateLimitedError`, `UserNotFoundError`, and `KeyLimitReachedError` as
        `open_period` does; then nothing is held.
        """
        accepted_at = time.monotonic()
        terms = _HoldTerms(
            account_id, request_id, demand, model, allowance, spender, lifetime_ms, accepted_at
        )
        for _ in range(MAX_READS):
            limits = self.limits.get(account_id) or DEFAULT
            try:
                if limits.wallets == 1:
                    return await self._place_in(account_id, terms, limits)
                return await self._place_among(terms, limits)
            except _StaleLimitsError:
                continue
            except StaleBudgetsError:
                await self.budgets.load(account_id)
        raise DatabaseBusyError("the account's limits or budgets keep moving")

    async def _place_among(self, terms: _HoldTerms, limits: Limits) -> PlacedHold:
        """Place the hold in one of several rows or, if one has too little, from all of them together.

        A key with a cap spends from the account's main row, because its counter is there.
        """
        rows = rows_to_try(terms.account_id, limits.wallets, random.randrange(limits.wallets))  # noqa: S311
        refusal: Exception | None = None
        for row in rows if terms.allowance is None else ():
            try:
                return await self._place_in(row, terms, limits, is_whole=True)
            except _ShortError as short:
                # The next request will find money there. This request uses the main row, and need not wait.
                self._run_aside(self._fund(row, limits.wallets, short.needed_micro_usd))
                break
            except BudgetShortError as short:
                self._run_aside(self._fund_budget(terms.account_id, short, limits.wallets))
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
        account_id = terms.account_id
        for _ in range(MAX_GATHERS):
            try:
                return await self._place_in(account_id, terms, limits, is_whole=True)
            except _ShortError as short:
                if await self._wallets.gather(account_id, limits.wallets, short.balance_micro_usd):
                    continue
            except BudgetShortError as short:
                if await self.budgets.gather(account_id, short, limits.wallets):
                    continue
            try:
                return await self._place_in(account_id, terms, limits)
            except BudgetReachedError as exc:
                if not await self.budgets.gather(
                    account_id, cast("BudgetShortError", exc.__cause__), limits.wallets
                ):
                    raise
            except InsufficientBalanceError as exc:
                # A refusal requires that all rows together, at one moment, have too little.
                refusal = cast("HoldRefusedError", exc.__cause__)
                if not await self._wallets.gather(account_id, limits.wallets, refusal.balance_micro_usd):
                    raise
        raise DatabaseBusyError("the account's money keeps moving")

    async def _place_in(
        self, row_id: str, terms: _HoldTerms, limits: Limits, *, is_whole: bool = False
    ) -> PlacedHold:
        """Place the hold in one row; the whole amount or none of it, where others may have the rest."""
        plan = full_hold(terms.demand, terms.model)
        refusal: HoldRefusedError | None = None
        # Most requests pass at once. After a refusal, its cause is fixed before the next attempt: the window,
        # expired holds, a cap's counter, at last a smaller hold.
        window = self.meter.guess(row_id, self._clock.now_ms(), limits)
        is_unknown = row_id == terms.account_id and self.limits.get(row_id) is None
        for _ in range(MAX_PLACES):
            now_ms = self._clock.now_ms()
            try:
                return await self._place_once(row_id, terms, plan, window, limits)
            except HoldRefusedError as exc:
                refusal = exc
            except BudgetShortError as short:
                plan = _within_budget(terms, plan, short, is_whole=is_whole)
                continue
            if is_unknown:
                self._check_limits(row_id, refusal, limits)
            is_unknown = False
            # Nothing was wrong but our guess which minute the row is in.
            if isinstance(refusal.rate, RateWindowMismatchError):
                window = refusal.rate.window
                continue
            if refusal.rate is not None:
                self.meter.refused(row_id, now_ms, limits)
                raise refusal.rate
            if await self._resolve_expired(row_id, refusal, now_ms) or await self._open_counter(
                row_id, terms.allowance, refusal, now_ms
            ):
                continue
            if is_whole and not refusal.too_many and refusal.balance_micro_usd < plan.amount_micro_usd:
                raise _ShortError(refusal.balance_micro_usd, plan.amount_micro_usd)
            left = available(refusal, terms.allowance)
            plan = affordable_hold(terms.demand, terms.model, left)
            # A smaller hold does not help against too many requests at once, nor where even the least costs
            # too much.
            if refusal.too_many or plan.amount_micro_usd > left:
                break
        raise hold_refused(refusal, plan, terms.allowance, limits.text_at_once or MAX_HOLDS) from refusal

    def _check_limits(self, row_id: str, refusal: HoldRefusedError, limits: Limits) -> None:
        """Cache the limits in the row found. Raises `_StaleLimitsError` if they are not the ones used."""
        if self.limits.put(row_id, refusal.limits) != limits:
            raise _StaleLimitsError

    async def _place_once(
        self, row_id: str, terms: _HoldTerms, plan: HoldPlan, window: RateWindow, limits: Limits
    ) -> PlacedHold:
        """Place the hold by one write, or by one transaction with its budgets.

        Raises `HoldRefusedError`, `StaleBudgetsError`, `BudgetShortError`.
        """
        allowance = terms.allowance
        counter = None if allowance is None else allowance.counter
        expires_at_ms = self._clock.now_ms() + terms.lifetime_ms
        applied = self.budgets.applied(terms.account_id, terms.spender)
        wallet = wallet_number(row_id)
        items = applied.items(wallet)
        hold = Hold(terms.request_id, plan.amount_micro_usd, expires_at_ms, counter, budgets=items)
        # The first write of a process to an account's row returns the account's limits.
        learns = row_id == terms.account_id and self.limits.get(row_id) is None
        most = limits.text_at_once or MAX_HOLDS
        place = self._writes.place(
            row_id, hold, window, allowance, most=most, returns=learns, budgets=applied.budgets
        )
        written = await self._write_with(place, terms.account_id, applied, hold.amount_micro_usd, wallet)
        if learns and written.row is not None:
            self.limits.learn(row_id, written.row)
        self.meter.counted(row_id, window)
        placed = PlacedHold(
            terms.account_id,
            row_id,
            hold,
            plan,
            allowance,
            terms.demand.answers,
            spender=terms.spender,
            uses=applied.uses,
        )
        placed.accepted_at = terms.accepted_at
        placed.held_ms = placed.elapsed_ms()
        placed.is_doubtful = written.is_doubtful
        placed.completes = (self.limits.get(terms.account_id) or DEFAULT).completes_answers
        self._renewals.plan(placed)
        return placed

    async def _write_with(
        self, place: MarkedWrite, account_id: str, applied: Applied, amount_micro_usd: int, wallet: int
    ) -> Written:
        """Place a hold together with the writes of its budgets, and return the row if the hold returns it."""
        if not applied.uses:
            return await self._db.write(place)
        take = self._writes.budgets.take
        takes = [take(account_id, use, amount_micro_usd, wallet) for use in applied.uses]
        # A late copy has the token of its transaction, so it cannot take the money again.
        await self._db.transact([place, *takes])
        row = await self._db.get(place.table, place.row) if place.returns else None
        return Written(row, is_doubtful=False)

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers of an account as this process knows them."""
        limits = self.limits.get(account_id) or DEFAULT
        return self.meter.headers(account_id, self._clock.now_ms(), limits)

    async def settle(self, placed: PlacedHold, model: TextModel, usage: Usage) -> Billed:
        """Bill the usage: write the ledger row first, then resolve the hold. A repeat changes nothing.

        If the hold expired and was released, the charge follows late, as far as the balance covers it.
        """
        placed.settling = True
        self._renewals.stop(placed)
        full_charge = charge_micro_usd(usage, model)
        entry = text_entry(
            placed.account_id,
            placed.hold.request_id,
            placed.hold.counter,
            budgets=placed.hold.budgets,
            model=model.id,
            # Never more than the hold. The excess is our loss, and rings an alarm below.
            charge_micro_usd=min(full_charge, placed.hold.amount_micro_usd),
            usage=stored_usage(usage),
            now_ms=self._clock.now_ms(),
            provider=placed.provider,
            reason=LIMITED if placed.plan.cuts(usage.output_tokens, placed.answers) else None,
            key_id=placed.spender.key_id,
            latency_ms=placed.elapsed_ms(),
            first_byte_ms=placed.first_byte_ms,
            attribution=placed.spender.attribution,
            trace=placed.trace(unit_prices(usage, model)),
        )
        decided = await self._record(entry)
        # Use the charge in the row, which may come from an earlier attempt of this request or from a process
        # that expired the hold.
        charge = charge_of(decided)
        await self._end_hold(placed, charge)
        if decided.kind is EntryKind.VOID:
            charge = await self._charge_late(placed, entry)
            logger.warning("text.late_settlement", charge_micro_usd=charge, usage_micro_usd=full_charge)
            emit({"LateSettlements": 1})
        if usage.disbelieved:
            logger.error("text.usage_disbelieved", model=model.id, charge_micro_usd=charge)
            emit({"HoldShortfalls": 1})
        elif usage.estimated:
            logger.warning("text.usage_estimated", model=model.id, charge_micro_usd=charge)
        if full_charge > charge:
            logger.error("text.hold_shortfall", model=model.id, shortfall_micro_usd=full_charge - charge)
            emit({"HoldShortfalls": 1})
        return Billed(charge, full_charge - charge, placed.plan.passed_limit is not None)

    async def void(self, placed: PlacedHold) -> None:
        """Void the whole hold, because nothing was delivered."""
        self._renewals.stop(placed)
        # A settlement that has begun may have its row in the ledger: then that decides, not this.
        if not placed.settling:
            await self._end_hold(placed, 0)

    async def fail(self, placed: PlacedHold, model: str, reason: str) -> None:
        """Void the hold of a request without a response. If a provider was called, record the failure."""
        if placed.calls and not placed.settling:
            entry = failed_entry(
                placed.account_id,
                placed.hold,
                self._clock.now_ms(),
                model=model,
                provider=ARROW.join(dict.fromkeys(call.provider for call in placed.calls)),
                reason=reason,
                key_id=placed.spender.key_id,
                latency_ms=placed.elapsed_ms(),
                attribution=placed.spender.attribution,
                trace=placed.trace(),
            )
            # The row is for people: without it the money goes back all the same.
            try:
                await self._record(entry)
            except DatabaseError:
                logger.exception("text.failure_not_recorded", request=placed.hold.request_id)
        await self.void(placed)

    def hand_over(self, placed: PlacedHold) -> None:
        """Renew a hold no more, because another process continues its request."""
        self._renewals.stop(placed)

    async def take_over(self, placed: PlacedHold) -> bool:
        """Renew the hold of a request that this process continues; return whether it is still there."""
        return await self._renewals.take_over(placed)

    async def request_end(self, placed: PlacedHold) -> None:
        """Ask the process of a running request to end it."""
        with suppress(AlreadyResolvedError):
            await self._db.write(self._writes.request_end(placed.row_id, placed.hold.request_id))

    async def is_end_requested(self, placed: PlacedHold) -> bool:
        """Return whether the request's owner asked to end it, as far as the database answers."""
        try:
            account = await self._db.get(self._writes.accounts_table, {"account_id": placed.row_id})
        except DatabaseError:
            # The next look may succeed. The response itself needs no database until its end.
            logger.warning("text.not_looked")
            return False
        return account is not None and is_end_requested(account, placed.hold.request_id)

    async def _record(self, entry: Entry) -> Entry:
        """Write the row that decides the charge for a hold; return the row that is then in the ledger."""
        try:
            await self._db.write(self._writes.record(entry))
        except AlreadyRecordedError as exc:
            return exc.entry
        return entry

    async def _charge_late(self, placed: PlacedHold, charge: Entry) -> int:
        """Charge the part that the balance and the cap cover, after the hold is gone; return the amount."""
        amount, allowance = charge_of(charge), placed.allowance
        for _ in range(MAX_LATE_CHARGES):
            if amount <= 0:
                break
            budgets = [use.item() for use in placed.uses]
            entry = late_entry(charge, placed.hold, amount, allowance, budgets)
            takes = [self._writes.budgets.take(placed.account_id, use, amount) for use in placed.uses]
            try:
                await self._db.transact([*self._writes.charge_late(entry, allowance), *takes])
            except BudgetShortError as short:
                amount = min(amount, short.left_micro_usd)
            except AlreadyRecordedError as exc:
                return charge_of(exc.entry)
            except LateChargeRefusedError as refused:
                wallets = refused.account.get("wallets", 1)
                seen = refused.account["balance_micro_usd"]
                if await self._wallets.gather(placed.account_id, wallets, seen):
                    continue
                amount, allowance = affordable_late_charge(refused.account, charge_of(charge), allowance)
            else:
                return amount
        return 0

    def _run_aside(self, work: Coroutine[None, None, None]) -> None:
        running = asyncio.ensure_future(work)
        self._aside.add(running)
        running.add_done_callback(self._aside.discard)

    async def _fund(self, row_id: str, wallets: int, needed_micro_usd: int) -> None:
        """Fund a wallet, unless another process that found it empty does."""
        await asyncio.sleep(random.uniform(0, MAX_FUND_WAIT_S))  # noqa: S311
        try:
            await self._wallets.fund(row_id, wallets, needed_micro_usd)
        except DatabaseError:
            logger.warning("text.not_funded", row=row_id)

    async def _fund_budget(self, account_id: str, short: BudgetShortError, wallets: int) -> None:
        """Fund a wallet's row of a budget, as `_fund` does with money."""
        await asyncio.sleep(random.uniform(0, MAX_FUND_WAIT_S))  # noqa: S311
        try:
            await self.budgets.fund(account_id, short, wallets)
        except DatabaseError:
            logger.warning("text.budget_not_funded", budget=short.use.budget.budget_id)

    async def _end_hold(self, placed: PlacedHold, charge: int) -> None:
        """Resolve a request's own hold, so that no late copy of its place takes the money again."""
        until_ms = self._clock.now_ms() + EMPTY_LIFETIME_MS if placed.is_doubtful else None
        await self._resolve(placed.row_id, placed.hold, charge, empty_until_ms=until_ms)

    async def _resolve(
        self, row_id: str, hold: Hold, charge: int, *, empty_until_ms: int | None = None
    ) -> None:
        """Resolve a hold, unless that was done before."""
        resolve = self._writes.resolve(row_id, hold, charge, empty_until_ms=empty_until_ms)
        with suppress(AlreadyResolvedError):
            if hold.budgets:
                returned = self._writes.returned_to_budgets(row_id, hold, charge)
                await self._db.transact([resolve, *returned])
            else:
                await self._db.write(resolve)

    async def _resolve_expired(self, row_id: str, refusal: HoldRefusedError, now_ms: int) -> bool:
        """Resolve holds that outlived their request; return whether there were any."""
        expired = [hold for hold in refusal.holds if hold.expires_at_ms <= now_ms]
        for hold in expired:
            charge = 0
            if not hold.is_over:
                charge = charge_of(await self._record(void_entry(account_of(row_id), hold, now_ms)))
            await self._resolve(row_id, hold, charge)
        return bool(expired)

    async def _open_counter(
        self, account_id: str, allowance: Allowance | None, refusal: HoldRefusedError, now_ms: int
    ) -> bool:
        """Start the counter of a cap's period; return whether it was not there."""
        if allowance is None or allowance.left(refusal.counters) is not None:
            return False
        # Another request may be opening it as well.
        with suppress(AlreadyOpenError):
            table = self._writes.accounts_table
            await self._db.write(open_period(table, account_id, allowance, refusal.counters, now_ms))
        return True


def _within_budget(terms: _HoldTerms, plan: HoldPlan, short: BudgetShortError, *, is_whole: bool) -> HoldPlan:
    """Return a smaller hold that the budget covers.

    Raises `BudgetShortError` if the hold must be whole, and `BudgetReachedError` if even the least costs too
    much.
    """
    if is_whole:
        raise short
    smaller = affordable_hold(terms.demand, terms.model, short.left_micro_usd)
    if smaller.amount_micro_usd > short.left_micro_usd or smaller.amount_micro_usd >= plan.amount_micro_usd:
        raise short.refusal() from short
    return smaller
