"""Our input in each provider's words, by the table of cases that its `test_<name>_mapping.py` has."""

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


def rows_of(tables: dict[str, Any]) -> list[Any]:
    """Return the rows of all tables, each with its provider and named by it, its model and its fields."""
    return [
        pytest.param(provider, *row, id=f"{provider}-{name}")
        for provider, table in tables.items()
        for row, name in zip(table, names(table), strict=True)
    ]


@pytest.mark.parametrize(("provider", "model", "source", "upstream", "body"), rows_of(WORDS))
def test_an_input_in_the_providers_words(
    provider: str, model: str, source: dict[str, Any], upstream: str, body: dict[str, Any]
) -> None:
    assert mapped(provider, model, source) == Mapped(upstream, body)


@pytest.mark.parametrize(("provider", "model", "source", "reason"), rows_of(REFUSED))
def test_what_a_provider_has_no_words_for_is_refused(
    provider: str, model: str, source: dict[str, Any], reason: str
) -> None:
    with pytest.raises(CannotMapError, match=reason):
        mapped(provider, model, source)
