"""`make bench-pages`: when each page shows something, beside a bare static page, and what it weighs.

The service is started as `make run` starts it. Each page is opened `ROUNDS` times by a browser that has never
been there, the pages in turn, a page of one line from Python's own file server among them. The pages of an
account are opened with its session, the others without one. What counts is the first contentful paint, as the
browser tells it (W3C Paint Timing), and the bytes sent, compressed, without media.

The browser is that of `make browser`. A `chromium` with windows also draws its menus while it opens a page.
"""

import statistics
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, BrowserContext, StorageState, sync_playwright
from rich.console import Console
from rich.table import Table

from tests.bench import machine
from tests.browser.checks import weight
from tests.browser.conftest import CHROMIUM, DESKTOP
from tests.support.local_service import running_service

ROUNDS = 7
PAGES = {
    "/": "landing",
    "/docs": "docs",
    "/models/kling-3.0": "page of a model",
    "/status": "status",
    "/dashboard/catalog": "catalog",
    "/dashboard": "overview",
    "/dashboard/playground/z-image": "playground",
    "/dashboard/chat?model=test-chat": "chat",
    "/dashboard/activity": "activity",
    "/dashboard/keys": "API keys",
    "/dashboard/top-up": "credit",
}
BARE = "<!doctype html><title>Bare</title><p>Nothing but this."
PAINTED = """() => new Promise((done) => new PerformanceObserver((seen) => {
    for (const one of seen.getEntriesByName("first-contentful-paint")) done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def bare_page() -> Iterator[str]:
    """Serve one static page; give its address."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "index.html").write_text(BARE)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        server.server_close()


def opened(context: BrowserContext, address: str) -> tuple[float, int]:
    """Return the first contentful paint of a page in ms, and the bytes sent for it."""
    page = context.new_page()
    page.goto(address, wait_until="load")
    painted = float(page.evaluate(PAINTED))
    page.wait_for_load_state("networkidle")
    return painted, weight(page)


def signed_in(browser: Browser, base_url: str) -> StorageState:
    """Return the session of somebody who has just signed in."""
    context = browser.new_context(base_url=base_url)
    page = context.new_page()
    page.goto("/dashboard/sign-in")
    page.get_by_label("Email").fill("bench@example.com")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Overview").wait_for()
    state = context.storage_state()
    context.close()
    return state


def main() -> None:
    """Run the service, open every page, and print."""
    if CHROMIUM is None:
        sys.exit("there is no chromium: install it, or name it in CHROMIUM")
    paints: dict[str, list[float]] = defaultdict(list)
    bytes_sent: dict[str, int] = {}
    with (
        TemporaryDirectory() as folder,
        running_service(Path(folder)) as service,
        bare_page() as bare,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        state = signed_in(browser, service["baseUrl"])
        addresses = {bare: bare, **{path: service["baseUrl"] + path for path in PAGES}}
        for _ in range(ROUNDS):
            for path, address in addresses.items():
                session = state if path.startswith("/dashboard") else None
                context = browser.new_context(viewport=DESKTOP, storage_state=session)
                painted, bytes_sent[path] = opened(context, address)
                paints[path].append(painted)
                context.close()
        browser.close()
        base = statistics.median(paints[bare])
    table = Table("Page", "First paint, ms", "Longest", "Times bare", "KB", box=None)
    for path in addresses:
        median = statistics.median(paints[path])
        name = PAGES.get(path, "a bare static page")
        row = (
            f"{median:.0f}",
            f"{max(paints[path]):.0f}",
            f"{median / base:.1f}",
            f"{bytes_sent[path] / 1000:.1f}",
        )
        table.add_row(name, *row)
    Console().print(table)
    machine.show()


if __name__ == "__main__":
    main()
