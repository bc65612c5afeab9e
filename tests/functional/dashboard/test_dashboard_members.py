"""Members of an account: roles decide about every route, and an invitation is for one address, once."""

import html
import re
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from fastapi.routing import iter_route_contexts
from moto.ses.models import ses_backends
from starlette.routing import Mount

from dashboard import permissions
from dashboard.app import app
from dashboard.permissions import ROLES, may, row_of
from dashboard.security import is_public
from tests.functional.test_api import call
from tests.functional.test_audit_log import events
from tests.support.clock import ManualClock
from tests.support.dashboard import Answer, Browser
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.members.recipients import Recipients
from tollgate.members.roles import Role
from tollgate.members.service import Actor
from tollgate.members.team import TeamError

OF_THEIR_OWN = "/sign-out/everywhere /join /join/own /connect /accounts /members/leave /members/mails"
SETTINGS = "/settings /settings/sessions/end /settings/second-factor /settings/second-factor/begin"
IN_PROJECT = "{0}/keys {0}/keys/{{key_id}}/revoke {0}/budgets".format("/projects/{project_id}")
FORM = {"name": "Shop", "scopes": ["media"]}


def account_of(browser: Browser) -> str:
    """Return the account that a browser looks at."""
    return browser.get("").attribute("data-account")


def invite(owner: Browser, email: str = "bob@example.com", role: str = "developer") -> str:
    """Invite an address; return the end of the link below `/dashboard`."""
    answer = owner.post("/members/invitations", {"email": email, "role": role})
    assert answer.status == 200, answer.text
    found = re.search(r"/dashboard(/join\?invitation=[^<\s]+)", answer.text)
    assert found is not None, answer.text
    return html.unescape(found[1])


def member(owner: Browser, role: str, email: str = "bob@example.com") -> Browser:
    """Return the browser of somebody who accepted an invitation, in the account that it is of."""
    browser = Browser()
    browser.sign_in(email)
    browser.get(invite(owner, email, role))
    answer = browser.post("/join")
    assert answer.headers["hx-redirect"].endswith("/dashboard"), answer.text
    browser.get("")
    return browser


def key_in(answer: Answer) -> str:
    """Return the key that a page shows this once."""
    found = re.search(r"tg_live_\w{26}_\w+", answer.text)
    assert found is not None, answer.text
    return found[0]


def identity(email: str) -> str:
    return f"development#{email}"


def routes() -> list[tuple[str, str]]:
    """Return every route of the pages as method and path."""
    found = []
    for route in iter_route_contexts(app.routes):
        if isinstance(route.original_route, Mount):
            assert str(route.path).endswith("/static/{version}"), "style, scripts and icons alone"
            continue
        found += [(method, str(route.path)) for method in route.methods or () if method != "HEAD"]
    assert len(found) > len(ROLES), "all of them, not those of one file"
    return found


