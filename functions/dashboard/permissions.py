"""The permissions of each role: one row for each route of the pages. Only owners may use other routes.

Rows are named by method and path below `/dashboard`, as the templates use them: `may("POST /keys")`.
"""

from fastapi import Request

from dashboard.security import SignInNeededError, is_public, path_of, role_of
from tollgate.kit.errors import ForbiddenError
from tollgate.members.roles import SPENDERS, Role

PREFIX = "/dashboard"

ANYBODY: frozenset[Role] | None = None
"""Includes visitors who are not signed in."""
OWNERS = frozenset({Role.OWNER})
MEMBERS = frozenset(Role)
PAYERS = OWNERS | {Role.BILLING}
# Roles that may see keys, webhooks and their logs. Secrets are shown once, to their creator.
TECHNICAL = SPENDERS | {Role.VIEWER}
# Of money.
FINANCIAL = PAYERS | {Role.VIEWER}

ROLES: dict[str, frozenset[Role] | None] = {
    "GET /sign-in": ANYBODY,
    "GET /sign-in/begin": ANYBODY,
    "GET /sign-in/callback": ANYBODY,
    "POST /sign-in/development/email": ANYBODY,
    "POST /sign-in/development/key": ANYBODY,
    "POST /sign-out": ANYBODY,
    "POST /sign-out/everywhere": MEMBERS,
    "GET /settings": MEMBERS,
    "POST /settings": MEMBERS,
    "POST /settings/sessions/end": MEMBERS,
    "GET /settings/second-factor": MEMBERS,
    "POST /settings/second-factor/begin": MEMBERS,
    "POST /settings/second-factor": MEMBERS,
    "GET /catalog": ANYBODY,
    "GET /catalog/compare": ANYBODY,
    "GET /catalog/{model_id}": ANYBODY,
    "GET /models": ANYBODY,
    "GET /models/{model_id}": ANYBODY,
    "GET /models/{model_id}/price": ANYBODY,
    "GET /join": ANYBODY,
    "POST /join": MEMBERS,
    "POST /join/own": MEMBERS,
    "POST /accounts": MEMBERS,
    "GET ": MEMBERS,
    "GET /balance": MEMBERS,
    "GET /palette": MEMBERS,
    "GET /activity": MEMBERS,
    "GET /activity.csv": MEMBERS,
    "GET /requests/{request_id}": MEMBERS,
    "GET /tasks": MEMBERS,
    "GET /tasks/{task_id}": MEMBERS,
    "GET /tasks/{task_id}/card": MEMBERS,
    # The link is the permission.
    "GET /shared/{share_id}": ANYBODY,
    "POST /tasks/delete": SPENDERS,
    "POST /tasks/{task_id}/share": SPENDERS,
    "POST /tasks/{task_id}/unshare": SPENDERS,
    "GET /workflows": MEMBERS,
    "GET /workflows/{workflow_id}": MEMBERS,
    "POST /workflows/{workflow_id}/cancel": SPENDERS,
    "GET /batches": MEMBERS,
    "GET /batches/{batch_id}": MEMBERS,
    "GET /batches/{batch_id}/files/{name}": MEMBERS,
    "POST /batches/{batch_id}/cancel": SPENDERS,
    "GET /audit": MEMBERS,
    "GET /members": MEMBERS,
    "POST /members/leave": MEMBERS,
    "POST /members/mails": MEMBERS,
    "POST /members/invitations": OWNERS,
    "POST /members/invitations/{invitation_id}/again": OWNERS,
    "POST /members/invitations/{invitation_id}/revoke": OWNERS,
    "POST /members/role": OWNERS,
    "POST /members/directory": OWNERS,
    "POST /members/directory/revoke": OWNERS,
    "POST /members/remove": OWNERS,
    "GET /closing": OWNERS,
    "POST /closing": OWNERS,
    "POST /closing/undo": OWNERS,
    "GET /keys": TECHNICAL,
    "GET /keys/{key_id}": SPENDERS,
    "GET /keys/{key_id}/first-request": SPENDERS,
    "POST /keys": SPENDERS,
    "POST /keys/for-code": SPENDERS,
    "POST /keys/answers": OWNERS,
    "POST /keys/policy": OWNERS,
    "POST /keys/{key_id}": SPENDERS,
    "POST /keys/{key_id}/rotate": SPENDERS,
    "POST /keys/{key_id}/revoke": SPENDERS,
    "GET /tokens": TECHNICAL,
    "POST /tokens": SPENDERS,
    "POST /tokens/{token_id}/revoke": SPENDERS,
    "GET /projects": MEMBERS,
    "GET /projects/{project_id}": MEMBERS,
    "POST /projects": SPENDERS,
    "POST /projects/{project_id}": SPENDERS,
    "POST /projects/{project_id}/delete": SPENDERS,
    # The role in the project decides.
    "POST /projects/{project_id}/keys": MEMBERS,
    "POST /projects/{project_id}/keys/{key_id}/revoke": MEMBERS,
    "POST /projects/{project_id}/budgets": MEMBERS,
    "POST /projects/{project_id}/members": OWNERS,
    "GET /subaccounts": MEMBERS,
    # They move money out of the account.
    "POST /subaccounts": OWNERS,
    "POST /subaccounts/{subaccount_id}/credit": OWNERS,
    # The account, in which the person must be a spender, is chosen on the page.
    "GET /connect": MEMBERS,
    "POST /connect": MEMBERS,
    "GET /budgets": MEMBERS,
    "POST /budgets": SPENDERS,
    "POST /budgets/{budget_id}": SPENDERS,
    "POST /budgets/{budget_id}/delete": SPENDERS,
    "GET /playground": SPENDERS,
    "GET /playground/models": SPENDERS,
    "GET /playground/history": SPENDERS,
    "GET /playground/{model_id}": SPENDERS,
    "GET /playground/tasks/{task_id}": SPENDERS,
    "POST /playground/files": SPENDERS,
    "POST /playground/tasks/{task_id}/cancel": SPENDERS,
    "POST /playground/tasks/{task_id}/again": SPENDERS,
    # A visitor sees the published price.
    "POST /playground/{model_id}/estimate": ANYBODY,
    "POST /playground/{model_id}/run": SPENDERS,
    "GET /chat": SPENDERS,
    "POST /chat/code": SPENDERS,
    "POST /chat/key": SPENDERS,
    "GET /webhooks": TECHNICAL,
    "GET /webhooks/deliveries/{delivery_id}": TECHNICAL,
    "POST /webhooks/deliveries/{delivery_id}/redeliver": SPENDERS,
    "POST /webhooks/test": SPENDERS,
    "POST /webhooks/secret/rotate": SPENDERS,
    "GET /exports": TECHNICAL,
    "POST /exports/{what}": OWNERS,
    "GET /top-up": FINANCIAL,
    "POST /top-up": PAYERS,
    "POST /top-up/low-balance": PAYERS,
    "POST /top-up/billing": PAYERS,
    "GET /top-up/card": PAYERS,
    "POST /top-up/card/remove": PAYERS,
    "GET /top-up/invoices/{entry_id}": PAYERS,
    "GET /top-up/receipts/{entry_id}": PAYERS,
    "GET /top-up/receipt": FINANCIAL,
    "GET /statements": FINANCIAL,
    "GET /statements.csv": FINANCIAL,
}


