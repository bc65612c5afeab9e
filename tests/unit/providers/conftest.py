"""What the adapters' tests run against: an API that answers what it is told."""

from collections.abc import Iterator

import pytest

from tests.unit.providers.support import Api, api

pytest.register_assert_rewrite("tests.unit.providers.tables")


@pytest.fixture(scope="session")
def served_api() -> Iterator[Api]:
    with api() as running:
        yield running


@pytest.fixture
def fake(served_api: Api) -> Api:
    """Return the API as new."""
    served_api.reset()
    return served_api
