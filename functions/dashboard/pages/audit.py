"""The audit log: changes of the account, credits, and sign-ins, each with its author."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.audit_details import detail_in_words
from dashboard.languages import gettext
from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.audit.events import OPERATOR, Action, AuditEvent, Log, is_operators
from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.pages import Page
from tollgate.ledger.entries import EntryView
from tollgate.web.languages import phrase

WORDS = {
    Action.KEY_CREATED: "API key created",
    Action.KEY_CHANGED: "API key changed",
    Action.KEY_ROTATED: "API key rotated",
    Action.KEY_REVOKED: "API key revoked",
    Action.ROUTING_CHANGED: "Routing policy changed",
    Action.BUDGET_CREATED: "Budget created",
    Action.BUDGET_CHANGED: "Budget changed",
    Action.BUDGET_DELETED: "Budget deleted",
    Action.BUDGET_REACHED: "Budget partly or fully spent",
    Action.PROJECT_CREATED: "Project created",
    Action.PROJECT_CHANGED: "Project renamed",
    Action.PROJECT_DELETED: "Project deleted",
    Action.TOKEN_CREATED: "Run token created",
    Action.TOKEN_REVOKED: "Run token revoked",
    Action.SUBACCOUNT_CREATED: "Sub-account created",
    Action.SUBACCOUNT_CHANGED: "Sub-account changed",
    Action.SUBACCOUNT_CREDITED: "Money moved to or from a sub-account",
    Action.SUBACCOUNT_CLOSED: "Sub-account closed",
    Action.PAYMENT_REVERSED: "Payment refunded or disputed",
    Action.PAYMENT_RETURNED: "Payment returned",
    Action.CAP_REACHED: "Spending cap nearly used up",
    Action.KEY_EXPIRING: "API key expires soon",
    Action.KEY_EXPIRED: "API key expired",
    Action.EXPORTS_CHANGED: "Exports changed",
    Action.EXPORT_FAILING: "Exports failing",
    Action.WEBHOOK_FAILING: "Webhook deliveries failing",
    Action.STATEMENT_READY: "Statement ready",
    Action.WEBHOOK_SECRET_ROTATED: "Webhook secret rotated",
    Action.ANSWERS_CHOSEN: "Text responses setting changed",
    Action.LOW_BALANCE_CHANGED: "Low balance settings changed",
    Action.MEMBER_INVITED: "Member invited",
    Action.INVITATION_REVOKED: "Invitation revoked",
    Action.MEMBER_JOINED: "Member joined",
    Action.MEMBER_CHANGED: "Member's role changed",
    Action.MEMBER_REMOVED: "Member removed",
    Action.MAILS_CHOSEN: "Notifications changed",
    Action.MEMBER_LEFT: "Member left",
    Action.DIRECTORY_CHANGED: "Company directory changed",
    Action.MEMBER_PROVISIONED: "Directory's user changed",
    Action.MEMBER_DEPROVISIONED: "Directory's user ended",
    Action.SUSPENDED: "Account suspended",
    Action.RESUMED: "Account resumed",
    Action.CREDITED: "Credit by hand",
    Action.DEBITED: "Debit by hand",
    Action.LIMITED: "Limits set",
    Action.CLOSING_REQUESTED: "Account's end requested",
    Action.CLOSING_UNDONE: "Account kept",
    Action.CLOSED: "Account closed",
    Action.TASK_REFUNDED: "Generation refunded",
    Action.TASK_CANCELLED: "Generation cancelled",
    Action.ACCOUNT_OPENED: "Account opened",
    Action.CARD_SAVED: "Card saved",
    Action.CARD_REMOVED: "Card removed",
    Action.BILLING_CHANGED: "Billing details changed",
    Action.TOPPED_UP: "Topped up by card",
    Action.PRICE_CHANGED: "Prices changed",
    Action.CATALOG_CHANGED: "Catalog changed",
    Action.PROVIDER_SWITCHED: "Provider switched",
    Action.INCIDENT_POSTED: "Posted an incident",
    Action.REDRIVEN: "Dead letters redriven",
    Action.SIGNED_IN: "Signed in",
    Action.SIGN_IN_REFUSED: "Sign-in refused",
    Action.FACTOR_CHANGED: "Second factor",
    Action.SESSION_ENDED: "Ended a session",
    Action.SIGNED_OUT_EVERYWHERE: "Signed out everywhere",
    Action.CHAT_KEY_CREATED: "Chat key created",
    Action.FILE_UPLOADED: "File uploaded",
    Action.FILE_DELETED: "File deleted",
    Action.TASK_FILES_DELETED: "Files of a generation deleted",
    Action.TASK_SHARED: "Generation shared",
    Action.TASK_UNSHARED: "Sharing of a generation ended",
    Action.RESPONSE_DELETED: "Stored response deleted",
    Action.CONVERSATION_DELETED: "Conversation deleted",
    Action.CONVERSATION_ITEM_DELETED: "Item of a conversation deleted",
    Action.BATCH_DELETED: "Batch deleted",
}

router = APIRouter(prefix="/audit")


@router.get("")
def show(
    services: Services,
    request: Request,
    visitor: SignedIn,
    before: str | None = None,
    log: Log = Log.CHANGES,
) -> Response:
    """Show one of the account's logs, newest first. Its first page includes payments."""
    found = services.api.audit.page(visitor.account_id, before, log)
    lines = [line_of(event) for event in found.rows]
    if before is None and log is Log.CHANGES:
        lines += _unnoted_credits(services, visitor.account_id, found)
        lines.sort(key=lambda line: str(line["at"]), reverse=True)
    return page(request, "audit.html", lines=lines, cursor=found.cursor, log=log)


def line_of(event: AuditEvent) -> dict[str, Any]:
    """Return a line as customers see it."""
    detail = detail_in_words(event.detail)
    return {
        "at": iso(event.at_ms),
        # Which of them it was is for operators.
        "actor": gettext(OPERATOR) if is_operators(event.actor) else event.actor,
        "what": WORDS[event.action],
        "subject": event.subject,
        "detail": detail,
        # Without a translation it is in English, or in the words of a person.
        "is_english": detail == event.detail,
    }


def _unnoted_credits(services: Services, account_id: str, found: Page[AuditEvent]) -> list[dict[str, Any]]:
    """Return credits in the page's time range that have no audit event, because older releases wrote none."""
    noted = {event.subject for event in found.rows if event.action in (Action.CREDITED, Action.TOPPED_UP)}
    # If there is an older page, it lists the credits before this page's last row.
    since = iso(found.rows[-1].at_ms) if found.cursor else ""
    paid = _credits(services, account_id)
    return [_payment(each) for each in paid if each["id"] not in noted and each["createdAt"] >= since]


def _credits(services: Services, account_id: str) -> list[EntryView]:
    return services.api.statement.page(account_id, {"kind": "credit"})["entries"]


def _payment(entry: EntryView) -> dict[str, Any]:
    return {
        "at": entry["createdAt"],
        "actor": "Stripe" if "reference" in entry else gettext("administrator"),
        "what": phrase("Credit added"),
        "subject": entry.get("reference") or entry.get("reason") or "",
        "detail": "",
        "is_english": False,
        "amount": entry["amountMicroUsd"],
    }
