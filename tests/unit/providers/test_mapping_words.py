"""Our input in each provider's words, by the table of cases that its `test_<name>_mapping.py` has."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.unit.providers.mapping_support import Case, mapped, names
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Mapped
from tollgate.providers.runtime.registry import providers

HERE = Path(__file__).parent
TABLES = {
    name: import_module(f"tests.unit.providers.test_{name}_mapping")
    for name in providers()
    if (HERE / f"test_{name}_mapping.py").exists()
}
WORDS: dict[str, list[Case]] = {name: table.CASES for name, table in TABLES.items()}
REFUSED: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    name: getattr(table, "REFUSED", []) for name, table in TABLES.items()
}
"""Inputs that the catalog takes and the provider does not: a model, an input, why."""


@pytest.mark.parametrize("provider", WORDS)
def test_an_input_in_the_providers_words(provider: str) -> None:
    rows = list(zip(names(WORDS[provider]), WORDS[provider], strict=True))
    found = [(name, mapped(provider, model, source)) for name, (model, source, _, _) in rows]
    assert found == [(name, Mapped(upstream, body)) for name, (_, _, upstream, body) in rows]


@pytest.mark.parametrize("provider", [name for name, table in REFUSED.items() if table])
def test_what_a_provider_has_no_words_for_is_refused(provider: str) -> None:
    for model, source, reason in REFUSED[provider]:
        found = refusal(provider, model, source)
        assert re.search(reason, found), f"{model} {source}: {found or 'the mapping takes it'}"


def refusal(provider: str, model: str, source: dict[str, Any]) -> str:
    """Return why a provider cannot take an input; empty if it can."""
    try:
        mapped(provider, model, source)
    except CannotMapError as error:
        return str(error)
    return ""
