"""The operator console in a real browser: suspend and resume, and a price that moves an estimate."""

import time

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.checks import violations
from tests.browser.conftest import ask, new_key
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

# Every process reads the catalog's document once a minute.
MOVED_WITHIN_S = 90.0


def estimate_cents(base_url: str, key: str) -> int:
    body = {"model": PAID_IMAGE, "input": {"prompt": "a boat", "size": "1:1"}}
    headers = {"authorization": f"Bearer {key}"}
    answer = httpx.post(f"{base_url}/api/v1/generation/estimate", json=body, headers=headers, timeout=30)
    return int(answer.json()["data"]["price"])


def wait_for_estimate(base_url: str, key: str, cents: int) -> None:
    """Wait until the estimate is so much."""
    end = time.monotonic() + MOVED_WITHIN_S
    while estimate_cents(base_url, key) != cents:
        assert time.monotonic() < end, f"the estimate is not {cents} cents"
        time.sleep(1)


class TestConsole:
    def test_a_suspended_customer_is_refused_until_resumed(
        self, console: Page, page: Page, base_url: str
    ) -> None:
        key = new_key(page, "Shop")
        page.goto("/dashboard")
        account_id = page.locator("text=/usr_[0-9A-Z]{26}/").first.inner_text()
        console.get_by_role("searchbox", name="Search").fill(account_id)
        console.get_by_role("button", name="Find").click()
        console.locator("tbody a").first.click()
        status_form = console.locator("form", has=console.get_by_role("heading", name="Status"))
        status_form.get_by_label("Reason").fill("A chargeback")
        status_form.get_by_role("button", name="Suspend").click()
        expect(console.locator("form .chip.failed")).to_have_text("Suspended")
        refused = ask(base_url, key)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "account_suspended")
        assert violations(console) == []
        console.get_by_role("button", name="Resume").click()
        expect(console.get_by_role("button", name="Suspend")).to_be_visible()
        assert ask(base_url, key).status_code == 200

    def test_the_question_before_a_credit_names_its_amount(self, console: Page, page: Page) -> None:
        account_id = page.locator("text=/usr_[0-9A-Z]{26}/").first.inner_text()
        console.goto(f"/admin/accounts/{account_id}")
        asked: list[str] = []
        console.on("dialog", lambda dialog: asked.append(dialog.message))
        form = console.locator("form", has=console.get_by_role("heading", name="Credit"))
        for label, value in {"Amount": "2.50", "Reference": "ticket-1", "Reason": "Late"}.items():
            form.get_by_label(label).fill(value)
        form.get_by_role("button", name="Credit").click()
        expect(console.get_by_text("$2.50 credited.")).to_be_visible()
        assert [question.partition(" to ")[0] for question in asked] == ["Credit $2.50"]

    def test_a_price_is_shown_then_changed_and_the_estimate_moves(
        self, console: Page, page: Page, base_url: str
    ) -> None:
        key = new_key(page, "Shop")
        assert estimate_cents(base_url, key) == 1
        try:
            change_price(console, "0.02")
            wait_for_estimate(base_url, key, 2)
        finally:
            change_price(console, "0.01")
        wait_for_estimate(base_url, key, 1)


def change_price(console: Page, usd: str) -> None:
    """Change the one price of the paid image in the console."""
    console.goto(f"/admin/models/{PAID_IMAGE}")
    console.get_by_label("default").fill(usd)
    console.get_by_role("button", name="Preview").click()
    console.get_by_role("heading", name="Changes").wait_for()
    with console.expect_navigation():
        console.get_by_role("button", name="Change prices").click()
