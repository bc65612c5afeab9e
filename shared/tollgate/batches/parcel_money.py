"""The money of parcels: reserved before they are sent, charged line by line, and the rest returned.

It is the reservation of a quote (`ledger/reservations.py`), and the charge of a text request.
"""

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.batches.models import Batch
from tollgate.batches.parcels import MAX_RESERVATIONS, RESERVED_MS, Parcel
from tollgate.batches.vendor_lines import Prepared
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.observability import logger
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import Spender
from tollgate.ledger.hold_entries import charge_ids, void_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import EMPTY_LIFETIME_MS, AlreadyResolvedError, Hold, all_holds_of
from tollgate.ledger.reservations import Reservation, ReservationShortError, reserved_in, take_share
from tollgate.ledger.trace import RouteCall
from tollgate.ledger.wallets import account_of, row_ids
from tollgate.routing.wishes import NO_WISHES, Wishes
from tollgate.text.models import TextModel
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.endings import HoldEndings
from tollgate.text.money.metering import HoldPlan
from tollgate.text.money.placed import PlacedHold
from tollgate.text.money.route_plan import RoutePlan
from tollgate.text.usage import Usage

# Attempts to return a reservation; each but the first because a line took from it in between.
MAX_RELEASES = 20


class OrdinaryOnlyError(Exception):
    """The account's lines are not sent to a vendor's batch: it has a routing policy, or a mark-up."""


class UnreturnedMoneyError(Exception):
    """The money of a parcel could not be returned yet. A later message returns it."""


@dataclass(frozen=True, slots=True)
class ParcelPlan(RoutePlan):
    """The lines of a parcel as one plan. Its hold is the sum of their holds."""

    amount_micro_usd: int = 0

    def marked_up(self, percent: int) -> RoutePlan:
        """Return the plan. Raises `OrdinaryOnlyError` for a sub-account with a mark-up."""
        if percent:
            raise OrdinaryOnlyError
        return self

    def full_hold(self) -> HoldPlan:
        """Return the sum."""
        return HoldPlan(self.amount_micro_usd, 0)

    def affordable_hold(self, balance_micro_usd: int) -> HoldPlan:
        """Return the sum: a parcel is held as a whole or not at all."""
        del balance_micro_usd
        return self.full_hold()


