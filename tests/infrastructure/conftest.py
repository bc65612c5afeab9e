"""The template, translated once."""

import pytest

from tests.infrastructure.template import Template, read_template


@pytest.fixture(scope="session")
def template() -> Template:
    """Give the translated template. The translator asks for a region, whichever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        return read_template()
