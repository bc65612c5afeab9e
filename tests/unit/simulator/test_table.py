"""What the table of a provider takes from the provider's declaration: the place of the key."""

import pytest
from starlette.requests import Request

from local.simulator.providers.table import given_key
from tollgate.providers.runtime.accounts import media_accounts
from tollgate.providers.runtime.registry import providers

DECLARED = {name: providers()[name].auth for name in sorted(media_accounts())}


def request(headers: dict[str, str]) -> Request:
    lower = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": lower})


@pytest.mark.parametrize("provider", [name for name, auth in DECLARED.items() if auth.header])
def test_a_key_is_read_where_it_is_declared_and_nowhere_else(provider: str) -> None:
    declared = DECLARED[provider].headers("sk-fox")
    assert given_key(provider, request(declared)) == "sk-fox"
    assert given_key(provider, request(DECLARED[provider].headers("sk-bad"))) is None
    for other in ({}, {"authorization": "Basic sk-fox"}, {"x-another-key": "sk-fox"}):
        assert given_key(provider, request(other)) is None
