"""Ends holds: writes the row of the ledger that decides, and returns the rest of the money."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.writes import SingleWrite, TransactWrite
from tollgate.ledger.entries import Entry
from tollgate.ledger.hold_entries import charge_of, markup_in, void_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import AlreadyRecordedError, AlreadyResolvedError, Hold
from tollgate.ledger.wallets import account_of


@dataclass(frozen=True, slots=True)
class HoldEndings:
    """The ends of holds. Every method may be repeated, and raises `DatabaseError`."""

    db: AsyncDatabase
    writes: HoldWrites

    async def record(self, entry: Entry) -> Entry:
        """Write the row that decides the charge for a hold; return the row that is then in the ledger."""
        try:
            await self.db.write(self.writes.record(entry))
        except AlreadyRecordedError as exc:
            return exc.entry
        return entry

    async def settle(
        self, row_id: str, hold: Hold, entry: Entry, *, empty_until_ms: int | None = None
    ) -> Entry:
        """Bill a hold by an entry, unless another row of the ledger decides; return the row that decides."""
        if hold.budgets:
            resolve = self._resolve(row_id, hold, entry, empty_until_ms)
            if await self.db.transact_once([self.writes.record(entry), *resolve]):
                return entry
        # Between collisions the charge must not wait for its turn: if the process dies, it would be lost.
        decided = await self.record(entry)
        await self.resolve(row_id, hold, decided, empty_until_ms=empty_until_ms)
        return decided

    async def resolve(
        self, row_id: str, hold: Hold, decided: Entry | None, *, empty_until_ms: int | None = None
    ) -> None:
        """Resolve a hold by the row that decides, or void it without one, unless that was done before."""
        resolve, *returned = self._resolve(row_id, hold, decided, empty_until_ms)
        with suppress(AlreadyResolvedError):
            if hold.budgets:
                await self.db.transact([resolve, *returned])
            else:
                await self.db.write(resolve)

    def _resolve(
        self, row_id: str, hold: Hold, decided: Entry | None, empty_until_ms: int | None
    ) -> tuple[SingleWrite, *tuple[TransactWrite, ...]]:
        """Return the write that resolves a hold, and those that return money to its budgets."""
        charge, markup = (0, 0) if decided is None else (charge_of(decided), markup_in(decided))
        resolve = self.writes.resolve(
            row_id, hold, charge, empty_until_ms=empty_until_ms, markup_micro_usd=markup
        )
        return resolve, *self.writes.returned_to_budgets(row_id, hold, charge)

    async def resolve_expired(self, row_id: str, holds: Sequence[Hold], now_ms: int) -> bool:
        """Resolve holds that outlived their request; return whether there were any."""
        expired = [hold for hold in holds if hold.expires_at_ms <= now_ms]
        for hold in expired:
            decided = None
            if hold.has_entry:
                decided = await self.record(void_entry(account_of(row_id), hold, now_ms))
            await self.resolve(row_id, hold, decided)
        return bool(expired)
