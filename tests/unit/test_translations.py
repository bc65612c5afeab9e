"""Every text of a page is in a translation, and every catalog has it (`make languages`)."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from jinja2 import Environment, nodes

from dashboard.render import HERE
from local.upkeep.languages import catalog_of, faults, outputs, report, template
from tests.support.legible import legible
from tollgate.web.languages import TRANSLATED

# Names, units, and examples of what a field takes.
NAMES = frozenset(
    (
        *(
            "Tollgate",
            "OpenAPI",
            "llms",
            "API",
            "JSON",
            "Markdown",
            "CSV",
            "HTTP",
            "URL",
            "UTC",
            "USD",
            "KB",
            "ms",
        ),
        *("https", "team", "tag", "agent", "run", "research", "authorization", "Bearer", "arn", "aws", "iam"),
        *("Brand", "Offer", "Product"),
    )
)
# In English.
ENGLISH_ONLY = ("docs.html",)
# Calls that translate, or whose text nobody reads.
MARKS = ("_", "gettext", "ngettext", "may")
# What an expression shows, unlike a key or a path.
SENTENCE = re.compile(r"[A-Z][a-z]+( |$)|[a-z]{3,} [a-z]{3,}")
TEMPLATES = sorted(path for path in (HERE / "templates").iterdir() if not path.name.startswith(ENGLISH_ONLY))


@cache
def texts() -> Catalog:
    return template()


@pytest.mark.parametrize("language", TRANSLATED)
def test_all_texts_are_translated_with_the_same_placeholders(language: str) -> None:
    assert list(faults(catalog_of(language))) == []


def test_a_text_is_printed_once_with_its_languages_and_the_next_step() -> None:
    german, french = Catalog(locale="de"), Catalog(locale="fr")
    german.add("Fox")
    french.add("Fox")
    french.add("Hen")
    assert report({"de": german, "fr": french}) == [
        "de, fr: missing: Fox",
        "fr: missing: Hen",
        "Mend these in languages/de.po, languages/fr.po, then run `make languages` again.",
    ]
    assert report({"de": Catalog(locale="de")}) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_files_are_up_to_date(language: str) -> None:
    changed = [
        path.name
        for path, content in outputs(language, deepcopy(texts())).items()
        if not path.exists() or path.read_bytes() != content
    ]
    assert changed == [], "run `make languages`"


def test_templates_have_no_text_outside_a_translation() -> None:
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    left = {
        path.name: found
        for path in TEMPLATES
        if (found := {*legible(markup(path)), *literals(environment.parse(path.read_text()))} - NAMES)
    }
    assert left == {}


def test_only_a_literal_is_translated_as_markup() -> None:
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    found = {path.name for path in TEMPLATES for call in calls(environment.parse(path.read_text())) if call}
    assert found == set(), "write `value|translated`, which is escaped"


def calls(template: nodes.Template) -> Iterator[bool]:
    """Return of each call of `_` whether its text is in a variable."""
    for call in template.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in ("_", "gettext", "ngettext"):
            yield not isinstance(call.args[0], nodes.Const)


def markup(path: Path) -> str:
    """Return a template without its translations, expressions and statements."""
    text = re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}", "", text, flags=re.DOTALL)
    return re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", text, flags=re.DOTALL)


def literals(node: nodes.Node) -> Iterator[str]:
    """Return the texts in expressions that no translation is asked for."""
    if isinstance(node, nodes.Compare | nodes.Getitem | nodes.Test | nodes.TemplateData):
        return
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in MARKS:
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str) and SENTENCE.match(node.value):
        yield node.value
    for child in node.iter_child_nodes():
        yield from literals(child)
