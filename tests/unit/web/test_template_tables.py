"""The tables in templates, such as the icons'. Jinja takes the last of two equal keys without a word."""

from collections import Counter
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from dashboard.render import HERE

TEMPLATES = sorted((HERE / "templates").glob("*.html"))


def repeated(source: str) -> list[str]:
    """Return the keys that a table of a template has twice."""
    tree = Environment(extensions=["jinja2.ext.i18n"]).parse(source)  # noqa: S701 - only parsed
    tables = [
        [pair.key.value for pair in table.items if isinstance(pair.key, nodes.Const)]
        for table in tree.find_all(nodes.Dict)
    ]
    return [key for keys in tables for key, count in Counter(keys).items() if count > 1]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_a_table_has_each_key_once(template: Path) -> None:
    assert repeated(template.read_text()) == []


def test_a_second_drawing_for_an_icon_is_found() -> None:
    assert repeated('{% set paths = {"a": "M4", "b": "M5", "a": "M6"} %}') == ["a"]
