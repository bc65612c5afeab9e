"""A run token and another account find nothing that a customer's key made, on any route of the document.

The test reads the routes from the document. A new kind of id needs an example in `known` or `known_texts`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.contract.test_schemathesis import (
    API,
    OPERATIONS,
    TEXT,
    example_of,
    known,
    known_texts,
    read_schema,
    rich,
)
from tests.support.text_app import USD, TextClient
from tollgate.accounts.scopes import Scope
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts

__all__ = ["known", "rich"]

BY_QUERY = "GET /api/v1/generation"
"""Its id is in the query."""
OF_NO_CUSTOMER = ("/catalog/{id}", "/cost/{model}", "/models/{id}", "/statements/{month}")
"""Their parameters name nothing that a customer made."""
LISTED = {f"GET /api/v1/{name}" for name in ("tasks", "files", "videos", "workflows")}
LISTED_TEXTS = {"GET /api/v1/batches", "GET /api/v1/messages/batches"}

Send = Callable[[str, str, Any], tuple[int, str]]
"""Sends a request: a route with its ids, a key and a body. Returns the status and the text of the answer."""
Known = Mapping[tuple[str, str], str]


def token_of(customer: OpenedAccount) -> str:
    """Return a new run token of a customer's key."""
    api = api_parts.api()
    key = api.authenticator.authenticate(customer.api_key, Scope.ACCOUNT, None)
    return str(api.tokens.create(customer.account_id, {"maxCostCents": 5}, key)["token"])


def stranger_of(_: OpenedAccount) -> str:
    """Return the key of another account."""
    return api_parts.api().accounts.open(USD).api_key


CALLERS = pytest.mark.parametrize(
    "caller_of", [token_of, stranger_of], ids=["a run token", "another account"]
)


def check(routes: list[str], known: Known, send: Send, owner: str, caller: str, listed: set[str]) -> None:
    """Send every route that names or lists things: as the caller who may see none, and as the owner."""
    document = read_schema()
    named = [
        route
        for route in routes
        if ("{" in route and not any(part in route for part in OF_NO_CUSTOMER)) or route == BY_QUERY
    ]
    for route in named:
        there = {name: value for (part, name), value in known.items() if part in route}
        path = f"{route}?id={there['id']}" if route == BY_QUERY else route.format(**there)
        status, text = send(path, caller, example_of(document, route))
        assert status in (403, 404), (route, status, text)
        if route.startswith("GET"):
            # Its owner finds it, so the id is right.
            assert send(path, owner, None)[0] in (200, 302), path
    made = {value for value in known.values() if "_" in value}
    has_things = set()
    for route in (route for route in routes if route.startswith("GET") and "{" not in route):
        if OPERATIONS[route].get("scope") is not None and route != BY_QUERY:
            _, text = send(route, caller, None)
            assert not [each for each in made if each in text], route
            if any(each in send(route, owner, None)[1] for each in made):
                has_things.add(route)
    assert has_things >= listed


@CALLERS
def test_they_find_no_generation_file_or_setting(
    rich: OpenedAccount, known: Known, caller_of: Callable[[OpenedAccount], str]
) -> None:
    from local.machine.server import api as app  # noqa: PLC0415 - its handlers take this thread's loop

    client = TestClient(app, follow_redirects=False)

    def send(route: str, key: str, body: Any) -> tuple[int, str]:
        method, path = route.split(" ")
        # A transfer to a sub-account needs the second header.
        headers = {"authorization": f"Bearer {key}", "idempotency-key": "order-1"}
        answer = client.request(method, path, json=body, headers=headers)
        return answer.status_code, answer.text

    check(API, known, send, rich.api_key, caller_of(rich), LISTED)


@pytest.mark.ministack
@pytest.mark.xdist_group("ministack")
@CALLERS
def test_they_find_no_text(
    client: TextClient, fresh_breaker: None, caller_of: Callable[[OpenedAccount], str]
) -> None:
    def send(route: str, key: str, body: Any) -> tuple[int, str]:
        method, path = route.replace("/api/v1", "").split(" ")
        caller = replace(client, account=replace(client.account, api_key=key))
        answer = caller.get(path, method) if body is None else caller.post(path, body)
        return answer.status_code, answer.text

    key = client.account.api_key
    check(TEXT, known_texts(client), send, key, caller_of(client.account), LISTED_TEXTS)
