"""A browser, and the whole service for it to look at."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from ulid import ULID

from tests.support.local_service import running_service

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
HERE = Path(__file__).parent
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}


# The browser and the service of all browser tests in a row. Playwright's event loop runs in the thread of the
# tests for as long as its browser does, so both end before a test of another kind begins.
_open = ExitStack()
_running: dict[str, Any] = {}


@pytest.hookimpl(trylast=True)  # after the pages of the test are closed
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser and the service after the last browser test."""
    if nextitem is None or HERE not in nextitem.path.parents:
        _running.clear()
        _open.close()


@pytest.fixture
def chromium() -> Browser:
    """Return a running browser, the same for all tests, or skip."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium: install it (apt-get install chromium), or name it in CHROMIUM")
    if "browser" not in _running:
        playwright = _open.enter_context(sync_playwright())
        # Tests run as root in a container, where the sandbox cannot.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        _open.callback(browser.close)
        _running["browser"] = browser
    found: Browser = _running["browser"]
    return found


@pytest.fixture
def service(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what `service.json` says of a service for all tests; without a browser none is started."""
    if "service" not in _running:
        folder = Path(tmp_path_factory.mktemp("local"))
        _running["service"] = _open.enter_context(running_service(folder))
    found: dict[str, Any] = _running["service"]
    return found


@pytest.fixture
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
