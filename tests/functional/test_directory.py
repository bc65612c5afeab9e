"""A company's directory: its token, its users over SCIM, and the people who join as them."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite, key_in, member
from tests.functional.test_audit_log import events
from tests.support.dashboard import ORIGIN, Answer, Browser
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.errors import ForbiddenError
from tollgate.members.roles import Role

BOB = "bob@example.com"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
OFF = {"Operations": [{"op": "replace", "value": {"active": False}}]}
ON = {"Operations": [{"op": "Replace", "path": "active", "value": "True"}]}


@dataclass
class Directory:
    """Sends requests with a token, as Okta and Entra ID do."""

    token: str

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the body of an answer."""
        answer = self.answer(method, path, body, **headers)
        assert answer.headers.get("content-type", "application/scim+json") == "application/scim+json", (
            answer.text
        )
        return answer.status, json.loads(answer.text) if answer.text else None

    def answer(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Return the whole answer."""
        sent = {"authorization": f"Bearer {self.token}", "content-type": "application/scim+json", **headers}
        return Browser(base="/scim/v2").send(method, path, sent, None if body is None else json.dumps(body))

    def succeeds(self, method: str, path: str, body: Any = None) -> int:
        """Send a request that must succeed; return 200, whichever success it is."""
        status, answer = self.ask(method, path, body)
        assert status // 100 == 2, answer
        return 200

    def add(self, email: str = BOB, **more: Any) -> str:
        """Add a user; return the id."""
        status, user = self.ask("POST", "/Users", {"userName": email, "externalId": f"id-{email}", **more})
        assert status == 201, user
        return str(user["id"])

    def is_active(self, user_id: str) -> bool:
        return bool(self.ask("GET", f"/Users/{user_id}")[1]["active"])


def connect(owner: Browser, role: str = "developer") -> Directory:
    """Create a token on the page of members."""
    owner.get("/members")
    answer = owner.post("/members/directory", {"role": role})
    assert answer.status == 200, answer.text
    found = re.search(r"tg_scim_\w+", answer.text)
    assert found is not None, answer.text
    return Directory(found[0])


def join(account_id: str, email: str = BOB) -> Browser:
    """Return the browser of a person who opens the directory's link, signs in, and joins."""
    browser = Browser()
    assert browser.get(f"/join?invitation={account_id}").headers["location"].endswith("/sign-in")
    browser.get("/sign-in")
    answer = browser.post("/sign-in/development/email", {"email": email})
    assert answer.headers["hx-redirect"].endswith("/dashboard/join")
    browser.get("/join")
    browser.post("/join")
    browser.get("")
    return browser


def team(account_id: str) -> dict[str, Role]:
    members = dashboard_parts.dashboard().members.team(account_id).members
    return {one.identity_id: one.role for one in members}


@pytest.fixture
def directory(ada: Browser) -> Directory:
    """Return the connected directory of Ada's account."""
    return connect(ada)


@pytest.fixture
def account_id(ada: Browser) -> str:
    """Return Ada's account."""
    return account_of(ada)


class TestTheToken:
    def test_an_owner_sees_it_once_and_a_new_one_ends_it(self, ada: Browser, directory: Directory) -> None:
        assert directory.token not in ada.get("/members").text
        assert directory.ask("GET", "/Users")[0] == 200
        other = connect(ada)
        assert [each.ask("GET", "/Users")[0] for each in (directory, other)] == [401, 200]
        ada.post("/members/directory/revoke")
        status, body = other.ask("GET", "/Users")
        assert (status, body["schemas"], body["status"]) == (401, [ERROR], "401")
        assert other.answer("GET", "/Users").headers["www-authenticate"] == "Bearer"

    def test_it_opens_nothing_else_and_a_key_does_not_open_scim(
        self, ada: Browser, directory: Directory
    ) -> None:
        ada.get("/keys")
        key = key_in(ada.post("/keys", {"name": "Shop", "scopes": ["media", "account"]}))
        assert Directory(key).ask("GET", "/Users")[0] == 401
        with pytest.raises(Exception, match="API key"):
            api_parts.api().authenticator.authenticate(directory.token, Scope.ACCOUNT, None)
        assert directory.token not in str(dashboard_parts.dashboard().directories.of(account_of(ada)))

    def test_only_an_owner_creates_it_and_never_for_owners(self, ada: Browser) -> None:
        bob = member(ada, "developer")
        assert bob.post("/members/directory", {"role": "viewer"}).status == 403
        for role in ("owner", "king"):
            assert ada.post("/members/directory", {"role": role}).status == 409

    def test_an_account_that_is_being_closed_has_no_directory(
        self, ada: Browser, directory: Directory
    ) -> None:
        ada.get("/closing")
        ada.post("/closing", {"account": account_of(ada), "balance": "give up"})
        assert directory.ask("GET", "/Users")[0] == 403

    def test_requests_are_counted_in_the_accounts_window(
        self, directory: Directory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REQUESTS_PER_MINUTE", "1")
        parts.forget()
        seen = [directory.answer("GET", "/Users").status for _ in range(11)]
        assert seen == [200] * 10 + [429]
        answer = directory.answer("GET", "/Users")
        assert json.loads(answer.text)["status"] == "429"
        assert int(answer.headers["retry-after"]) > 0


class TestJoining:
    def test_a_person_joins_with_the_address_and_the_default_role(
        self, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add()
        assert identity(BOB) not in team(account_id)
        bob = join(account_id)
        assert account_of(bob) == account_id
        assert team(account_id)[identity(BOB)] is Role.DEVELOPER
        assert directory.is_active(user_id)
        assert (Action.MEMBER_JOINED, BOB) in {(event.action, event.subject) for event in events(account_id)}

    def test_nobody_else_joins_or_learns_of_the_account(self, account_id: str, directory: Directory) -> None:
        directory.add()
        eve = Browser()
        eve.sign_in("eve@example.com")
        answer = eve.get(f"/join?invitation={account_id}")
        assert answer.status == 409
        assert "ada@example.com" not in answer.text
        eve.get("")
        assert eve.post("/join").status == 409
        assert identity("eve@example.com") not in team(account_id)

    def test_a_person_is_asked_before_and_keeps_their_own_account(
        self, account_id: str, directory: Directory
    ) -> None:
        bob = Browser()
        own = bob.sign_in(BOB)
        directory.add()
        assert identity(BOB) not in team(account_id)
        assert account_of(bob) == own

    def test_a_user_without_access_or_token_cannot_join(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add()
        directory.ask("PATCH", f"/Users/{user_id}", OFF)
        join(account_id)
        directory.ask("PATCH", f"/Users/{user_id}", ON)
        ada.get("/members")
        ada.post("/members/directory/revoke")
        join(account_id)
        assert identity(BOB) not in team(account_id)

    def test_a_member_with_the_address_is_the_user_and_keeps_their_role(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        member(ada, "billing", BOB)
        user_id = directory.add()
        assert team(account_id)[identity(BOB)] is Role.BILLING
        directory.ask("PATCH", f"/Users/{user_id}", OFF)
        assert identity(BOB) not in team(account_id)

    def test_the_directory_gives_roles_but_never_an_owners(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add(roles=[{"value": "viewer"}])
        join(account_id)
        assert team(account_id)[identity(BOB)] is Role.VIEWER
        directory.ask("PUT", f"/Users/{user_id}", {"userName": BOB, "roles": [{"value": "billing"}]})
        assert team(account_id)[identity(BOB)] is Role.BILLING
        ada.get("/members")
        ada.post("/members/role", {"member": identity(BOB), "role": "owner"})
        directory.ask("PUT", f"/Users/{user_id}", {"userName": BOB, "roles": [{"value": "viewer"}]})
        assert team(account_id)[identity(BOB)] is Role.OWNER


class TestTheEndOfAccess:
    @pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
    def test_it_ends_sessions_and_the_rights_of_keys_at_once(
        self, method: str, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add()
        bob = join(account_id)
        bob.get("/keys")
        made = bob.post("/keys", {"name": "Bob's", "scopes": ["media", "account"]})
        key = key_in(made)
        body = {"PATCH": OFF, "PUT": {"userName": BOB, "active": False}}.get(method)
        assert directory.ask(method, f"/Users/{user_id}", body)[0] == (204 if method == "DELETE" else 200)
        assert bob.get("").status == 303
        auth = api_parts.api().authenticator
        assert auth.authenticate_now(key, Scope.MEDIA, None).account_id == account_id
        with pytest.raises(ForbiddenError):
            auth.authenticate_now(key, Scope.ACCOUNT, None)
        assert Action.MEMBER_REMOVED in {event.action for event in events(account_id)}
        if method == "DELETE":
            assert directory.ask("GET", f"/Users/{user_id}")[0] == 404
        else:
            assert not directory.is_active(user_id)

    def test_a_user_who_is_active_again_may_join_again(self, account_id: str, directory: Directory) -> None:
        user_id = directory.add()
        old = join(account_id)
        directory.ask("PATCH", f"/Users/{user_id}", OFF)
        directory.ask("PATCH", f"/Users/{user_id}", ON)
        assert identity(BOB) not in team(account_id)
        assert old.get("").status == 303
        assert account_of(join(account_id)) == account_id

    def test_a_member_whom_an_owner_removed_is_inactive_and_stays_out(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add()
        join(account_id)
        ada.get("/members")
        ada.post("/members/remove", {"member": identity(BOB)})
        assert not directory.is_active(user_id)
        join(account_id)
        assert identity(BOB) not in team(account_id)
        directory.ask(
            "PATCH", f"/Users/{user_id}", {"Operations": [{"op": "add", "path": "displayName", "value": "B"}]}
        )
        assert not directory.is_active(user_id)

    @pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
    def test_the_last_owner_stays(self, method: str, account_id: str, directory: Directory) -> None:
        user_id = directory.add("ada@example.com")
        body = {"PATCH": OFF, "PUT": {"userName": "ada@example.com", "active": False}}.get(method)
        status, answer = directory.ask(method, f"/Users/{user_id}", body)
        assert (status, answer["schemas"]) == (409, [ERROR])
        assert "owner" in answer["detail"]
        assert directory.is_active(user_id)
        assert set(team(account_id).values()) == {Role.OWNER}


class TestUsers:
    def test_they_are_listed_by_page_and_found_by_name(self, directory: Directory) -> None:
        ids = [directory.add(f"p{n}@example.com") for n in range(3)]
        _, page = directory.ask("GET", "/Users?startIndex=2&count=1")
        assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (3, 2, 1)
        assert [one["id"] for one in page["Resources"]] == [ids[1]]
        for text in ('userName eq "P2@example.com"', 'externalId eq "id-p2@example.com"'):
            _, found = directory.ask("GET", f"/Users?filter={text}&attributes=userName")
            assert [one["id"] for one in found["Resources"]] == [ids[2]]
            assert found["Resources"][0].keys() == {"schemas", "id", "userName"}
        assert directory.ask("GET", '/Users?filter=userName eq "nobody"')[1]["totalResults"] == 0
        assert directory.ask("GET", "/Users?count=-1&startIndex=0")[1]["itemsPerPage"] == 0
        for query in ('filter=userName sw "p"', "count=many"):
            assert directory.ask("GET", f"/Users?{query}")[0] == 400

    def test_one_name_and_one_address_is_one_user(self, directory: Directory) -> None:
        directory.add()
        other = directory.add("other@example.com")
        for body in ({"userName": "BOB@example.com"}, {"userName": "b2", "emails": [{"value": BOB}]}):
            for method, path in (("POST", "/Users"), ("PUT", f"/Users/{other}")):
                status, answer = directory.ask(method, path, body)
                assert (status, answer["scimType"]) == (409, "uniqueness")

    def test_a_full_account_takes_no_more(
        self, directory: Directory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tollgate.scim.directory.MAX_MEMBERS", 3)
        for n in range(2):
            directory.add(f"p{n}@example.com")
        status, answer = directory.ask("POST", "/Users", {"userName": BOB})
        assert (status, answer["scimType"]) == (400, "invalidValue")
        off = {"userName": BOB, "active": False}
        status, user = directory.ask("POST", "/Users", off)
        assert (status, user["active"]) == (201, False)
        assert directory.ask("PATCH", f"/Users/{user['id']}", ON)[0] == 400

    def test_of_another_account_they_do_not_exist(self, directory: Directory) -> None:
        user_id = directory.add()
        eve = Browser()
        eve.sign_in("eve@example.com")
        others = connect(eve)
        for method, body in (("GET", None), ("PATCH", OFF), ("PUT", {"userName": BOB}), ("DELETE", None)):
            assert others.ask(method, f"/Users/{user_id}", body)[0] == 404
        assert others.ask("GET", "/Users")[1]["totalResults"] == 0

    def test_bad_bodies_and_paths_have_scims_errors(self, directory: Directory) -> None:
        for method, path, body, status in (
            ("POST", "/Users", {}, 400),
            ("POST", "/Users", ["x"], 400),
            ("GET", "/Users/none", None, 404),
            ("GET", "/Other", None, 404),
            ("GET", "/Groups", None, 404),
            ("DELETE", "/Schemas", None, 405),
            ("POST", "/Bulk", {}, 501),
            ("POST", "/.search", {}, 501),
            ("POST", "/Users", {"userName": "x" * 2_000_000}, 413),
        ):
            found, answer = directory.ask(method, path, body)
            assert (found, answer["schemas"], answer["status"]) == (status, [ERROR], str(status)), path

    def test_what_changed_is_in_the_audit_log_without_a_secret(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        user_id = directory.add()
        directory.ask(
            "PATCH", f"/Users/{user_id}", {"Operations": [{"op": "add", "path": "displayName", "value": "B"}]}
        )
        directory.ask(
            "PATCH", f"/Users/{user_id}", {"Operations": [{"op": "add", "path": "displayName", "value": "B"}]}
        )
        directory.ask("DELETE", f"/Users/{user_id}")
        found = [(event.action, event.detail) for event in events(account_id) if event.subject == BOB]
        assert found == [
            (Action.MEMBER_PROVISIONED, "developer"),
            (Action.MEMBER_PROVISIONED, "displayName"),
            (Action.MEMBER_DEPROVISIONED, "deleted"),
        ]
        assert directory.token not in str([event.to_item() for event in events(account_id)])
        assert "Directory&#39;s user ended" in ada.get("/audit").text

    def test_a_browser_of_a_member_is_no_directory(self, ada: Browser, directory: Directory) -> None:
        session = ada.at("/scim/v2")
        assert session.send("GET", "/Users", {"origin": ORIGIN}).status == 401

    def test_an_invited_person_still_joins_by_the_invitation(
        self, ada: Browser, account_id: str, directory: Directory
    ) -> None:
        ada.get("/members")
        link = invite(ada, BOB, "billing")
        user_id = directory.add()
        bob = Browser()
        bob.sign_in(BOB)
        bob.get(link)
        bob.post("/join")
        assert team(account_id)[identity(BOB)] is Role.BILLING
        # The directory takes access away from them too.
        directory.ask("PATCH", f"/Users/{user_id}", OFF)
        assert identity(BOB) not in team(account_id)
