"""What a person is told who does something odd: beside what it is about, and nothing typed is lost."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from tests.browser.checks import faults, violations
from tests.browser.conftest import DESKTOP, RESULT_TIMEOUT_MS, picture, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

# The price is asked for 300 ms after a change, and its answer writes anew what is wrong with each field.
PRICED_S = 1.0
NAME = "🚀 <b>Shop</b>"


def file(name: str, kind: str, content: bytes) -> FilePayload:
    """Return a file as somebody chooses it."""
    return {"name": name, "mimeType": kind, "buffer": content}


@pytest.fixture
def visitor(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Return a page of somebody who has just signed in; the console may tell of refusals, not of faults."""
    context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(opened)
    yield opened
    context.close()
    assert faults == []


class TestBudgets:
    def test_a_problem_is_beside_its_field_and_the_corrected_budget_has_a_bar(self, visitor: Page) -> None:
        visitor.goto("/dashboard/budgets")
        visitor.get_by_role("button", name="New budget").first.click()
        dialog = visitor.locator("#new-budget")
        dialog.get_by_label("Name", exact=True).fill(NAME)
        dialog.get_by_label("Applies to").select_option("tag")
        dialog.get_by_label("Name of the tag").fill("Team A")
        dialog.get_by_label("Value").fill("search")
        dialog.get_by_label("Limit (USD)").fill("lots")
        dialog.get_by_role("button", name="Create budget").click()
        expect(dialog.locator("#new-tag-problem")).to_contain_text("Must be the name of a tag.")
        expect(dialog.locator("#new-limit-problem")).to_contain_text("Must be an amount in US dollars.")
        assert violations(visitor) == []
        dialog.get_by_label("Name of the tag").fill("team")
        dialog.get_by_label("Limit (USD)").fill("2.50")
        dialog.get_by_role("button", name="Create budget").click()
        expect(dialog).to_be_hidden()
        expect(visitor.locator("#budgets")).to_contain_text("$0.00 spent, $2.50 left")
        visitor.get_by_role("button", name=f"Change {NAME}").click()
        visitor.locator("dialog[open]").get_by_label("Limit (USD)").fill("0")
        visitor.get_by_role("button", name="Save").click()
        expect(visitor.locator("#budgets")).to_contain_text("used up")
        assert faults(visitor) == []


class TestUploads:
    @pytest.mark.parametrize(
        ("odd", "words"),
        [
            (file("notes.txt", "text/plain", b"hello"), "notes.txt is not an image."),
            (file("empty.png", "image/png", b""), "empty.png is empty."),
        ],
    )
    def test_what_is_wrong_with_a_file_stays_beside_its_field(
        self, visitor: Page, odd: FilePayload, words: str
    ) -> None:
        visitor.goto("/dashboard/playground/z-image")
        field = visitor.locator("[data-field]", has=visitor.locator("[data-drop]")).first
        field.locator("input[type=file]").set_input_files(odd)
        expect(field.get_by_role("alert")).to_contain_text(words)
        time.sleep(PRICED_S)
        expect(field.get_by_role("alert")).to_contain_text(words)
        assert violations(visitor) == []
        field.locator("input[type=file]").set_input_files(picture())
        expect(field.get_by_role("alert")).to_be_hidden()
        expect(field.get_by_role("button", name="Remove boat.png")).to_be_visible()

    def test_a_pasted_image_is_one_that_was_chosen(self, visitor: Page) -> None:
        visitor.goto("/dashboard/playground/z-image")
        visitor.get_by_label("Prompt").focus()
        visitor.evaluate(
            """(bytes) => {
                const data = new DataTransfer();
                data.items.add(new File([new Uint8Array(bytes)], "pasted.png", { type: "image/png" }));
                const about = { clipboardData: data, bubbles: true, cancelable: true };
                document.activeElement.dispatchEvent(new ClipboardEvent("paste", about));
            }""",
            list(picture()["buffer"]),
        )
        expect(visitor.get_by_role("button", name="Remove pasted.png")).to_be_visible()


class TestAddresses:
    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("/dashboard/playground/no-model", "Model not found"),
            ("/dashboard/activity?from=banana", "This link does not work"),
            ("/dashboard/statements?month=x", "This link does not work"),
            ("/dashboard/nothing", "Page not found"),
        ],
    )
    def test_a_wrong_one_says_so_in_words(self, visitor: Page, path: str, words: str) -> None:
        visitor.goto(path)
        expect(visitor.get_by_role("heading", name=words)).to_be_visible()
        expect(visitor.locator("main")).not_to_contain_text("/api/")

    def test_a_page_has_words_for_who_has_no_javascript(self, visitor: Page) -> None:
        # The browser's own switch for tests does not show them.
        said = visitor.request.get("/dashboard/catalog").text()
        assert '<noscript><p class="notice">JavaScript is off. You can read pages' in said


