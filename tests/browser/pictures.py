"""`make pictures`: a picture of every page, as wide as a desk and as a phone, into docs/pictures."""

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from local.template import ROOT
from tests.browser.conftest import RESULT_TIMEOUT_MS, new_key
from tests.support.local_service import running_service
from tests.support.samples import PAID_IMAGE
from tollgate.web.development import OPERATOR

TARGET = Path(ROOT) / "docs" / "pictures"
WIDTHS: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
QUALITY = 60
PAGES = {
    "landing": "/",
    "docs": "/docs",
    "docs-endpoint": "/docs/api/createGeneration",
    "docs-errors": "/docs/errors",
    "overview": "/dashboard",
    "playground": "/dashboard/playground/test-image",
    "playground-two": "/dashboard/playground/test-image?beside=test-video&input.prompt=a+lighthouse+at+dusk"
    "&b.input.prompt=a+lighthouse+at+dusk",
    "chat": "/dashboard/chat?model=test-chat",
    "activity": "/dashboard/activity",
    "tasks": "/dashboard/tasks",
    "catalog": "/dashboard/catalog",
    "compare": "/dashboard/catalog/compare?model=kling-3.0&model=seedance-2.0&model=veo-3.1-fast",
    "model": "/models/kling-3.0",
    "model-text": "/models/gpt-6-astra",
    "task": "/dashboard/tasks",
    "keys": "/dashboard/keys",
    "members": "/dashboard/members",
    "audit": "/dashboard/audit",
    "webhooks": "/dashboard/webhooks",
    "credit": "/dashboard/top-up",
    "budgets": "/dashboard/budgets",
    "settings": "/dashboard/settings",
    "status": "/status",
    "missing": "/dashboard/nothing-here",
}
OPERATOR_PAGES = {
    "operator-accounts": "/admin",
    "operator-account": "/admin",
    "operator-providers": "/admin/providers",
    "operator-prices": "/admin/models?find=kling",
    "operator-price": "/admin/models/kling-3.0",
    "operator-work": "/admin/work",
}
# What the landing page shows of the pages, small enough to lie in it.
ON_LANDING = ("playground", "chat", "activity")
LANDING = Path(ROOT) / "functions" / "dashboard" / "static" / "screenshots"
LANDING_SIZE = (720, 450)
LANDING_QUALITY = 45
TALK = """A **greeting** in Python:

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```
"""


def take(browser: Browser, base_url: str) -> None:
    """Take every picture, of an account that has made something."""
    for name, size in WIDTHS.items():
        context = browser.new_context(viewport=size, base_url=base_url, color_scheme="light")
        page = context.new_page()
        _begin(page)
        _each(page, name, PAGES)
        context.clear_cookies()
        _each(page, name, {"sign-in": "/dashboard/sign-in"})
        _sign_in(page, OPERATOR)
        _each(page, name, OPERATOR_PAGES)
        context.close()


def _each(page: Page, width: str, pages: Mapping[str, str]) -> None:
    for title, path in pages.items():
        page.goto(path, wait_until="load")
        if title in BEFORE:
            BEFORE[title](page)
        page.wait_for_load_state("networkidle")
        image = Image.open(io.BytesIO(page.screenshot()))
        image.save(TARGET / f"{title}-{width}.webp", quality=QUALITY, method=6)
        if width == "desk" and title in ON_LANDING:
            small = image.convert("RGB").resize(LANDING_SIZE, Image.Resampling.LANCZOS)
            small.save(LANDING / f"{title}.webp", quality=LANDING_QUALITY, method=6)


def _sign_in(page: Page, email: str) -> None:
    page.goto("/dashboard/sign-in")
    page.locator("input[name=email]").fill(email)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Overview").wait_for()


def _begin(page: Page) -> None:
    _sign_in(page, "ada@example.com")
    page.goto("/dashboard/top-up")
    page.get_by_role("button", name="Pay 25 US dollars").click()
    page.get_by_role("button", name="Pay $25.00").click()
    page.locator("p.notice", has_text="was added").wait_for(timeout=RESULT_TIMEOUT_MS)
    new_key(page, "Web shop", cap_usd="50")
    page.goto("/dashboard/webhooks")
    page.get_by_label("URL").fill("https://example.com/hooks/tollgate")
    page.get_by_role("button", name="Send", exact=True).click()
    for model in ("test-image", PAID_IMAGE):
        page.goto(f"/dashboard/playground/{model}")
        page.get_by_label("Prompt").fill("a lighthouse at dusk")
        page.get_by_role("button", name="Generate").click()
        page.locator("#a-result img").first.wait_for(timeout=RESULT_TIMEOUT_MS)


def _talk(page: Page) -> None:
    page.locator("#chat[data-ready]").wait_for()
    page.get_by_label("Message", exact=True).fill(TALK)
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("button", name="Regenerate").wait_for(timeout=RESULT_TIMEOUT_MS)
    page.locator("[class^=hljs]").first.wait_for()


def _open_result(page: Page) -> None:
    page.locator(".strip a").first.click()
    page.locator(".made img").wait_for(timeout=RESULT_TIMEOUT_MS)


def _open_task(page: Page) -> None:
    page.locator(".task-card a").first.click()
    page.wait_for_load_state("load")


def _open_account(page: Page) -> None:
    page.get_by_role("link", name="ada@example.com").click()
    page.wait_for_load_state("load")


# What is done on a page before its picture is taken.
BEFORE: dict[str, Callable[[Page], None]] = {
    "chat": _talk,
    "playground": _open_result,
    "task": _open_task,
    "operator-account": _open_account,
}


def _take_all(chromium: str, base_url: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, base_url)
        browser.close()


def main() -> None:
    """Run the service, take the pictures, end it."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("there is no chromium: install it, or name it in CHROMIUM")
    for folder in (TARGET, LANDING):
        folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as local, running_service(Path(local)) as service:
        _take_all(chromium, service["baseUrl"])


if __name__ == "__main__":
    main()
