"""The dashboard in a real browser: a customer's whole way, and what is on its pages besides."""

import re
import time

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.checks import violations
from tests.browser.conftest import RESULT_TIMEOUT_MS, ask, generate, new_key, picture, say
from tests.support.samples import PAID_IMAGE
from tollgate.web.prompts import PROMPTS

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

REVOKED_WITHIN_S = 30.0
# Statistics come a moment after the ledger that they are made of.
COUNTED_WITHIN_S = 30.0


class TestACustomersWay:
    def test_from_credit_to_an_image_of_ones_own_its_cost_a_key_a_talk_and_the_receipt(
        self, page: Page, base_url: str
    ) -> None:
        page.goto("/dashboard/top-up")
        page.get_by_role("button", name="Pay 25 US dollars").click()
        # The page of the simulated Stripe
        page.get_by_role("button", name="Pay $25.00").click()
        expect(page.locator("p.notice")).to_contain_text("$25.00 was added", timeout=RESULT_TIMEOUT_MS)
        expect(page.locator("#balance")).to_have_text("$125.00")

        page.goto("/dashboard/playground/z-image")
        page.locator("input[type=file]").set_input_files(picture())
        expect(page.get_by_role("button", name="Remove boat.png")).to_be_visible()
        page.get_by_label("Prompt").fill("the same boat, blue")
        expect(page.locator("#a-price")).to_contain_text("The exact charge")
        generate(page)
        expect(page.locator("#balance")).to_have_text("$124.99")

        key = new_key(page, "Shop", cap_usd="0.02")
        answers = [ask(base_url, key) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 402]
        assert answers[2].json()["error"]["code"] == "spending_cap_reached"

        page.goto("/dashboard/chat?model=claude-haiku-4-5")
        page.locator("#chat[data-ready]").wait_for()
        say(page, "Say hello [[tokens 20]]")
        paid = re.findall(r"\$[\d.]+", page.locator(".bubble.assistant small").inner_text())[0]

        page.goto("/dashboard/activity")
        rows = page.locator("table.activity tbody tr")
        end = time.monotonic() + COUNTED_WITHIN_S
        while rows.count() < 4:
            assert time.monotonic() < end, "there are requests missing"
            time.sleep(0.5)
            page.reload()
        expect(rows.filter(has_text="claude-haiku-4-5")).to_contain_text(paid)
        made = rows.filter(has_text=PAID_IMAGE)
        expect(made).to_have_count(3)
        expect(made.filter(has_text="Shop")).to_have_count(2)
        for row in made.all():
            expect(row).to_contain_text("$0.01")

        page.goto("/dashboard/top-up")
        page.get_by_role("link", name="Receipt").click()
        expect(page.get_by_text("Amount paid: $25.00")).to_be_visible()

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
        me = f"{base_url}/api/v1/user/me"
        while httpx.get(me, headers={"authorization": f"Bearer {key}"}, timeout=30).status_code != 401:
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


class TestMoreOfThePages:
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


class TestTheChart:
    def test_a_day_is_shown_by_keyboard_and_by_pointer(self, page: Page, base_url: str) -> None:
        assert ask(base_url, new_key(page, "Shop")).status_code == 200
        plot, card = page.locator("[data-plot]"), page.locator("[data-day-card]")
        end = time.monotonic() + COUNTED_WITHIN_S
        page.goto("/dashboard/activity?by=key&metric=requests")
        while not page.locator("[data-amount]").count():
            assert time.monotonic() < end, "the request is not counted"
            time.sleep(0.5)
            page.reload()
        plot.focus()
        expect(card).to_contain_text("Shop")
        page.keyboard.press("Home")
        expect(card).to_contain_text("Total")
        expect(card).not_to_contain_text("Shop")
        page.keyboard.press("End")
        expect(card).to_contain_text("Shop")
        page.get_by_role("heading", name="Activity").click()
        expect(card).to_be_hidden()
        box = plot.bounding_box()
        assert box is not None
        plot.hover(position={"x": box["width"] - 5, "y": 50})
        expect(card).to_contain_text("Shop")


