"""Whatever changes what an account may do is in its audit log: each route notes it, or says why not."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_budgets import FORM as BUDGET
from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite
from tests.functional.test_api import call
from tests.functional.test_audit_log import OPERATORS_ACTS, events, operator_console
from tests.functional.test_audit_table import NOTED, R, S
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
