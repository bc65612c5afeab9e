"""Customers' accounts, for operators: see them, find one, move money with a reason, suspend one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock, iso
from tollgate.kit.errors import InsufficientBalanceError, UserNotFoundError
from tollgate.kit.money import cents_down, micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import AlreadyPostedError, LedgerRepository
from tollgate.ledger.statement import Statement
from tollgate.operating.errors import OperatorError, checked_reason
from tollgate.operating.routes import with_routes
from tollgate.tasks.repository import TaskRepository

# 100 000 USD: more at once is a slip of the fingers.
MAX_MOVED_CENTS = 10_000_000
SHOWN_ENTRIES = 10
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)

# The e-mail addresses of accounts, of those that have one.
EmailsOf = Callable[[Sequence[str]], Mapping[str, str]]
# The account of an e-mail address, if anybody signed in with it.
AccountOf = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class AccountDesk:
    """What operators see of accounts and do to them."""

    accounts: AccountRepository
    ledger: LedgerRepository
    tasks: TaskRepository
    keys: KeyService
    statement: Statement
    emails_of: EmailsOf
    account_of: AccountOf
    clock: Clock

    def listed(self, most: int) -> tuple[list[dict[str, Any]], bool]:
        """Return at most `most` accounts, in no order, and whether there are more."""
        found = list(islice(self.accounts.all(), most + 1))
        emails = self.emails_of([account.account_id for account in found[:most]])
        rows = [{"email": emails.get(each.account_id), **summary(each)} for each in found[:most]]
        return rows, len(found) > most

    def get(self, word: str) -> Account:
        """Return the account with an id, or of an e-mail address. Raises `OperatorError` for none."""
        account_id = word if word.startswith("usr_") else self.account_of(word.strip().lower())
        account = None if account_id is None else self.accounts.get(account_id)
        if account is None:
            raise _no_account(word)
        return account

    def shown(self, account: Account) -> dict[str, Any]:
        """Return an account: its money, what is set aside, its keys, the newest of its ledger."""
        holds = [
            {
                "requestId": hold.request_id,
                "amountMicroUsd": hold.amount_micro_usd,
                "expiresAt": iso(hold.expires_at_ms),
            }
            for hold in account.holds
        ]
        newest = self.statement.page(account.account_id, {"limit": str(SHOWN_ENTRIES)})
        return {
            "email": self.emails_of([account.account_id]).get(account.account_id),
            **summary(account),
            "holds": holds,
            "keys": self.keys.all(account.account_id),
            "entries": with_routes(self.ledger, self.tasks, account.account_id, newest["entries"]),
        }

    def credit(self, account_id: str, reference: str, amount_micro_usd: int, reason: str) -> bool:
        """Put money on an account, once for each `reference`; return whether this time did it.

        Raises `OperatorError`, also where the reference was used for another amount.
        """
        entry = self._movement(account_id, reference, EntryKind.CREDIT, amount_micro_usd, reason)
        return self._post(entry, self.ledger.credit)

    def debit(self, account_id: str, reference: str, amount_micro_usd: int, reason: str) -> bool:
        """Take money off an account, as `credit` puts it on, and never more than there is."""
        entry = self._movement(account_id, reference, EntryKind.DEBIT, -amount_micro_usd, reason)
        try:
            return self._post(entry, self.ledger.debit)
        except InsufficientBalanceError as exc:
            raise OperatorError(f"Nothing was done: the balance is {exc.balance_cents} cents.") from exc

    def suspend(self, account_id: str, reason: str) -> None:
        """Let an account start nothing any more; what runs goes on. Raises `OperatorError`."""
        try:
            self.ledger.suspend(account_id, checked_reason(reason), self.clock.now_ms())
        except UserNotFoundError as exc:
            raise _no_account(account_id) from exc

    def resume(self, account_id: str) -> None:
        """Let a suspended account go on. Raises `OperatorError`."""
        try:
            self.ledger.resume(account_id)
        except UserNotFoundError as exc:
            raise _no_account(account_id) from exc

    def _movement(
        self, account_id: str, reference: str, kind: EntryKind, amount_micro_usd: int, reason: str
    ) -> Entry:
        if not _REFERENCE.fullmatch(reference):
            raise OperatorError("The reference: 1 to 100 letters, digits, dots, underscores and dashes.")
        if not 0 < abs(amount_micro_usd) <= micro_usd_of_cents(MAX_MOVED_CENTS):
            raise OperatorError("The amount: dollars and whole cents, from 0.01 to 100000.")
        return Entry(
            account_id,
            f"{kind}_{reference}",
            kind,
            amount_micro_usd,
            self.clock.now_ms(),
            reason=checked_reason(reason),
        )

    def _post(self, entry: Entry, post: Callable[[Entry], None]) -> bool:
        try:
            post(entry)
        except UserNotFoundError as exc:
            raise _no_account(entry.account_id) from exc
        except AlreadyPostedError as exc:
            (posted,) = self.ledger.named(entry.account_id, [entry.entry_id])
            if posted.amount_micro_usd != entry.amount_micro_usd:
                amount = usd(abs(posted.amount_micro_usd))
                raise OperatorError(
                    f"Nothing was done: {entry.entry_id} is a {entry.kind} of {amount} USD."
                ) from exc
            return False
        return True


def _no_account(word: str) -> OperatorError:
    return OperatorError(f"There is no account {word}.")


def usd(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars with two decimals, rounded down: what people read."""
    cents = cents_down(amount_micro_usd)
    return f"{cents // 100}.{cents % 100:02}"


def summary(account: Account) -> dict[str, Any]:
    """Return an account as one row: its money, and what runs."""
    held = sum(hold.amount_micro_usd for hold in account.holds)
    return {
        "accountId": account.account_id,
        "balanceCents": cents_down(account.balance_micro_usd),
        "balanceMicroUsd": account.balance_micro_usd,
        "heldMicroUsd": held,
        "openTasks": account.open_tasks,
        "runningTasks": account.running_tasks,
        "suspended": account.suspended,
        "createdAt": iso(account.created_at_ms),
    }
