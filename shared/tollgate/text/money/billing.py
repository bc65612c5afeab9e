"""Money around one text request: hold before the provider is called, record and settle after.

`docs/ledger.md` has the protocol, and why it holds in whatever order its steps come.
"""

from contextlib import suppress

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import emit, logger
from tollgate.ledger.budgets import BudgetShortError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_entries import (
    affordable_late_charge,
    charge_of,
    failed_entry,
    late_entry,
    text_entry,
)
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import (
    EMPTY_LIFETIME_MS,
    AlreadyRecordedError,
    AlreadyResolvedError,
    LateChargeRefusedError,
    is_end_requested,
)
from tollgate.ledger.rate import RateMeter
from tollgate.routing.speeds import RecentSpeeds
from tollgate.text.models import BATCH, TextModel
from tollgate.text.money.drawing import Drawing
from tollgate.text.money.endings import HoldEndings
from tollgate.text.money.metering import charge_micro_usd, markup_micro_usd, unit_prices
from tollgate.text.money.placed import Billed, PlacedHold
from tollgate.text.money.placing import Placing
from tollgate.text.money.renewals import Renewals
from tollgate.text.money.wallets import Wallets
from tollgate.text.usage import Usage, stored_usage

# The ledger's text for a response that ended because the money did.
LIMITED = "The balance limited the response."
# Between the providers that were called, in the order of the calls.
ARROW = " → "
# Tries of a late charge; each but the first because other requests took from the balance in between.
MAX_LATE_CHARGES = 6


class TextBilling:
    """Holds, records and settles."""

    def __init__(self, db: AsyncDatabase, writes: HoldWrites, clock: Clock, meter: RateMeter) -> None:
        self._db = db
        self._writes = writes
        self._clock = clock
        self._wallets = Wallets(db, writes.accounts_table)
        self._endings = HoldEndings(db, writes)
        self._renewals = Renewals(db, writes, clock)
        placing = Placing(db, writes, clock, meter, self._renewals)
        self.limits = placing.limits
        self.place = placing.place
        self.draw = Drawing(db, writes, clock, meter, placing.limits, self._renewals, placing.budgets).draw
        self.rate_headers = placing.rate_headers
        self.speeds = RecentSpeeds()

    async def settle(self, placed: PlacedHold, model: TextModel, usage: Usage) -> Billed:
        """Bill the usage: write the ledger row first, then resolve the hold. A repeat changes nothing.

        If the hold expired and was released, the charge follows late, as far as the balance covers it.
        """
        placed.settling = True
        self._renewals.stop(placed)
        full_charge = charge_micro_usd(usage, model)
        # Never more than the hold. The excess is our loss, and rings an alarm below.
        charge = min(full_charge, placed.hold.amount_micro_usd)
        entry = text_entry(
            placed.account_id,
            placed.hold.request_id,
            placed.hold.counter,
            budgets=placed.hold.budgets,
            model=model.id,
            charge_micro_usd=charge,
            usage=stored_usage(usage),
            now_ms=self._clock.now_ms(),
            provider=placed.provider,
            reason=LIMITED if placed.plan.cuts(usage.total_output_tokens, placed.answers) else placed.note,
            key_id=placed.spender.key_id,
            latency_ms=placed.elapsed_ms(),
            first_byte_ms=placed.first_byte_ms,
            attribution=placed.spender.attribution,
            trace=placed.trace(unit_prices(usage, model)),
            markup_micro_usd=markup_micro_usd(usage, model, charge),
        )
        self._note_speed(placed, model, usage)
        decided = await self._endings.settle(
            placed.row_id, placed.hold, entry, empty_until_ms=self._empty_until_ms(placed)
        )
        # Use the charge in the row, which may come from an earlier attempt of this request or from a process
        # that expired the hold.
        charge = charge_of(decided)
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

    def _note_speed(self, placed: PlacedHold, model: TextModel, usage: Usage) -> None:
        """Note how fast the provider that answered was, from its call on. A batch is not in a hurry."""
        if usage.service == BATCH:
            return
        started = [call.started_ms for call in placed.calls if call.provider == placed.provider]
        if placed.provider is not None and started:
            total_ms = placed.elapsed_ms() - started[-1]
            first_ms = total_ms if placed.first_byte_ms is None else placed.first_byte_ms - started[-1]
            route = (model.id, placed.provider)
            self.speeds.note(route, self._clock.now_ms(), first_ms, total_ms, usage.output_tokens)

    async def void(self, placed: PlacedHold) -> None:
        """Void the whole hold, because nothing was delivered."""
        self._renewals.stop(placed)
        # A settlement that has begun may have its row in the ledger: then that decides, not this.
        if not placed.settling:
            until_ms = self._empty_until_ms(placed)
            await self._endings.resolve(placed.row_id, placed.hold, None, empty_until_ms=until_ms)

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
                await self._endings.record(entry)
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

    def _empty_until_ms(self, placed: PlacedHold) -> int | None:
        """Return until when an empty hold must refuse a late copy of its place, if there may be one."""
        return self._clock.now_ms() + EMPTY_LIFETIME_MS if placed.is_doubtful else None
