"""Converts Markdown to the HTML of a page. Adjacent programs become one box with a tab for each.

The parser escapes HTML in the source, so no text of a catalog can become HTML.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink, normalizeLinkText
from markdown_it.token import Token
from markupsafe import escape

# The position of a page's copy button.
ICON_SLOT = "<!--copy-->"
OUTPUT = "output"
_LABELS = {
    "bash": "Shell",
    "http": "HTTP",
    "javascript": "JavaScript",
    "json": "JSON",
    "python": "Python",
    "toml": "TOML",
    "typescript": "TypeScript",
    "yaml": "YAML",
}
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_NAME = re.compile(r"[\w.-]+")

# `mdurl` fills its two tables of characters at their first use and shows them before they are complete.
# Another thread would get a wrong link or an `IndexError`; an import runs in one thread.
normalizeLink("")
normalizeLinkText("")


def html_of(markdown: str, address: Callable[[str], str] = str) -> str:
    """Return a page as HTML; `address` returns the address of a link's target.

    Tables scroll sideways. Headings have anchors, and so have rows of tables that begin with a name in code.
    """
    tokens = _parser().parse(markdown)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", address(str(child.attrGet("href"))))
    return "".join(_rendered(tokens))


def sections_of(markdown: str) -> list[tuple[str, str]]:
    """Return the anchor and the title of each second-level heading."""
    tokens = _parser().parse(markdown)
    found = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h2":
            title = "".join(child.content for child in inline.children or ())
            found.append((_anchor(inline.content), title))
    return found


def _rendered(tokens: Sequence[Token]) -> Iterator[str]:
    at = 0
    anchors: set[str] = set()
    while at < len(tokens):
        fences = _fences(tokens, at)
        if fences:
            yield _box(fences)
            at += len(fences)
            continue
        token = tokens[at]
        anchor = _anchor_at(tokens, at)
        if anchor and anchor not in anchors:
            token.attrSet("id", anchor)
            anchors.add(anchor)
        # The parser sets a style attribute, which the pages' content security policy forbids.
        if token.type in ("th_open", "td_open") and token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "number")
        if token.type == "table_open":
            # A box must be focusable and have a name, so that it can be scrolled by keyboard.
            yield '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
        yield _parser().renderer.render([token], _parser().options, {})
        if token.type == "table_close":
            yield "</div>"
        at += 1


def _fences(tokens: Sequence[Token], start: int) -> list[Token]:
    """Return the programs from here on, or one output: it belongs to the programs, but is none of them."""
    found: list[Token] = []
    for token in tokens[start:]:
        if token.type != "fence" or (found and _is_output(token)):
            break
        found.append(token)
        if _is_output(token):
            break
    return found


def _is_output(fence: Token) -> bool:
    return fence.info.partition(" ")[2].startswith(OUTPUT)


def _box(fences: Sequence[Token]) -> str:
    if _is_output(fences[0]):
        label, text = escape(_label(fences[0])), escape(fences[0].content.rstrip())
        return (
            f'<figure class="code output"><figcaption>{label}</figcaption>'
            f'<pre tabindex="0" aria-label="{label}">{text}</pre></figure>'
        )
    labels = [_label(fence) for fence in fences]
    tabs = "".join(
        f'<button type="button" data-language="{escape(label)}" aria-pressed="{str(not at).lower()}">'
        f"{escape(label)}</button>"
        for at, label in enumerate(labels)
    )
    codes = "".join(
        f'<pre tabindex="0" data-copy-source data-code="{escape(label)}" aria-label="{escape(label)}"'
        f"{' hidden' if at else ''}>{escape(fence.content.rstrip())}</pre>"
        for at, (label, fence) in enumerate(zip(labels, fences, strict=True))
    )
    return (
        '<div class="code" data-languages data-copied><div class="code-top">'
        f'<div class="tabs" role="group" aria-label="Language">{tabs}</div>{ICON_SLOT}</div>{codes}</div>'
    )


def _label(fence: Token) -> str:
    language, _, label = fence.info.partition(" ")
    return (
        label.capitalize() if label.startswith(OUTPUT) else label or _LABELS.get(language, language or "Text")
    )


def _anchor_at(tokens: Sequence[Token], at: int) -> str | None:
    if tokens[at].type == "heading_open":
        return _anchor(tokens[at + 1].content)
    if tokens[at].type == "tr_open" and tokens[at + 1].type == "td_open":
        first = tokens[at + 2].children or []
        if len(first) == 1 and first[0].type == "code_inline" and _NAME.fullmatch(first[0].content):
            return first[0].content
    return None


def _anchor(title: str) -> str:
    """Return the anchor that GitHub gives a heading, so that links between pages work on both."""
    return _NOT_IN_ANCHORS.sub("", title.lower()).replace(" ", "-")


@cache
def _parser() -> MarkdownIt:
    # Descriptions come from a catalog that operators push, and must not become HTML.
    return MarkdownIt("commonmark", {"html": False}).enable("table")