# Changes that remain possible while the account is being closed.
WHILE_CLOSING = {
    "POST /closing/undo",
    "POST /accounts",
    "POST /join",
    "POST /join/own",
    # For another account of the person.
    "POST /connect",
    "POST /members/leave",
    "POST /sign-out/everywhere",
    "POST /settings",
    "POST /settings/sessions/end",
    "POST /settings/second-factor",
    "POST /settings/second-factor/begin",
}


def row_of(method: str, path: str) -> str:
    """Return the name of a route's row, by its path with the names of its parameters."""
    return f"{method} {path.removeprefix(PREFIX)}"


def may(role: Role | None, row: str) -> bool:
    """Return whether a role may use a route. A visitor who is not signed in has no role."""
    allowed = ROLES.get(row, OWNERS)
    return allowed is None or role in allowed


def permitted(request: Request) -> None:
    """Pass a request on to its route if its sender's role may use it.

    Raises `SignInNeededError` if the sender is not signed in or no longer a member, and `ForbiddenError`.
    """
    if is_public(path_of(request)):
        return
    row = row_of(request.method, request.scope["route"].path)
    role = role_of(request) if "identity_id" in request.session else None
    if may(role, row):
        _check_open(request, row)
        return
    if role is None:
        raise SignInNeededError
    message = f"Your role in this account, {role}, does not include this."
    raise ForbiddenError(message, "Ask an owner of the account.")


def _check_open(request: Request, row: str) -> None:
    """Raise `ForbiddenError` for a change of an account that is being closed."""
    is_change = row.startswith("POST") and ROLES.get(row, OWNERS) is not ANYBODY
    if is_change and row not in WHILE_CLOSING and getattr(request.state, "closing", None) is not None:
        message = "This account is being closed, so nothing of it can be changed."
        raise ForbiddenError(message, "Ask an owner to keep the account open.")
