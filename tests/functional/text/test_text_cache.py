"""The cache of answers: a hit costs nothing and calls no provider, and no other account gets one."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.text_app import USD, TextClient
from tollgate.composition import api as api_parts
from tollgate.composition import text as text_parts
from tollgate.ledger.entries import EntryKind
from tollgate.text.serving import answer_cache
from tollgate.text.serving.answer_cache import CACHED
from tollgate.text.serving.event_stream import IGNORED

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

CACHE, ON = "x-tollgate-cache", {"x-tollgate-cache": "on"}
CHAT: Any = {"model": "gpt-6-luna", "messages": [{"role": "user", "content": "What is a fjord?"}]}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/chat/completions", CHAT),
    "claude": ("/chat/completions", {**CHAT, "model": "claude-haiku-5-5", "seed": 5}),
    "messages": ("/messages", {**CHAT, "model": "claude-haiku-5-5", "max_tokens": 50}),
    "responses": ("/responses", {"model": "gpt-6-luna", "input": "What is a fjord?"}),
    "translated": ("/responses", {"model": "claude-haiku-5-5", "input": "What is a fjord?"}),
    "embeddings": ("/embeddings", {"model": "text-embedding-3-large", "input": "fjord"}),
    "rerank": ("/rerank", {"model": "rerank-v3.5", "query": "fjord", "documents": ["a", "b"]}),
}


@pytest.mark.parametrize("name", list(REQUESTS))
def test_a_hit_is_the_same_answer_for_nothing(client: TextClient, name: str) -> None:
    path, body = REQUESTS[name]
    first = client.post(path, body, **ON)
    # The order of the fields does not matter.
    again = client.post(path, dict(reversed(body.items())), **ON)
    assert [each.headers.get(CACHE) for each in (first, again)] == ["miss", "hit"], again.text
    assert "age" not in first.headers
    assert int(again.headers["age"]) >= 0
    assert again.headers["x-tollgate-cost-micro-usd"] == "0"
    assert again.headers["x-tollgate-route"] == first.headers["x-tollgate-route"]
    old, new = first.json(), again.json()
    assert new["usage"]["cost"] == 0
    assert not any((new["usage"].get("cost_details") or {}).values())
    volatile = ("id", "created", "created_at", "completed_at", "usage", "output")
    assert {**old, **dict.fromkeys(volatile)} == {**new, **dict.fromkeys(volatile)}
    if "id" in old and name != "rerank":
        assert old["id"] != new["id"]
    entries = client.texts()
    assert [entry.amount_micro_usd < 0 for entry in entries] == [True, False]
    assert (entries[1].reason, entries[1].usage) == (CACHED, {})
    assert client.settled()


@pytest.mark.parametrize("name", ["chat", "claude", "messages", "responses", "translated"])
def test_a_stream_comes_again_for_nothing(client: TextClient, name: str) -> None:
    path, body = REQUESTS[name]
    options = {"stream_options": {"include_usage": True}} if path == "/chat/completions" else {}
    streamed = {**body, "stream": True, **options}
    first, again = (client.post(path, streamed, **ON) for _ in range(2))
    assert [each.headers.get(CACHE) for each in (first, again)] == ["miss", "hit"], again.text
    assert "age" in again.headers
    assert [each.headers.get(IGNORED) for each in (first, again)] == [{"claude": "seed"}.get(name)] * 2
    events = [each.text.count("data: ") for each in (first, again)]
    assert events[0] == events[1] > 5
    # Each event with a cost, and not only the last one.
    assert set(re.findall(r'"cost":([^,}]*)', again.text)) == {"0"}
    old, new = (entry.request_id for entry in client.texts_when(2))
    assert str(old).removeprefix("req_") not in again.text
    assert str(new).removeprefix("req_") in again.text
    entries = client.texts()
    assert [entry.amount_micro_usd < 0 for entry in entries] == [True, False]
    assert (entries[1].reason, entries[1].usage) == (CACHED, {})
    # A response that is not streamed is another one.
    assert client.post(path, body, **ON).headers[CACHE] == "miss"
    assert client.settled()


def test_a_cached_response_can_be_continued(client: TextClient) -> None:
    path, body = REQUESTS["responses"]
    client.post(path, body, **ON)
    hit = client.post(path, body, **ON)
    assert hit.headers[CACHE] == "hit"
    follow = {**body, "previous_response_id": hit.json()["id"]}
    assert client.post(path, follow).status_code == 200
    assert client.get(f"/responses/{hit.json()['id']}").status_code == 200


class TestMisses:
    def test_without_the_header_nothing_is_kept_or_used(self, client: TextClient) -> None:
        for headers in ({}, ON, {}, {CACHE: "off"}):
            answer = client.post("/chat/completions", CHAT, **headers)
            assert answer.headers.get(CACHE) == ("miss" if headers == ON else None)

    @pytest.mark.parametrize(
        "change",
        [
            {"temperature": 0.5},
            {"user": "somebody"},
            {"messages": [{"role": "user", "content": "What is a fjord? "}]},
            {"model": "gpt-5.4-mini"},
        ],
        ids=["field", "user", "space", "model"],
    )
    def test_another_body(self, client: TextClient, change: dict[str, Any]) -> None:
        client.post("/chat/completions", CHAT, **ON)
        assert client.post("/chat/completions", {**CHAT, **change}, **ON).headers[CACHE] == "miss"

    def test_another_account(self, client: TextClient, open_client: Callable[[int], TextClient]) -> None:
        client.post("/chat/completions", CHAT, **ON)
        assert open_client(USD).post("/chat/completions", CHAT, **ON).headers[CACHE] == "miss"

    def test_a_refusal(self, client: TextClient) -> None:
        rejected = {**CHAT, "messages": [{"role": "user", "content": "[[reject]]"}]}
        for _ in range(2):
            answer = client.post("/chat/completions", rejected, **ON)
            assert (answer.status_code, answer.headers.get(CACHE)) == (400, None)

    def test_a_stream_that_broke_off(self, client: TextClient) -> None:
        said = [{"role": "user", "content": "[[tokens 50]] [[stream-cut 20]]"}]
        for _ in range(2):
            answer = client.post("/chat/completions", {**CHAT, "messages": said, "stream": True}, **ON)
            assert (answer.status_code, answer.headers[CACHE]) == (200, "miss")

    def test_refresh_replaces_what_is_kept(self, client: TextClient) -> None:
        first, fresh, then = (
            client.post("/chat/completions", CHAT, **{CACHE: mode}) for mode in ("on", "refresh", "on")
        )
        assert [each.headers[CACHE] for each in (first, fresh, then)] == ["miss", "miss", "hit"]

    def test_a_provider_that_is_not_permitted_any_more(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.post("/chat/completions", CHAT, **ON)
        kept = answer_cache._kept
        monkeypatch.setattr(answer_cache, "_kept", lambda *row: replace(kept(*row), provider="unwanted"))
        [made] = text_parts._made.values()
        place, placed = made.service.billing.place, []

        async def placing(*given: Any, **fields: Any) -> Any:
            placed.append(hold := await place(*given, **fields))
            return hold

        monkeypatch.setattr(made.service.billing, "place", placing)
        assert client.post("/chat/completions", CHAT, **ON).headers[CACHE] == "miss"
        # Each hold counts in the rate window.
        assert len(placed) == 1
        assert client.entries_of(EntryKind.VOID) == []
        assert client.settled()

    def test_an_answer_whose_object_is_gone_or_empty(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.post("/chat/completions", CHAT, **ON)
        [made] = text_parts._made.values()
        for gone in (None, b""):

            async def content(_: Any, row: Any, gone: bytes | None = gone) -> bytes | None:
                return gone

            monkeypatch.setattr(type(made.storage), "content", content)
            assert client.post("/chat/completions", CHAT, **ON).headers[CACHE] == "miss"

    def test_after_its_time(self, client: TextClient, monkeypatch: pytest.MonkeyPatch) -> None:
        client.post("/chat/completions", CHAT, **ON, **{"x-tollgate-cache-ttl": "60"})
        assert client.post("/chat/completions", CHAT, **ON).headers[CACHE] == "hit"
        [made] = text_parts._made.values()
        later = made.storage.clock.now_ms() + 61_000

        class Later:
            def now_ms(self) -> int:
                return later

        monkeypatch.setattr(made, "storage", replace(made.storage, clock=Later()))
        assert client.post("/chat/completions", CHAT, **ON).headers[CACHE] == "miss"


@pytest.mark.parametrize(
    ("headers", "word"),
    [
        ({CACHE: "maybe"}, CACHE),
        ({**ON, "x-tollgate-cache-ttl": "0"}, "x-tollgate-cache-ttl"),
        ({**ON, "x-tollgate-cache-ttl": "86401"}, "x-tollgate-cache-ttl"),
        ({**ON, "x-tollgate-cache-ttl": "1h"}, "x-tollgate-cache-ttl"),
    ],
    ids=["mode", "zero", "long", "text"],
)
def test_a_wrong_header_is_refused_by_name(client: TextClient, headers: dict[str, str], word: str) -> None:
    answer = client.post("/chat/completions", CHAT, **headers)
    assert answer.status_code == 400
    assert word in answer.json()["error"]["message"]
    assert client.texts() == []


def test_openrouters_names_are_the_same(client: TextClient) -> None:
    theirs = {"x-openrouter-cache": "true", "x-openrouter-cache-ttl": "300"}
    assert [client.post("/chat/completions", CHAT, **theirs).headers[CACHE] for _ in range(2)] == [
        "miss",
        "hit",
    ]


def test_a_key_can_turn_it_on_and_a_request_off(client: TextClient) -> None:
    body = {"name": "cached", "cacheTtlS": 60}
    made = api_parts.api().keys.create(client.account.account_id, body, None)
    sent = {"authorization": f"Bearer {made['key']}"}
    answers = [client.post("/chat/completions", CHAT, **sent, **each) for each in ({}, {}, {CACHE: "off"})]
    assert [each.headers.get(CACHE) for each in answers] == ["miss", "hit", None]
