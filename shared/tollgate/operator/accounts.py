"""Operators' actions on accounts: list, find, credit and debit with a reason, suspend, limit."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.accounts.service import AccountService, OpenedAccount
from tollgate.audit.events import Action, AuditEvent, Log
from tollgate.kit.clock import iso
from tollgate.kit.errors import UserNotFoundError
from tollgate.kit.ids import is_id
from tollgate.kit.money import cents_down, dollars, micro_usd_of_cents, usd_of_micro
from tollgate.kit.words import Words
from tollgate.ledger.crediting import AccountClosedError, AlreadyPostedError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.ledger.wallets import Limits
from tollgate.mail.addresses import MAX_ADDRESS_LENGTH
from tollgate.members.repository import TeamRepository
from tollgate.members.team import AccountClosure
from tollgate.operator.console import CustomerConsole
from tollgate.operator.errors import OperatorError, checked_reason, closed
from tollgate.operator.routes import with_routes
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.claims import Payment
from tollgate.subaccounts.suspending import FamilySuspension

# 100 000 USD. A higher amount is probably a typing error.
MAX_MOVED_CENTS = 10_000_000
SHOWN_ENTRIES = 10
MAX_SHOWN = 100
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)

# Returns the owners' mail addresses for account ids; an account without an address is left out.
EmailsOf = Callable[[Sequence[str]], Mapping[str, str]]
# Returns the account id of a mail address, or `None` if no person signed in with it.
AccountOf = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountConsole(CustomerConsole):
    """Shows accounts to operators, and carries out their actions."""

    accounts: AccountRepository
    service: AccountService
    keys: KeyService
    emails_of: EmailsOf
    account_of: AccountOf
    teams: TeamRepository
    payments: PaymentBook
    family: FamilySuspension

    def listed(self, most: int) -> tuple[list[dict[str, Any]], bool]:
        """Return at most `most` accounts, unordered, and whether there are more."""
        found = list(islice(self.accounts.all(), most + 1))
        emails = self.emails_of([account.account_id for account in found[:most]])
        rows = [{"email": emails.get(each.account_id), **summary(each)} for each in found[:most]]
        return rows, len(found) > most

    def get(self, word: str) -> Account:
        """Return the account with this id or mail address. Raises `OperatorError` if there is none."""
        account_id = word if is_id("usr", word) else None
        # DynamoDB refuses a key that is longer than any address.
        if account_id is None and len(word) <= MAX_ADDRESS_LENGTH:
            account_id = self.account_of(word.strip().lower())
        account = None if account_id is None else self.accounts.get(account_id)
        if account is None:
            raise _no_account(word)
        return account

    def shown(self, account: Account) -> dict[str, Any]:
        """Return an account with its balance, holds, keys, and newest entries of ledger and audit log."""
        holds = [
            {
                "requestId": hold.request_id,
                "amountMicroUsd": hold.amount_micro_usd,
                "expiresAt": iso(hold.expires_at_ms),
            }
            for hold in account.holds
        ]
        closing = self.teams.get(account.account_id).closing
        newest = self.statement.page(account.account_id, {"limit": str(SHOWN_ENTRIES)})
        return {
            "email": self.emails_of([account.account_id]).get(account.account_id),
            **summary(account),
            "closing": None if closing is None else closure_row(closing, account.balance_micro_usd),
            "holds": holds,
            "claimed": [claimed_row(each) for each in self.payments.claimed_payments(account.account_id)],
            "keys": self.keys.all(account.account_id),
            "entries": with_routes(self.ledger, self.tasks, account.account_id, newest["entries"]),
            "audit": self._newest(account.account_id, Log.CHANGES),
            "access": self._newest(account.account_id, Log.ACCESS),
        }

    def open(self, credit_micro_usd: int) -> OpenedAccount:
        """Open an account with this balance, in micro-USD."""
        opened = self.service.open(credit_micro_usd)
        words = f"{usd_of_micro(credit_micro_usd)} credit"
        self.audit.write(opened.account_id, self.who, Action.ACCOUNT_OPENED, "Account", words)
        return opened

    def credit(self, account_id: str, reference: str, amount_micro_usd: int, reason: str) -> bool:
        """Credit an account, once per `reference`; return `False` if the same credit exists already.

        Raises `OperatorError`, also if the reference was used for another amount.
        """
        entry = self._movement(account_id, reference, EntryKind.CREDIT, amount_micro_usd, reason)
        return self._post(entry, self.ledger.credit, Action.CREDITED)

    def debit(self, account_id: str, reference: str, amount_micro_usd: int, reason: str) -> bool:
        """Debit an account, once per `reference`, like `credit`. The balance never becomes negative."""
        entry = self._movement(account_id, reference, EntryKind.DEBIT, -amount_micro_usd, reason)
        try:
            return self._post(entry, self.ledger.debit, Action.DEBITED)
        except InsufficientBalanceError as exc:
            raise OperatorError(
                "Nothing was done: the balance is {balance}.", balance=dollars(exc.balance_cents)
            ) from exc

    def give_back(self, account_id: str, payment_id: str, reason: str) -> Words:
        """Return the money that was taken for claims on a payment; return a sentence with the amount.

        A repeat returns nothing more. Raises `OperatorError`.
        """
        why = checked_reason(reason)
        before = self._claimed(account_id, payment_id)
        try:
            now = self.payments.give_back(account_id, payment_id, self.who, why)
        except AccountClosedError as exc:
            raise closed(account_id) from exc
        return Words(
            "{amount} returned. The account stays suspended until you resume it.",
            {"amount": _moved(now, before)},
        )

    def take(self, account_id: str, payment_id: str) -> Words:
        """Debit the shortfall of a payment, up to the balance; return a sentence with the amount.

        Raises `OperatorError`.
        """
        before = self._claimed(account_id, payment_id)
        now = self.payments.take(account_id, payment_id, self.who)
        missing = 0 if now is None else now.shortfall_micro_usd
        return Words(
            "{amount} debited. {missing} is still missing.",
            {"amount": _moved(now, before), "missing": usd_of_micro(missing)},
        )

    def _claimed(self, account_id: str, payment_id: str) -> Payment:
        found = [one for one in self.payments.claimed_payments(account_id) if one.payment_id == payment_id]
        if not found:
            raise OperatorError(
                "This account has no claim on a payment {payment}.", payment=payment_id[:MAX_SHOWN]
            )
        return found[0]

    def suspend(self, account_id: str, reason: str) -> None:
        """Suspend an account and its sub-accounts. Running work continues. Raises `OperatorError`.

        A repeat completes a call that was interrupted among many sub-accounts.
        """
        why = checked_reason(reason)
        # Part of the same transaction, so each suspension has its operator and reason in the log.
        noted = self.audit.note(account_id, self.who, Action.SUSPENDED, "Account", why)
        try:
            self.ledger.suspend(account_id, why, self.clock.now_ms(), noted)
        except UserNotFoundError as exc:
            raise _no_account(account_id) from exc
        # A suspended account creates no more of them. Each keeps an earlier reason.
        self.family.suspend_all(account_id)

    def resume(self, account_id: str) -> None:
        """Resume a suspended account, and the sub-accounts that were suspended with it.

        While its owner closes it, it stays suspended for that reason. Raises `OperatorError`.
        """
        noted = self.audit.note(account_id, self.who, Action.RESUMED, "Account")
        try:
            if self.teams.get(account_id).closing is None:
                self.ledger.resume(account_id, noted)
            else:
                self.ledger.suspend(account_id, BEING_CLOSED, self.clock.now_ms(), noted)
        except UserNotFoundError as exc:
            raise _no_account(account_id) from exc
        self.family.resume_all(account_id)

    def limit(self, account: Account, limits: Limits) -> Account:
        """Set an account's limits; return the changed account."""
        self.service.limit(account.account_id, limits)
        words = ", ".join(f"{name} {value}" for name, value in asdict(limits).items() if value is not None)
        # Recorded after the last of several writes. A repeat completes them.
        self.audit.write(account.account_id, self.who, Action.LIMITED, "Account", words)
        return self.get(account.account_id)

    def _newest(self, account_id: str, log: Log) -> list[dict[str, str]]:
        return [_event_row(event) for event in self.audit.page(account_id, log=log).rows[:SHOWN_ENTRIES]]

    def _movement(
        self, account_id: str, reference: str, kind: EntryKind, amount_micro_usd: int, reason: str
    ) -> Entry:
        if not _REFERENCE.fullmatch(reference):
            raise OperatorError("The reference: 1 to 100 letters, digits, dots, underscores and dashes.")
        if not 0 < abs(amount_micro_usd) <= micro_usd_of_cents(MAX_MOVED_CENTS):
            raise OperatorError("The amount: dollars and whole cents, from 0.01 to 100000.")
        # The entry's id contains the reference and is written once, so a repeated command moves no money.
        return Entry(
            account_id,
            f"{kind}_{reference}",
            kind,
            amount_micro_usd,
            self.clock.now_ms(),
            reason=checked_reason(reason),
        )

    def _post(self, entry: Entry, post: Callable[..., None], action: Action) -> bool:
        words = f"{usd_of_micro(abs(entry.amount_micro_usd))}, {entry.reason}"
        noted = self.audit.note(entry.account_id, self.who, action, entry.entry_id, words)
        try:
            post(entry, noted)
        except UserNotFoundError as exc:
            raise _no_account(entry.account_id) from exc
        except AccountClosedError as exc:
            raise closed(entry.account_id) from exc
        except AlreadyPostedError as exc:
            (posted,) = self.ledger.named(entry.account_id, [entry.entry_id])
            if posted.amount_micro_usd != entry.amount_micro_usd:
                raise OperatorError(
                    "Nothing was done: {entry} exists with another amount, {amount}.",
                    entry=entry.entry_id,
                    amount=usd_of_micro(abs(posted.amount_micro_usd)),
                ) from exc
            return False
        return True


