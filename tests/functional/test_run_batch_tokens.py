"""Batches of run tokens: a token sees, uses and ends only those that it created, in both protocols."""

import json
from typing import Any

import httpx
import pytest

from tests.functional.test_api import call
from tests.functional.test_gateway_forms import post_form
from tests.functional.test_run_batch import CHATS, chat, lines_of, run_all, runner
from tests.functional.text.test_text_token_view import good, mine, others, token_of
from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["mine", "others", "runner"]

BATCHES, MESSAGES = "/batches", "/messages/batches"
REQUESTS: Any = {"requests": [{"custom_id": "a", "params": chat()}]}


def uploaded(client: TextClient) -> str:
    """Upload a file of one line; return its id."""
    data = json.dumps(lines_of(chat())[0]).encode()
    files = {"file": ("in.jsonl", data, "application/jsonl")}
    status, file = post_form(client.account.api_key, "/api/v1/files", {"purpose": "batch"}, files)
    assert status == 200, file
    return str(file["id"])


def start(client: TextClient, file_id: str, **headers: str) -> httpx.Response:
    body = {"input_file_id": file_id, "endpoint": CHATS, "completion_window": "24h"}
    return client.post(BATCHES, body, **headers)


def ids(client: TextClient, path: str, query: str = "") -> list[str]:
    return [each["id"] for each in good(client.get(f"{path}{query}"))["data"]]


def files_status(client: TextClient, file_id: str) -> int:
    """Return the status of a file that `functions/api` shows."""
    return call("GET", f"/api/v1/files/{file_id}", client.account.api_key)[0]


class TestOpenAI:
    def test_those_of_others_are_not_found(
        self, client: TextClient, mine: TextClient, others: tuple[TextClient, ...]
    ) -> None:
        for other in others:
            file_id = uploaded(other)
            made = good(start(other, file_id))
            assert mine.get(f"{BATCHES}/{made['id']}").status_code == 404
            assert mine.post(f"{BATCHES}/{made['id']}/cancel", {}).status_code == 404
            refused = start(mine, file_id)
            assert (refused.status_code, refused.json()["error"]["param"]) == (400, "input_file_id")
        assert ids(mine, BATCHES) == []
        assert len(ids(client, BATCHES)) == 2

    def test_its_own_has_results_for_it_and_for_its_account(
        self, client: TextClient, mine: TextClient
    ) -> None:
        made = good(start(mine, uploaded(mine)))["id"]
        other = token_of(client)
        assert run_all() == 1
        for caller in (mine, client):
            assert ids(caller, BATCHES) == [made]
            ended = good(caller.get(f"{BATCHES}/{made}"))
            assert ended["status"] == "completed"
            assert files_status(caller, ended["output_file_id"]) == 200
            good(caller.post(f"{BATCHES}/{made}/cancel", {}))
        assert files_status(other, ended["output_file_id"]) == 404

    def test_an_idempotency_key_of_another_key_is_free_for_it(
        self, mine: TextClient, others: tuple[TextClient, ...]
    ) -> None:
        callers = {uploaded(each): each for each in (*others, mine)}

        def all_made() -> list[str]:
            once = {"idempotency-key": "order-1"}
            return [good(start(each, file_id, **once))["id"] for file_id, each in callers.items()]

        first = all_made()
        assert len(set(first)) == 3
        assert all_made() == first


class TestAnthropic:
    def test_those_of_others_are_not_found(
        self, client: TextClient, mine: TextClient, others: tuple[TextClient, ...]
    ) -> None:
        made = [good(other.post(MESSAGES, REQUESTS))["id"] for other in others]
        run_all()
        for each in made:
            path = f"{MESSAGES}/{each}"
            assert mine.get(path).status_code == 404
            assert mine.get(f"{path}/results").status_code == 404
            assert mine.post(f"{path}/cancel", {}).status_code == 404
            assert mine.get(path, "DELETE").status_code == 404
            assert client.get(f"{path}/results").status_code == 200
        assert ids(mine, MESSAGES) == []

    def test_its_own_are_as_for_any_key_and_its_account_sees_them_too(
        self, client: TextClient, mine: TextClient
    ) -> None:
        made = good(mine.post(MESSAGES, REQUESTS))["id"]
        path = f"{MESSAGES}/{made}"
        good(mine.post(f"{path}/cancel", {}))
        run_all()
        for caller in (mine, client):
            assert good(caller.get(path))["processing_status"] == "ended"
            assert caller.get(f"{path}/results").status_code == 200
            assert ids(caller, MESSAGES) == [made]
        assert mine.get(path, "DELETE").status_code == 200

    def test_pages_are_full_although_others_stand_between_its_own(
        self, client: TextClient, mine: TextClient
    ) -> None:
        own = []
        for _ in range(3):
            own.append(good(mine.post(MESSAGES, REQUESTS))["id"])
            client.post(MESSAGES, REQUESTS)
        own.reverse()
        first = good(mine.get(f"{MESSAGES}?limit=2"))
        assert ([each["id"] for each in first["data"]], first["has_more"]) == (own[:2], True)
        last = good(mine.get(f"{MESSAGES}?limit=2&after_id={own[1]}"))
        assert ([each["id"] for each in last["data"]], last["has_more"]) == (own[2:], False)
        back = good(mine.get(f"{MESSAGES}?limit=1&before_id={own[2]}"))
        assert ([each["id"] for each in back["data"]], back["has_more"]) == ([own[1]], True)
        back = good(mine.get(f"{MESSAGES}?limit=2&before_id={own[2]}"))
        assert ([each["id"] for each in back["data"]], back["has_more"]) == (own[:2], True)
