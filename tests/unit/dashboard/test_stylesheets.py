"""A page links the stylesheets of the classes that it uses: one of another page does nothing."""

import re
from collections.abc import Iterator

import pytest

from dashboard.render import HERE, STATIC

TEMPLATES = HERE / "templates"
PAGES = sorted(path.name for path in TEMPLATES.glob("*.html") if "{% extends" in path.read_text())
ON_EACH_PAGE = "app.css"
STYLES = {
    path.name: set(
        re.findall(r"\.(-?[a-zA-Z_][\w-]*)", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S))
    )
    for path in STATIC.glob("*.css")
}
"""The classes of each stylesheet."""
_OTHER = re.compile(r'(?:extends|include|import|from) "([\w.]+\.html)"')
_LINKED = re.compile(r"static }}/(\w+\.css)")
_CLASSES = re.compile(r'class="([^"]*)"')
_LOGIC = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)


def parts_of(page: str) -> Iterator[str]:
    """Yield the text of a page's template, and of those that it extends, includes or imports."""
    seen, left = set(), [page]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            text = (TEMPLATES / name).read_text()
            left += _OTHER.findall(text)
            yield text


def missing(page: str, *parts: str) -> set[str]:
    """Return the classes of a page that are only in stylesheets that it does not link."""
    linked = {ON_EACH_PAGE, *(name for text in parts for name in _LINKED.findall(text))}
    used = {
        name for text in parts for names in _CLASSES.findall(text) for name in _LOGIC.sub(" ", names).split()
    }
    styled = {name for sheet in linked for name in STYLES[sheet]}
    return {
        f"{page}: {name} is in {sheet}" for sheet, names in STYLES.items() for name in (used - styled) & names
    }


@pytest.mark.parametrize("page", PAGES)
def test_a_page_links_the_styles_of_its_classes(page: str) -> None:
    assert sorted(missing(page, *parts_of(page))) == []


def test_a_class_of_another_stylesheet_is_found() -> None:
    table = '<table class="stacks {% if wide %}wide{% endif %}">'
    assert missing("new.html", table) == {"new.html: stacks is in figures.css"}
    assert missing("new.html", table, '<link href="{{ static }}/figures.css">') == set()