def claimed_row(payment: Payment) -> dict[str, Any]:
    """Return a payment with claims as one row."""
    return {
        "paymentId": payment.payment_id,
        "what": payment.what(),
        "paidMicroUsd": micro_usd_of_cents(payment.cents),
        "claimedMicroUsd": payment.wanted_micro_usd,
        "takenMicroUsd": payment.taken_micro_usd,
        "shortfallMicroUsd": payment.shortfall_micro_usd,
    }


def _moved(now: Payment | None, before: Payment) -> str:
    taken = before.taken_micro_usd if now is None else now.taken_micro_usd
    return usd_of_micro(abs(taken - before.taken_micro_usd))


def closure_row(closing: AccountClosure, balance_micro_usd: int) -> dict[str, Any]:
    """Return the time of an account's erasure, and whether its balance must be refunded before."""
    # The erasure begins with a debit of the balance that was given up. Any other balance arrived later.
    left = balance_micro_usd if closing.is_erasing else closing.to_refund(balance_micro_usd)
    return {"eraseAt": iso(closing.erase_at_ms), "toRefund": left > 0}


def _event_row(event: AuditEvent) -> dict[str, str]:
    return {
        "at": iso(event.at_ms),
        "actor": event.actor,
        "action": str(event.action),
        "subject": event.subject,
        "detail": event.detail,
    }


def _no_account(word: str) -> OperatorError:
    return OperatorError("There is no account {account}.", account=word)


def summary(account: Account) -> dict[str, Any]:
    """Return an account as one row: its money and its running work."""
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
