"""The audit log: who changed what of the account, and what was put on it."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.render import page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.audit.events import OPERATOR, Action
from tollgate.kit.clock import iso
from tollgate.ledger.entries import EntryView

WORDS = {
    Action.KEY_CREATED: "API key created",
    Action.KEY_CHANGED: "API key changed",
    Action.KEY_ROTATED: "API key rotated",
    Action.KEY_REVOKED: "API key revoked",
    Action.CAP_REACHED: "Spending cap nearly used up",
    Action.KEY_EXPIRING: "API key expires soon",
    Action.KEY_EXPIRED: "API key expired",
    Action.WEBHOOK_FAILING: "Webhook deliveries failing",
    Action.STATEMENT_READY: "Statement ready",
    Action.WEBHOOK_SECRET_ROTATED: "Webhook secret rotated",
    Action.LOW_BALANCE_CHANGED: "Low balance settings changed",
    Action.MEMBER_INVITED: "Member invited",
    Action.INVITATION_REVOKED: "Invitation revoked",
    Action.MEMBER_JOINED: "Invitation accepted",
    Action.MEMBER_CHANGED: "Member's role changed",
    Action.MEMBER_REMOVED: "Member removed",
    Action.MAILS_CHOSEN: "Notifications changed",
    Action.MEMBER_LEFT: "Member left",
    Action.SUSPENDED: "Account suspended",
    Action.RESUMED: "Account resumed",
    Action.CREDITED: "Credit by hand",
    Action.DEBITED: "Debit by hand",
    Action.LIMITED: "Limits set",
    Action.CLOSING_REQUESTED: "Account's end requested",
    Action.CLOSING_UNDONE: "Account kept",
    Action.CLOSED: "Account closed",
    Action.TASK_REFUNDED: "Generation refunded",
}

router = APIRouter(prefix="/audit")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, before: str = "") -> Response:
    """Show what was changed, the newest first; the first page has the newest payments among it."""
    api = services.api
    found = api.audit.page(visitor.account_id, before or None)
    lines: list[dict[str, Any]] = [
        {
            "at": iso(event.at_ms),
            # Which of them it was is for operators.
            "actor": OPERATOR if event.actor.startswith(OPERATOR) else event.actor,
            "what": WORDS[event.action],
            "subject": event.subject,
            "detail": event.detail,
        }
        for event in found.rows
    ]
    if not before:
        # Credits by hand are noted themselves; older ones stand in the ledger alone.
        noted = {event.subject for event in found.rows if event.action is Action.CREDITED}
        paid = _credits(services, visitor.account_id)
        lines += [_payment(entry) for entry in paid if entry["id"] not in noted]
    lines.sort(key=lambda line: str(line["at"]), reverse=True)
    return page(request, "audit.html", lines=lines, cursor=found.cursor)


def _credits(services: Services, account_id: str) -> list[EntryView]:
    return services.api.statement.page(account_id, {"kind": "credit"})["entries"]


def _payment(entry: EntryView) -> dict[str, Any]:
    return {
        "at": entry["createdAt"],
        "actor": "Stripe" if "reference" in entry else "administrator",
        "what": "Credit added",
        "subject": entry.get("reference") or entry.get("reason") or "",
        "detail": "",
        "amount": entry["amountMicroUsd"],
    }
