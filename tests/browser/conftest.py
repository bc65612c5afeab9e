"""A browser, and the whole service for it to look at."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from ulid import ULID

from tests.support.local_service import running_service

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Return a running browser, or skip."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium: install it (apt-get install chromium), or name it in CHROMIUM")
    with sync_playwright() as playwright:
        # Tests run as root in a container, where the sandbox cannot.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def service(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Return what `service.json` says of a service for all tests; without a browser none is started."""
    with running_service(Path(tmp_path_factory.mktemp("local"))) as running:
        yield running


@pytest.fixture(scope="session")
def base_url(service: dict[str, Any]) -> str:
    """Return the address of the running service."""
    return str(service["baseUrl"])


@pytest.fixture
def page(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Return a page at the overview of somebody who has just signed in for the first time; it must not
    complain to the end."""
    context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    # A refused style or script is told here too (Content-Security-Policy).
    opened.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    opened.goto("/dashboard/sign-in")
    opened.get_by_label("Email").fill(f"{ULID()}@example.com".lower())
    opened.get_by_role("button", name="Continue").click()
    opened.get_by_role("heading", name="Overview").wait_for()
    yield opened
    context.close()
    assert complaints == []
