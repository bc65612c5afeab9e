"""Resolves the holds whose request never ended: the sweep's part in the protocol of docs/ledger.md."""

from contextlib import suppress

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import AtMost, Equals
from tollgate.kit.dynamodb.shards import DUE_SHARDS
from tollgate.ledger.entries import Entry
from tollgate.ledger.families import move_due_ms
from tollgate.ledger.family_repository import FamilyRepository
from tollgate.ledger.hold_entries import charge_of, markup_in, void_entry
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, AlreadyRecordedError, AlreadyResolvedError, all_holds_of
from tollgate.ledger.wallets import account_of


class HoldExpiry:
    """Finds expired holds, and returns their money or settles them."""

    def __init__(self, db: Database, writes: HoldWrites) -> None:
        self._db = db
        self._writes = writes
        self._families = FamilyRepository(db, writes.accounts_table, writes.ledger_table)

    def expire(self, now_ms: int, limit: int) -> int:
        """Resolve the expired holds of at most `limit` accounts a shard; return how many.

        The mark-up that sub-accounts have earned moves to their parents.

        A recorded request's row settles its hold. Any other hold is returned whole, by a `void`
        that is written instead of that row.
        """
        return sum(
            self._expire_in(row["account_id"], now_ms)
            for shard in range(DUE_SHARDS)
            for row in self._db.query(
                self._writes.accounts_table,
                Equals("due_shard", str(shard)) & AtMost("wake_at", now_ms),
                index="DueIndex",
                limit=limit,
            )
        )

    def _expire_in(self, row_id: str, now_ms: int) -> int:
        account = self._db.get(self._writes.accounts_table, {"account_id": row_id})
        # The index is a little behind: another sweep may have resolved all of them since.
        if account is None or "wake_at" not in account:
            return 0
        holds = all_holds_of(account)
        expired = [hold for hold in holds if hold.expires_at_ms <= now_ms]
        for hold in expired:
            # The row of the ledger first, because it decides. A crash right after it leaves the hold in
            # place; the next sweep finds the row and settles by it.
            decided = void_entry(account_of(row_id), hold, now_ms)
            if hold.has_entry:
                decided = self._decide(decided)
            charge = charge_of(decided)
            # The request itself, or a later request of the account, may have been faster.
            with suppress(AlreadyResolvedError):
                resolve = self._writes.resolve(row_id, hold, charge, markup_micro_usd=markup_in(decided))
                if hold.budgets:
                    returned = self._writes.returned_to_budgets(row_id, hold, charge)
                    self._db.transact([resolve, *returned])
                else:
                    self._db.write(resolve)
        left = [hold.expires_at_ms for hold in holds if hold.expires_at_ms > now_ms]
        if move_due_ms(account) is not None and not self._families.move_markup(account, now_ms):
            left.append(now_ms + HOLD_LIFETIME_MS)
        # A reservation is left for long, and holds that are placed meanwhile end sooner without a new timer.
        earliest = min([*left, now_ms + HOLD_LIFETIME_MS]) if left else None
        # Another sweep moved the timer, or a hold was placed meanwhile and needs it.
        with suppress(AlreadyResolvedError):
            self._db.write(self._writes.set_next_expiry(row_id, account, earliest))
        return sum(not hold.is_over for hold in expired)

    def _decide(self, void: Entry) -> Entry:
        """Write the void of a hold; return the row that decides: this void, or an earlier row."""
        try:
            self._db.write(self._writes.record(void))
        except AlreadyRecordedError as exc:
            return exc.entry
        return void