class TestTheTable:
    def test_every_route_of_the_function_has_a_row_and_every_row_a_route(self) -> None:
        known = {row_of(*route) for route in routes() if not is_public(route[1])}
        assert known ^ set(ROLES) == set(), "functions/dashboard/permissions.py has a row for each route"

    def test_a_route_without_a_row_is_the_owners_alone(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bob = member(ada, "developer")
        assert bob.get("/keys").status == 200
        monkeypatch.setattr(
            permissions, "ROLES", {row: roles for row, roles in ROLES.items() if row != "GET /keys"}
        )
        assert [browser.get("/keys").status for browser in (ada, bob, Browser())] == [200, 403, 303]

    def test_each_role_may_what_its_words_say(self) -> None:
        asked = {
            "POST /keys": "owner developer",
            "GET /keys": "owner developer viewer",
            "GET /tokens": "owner developer viewer",
            "POST /tokens": "owner developer",
            "GET /projects/{project_id}": "owner developer billing viewer",
            "POST /projects/{project_id}/delete": "owner developer",
            "GET /budgets": "owner developer billing viewer",
            "POST /budgets/{budget_id}": "owner developer",
            "POST /playground/{model_id}/run": "owner developer",
            "POST /chat/key": "owner developer",
            "POST /webhooks/secret/rotate": "owner developer",
            "POST /keys/answers": "owner",
            "POST /top-up": "owner billing",
            "POST /top-up/low-balance": "owner billing",
            "GET /top-up/receipts/{entry_id}": "owner billing",
            "GET /top-up": "owner billing viewer",
            "GET /activity.csv": "owner developer billing viewer",
            "POST /members/invitations": "owner",
            "POST /members/role": "owner",
            "POST /members/remove": "owner",
        }
        for row, roles in asked.items():
            assert {role for role in Role if may(role, row)} == set(map(Role, roles.split())), row

    def test_a_viewer_changes_nothing_of_the_account(self) -> None:
        changes = {row for row in ROLES if row.startswith("POST") and may(Role.VIEWER, row)}
        of_their_own = {f"POST {path}" for path in f"{OF_THEIR_OWN} {SETTINGS} {IN_PROJECT}".split()}
        to_sign_in = {row for row, roles in ROLES.items() if roles is None and row.startswith("POST")}
        assert changes == of_their_own | to_sign_in

    @pytest.mark.parametrize("role", [Role.DEVELOPER, Role.BILLING, Role.VIEWER])
    def test_every_route_refuses_who_may_not_use_it(self, ada: Browser, role: Role) -> None:
        bob = member(ada, role)
        for method, path in routes():
            row = row_of(method, path)
            if is_public(path) or may(role, row):
                continue
            below = path.removeprefix("/dashboard").replace("{", "").replace("}", "")
            answer = bob.get(below) if method == "GET" else bob.post(below)
            assert answer.status == 403, row
            assert f"Your role in this account, {role}, does not include this" in answer.text
        # It may be theirs to do in their own account: the page leads there.
        assert 'aria-label="Account"' in bob.get("/closing").text

    def test_who_is_not_signed_in_reaches_nothing_but_what_is_everybodys(self, ada: Browser) -> None:
        for method, path in routes():
            if method == "GET" and not is_public(path) and ROLES[row_of(method, path)] is not None:
                below = path.removeprefix("/dashboard").replace("{", "").replace("}", "")
                assert Browser().get(below).headers["location"].endswith("/sign-in"), path


class TestInvitation:
    def test_it_ends_in_a_member_of_its_role_in_that_account(self, ada: Browser) -> None:
        account_id = account_of(ada)
        bob = member(ada, "developer")
        assert account_of(bob) == account_id
        bob.get("/keys")
        assert "Shop is ready" in bob.post("/keys", FORM).text
        shown = ada.get("/keys").text
        assert "Created by" in shown
        assert "bob@example.com" in shown
        assert [event.action for event in events(account_id)] == [
            Action.MEMBER_INVITED,
            Action.MEMBER_JOINED,
            Action.KEY_CREATED,
        ]
        assert events(account_id)[1].actor == "bob@example.com"

    def test_who_is_not_signed_in_yet_comes_back_to_it(self, ada: Browser) -> None:
        link = invite(ada)
        bob = Browser()
        assert "Sign in with bob@example.com to accept" in bob.get(link).text
        bob.get("/sign-in")
        answer = bob.post("/sign-in/development/email", {"email": "bob@example.com"})
        assert answer.headers["hx-redirect"].endswith("/dashboard/join")
        assert "You are invited to this account" in bob.get("/join").text
        assert bob.post("/join").status == 200
        assert account_of(bob) == account_of(ada)

    def test_another_address_is_refused_and_it_stays_open(self, ada: Browser) -> None:
        link = invite(ada)
        eve = Browser()
        own = eve.sign_in("eve@example.com")
        eve.get(link)
        answer = eve.post("/join")
        assert answer.status == 409
        assert "This invitation is for bob@example.com" in answer.text
        assert account_of(eve) == own
        assert "bob@example.com" in ada.get("/members").text

    def test_an_address_that_the_sign_in_did_not_prove_is_refused(self, ada: Browser) -> None:
        link = invite(ada)
        bob = Browser()
        bob.sign_in("bob@example.com")
        people = dashboard_parts.dashboard().members.people
        db: Any = boto3.client("dynamodb", region_name="us-east-1")
        db.update_item(
            TableName=people._table,
            Key={"identity_id": {"S": identity("bob@example.com")}},
            UpdateExpression="REMOVE email",
        )
        bob.get(link)
        assert bob.post("/join").status == 409

    def test_a_second_time_it_opens_nothing(self, ada: Browser) -> None:
        link = invite(ada)
        bob = Browser()
        bob.sign_in("bob@example.com")
        bob.get(link)
        assert bob.post("/join").status == 200
        assert "no longer valid" in bob.get(link).text
        assert bob.get(link).status == 409

    @pytest.mark.parametrize("end", ["", "x", "usr_1.inv_2.3", "..", "a" * 5000])
    def test_what_is_no_link_of_ours_opens_nothing(self, ada: Browser, end: str) -> None:
        answer = Browser().get(f"/join?invitation={end}")
        assert answer.status == 409
        assert "Copy it again" in answer.text

    def test_sent_again_the_old_link_is_dead_and_revoked_both_are(self, ada: Browser) -> None:
        first = invite(ada)
        invitation_id = first.split(".")[1]
        answer = ada.post(f"/members/invitations/{invitation_id}/again")
        second = "/join" + html.unescape(answer.text.split("/dashboard/join")[1].split("<")[0])
        assert [Browser().get(link).status for link in (first, second)] == [409, 200]
        ada.post(f"/members/invitations/{invitation_id}/revoke")
        assert Browser().get(second).status == 409

    def test_its_mail_has_the_link_and_the_page_says_so(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MAIL_FROM", "credit@tollgate.example")
        parts.forget()
        ses: Any = boto3.client("sesv2", region_name="us-east-1")
        ses.create_email_identity(EmailIdentity="credit@tollgate.example")
        answer = ada.post("/members/invitations", {"email": "Bob@Example.com ", "role": "viewer"})
        assert "The mail was sent" in answer.text
        (mail,) = ses_backends["123456789012"]["us-east-1"].sent_messages
        (link,) = re.findall(r'<a href="([^"]*/join[^"]*)"', mail.body)
        assert html.unescape(link) in html.unescape(answer.text)

    def test_a_mail_that_fails_leaves_the_invitation_and_its_link(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Nobody verified this address at SES.
        monkeypatch.setenv("MAIL_FROM", "nobody@tollgate.example")
        parts.forget()
        answer = ada.post("/members/invitations", {"email": "bob@example.com", "role": "viewer"})
        assert "send the link yourself" in answer.text
        assert "/dashboard/join?invitation=usr_" in answer.text

    def test_no_line_of_the_log_has_its_secret(
        self, ada: Browser, capsys: pytest.CaptureFixture[str]
    ) -> None:
        secret = invite(ada).rpartition(".")[2]
        Browser().get(f"/join?invitation=x.{secret}")
        assert secret not in capsys.readouterr().out


class TestMembers:
    def test_a_role_counts_with_the_next_request(self, ada: Browser) -> None:
        bob = member(ada, "viewer")
        assert bob.post("/keys", FORM).status == 403
        ada.post("/members/role", {"member": identity("bob@example.com"), "role": "developer"})
        assert bob.post("/keys", FORM).status == 200

    def test_who_is_removed_is_out_with_the_next_request(self, ada: Browser) -> None:
        bob = member(ada, "developer")
        ada.post("/members/remove", {"member": identity("bob@example.com")})
        assert bob.get("/keys").status == 303
        again = Browser()
        assert again.sign_in("bob@example.com") != account_of(ada)

    def test_a_session_from_before_opens_nothing_when_they_are_a_member_again(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        bob = member(ada, "developer")
        stolen = Browser(bob.session, bob.csrf)
        assert stolen.get("/keys").status == 200
        ada.post("/members/remove", {"member": identity("bob@example.com")})
        clock.advance_ms(1)
        again = member(ada, "developer")
        assert account_of(again) == account_of(ada)
        assert [browser.get("/keys").status for browser in (again, stolen)] == [200, 303]

    @pytest.mark.parametrize("revoke", [True, False])
    def test_their_keys_end_only_where_that_was_asked_for(self, ada: Browser, revoke: bool) -> None:
        account_id = account_of(ada)
        bob = member(ada, "developer")
        bob.get("/keys")
        bob.post("/keys", FORM)
        ada.get("/keys")
        ada.post("/keys", {**FORM, "name": "Own"})
        sent = {"member": identity("bob@example.com"), **({"keys": "revoke"} if revoke else {})}
        ada.post("/members/remove", sent)
        left = [key["name"] for key in api_parts.api().keys.all(account_id)]
        assert left == (["Own"] if revoke else ["Own", "Shop"])

    @pytest.mark.parametrize("role", ["billing", "viewer", None])
    def test_who_may_not_make_keys_any_more_keeps_none_that_manages_keys(
        self, ada: Browser, role: str | None
    ) -> None:
        account_id, bob = account_of(ada), member(ada, "developer")
        bob.get("/keys")
        forms = {"Shop": ["media", "account"], "Manager": ["account"], "Plain": ["media"]}
        made = {
            name: key_in(bob.post("/keys", {"name": name, "scopes": scopes}))
            for name, scopes in forms.items()
        }
        ada.get("/keys")
        own = key_in(ada.post("/keys", {"name": "Own", "scopes": ["account"]}))
        bobs = identity("bob@example.com")
        if role is None:
            ada.post("/members/remove", {"member": bobs})
        else:
            ada.post("/members/role", {"member": bobs, "role": role})
        scopes = {key["name"]: key["scopes"] for key in api_parts.api().keys.all(account_id)}
        assert scopes == {"Shop": ["media"], "Plain": ["media"], "Own": ["account"]}
        assert [call("GET", "/api/v1/keys", made[name])[0] for name in made] == [403, 401, 403]
        assert call("POST", "/api/v1/keys", made["Shop"], {"name": "x"})[0] == 403
        assert call("GET", "/api/v1/keys", own)[0] == 200

    def test_a_role_that_makes_keys_leaves_them_as_they_are(self, ada: Browser) -> None:
        account_id, bob = account_of(ada), member(ada, "owner")
        bob.get("/keys")
        bob.post("/keys", {"name": "Shop", "scopes": ["account"]})
        ada.post("/members/role", {"member": identity("bob@example.com"), "role": "developer"})
        assert [key["scopes"] for key in api_parts.api().keys.all(account_id)] == [["account"]]

    @pytest.mark.parametrize("role", ["developer", "billing", "viewer", None])
    def test_an_invitation_of_an_owner_that_was_ends_with_their_rights(
        self, ada: Browser, role: str | None
    ) -> None:
        account_id, bob = account_of(ada), member(ada, "owner")
        bob.get("/members")
        link = invite(bob, "evil@example.com", "owner")
        shown = ada.get("/members").text
        # Both questions name it: what is asked before a role is taken, and before a member is removed.
        assert shown.count("evil@example.com ends") == 2
        evil = Browser()
        evil.sign_in("evil@example.com")
        evil.get(link)
        bobs = identity("bob@example.com")
        if role is None:
            ada.post("/members/remove", {"member": bobs})
        else:
            ada.post("/members/role", {"member": bobs, "role": role})
        answer = evil.post("/join")
        assert answer.status == 409
        assert "no longer valid" in answer.text
        assert evil.get(link).status == 409
        assert "evil@example.com" not in ada.get("/members").text
        assert "ended invitations of evil@example.com" in events(account_id)[-1].detail

    def test_who_leaves_takes_their_invitations_along(self, ada: Browser) -> None:
        bob = member(ada, "owner")
        bob.get("/members")
        link = invite(bob, "evil@example.com", "owner")
        assert "evil@example.com ends" in bob.get("/members").text
        bob.post("/members/leave")
        assert Browser().get(link).status == 409

    def test_an_owner_who_was_demoted_a_moment_ago_changes_no_member(self, ada: Browser) -> None:
        # Their request was let through before, by the role that they had then.
        bob = member(ada, "owner")
        service, account_id = dashboard_parts.dashboard().members, account_of(ada)
        ada.post("/members/role", {"member": identity("bob@example.com"), "role": "viewer"})
        of_bob, of_ada = identity("bob@example.com"), identity("ada@example.com")
        by = Actor(of_bob, "bob@example.com")
        late: list[Callable[[], object]] = [
            lambda: service.invite(account_id, "evil@example.com", "owner", by, str),
            lambda: service.change_role(account_id, of_bob, "owner", by),
            lambda: service.remove(account_id, of_ada, by),
            lambda: dashboard_parts.dashboard().account_closure.request(
                account_id, account_id, "give up", by
            ),
        ]
        assert bob.get("/members").status == 200
        for act in late:
            with pytest.raises(TeamError, match="no longer an owner"):
                act()

    def test_the_last_owner_stays(self, ada: Browser) -> None:
        bob = member(ada, "owner")
        ada.post("/members/leave")
        last = bob.post("/members/leave")
        assert last.status == 409
        assert "An account needs an owner" in last.text

    def test_who_leaves_their_only_account_finds_a_fresh_one_at_the_next_sign_in(self, ada: Browser) -> None:
        account_id = account_of(ada)
        member(ada, "owner")
        assert ada.post("/members/leave").headers["hx-redirect"].endswith("/sign-in")
        fresh = Browser()
        assert fresh.sign_in("ada@example.com") != account_id

    def test_a_wrong_role_is_refused(self, ada: Browser) -> None:
        answer = ada.post("/members/invitations", {"email": "bob@example.com", "role": "king"})
        assert answer.status == 409

    def test_markup_of_an_address_is_text(self, ada: Browser) -> None:
        answer = ada.post("/members/invitations", {"email": '"<b>x</b>"@example.com', "role": "viewer"})
        assert "<b>x" not in answer.text


class TestNotifications:
    @pytest.mark.parametrize(("role", "at_first"), [("billing", True), ("owner", True), ("viewer", False)])
    def test_mails_about_money_are_as_the_role_has_it_until_they_are_chosen(
        self, ada: Browser, role: str, at_first: bool
    ) -> None:
        account_id, bob = account_of(ada), member(ada, role)
        told = Recipients(
            dashboard_parts.dashboard().members.teams, dashboard_parts.dashboard().members.people
        )
        assert ("bob@example.com" in told.of_money(account_id)) is at_first
        assert bob.post("/members/mails", {} if at_first else {"money": "1"}).status == 200
        assert ("bob@example.com" in told.of_money(account_id)) is not at_first
        assert "ada@example.com" in told.of_money(account_id)
        assert events(account_id)[-1].action is Action.MAILS_CHOSEN


class TestSeveralAccounts:
    def test_a_person_goes_from_one_to_the_other(self, ada: Browser) -> None:
        bob = Browser()
        own = bob.sign_in("bob@example.com")
        bob.get(invite(ada, role="viewer"))
        bob.post("/join")
        assert 'aria-label="Account"' in bob.get("").text
        before = bob.session
        assert bob.post("/accounts", {"account": own}).status == 200
        assert account_of(bob) == own
        assert bob.get("/playground").status == 200
        # The session before is over: its cookie opens nothing.
        assert Browser(before).get("").status == 303

    @pytest.mark.parametrize("account_id", [None, "", "usr_x", "x" * 5_000])
    def test_an_account_that_is_not_theirs_is_refused_and_they_stay_signed_in(
        self, ada: Browser, account_id: str | None
    ) -> None:
        eve = Browser()
        own = eve.sign_in("eve@example.com")
        answer = eve.post("/accounts", {"account": account_of(ada) if account_id is None else account_id})
        assert answer.status == 409
        assert "not a member of that account" in answer.text
        assert account_of(eve) == own

    def test_signing_out_everywhere_ends_ones_own_sessions_alone(self, ada: Browser) -> None:
        bob = member(ada, "viewer")
        bob.post("/sign-out/everywhere")
        assert ada.get("").status == 200

    def test_an_account_from_before_has_its_one_person_for_owner(self, ada: Browser) -> None:
        account_id = account_of(ada)
        db: Any = boto3.client("dynamodb", region_name="us-east-1")
        joined = dashboard_parts.dashboard()
        db.delete_item(TableName=joined.settings.members_table, Key={"account_id": {"S": account_id}})
        db.update_item(
            TableName=joined.settings.identities_table,
            Key={"identity_id": {"S": identity("ada@example.com")}},
            UpdateExpression="REMOVE accounts",
        )
        again = Browser()
        assert again.sign_in("ada@example.com") == account_id
        again.get("/members")
        assert member(again, "viewer").get("").status == 200
