"""The mail for each kind of event in the audit log. Pure."""

import re
from dataclasses import dataclass

from tollgate.accounts.keys import PREFIX
from tollgate.audit.events import ACCESS, OWNER, Action, AuditEvent, is_operators
from tollgate.kit.clock import to_the_minute
from tollgate.mail.addresses import address_of
from tollgate.mail.layout import MailContent, unlinked
from tollgate.members.topics import SECURITY, Topic

_KEY = re.compile(r"key_[0-9A-Z]{22}([0-9A-Z]{4})")


@dataclass(frozen=True, slots=True)
class Kind:
    """How a mail presents an event: its topic, a title, a label for the subject, the page to open."""

    topic: Topic
    title: str
    label: str
    page: str
    sentence: str = ""


_KEYS, _MEMBERS, _BUDGETS = "/keys", "/members", "/budgets"
KINDS = {
    Action.KEY_CREATED: Kind(Topic.KEYS, "API key created", "API key", _KEYS),
    Action.KEY_CHANGED: Kind(Topic.KEYS, "API key changed", "API key", _KEYS),
    Action.KEY_ROTATED: Kind(Topic.KEYS, "API key rotated", "API key", _KEYS),
    Action.KEY_REVOKED: Kind(
        Topic.KEYS, "API key revoked", "API key", _KEYS, "Requests with this key are refused from now on."
    ),
    Action.WEBHOOK_SECRET_ROTATED: Kind(Topic.KEYS, "Webhook secret rotated", "Secret", "/webhooks"),
    Action.ROUTING_CHANGED: Kind(Topic.ACCOUNT, "Routing policy changed", "Setting", _KEYS),
    Action.BUDGET_CREATED: Kind(Topic.LIMITS, "Budget created", "Budget", _BUDGETS),
    Action.BUDGET_CHANGED: Kind(Topic.LIMITS, "Budget changed", "Budget", _BUDGETS),
    Action.BUDGET_DELETED: Kind(Topic.LIMITS, "Budget deleted", "Budget", _BUDGETS),
    Action.BUDGET_REACHED: Kind(
        Topic.LIMITS,
        "Budget partly or fully spent",
        "Budget",
        _BUDGETS,
        "Requests above the budget are refused until it starts again. Raise the budget to continue earlier.",
    ),
    Action.CAP_REACHED: Kind(
        Topic.LIMITS,
        "Spending cap nearly used up",
        "API key",
        _KEYS,
        "Requests above the cap are refused until it resets. Raise the cap to continue earlier.",
    ),
    Action.KEY_EXPIRING: Kind(
        Topic.LIMITS,
        "API key expires in 3 days",
        "API key",
        _KEYS,
        "After that, requests with this key are refused. Extend the key, or create a new one.",
    ),
    Action.KEY_EXPIRED: Kind(
        Topic.LIMITS, "API key expired", "API key", _KEYS, "Requests with this key are refused from now on."
    ),
    Action.EXPORTS_CHANGED: Kind(
        Topic.KEYS,
        "Exports changed",
        "Now on",
        "/exports",
        "Exports send records of your requests to other systems.",
    ),
    Action.EXPORT_FAILING: Kind(
        Topic.WEBHOOKS,
        "Files could not be written into your bucket",
        "Export",
        "/exports",
        "Correct the bucket or the role. The next day's export also writes the missing days.",
    ),
    Action.WEBHOOK_FAILING: Kind(
        Topic.WEBHOOKS,
        "Webhook deliveries are failing",
        "Host",
        "/webhooks",
        "Every attempt to deliver an event failed, so we stopped. Fix the endpoint, then resend the "
        "failed deliveries. You get at most one such mail a day for each endpoint.",
    ),
    Action.STATEMENT_READY: Kind(Topic.STATEMENTS, "Your statement is ready", "Month", "/statements"),
    Action.MEMBER_INVITED: Kind(Topic.MEMBERS, "Member invited", "Invited", _MEMBERS),
    Action.INVITATION_REVOKED: Kind(Topic.MEMBERS, "Invitation revoked", "Invited", _MEMBERS),
    Action.MEMBER_JOINED: Kind(Topic.MEMBERS, "New member", "Member", _MEMBERS),
    Action.MEMBER_CHANGED: Kind(Topic.MEMBERS, "Member's role changed", "Member", _MEMBERS),
    Action.MEMBER_REMOVED: Kind(Topic.MEMBERS, "Member removed", "Member", _MEMBERS),
    Action.MEMBER_LEFT: Kind(Topic.MEMBERS, "Member left", "Member", _MEMBERS),
    Action.DIRECTORY_CHANGED: Kind(
        Topic.MEMBERS,
        "Company directory connected or disconnected",
        "What",
        _MEMBERS,
        "With its token, a directory adds and removes members of this account.",
    ),
    Action.ANSWERS_CHOSEN: Kind(Topic.ACCOUNT, "Text responses setting changed", "Setting", _KEYS),
    Action.LOW_BALANCE_CHANGED: Kind(Topic.ACCOUNT, "Low balance settings changed", "Settings", "/top-up"),
    Action.SUSPENDED: Kind(
        Topic.ACCOUNT, "Account suspended", "What", "", "New requests are refused. Running requests continue."
    ),
    Action.RESUMED: Kind(Topic.ACCOUNT, "Account resumed", "What", ""),
    Action.LIMITED: Kind(Topic.ACCOUNT, "Account limits changed", "What", ""),
    Action.CLOSING_REQUESTED: Kind(
        Topic.ACCOUNT,
        "Account is being closed",
        "What",
        "/closing",
        "Its keys and sessions have ended. An owner can keep the account until its data is erased.",
    ),
    Action.CLOSING_UNDONE: Kind(Topic.ACCOUNT, "Account kept", "What", ""),
    Action.CREDITED: Kind(Topic.MONEY, "Credit added", "Reference", "/statements"),
    Action.DEBITED: Kind(Topic.MONEY, "Balance debited", "Reference", "/statements"),
    Action.PAYMENT_REVERSED: Kind(
        Topic.MONEY,
        "Payment refunded or disputed",
        "Payment",
        "/statements",
        "The payment was debited from the balance. Contact the operator of this service about a suspension.",
    ),
    Action.PAYMENT_RETURNED: Kind(Topic.MONEY, "Payment returned", "Payment", "/statements"),
    Action.TASK_REFUNDED: Kind(Topic.MONEY, "Generation refunded", "Generation", "/activity"),
    Action.TASK_CANCELLED: Kind(Topic.MONEY, "Generation cancelled", "Generation", "/activity"),
    Action.CARD_REMOVED: Kind(
        Topic.ACCOUNT, "Card removed", "What", "/top-up", "Automatic top-ups are off until you save a card."
    ),
    Action.BILLING_CHANGED: Kind(Topic.ACCOUNT, "Billing details changed", "What", "/top-up"),
    Action.CARD_SAVED: Kind(
        Topic.ACCOUNT,
        "Card saved",
        "What",
        "/top-up",
        "Stripe stores a card for this account. Automatic top-ups charge it if they are turned on.",
    ),
}
"""The mail for each action. For other actions no mail is sent."""

