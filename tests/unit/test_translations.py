"""Every text of a page has its translations, and the compiled files are up to date (`make languages`)."""

from copy import deepcopy
from functools import cache

import pytest
from babel.messages.catalog import Catalog

from local.languages import catalog_of, faults, outputs, template
from tollgate.web.languages import TRANSLATED


@cache
def texts() -> Catalog:
    return template()


@pytest.mark.parametrize("language", TRANSLATED)
def test_all_texts_are_translated_with_the_same_placeholders(language: str) -> None:
    assert list(faults(catalog_of(language))) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_files_are_up_to_date(language: str) -> None:
    changed = [
        path.name
        for path, content in outputs(language, deepcopy(texts())).items()
        if not path.exists() or path.read_bytes() != content
    ]
    assert changed == [], "run `make languages`"
