"""Payments in DynamoDB: a row for each, in the table of idempotency, under `payment#<id>`; billing details.

The transaction of a payment's credit writes it, so a dispute finds the account by the payment's id. The
ledger's index by reference finds payments that were credited before there were such rows.
"""

from collections.abc import Sequence

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.writes import Write, put_if_unchanged
from tollgate.payments.billing_details import ITEM, BillingDetails
from tollgate.payments.claims import Payment

# How long claims wait for the credit of their payment: Stripe can resend an event for 30 days.
UNKNOWN_RETENTION_MS = 31 * MS_PER_DAY
_KEY = "idempotency_id"


class StalePaymentError(Exception):
    """Another process wrote the row since it was read; nothing was written. Read it, and decide again."""


class PaymentRepository(OneTable):
    """Reads payments, and writes each only if it is still as it was read."""

    def get(self, payment_id: str) -> Payment:
        """Return the state of a payment; an empty payment if there is none."""
        return self._find({_KEY: _row_id(payment_id)}, Payment.from_item) or Payment(payment_id)

    def find(self, payment_ids: Sequence[str]) -> list[Payment]:
        """Return the states of at most 100 payments, in any order."""
        keys = [{_KEY: _row_id(payment_id)} for payment_id in payment_ids]
        return [Payment.from_item(row) for row in self._db.get_all(self._table, keys)]

    def save(self, read: Payment, changed: Payment, now_ms: int, *others: Write) -> None:
        """Write a change together with other writes. Raises `StalePaymentError`, and the others' errors."""
        self._db.transact([self.change(read, changed, now_ms), *others])

    def change(self, read: Payment, changed: Payment, now_ms: int) -> Write:
        """Return the write of a change, for another transaction. Refused: `StalePaymentError`."""
        item = {**changed.to_item(), _KEY: _row_id(read.payment_id), "seq": read.seq + 1}
        if changed.account_id is None:
            item["expires_at_s"] = (now_ms + UNKNOWN_RETENTION_MS) // MS_PER_S
        return put_if_unchanged(
            self._table, item, _KEY, read.seq, lambda _: StalePaymentError(read.payment_id)
        )


class StaleBillingError(Exception):
    """The details were changed since they were read; nothing was written."""


class BillingRepository(OneTable):
    """Reads and writes billing details: a row of `BudgetsTable` for each account."""

    def get(self, account_id: str) -> BillingDetails:
        """Return the details of an account; empty if none were set."""
        return (
            self._find({"account_id": account_id, "item": ITEM}, BillingDetails.from_item) or BillingDetails()
        )

    def save(self, account_id: str, changed: BillingDetails, *others: Write) -> None:
        """Write details. Their `seq` is one more than at the read. Raises `StaleBillingError`."""
        stale = StaleBillingError(account_id)
        row, read_seq = changed.to_item(account_id), changed.seq - 1
        self._db.transact([put_if_unchanged(self._table, row, "item", read_seq, lambda _: stale), *others])


def _row_id(payment_id: str) -> str:
    return f"payment#{payment_id}"