class TestFirstSteps:
    def test_each_is_one_click_from_its_form(self, page: Page) -> None:
        page.get_by_role("link", name="Create an API key").click()
        expect(page.locator("#new-key").get_by_label("Name")).to_be_visible()
        page.reload()
        expect(page.locator("#new-key")).to_be_hidden()
        page.goto("/dashboard")
        page.get_by_role("link", name="Generate a first image").click()
        expect(page.get_by_label("Prompt").first).to_have_value(PROMPTS["IMAGE"][0])


class TestThePalette:
    def test_a_model_is_opened_by_keyboard_alone(self, page: Page) -> None:
        page.goto("/dashboard", wait_until="networkidle")
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox")).to_be_focused()
        page.locator("#palette li[data-words]").nth(9).wait_for(state="attached")
        page.keyboard.type("kling 3.0 tur")
        expect(page.locator("#palette [aria-selected=true]")).to_have_text(re.compile("Kling 3.0 Turbo"))
        assert violations(page) == []
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Kling 3.0 Turbo")).to_be_visible()

    def test_each_page_of_both_menus_is_in_it_once(self, page: Page) -> None:
        page.goto("/dashboard", wait_until="networkidle")
        page.keyboard.press("Control+k")
        page.locator("#palette li[data-words]").nth(9).wait_for(state="attached")
        for path in ("members", "exports", "settings", "statements", "audit", "subaccounts", "workflows"):
            expect(page.locator(f"#palette li[data-href$='/dashboard/{path}']")).to_have_count(1)
        expect(page.locator("#palette li").first).to_have_text(re.compile("^Overview"))
        page.keyboard.type("audit")
        expect(page.locator("#palette [aria-selected=true]")).to_have_text(re.compile("Audit log"))

    def test_a_page_of_the_docs_is_found_by_a_word_on_it_and_tasks_by_any_words(self, page: Page) -> None:
        page.goto("/dashboard", wait_until="networkidle")
        page.keyboard.press("Control+k")
        page.locator("#palette li[data-body]").first.wait_for(state="attached")
        page.keyboard.type("hmac")
        expect(page.locator("#palette [role=option]:visible").filter(has_text="Webhooks")).to_have_count(1)
        page.keyboard.press("ArrowUp")
        expect(page.locator("#palette [aria-selected=true]")).to_have_text("Search all tasks for “hmac”")
        page.keyboard.press("Enter")
        expect(page.get_by_role("searchbox", name="Search", exact=True)).to_have_value("hmac")


class TestSettings:
    def test_they_are_saved_and_another_session_is_ended(self, page: Page, chromium: Browser) -> None:
        # The menu is closed, so its text is not visible.
        email = str(page.locator(".account-menu .small.muted").text_content()).strip()
        other = chromium.new_context(base_url=page.url.partition("/dashboard")[0], timezone_id="Asia/Tokyo")
        second = other.new_page()
        second.goto("/dashboard/sign-in")
        second.get_by_label("Email").fill(email)
        second.get_by_role("button", name="Continue").click()
        second.get_by_role("heading", name="Overview").wait_for()
        second.goto("/dashboard/settings")
        second.get_by_label("Display name").fill("Ada Lovelace")
        second.get_by_role("button", name="Use the time zone of this browser").click()
        second.get_by_label("Theme").select_option("dark")
        second.get_by_role("button", name="Save").click()
        expect(second.locator("#toasts")).to_have_text("Your settings are saved.")
        expect(second.locator("html")).to_have_attribute("data-theme", "dark")
        expect(second.get_by_text("JST").first).to_be_visible()
        page.goto("/dashboard/settings")
        expect(page.get_by_label("Display name")).to_have_value("Ada Lovelace")
        page.get_by_role("button", name="End session").click()
        expect(page.locator("#toasts")).to_have_text("The session is ended.")
        second.reload()
        expect(second.get_by_role("heading", name="Sign in")).to_be_visible()
        other.close()
