"""The end of a sub-account: its money returns to the parent."""

from dataclasses import dataclass

from tollgate.kit.clock import Clock
from tollgate.kit.ids import new_id
from tollgate.ledger.families import Transfer
from tollgate.ledger.family_repository import FamilyRepository
from tollgate.ledger.holds import all_holds_of
from tollgate.ledger.wallets import EARNED, PARENT, merged_rows

RETURNED = "The sub-account was closed"


@dataclass(frozen=True, slots=True)
class ReturnOfRest:
    """Returns the rest of a closing sub-account."""

    families: FamilyRepository
    clock: Clock

    def is_over(self, child: str) -> bool:
        """Return whether an account is closed and takes no money any more, so nothing of it can return."""
        rows = self.families.wallets.rows(child)
        return not rows or "closed_at_ms" in rows[0]

    def give_back(self, child: str) -> bool:
        """Move mark-up and balance to the parent; return whether nothing is left.

        Nothing is moved while work of the account runs, or for an account without a parent. A repeat moves
        the rest.
        """
        rows = self.families.wallets.rows(child)
        if not rows or PARENT not in rows[0]:
            return True
        now_ms = self.clock.now_ms()
        if any(row["open_tasks"] or all_holds_of(row) for row in rows):
            return False
        for row in rows:
            self.families.move_markup(row, now_ms, all_of_it=True)
        account = merged_rows(rows)
        balance = account["balance_micro_usd"]
        if balance:
            rest = Transfer(account[PARENT], child, -balance, new_id("rest"), RETURNED)
            self.families.transfer(rest, now_ms)
        left = merged_rows(self.families.wallets.rows(child))
        return not left["balance_micro_usd"] and not left.get(EARNED)