class TestFilters:
    def test_what_is_refused_is_said_and_what_is_downloaded_is_what_is_shown(self, visitor: Page) -> None:
        visitor.goto("/dashboard/activity?by=key&range=7d")
        visitor.get_by_label("Kind").select_option("text")
        csv = visitor.get_by_role("link", name="CSV")
        expect(csv).to_have_attribute("href", re.compile(r"\bkind=text\b"))
        expect(visitor.get_by_label("Group by")).to_have_value("key")
        visitor.get_by_label("Days").select_option("custom")
        visitor.get_by_label("From").fill("2026-01-02")
        expect(csv).to_have_attribute("href", re.compile("from=2026-01-02"))
        visitor.get_by_label("To", exact=True).fill("2026-01-01")
        expect(visitor.locator("form [data-beside]")).to_be_visible()
        visitor.get_by_label("To", exact=True).fill("2026-01-03")
        expect(visitor.locator("form [data-beside]")).to_have_count(0)


class TestForms:
    def test_a_dialog_stays_with_what_was_typed_until_it_is_right(self, visitor: Page) -> None:
        visitor.goto("/dashboard/keys")
        visitor.get_by_role("button", name="New key").first.click()
        dialog = visitor.get_by_role("dialog", name="New key")
        dialog.get_by_label("Name").fill(NAME)
        for amount in ("-5", "0,5", "a lot"):
            dialog.get_by_label("Spending limit").fill(amount)
            dialog.get_by_role("button", name="Create key").click()
            expect(dialog.get_by_role("alert")).to_be_visible()
            expect(dialog.get_by_label("Name")).to_have_value(NAME)
        assert violations(visitor) == []
        dialog.get_by_label("Spending limit").fill("0.50")
        dialog.get_by_role("button", name="Create key").dblclick()
        expect(dialog).to_be_hidden()
        expect(visitor.locator("#new-secret")).to_contain_text("tg_live_")
        # Twice pressed is once asked for, and the next key begins with an empty form.
        expect(visitor.locator(".key")).to_have_count(1)
        visitor.get_by_role("button", name="New key").first.click()
        expect(dialog.get_by_label("Name")).to_have_value("")
        expect(dialog.get_by_role("alert")).to_have_count(0)

    def test_send_pressed_twice_is_no_stop(self, visitor: Page) -> None:
        visitor.goto("/dashboard/chat?model=test-chat")
        visitor.locator("#chat[data-ready]").wait_for()
        visitor.get_by_label("Message", exact=True).fill("hello")
        visitor.get_by_role("button", name="Send", exact=True).dblclick()
        expect(visitor.locator(".bubble.assistant")).to_contain_text("You wrote: hello")
        expect(visitor.get_by_text("Stopped.")).to_have_count(0)

    def test_generate_pressed_twice_is_paid_once(self, visitor: Page) -> None:
        visitor.goto("/dashboard/playground/z-image?input.prompt=a+boat")
        visitor.get_by_role("button", name="Generate").dblclick()
        visitor.locator("#a-result img").first.wait_for(timeout=RESULT_TIMEOUT_MS)
        expect(visitor.locator("#balance")).to_have_text("$99.99")
        expect(visitor.locator(".strip a")).to_have_count(1)
        # The service may answer between the two clicks of a double click. The form is ready then.
        runs: list[str] = []
        visitor.on("request", lambda request: runs.append(request.url) if "/run" in request.url else None)
        visitor.get_by_role("button", name="Generate").dispatch_event("click", {"detail": 2})
        visitor.get_by_role("button", name="Generate").click()
        expect(visitor.locator(".strip a")).to_have_count(2)
        assert len(runs) == 1

    def test_a_result_comes_after_a_broken_connection_and_a_busy_gateway(self, visitor: Page) -> None:
        looks: list[str] = []

        def fail_twice(route: Route) -> None:
            looks.append(route.request.url)
            if len(looks) == 1:
                route.abort("connectionfailed")
            elif len(looks) == 2:
                route.fulfill(status=503, json={"message": "Service Unavailable"})
            else:
                route.continue_()

        visitor.goto("/dashboard/playground/z-image?input.prompt=a+boat+[[slow+2]]")
        visitor.route("**/playground/tasks/*", fail_twice)
        visitor.get_by_role("button", name="Generate").click()
        visitor.locator("#a-result img").first.wait_for(timeout=RESULT_TIMEOUT_MS)
        expect(visitor.get_by_text("Service Unavailable")).to_have_count(0)

    def test_a_tab_of_a_session_that_was_ended_leads_to_the_sign_in(self, visitor: Page) -> None:
        visitor.goto("/dashboard/keys")
        visitor.context.clear_cookies()
        visitor.get_by_role("button", name="New key").first.click()
        dialog = visitor.get_by_role("dialog", name="New key")
        dialog.get_by_label("Name").fill("Late")
        dialog.get_by_role("button", name="Create key").click()
        expect(dialog.get_by_role("alert")).to_contain_text("You are signed out.")
        expect(dialog.get_by_role("link", name="Sign in")).to_be_visible()
        visitor.goto("/dashboard/playground/z-image")
        expect(visitor.get_by_role("heading", name="Sign in to Tollgate")).to_be_visible()
