"""The page of sub-accounts through the handler of `functions/dashboard`."""

from tests.functional.dashboard.test_dashboard_budgets import problems, words
from tests.functional.dashboard.test_dashboard_members import member
from tests.support.dashboard import Browser
from tollgate.composition import api as api_parts
from tollgate.ledger.entries import Entry, EntryKind

FORM = {"name": "<i>Acme", "markup": "20"}


class TestSubaccounts:
    def test_create_and_move_money(self, account_id: str, browser: Browser) -> None:
        ledger, accounts = api_parts.api().tasks.ledger, api_parts.api().subaccounts
        ledger.credit(Entry(account_id, "credit_1", EntryKind.CREDIT, 1_000_000, 1))
        assert "No sub-accounts yet" in words(browser.get("/subaccounts"))
        assert problems(browser.post("/subaccounts", {"name": "A", "markup": "x"}))["markup"]
        answer = browser.post("/subaccounts", FORM)
        assert (answer.status, "<i>Acme" in answer.text) == (200, False)
        (child,) = (each["id"] for each in accounts.page(account_id, {})["subaccounts"])
        path, once = f"/subaccounts/{child}/credit", {"once": "form_1", "direction": "give"}
        assert problems(browser.post(path, {**once, "amount": "x"}), child)["amount"]
        assert "does not cover" in problems(browser.post(path, {**once, "amount": "9000"}), child)["amount"]
        # A form that is sent twice moves money once.
        for _ in range(2):
            assert "$0.40" in words(browser.post(path, {**once, "amount": "0.40", "reason": "Order 1"}))
        taken = browser.post(path, {"once": "form_2", "direction": "take", "amount": "0.10"})
        assert "$0.30" in words(taken)
        assert accounts.one(account_id, child)["balance"] == 30

    def test_only_an_owner_moves_money(self, account_id: str, browser: Browser) -> None:
        viewer = member(browser, "developer")
        assert viewer.get("/subaccounts").status == 200
        assert viewer.post("/subaccounts", FORM).status == 403
