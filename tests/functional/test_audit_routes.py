"""Whatever changes what an account may do is in its audit log: each route notes it, or says why not."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts

from admin.app import app as admin_app
from api.app import app as api_app
from dashboard.app import app as dashboard_app
from dashboard.pages.audit import WORDS
from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_budgets import FORM as BUDGET
from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite
from tests.functional.test_api import call
from tests.functional.test_audit_log import OPERATORS_ACTS, events, operator_console
from tests.functional.test_connector_routes import Client
from tests.functional.test_directory import OFF, connect
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import ORIGIN, Browser
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.account_closure.service import GIVE_UP
from tollgate.audit.events import EVERYBODY, Action, AuditEvent, Log
from tollgate.composition import api as api_parts
from tollgate.kit.money import micro_usd_of_cents

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
        assert found == NOTED.keys() | NOT_NOTED.keys()
        assert not NOTED.keys() & NOT_NOTED.keys()

    def test_each_act_has_its_words_on_the_page(self) -> None:
        assert WORDS.keys() == set(Action)


def noted(account_id: str) -> list[AuditEvent]:
    """Return the newest lines of both logs of an account, and of what is of none."""
    log = api_parts.api().audit
    return [*events(account_id), *log.page(account_id, log=Log.ACCESS).rows, *log.page(EVERYBODY).rows]


@dataclass
class Walk:
    """Takes routes, and keeps what each noted."""

    noted: dict[str, set[Action]] = field(default_factory=dict)

    def take(self, route: str, account_id: str, path: str, act: Callable[[str], Any]) -> Any:
        """Take one route at a path; the events of the account that are new then are its own."""
        template = route.split(" ")[1]
        assert re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path), (template, path)
        before = {event.event_id for event in noted(account_id)}
        answer = act(path)
        assert (answer[0] if isinstance(answer, tuple) else answer.status) == 200, (route, answer)
        new = {event.action for event in noted(account_id) if event.event_id not in before}
        assert new, f"{route} noted nothing"
        self.noted.setdefault(route, set()).update(new)
        return answer


@pytest.fixture
def now(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be now, as for what signs by the machine's clock; a page has more lines than a route writes."""
    clock.set_to_now()
    monkeypatch.setattr("tollgate.audit.repository.MAX_PAGE", 8)


