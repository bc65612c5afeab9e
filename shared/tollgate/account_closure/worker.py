"""Continues the closures that are due."""

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.repository import ERASED, BalanceLeftError, ErasureUnfinishedError
from tollgate.account_closure.service import AccountClosureService
from tollgate.accounts.models import Account
from tollgate.accounts.service import AccountService
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock
from tollgate.kit.dynamodb.due_index import DueIndex
from tollgate.kit.observability import logger
from tollgate.ledger.crediting import AlreadyPostedError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.members.repository import StaleTeamError, TeamRepository
from tollgate.members.team import AccountClosure, Team
from tollgate.subaccounts.closing import ReturnOfRest

# The accounts of one shard that one run continues.
MAX_DUE = 20
# The id of the ledger entry that takes a balance that an owner gave up: one per account.
GIVEN_UP_ENTRY_ID = "debit_closing"
# The time until an unfinished closure is continued.
RETRY_DELAY_MS = 600 * MS_PER_S


class ClosureOutcome(StrEnum):
    """The outcome of a run for one account."""

    MOVED = "moved"  # Another process changed the team, or an owner cancelled the closure.
    SHUT = "shut"  # Its keys and sessions were ended after a crash.
    RUNNING = "running"  # It has open tasks or holds, or a sub-account that was not erased yet.
    HELD = "held"  # An operator suspended it: nothing is erased until they resume it.
    TO_REFUND = "to_refund"  # An operator must refund its balance.
    UNFINISHED = "unfinished"  # The erasure continues in another run.
    ERASED = "erased"  # The erasure is complete.


@dataclass(frozen=True, slots=True)
class AccountClosureWorker:
    """Continues the closure of each account that is due. Every step can be repeated."""

    due: DueIndex
    teams: TeamRepository
    accounts: AccountService
    ledger: LedgerRepository
    closures: AccountClosureService
    erasure: Erasure
    rest: ReturnOfRest
    clock: Clock

    def run(self) -> dict[ClosureOutcome, int]:
        """Continue each closure that is due; return the number of accounts per outcome.

        A failed account does not stop the others. Its exception is raised at the end.
        """
        found: dict[ClosureOutcome, int] = {}
        failed: Exception | None = None
        for due in self.due.due(self.clock.now_ms(), MAX_DUE):
            try:
                outcome = self.advance(self.teams.get(due.row_id))
            except Exception as exc:  # noqa: BLE001 - one account: told, and raised once the others were looked at
                logger.exception("close_accounts.failed", account_id=due.row_id)
                failed = exc
                continue
            logger.info(f"close_accounts.{outcome}", account_id=due.row_id)
            found[outcome] = found.get(outcome, 0) + 1
        if failed is not None:
            raise failed
        return found

    def advance(self, team: Team) -> ClosureOutcome:
        """Continue the closure of one account; return the outcome."""
        if team.closing is None:
            return ClosureOutcome.MOVED
        if not team.closing.is_shut:
            self.closures.end_access(team)
            return ClosureOutcome.SHUT
        if self.clock.now_ms() < team.closing.erase_at_ms:
            return ClosureOutcome.MOVED
        account = self.accounts.me(team.account_id)
        waits_for = _waits_for(account, team.closing)
        if waits_for is None and self._has_subaccounts(team.account_id):
            waits_for = ClosureOutcome.RUNNING
        if account.parent is not None and waits_for in (None, ClosureOutcome.TO_REFUND):
            # The money of a sub-account returns to its parent. If more arrived meanwhile, it returns later.
            waits_for = None if self.rest.give_back(team.account_id) else ClosureOutcome.RUNNING
        if waits_for is not None:
            return self._later(
                team, waits_for, RETRY_DELAY_MS if waits_for is ClosureOutcome.RUNNING else MS_PER_DAY
            )
        erasing = self._begun(team)
        return ClosureOutcome.MOVED if erasing is None else self._erased(erasing)

    def _has_subaccounts(self, account_id: str) -> bool:
        """Return whether money of a closed sub-account can still return to an account."""
        children = self.closures.subaccounts.all(account_id)
        return not all(self.rest.is_over(child) for child in children)

    def _begun(self, team: Team) -> Team | None:
        """Record that the erasure begins; return the team, or `None` if another process changed it."""
        if team.closing is None or team.closing.is_erasing:
            return team
        closing = replace(team.closing, is_erasing=True)
        with suppress(StaleTeamError):
            return self.teams.save(team, replace(team, closing=closing))
        return None

    def _erased(self, team: Team) -> ClosureOutcome:
        try:
            # Repeated, because an operator may have resumed the account, and it may have new keys.
            self.closures.end_access(team)
            self._give_up(team)
            for step in self.erasure.steps(team):
                step()
        except BalanceLeftError:
            return self._later(team, ClosureOutcome.TO_REFUND, RETRY_DELAY_MS)
        except ErasureUnfinishedError:
            return self._later(team, ClosureOutcome.UNFINISHED, RETRY_DELAY_MS)
        return ClosureOutcome.ERASED

    def _give_up(self, team: Team) -> None:
        """Debit the balance that the owner gave up, with the reason in the ledger entry."""
        balance = self.accounts.me(team.account_id).balance_micro_usd
        left = balance if team.closing is None else balance - team.closing.to_refund(balance)
        if not left:
            return
        now_ms = self.clock.now_ms()
        reason = "Given up when the account was closed"
        entry = Entry(team.account_id, GIVEN_UP_ENTRY_ID, EntryKind.DEBIT, -left, now_ms, reason=reason)
        # `end_account` refuses a balance that arrives later; an operator refunds it.
        with suppress(AlreadyPostedError, InsufficientBalanceError):
            self.ledger.debit(entry)

    def _later(self, team: Team, outcome: ClosureOutcome, wait_ms: int) -> ClosureOutcome:
        with suppress(StaleTeamError):
            self.teams.save(team, replace(team, wake_at_ms=self.clock.now_ms() + wait_ms))
        return outcome


def _waits_for(account: Account, closing: AccountClosure) -> ClosureOutcome | None:
    """Return the reason that an account cannot be erased yet, or `None`."""
    if account.open_tasks or account.holds:
        return ClosureOutcome.RUNNING
    if account.suspended not in (None, BEING_CLOSED, ERASED):
        return ClosureOutcome.HELD
    return ClosureOutcome.TO_REFUND if closing.to_refund(account.balance_micro_usd) else None
