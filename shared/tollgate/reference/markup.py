"""Converts Markdown to the HTML of a page. Adjacent programs become one box with a tab for each.

The parser escapes HTML in the source, so no text of a catalog can become HTML.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

# The position of a page's copy button.
ICON_SLOT = "<!--copy-->"
_LABELS = {"bash": "Shell", "json": "JSON", "python": "Python", "typescript": "TypeScript"}


def html_of(markdown: str) -> str:
    """Return a page as HTML. Tables scroll separately, and headings have anchors."""
    tokens = _parser().parse(markdown)
    return "".join(_rendered(tokens))


def _rendered(tokens: Sequence[Token]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        fences = _fences(tokens, at)
        if fences:
            yield _box(fences)
            at += len(fences)
            continue
        token = tokens[at]
        if token.type == "heading_open":
            token.attrSet("id", _anchor(tokens[at + 1].content))
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
    found = []
    for token in tokens[start:]:
        if token.type != "fence":
            break
        found.append(token)
    return found


def _box(fences: Sequence[Token]) -> str:
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
    return label or _LABELS.get(language, language or "Text")


def _anchor(title: str) -> str:
    return "-".join("".join(one if one.isalnum() else " " for one in title.lower()).split())


@cache
def _parser() -> MarkdownIt:
    # Descriptions come from a catalog that operators push, and must not become HTML.
    return MarkdownIt("commonmark", {"html": False}).enable("table")