@dataclass(frozen=True, slots=True)
class ParcelMoney:
    """Reserves, charges and releases. All methods raise `DatabaseError`, and a repeat is harmless."""

    db: AsyncDatabase
    writes: HoldWrites
    billing: TextBilling
    clock: Clock

    async def room(self, account_id: str) -> int:
        """Return the balance of an account's main row, in micro-USD; 0 if it has too many reservations."""
        row = await self.db.get(self.writes.accounts_table, {"account_id": account_id}) or {}
        reserved = sum(hold.is_reservation for hold in all_holds_of(row))
        return 0 if reserved >= MAX_RESERVATIONS else int(row.get("balance_micro_usd", 0))

    async def reserve(
        self, batch: Batch, parcel: Parcel, key: ApiKey, sample: Prepared
    ) -> tuple[Reservation, bool]:
        """Hold the money of a parcel; return the reservation, and whether a copy of the write may come later.

        Raises `OrdinaryOnlyError`, and as `Placing.place` does; then nothing is held.
        """
        plan = ParcelPlan((sample.candidate,), amount_micro_usd=parcel.amount_micro_usd)

        def choose(account: Wishes) -> RoutePlan:
            if account != NO_WISHES:
                raise OrdinaryOnlyError
            return plan

        labels = Attribution.from_item(parcel.labels)
        now_ms = self.clock.now_ms()
        # The labels include the key's labels already.
        spender = replace(key.spender(labels), attribution=labels)
        placed = await self.billing.place(
            batch.account_id,
            parcel.quote_id,
            choose,
            key.allowance(now_ms),
            spender=spender,
            lifetime_ms=RESERVED_MS,
        )
        self.billing.hand_over(placed)
        hold = placed.hold
        reservation = Reservation(
            parcel.quote_id,
            placed.row_id,
            spender.key_id or "",
            hold.expires_at_ms,
            labels,
            hold.counter,
            hold.budgets,
        )
        return reservation, placed.is_doubtful

    async def release(self, account_id: str, parcel: Parcel) -> None:
        """Return the rest of a parcel's money. Raises `UnreturnedMoneyError`."""
        for row_id in await self._rows(account_id, parcel):
            for _ in range(MAX_RELEASES):
                row = await self.db.get(self.writes.accounts_table, {"account_id": row_id})
                hold = reserved_in(all_holds_of(row or {}), parcel.quote_id)
                if hold is None or await self._released(row_id, hold):
                    break
            else:
                raise UnreturnedMoneyError(parcel.quote_id)

    async def end_holds(self, account_id: str, parcel: Parcel, request_ids: Collection[str]) -> None:
        """Return the holds that a worker that died took for lines, unless the ledger has their charges."""
        if (reservation := parcel.reserved) is None:
            return
        key = {"account_id": reservation.row_id}
        row = await self.db.get(self.writes.accounts_table, key) or {}
        endings, now_ms = HoldEndings(self.db, self.writes), self.clock.now_ms()
        for hold in all_holds_of(row):
            if hold.request_id in request_ids and not hold.is_over:
                decided = await endings.record(void_entry(account_id, hold, now_ms))
                await endings.resolve(reservation.row_id, hold, decided)

    async def _rows(self, account_id: str, parcel: Parcel) -> Sequence[str]:
        """Return the rows that can have a parcel's money."""
        if (reservation := parcel.reserved) is not None:
            return [reservation.row_id]
        # A worker died while it reserved it.
        row = await self.db.get(self.writes.accounts_table, {"account_id": account_id}) or {}
        return row_ids(account_id, row.get("wallets", 1))

    async def _released(self, row_id: str, hold: Hold) -> bool:
        returned = self.writes.returned_to_budgets(row_id, hold, 0)
        with suppress(AlreadyResolvedError):
            await self.db.transact([self.writes.resolve(row_id, hold, 0), *returned])
            return True
        return False

    def release_from_s(self, *, is_doubtful: bool) -> int:
        """Return when a reservation may be released: a late copy of its write must not place it again."""
        return (self.clock.now_ms() + EMPTY_LIFETIME_MS) // MS_PER_S if is_doubtful else 0

    async def charge(
        self, parcel: Parcel, request_id: str, plan: HoldPlan, *, model: TextModel, usage: Usage, api: str
    ) -> bool:
        """Charge an answered line from the money of its parcel; return `False` if that is gone.

        `model` has the prices of the parcel. `api` is the name of the client's protocol.

        The hold of the line lives as long as the reservation, so the next worker finds it.
        """
        reservation = parcel.reserved
        if reservation is None:
            return False
        account_id = account_of(reservation.row_id)
        share = reservation.share(request_id, plan.amount_micro_usd, reservation.ends_at_ms)
        is_doubtful = False
        if not await self.is_billed(account_id, request_id):
            take = take_share(self.writes.accounts_table, reservation, share)
            try:
                is_doubtful = (await self.db.write(take)).is_doubtful
            except ReservationShortError:
                logger.error("run_batch.reservation_short", request=request_id, quote=parcel.quote_id)
                return False
        spender = Spender(reservation.key_id or None, reservation.labels)
        placed = PlacedHold(account_id, reservation.row_id, share, plan, spender=spender)
        placed.provider, placed.api, placed.is_doubtful = parcel.provider, api, is_doubtful
        placed.accepted_at = time.monotonic() - (self.clock.now_ms() / MS_PER_S - parcel.made_at_s)
        placed.calls.append(RouteCall(parcel.provider, 0))
        await self.billing.settle(placed, model, usage)
        return True

    async def is_billed(self, account_id: str, request_id: str) -> bool:
        """Return whether a line is charged already."""
        for entry_id in charge_ids(request_id):
            key = {"account_id": account_id, "entry_id": entry_id}
            if await self.db.get(self.writes.ledger_table, key) is not None:
                return True
        return False
