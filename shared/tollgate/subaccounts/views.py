"""Sub-accounts as they are stored, and as the API shows them. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NotRequired

from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import cents_down, usd_text
from tollgate.kit.response_shapes import Cents, DecimalText, Keywords, Shape, Timestamp
from tollgate.ledger.families import MAX_MARKUP_PERCENT, markup_of
from tollgate.ledger.wallets import Limits
from tollgate.low_balance.rules import LowBalanceSettings

ITEM = "subaccount#"
"""The beginning of the sort keys of the rows in the parent's partition of `BudgetsTable`."""
SUSPENDED_BY_PARENT = "Suspended by its parent account"


class SubaccountState(StrEnum):
    """Whether a sub-account can be used."""

    ACTIVE = "active"  # Its keys work.
    SUSPENDED = "suspended"  # It starts nothing new.
    CLOSING = "closing"  # Its keys have ended, and its running work ends. Then its money returns.
    CLOSED = "closed"  # Its data is erased.


class SubaccountLimitsView(Shape):
    """Limits that are lower than those of all accounts; null for the limit of all accounts."""

    textAtOnce: int | None
    requestsPerMinute: int | None
    runningTasks: int | None


class SubaccountLowBalanceView(Shape):
    """The alert for a low balance."""

    thresholdCents: Cents
    webhook: str | None


class SubaccountView(Shape):
    """The account of an end customer."""

    id: str
    name: str
    state: SubaccountState
    balance: Cents
    balanceMicroUsd: int
    markupPercent: Annotated[int, Keywords(minimum=0, maximum=MAX_MARKUP_PERCENT)]
    earningsMicroUsd: int
    """Mark-up that was charged and not moved to the parent yet."""
    limits: SubaccountLimitsView
    alert: SubaccountLowBalanceView | None
    createdAt: Timestamp
    closedAt: Timestamp | None


class SubaccountPageView(Shape):
    """A page of sub-accounts, the newest first."""

    subaccounts: list[SubaccountView]
    cursor: NotRequired[str]
    """Missing on the last page."""


class TransferView(Shape):
    """Money that moved between the parent and a sub-account."""

    id: str
    """The id of the entry in both ledgers."""
    subaccountId: str
    amountMicroUsd: int
    """A positive amount went to the sub-account."""
    amountUsd: DecimalText
    createdAt: Timestamp


@dataclass(frozen=True, slots=True)
class Subaccount:
    """The parent's row of a sub-account."""

    parent: str
    child: str
    name: str
    created_at_ms: int
    closed_at_ms: int | None = None

    @property
    def label(self) -> str:
        """Return its name in the audit log."""
        return f"{self.name} ({self.child})"

    def to_item(self) -> Item:
        """Return the row of a new sub-account."""
        return {
            "account_id": self.parent,
            "item": f"{ITEM}{self.child}",
            "name": self.name,
            "created_at_ms": self.created_at_ms,
        }

    @classmethod
    def from_item(cls, row: Item) -> "Subaccount":
        """Return the sub-account that a row holds."""
        child = row["item"].removeprefix(ITEM)
        return cls(row["account_id"], child, row["name"], row["created_at_ms"], row.get("closed_at_ms"))


def view_of(
    found: Subaccount, account: Item, markup_percent: int, low_balance: LowBalanceSettings
) -> SubaccountView:
    """Return a sub-account, from its merged row and its settings."""
    balance, limits = account["balance_micro_usd"], Limits.of(account).whole()
    alert: SubaccountLowBalanceView | None = None
    if low_balance.is_on:
        alert = {"thresholdCents": low_balance.threshold_cents, "webhook": low_balance.webhook}
    return {
        "id": found.child,
        "name": found.name,
        "state": _state(found, account),
        "balance": cents_down(balance),
        "balanceMicroUsd": balance,
        "markupPercent": markup_percent,
        "earningsMicroUsd": markup_of(account),
        "limits": {
            "textAtOnce": limits.text_at_once,
            "requestsPerMinute": limits.requests_per_minute,
            "runningTasks": limits.running_tasks,
        },
        "alert": alert,
        "createdAt": iso(found.created_at_ms),
        "closedAt": None if found.closed_at_ms is None else iso(found.closed_at_ms),
    }


def transfer_view(entry_id: str, child: str, amount_micro_usd: int, now_ms: int) -> TransferView:
    """Return a transfer."""
    return {
        "id": entry_id,
        "subaccountId": child,
        "amountMicroUsd": amount_micro_usd,
        "amountUsd": usd_text(amount_micro_usd),
        "createdAt": iso(now_ms),
    }


def _state(found: Subaccount, account: Item) -> SubaccountState:
    if "closed_at_ms" in account:
        return SubaccountState.CLOSED
    if found.closed_at_ms is not None:
        return SubaccountState.CLOSING
    return SubaccountState.SUSPENDED if "suspended" in account else SubaccountState.ACTIVE
