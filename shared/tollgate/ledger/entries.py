"""Ledger entries: the amount, the purpose and the time. Pure values; ids are derived from the purpose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NotRequired

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.response_shapes import DecimalText, Shape, Timestamp
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.trace import NO_TRACE, Trace


class EntryKind(StrEnum):
    """The kind of an entry. The sign of the amount is the customer's view: plus raises the balance."""

    CREDIT = "credit"  # Money put on the account (plus).
    DEBIT = "debit"  # An operator took money off the account, with a reason (minus).
    CHARGE = "charge"  # A media task was queued (minus).
    REFUND = "refund"  # A media task ended without a result; answers its charge in full (plus).
    TEXT = "text"  # A text request was answered (minus).
    # A text request was not answered because every provider failed or it timed out. Its hold was returned
    # (0). It has the charge's id, so only one of the two can be written: the first.
    VOID = "void"
    # Money moved between an account and its sub-account. Both have an entry of this id (plus and minus).
    TRANSFER = "transfer"
    # The mark-up of a sub-account moved to its parent (plus). The sub-account's own entry is 0, because its
    # charges contained the mark-up.
    MARKUP = "markup"


_OPTIONAL = (
    "task_id",
    "model",
    "answers",
    "request_id",
    "usage",
    "counter",
    "provider",
    "reason",
    "reference",
    "event_id",
    "key_id",
    "latency_ms",
    "first_byte_ms",
    "user",
    "tags",
    "project",
    "token",
    "budgets",
    "trace",
    "markup_micro_usd",
    "peer",
)


class EntryView(Shape):
    """A movement of the balance."""

    id: str
    kind: EntryKind
    amountMicroUsd: int
    """A positive amount raises the balance."""
    amountUsd: DecimalText
    model: NotRequired[str]
    taskId: NotRequired[str]
    requestId: NotRequired[str]
    answers: NotRequired[str]
    """The id of the charge that a refund returns."""
    keyId: NotRequired[str]
    """The API key of the request; missing for requests from the dashboard."""
    user: NotRequired[str]
    """The end user of the request."""
    tags: NotRequired[dict[str, str]]
    """The tags of the request."""
    projectId: NotRequired[str]
    tokenId: NotRequired[str]
    """The run token of the request."""
    reason: NotRequired[str]
    reference: NotRequired[str]
    """The id of the payment at Stripe."""
    createdAt: Timestamp


class EntryPageView(Shape):
    """A page of entries, the newest first."""

    entries: list[EntryView]
    cursor: NotRequired[str]
    """Missing on the last page."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the ledger; rows are never changed, a correction is a new row.

    `amount_micro_usd` is signed. `answers` is the id of the charge that a refund returns.
    """

    account_id: str
    entry_id: str
    kind: EntryKind
    amount_micro_usd: int
    created_at_ms: int
    task_id: str | None = None
    model: str | None = None
    answers: str | None = None
    request_id: str | None = None
    usage: dict[str, Any] | None = None
    """The billed usage of a text request: tokens by kind, and whether Tollgate counted them."""
    counter: str | None = None
    """The spending cap's counter that counted it (`ledger/caps.py`); a refund lowers the charge's counter."""
    provider: str | None = None
    """The provider whose response was billed, or all that were called in vain."""
    reason: str | None = None
    """The operator's reason for a credit or a debit; the customer sees it."""
    reference: str | None = None
    """The payment provider's id of the payment that a credit belongs to; the customer sees it."""
    event_id: str | None = None
    """The payment provider's event that reported it."""
    key_id: str | None = None
    """The API key of the request; none for requests from the dashboard."""
    latency_ms: int | None = None
    """How long a text request took, from its acceptance to the end of its answer."""
    first_byte_ms: int | None = None
    """How long it took until the first bytes of a streamed answer could be sent."""
    user: str | None = None
    """The end user of the request (`ledger/attribution.py`)."""
    tags: Mapping[str, str] | None = None
    """The tags of the request, by name."""
    project: str | None = None
    """The project of the key."""
    token: str | None = None
    """The run token of the request (`ledger/runs.py`)."""
    budgets: Sequence[str] | None = None
    """The rows of the budgets that counted it (`ledger/budgets.py`); a refund is returned to them."""
    trace: Mapping[str, Any] | None = None
    """How a request went (`ledger/trace.py`)."""
    markup_micro_usd: int | None = None
    """The part of a sub-account's charge that its parent earns (`ledger/families.py`).

    A refund has it negative, and so has the entry of mark-up that was moved to the parent.
    """
    peer: str | None = None
    """The other account of a transfer or of moved mark-up. Its entry has the same id."""

    def to_item(self) -> Item:
        """Return the entry as a row."""
        row: Item = {
            "account_id": self.account_id,
            "entry_id": self.entry_id,
            "kind": str(self.kind),
            "amount_micro_usd": self.amount_micro_usd,
            "created_at_ms": self.created_at_ms,
        }
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None:
                row[name] = list(value) if isinstance(value, tuple) else value
        return row

    @classmethod
    def from_item(cls, item: Item) -> "Entry":
        """Return the entry that a row holds.

        Attributes of a later version are ignored, because both versions run during a deployment.
        """
        known = {name: value for name, value in item.items() if name in _NAMES}
        return cls(**{**known, "kind": EntryKind(item["kind"])})


_NAMES = frozenset(Entry.__slots__)


def charge_id(task_id: str) -> str:
    """Return the id of a task's one charge."""
    return f"{task_id}#charge"


def refund_id(task_id: str) -> str:
    """Return the id of a task's one refund."""
    return f"{task_id}#refund"


def refund_id_of(charge: str) -> str | None:
    """Return the id of the one refund that answers a charge; `None` if the id is not a charge's."""
    task_id, _, kind = charge.rpartition("#")
    return refund_id(task_id) if kind == "charge" else None


def charge_entry(
    account_id: str,
    task_id: str,
    model: str,
    amount_micro_usd: int,
    now_ms: int,
    *,
    counter: str | None = None,
    key_id: str | None = None,
    attribution: Attribution = NONE,
    budgets: Sequence[str] = (),
    trace: Trace = NO_TRACE,
    markup_micro_usd: int = 0,
) -> Entry:
    """Return the entry that takes `amount_micro_usd` (positive) for a task."""
    return Entry(
        account_id,
        charge_id(task_id),
        EntryKind.CHARGE,
        -amount_micro_usd,
        now_ms,
        task_id=task_id,
        model=model,
        counter=counter,
        key_id=key_id,
        budgets=tuple(budgets) or None,
        trace=trace.to_item() or None,
        markup_micro_usd=markup_micro_usd or None,
        **attribution.stored(),
    )


def refund_of(charge: Entry, now_ms: int) -> Entry:
    """Return the entry that returns a task's whole charge and takes it off the counter that counted it.

    Its id is derived from the task's id, so a second refund of the same charge finds the first one.
    """
    return replace(
        charge,
        entry_id=refund_id(charge.task_id or ""),
        kind=EntryKind.REFUND,
        amount_micro_usd=-charge.amount_micro_usd,
        created_at_ms=now_ms,
        answers=charge.entry_id,
        trace=None,
        markup_micro_usd=-charge.markup_micro_usd if charge.markup_micro_usd else None,
    )
