"""Each route that changes something notes it in the audit log or says why not, and each act has its words."""

from collections.abc import Iterator

from fastapi.routing import iter_route_contexts

from admin.app import app as admin_app
from api.app import app as api_app
from dashboard.app import app as dashboard_app
from dashboard.pages.audit import WORDS
from tollgate.audit.events import Action

D, A, R, S = "/dashboard", "/admin", "/api/v1", "/scim/v2"

NOTED = {
    f"POST {D}/keys": {Action.KEY_CREATED},
    f"POST {D}/keys/{{key_id}}": {Action.KEY_CHANGED},
    f"POST {D}/keys/for-code": {Action.KEY_CREATED},
    f"POST {D}/keys/answers": {Action.ANSWERS_CHOSEN},
    f"POST {D}/keys/policy": {Action.ROUTING_CHANGED},
    f"POST {D}/keys/{{key_id}}/rotate": {Action.KEY_ROTATED},
    f"POST {D}/keys/{{key_id}}/revoke": {Action.KEY_REVOKED},
    f"POST {D}/webhooks/secret/rotate": {Action.WEBHOOK_SECRET_ROTATED},
    f"POST {D}/top-up/low-balance": {Action.LOW_BALANCE_CHANGED},
    f"POST {D}/top-up/billing": {Action.BILLING_CHANGED},
    f"POST {D}/top-up/card/remove": {Action.CARD_REMOVED},
    f"POST {D}/members/invitations": {Action.MEMBER_INVITED},
    f"POST {D}/members/invitations/{{invitation_id}}/again": {Action.MEMBER_INVITED},
    f"POST {D}/members/invitations/{{invitation_id}}/revoke": {Action.INVITATION_REVOKED},
    f"POST {D}/join": {Action.MEMBER_JOINED, Action.SIGNED_IN},
    f"POST {D}/join/own": {Action.MEMBER_JOINED, Action.SIGNED_IN},
    f"POST {D}/members/role": {Action.MEMBER_CHANGED},
    f"POST {D}/members/mails": {Action.MAILS_CHOSEN},
    f"POST {D}/members/remove": {Action.MEMBER_REMOVED},
    f"POST {D}/members/leave": {Action.MEMBER_LEFT},
    f"POST {D}/members/directory": {Action.DIRECTORY_CHANGED},
    f"POST {D}/members/directory/revoke": {Action.DIRECTORY_CHANGED},
    f"POST {S}/Users": {Action.MEMBER_PROVISIONED},
    f"PUT {S}/Users/{{user_id}}": {Action.MEMBER_PROVISIONED},
    f"PATCH {S}/Users/{{user_id}}": {Action.MEMBER_DEPROVISIONED},
    f"DELETE {S}/Users/{{user_id}}": {Action.MEMBER_DEPROVISIONED},
    f"POST {D}/closing": {Action.CLOSING_REQUESTED},
    f"POST {D}/closing/undo": {Action.CLOSING_UNDONE},
    f"POST {D}/tokens": {Action.TOKEN_CREATED},
    f"POST {D}/tokens/{{token_id}}/revoke": {Action.TOKEN_REVOKED},
    f"POST {D}/projects": {Action.PROJECT_CREATED},
    f"POST {D}/projects/{{project_id}}": {Action.PROJECT_CHANGED},
    f"POST {D}/projects/{{project_id}}/delete": {Action.PROJECT_DELETED},
    f"POST {D}/projects/{{project_id}}/keys": {Action.KEY_CREATED},
    f"POST {D}/projects/{{project_id}}/keys/{{key_id}}/revoke": {Action.KEY_REVOKED},
    f"POST {D}/projects/{{project_id}}/budgets": {Action.BUDGET_CREATED},
    f"POST {D}/projects/{{project_id}}/members": {Action.MEMBER_CHANGED},
    f"POST {D}/subaccounts": {Action.SUBACCOUNT_CREATED},
    f"POST {D}/subaccounts/{{subaccount_id}}/credit": {Action.SUBACCOUNT_CREDITED},
    f"POST {R}/subaccounts": {Action.SUBACCOUNT_CREATED},
    f"PATCH {R}/subaccounts/{{subaccount_id}}": {Action.SUBACCOUNT_CHANGED},
    f"DELETE {R}/subaccounts/{{subaccount_id}}": {Action.SUBACCOUNT_CLOSED},
    f"POST {R}/subaccounts/{{subaccount_id}}/credit": {Action.SUBACCOUNT_CREDITED},
    f"POST {D}/budgets": {Action.BUDGET_CREATED},
    f"POST {D}/budgets/{{budget_id}}": {Action.BUDGET_CHANGED},
    f"POST {D}/budgets/{{budget_id}}/delete": {Action.BUDGET_DELETED},
    f"POST {D}/exports/{{what}}": {Action.EXPORTS_CHANGED},
    f"PATCH {R}/exports/settings": {Action.EXPORTS_CHANGED},
    f"POST {R}/keys": {Action.KEY_CREATED},
    f"PATCH {R}/keys/{{key_id}}": {Action.KEY_CHANGED},
    f"POST {R}/keys/{{key_id}}/rotate": {Action.KEY_ROTATED},
    f"DELETE {R}/keys/{{key_id}}": {Action.KEY_REVOKED},
    f"PUT {R}/routing": {Action.ROUTING_CHANGED},
    f"POST {R}/budgets": {Action.BUDGET_CREATED},
    f"PATCH {R}/budgets/{{budget_id}}": {Action.BUDGET_CHANGED},
    f"DELETE {R}/budgets/{{budget_id}}": {Action.BUDGET_DELETED},
    f"POST {R}/projects": {Action.PROJECT_CREATED},
    f"PATCH {R}/projects/{{project_id}}": {Action.PROJECT_CHANGED},
    f"DELETE {R}/projects/{{project_id}}": {Action.PROJECT_DELETED},
    f"POST {R}/tokens": {Action.TOKEN_CREATED},
    f"DELETE {R}/tokens/{{token_id}}": {Action.TOKEN_REVOKED},
    f"POST {R}/webhooks/secret/rotate": {Action.WEBHOOK_SECRET_ROTATED},
    "POST /oauth/token": {Action.KEY_CREATED},
    "POST /oauth/revoke": {Action.KEY_REVOKED},
    f"POST {A}/accounts/{{account_id}}": {
        Action.CREDITED, Action.DEBITED, Action.SUSPENDED, Action.RESUMED,
    },
    f"POST {A}/tasks/{{task_id}}/refund": {Action.TASK_REFUNDED},
    f"POST {A}/tasks/{{task_id}}/cancel": {Action.TASK_CANCELLED},
    f"POST {A}/work/redrive": {Action.REDRIVEN},
    f"POST {A}/providers": {Action.PROVIDER_SWITCHED},
    f"POST {A}/incidents": {Action.INCIDENT_POSTED},
    f"POST {A}/models/{{model_id}}": {Action.PRICE_CHANGED},
    f"POST {R}/files": {Action.FILE_UPLOADED},
    f"DELETE {R}/files/{{file_id}}": {Action.FILE_DELETED},
    f"DELETE {R}/task/files/{{task_id}}": {Action.TASK_FILES_DELETED},
    f"DELETE {R}/videos/{{video_id}}": {Action.TASK_FILES_DELETED},
    f"POST {D}/playground/files": {Action.FILE_UPLOADED},
    f"POST {D}/tasks/{{task_id}}/share": {Action.TASK_SHARED},
    f"POST {D}/tasks/{{task_id}}/unshare": {Action.TASK_UNSHARED},
    f"POST {D}/tasks/delete": {Action.TASK_FILES_DELETED},
    f"POST {D}/chat/key": {Action.CHAT_KEY_CREATED},
    f"POST {D}/accounts": {Action.SIGNED_IN},
    f"POST {D}/sign-in/development/email": {Action.SIGNED_IN},
    f"POST {D}/sign-in/development/key": {Action.SIGNED_IN},
    f"POST {D}/settings/sessions/end": {Action.SESSION_ENDED},
    f"POST {D}/sign-out/everywhere": {Action.SIGNED_OUT_EVERYWHERE},
}  # fmt: skip
"""What each route notes."""

