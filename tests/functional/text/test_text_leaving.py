"""Clients that close the connection, at the real door, in each protocol."""

import socket
import time
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.composition import api as api_parts
from tollgate.ledger.entries import Entry
from tollgate.text.body.json_body import dumps
from tollgate.text.serving.event_stream import ENDS_ON_HEADER

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

TOKENS = 400
LONG = f"[[tokens {TOKENS}]] [[delay 20]]"
"""It takes 8 s."""
SHORT = "[[tokens 40]] [[delay 20]]"
PIECES = 10
THINKS_UNASKED = "gpt-5.5"
BOTH = "disconnect, delete"
MODELS = {
    "/chat/completions": "gpt-5.4-mini",
    "/messages": "claude-haiku-4-5",
    "/responses": "gpt-5.4-mini",
}


def body(path: str, prompt: str, **fields: Any) -> dict[str, Any]:
    """Return a request for a stream in the protocol of a path."""
    said = (
        {"input": prompt, "max_output_tokens": 1_000}
        if path == "/responses"
        else {"messages": [{"role": "user", "content": prompt}], "max_tokens": 1_000}
    )
    return {"model": MODELS[path], "stream": True, **said, **fields}


def leave(client: TextClient, path: str, asked: dict[str, Any]) -> str:
    """Ask for a stream, read its beginning, and close; return what the header says."""
    headers = {"authorization": f"Bearer {client.account.api_key}"}
    with httpx.stream("POST", f"{client.url}/api/v1{path}", json=asked, headers=headers) as answer:
        pieces = answer.iter_raw()
        for _ in range(PIECES):
            next(pieces)
        return answer.headers[ENDS_ON_HEADER]


def settled(client: TextClient) -> Entry:
    """Return the one charge, once it is there, nothing is held and the books agree."""
    (entry,) = client.texts_when(1)
    assert client.settled()
    assert client.balance() == USD + entry.amount_micro_usd
    return entry


@pytest.mark.parametrize("path", MODELS)
class TestAStreamWhoseClientGoes:
    def test_ends_at_its_provider_and_costs_what_was_made(self, client: TextClient, path: str) -> None:
        assert leave(client, path, body(path, LONG)) == BOTH
        entry = settled(client)
        assert entry.usage is not None
        assert entry.usage["input_tokens"] > 0
        assert 0 < entry.usage["output_tokens"] < TOKENS / 2
        assert entry.usage["estimated"] is True

    def test_completes_if_the_account_has_chosen_so(self, client: TextClient, path: str) -> None:
        account_id = client.account.account_id
        api_parts.api().answers.change(account_id, "owner", completes=True)
        assert leave(client, path, body(path, SHORT)) == "delete"
        entry = settled(client)
        assert entry.usage is not None
        assert entry.usage["output_tokens"] == 40
        assert "estimated" not in entry.usage

    def test_completes_if_it_may_think_out_of_sight(self, client: TextClient, path: str) -> None:
        model = "claude-sonnet-5-5" if path == "/messages" else THINKS_UNASKED
        assert leave(client, path, body(path, f"{SHORT} [[think]]", model=model)) == "nothing"
        entry = settled(client)
        assert entry.usage is not None
        assert entry.usage["output_tokens"] > 40
        assert "estimated" not in entry.usage

    def test_a_whole_answer_completes(self, client: TextClient, path: str) -> None:
        asked = dumps(body(path, "[[hang 0.3]] [[tokens 40]]", stream=False)).encode()
        address = urlsplit(client.url)
        with socket.create_connection((address.hostname, address.port)) as leaving:
            head = (
                f"POST /api/v1{path} HTTP/1.1\r\nhost: {address.netloc}\r\n"
                f"authorization: Bearer {client.account.api_key}\r\ncontent-length: {len(asked)}\r\n\r\n"
            )
            leaving.sendall(head.encode() + asked)
            deadline = time.monotonic() + START_TIMEOUT_S
            while not api_parts.api().accounts.me(client.account.account_id).holds:
                assert time.monotonic() < deadline
        entry = settled(client)
        assert entry.usage is not None
        assert entry.usage["output_tokens"] == 40
        whole = client.post(path, body(path, "hi", stream=False))
        assert whole.headers[ENDS_ON_HEADER] == "nothing"


def test_a_response_is_stored_only_if_it_was_made_to_its_end(client: TextClient) -> None:
    asked = body("/responses", LONG)
    headers = {"authorization": f"Bearer {client.account.api_key}"}
    with httpx.stream("POST", f"{client.url}/api/v1/responses", json=asked, headers=headers) as answer:
        text = next(answer.iter_text())
    response_id = text.partition('"id":"')[2].partition('"')[0]
    assert response_id.startswith("resp_")
    settled(client)
    found = httpx.get(f"{client.url}/api/v1/responses/{response_id}", headers=headers)
    assert found.status_code == 404
