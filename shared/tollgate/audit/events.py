"""What the audit log notes. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.rows import Item

OPERATOR = "operator"
"""How the actor of an operator's act begins; customers are shown no more of it."""
SERVICE = "Tollgate"
"""The actor of what nobody did: time, or the service itself."""
OWNER = "owner"
"""Who asked without a key: somebody who is signed in, where no better name is known."""
STRIPE = "Stripe"
"""The actor of what Stripe tells of: a payment, a card that was saved."""
EVERYBODY = "operators"
"""In the place of an account: what operators did to the whole service."""
ACCESS_KEPT_MS = 400 * MS_PER_DAY
"""How long a line about access is kept: for more than a year. Lines about changes stay."""
_ACCESS_END = "#access"


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
    ANSWERS_CHOSEN = "answers.chosen"  # What becomes of text answers whose client has gone was chosen.
    MEMBER_INVITED = "member.invited"  # Somebody was invited, or an invitation sent again.
    INVITATION_REVOKED = "invitation.revoked"  # An open invitation was taken back.
    MEMBER_JOINED = "member.joined"  # Somebody accepted an invitation.
    MEMBER_CHANGED = "member.changed"  # A member got another role.
    MEMBER_REMOVED = "member.removed"  # A member was taken out by an owner.
    MAILS_CHOSEN = "mails.chosen"  # A member switched mails about money on or off.
    MEMBER_LEFT = "member.left"  # A member left.
    ACCOUNT_OPENED = "account.opened"  # An operator opened the account.
    SUSPENDED = "account.suspended"  # An operator suspended the account.
    RESUMED = "account.resumed"  # An operator let it go on.
    CREDITED = "account.credited"  # An operator put money on it by hand.
    DEBITED = "account.debited"  # An operator took money off it by hand.
    LIMITED = "account.limited"  # An operator set limits of its own.
    CLOSING_REQUESTED = "closing.requested"  # An owner asked for the end of the account.
    CLOSING_UNDONE = "closing.undone"  # An owner kept the account after all.
    CLOSED = "account.closed"  # The account's data was erased.
    PAYMENT_REVERSED = "payment.reversed"  # A payment was refunded or disputed, so its money was taken back.
    PAYMENT_RETURNED = "payment.returned"  # What was taken back of a payment was given back.
    TASK_REFUNDED = "task.refunded"  # An operator returned the charge of a task that had ended.
    TASK_CANCELLED = "task.cancelled"  # An operator asked for the end of a task.
    CARD_SAVED = "card.saved"  # Stripe keeps a card of the account for top-ups.
    TOPPED_UP = "account.topped_up"  # A payment by card is on the account.
    PRICE_CHANGED = "price.changed"  # An operator changed prices of a model.
    CATALOG_CHANGED = "catalog.changed"  # An operator published a catalog, or removed the published one.
    PROVIDER_SWITCHED = "provider.switched"  # An operator switched a provider or one of its routes.
    REDRIVEN = "dead_letters.redriven"  # An operator sent dead letters again.
    SIGNED_IN = "session.began"  # Somebody signed in, or went on in this account from another one.
    SIGN_IN_REFUSED = "session.refused"  # Somebody could not sign in or join; at most one line an hour.
    SIGNED_OUT_EVERYWHERE = "session.ended_everywhere"  # Somebody ended all of their sessions.
    CHAT_KEY_CREATED = "chat_key.created"  # The chat page got a key of its own.
    FILE_UPLOADED = "file.uploaded"  # A file was granted an upload.
    FILE_DELETED = "file.deleted"  # An uploaded file was deleted.
    TASK_FILES_DELETED = "task_files.deleted"  # The files of a task were deleted.
    RESPONSE_DELETED = "response.deleted"  # A stored response was deleted.


class Log(StrEnum):
    """The two logs of an account: a flood of one kind of line must not bury the other."""

    CHANGES = "changes"  # What decides about access or money.
    ACCESS = "access"  # Who came in, and what became of files and stored responses.


ACCESS = frozenset(
    {
        Action.SIGNED_IN,
        Action.SIGN_IN_REFUSED,
        Action.SIGNED_OUT_EVERYWHERE,
        Action.CHAT_KEY_CREATED,
        Action.FILE_UPLOADED,
        Action.FILE_DELETED,
        Action.TASK_FILES_DELETED,
        Action.RESPONSE_DELETED,
    }
)
"""What is in the log of access; all else is in the log of changes."""


def partition(account_id: str, log: Log) -> str:
    """Return under which key the rows of a log are."""
    return f"{account_id}{_ACCESS_END}" if log is Log.ACCESS else account_id


def is_operators(actor: str) -> bool:
    """Return whether an actor is an operator: people's addresses have no space, so none reads as one."""
    return actor == OPERATOR or actor.startswith(f"{OPERATOR} ")


def by_key(key_id: str) -> str:
    """Return what the audit log calls who asked with an API key."""
    return f"key {key_id}"


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
        row["action"] = str(self.action)
        if self.action in ACCESS:
            row["account_id"] = partition(self.account_id, Log.ACCESS)
            row["expires_at_s"] = (self.at_ms + ACCESS_KEPT_MS) // MS_PER_S
        if is_operators(self.actor):
            # All acts of operators are in one index, whatever accounts they are of.
            row["desk"] = EVERYBODY
        return row

    @classmethod
    def from_item(cls, item: Item) -> "AuditEvent":
        """Return the event that a row holds. Raises `ValueError` for one that only newer code knows."""
        kept = {name: item[name] for name in cls.__slots__}
        account_id = str(item["account_id"]).removesuffix(_ACCESS_END)
        return cls(**{**kept, "account_id": account_id, "action": Action(item["action"])})