@pytest.mark.usefixtures("now")
class TestTheRoutes:
    def test_each_writes_its_event(self, ada: Browser, clock: ManualClock) -> None:
        # The stored session of another moment may have ended by now.
        ada.sign_in("ada@example.com")
        ada.get("/members")
        walk, account_id = Walk(), account_of(ada)

        def page(route: str, path: str, form: Any = (), browser: Browser = ada) -> Any:
            whole = f"{browser.base}{path}"

            def post(at: str) -> Any:
                below = at.removeprefix(browser.base)
                if isinstance(form, tuple) and form:
                    return browser.send("POST", below, form[1], form[0])
                return browser.post(below, form)

            return walk.take(f"POST {browser.base}{route}", account_id, whole, post)

        self._keys_and_secrets(page, ada, account_id)
        self._members(page, ada)
        self._directory(walk, page, ada, account_id)
        self._operator(page, account_id, clock)
        self._api(walk, clock)
        self._sessions(page, ada, account_id, clock)
        page("/closing", "/closing", {"account": account_id, "balance": GIVE_UP})
        # Sessions of that very moment end with the others.
        clock.advance_ms(1)
        ada.sign_in("ada@example.com")
        page("/closing/undo", "/closing/undo")
        assert walk.noted == NOTED

    @staticmethod
    def _keys_and_secrets(page: Callable[..., Any], ada: Browser, account_id: str) -> None:
        form = {"name": "Shop", "scopes": ["media"]}
        page("/keys", "/keys", form)
        key_id = api_parts.api().keys.all(account_id)[0]["id"]
        page("/keys/{key_id}", f"/keys/{key_id}", {**form, "cap": "9", "per": "day", "days": "keep"})
        for what in ("rotate", "revoke"):
            page(f"/keys/{{key_id}}/{what}", f"/keys/{key_id}/{what}")
        product = Client()
        product.page(ada)
        code = product.code(ada, account_id)
        tokens = page("/oauth/token", "/oauth/token", product.redemption(code), browser=product.http)
        sent = {"token": json.loads(tokens.text)["access_token"], "client_id": product.client_id}
        page("/oauth/revoke", "/oauth/revoke", sent, browser=product.http)
        page("/keys/for-code", "/keys/for-code", {"name": "Z-Image"})
        key = next(key for key in api_parts.api().keys.all(account_id) if key["name"] == "Code of Z-Image")
        api_parts.api().keys.revoke(account_id, key["id"], None)
        page("/keys/policy", "/keys/policy", {"policy": "1", "prompt": "1000"})
        page("/keys/answers", "/keys/answers", {"complete": "1"})
        page("/projects", "/projects", {"name": "Site"})
        (project,) = api_parts.api().projects.all(account_id)
        page("/projects/{project_id}", f"/projects/{project['id']}", {"name": "Shop"})
        for what, added in {
            "keys": {"name": "Own"},
            "budgets": {"name": "b", "limit": "1", "per": "day"},
        }.items():
            page(f"/projects/{{project_id}}/{what}", f"/projects/{project['id']}/{what}", added)
        key = next(key for key in api_parts.api().keys.all(account_id) if key["name"] == "Own")
        revoke = f"/projects/{project['id']}/keys/{key['id']}/revoke"
        page("/projects/{project_id}/keys/{key_id}/revoke", revoke)
        (budget,) = api_parts.api().budgets.all(account_id)
        api_parts.api().budgets.delete(account_id, budget["id"], by=None)
        page("/projects/{project_id}/delete", f"/projects/{project['id']}/delete")
        api_parts.api().keys.create(account_id, {"name": "Agents", "scopes": ["media"]}, None)
        key = next(key for key in api_parts.api().keys.all(account_id) if key["name"] == "Agents")
        page("/tokens", "/tokens", {"key": key["id"], "limit": "1", "lifetime": "3600"})
        (token,) = api_parts.api().tokens.page(account_id, {})["tokens"]
        page("/tokens/{token_id}/revoke", f"/tokens/{token['id']}/revoke")
        api_parts.api().keys.revoke(account_id, key["id"], None)
        page("/budgets", "/budgets", BUDGET)
        (budget,) = api_parts.api().budgets.all(account_id)
        page("/budgets/{budget_id}", f"/budgets/{budget['id']}", {**BUDGET, "limit": "2"})
        page("/budgets/{budget_id}/delete", f"/budgets/{budget['id']}/delete")
        page("/webhooks/secret/rotate", "/webhooks/secret/rotate")
        page("/exports/{what}", "/exports/requestWebhook", {"requestWebhook": "https://example.com/hook"})
        page("/top-up/low-balance", "/top-up/low-balance", {"threshold": "10"})
        page("/top-up/billing", "/top-up/billing", {"company": "Lighthouse GmbH"})
        api_parts.api().low_balance.save_customer(account_id, "cus_1")
        page("/top-up/card/remove", "/top-up/card/remove")

    @staticmethod
    def _members(page: Callable[..., Any], ada: Browser) -> None:
        page("/members/invitations", "/members/invitations", {"email": "eve@example.com", "role": "viewer"})
        for what in ("again", "revoke"):
            (open_now,) = re.findall(rf"/members/invitations/(inv_\w+)/{what}", ada.get("/members").text)
            page(f"/members/invitations/{{invitation_id}}/{what}", f"/members/invitations/{open_now}/{what}")
        bob = Browser()
        bob.sign_in("bob@example.com")
        bob.get(invite(ada, "bob@example.com", "developer"))
        page("/join", "/join", browser=bob)
        dan = Browser()
        dan.sign_in("dan@example.com")
        dan.get("")
        ada.get("/members")
        invite(ada, "dan@example.com", "viewer")
        (offered,) = re.findall(r"hx-vals='(\{[^']*inv_[^']*\})'", dan.get("").text)
        page("/join/own", "/join/own", json.loads(offered), browser=dan)
        page("/members/role", "/members/role", {"member": identity("bob@example.com"), "role": "viewer"})
        project = api_parts.api().projects.create(account_of(ada), {"name": "Team"}, by=None)["id"]
        sent = {"member": identity("bob@example.com"), "role": "manager"}
        page("/projects/{project_id}/members", f"/projects/{project}/members", sent)
        page("/members/mails", "/members/mails", {})
        page("/members/remove", "/members/remove", {"member": identity("bob@example.com")})
        dan.get("")
        page("/members/leave", "/members/leave", browser=dan)

    @staticmethod
    def _directory(walk: Walk, page: Callable[..., Any], ada: Browser, account_id: str) -> None:
        directory = connect(ada)
        user_id = directory.add("dan@example.com")
        user = f"{S}/Users/{user_id}"
        for route, path, body in (
            (f"POST {S}/Users", f"{S}/Users", {"userName": "eli@example.com"}),
            (f"PUT {S}/Users/{{user_id}}", user, {"userName": "dan@example.com", "displayName": "Dan"}),
            (f"PATCH {S}/Users/{{user_id}}", user, OFF),
            (f"DELETE {S}/Users/{{user_id}}", user, None),
        ):
            ask = partial(directory.succeeds, route.partition(" ")[0], body=body)
            walk.take(route, account_id, path, lambda at, ask=ask: (ask(at.removeprefix(S)), None))  # type: ignore[misc]
        page("/members/directory", "/members/directory", {"role": "viewer"})
        page("/members/directory/revoke", "/members/directory/revoke")

    @staticmethod
    def _operator(page: Callable[..., Any], account_id: str, clock: ManualClock) -> None:
        console = operator_console()
        for form in OPERATORS_ACTS:
            page("/accounts/{account_id}", f"/accounts/{account_id}", form, browser=console)
        body = {"model": PAID_IMAGE, **with_prompt("a boat")}
        task_id = str(create_task(account_id, body)["taskId"])
        run_to_end(task_id, clock)
        for what in ("share", "unshare"):
            page(f"/tasks/{{task_id}}/{what}", f"/tasks/{task_id}/{what}")
        page("/tasks/delete", "/tasks/delete", {"task": task_id})
        page("/tasks/{task_id}/refund", f"/tasks/{task_id}/refund", {"reason": "blurred"}, browser=console)
        other = str(create_task(account_id, body)["taskId"])
        page("/tasks/{task_id}/cancel", f"/tasks/{other}/cancel", browser=console)
        run_to_end(other, clock)
        page("/subaccounts", "/subaccounts", {"name": "Acme"})
        accounts = api_parts.api().subaccounts
        (child,) = accounts.page(account_id, {})["subaccounts"]
        route, moved = "/subaccounts/{subaccount_id}/credit", {"amount": "0.01", "once": "form_1"}
        page(route, f"/subaccounts/{child['id']}/credit", moved)
        # A parent of an open sub-account cannot be closed.
        accounts.close(account_id, child["id"], by=None)
        page("/work/redrive", "/work/redrive", {"work": "tasks"}, browser=console)
        off = {"provider": "fal", "disabled": "true", "reason": "slow"}
        page("/providers", "/providers", off, browser=console)
        incident = {"title": "Late", "impact": "down", "phase": "identified", "words": "A", "part-api": "1"}
        page("/incidents", "/incidents", incident, browser=console)
        # There is no document of its own yet.
        prices = {"price-default": "0.05", "version": ""}
        page("/models/{model_id}", f"/models/{PAID_IMAGE}", prices, browser=console)

    @staticmethod
    def _sessions(page: Callable[..., Any], ada: Browser, account_id: str, clock: ManualClock) -> None:
        ada.get("")
        page("/chat/key", "/chat/key")
        body = json.dumps({"contentType": "image/png", "bytes": 5})
        headers = {"content-type": "application/json", "origin": ORIGIN, "x-csrf-token": ada.csrf}
        page("/playground/files", "/playground/files", (body, headers))
        page("/accounts", "/accounts", {"account": account_id})
        ada.get("")
        other = Browser()
        other.sign_in("ada@example.com")
        handle = re.findall(r'name="session" value="(\w+)"', ada.get("/settings").text)[0]
        page("/settings/sessions/end", "/settings/sessions/end", {"session": handle})
        page("/sign-out/everywhere", "/sign-out/everywhere")
        # Sessions of that very moment end with the others.
        clock.advance_ms(1)
        ada.get("/sign-in")
        page("/sign-in/development/email", "/sign-in/development/email", {"email": "ada@example.com"})
        # Its pages have the token of the new session.
        ada.get("")
        made = api_parts.api().keys.create(account_id, {"name": "Key", "scopes": ["account"]}, None)
        other = Browser()
        other.get("/sign-in")
        page("/sign-in/development/key", "/sign-in/development/key", {"key": made["key"]}, browser=other)
        # Closing the account would revoke it.
        api_parts.api().keys.revoke(account_id, made["id"], None)

    @staticmethod
    def _api(walk: Walk, clock: ManualClock) -> None:
        opened = api_parts.api().accounts.open(micro_usd_of_cents(100))

        def ask(route: str, path: str, body: Any = None) -> Any:
            method, headers = route.split(" ", maxsplit=1)[0], {"idempotency-key": "1"}
            return walk.take(
                route, opened.account_id, path, lambda at: call(method, at, opened.api_key, body, headers)
            )

        _, made, _ = ask(f"POST {R}/keys", f"{R}/keys", {"name": "Made"})
        key = f"{R}/keys/{made['data']['id']}"
        ask(f"PATCH {R}/keys/{{key_id}}", key, {"name": "Renamed"})
        ask(f"POST {R}/keys/{{key_id}}/rotate", f"{key}/rotate", {"overlapS": 0})
        ask(f"DELETE {R}/keys/{{key_id}}", key)
        ask(f"PUT {R}/routing", f"{R}/routing", {"ignore": ["openrouter"]})
        budget = {"name": "Users", "scope": "user", "limitCents": 1, "per": "day"}
        _, made, _ = ask(f"POST {R}/budgets", f"{R}/budgets", budget)
        made_at = f"{R}/budgets/{made['data']['id']}"
        ask(f"PATCH {R}/budgets/{{budget_id}}", made_at, {"limitCents": 2})
        ask(f"DELETE {R}/budgets/{{budget_id}}", made_at)
        _, made, _ = ask(f"POST {R}/projects", f"{R}/projects", {"name": "Website"})
        made_at = f"{R}/projects/{made['data']['id']}"
        ask(f"PATCH {R}/projects/{{project_id}}", made_at, {"name": "Site"})
        ask(f"DELETE {R}/projects/{{project_id}}", made_at)
        _, made, _ = ask(f"POST {R}/subaccounts", f"{R}/subaccounts", {"name": "Acme"})
        made_at = f"{R}/subaccounts/{made['data']['id']}"
        ask(f"PATCH {R}/subaccounts/{{subaccount_id}}", made_at, {"name": "Shop"})
        ask(f"POST {R}/subaccounts/{{subaccount_id}}/credit", f"{made_at}/credit", {"amountCents": 1})
        ask(f"DELETE {R}/subaccounts/{{subaccount_id}}", made_at)
        settings = f"PATCH {R}/exports/settings"
        ask(settings, settings.split(" ")[1], {"requestWebhook": "https://example.com/hook"})
        _, made, _ = ask(f"POST {R}/tokens", f"{R}/tokens", {"maxCostCents": 1})
        ask(f"DELETE {R}/tokens/{{token_id}}", f"{R}/tokens/{made['data']['id']}")
        _, granted, _ = ask(f"POST {R}/files", f"{R}/files", {"contentType": "image/png", "bytes": 5})
        ask(f"DELETE {R}/files/{{file_id}}", f"{R}/files/{granted['data']['id']}")
        for route in (f"DELETE {R}/task/files/{{task_id}}", f"DELETE {R}/videos/{{video_id}}"):
            body = {"model": "seedance-1.5-pro", **with_prompt("a boat")}
            run_to_end(task_id := create_task(opened.account_id, body)["taskId"], clock)
            ask(route, re.sub(r"\{\w+\}", task_id, route.split(" ")[1]))
        secret = f"{R}/webhooks/secret/rotate"
        ask(f"POST {secret}", secret)
        (event,) = [one for one in events(opened.account_id) if one.action is Action.WEBHOOK_SECRET_ROTATED]
        assert event.actor.startswith("key key_")
        secrets = api_parts.api().webhooks.secrets(opened.account_id)["secrets"]
        assert not any(secret["secret"] in str(event.to_item()) for secret in secrets)
