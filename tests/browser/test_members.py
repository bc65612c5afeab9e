"""An invitation in a real browser, from the owner's page to what the new member may do."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from ulid import ULID

from tests.browser.checks import faults
from tests.browser.conftest import DESKTOP

pytestmark = [pytest.mark.browser, pytest.mark.ministack]


@pytest.fixture
def guest(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Return a page of somebody who has not signed in."""
    context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
    yield context.new_page()
    context.close()


def invite(page: Page, email: str, role: str) -> str:
    """Invite an address on the members' page; return the link that it shows."""
    page.goto("/dashboard/members")
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("Email").fill(email)
    page.locator("#invite select").select_option(role)
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_role("heading", name=f"{email} is invited")).to_be_visible()
    return page.locator(".fresh code").inner_text()


class TestInvitation:
    def test_from_the_link_to_what_the_member_may_do(self, page: Page, guest: Page) -> None:
        email = f"{ULID()}@example.com".lower()
        page.goto("/dashboard")
        account_id = page.locator("text=/usr_[0-9A-Z]{26}/").first.inner_text()
        link = invite(page, email, "viewer")
        assert faults(page) == []

        guest.goto(link)
        expect(guest.get_by_text(f"Sign in with {email} to accept")).to_be_visible()
        assert faults(guest) == []
        guest.get_by_role("link", name="Sign in").last.click()
        guest.get_by_label("Email").fill(email)
        guest.get_by_role("button", name="Continue").click()
        guest.get_by_role("button", name="Accept").click()
        expect(guest.get_by_role("heading", name="Overview")).to_be_visible()
        expect(guest.get_by_text(account_id)).to_be_visible()

        # A viewer: no playground in the menu, no new key.
        side = guest.get_by_role("navigation", name="Pages", exact=True)
        expect(side.get_by_role("link", name="Playground")).to_have_count(0)
        guest.goto("/dashboard/keys")
        expect(guest.get_by_role("button", name="New key")).to_have_count(0)
        guest.goto("/dashboard/chat")
        expect(guest.get_by_role("heading", name="No access")).to_be_visible()
        expect(guest.get_by_text("Your role in this account, viewer")).to_be_visible()
        assert faults(guest) == []

        page.goto("/dashboard/members")
        with page.expect_response("**/members/role"):
            page.get_by_label(f"Role of {email}").select_option("developer")
        expect(page.get_by_label(f"Role of {email}")).to_have_value("developer")
        guest.goto("/dashboard/keys")
        guest.get_by_role("button", name="New key").first.click()
        guest.get_by_label("Name").fill("Theirs")
        guest.get_by_role("button", name="Create key").click()
        expect(guest.locator("#new-secret")).to_be_visible()

        # Back in their own account, and removed from the other with their key.
        guest.locator("select.accounts").select_option(label=email)
        guest.wait_for_url("**/dashboard")
        expect(guest.get_by_text(account_id)).to_have_count(0)
        page.goto("/dashboard/members")
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_label("and revoke their key").check()
        assert faults(page) == []
        page.get_by_role("button", name=f"Remove {email}").click()
        expect(page.get_by_label(f"Role of {email}")).to_have_count(0)
        page.goto("/dashboard/keys")
        expect(page.get_by_role("heading", name="No keys yet")).to_be_visible()
