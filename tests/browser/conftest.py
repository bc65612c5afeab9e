"""A browser, and the whole service for it to look at."""

import io
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FilePayload,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from ulid import ULID

from tests.support.local_service import running_service
from tests.support.missing import missing
from tests.support.samples import PAID_BODY
from tollgate.web.development import OPERATOR

# The first has no windows and menus, which the others draw although nobody sees them: 40 % less CPU.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
# Tests run as root in a container, where the sandbox cannot. One process for all pages uses a fifth less CPU,
# because each page would start its own, which compiles the same scripts again.
OPTIONS = ("--no-sandbox", "--renderer-process-limit=1")
RESULT_TIMEOUT_MS = 60_000
# Five seconds, Playwright's own, are little on a busy machine.
expect.set_options(timeout=30_000)
SIGN_IN = "/dashboard/sign-in"
HERE = Path(__file__).parent
OF_A_LEFT_PAGE = ("htmx:afterRequest", "htmx:sendAbort", "htmx:sendError")
"""What htmx says of a request that is under way when its page is left. If a request fails by itself,
chromium complains too."""
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}


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
        missing("there is no chromium: apt-get install chromium-headless-shell, or name one in CHROMIUM")
    if "browser" not in _running:
        playwright = _open.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
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


def _is_complaint(line: ConsoleMessage) -> bool:
    # A result that has just been stored has no thumbnail yet; the page shows the result in its place.
    is_thumbnail = str(line.location["url"]).endswith(".thumb.webp")
    return line.type == "error" and not is_thumbnail and not line.text.startswith(OF_A_LEFT_PAGE)


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
    opened.on("console", lambda line: complaints.append(line.text) if _is_complaint(line) else None)
    sign_in(opened)
    yield opened
    context.close()
    assert complaints == []


def sign_in(opened: Page, email: str = "") -> None:
    """Have somebody sign in, and open the overview; without an email, the service does not know them yet.

    The form is sent without its page, which takes long. `test_model_page.py` fills it in.
    """
    form = opened.request.get(SIGN_IN)
    token = re.search(r'"x-csrf-token": "([^"]+)"', form.text())
    assert token is not None
    answer = opened.request.post(
        f"{SIGN_IN}/development/email",
        form={"email": email or f"{ULID()}@example.com".lower()},
        headers={
            "x-csrf-token": token[1],
            "hx-request": "true",
            "origin": form.url.partition("/dashboard")[0],
        },
    )
    assert answer.ok, answer.text()
    opened.goto("/dashboard")
    opened.get_by_role("heading", name="Overview").wait_for()


@pytest.fixture
def console(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Return a page at the operator console."""
    context = chromium.new_context(viewport=DESKTOP, base_url=base_url)
    opened = context.new_page()
    opened.on("dialog", lambda dialog: dialog.accept())
    sign_in(opened, OPERATOR)
    opened.get_by_role("link", name="Operator console").first.click()
    opened.get_by_role("heading", name="Accounts").wait_for()
    yield opened
    context.close()


def ask(base_url: str, key: str) -> httpx.Response:
    """Ask for an image with a key, as a program does."""
    headers = {"authorization": f"Bearer {key}"}
    return httpx.post(f"{base_url}/api/v1/generation/create", json=PAID_BODY, headers=headers, timeout=30)


def new_key(page: Page, name: str, cap_usd: str = "") -> str:
    """Make a key on its page, with a spending limit or none; return its secret."""
    page.goto("/dashboard/keys")
    page.get_by_role("button", name="New key").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Spending limit").fill(cap_usd)
    page.get_by_role("button", name="Create key").click()
    return page.locator("#new-secret").inner_text()


def picture() -> FilePayload:
    """Return a small image as somebody chooses it."""
    found = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(found, "PNG")
    return {"name": "boat.png", "mimeType": "image/png", "buffer": found.getvalue()}


def generate(page: Page) -> None:
    """Press the button and wait for the image."""
    page.get_by_role("button", name="Generate").click()
    page.locator("#a-result img").first.wait_for(timeout=RESULT_TIMEOUT_MS)


def say(page: Page, text: str, answers: int = 1) -> None:
    """Send a message, and wait for all that was said to it."""
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("button", name="Regenerate")).to_have_count(answers, timeout=RESULT_TIMEOUT_MS)
