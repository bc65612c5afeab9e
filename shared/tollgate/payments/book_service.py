"""The book of payments: credits each payment once, and takes back claimed money (decision 0020).

    claim ─► note it and suspend ─► debit as much as the balance covers, and note it

Each step is one transaction. The suspension comes first, so that the money cannot be spent between the two.
After a crash between them, Stripe's repeat finds the payment unsettled and finishes it. A later repeat moves
nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository
from tollgate.audit.events import SERVICE, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.money import MICRO_USD_PER_CENT, usd_of_micro
from tollgate.kit.retry import retry_change
from tollgate.ledger.crediting import AlreadyPostedError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.errors import AccountSuspendedError, InsufficientBalanceError
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.payments.claims import Payment
from tollgate.payments.events import Claimed, Paid
from tollgate.payments.repository import PaymentRepository, StalePaymentError

# Credits of one account that are searched for payments with claims.
MAX_CREDITS = 100
_WHAT = "This payment is"


@dataclass(frozen=True, slots=True)
class PaymentBook:
    """Moves the money of payments. Each method may be repeated: a payment's row records the moves."""

    rows: PaymentRepository
    ledger: LedgerRepository
    accounts: AccountRepository
    audit: AuditLog
    clock: Clock

    def credit(self, paid: Paid) -> bool:
        """Credit a payment to its account; return whether this call did it.

        Money that was claimed before is taken back at once.
        Raises `UserNotFoundError`, `AccountClosedError`.
        """
        entry = paid.entry(self.clock.now_ms())

        def post() -> bool:
            payment = self.rows.get(paid.payment_id)
            noted = paid.noted(self.audit.notes)
            known = payment
            if payment.account_id is None:
                known = _credited(payment, paid, entry)
            if known.wanted_micro_usd > payment.wanted_micro_usd:
                # The payment has a claim already: suspend the account before it can spend the money.
                self._note(payment, known)
                payment = known = self.rows.get(paid.payment_id)
            # The claim may have been settled against a small balance since: now there is more.
            return self._posted(entry, self._change(payment, known.unsettled()), noted)

        is_first = retry_change(post, StalePaymentError, what=_WHAT)
        if not is_first:
            self._know(paid, entry)
        self._settle(paid.payment_id)
        return is_first

    def _posted(self, entry: Entry, *others: Write) -> bool:
        try:
            self.ledger.credit(entry, *others)
        except AlreadyPostedError:
            return False
        return True

    def _know(self, paid: Paid, entry: Entry) -> None:
        """Note a payment that was credited by hand, or before payments had rows."""

        def note() -> None:
            payment = self.rows.get(paid.payment_id)
            if payment.account_id is None:
                self._note(payment, _credited(payment, paid, entry))

        retry_change(note, StalePaymentError, what=_WHAT)

    def record_claim(self, claimed: Claimed) -> tuple[Payment, Payment]:
        """Record a claim; return the payment before and after it.

        Its account is `None` if no credit of the payment is known: the claim waits for the credit.
        Raises `TooManyClaimsError`, `AccountClosedError`.
        """

        def note() -> Payment:
            payment = self.rows.get(claimed.payment_id)
            changed = self._known(payment).with_claim(claimed.claim_id, claimed.claim)
            if changed != payment:
                self._note(payment, changed)
            return payment

        before = retry_change(note, StalePaymentError, what=_WHAT)
        self._settle(claimed.payment_id)
        return before, self.rows.get(claimed.payment_id)

    def claimed_payments(self, account_id: str) -> list[Payment]:
        """Return an account's payments with claims."""
        found = self.ledger.credits(account_id, MAX_CREDITS)
        ids = dict.fromkeys(each.reference for each in found if each.reference is not None)
        return [each for each in self.rows.find(list(ids)) if each.claims]

    def give_back(self, account_id: str, payment_id: str, who: str, reason: str) -> Payment | None:
        """Leave a payment to its customer despite all claims; `None` for a payment of another account.

        Raises `AccountClosedError`.
        """

        def waive() -> bool:
            payment = self.rows.get(payment_id)
            if payment.account_id == account_id and payment.waived() != payment:
                self._note(payment, payment.waived())
            return payment.account_id == account_id

        return self._decided(waive, payment_id, who, reason)

    def take(self, account_id: str, payment_id: str, who: str) -> Payment | None:
        """Take the missing amount of a payment, as far as the balance covers it now; `None` as above."""

        def reopen() -> bool:
            payment = self.rows.get(payment_id)
            if payment.account_id == account_id and not payment.unsettled().is_settled:
                self.rows.save(payment, payment.unsettled(), self.clock.now_ms())
            return payment.account_id == account_id

        return self._decided(reopen, payment_id, who, None)

    def _decided(
        self, act: Callable[[], bool], payment_id: str, who: str, reason: str | None
    ) -> Payment | None:
        if not retry_change(act, StalePaymentError, what=_WHAT):
            return None
        self._settle(payment_id, who, reason)
        return self.rows.get(payment_id)

    def _known(self, payment: Payment) -> Payment:
        """Return a payment with its credit, if there is one."""
        credit = self.ledger.credit_of(payment.payment_id) if payment.account_id is None else None
        if credit is None:
            return payment
        cents = credit.amount_micro_usd // MICRO_USD_PER_CENT
        return payment.credited(credit.account_id, credit.entry_id, cents)

    def _note(self, payment: Payment, changed: Payment) -> None:
        """Store a payment's new state. If more of it is claimed than before, suspend its account.

        Raises `StalePaymentError`, `UserNotFoundError`.
        """
        others: list[Write] = []
        if changed.account_id is not None and changed.wanted_micro_usd > payment.wanted_micro_usd:
            others = self._suspension(changed, changed.account_id)
        try:
            self.rows.save(payment, changed, self.clock.now_ms(), *others)
        except AccountSuspendedError as exc:
            # The account was suspended since it was read: read again.
            raise StalePaymentError(payment.payment_id) from exc

    def _suspension(self, payment: Payment, account_id: str) -> list[Write]:
        """Return the writes that suspend an account, unless it is suspended.

        A dispute also replaces the suspension by an owner who closes the account: the owner could undo that.
        """
        suspended = self.accounts.existing(account_id).suspended
        is_closing = suspended == BEING_CLOSED
        if suspended is not None and not (is_closing and payment.is_disputed):
            return []
        reason = f"Payment {payment.payment_id} was {payment.what()}"
        return [
            *self.ledger.suspension(account_id, reason, self.clock.now_ms(), replace_reason=is_closing),
            self.audit.note(account_id, SERVICE, Action.SUSPENDED, "Account", reason),
        ]

    def _settle(self, payment_id: str, who: str = SERVICE, reason: str | None = None) -> None:
        """Take the claimed amount as far as the balance covers it, or return an excess that was taken."""

        def settle() -> None:
            payment = self.rows.get(payment_id)
            if payment.account_id is not None and not payment.is_settled:
                self._move(payment, self.accounts.existing(payment.account_id), who, reason)

        # Another process settled it or spent from the balance meanwhile.
        stale = (StalePaymentError, AlreadyPostedError, InsufficientBalanceError)
        retry_change(settle, *stale, what=_WHAT)

    def _move(self, payment: Payment, account: Account, who: str, reason: str | None) -> None:
        over = payment.wanted_micro_usd - payment.taken_micro_usd
        amount = min(over, account.balance_micro_usd)
        moved = payment.moved(amount)
        action = Action.PAYMENT_RETURNED if amount < 0 else Action.PAYMENT_REVERSED
        noted = self.audit.note(account.account_id, who, action, payment.payment_id, _in_words(moved, amount))
        others = [self._change(payment, moved), noted]
        if amount == 0:
            self.rows.save(payment, moved, self.clock.now_ms(), noted)
        elif amount > 0:
            why = reason or f"Payment {payment.what()}"
            self.ledger.debit(self._entry(moved, EntryKind.DEBIT, -amount, why), *others)
        else:
            why = reason or "Payment returned"
            self.ledger.credit(self._entry(moved, EntryKind.CREDIT, -amount, why), *others)

    def _entry(self, moved: Payment, kind: EntryKind, micro_usd: int, reason: str) -> Entry:
        # The movement's number is part of the id, and the row stores the next number.
        entry_id = f"{kind}_{moved.payment_id}_{moved.moves}"
        now_ms = self.clock.now_ms()
        account_id = moved.account_id or ""
        return Entry(account_id, entry_id, kind, micro_usd, now_ms, reason=reason, reference=moved.payment_id)

    def _change(self, payment: Payment, changed: Payment) -> Write:
        return self.rows.change(payment, changed, self.clock.now_ms())


def _in_words(payment: Payment, micro_usd: int) -> str:
    if micro_usd < 0:
        return f"{usd_of_micro(-micro_usd)} returned"
    words = f"Payment of {usd_of_micro(payment.cents * MICRO_USD_PER_CENT)} {payment.what()}"
    shortfall = (
        f"; {usd_of_micro(payment.shortfall_micro_usd)} is missing" if payment.shortfall_micro_usd else ""
    )
    return f"{words}: {usd_of_micro(micro_usd)} taken off the balance{shortfall}"


def _credited(payment: Payment, paid: Paid, entry: Entry) -> Payment:
    return payment.credited(paid.account_id, entry.entry_id, paid.cents, paid.paid_cents)