NOT_MAILED = {
    Action.MAILS_CHOSEN: "the member's own choice",
    Action.CLOSED: "no recipients remain, because their addresses are erased too",
    Action.ACCOUNT_OPENED: "the account has no member yet",
    Action.TOPPED_UP: "Stripe mails the receipt",
    Action.PRICE_CHANGED: "not about an account",
    Action.CATALOG_CHANGED: "not about an account",
    Action.PROVIDER_SWITCHED: "not about an account",
    Action.INCIDENT_POSTED: "not about an account",
    Action.REDRIVEN: "not about an account",
    Action.TOKEN_CREATED: "short-lived, and limited by its key",
    Action.TOKEN_REVOKED: "short-lived, and limited by its key",
    Action.SUBACCOUNT_CREATED: "a program creates many",
    Action.SUBACCOUNT_CHANGED: "a program changes many",
    Action.SUBACCOUNT_CREDITED: "a program credits many, and the ledger has each transfer",
    Action.SUBACCOUNT_CLOSED: "a program closes many",
    Action.MEMBER_PROVISIONED: "a directory adds many; a mail follows when a person joins",
    Action.MEMBER_DEPROVISIONED: "a directory removes many; a mail names each member who was removed",
    Action.PROJECT_CREATED: "projects have no rights",
    Action.PROJECT_CHANGED: "projects have no rights",
    Action.PROJECT_DELETED: "projects have no rights",
    **dict.fromkeys(ACCESS, "in the log of access, which is not mailed"),
}
"""Why no mail is sent for an action."""


def mail_content(
    event: AuditEvent, account: str, dashboard_url: str, *, is_forced: bool, is_last: bool = False
) -> MailContent:
    """Return the mail for an event whose action is in `KINDS`.

    `account` is the name of the account in the mail. `is_forced` means that the reader cannot switch the mail
    off. `is_last` means that it uses up the account's mails of this day.
    """
    kind = KINDS[event.action]
    subject = _named(event)
    sentences = [f"{kind.title} in the Tollgate account of {account}.", kind.sentence]
    if is_last:
        rest = (
            "you get at most one such mail an hour"
            if kind.topic in SECURITY
            else "you get no more mails about it"
        )
        sentences.append(
            f"This account had many events today: {rest} until tomorrow (UTC). "
            f"The audit log contains all events: {dashboard_url}/audit"
        )
    facts = [
        ("Account", f"{account} ({event.account_id})"),
        (kind.label, subject),
        ("Details", unlinked(event.detail)),
        ("By", _actor(event.actor)),
        ("When", to_the_minute(event.at_ms)),
    ]
    page = kind.page + (f"?month={event.subject}" if event.action is Action.STATEMENT_READY else "")
    return MailContent(
        f"{kind.title}: {subject}" if subject != "Account" else kind.title,
        tuple(each for each in sentences if each),
        tuple((label, value) for label, value in facts if value),
        ("Open in the dashboard", f"{dashboard_url}{page}"),
        _foot(kind.topic, dashboard_url, is_forced=is_forced),
    )


def _foot(topic: Topic, dashboard_url: str, *, is_forced: bool) -> tuple[str, ...]:
    settings = f"{dashboard_url}/members"
    if topic not in SECURITY:
        return (f"You get this mail by your choice or your role. Turn it off: {settings}",)
    not_you = f"If no member did this, check the audit log: {dashboard_url}/audit"
    why = "Owners always get mails about security." if is_forced else f"Turn it off: {settings}"
    return (not_you, why)


def _named(event: AuditEvent) -> str:
    """Return the subject of an event; a key as its name and the last characters that its page shows."""
    found = _KEY.search(event.subject)
    if found is not None:
        name = event.subject.replace(f"({found[0]})", "").strip()
        return f"{unlinked(name)} ({PREFIX}…{found[1]})"
    return _person(event.subject)


def _actor(actor: str) -> str:
    found = _KEY.search(actor)
    if found is not None:
        return f"the API key {PREFIX}…{found[1]}"
    # Customers do not see which operator it was.
    if is_operators(actor):
        return "a Tollgate operator"
    return "an owner" if actor == OWNER else _person(actor)


def _person(name: str) -> str:
    """Return a mail address unchanged, and other text without links."""
    return name if address_of(name) == name else unlinked(name)
