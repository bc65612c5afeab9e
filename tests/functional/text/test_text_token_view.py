"""What a run token reads of text: only the responses, conversations and files that it made itself."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.functional.test_api import call
from tests.functional.test_gateway_forms import post_form
from tests.functional.text.test_text_ending import LONG, end, streaming, wait_until_settled
from tests.support.text_app import TextClient
from tests.unit.artifacts.test_store import png
from tollgate.text.routes import response

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

ADA: Any = {"type": "message", "role": "user", "content": "My name is Ada"}
ASK: Any = {"model": "test-chat", "input": "hello"}
RESPONSE_ROUTES = (
    ("GET", "/responses/{}"),
    ("GET", "/responses/{}?stream=true"),
    ("GET", "/responses/{}/input_items"),
    ("DELETE", "/responses/{}"),
)


def token_of(client: TextClient) -> TextClient:
    """Return the customer with a new run token."""
    status, answer, _ = call("POST", "/api/v1/tokens", client.account.api_key, {"maxCostCents": 20})
    assert status == 200, answer
    return replace(client, account=replace(client.account, api_key=answer["data"]["token"]))


@pytest.fixture
def mine(client: TextClient) -> TextClient:
    """Return a token's client, which is the caller."""
    return token_of(client)


@pytest.fixture
def others(client: TextClient) -> tuple[TextClient, TextClient]:
    """Return the clients of which it sees nothing."""
    return client, token_of(client)


def good(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestResponses:
    def test_those_of_others_are_not_found(
        self, client: TextClient, mine: TextClient, others: tuple[TextClient, ...]
    ) -> None:
        for other in others:
            made = good(other.post("/responses", ASK))
            for method, path in RESPONSE_ROUTES:
                assert mine.get(path.format(made["id"]), method).status_code == 404, path
            assert mine.post(f"/responses/{made['id']}/cancel", {}).status_code == 404
            assert mine.post("/responses", {**ASK, "previous_response_id": made["id"]}).status_code == 404
            item = {"type": "item_reference", "id": made["output"][0]["id"]}
            assert mine.post("/responses", {**ASK, "input": [item]}).status_code == 404
            assert good(client.get(f"/responses/{made['id']}"))["id"] == made["id"]

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(
        self, client: TextClient, mine: TextClient
    ) -> None:
        made = good(mine.post("/responses", ASK))
        item = {"type": "item_reference", "id": made["output"][0]["id"]}
        for caller in (mine, client):
            for _, path in RESPONSE_ROUTES[:3]:
                assert caller.get(path.format(made["id"])).status_code == 200, path
            good(caller.post("/responses", {**ASK, "previous_response_id": made["id"]}))
            good(caller.post("/responses", {**ASK, "input": [item, ADA]}))
        assert mine.get(f"/responses/{made['id']}", "DELETE").status_code == 200
        assert client.get(f"/responses/{made['id']}").status_code == 404


class TestConversations:
    def test_those_of_others_are_not_found(
        self, client: TextClient, mine: TextClient, others: tuple[TextClient, ...]
    ) -> None:
        for other in others:
            made = good(other.post("/conversations", {"items": [ADA]}))["id"]
            path = f"/conversations/{made}"
            (item,) = good(other.get(f"{path}/items"))["data"]
            for method, ending in (
                ("GET", ""),
                ("GET", "/items"),
                ("GET", f"/items/{item['id']}"),
                ("DELETE", f"/items/{item['id']}"),
                ("DELETE", ""),
            ):
                assert mine.get(f"{path}{ending}", method).status_code == 404, (method, ending)
            assert mine.post(path, {"metadata": {"a": "b"}}).status_code == 404
            assert mine.post(f"{path}/items", {"items": [ADA]}).status_code == 404
            assert mine.post("/responses", {**ASK, "conversation": made}).status_code == 404
            assert len(good(client.get(f"{path}/items"))["data"]) == 1

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(
        self, client: TextClient, mine: TextClient
    ) -> None:
        made = good(mine.post("/conversations", {"items": [ADA]}))["id"]
        path = f"/conversations/{made}"
        for caller in (mine, client):
            good(caller.post(path, {"metadata": {"a": "b"}}))
            good(caller.post(f"{path}/items", {"items": [ADA]}))
            good(caller.post("/responses", {**ASK, "conversation": made}))
            good(caller.get(f"{path}/items"))
        assert mine.get(path, "DELETE").status_code == 200
        assert client.get(path).status_code == 404


class TestPrompts:
    def test_they_have_only_its_own_files(self, mine: TextClient, others: tuple[TextClient, ...]) -> None:
        def uploaded(client: TextClient) -> str:
            files = {"file": ("a.png", png(), "image/png")}
            status, file = post_form(client.account.api_key, "/api/v1/files", {}, files)
            assert status == 200, file
            return str(file["id"])

        def asked(file_id: str) -> int:
            part = {"type": "file", "file": {"file_id": file_id}}
            body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": [part]}]}
            return mine.post("/chat/completions", {**body, "max_tokens": 20}).status_code

        assert asked(uploaded(mine)) == 200
        assert [asked(uploaded(other)) for other in others] == [400, 400]


class TestRunningRequests:
    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(response, "READ_INTERVAL_S", 0.1)

    def test_it_ends_only_its_own(self, client: TextClient, mine: TextClient) -> None:
        with streaming(client, "openai", LONG) as (request_id, _):
            status, answer = end(mine, request_id)
            assert (status, answer["error"]["code"]) == (404, "request_not_found")
            assert end(client, request_id)[0] == 200
        wait_until_settled(client)
        with streaming(mine, "openai", LONG) as (request_id, _):
            assert end(mine, request_id)[0] == 200
        assert client.settled()
