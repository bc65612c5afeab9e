"""An owner's request to close the account, and its cancellation."""

from contextlib import suppress
from dataclasses import dataclass, replace

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import Account
from tollgate.accounts.service import AccountService
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import MS_PER_DAY, Clock, iso
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.money import cents_down, dollars
from tollgate.kit.retry import retry_change
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.low_balance.repository import LowBalanceRepository, StaleLowBalanceError
from tollgate.low_balance.rules import LowBalanceState, cancelled
from tollgate.members.repository import StaleTeamError, TeamRepository
from tollgate.members.service import Actor
from tollgate.members.team import AccountClosure, Team, TeamError
from tollgate.subaccounts.repository import StaleSubaccountsError, SubaccountRepository
from tollgate.web.sessions import SessionStore

# The time in which an owner can cancel the closure.
DELAY_MS = 7 * MS_PER_DAY
REFUND, GIVE_UP = "refund", "give up"
# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "This account is"


@dataclass(frozen=True, slots=True)
class AccountClosureService:
    """Starts and cancels the closure of an account. Raises `TeamError` if that is not possible."""

    teams: TeamRepository
    accounts: AccountService
    keys: KeyService
    sessions: SessionStore
    ledger: LedgerRepository
    low_balances: LowBalanceRepository
    subaccounts: SubaccountRepository
    audit: AuditLog
    clock: Clock

    def request(self, account_id: str, typed: str, balance: str, by: Actor) -> AccountClosure:
        """Start the closure of an account; return it. Raises `TeamError`.

        The owner confirms with the account's id (`typed`). `balance` is the owner's choice for a positive
        balance, `REFUND` or `GIVE_UP`. The account is suspended, its keys are revoked, and its sessions end.
        """
        if typed.strip() != account_id:
            raise TeamError("The account ID does not match.")

        def change() -> Team:
            team, account = self.teams.get(account_id), self.accounts.me(account_id)
            team.check_owner(by.identity_id)
            if team.closing is not None:
                raise TeamError("This account is already being closed.")
            _check_idle(account)
            if count := self.subaccounts.count(account_id):
                raise TeamError(f"Open sub-accounts: {count}. Close them first.")
            _check_balance(account, balance)
            no_top_up = self._without_top_up(self.low_balances.get(account_id))
            now_ms = self.clock.now_ms()
            gives_up = balance == GIVE_UP
            given_up = account.balance_micro_usd if gives_up else 0
            closing = AccountClosure(now_ms, now_ms + DELAY_MS, gives_up, given_up_micro_usd=given_up)
            # Due at once, because the worker ends keys and sessions if this process crashes before.
            changed = replace(team, closing=closing, wake_at_ms=now_ms)
            words = f"erased after {iso(closing.erase_at_ms)}; balance {dollars(_cents(account))}"
            left = f"{words}, {balance}" if account.balance_micro_usd else words
            noted = self.audit.note(account_id, by.name, Action.CLOSING_REQUESTED, "Account", left)
            others = [self.teams.change(team, changed), self.subaccounts.none_is_open(account_id), noted]
            self.ledger.suspend(account_id, BEING_CLOSED, now_ms, *others, *no_top_up, replace_reason=False)
            return self.teams.get(account_id)

        stale = (StaleTeamError, StaleLowBalanceError, StaleSubaccountsError)
        team = retry_change(change, *stale, what=_WHAT)
        self.end_access(team)
        if team.closing is None:
            raise TeamError("Another owner has kept this account.")
        return team.closing

    def end_access(self, team: Team) -> None:
        """Revoke an account's keys, end its sessions, and record that on the team. It can be repeated."""
        for member in team.members:
            self.keys.end_chat(team.account_id, member.identity_id)
        for key in self.keys.all(team.account_id):
            self.keys.revoke(team.account_id, str(key["id"]), None, who="Tollgate")
        self.sessions.end_all_in(team.account_id)
        if team.closing is not None and not team.closing.is_shut:
            closing = replace(team.closing, is_shut=True)
            # If another process changed the team, the worker calls this method again.
            with suppress(StaleTeamError):
                self.teams.save(team, replace(team, closing=closing, wake_at_ms=closing.erase_at_ms))

    def _without_top_up(self, low_balance: LowBalanceState) -> list[Write]:
        """Return the write that stops automatic top-ups. Raises `TeamError` if a top-up is in progress."""
        if low_balance.may_be_paid:
            raise TeamError("A top-up from your saved card is in progress. Try again in a few minutes.")
        return (
            [self.low_balances.change(low_balance, cancelled(low_balance))]
            if low_balance.settings.is_on
            else []
        )

    def undo(self, account_id: str, by: Actor) -> None:
        """Cancel the closure of an account. Its keys stay revoked.

        Raises `TeamError` if the erasure has begun, or if the account is not being closed.
        """

        def change() -> None:
            team = self.teams.get(account_id)
            team.check_owner(by.identity_id)
            if team.closing is None:
                raise TeamError("This account is not being closed.")
            if team.closing.is_erasing:
                raise TeamError("It is too late: the account's data is being erased.")
            noted = self.audit.note(account_id, by.name, Action.CLOSING_UNDONE, "Account")
            kept = self.teams.change(team, replace(team, closing=None, invitations=(), wake_at_ms=None))
            # Only the suspension of the closure is lifted, never a suspension by an operator.
            self.ledger.resume(account_id, kept, noted, only_reason=BEING_CLOSED)

        retry_change(change, StaleTeamError, StaleLowBalanceError, what=_WHAT)


def _check_idle(account: Account) -> None:
    if account.suspended is not None:
        raise TeamError("This account is suspended. Contact the operator of this service to close it.")
    if account.open_tasks or account.holds:
        running = f"Running generations: {account.open_tasks}. Running text requests: {len(account.holds)}."
        raise TeamError(f"{running} Wait for them, or cancel them.")


def _check_balance(account: Account, balance: str) -> None:
    if account.balance_micro_usd and balance not in (REFUND, GIVE_UP):
        raise TeamError(f"The balance is {dollars(_cents(account))}. Choose how to settle it.")


def _cents(account: Account) -> int:
    return cents_down(account.balance_micro_usd)
