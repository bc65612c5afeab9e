"""The playground in a real browser: files, links, two models, what is wrong, cancel."""

import base64
import json
import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checks import violations
from tests.browser.conftest import PHONE, RESULT_TIMEOUT_MS, generate, picture

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

# On the page beside every field; a browser that is not kept from it opens the file instead.
DROP_ANYWHERE = """([event, holder, encoded, name]) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
    data.items.add(new File([bytes], name, { type: "image/png" }));
    const made = event === "paste" ? ClipboardEvent : DragEvent;
    const sent = new made(event, { [holder]: data, bubbles: true, cancelable: true });
    if (document.querySelector("h1").dispatchEvent(sent)) throw new Error("the browser would open the file");
}"""


class TestPlayground:
    def test_from_an_upload_to_a_result_that_is_worked_on_by_another_model(self, page: Page) -> None:
        page.goto("/dashboard/playground/z-image")
        expect(page.locator("#a-price")).to_contain_text("$0.01")
        expect(page.locator("#a-price")).to_contain_text("Enter a prompt")
        page.locator("input[type=file]").set_input_files(picture())
        expect(page.get_by_role("button", name="Remove boat.png")).to_be_visible()
        page.get_by_label("Prompt").fill("make it blue")
        expect(page.locator("#a-price")).to_contain_text("The exact charge")
        assert violations(page) == []
        generate(page)
        expect(page.locator("#balance")).to_have_text("$99.99")
        expect(page.locator(".strip img")).to_have_count(1)
        assert violations(page) == []

        page.get_by_role("button", name="Use as input").click()
        page.get_by_label("Search models").fill("seedance 1.5")
        page.get_by_role("link", name="Seedance 1.5 Pro").click()
        page.wait_for_url(re.compile(r"/playground/seedance-1\.5-pro\?use="))
        expect(page.get_by_role("button", name="Remove").first).to_be_visible()

    def test_the_address_opens_the_same_form_and_two_models_are_asked_for_one_thing(self, page: Page) -> None:
        page.goto("/dashboard/playground/z-image")
        page.get_by_label("Prompt").fill("a red boat")
        page.get_by_label("16:9").check(force=True)
        page.wait_for_url("**/z-image?*input.size=16%3A9*")
        page.reload()
        expect(page.get_by_label("Prompt")).to_have_value("a red boat")
        expect(page.get_by_label("16:9")).to_be_checked()

        page.get_by_role("button", name="Compare").click()
        page.get_by_label("Search models").fill("seedream 4.5")
        expect(page.locator("#picker").get_by_role("link")).to_have_count(1)
        page.keyboard.press("Enter")
        page.wait_for_url("**beside=seedream-4.5*")
        second = page.locator("[data-panel=b]")
        expect(second.get_by_label("Prompt")).to_have_value("a red boat")
        page.locator("[data-panel=a]").get_by_label("Prompt").fill("a green boat")
        expect(second.get_by_label("Prompt")).to_have_value("a green boat")
        page.get_by_role("button", name="Generate both").click()
        for panel in ("a", "b"):
            page.locator(f"#{panel}-result img").first.wait_for(timeout=RESULT_TIMEOUT_MS)

        page.goto("/dashboard/tasks")
        page.locator("[data-gallery] .select").first.click()
        page.get_by_role("button", name="Select all").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        with ZipFile(download.value.path()) as saved:
            assert [name[:5] for name in saved.namelist()] == ["task_", "task_"]
            assert saved.testzip() is None
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("The files were deleted.")).to_have_count(2)

    def test_files_land_wherever_they_are_dropped_and_pasted_and_what_is_no_image_is_refused(
        self, page: Page
    ) -> None:
        page.goto("/dashboard/playground/z-image")
        page.wait_for_load_state("networkidle")
        problem = page.locator("[data-drop] .problem")
        for name, kind, content, said in (
            ("notes.png", "image/png", b"no image at all", "notes.png cannot be read as an image."),
            ("empty.png", "image/png", b"", "empty.png is empty."),
            ("drawing.svg", "image/svg+xml", b"<svg/>", "choose a PNG, JPEG, WebP, GIF or AVIF image"),
        ):
            page.locator("input[type=file]").set_input_files(
                {"name": name, "mimeType": kind, "buffer": content}
            )
            expect(problem).to_contain_text(said)
            expect(page.get_by_role("button", name=f"Remove {name}")).to_have_count(0)
        for event, holder in (("drop", "dataTransfer"), ("paste", "clipboardData")):
            page.evaluate(
                DROP_ANYWHERE, [event, holder, base64.b64encode(picture()["buffer"]).decode(), "boat.png"]
            )
            expect(problem).to_be_empty()
            page.get_by_role("button", name="Remove boat.png").click()

    def test_a_list_of_objects_is_filled_in_row_by_row(self, page: Page) -> None:
        page.goto("/dashboard/playground/seedance-2.0")
        page.get_by_text("More options").click()
        field = page.locator("[data-objects=imageWithRoles]")
        for _ in range(2):
            field.get_by_role("button", name="Add to First and last frame").click()
        # Two are the most that it takes
        expect(field.get_by_role("button", name="Add to First and last frame")).to_be_hidden()
        field.locator("input[type=file]").first.set_input_files(picture())
        expect(field.get_by_label("URL").first).to_have_value(re.compile("^file_"))
        field.get_by_label("URL").nth(1).fill("https://example.com/end.png")
        field.get_by_label("Role").nth(1).select_option("last_frame")
        page.wait_for_url("**input.imageWithRoles=*last_frame*")
        page.wait_for_load_state("networkidle")
        assert violations(page) == []
        page.reload()
        expect(field.get_by_label("URL").nth(1)).to_have_value("https://example.com/end.png")
        page.get_by_text("More options").click()
        field.get_by_role("button", name="Remove this row").first.click()
        sent = field.locator("textarea").input_value()
        assert json.loads(sent) == [{"url": "https://example.com/end.png", "role": "last_frame"}]

    def test_only_the_fields_of_the_chosen_action_are_there(self, page: Page) -> None:
        page.goto("/dashboard/playground/suno")
        expect(page.get_by_label("Title")).to_be_visible()
        page.get_by_label("Action").select_option("lyrics")
        expect(page.get_by_label("Title")).to_be_hidden()
        expect(page.get_by_label("Prompt")).to_be_visible()

    def test_many_results_scroll_in_their_strip_and_not_the_page_of_a_phone(self, page: Page) -> None:
        page.set_viewport_size(PHONE)
        page.goto("/dashboard/playground/z-image")
        page.locator(".strip .nothing").evaluate(
            "(one) => { for (let at = 0; at < 12; at++) one.after(one.cloneNode(true)); }"
        )
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]

    def test_what_takes_too_long_is_cancelled_and_refunded(self, page: Page) -> None:
        page.goto("/dashboard/playground/z-image?input.prompt=a+boat+[[slow+600]]")
        page.get_by_role("button", name="Generate").click()
        expect(page.locator("[data-running]")).to_contain_text(re.compile(r"\d\.\d s"))
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#a-result .notice.bad")).to_be_visible(timeout=RESULT_TIMEOUT_MS)
        expect(page.locator("#balance")).to_have_text("$100.00", timeout=RESULT_TIMEOUT_MS)