WORK = "ordinary work of the account: the ledger, the activity and the task's own row have it"
ASKS = "changes nothing that is kept"
NOT_NOTED = {
    f"POST {R}/generation/estimate": ASKS,
    f"POST {R}/generation/create": WORK,
    f"POST {R}/task/cancel/{{task_id}}": WORK,
    f"POST {R}/quotes": ASKS,
    f"POST {R}/quotes/{{quote_id}}/create": WORK,
    f"POST {R}/quotes/{{quote_id}}/cancel": WORK,
    f"POST {R}/workflows/estimate": ASKS,
    f"POST {R}/workflows": WORK,
    f"POST {R}/workflows/{{workflow_id}}/cancel": WORK,
    f"DELETE {R}/requests/{{request_id}}": WORK,
    f"POST {R}/videos": WORK,
    f"POST {R}/videos/{{video_id}}/remix": WORK,
    f"POST {R}/images/generations": WORK,
    f"POST {R}/images/edits": WORK,
    f"POST {R}/webhooks/deliveries/{{delivery_id}}/redeliver": WORK,
    f"POST {R}/webhooks/test": WORK,
    f"POST {R}/callbacks/{{provider}}/{{token}}": "a provider's hint; it leads to a look, whatever it says",
    f"POST {R}/payments/stripe": "Stripe's event; the ledger has the payment, and the audit page shows it",
    f"POST {D}/connect": "a promise for two minutes; the key that comes of it is the route /oauth/token",
    "POST /oauth/register": ASKS,
    **{f"POST {S}/{path}": ASKS for path in ("Bulk", ".search", "Users/.search")},
    f"POST {D}/top-up": "goes to Stripe's page; what is paid there is the route above",
    f"POST {D}/settings": "a person's own settings; they give no access",
    f"POST {D}/settings/second-factor": "noted if the user pool takes the code (test_dashboard_settings.py)",
    f"POST {D}/settings/second-factor/begin": "goes to the hosted sign-in; what follows is noted",
    f"POST {D}/sign-out": "the end of one session, in the browser that it was begun in",
    f"POST {D}/chat/code": ASKS,
    f"POST {D}/playground/tasks/{{task_id}}/cancel": WORK,
    f"POST {D}/playground/tasks/{{task_id}}/again": WORK,
    f"POST {D}/playground/{{model_id}}/estimate": ASKS,
    f"POST {D}/playground/{{model_id}}/run": WORK,
    **{f"POST {D}/webhooks/{path}": WORK for path in ("deliveries/{delivery_id}/redeliver", "test")},
    **{f"POST {D}/{path}/cancel": WORK for path in ("workflows/{workflow_id}", "batches/{batch_id}")},
    f"POST {A}/work/proof": ASKS,
    f"POST {A}/models/{{model_id}}/preview": ASKS,
}
"""Why a route notes nothing."""


def changing() -> Iterator[str]:
    """Return every route that may change something, as method and path."""
    for app in (api_app, dashboard_app, admin_app):
        for route in iter_route_contexts(app.routes):
            for method in getattr(route, "methods", None) or ():
                if method not in ("GET", "HEAD"):
                    yield f"{method} {route.path}"


class TestTheTable:
    def test_each_route_that_changes_something_is_noted_or_says_why_not(self) -> None:
        found = set(changing())
        assert len(found) > len(NOTED)
        assert sorted(found - NOTED.keys() - NOT_NOTED.keys()) == [], (
            "add a row of each to NOTED or NOT_NOTED"
        )
        assert NOTED.keys() | NOT_NOTED.keys() <= found
        assert not NOTED.keys() & NOT_NOTED.keys()

    def test_each_act_has_its_words_on_the_page(self) -> None:
        assert sorted(set(Action) - WORDS.keys()) == [], (
            "add words for each to WORDS (dashboard/pages/audit.py)"
        )
