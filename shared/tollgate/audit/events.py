"""The events of the audit log. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.rows import Item

OPERATOR = "operator"
"""The start of an operator's actor name; customers see only this part."""
SERVICE = "Tollgate"
"""The actor of automatic changes, by a schedule or the service."""
OWNER = "owner"
"""The actor of a request without a key: a signed-in person without a better name."""
STRIPE = "Stripe"
"""The actor of changes that Stripe reports: a payment, a saved card."""
EVERYBODY = "operators"
"""Used instead of an account id: for changes by operators to the whole service."""
ACCESS_RETENTION_MS = 400 * MS_PER_DAY
"""How long events about access are stored: more than a year. Events about changes never expire."""
_ACCESS_END = "#access"


class Action(StrEnum):
    """The action of an event."""

    KEY_CREATED = "key.created"  # An API key was created.
    KEY_CHANGED = "key.changed"  # The permissions or limits of a key were changed.
    KEY_ROTATED = "key.rotated"  # A key got a new secret.
    KEY_REVOKED = "key.revoked"  # A key was revoked.
    ROUTING_CHANGED = "routing.changed"  # The routing policy of the account was changed.
    BUDGET_CREATED = "budget.created"  # A budget was created.
    BUDGET_CHANGED = "budget.changed"  # The name, limit or period of a budget was changed.
    BUDGET_DELETED = "budget.deleted"  # A budget was deleted.
    BUDGET_REACHED = "budget.reached"  # 50, 80 or 100 percent of a budget are spent.
    PROJECT_CREATED = "project.created"  # A project was created.
    PROJECT_CHANGED = "project.changed"  # A project was renamed.
    PROJECT_DELETED = "project.deleted"  # A project was deleted.
    TOKEN_CREATED = "token.created"  # noqa: S105 - an act: a run token was created.
    SUBACCOUNT_CREATED = "subaccount.created"  # A sub-account was created.
    SUBACCOUNT_CHANGED = "subaccount.changed"  # The settings of a sub-account were changed.
    SUBACCOUNT_CREDITED = "subaccount.credited"  # Money moved to a sub-account, or back.
    SUBACCOUNT_CLOSED = "subaccount.closed"  # A sub-account was closed.
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - an act: a run token was revoked.
    CAP_REACHED = "key.cap_reached"  # A key's spending cap is nearly used up in this period.
    KEY_EXPIRING = "key.expiring"  # A key expires in three days.
    KEY_EXPIRED = "key.expired"  # A key has expired.
    EXPORTS_CHANGED = "exports.changed"  # The exports of requests and costs were changed.
    EXPORT_FAILING = "export.failing"  # The files of a day could not be written into the bucket.
    WEBHOOK_FAILING = "webhook.failing"  # Every attempt of a delivery failed.
    STATEMENT_READY = "statement.ready"  # The statement of the last month is ready.
    # Webhooks are signed with a new secret.
    WEBHOOK_SECRET_ROTATED = "webhook_secret.rotated"  # noqa: S105 - an act
    # The low-balance settings were changed, including automatic top-ups.
    LOW_BALANCE_CHANGED = "low_balance.changed"
    ANSWERS_CHOSEN = "answers.chosen"  # The setting for text responses whose client left was changed.
    MEMBER_INVITED = "member.invited"  # A person was invited, or an invitation was sent again.
    INVITATION_REVOKED = "invitation.revoked"  # An open invitation was revoked.
    MEMBER_JOINED = "member.joined"  # A person accepted an invitation.
    MEMBER_CHANGED = "member.changed"  # A member got another role.
    MEMBER_REMOVED = "member.removed"  # An owner removed a member.
    MAILS_CHOSEN = "mails.chosen"  # A member switched mails about money on or off.
    MEMBER_LEFT = "member.left"  # A member left.
    DIRECTORY_CHANGED = "directory.changed"  # The token of the company's directory was created or revoked.
    MEMBER_PROVISIONED = "member.provisioned"  # The directory added, changed or activated a user.
    MEMBER_DEPROVISIONED = "member.deprovisioned"  # The directory deactivated or deleted a user.
    ACCOUNT_OPENED = "account.opened"  # An operator opened the account.
    SUSPENDED = "account.suspended"  # An operator suspended the account.
    RESUMED = "account.resumed"  # An operator ended the suspension.
    CREDITED = "account.credited"  # An operator added money by hand.
    DEBITED = "account.debited"  # An operator took money by hand.
    LIMITED = "account.limited"  # An operator set limits for this account.
    CLOSING_REQUESTED = "closing.requested"  # An owner requested the end of the account.
    CLOSING_UNDONE = "closing.undone"  # An owner cancelled the end of the account.
    CLOSED = "account.closed"  # The account's data was erased.
    PAYMENT_REVERSED = "payment.reversed"  # A payment was refunded or disputed, so its money was taken back.
    PAYMENT_RETURNED = "payment.returned"  # The money of a reversed payment was added again.
    TASK_REFUNDED = "task.refunded"  # An operator returned the charge of a task that had ended.
    TASK_CANCELLED = "task.cancelled"  # An operator cancelled a task.
    CARD_SAVED = "card.saved"  # Stripe stores a card of the account for top-ups.
    CARD_REMOVED = "card.removed"  # The saved card was removed, which ends automatic top-ups.
    BILLING_CHANGED = "billing.changed"  # The billing details were changed.
    TOPPED_UP = "account.topped_up"  # A payment by card was credited.
    PRICE_CHANGED = "price.changed"  # An operator changed prices of a model.
    CATALOG_CHANGED = "catalog.changed"  # An operator published a catalog, or removed the published one.
    PROVIDER_SWITCHED = "provider.switched"  # An operator switched a provider or a route.
    INCIDENT_POSTED = "incident.posted"  # An operator opened or updated an incident of the status page.
    REDRIVEN = "dead_letters.redriven"  # An operator sent dead letters again.
    SIGNED_IN = "session.began"  # A person signed in, or switched to this account from another.
    SIGN_IN_REFUSED = "session.refused"  # A person could not sign in or join; at most one event an hour.
    FACTOR_CHANGED = "second_factor.changed"  # A person turned their second factor on or off.
    SESSION_ENDED = "session.ended"  # A person ended a session in another browser.
    SIGNED_OUT_EVERYWHERE = "session.ended_everywhere"  # A person ended all of their sessions.
    CHAT_KEY_CREATED = "chat_key.created"  # The chat page got its own key.
    FILE_UPLOADED = "file.uploaded"  # The upload of a file was allowed.
    FILE_DELETED = "file.deleted"  # An uploaded file was deleted.
    TASK_FILES_DELETED = "task_files.deleted"  # The files of a task were deleted.
    TASK_SHARED = "task.shared"  # A generation got a public page.
    TASK_UNSHARED = "task.unshared"  # The public page of a generation was ended.
    RESPONSE_DELETED = "response.deleted"  # A stored response was deleted.
    CONVERSATION_DELETED = "conversation.deleted"  # A conversation was deleted with its items.
    CONVERSATION_ITEM_DELETED = "conversation_item.deleted"  # An item of a conversation was deleted.
    BATCH_DELETED = "batch.deleted"  # A batch was deleted with its results.


