"""The pages of projects and run tokens through the handler of `functions/dashboard`."""

import re
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_budgets import problems, words
from tests.functional.dashboard.test_dashboard_members import member
from tests.functional.test_api import call
from tests.functional.test_record_usage import counted_records, record
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.composition import api as api_parts

TOKEN = {"limit": "0.02", "lifetime": "900", "tags": "agent=research\nuser=alice\n"}


def spend(key: str, times: int = 1) -> list[int]:
    """Create images of one cent each with a key or a run token; return the statuses."""
    body = {"model": PAID_IMAGE, **with_prompt("a boat")}
    return [call("POST", "/api/v1/generation/create", key, body)[0] for _ in range(times)]


def new_key(account_id: str, **fields: Any) -> Any:
    return api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": ["media"], **fields}, None)


def project(account_id: str, browser: Browser, name: str = "Website") -> str:
    browser.get("/projects")
    assert browser.post("/projects", {"name": name}).status == 200
    return api_parts.api().projects.all(account_id)[-1]["id"]


def key_form(project_id: str) -> dict[str, Any]:
    return {"name": "Web", "scopes": ["media"], "project": project_id, "days": "", "cap": "", "networks": ""}


class TestProjects:
    def test_their_keys_budgets_and_spending(self, aws: Aws, account_id: str, browser: Browser) -> None:
        assert "No projects yet" in words(browser.get("/projects"))
        project_id = project(account_id, browser)
        for value in (project_id, ""):
            form = {"name": "Site", "scope": "project", "project": value, "limit": "0.02", "per": "month"}
            assert browser.post("/budgets", form).status == 200
        assert "Site Project Website $0.02 per month" in words(browser.get("/budgets"))
        assert "Site Each project $0.02 per month" in words(browser.get("/budgets"))
        made = new_key(account_id, projectId=project_id)
        assert spend(made["key"]) == [200]
        record(counted_records(aws))
        found = browser.get("/projects")
        assert "Website 1 key $0.01 Created" in words(found)
        assert words(found).count("Site, $0.02 per month $0.01 spent, $0.01 left") == 2
        one = words(browser.get(f"/projects/{project_id}"))
        assert "This month $0.01 1 generation, 0 text requests" in one
        assert "$0.01 spent, $0.01 left" in one
        assert "Shop" in one
        assert browser.get("/projects/prj_1").status == 404

    def test_changes(self, account_id: str, browser: Browser) -> None:
        project_id = project(account_id, browser)
        assert problems(browser.post("/projects", {"name": " "})).keys() == {"name"}
        assert problems(browser.post(f"/projects/{project_id}", {"name": ""}), project_id).keys() == {"name"}
        assert "<i>" not in browser.post(f"/projects/{project_id}", {"name": "<i>Site"}).text
        new_key(account_id, projectId=project_id)
        assert browser.post(f"/projects/{project_id}/delete").status == 409
        other = project(account_id, browser, "Other")
        answer = browser.post(f"/projects/{other}/delete")
        assert (answer.status, "Other" in answer.text) == (200, False)
        row = api_parts.api().audit.page(account_id).rows[0]
        assert (row.action, row.actor) == ("project.deleted", "ada@example.com")

    def test_roles(self, account_id: str, browser: Browser) -> None:
        """A viewer gets rights in one project only; a manager can only narrow what it spends."""
        site, other = project(account_id, browser), project(account_id, browser, "Other")
        bob = member(browser, "viewer")
        form, budget = {"name": "Bob's"}, {"name": "Site", "limit": "0.01", "per": "month"}

        def statuses(project_id: str) -> list[int]:
            return [
                bob.post(f"/projects/{project_id}/keys", form).status,
                bob.post(f"/projects/{project_id}/budgets", budget).status,
            ]

        def give(role: str) -> None:
            sent = {"member": "development#bob@example.com", "role": role}
            assert browser.post(f"/projects/{site}/members", sent).status == 200

        bob.get("/projects")
        assert statuses(site) == [403, 403]
        assert bob.post(f"/projects/{site}/members", {"member": "x", "role": "manager"}).status == 403
        give("member")
        assert statuses(site) == [200, 403]
        shop = new_key(account_id, projectId=site)["id"]
        bobs = next(key for key in api_parts.api().keys.all(account_id) if key["name"] == "Bob's")
        assert (bobs["projectId"], bobs["scopes"]) == (site, ["media", "text"])
        assert bob.post(f"/projects/{site}/keys/{shop}/revoke").status == 403
        assert bob.post(f"/projects/{site}/keys/{bobs['id']}/revoke").status == 200
        give("manager")
        assert statuses(site) == [200, 200]
        assert statuses(other) == [403, 403]
        assert bob.post(f"/projects/{other}/keys/{shop}/revoke").status == 404
        assert bob.post(f"/projects/{site}/keys/{shop}/revoke").status == 200
        (made,) = api_parts.api().budgets.all(account_id)
        assert (made["scope"], made["value"], made["limitCents"]) == ("project", site, 1)
        assert bob.post(f"/budgets/{made['id']}/delete").status == 403
        give("")
        assert statuses(site) == [403, 403]
        rows = api_parts.api().audit.page(account_id).rows
        assert [row.detail for row in rows if row.action == "member.changed"] == [
            f"{role} in Website ({site})" for role in ("no role", "manager", "member")
        ]

    def test_the_form_of_a_key_chooses_one(self, account_id: str, browser: Browser) -> None:
        browser.get("/keys")
        project_id = project(account_id, browser)
        assert "Project Website" in words(browser.post("/keys", key_form(project_id)))
        (key,) = [key for key in api_parts.api().keys.all(account_id) if key["name"] == "Web"]
        assert key["projectId"] == project_id
        form = browser.get(f"/keys/{key['id']}").text
        assert f'<option value="{project_id}" selected>Website</option>' in form
        assert browser.post(f"/keys/{key['id']}", key_form("")).status == 200
        (key,) = [key for key in api_parts.api().keys.all(account_id) if key["name"] == "Web"]
        assert key["projectId"] is None


