"""Money around one text request: hold before the provider is called, record and settle after.

`docs/ledger.md` has the protocol, and why it holds in whatever order its steps come.
"""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb_async import AsyncDatabase, DatabaseError
from tollgate.kit.errors import ConcurrencyLimitedError, InsufficientBalanceError
from tollgate.kit.money import cents_down, cents_up
from tollgate.kit.observability import emit, logger
from tollgate.ledger.caps import Allowance, AlreadyOpenError, cap_reached, open_period
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import (
    HOLD_LIFETIME_MS,
    MAX_HOLDS,
    MAX_RENEWALS,
    RENEW_AFTER_MS,
    AlreadyRecordedError,
    AlreadyResolvedError,
    Hold,
    HoldRefusedError,
    HoldWrites,
    LateChargeRefusedError,
    charge_of,
    is_end_asked,
    late_cover,
    late_entry,
    text_entry,
    void_entry,
)
from tollgate.ledger.rate import RateMeter, RateWindowMovedError
from tollgate.text.metering import Demand, HoldPlan, affordable_hold, charge_micro_usd, full_hold
from tollgate.text.models import TextModel
from tollgate.text.usage import Usage

# Tries to place one hold: as asked, the first of a minute and of a cap's period, as affordable, and again
# where the balance moved in between.
MAX_PLACES = 7
# What the ledger says of a text that ended where the money did.
LIMITED = "The answer was limited by the balance."
# Tries of a late charge; each but the first because other requests took from the balance in between.
MAX_LATE_CHARGES = 4


@dataclass(slots=True)
class Placed:
    """A hold that is in place, and what it pays for.

    Once `settling` has begun the request may be in the ledger, so the hold can only be settled, now or
    when it expires; to give it back as well would be money from nowhere.
    """

    account_id: str
    hold: Hold
    plan: HoldPlan
    allowance: Allowance | None = None
    answers: int = 1
    settling: bool = False
    provider: str | None = None
    """Whose answer it pays for, once that is known."""
    renewals: int = 0
    key_id: str | None = None
    """The API key that asked, where it is one that its customer knows."""
    accepted_at: float = field(default_factory=time.monotonic, repr=False)
    first_byte_ms: int | None = None
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)
    """Wakes whoever renews the hold; a request that is over by then pays nothing for it."""

    def elapsed_ms(self) -> int:
        """Return how long ago the request was accepted."""
        return round((time.monotonic() - self.accepted_at) * MS_PER_S)


@dataclass(frozen=True, slots=True)
class Billed:
    """What a request was charged; `shortfall_micro_usd`, what the hold did not cover, is 0 or an alarm."""

    charge_micro_usd: int
    shortfall_micro_usd: int = 0
    is_limited: bool = False
    """Whether the balance set the limit of the answer."""