class Log(StrEnum):
    """The two logs of an account: many events in one do not hide those in the other."""

    CHANGES = "changes"  # Changes to access or money.
    ACCESS = "access"  # Sign-ins, and uploads and deletions of files, stored responses and conversations.


ACCESS = frozenset(
    {
        Action.SIGNED_IN,
        Action.SIGN_IN_REFUSED,
        Action.FACTOR_CHANGED,
        Action.SESSION_ENDED,
        Action.SIGNED_OUT_EVERYWHERE,
        Action.CHAT_KEY_CREATED,
        Action.FILE_UPLOADED,
        Action.FILE_DELETED,
        Action.TASK_FILES_DELETED,
        Action.TASK_SHARED,
        Action.TASK_UNSHARED,
        Action.RESPONSE_DELETED,
        Action.CONVERSATION_DELETED,
        Action.CONVERSATION_ITEM_DELETED,
        Action.BATCH_DELETED,
    }
)
"""The actions in the log of access; all others are in the log of changes."""


def partition(account_id: str, log: Log) -> str:
    """Return the partition key of a log's rows."""
    return f"{account_id}{_ACCESS_END}" if log is Log.ACCESS else account_id


def is_operators(actor: str) -> bool:
    """Return whether an actor is an operator. Mail addresses have no space, so no address matches."""
    return actor == OPERATOR or actor.startswith(f"{OPERATOR} ")


def by_key(key_id: str) -> str:
    """Return the actor of a request with an API key."""
    return f"key {key_id}"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One event: `actor` did `action` to `subject`; `detail` has the new state, without secrets.

    Ids grow with time, so they sort an account's events in the order in which they were written.
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
            row["expires_at_s"] = (self.at_ms + ACCESS_RETENTION_MS) // MS_PER_S
        if is_operators(self.actor):
            # One index has the acts of operators in all accounts.
            row["desk"] = EVERYBODY
        return row

    @classmethod
    def from_item(cls, item: Item) -> "AuditEvent":
        """Return the event from a row. Raises `ValueError` for an action of a newer version."""
        kept = {name: item[name] for name in cls.__slots__}
        account_id = str(item["account_id"]).removesuffix(_ACCESS_END)
        return cls(**{**kept, "account_id": account_id, "action": Action(item["action"])})