class TestRunTokens:
    def test_one_is_shown_once_and_stops_at_its_limit(self, account_id: str, browser: Browser) -> None:
        empty = browser.get("/tokens")
        assert ("No run tokens yet" in words(empty), 'class="toast"' in empty.text) == (True, False)
        key = new_key(account_id)
        form = {**TOKEN, "key": key["id"], "name": "agent", "models": [PAID_IMAGE]}
        answer = browser.post("/tokens", form)
        assert answer.status == 200
        found = re.search(r"export TOLLGATE_API_KEY=(tg_live_\w+)", answer.text)
        assert found is not None
        assert '/api/v1/key" -H "Authorization: Bearer $TOLLGATE_API_KEY"' in words(answer)
        assert spend(found[1], 3) == [200, 200, 402]
        (view,) = api_parts.api().tokens.page(account_id, {})["tokens"]
        assert (view["models"], view["tags"]) == ([PAID_IMAGE], {"agent": "research", "user": "alice"})
        answer = browser.get("/tokens")
        assert found[1] not in answer.text
        assert "Shop $0.02 Ends" in words(answer)
        assert "$0.02 spent, $0.00 left used up Revoke" in words(answer)
        answer = browser.post(f"/tokens/{view['id']}/revoke")
        assert "Revoked" in words(answer)
        assert "/revoke" not in answer.text
        assert api_parts.api().tokens.one(account_id, view["id"])["state"] == "revoked"

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"limit": "x"}, "limit"),
            ({"limit": "0"}, "limit"),
            ({"lifetime": "1"}, "lifetime"),
            ({"models": ["no-model"]}, "models"),
            ({"tags": "team"}, "tags"),
            ({"tags": "a=1\na=2"}, "tags"),
            ({"tags": "Team=search"}, "tags"),
            ({"name": "\x07"}, "name"),
            ({"key": "key_1"}, "key"),
        ],
    )
    def test_a_problem_is_beside_its_field(
        self, account_id: str, browser: Browser, sent: dict[str, Any], field: str
    ) -> None:
        key = new_key(account_id)
        browser.get("/tokens")
        answer = browser.post("/tokens", {**TOKEN, "key": key["id"], **sent})
        assert (set(problems(answer)), answer.headers["hx-reswap"]) == ({field}, "none")
        assert api_parts.api().tokens.page(account_id, {})["tokens"] == []

    def test_a_token_of_another_accounts_key_is_not_made(self, account_id: str, browser: Browser) -> None:
        stranger = Browser()
        key = new_key(stranger.sign_in("eve@example.com"))
        browser.get("/tokens")
        assert problems(browser.post("/tokens", {**TOKEN, "key": key["id"]})).keys() == {"key"}


class TestActivity:
    def test_filters_and_sums_by_project_and_run_token(
        self, aws: Aws, account_id: str, browser: Browser
    ) -> None:
        project_id = project(account_id, browser)
        key = new_key(account_id, projectId=project_id)
        body = {"maxCostCents": 1}
        run = api_parts.api().tokens.create_of(account_id, key["id"], body, "ada@example.com")
        spend(new_key(account_id)["key"])
        assert spend(key["key"]) + spend(run["token"]) == [200, 200]
        record(counted_records(aws))

        def rows(query: str) -> int:
            return browser.get(f"/activity?{query}").text.count('<td><a href="/live/dashboard/requests/')

        asked = ("", f"project={project_id}", f"token={run['id']}", "project=prj_1", "token=tok_1")
        assert [rows(query) for query in asked] == [3, 2, 1, 0, 0]
        by_project = browser.get("/activity?by=project")
        columns = "Spent Refunded Generations Text requests Tokens in Tokens out"
        assert f"Project {columns} Website $0.02" in words(by_project)
        assert f'token={run["id"]}"' in browser.get("/activity?by=token").text


def test_a_viewer_reads(ada: Browser) -> None:
    account_id = ada.sign_in()
    project(account_id, ada)
    key = new_key(account_id)
    ada.post("/tokens", {**TOKEN, "key": key["id"]})
    bob = member(ada, "viewer")
    for path in ("/projects", "/tokens"):
        text = bob.get(path).text.partition("<main")[2].partition("</main>")[0]
        assert ("dialog" in text, "hx-confirm" in text) == (False, False)


def test_the_record_of_a_request_names_the_keys_creator(account_id: str, browser: Browser) -> None:
    browser.get("/keys")
    found = re.search(r"tg_live_\w+", browser.post("/keys", key_form("")).text)
    assert found is not None
    spend(found[0])
    link = re.search(r'dashboard(/requests/[^"]+)"', browser.get("/activity").text)
    assert link is not None
    assert "Key created by ada@example.com" in words(browser.get(link[1]))
