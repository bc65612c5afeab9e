"""What the audit log notes. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.rows import Item

OPERATOR = "operator"
"""How the actor of an operator's act begins; customers are shown no more of it."""
SERVICE = "Tollgate"
"""The actor of what nobody did: time, or the service itself."""
OWNER = "owner"
"""Who asked without a key: somebody who is signed in, where no better name is known."""


class Action(StrEnum):
    """What was done."""

    KEY_CREATED = "key.created"  # An API key was made.
    KEY_CHANGED = "key.changed"  # What a key may do was changed.
    KEY_ROTATED = "key.rotated"  # A key got a new secret.
    KEY_REVOKED = "key.revoked"  # A key was ended.
    CAP_REACHED = "key.cap_reached"  # A key's spending cap is nearly used up in this period.
    KEY_EXPIRING = "key.expiring"  # A key expires in three days.
    KEY_EXPIRED = "key.expired"  # A key has expired.
    WEBHOOK_FAILING = "webhook.failing"  # Every attempt of a delivery failed.
    STATEMENT_READY = "statement.ready"  # A month is over, and its statement can be read.
    # Webhooks are signed with a new secret.
    WEBHOOK_SECRET_ROTATED = "webhook_secret.rotated"  # noqa: S105 - an act
    # What is done about a low balance was changed, automatic top-ups included.
    LOW_BALANCE_CHANGED = "low_balance.changed"
    MEMBER_INVITED = "member.invited"  # Somebody was invited, or an invitation sent again.
    INVITATION_REVOKED = "invitation.revoked"  # An open invitation was taken back.
    MEMBER_JOINED = "member.joined"  # Somebody accepted an invitation.
    MEMBER_CHANGED = "member.changed"  # A member got another role.
    MEMBER_REMOVED = "member.removed"  # A member was taken out by an owner.
    MAILS_CHOSEN = "mails.chosen"  # A member switched mails about money on or off.
    MEMBER_LEFT = "member.left"  # A member left.
    SUSPENDED = "account.suspended"  # An operator suspended the account.
    RESUMED = "account.resumed"  # An operator let it go on.
    CREDITED = "account.credited"  # An operator put money on it by hand.
    DEBITED = "account.debited"  # An operator took money off it by hand.
    LIMITED = "account.limited"  # An operator set limits of its own.
    CLOSING_REQUESTED = "closing.requested"  # An owner asked for the end of the account.
    CLOSING_UNDONE = "closing.undone"  # An owner kept the account after all.
    CLOSED = "account.closed"  # The account's data was erased.
    TASK_REFUNDED = "task.refunded"  # An operator returned the charge of a task that had ended.


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One line: `actor` did `action` to `subject`; `detail` says what holds now, and never a secret.

    Ids grow with time, so the lines of an account are in the order in which they were written.
    """

    account_id: str
    event_id: str
    at_ms: int
    actor: str
    action: Action
    subject: str
    detail: str = ""

    def to_item(self) -> Item:
        """Return the event as a row."""
        row: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        return {**row, "action": str(self.action)}

    @classmethod
    def from_item(cls, item: Item) -> "AuditEvent":
        """Return the event that a row holds."""
        return cls(**{**item, "action": Action(item["action"])})
