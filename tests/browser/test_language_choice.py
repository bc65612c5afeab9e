"""The pages in another language: chosen, kept, spoken by scripts too, and never wider than a phone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PHONE
from tollgate.web.languages import TRANSLATED

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

PAGES = (
    *(
        "",
        "/playground/seedance-2.0",
        "/chat",
        "/activity",
        "/tasks",
        "/catalog",
        "/keys",
        "/projects",
        "/tokens",
    ),
    *("/budgets", "/webhooks", "/exports", "/top-up", "/members", "/statements", "/audit", "/subaccounts"),
)


def test_a_choice_is_kept_and_scripts_speak_it(page: Page) -> None:
    page.goto("/dashboard/catalog")
    page.locator(".account-menu summary").click()
    page.get_by_role("combobox", name="Language").select_option("ja")
    expect(page.get_by_role("heading", name="カタログ")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "ja"
    page.locator("[data-compared]").first.check()
    expect(page.locator("#compare [data-count]")).to_contain_text("もう 1 つ選択")
    page.goto("/dashboard/keys")
    page.get_by_role("button", name="新しいキー").first.click()
    page.get_by_label("名前").fill("Web")
    page.get_by_role("button", name="キーを作成").click()
    expect(page.get_by_role("heading", name="Web の準備ができました")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", name="画像、動画、音楽、テキストを 1 つの API で")).to_be_visible()
    page.get_by_role("combobox", name="言語").select_option("en")
    expect(page.get_by_role("heading", name="One API for images, video, music and text")).to_be_visible()


def test_an_address_has_a_language_until_another_is_chosen(page: Page) -> None:
    page.goto("/?lang=de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_role("combobox", name="Sprache").select_option("fr")
    page.wait_for_url("**/")
    expect(page.locator("html")).to_have_attribute("lang", "fr")


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_page_is_wider_than_a_phone(chromium: Browser, base_url: str, page: Page, language: str) -> None:
    context = chromium.new_context(
        viewport=PHONE, base_url=base_url, locale=language, storage_state=page.context.storage_state()
    )
    phone = context.new_page()
    too_wide = []
    for path in PAGES:
        phone.goto(f"/dashboard{path}")
        if phone.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            too_wide.append(path)
    context.close()
    assert too_wide == []
