"""What is due of the accounts that are being closed."""

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.repository import ERASED, MoneyCameError, NotReachedError
from tollgate.account_closure.service import AccountClosureService
from tollgate.accounts.models import Account
from tollgate.accounts.service import AccountService
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock
from tollgate.kit.dynamodb.due_index import DueIndex
from tollgate.kit.errors import InsufficientBalanceError
from tollgate.kit.observability import logger
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import AlreadyPostedError, LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.members.repository import TeamMovedError, TeamRepository
from tollgate.members.team import AccountClosure, Team

# Accounts of one shard that one run looks at.
MAX_DUE = 20
# The id of the entry that takes what an owner gave up: one for each account.
GIVEN_UP = "debit_closing"
# A step that failed or was not through is looked at again after this.
AGAIN_MS = 600 * MS_PER_S


class Closed(StrEnum):
    """What a look at one account came to."""

    MOVED = "moved"  # Somebody else wrote it meanwhile, or kept the account.
    SHUT = "shut"  # Its keys and sessions were ended, as a crash had left that open.
    RUNNING = "running"  # Something of it has not ended.
    HELD = "held"  # An operator suspended it meanwhile: nothing is erased before they let it go.
    TO_REFUND = "to_refund"  # An operator has to refund what is left on it.
    UNFINISHED = "unfinished"  # There is more to erase than one look may.
    ERASED = "erased"  # All is done.


@dataclass(frozen=True, slots=True)
class AccountClosureWorker:
    """Brings each account that is being closed one look further. A repeat is harmless at any point."""

    due: DueIndex
    teams: TeamRepository
    accounts: AccountService
    ledger: LedgerRepository
    closures: AccountClosureService
    erasure: Erasure
    clock: Clock

    def run(self) -> dict[Closed, int]:
        """Look at each account that is due; return how many came to what. One that fails keeps no other."""
        found: dict[Closed, int] = {}
        failed: Exception | None = None
        for due in self.due.due(self.clock.now_ms(), MAX_DUE):
            try:
                outcome = self.look(self.teams.get(due.row_id))
            except Exception as exc:  # noqa: BLE001 - one account: told, and raised once the others were looked at
                logger.exception("close_accounts.failed", account_id=due.row_id)
                failed = exc
                continue
            logger.info(f"close_accounts.{outcome}", account_id=due.row_id)
            found[outcome] = found.get(outcome, 0) + 1
        if failed is not None:
            raise failed
        return found

    def look(self, team: Team) -> Closed:
        """Do what is due of one account."""
        if team.closing is None:
            return Closed.MOVED
        if not team.closing.is_shut:
            self.closures.shut(team)
            return Closed.SHUT
        if self.clock.now_ms() < team.closing.erase_at_ms:
            return Closed.MOVED
        waits_for = _obstacle(self.accounts.me(team.account_id), team.closing)
        if waits_for is not None:
            return self._later(team, waits_for, AGAIN_MS if waits_for is Closed.RUNNING else MS_PER_DAY)
        erasing = self._begun(team)
        return Closed.MOVED if erasing is None else self._erased(erasing)

    def _begun(self, team: Team) -> Team | None:
        """Return the team once it is too late to keep the account, `None` where an owner was quicker."""
        if team.closing is None or team.closing.is_erasing:
            return team
        closing = replace(team.closing, is_erasing=True)
        with suppress(TeamMovedError):
            return self.teams.save(team, replace(team, closing=closing))
        return None

    def _erased(self, team: Team) -> Closed:
        try:
            # Once more, as an operator may have let the account go on meanwhile.
            self.closures.shut(team)
            self._give_up(team)
            for step in self.erasure.steps(team):
                step()
        except MoneyCameError:
            return self._later(team, Closed.TO_REFUND, AGAIN_MS)
        except NotReachedError:
            return self._later(team, Closed.UNFINISHED, AGAIN_MS)
        return Closed.ERASED

    def _give_up(self, team: Team) -> None:
        """Take what was given up off the account by an entry that says why: the ledger explains all money."""
        balance = self.accounts.me(team.account_id).balance_micro_usd
        left = balance if team.closing is None else balance - team.closing.to_refund(balance)
        if not left:
            return
        now_ms = self.clock.now_ms()
        reason = "Given up when the account was closed"
        entry = Entry(team.account_id, GIVEN_UP, EntryKind.DEBIT, -left, now_ms, reason=reason)
        # What comes after it is for an operator: `end_account` finds it.
        with suppress(AlreadyPostedError, InsufficientBalanceError):
            self.ledger.debit(entry)

    def _later(self, team: Team, outcome: Closed, wait_ms: int) -> Closed:
        with suppress(TeamMovedError):
            self.teams.save(team, replace(team, wake_at_ms=self.clock.now_ms() + wait_ms))
        return outcome


def _obstacle(account: Account, closing: AccountClosure) -> Closed | None:
    """Return what has to end before an account may be erased, if anything."""
    if account.open_tasks or account.holds:
        return Closed.RUNNING
    if account.suspended not in (None, BEING_CLOSED, ERASED):
        return Closed.HELD
    return Closed.TO_REFUND if closing.to_refund(account.balance_micro_usd) else None