class TextBilling:
    """Holds, records and settles."""

    def __init__(self, db: AsyncDatabase, writes: HoldWrites, clock: Clock, meter: RateMeter) -> None:
        self._db = db
        self._writes = writes
        self._clock = clock
        self.meter = meter
        self._renewing: set[asyncio.Future[None]] = set()
        """The loop keeps no hold of a task by itself."""

    async def place(
        self,
        account_id: str,
        request_id: str,
        demand: Demand,
        model: TextModel,
        allowance: Allowance | None = None,
        *,
        key_id: str | None = None,
    ) -> Placed:
        """Set aside what the request can cost at most, within the `allowance` of a key with a spending cap.

        One write where the balance and the cap cover it. Raises `InsufficientBalanceError`,
        `SpendingCapReachedError`, `ConcurrencyLimitedError`, `RateLimitedError`, `UserNotFoundError`, and
        `KeyLimitReachedError` as `open_period` does; then nothing is held.
        """
        accepted_at = time.monotonic()
        counter = None if allowance is None else allowance.counter
        plan = full_hold(demand, model)
        refusal: HoldRefusedError | None = None
        # Most requests pass at once. A refusal is looked into, and what it found wrong is put right before
        # the next attempt: the window, expired holds, a cap's counter, at last a smaller hold.
        window = self.meter.guess(account_id, self._clock.now_ms())
        for _ in range(MAX_PLACES):
            now_ms = self._clock.now_ms()
            hold = Hold(request_id, plan.amount_micro_usd, now_ms + HOLD_LIFETIME_MS, counter)
            try:
                await self._db.write(self._writes.place(account_id, hold, window, allowance))
            except HoldRefusedError as exc:
                refusal = exc
            else:
                self.meter.counted(account_id, window)
                placed = Placed(account_id, hold, plan, allowance, demand.answers, key_id=key_id)
                placed.accepted_at = accepted_at
                self._renew_later(placed)
                return placed
            # Nothing was wrong but our guess which minute the row is in.
            if isinstance(refusal.rate, RateWindowMovedError):
                window = refusal.rate.window
                continue
            if refusal.rate is not None:
                self.meter.refused(account_id, now_ms)
                raise refusal.rate
            if await self._resolve_expired(account_id, refusal, now_ms):
                continue
            if await self._open_counter(account_id, allowance, refusal, now_ms):
                continue
            available = _available(refusal, allowance)
            plan = affordable_hold(demand, model, available)
            # A smaller hold does not help against too many requests at once, nor where even the least costs
            # too much.
            if refusal.too_many or plan.amount_micro_usd > available:
                break
        raise _refused(refusal, plan, allowance)

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers of an account as this process knows them."""
        return self.meter.headers(account_id, self._clock.now_ms())

    async def settle(self, placed: Placed, model: TextModel, usage: Usage) -> Billed:
        """Bill what was used: the ledger row first, then the hold. A repeat changes nothing.

        A hold that was found expired and given back is billed late, as far as the balance carries it.
        """
        placed.settling = True
        self._stop_renewing(placed)
        full_charge = charge_micro_usd(usage, model)
        entry = text_entry(
            placed.account_id,
            placed.hold.request_id,
            placed.hold.counter,
            model=model.id,
            # Never more than was set aside: what is above it is our loss, and an alarm below.
            charge_micro_usd=min(full_charge, placed.hold.amount_micro_usd),
            usage=_stored(usage),
            now_ms=self._clock.now_ms(),
            provider=placed.provider,
            reason=LIMITED if placed.plan.cuts(usage.output_tokens, placed.answers) else None,
            key_id=placed.key_id,
            latency_ms=placed.elapsed_ms(),
            first_byte_ms=placed.first_byte_ms,
        )
        decided = await self._record(entry)
        # With what the row says, not with what we would have: an earlier try of ours, or whoever took the
        # hold for dead, may have written it.
        charge = charge_of(decided)
        await self._resolve(placed.account_id, placed.hold, charge)
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

    async def void(self, placed: Placed) -> None:
        """Void the hold, as a whole: nothing was delivered."""
        self._stop_renewing(placed)
        # A settlement that has begun may have its row in the ledger: then that decides, not this.
        if not placed.settling:
            await self._resolve(placed.account_id, placed.hold, 0)

    async def is_end_asked(self, placed: Placed) -> bool:
        """Return whether the request's owner asked for its end. Raises `DatabaseError`."""
        account = await self._db.get(self._writes.accounts_table, {"account_id": placed.account_id})
        return account is not None and is_end_asked(account, placed.hold.request_id)

    async def _record(self, entry: Entry) -> Entry:
        """Write the row that decides what a hold is resolved with; return the one that is there then."""
        try:
            await self._db.write(self._writes.record(entry))
        except AlreadyRecordedError as exc:
            return exc.entry
        return entry

    async def _charge_late(self, placed: Placed, charge: Entry) -> int:
        """Bill what the balance and the cap cover of a charge whose hold is gone; return how much it was."""
        amount, allowance = charge_of(charge), placed.allowance
        for _ in range(MAX_LATE_CHARGES):
            if amount <= 0:
                break
            entry = late_entry(charge, placed.hold, amount, allowance)
            try:
                await self._db.transact(self._writes.charge_late(entry, allowance))
            except AlreadyRecordedError as exc:
                return charge_of(exc.entry)
            except LateChargeRefusedError as refused:
                amount, allowance = late_cover(refused.account, charge_of(charge), allowance)
            else:
                return amount
        return 0

    def _renew_later(self, placed: Placed) -> None:
        if placed.renewals < MAX_RENEWALS:
            delay_s = RENEW_AFTER_MS / MS_PER_S
            placed.timer = asyncio.get_running_loop().call_later(delay_s, self._renew_now, placed)

    def _renew_now(self, placed: Placed) -> None:
        renewal = asyncio.ensure_future(self._renew(placed))
        self._renewing.add(renewal)
        renewal.add_done_callback(self._renewing.discard)

    async def _renew(self, placed: Placed) -> None:
        """Let the hold of a request that is still running live on, and come back before it ends."""
        placed.renewals += 1
        expires_at_ms = self._clock.now_ms() + HOLD_LIFETIME_MS
        try:
            await self._db.write(self._writes.renew(placed.account_id, placed.hold, expires_at_ms))
        except AlreadyResolvedError:
            # It is settled by now, or was taken for dead: then its settlement comes late.
            return
        except DatabaseError:
            logger.exception("text.not_renewed", request=placed.hold.request_id)
        if not placed.settling:
            self._renew_later(placed)

    @staticmethod
    def _stop_renewing(placed: Placed) -> None:
        if placed.timer is not None:
            placed.timer.cancel()
            placed.timer = None

    async def _resolve(self, account_id: str, hold: Hold, charge: int) -> bool:
        """Remove a hold; give whether it was still there."""
        try:
            await self._db.write(self._writes.resolve(account_id, hold, charge))
        except AlreadyResolvedError:
            return False
        return True

    async def _resolve_expired(self, account_id: str, refusal: HoldRefusedError, now_ms: int) -> bool:
        """Resolve holds that outlived their request; give whether there were any."""
        expired = [hold for hold in refusal.holds if hold.expires_at_ms <= now_ms]
        for hold in expired:
            decided = await self._record(void_entry(account_id, hold, now_ms))
            await self._resolve(account_id, hold, charge_of(decided))
        return bool(expired)

    async def _open_counter(
        self, account_id: str, allowance: Allowance | None, refusal: HoldRefusedError, now_ms: int
    ) -> bool:
        """Start the counter of a cap's period; give whether it was not there."""
        if allowance is None or allowance.left(refusal.counters) is not None:
            return False
        # Another request may be opening it as well.
        with suppress(AlreadyOpenError):
            table = self._writes.accounts_table
            await self._db.write(open_period(table, account_id, allowance, refusal.counters, now_ms))
        return True


def _available(refusal: HoldRefusedError, allowance: Allowance | None) -> int:
    """Return what the balance and the cap leave."""
    left = None if allowance is None else allowance.left(refusal.counters)
    return refusal.balance_micro_usd if left is None else min(left, refusal.balance_micro_usd)


def _refused(refusal: HoldRefusedError | None, plan: HoldPlan, allowance: Allowance | None) -> Exception:
    if refusal is None or refusal.too_many:
        return ConcurrencyLimitedError(
            f"This account has {MAX_HOLDS} text requests running, the most allowed."
        )
    balance, required = refusal.balance_micro_usd, plan.amount_micro_usd
    if allowance is not None and balance >= required:
        left = _available(refusal, allowance) + refusal.held_in(allowance.counter)
        return cap_reached(allowance, refusal.counters, required, waiting_helps=left >= required)
    return InsufficientBalanceError(
        cents_down(balance), cents_up(required), waiting_helps=balance + refusal.held_micro_usd >= required
    )


def _stored(usage: Usage) -> Mapping[str, Any]:
    """Return a usage as it stands in the ledger: what is not zero."""
    return {name: value for name, value in asdict(usage).items() if value and name != "disbelieved"}
