"""The page of a model in a real browser: from a visitor's form to a result, and code that runs as copied."""

import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.checks import faults
from tests.browser.conftest import DESKTOP, generate

pytestmark = [pytest.mark.browser, pytest.mark.ministack]

RUN_S = 60


class TestVisitor:
    def test_what_a_visitor_fills_in_is_there_after_the_sign_in(
        self, chromium: Browser, base_url: str
    ) -> None:
        context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
        visitor = context.new_page()
        visitor.goto("/models/kling-3.0")
        visitor.get_by_label("Prompt").fill("a paper boat")
        # Published: $0.084 a second
        expect(visitor.locator("#a-price")).to_contain_text("$0.42")
        visitor.get_by_text("More options").click()
        visitor.locator("#a-form").get_by_label("Duration").fill("10")
        expect(visitor.locator("#a-price")).to_contain_text("$0.84")
        expect(visitor.locator("#a-code [data-code=curl]")).to_contain_text('"prompt": "a paper boat"')
        visitor.get_by_role("button", name="Sign in to run").click()
        visitor.get_by_label("Email").fill("boats@example.com")
        visitor.get_by_role("button", name="Continue").click()
        visitor.wait_for_url("**/dashboard/playground/kling-3.0?**")
        expect(visitor.get_by_label("Prompt")).to_have_value("a paper boat")
        expect(visitor.locator("#a-price")).to_contain_text("$0.84")
        context.close()

    def test_the_calculator_multiplies(self, chromium: Browser, base_url: str) -> None:
        context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
        visitor = context.new_page()
        visitor.goto("/models/kling-3.0#prices")
        form = visitor.locator("[data-calculator]")
        form.get_by_label("Duration").fill("10")
        form.get_by_label("Generations").fill("100")
        expect(visitor.locator("#prices output")).to_have_text("$84.00")
        context.close()


class TestCustomer:
    def test_a_new_key_is_in_the_code_which_runs_as_it_is_copied(self, page: Page, tmp_path: Path) -> None:
        page.goto("/models/test-image")
        page.get_by_label("Prompt").fill("a boat '$TOLLGATE_API_KEY'")
        code = page.locator("#a-code [data-code=curl]")
        expect(code).to_contain_text("a boat")
        page.get_by_role("button", name="Fill in a new key").click()
        expect(code).to_contain_text("Bearer tg_live_")
        # The words of a prompt stay as they are, also after the price has been asked for again.
        page.get_by_label("Prompt").press("End")
        page.get_by_label("Prompt").press("!")
        expect(code).to_contain_text("!")
        expect(code).to_contain_text("Bearer tg_live_")
        expect(code).to_contain_text("$TOLLGATE_API_KEY")
        assert faults(page) == []
        program = code.text_content() or ""
        variables = {"PATH": os.environ["PATH"]}
        ran = subprocess.run(
            ["bash", "-c", program],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=True,
        )
        assert [each.suffix for each in tmp_path.iterdir()] == [".png"], ran.stderr

    def test_an_example_is_run_on_the_page_itself(self, page: Page) -> None:
        page.goto("/models/z-image")
        first = page.get_by_label("Prompt").input_value()
        page.get_by_role("button", name="Example prompt").click()
        expect(page.get_by_label("Prompt")).not_to_have_value(first)
        expect(page.locator("#a-price")).to_contain_text("The exact charge")
        generate(page)
        page.get_by_role("button", name="Use as input").click()
        expect(page.get_by_role("dialog", name="Use in which model?")).to_be_visible()
