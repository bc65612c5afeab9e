"""The page of budgets through the handler of `functions/dashboard`."""

import html
import re
from typing import Any

import pytest

from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_members import member
from tests.functional.test_api import call
from tests.support.dashboard import Answer, Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts

FORM = {"name": "Free users", "scope": "user", "limit": "0.02", "per": "day"}


def words(answer: Answer) -> str:
    """Return the text of an answer, without its tags and with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def ids(account_id: str) -> list[str]:
    return [view["id"] for view in api_parts.api().budgets.all(account_id)]


def problems(answer: Answer, form: str = "new") -> dict[str, str]:
    """Return the messages beside the fields of a form."""
    found = re.findall(rf'id="{form}-(\w+)-problem"[^>]*>([^<]*)<', answer.text)
    return {field: html.unescape(message) for field, message in found if message}


def spend(account_id: str, tags: str, times: int) -> None:
    """Create images of one cent each with a key."""
    keys = api_parts.api().keys
    key = keys.create(account_id, {"name": "Shop", "scopes": [str(Scope.MEDIA)]}, None)["key"]
    for _ in range(times):
        body = {"model": PAID_IMAGE, **with_prompt("a boat")}
        status, answer, _ = call("POST", "/api/v1/generation/create", key, body, {"x-tollgate-tags": tags})
        assert status == 200, answer


class TestThePage:
    def test_without_budgets_it_says_what_they_are(self, account_id: str, browser: Browser) -> None:
        text = browser.get("/budgets").text
        assert "A budget is a hard limit" in text
        assert 'href="/live/docs/budgets"' in text

    def test_each_value_has_its_spending_in_words(self, account_id: str, browser: Browser) -> None:
        browser.get("/budgets")
        assert browser.post("/budgets", FORM).status == 200
        assert "Nothing spent yet" in words(browser.get("/budgets"))
        spend(account_id, "user=alice", 2)
        spend(account_id, "user=bob", 1)
        answer = browser.get("/budgets")
        assert (
            "Free users Each end user $0.02 per day Starts again 15 Nov 2023 "
            "alice $0.02 spent, $0.00 left used up bob $0.01 spent, $0.01 left Change Delete"
        ) in words(answer)
        assert re.findall(r'rect width="(\d+)" height="4"', answer.text) == ["100", "50"]

    def test_a_budget_of_one_value_has_a_bar_before_it_is_used(
        self, account_id: str, browser: Browser
    ) -> None:
        key = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": ["media"]}, None)["id"]
        browser.get("/budgets")
        for form in ({"scope": "account"}, {"scope": "key", "key": key}, {"scope": "tag", "tag": "team"}):
            browser.post("/budgets", {**FORM, **form, "limit": "1", "per": "total"})
        found = words(browser.get("/budgets"))
        left = "$1.00 in total Never starts again $0.00 spent, $1.00 left"
        assert f"The whole account {left}" in found
        assert f"API key Shop {left}" in found
        assert "Each value of the tag team $1.00 in total Never starts again Nothing spent yet" in found

    def test_names_of_customers_are_text(self, account_id: str, browser: Browser) -> None:
        browser.get("/budgets")
        browser.post("/budgets", {**FORM, "name": "<b>x</b>", "user": "<i>y</i>"})
        text = browser.get("/budgets").text
        assert "<b>x" not in text
        assert "<i>y" not in text


class TestChanges:
    def test_are_in_the_audit_log_with_the_persons_name(self, account_id: str, browser: Browser) -> None:
        browser.get("/budgets")
        browser.post("/budgets", FORM)
        (budget_id,) = ids(account_id)
        changed = {"name": "Trial", "limit": "5", "per": "week", "webhook": "https://example.com/hook"}
        assert "$5.00 per week" in words(browser.post(f"/budgets/{budget_id}", changed))
        view = api_parts.api().budgets.one(account_id, budget_id)
        assert (view["limitCents"], view["webhook"]) == (500, "https://example.com/hook")
        browser.post(f"/budgets/{budget_id}", {**changed, "webhook": ""})
        assert api_parts.api().budgets.one(account_id, budget_id)["webhook"] is None
        assert "No budgets yet" in words(browser.post(f"/budgets/{budget_id}/delete"))
        rows = api_parts.api().audit.page(account_id).rows[:4]
        assert [(row.action, row.subject, row.actor) for row in rows] == [
            ("budget.deleted", "Trial", "ada@example.com"),
            ("budget.changed", "Trial", "ada@example.com"),
            ("budget.changed", "Trial", "ada@example.com"),
            ("budget.created", "Free users", "ada@example.com"),
        ]

    @pytest.mark.parametrize(
        ("sent", "fields"),
        [
            ({"name": ""}, {"name"}),
            ({"limit": ""}, {"limit"}),
            ({"limit": "-1"}, {"limit"}),
            ({"limit": "0.001"}, {"limit"}),
            ({"limit": "99999999999"}, {"limit"}),
            ({"scope": "planet"}, {"scope"}),
            ({"scope": "tag", "tag": "Team", "limit": "x"}, {"tag", "limit"}),
            ({"scope": "tag", "tag": "team", "tag_value": "\x07"}, {"tag_value"}),
            ({"user": "x" * 257, "per": "year"}, {"user", "per"}),
            ({"webhook": "http://127.0.0.1/hook"}, {"webhook"}),
        ],
    )
    def test_a_problem_is_beside_its_field(
        self, account_id: str, browser: Browser, sent: dict[str, Any], fields: set[str]
    ) -> None:
        browser.get("/budgets")
        answer = browser.post("/budgets", {**FORM, **sent})
        assert (answer.status, set(problems(answer)), ids(account_id)) == (400, fields, [])
        assert answer.headers["hx-reswap"] == "none"

    def test_a_problem_of_a_change_is_in_its_own_form(self, account_id: str, browser: Browser) -> None:
        browser.get("/budgets")
        browser.post("/budgets", FORM)
        (budget_id,) = ids(account_id)
        answer = browser.post(f"/budgets/{budget_id}", {**FORM, "limit": "two", "webhook": ""})
        message = "Must be an amount in US dollars. Allowed: an amount such as 2.50."
        assert problems(answer, budget_id) == {"limit": message}

    def test_one_too_many_and_a_deleted_one_are_said(self, account_id: str, browser: Browser) -> None:
        browser.get("/budgets")
        for n in range(8):
            browser.post("/budgets", {**FORM, "name": f"b{n}"})
        answer = browser.post("/budgets", FORM)
        assert answer.status == 409
        assert "At most 8 budgets can apply to one request." in answer.text
        assert browser.post("/budgets/bud_1/delete").status == 404

    def test_a_viewer_reads(self, ada: Browser) -> None:
        ada.get("/budgets")
        ada.post("/budgets", FORM)
        bob = member(ada, "viewer")
        text = bob.get("/budgets").text.partition("<main")[2].partition("</main>")[0]
        assert "Free users" in text
        assert "dialog" not in text
        assert "New budget" not in text
