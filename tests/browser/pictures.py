"""`make pictures`: a picture of every page, as wide as a desk and as a phone, into docs/pictures."""

import io
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from local.template import ROOT
from tests.support.local_service import running_service
from tests.support.samples import PAID_IMAGE

TARGET = Path(ROOT) / "docs" / "pictures"
WIDTHS: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
QUALITY = 60
PAGES = {
    "landing": "/",
    "docs": "/docs",
    "docs-model": "/docs/models/kling-3.0",
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
    "model": "/dashboard/catalog/gpt-6-astra",
    "keys": "/dashboard/keys",
    "webhooks": "/dashboard/webhooks",
    "credit": "/dashboard/top-up",
    "members": "/dashboard/members",
}
TALK = """A **greeting** in Python:

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```
"""
RESULT_TIMEOUT_MS = 60_000


def take(browser: Browser, base_url: str) -> None:
    """Take every picture, of an account that has made something."""
    for name, size in WIDTHS.items():
        context = browser.new_context(viewport=size, base_url=base_url, color_scheme="light")
        page = context.new_page()
        _begin(page)
        for title, path in PAGES.items():
            page.goto(path, wait_until="load")
            if title in BEFORE:
                BEFORE[title](page)
            image = Image.open(io.BytesIO(page.screenshot()))
            image.save(TARGET / f"{title}-{name}.webp", quality=QUALITY, method=6)
        context.close()


def _begin(page: Page) -> None:
    page.goto("/dashboard/sign-in")
    page.locator("input[name=email]").fill("ada@example.com")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Overview").wait_for()
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


# What is done on a page before its picture is taken.
BEFORE: dict[str, Callable[[Page], None]] = {"chat": _talk, "playground": _open_result}


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
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder)) as service:
        _take_all(chromium, service["baseUrl"])


if __name__ == "__main__":
    main()
