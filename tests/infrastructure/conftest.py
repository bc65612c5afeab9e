"""The template, translated once."""

import pytest

from local.template import Template, read_template


@pytest.fixture(scope="session")
def template() -> Template:
    """Give the translated template."""
    return read_template()
