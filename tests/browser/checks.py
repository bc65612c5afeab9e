"""What every page must keep to, whatever is on it."""

import json
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import DESKTOP, PHONE

AXE = (Path(__file__).parent / "axe.min.js").read_text()
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOR_RULES = ("color-contrast", "link-in-text-block")
ALL: dict[str, Any] = {"runOnly": RULES}
OF_COLORS: dict[str, Any] = {"runOnly": {"type": "rule", "values": COLOR_RULES}}
BUT_COLORS: dict[str, Any] = {"runOnly": RULES, "rules": {rule: {"enabled": False} for rule in COLOR_RULES}}
PRELOAD = {"assets": ["media"]}
"""axe-core would also read all styles again, for a rule that is still an experiment and not one of these."""
Look = tuple[Literal["light", "dark"], ViewportSize, dict[str, Any]]
# A theme changes nothing but colors.
LOOKS: tuple[Look, ...] = (
    ("light", DESKTOP, ALL),
    ("dark", DESKTOP, OF_COLORS),
    ("light", PHONE, ALL),
    ("dark", PHONE, OF_COLORS),
)
FRAME = "body > :is(header, nav, footer, dialog), .docs > .contents"
"""The menus and the palette around a page."""
# Within its frame, a page shows nearly the same at both widths: `WITH_EACH_PART` has what it does not.
LOOKS_AT_PAGES: tuple[Look, ...] = (("light", DESKTOP, ALL), ("dark", PHONE, ALL))
# All guides have the same parts in the same colors. A table or a line of code can be too wide in each.
LOOKS_AT_GUIDES: tuple[Look, ...] = (("light", PHONE, BUT_COLORS),)
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# Compressed, as the gateway sends them; files of media are not counted.
MAX_PAGE_BYTES = 100_000
SENT = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .filter((one) => !["img", "video", "audio"].includes(one.initiatorType))
    .map((one) => one.encodedBodySize)"""


def violations(page: Page, rules: dict[str, Any] = ALL) -> list[Any]:
    """Return what axe-core finds on the page as it is now, by some of its rules."""
    # What is still fading in has too little contrast.
    page.emulate_media(reduced_motion="reduce")
    # Once for each page, and by the debugger: the page's own policy forbids scripts from elsewhere.
    if not page.evaluate("'axe' in window"):
        debugger = page.context.new_cdp_session(page)
        debugger.send("Runtime.evaluate", {"expression": AXE})
        debugger.detach()
    options = {**rules, "resultTypes": ["violations"], "preload": PRELOAD}
    found = json.loads(page.evaluate("(options) => axe.run(document, options).then(JSON.stringify)", options))
    assert found["passes"], "axe-core looked at nothing"
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]]


def faults(page: Page, looks: tuple[Look, ...] = LOOKS) -> list[Any]:
    """Return what is wrong with a page as it is now, in each theme and at each width of the looks."""
    found: list[Any] = []
    before = page.viewport_size or DESKTOP
    for theme, size, rules in looks:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size(size)
        found += [(theme, size["width"], fault) for fault in violations(page, rules)]
        if page.evaluate(TOO_WIDE):
            found.append((theme, size["width"], "wider than the screen"))
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    return found


def weight(page: Page) -> int:
    """Return the bytes that were sent for the page, compressed, without media."""
    return sum(page.evaluate(SENT))
