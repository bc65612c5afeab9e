"""The landing page and the docs in a real browser, for who is not signed in."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.checks import violations
from tests.browser.conftest import DESKTOP
from tests.support.samples import PAID_BODY

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value)))
    .observe({ type: "layout-shift", buffered: true });"""


@pytest.fixture
def stranger(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Return a page of somebody who is not signed in; it must not complain to the end."""
    context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    yield opened
    context.close()
    assert complaints == []


class TestLanding:
    def test_the_players_have_controls_and_nothing_moves(self, stranger: Page) -> None:
        stranger.add_init_script(SHIFTS)
        stranger.goto("/", wait_until="networkidle")
        for kind in ("video", "audio"):
            expect(stranger.locator(kind)).to_have_js_property("controls", True)
        stranger.locator("audio").scroll_into_view_if_needed()
        assert stranger.evaluate("shifts") == []


class TestDocs:
    def test_the_search_finds_a_model_and_opens_it_with_the_keyboard(self, stranger: Page) -> None:
        stranger.goto("/docs")
        stranger.get_by_role("combobox", name="Search the docs").fill("kling 3.0")
        expect(stranger.get_by_role("option").first).to_contain_text("Kling 3.0")
        assert violations(stranger) == []
        stranger.keyboard.press("Enter")
        stranger.wait_for_url("**/models/kling-3.0*")

    def test_the_search_makes_typos_good_and_says_so(self, stranger: Page) -> None:
        stranger.goto("/docs")
        field = stranger.get_by_role("combobox", name="Search the docs")
        for typed, word, title in (("webhok", "webhook", "Webhook"), ("vidoe", "video", "Video")):
            field.fill(typed)
            expect(stranger.get_by_role("option").first).to_have_text(re.compile(f"Results for “{word}s?”"))
            expect(stranger.locator("#found [aria-selected=true]")).to_contain_text(title)
        field.fill("qwzxv")
        expect(stranger.get_by_role("option")).to_have_text(["Nothing found"])

    def test_a_page_with_a_code_in_its_address_shows_the_row_of_the_code(self, stranger: Page) -> None:
        stranger.goto("/docs/errors#storage_busy")
        expect(stranger.locator("tr:target")).to_contain_text("storage_busy")
        expect(stranger.locator("tr:target")).to_be_in_viewport()

    def test_the_contents_show_where_the_reader_is(self, stranger: Page) -> None:
        stranger.goto("/docs/api/createChatCompletion")
        contents = stranger.get_by_role("navigation", name="Docs")
        expect(contents.locator("[aria-current=page]")).to_be_in_viewport()

    def test_a_long_page_leads_to_its_sections(self, chromium: Browser, base_url: str) -> None:
        context = chromium.new_context(viewport={"width": 1440, "height": 900}, base_url=base_url)
        page = context.new_page()
        page.goto("/docs/webhooks")
        page.get_by_role("navigation", name="On this page").get_by_role("link", name="Attempts").click()
        expect(page.get_by_role("heading", name="Attempts")).to_be_in_viewport()
        context.close()

    def test_without_scripts_all_languages_and_the_contents_are_there(
        self, chromium: Browser, base_url: str
    ) -> None:
        context = chromium.new_context(viewport=DESKTOP, base_url=base_url, java_script_enabled=False)
        page = context.new_page()
        page.goto("/docs/image")
        for language in ("curl", "TypeScript"):
            expect(page.locator(f"pre[data-code='{language}']").first).to_be_visible()
        page.get_by_text("Contents", exact=True).click()
        expect(page.get_by_role("link", name="Webhooks").first).to_be_visible()
        context.close()

    def test_a_language_stays_chosen_where_a_page_has_it(self, stranger: Page) -> None:
        stranger.goto("/models/test-image")
        stranger.get_by_role("button", name="Python, httpx").click()
        stranger.goto("/models/kling-3.0")
        expect(stranger.locator("pre[data-code='Python, httpx']")).to_be_visible()
        stranger.goto("/docs/chat")
        expect(stranger.locator("pre").first).to_be_visible()

    def test_a_request_is_tried_with_ones_own_key(self, stranger: Page, service: dict[str, Any]) -> None:
        stranger.goto("/docs/api/estimateGeneration")
        box = stranger.get_by_role("region", name="Try it")
        box.get_by_label("API key").fill(service["apiKey"])
        box.get_by_label("Body").fill(json.dumps(PAID_BODY))
        box.get_by_role("button", name="POST").click()
        expect(box.get_by_role("status")).to_contain_text("200")
        # Published: one cent an image
        assert json.loads(box.locator("pre").inner_text())["data"]["price"] == 1
        assert violations(stranger) == []
        stranger.goto("/docs/api/createChatCompletion")
        box.get_by_label("API key").fill(service["apiKey"])
        body = {"model": "test-chat", "messages": [{"role": "user", "content": "<i>hi</i>"}], "stream": True}
        box.get_by_label("Body").fill(json.dumps(body))
        box.get_by_role("button", name="POST").click()
        expect(box.locator("pre")).to_contain_text("data: [DONE]")
        assert box.locator("pre i").count() == 0
