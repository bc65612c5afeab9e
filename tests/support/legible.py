"""The words that people read in a page."""

import re
from html.parser import HTMLParser

_WORD = re.compile(r"(?<![\w@./_{-])[A-Za-z]{2,}(?![\w@/_-])")


class _Legible(HTMLParser):
    SILENT = frozenset(("script", "style", "code", "pre", "textarea", "kbd", "svg", "time"))
    VOID = frozenset(("input", "meta", "link", "img", "br", "source", "hr"))
    SPOKEN = frozenset(("aria-label", "title", "placeholder", "alt", "hx-confirm"))

    def __init__(self) -> None:
        super().__init__()
        self.words: set[str] = set()
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        is_marked = ("lang" in known and tag != "html") or "mono" in (known.get("class") or "")
        if tag not in self.VOID:
            self._open.append(is_marked or tag in self.SILENT)
        for name in self.SPOKEN & known.keys():
            self.words |= set(_WORD.findall(known[name] or ""))

    def handle_endtag(self, tag: str) -> None:
        # A template can close in each branch what it opened before them.
        if tag not in self.VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self.words |= set(_WORD.findall(data))


def legible(page: str) -> set[str]:
    """Return the words of a page, without its code and without text in a language of its own."""
    parser = _Legible()
    parser.feed(page)
    return parser.words
