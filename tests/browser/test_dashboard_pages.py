"""The dashboard in a real browser: a customer's whole way, and what every page must keep to."""

import json
import time
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.browser, pytest.mark.ministack, pytest.mark.xdist_group("browser")]

AXE = Path(__file__).parent / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGES = (
    "",
    "/playground",
    "/playground/seedance-2.0",
    "/playground/suno?beside=z-image",
    "/chat",
    "/activity",
    "/audit",
    "/tasks",
    "/catalog",
    "/catalog/kling-3.0",
    "/catalog/compare?model=kling-3.0&model=seedance-2.0&model=z-image&model=gpt-5.4-mini",
    "/keys",
    "/webhooks",
    "/top-up",
)
REVOKED_WITHIN_S = 30.0
# Statistics come a moment after the ledger that they are made of.
COUNTED_WITHIN_S = 30.0
RESULT_TIMEOUT_MS = 60_000
# Compressed, as the gateway sends them; files of media are not counted.
MAX_PAGE_BYTES = 150_000


def violations(page: Page) -> list[Any]:
    """Return what axe-core finds on the page as it is now."""
    # By the debugger: the page's own policy forbids scripts from elsewhere.
    debugger = page.context.new_cdp_session(page)
    debugger.send("Runtime.evaluate", {"expression": AXE.read_text()})
    run = f"axe.run(document, {{runOnly: {json.dumps(RULES)}}}).then(JSON.stringify)"
    answer = debugger.send(
        "Runtime.evaluate", {"expression": run, "awaitPromise": True, "returnByValue": True}
    )
    found = json.loads(answer["result"]["value"])
    assert found["passes"], "axe-core looked at nothing"
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]]


def ask(base_url: str, key: str) -> httpx.Response:
    """Order a picture with a key, as a program does."""
    body = {"model": PAID_IMAGE, "input": {"prompt": "a boat", "size": "1:1"}}
    headers = {"authorization": f"Bearer {key}"}
    return httpx.post(f"{base_url}/api/v1/generation/create", json=body, headers=headers, timeout=30)


def new_key(page: Page, name: str) -> str:
    """Make a key on its page; give its secret."""
    page.goto("/dashboard/keys")
    page.get_by_role("button", name="New key").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create key").click()
    return page.locator("#new-secret").inner_text()


class TestACustomersWay:
    def test_from_a_key_to_a_charge_a_clip_and_the_end_of_the_key(self, page: Page, base_url: str) -> None:
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()

        key = new_key(page, "Shop")
        assert ask(base_url, key).status_code == 200

        page.goto("/dashboard")
        chart = page.locator("[data-chart=series]")
        end = time.monotonic() + COUNTED_WITHIN_S
        while not chart.count():
            assert time.monotonic() < end, "the charge is not in the statistics"
            time.sleep(0.5)
            page.reload()
        expect(chart.get_by_role("listitem").filter(has_text=PAID_IMAGE)).to_contain_text("$0.01")
        expect(page.locator("[data-chart=day] rect[x]").first).to_have_attribute("height", "100.000")

        page.goto("/dashboard/playground/seedance-1.5-pro")
        page.get_by_label("Prompt").fill("waves roll in")
        expect(page.locator("#a-price")).to_contain_text("$0.10")
        page.get_by_role("button", name="Generate").click()
        clip = page.locator("#a-result video")
        clip.wait_for(timeout=RESULT_TIMEOUT_MS)
        page.wait_for_function(
            "() => document.querySelector('#a-result video').readyState >= 1", timeout=RESULT_TIMEOUT_MS
        )
        assert clip.evaluate("(video) => video.duration") == pytest.approx(4, abs=0.2)
        expect(page.locator("#balance")).to_have_text("$99.89")

        page.goto("/dashboard/keys")
        assert key not in page.content()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Revoke Shop").click()
        expect(page.get_by_role("heading", name="No keys yet")).to_be_visible()
        end = time.monotonic() + REVOKED_WITHIN_S
        while ask(base_url, key).status_code != 401:
            assert time.monotonic() < end, "the key still works"
            time.sleep(0.5)

    def test_the_theme_stays_as_it_was_chosen(self, page: Page) -> None:
        ground = "() => getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(ground)
        page.get_by_role("button", name="Switch between light and dark").click()
        dark = page.evaluate(ground)
        assert dark != light
        page.reload()
        assert page.evaluate(ground) == dark


class TestEveryPage:
    @pytest.mark.parametrize(("theme", "size"), [("light", DESKTOP), ("dark", PHONE)])
    def test_axe_finds_nothing_and_it_fits_the_screen(
        self, page: Page, base_url: str, theme: Literal["light", "dark"], size: ViewportSize
    ) -> None:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size(size)
        assert ask(base_url, new_key(page, "Pictures")).status_code == 200
        page.goto("/dashboard/tasks")
        task = page.locator(".task-card a").first.get_attribute("href") or ""
        for path in (*PAGES, task.removeprefix("/dashboard")):
            page.goto(f"/dashboard{path}")
            assert violations(page) == [], path
            too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert page.evaluate(too_wide) is False, path

    def test_the_dialog_for_a_key_too(self, page: Page) -> None:
        page.goto("/dashboard/keys")
        page.get_by_role("button", name="New key").first.click()
        page.get_by_text("Models and networks").click()
        assert violations(page) == []

    def test_the_page_that_changes_a_key_too(self, page: Page) -> None:
        new_key(page, "Shop to be changed")
        page.get_by_role("link", name="Edit Shop to be changed").click()
        page.get_by_text("Models and networks").click()
        assert violations(page) == []
        page.get_by_label("Name").fill("Web")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Web", exact=True)).to_be_visible()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Revoke Web").click()

    def test_none_is_heavy(self, page: Page) -> None:
        for path in PAGES:
            page.goto(f"/dashboard{path}", wait_until="load")
            sizes = page.evaluate(
                """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
                    .filter((one) => !["img", "video", "audio"].includes(one.initiatorType))
                    .map((one) => one.encodedBodySize)"""
            )
            assert 0 < sum(sizes) < MAX_PAGE_BYTES, path

    def test_without_signing_in_the_sign_in_and_the_catalog_are_there(
        self, chromium: Browser, base_url: str
    ) -> None:
        context = chromium.new_context(base_url=base_url)
        stranger = context.new_page()
        stranger.goto("/dashboard/keys")
        expect(stranger.get_by_role("heading", name="Sign in to Tollgate")).to_be_visible()
        assert violations(stranger) == []
        stranger.goto("/dashboard/catalog")
        count = stranger.locator("#models [role=status]")
        before = count.inner_text()
        stranger.get_by_label("Search").fill("kling 4k")
        expect(count).not_to_have_text(before)
        stranger.get_by_label("Compare").first.check()
        stranger.get_by_label("Search").fill("seedance")
        stranger.get_by_label("Compare Seedance 2.5").check()
        assert violations(stranger) == []
        stranger.get_by_role("button", name="Compare").click()
        expect(stranger.get_by_role("heading", name="Compare models")).to_be_visible()
        expect(stranger.locator("thead th")).to_have_count(2)
        context.close()
