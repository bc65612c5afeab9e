"""The menu on each page of the dashboard."""

import re

from tests.support.dashboard import STAGE, Browser

HOME = f"{STAGE}/dashboard"


def test_each_page_marks_its_own_place(browser: Browser) -> None:
    browser.sign_in()
    menu = browser.get("").text.partition('<nav class="side"')[2].partition("</nav>")[0]
    paths = re.findall(rf'href="{HOME}(/[a-z-]+)"', menu)
    assert "/exports" in paths
    pages = {path: browser.get(path).text for path in paths}
    marked = {
        path: set(re.findall(r'href="([^"]*)" aria-current="page"', page)) for path, page in pages.items()
    }
    assert marked == {path: {f"{HOME}{path}"} for path in paths}
