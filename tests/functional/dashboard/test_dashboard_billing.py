"""Billing details, invoices and the saved card through the handler of `functions/dashboard`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from tests.conftest import Aws
from tests.functional.dashboard.test_dashboard_members import member
from tests.functional.dashboard.test_dashboard_top_up import with_stripe
from tests.functional.test_payments import send
from tests.support.dashboard import Browser
from tests.support.http_server import Received, Reply, http_server
from tests.support.payments import CHECKOUT_URL, SESSION, event, session
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.low_balance.rules import TopUpState

DETAILS = {
    "company": "Lighthouse GmbH",
    "address": "Hafen 1\r\n20457 Hamburg",
    "tax_id": "DE123456789",
    "order": "PO-7",
}
CARD = {"id": "pm_1", "object": "payment_method", "type": "card"}
VISA = {"brand": "visa", "last4": "4242", "exp_month": 3, "exp_year": 2031}
JSON = {"content-type": "application/json"}


@contextmanager
def stripe(asked: list[tuple[str, str, dict[str, str]]]) -> Iterator[str]:
    """Answer as Stripe's API does about one customer with one card, until they are deleted."""

    def answer(request: Received) -> Reply:
        path = request.path.partition("?")[0]
        asked.append((request.method, path, dict(parse_qsl(request.body.decode()))))
        is_gone = ("DELETE", "/v1/customers/cus_1", {}) in asked
        found = {
            "/v1/checkout/sessions": {"id": SESSION, "object": "checkout.session", "url": CHECKOUT_URL},
            f"/v1/checkout/sessions/{SESSION}": {
                "id": SESSION,
                "object": "checkout.session",
                "invoice": {"id": "in_1", "object": "invoice", "hosted_invoice_url": f"{CHECKOUT_URL}/in_1"},
            },
            "/v1/customers/cus_1/payment_methods": {
                "object": "list",
                "data": [] if is_gone else [{**CARD, "card": VISA}],
                "has_more": False,
                "url": "/v1/payment_methods",
            },
            "/v1/customers/cus_1": {"id": "cus_1", "object": "customer", "deleted": True},
        }[path]
        return Reply(200, json.dumps(found).encode(), JSON)

    with http_server(answer) as url:
        yield url.removesuffix("/hook")


class TestDetails:
    def test_they_are_on_the_statement_and_on_the_next_invoice(
        self, aws: Aws, browser: Browser, account_id: str
    ) -> None:
        assert "Billed to" not in browser.get("/statements").text
        assert browser.post("/top-up/billing", DETAILS).headers["hx-redirect"].endswith("/dashboard/top-up")
        assert 'value="Lighthouse GmbH"' in browser.get("/top-up").text
        shown = browser.get("/statements").text
        for text in ("Billed to", "Lighthouse GmbH", "20457 Hamburg", "Tax ID: DE123456789", "PO-7"):
            assert text in shown
        asked: list[tuple[str, str, dict[str, str]]] = []
        with stripe(asked) as url:
            with_stripe(aws, url)
            browser.post("/top-up", {"amount": "25"})
        sent = asked[0][2]
        on_invoice = {name: value for name, value in sent.items() if name.startswith("invoice_creation")}
        start = "invoice_creation[invoice_data]"
        assert on_invoice == {
            "invoice_creation[enabled]": "true",
            f"{start}[custom_fields][0][name]": "Company",
            f"{start}[custom_fields][0][value]": "Lighthouse GmbH",
            f"{start}[custom_fields][1][name]": "Tax ID",
            f"{start}[custom_fields][1][value]": "DE123456789",
            f"{start}[custom_fields][2][name]": "Purchase order",
            f"{start}[custom_fields][2][value]": "PO-7",
            f"{start}[footer]": "Billed to:\nHafen 1\n20457 Hamburg",
        }
        # The same details again are no change.
        browser.post("/top-up/billing", DETAILS)
        acts = [line.action for line in api_parts.api().audit.page(account_id).rows]
        assert acts.count(Action.BILLING_CHANGED) == 1

    def test_each_problem_is_named_with_its_field(self, browser: Browser, account_id: str) -> None:
        wrong = {"company": "x" * 141, "address": "a\x07b", "tax_id": "DE\n1", "order": "PO-7"}
        answer = browser.post("/top-up/billing", wrong)
        beside = json.loads(answer.headers["x-field-problems"])
        assert (answer.status, set(beside)) == (400, {"company", "address", "tax_id"})
        assert beside["company"] == "Has 141 characters. Allowed: at most 140."
        assert dashboard_parts.dashboard().billing.details(account_id).is_empty

    def test_only_those_who_pay_change_them(self, ada: Browser) -> None:
        assert member(ada, "developer").post("/top-up/billing", DETAILS).status == 403


class TestTheCard:
    def test_it_is_shown_and_removed_with_automatic_top_ups(
        self, aws: Aws, browser: Browser, account_id: str
    ) -> None:
        asked: list[tuple[str, str, dict[str, str]]] = []
        with stripe(asked) as url:
            with_stripe(aws, url)
            metadata = {"tollgate_account": account_id, "tollgate_cents": "2500", "tollgate_saved": "1"}
            assert send(event(session(account_id, 2_500, customer="cus_1", metadata=metadata)))[0] == 200
            low = {"threshold": "10", "emails": "ada@example.com", "amount": "20", "monthly": "40"}
            browser.post("/top-up/low-balance", low)
            assert "Visa ending in 4242" in browser.get("/top-up/card").text
            assert "03/2031" in browser.get("/top-up/card").text
            path = f"/top-up/invoices/credit_{SESSION}"
            assert path in browser.get("/top-up").text
            invoice = browser.get(path)
            assert (invoice.status, invoice.headers["location"]) == (303, f"{CHECKOUT_URL}/in_1")
            assert browser.get("/top-up/invoices/credit_cs_test_other").status == 404
            for _ in range(2):
                assert browser.post("/top-up/card/remove").status == 200
            assert [call for call in asked if call[0] == "DELETE"] == [("DELETE", "/v1/customers/cus_1", {})]
            assert "No saved card" in browser.get("/top-up/card").text
        state = api_parts.api().low_balance.get(account_id)
        assert (state.customer, state.settings.top_up_cents) == (None, 0)
        assert state.settings.threshold_cents == 1_000
        acts = [line.action for line in api_parts.api().audit.page(account_id).rows]
        assert acts.count(Action.CARD_REMOVED) == 1

    def test_it_stays_while_a_top_up_is_in_progress(
        self, account_id: str, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        low = api_parts.api().low_balance
        low.save_customer(account_id, "cus_1")
        state = low.low_balances.get(account_id)
        low.low_balances.save(state, replace(state, top_up=TopUpState.DUE), [])
        assert browser.post("/top-up/card/remove").status == 429
        assert low.get(account_id).customer == "cus_1"
