"""A running stream, ended by its owner, on the emulator. The pause between two looks is shortened."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.functional.test_api import call
from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.composition import api as api_parts
from tollgate.kit.ids import new_id
from tollgate.ledger.entries import EntryKind
from tollgate.text.routes import response
from tollgate.text.routes.calls import STREAM_TIMEOUT_S
from tollgate.text.serving import event_stream

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

MODELS = {"openai": "gpt-5.4-mini", "anthropic": "claude-haiku-5-5"}
PATHS = {"openai": "/chat/completions", "anthropic": "/messages"}
TOKENS = 1_000
"""At 20 ms each the answer would take 20 s."""
LONG = f"[[tokens {TOKENS}]] [[delay 20]]"
SILENT = "[[tokens 5]] [[delay 3000]]"
LOOKS_EVERY_S = response.READ_INTERVAL_S


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "READ_INTERVAL_S", 0.1)


@contextmanager
def streaming(client: TextClient, protocol: str, prompt: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Begin a stream; give its request's id and its lines."""
    asked = {
        "model": MODELS[protocol],
        "max_tokens": TOKENS,
        "stream": True,
        "messages": [{"role": "user", "content": prompt}],
    }
    with httpx.stream(
        "POST",
        f"{client.url}/api/v1{PATHS[protocol]}",
        json=asked,
        headers={"authorization": f"Bearer {client.account.api_key}"},
        timeout=START_TIMEOUT_S,
    ) as answer:
        lines = answer.iter_lines()
        assert "data: " in next(line for line in lines if line.startswith("data: "))
        yield answer.headers["x-request-id"], lines


def end(client: TextClient, request_id: str) -> tuple[int, Any]:
    status, answer, _ = call("DELETE", f"/api/v1/requests/{request_id}", client.account.api_key)
    return status, answer


def wait_until_settled(client: TextClient) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not client.texts() or not client.settled():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class TestTheBounds:
    def test_a_stream_looks_every_5_s_for_as_long_as_it_may_last(self) -> None:
        assert LOOKS_EVERY_S == 5
        assert response.MAX_READS * LOOKS_EVERY_S >= STREAM_TIMEOUT_S


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
class TestAStreamThatItsOwnerEnds:
    def test_ends_in_an_error_and_is_billed_for_what_came(self, client: TextClient, protocol: str) -> None:
        with streaming(client, protocol, LONG) as (request_id, lines):
            status, answer = end(client, request_id)
            assert (status, answer["data"]) == (200, {"requestId": request_id, "ending": True})
            rest = [line for line in lines if line.startswith("data: ")]
        last = json.loads(rest[-1].removeprefix("data: "))
        assert last["error"]["code"] == "request_ended"
        assert len(rest) < TOKENS / 2
        wait_until_settled(client)
        (entry,) = client.texts()
        assert entry.usage is not None
        assert 0 < entry.usage["output_tokens"] < TOKENS / 2
        assert client.balance() == USD + entry.amount_micro_usd

    def test_a_client_that_has_gone_can_still_end_it(self, client: TextClient, protocol: str) -> None:
        # Otherwise it ends with its client.
        api_parts.api().answers.change(client.account.account_id, "owner", completes=True)
        with streaming(client, protocol, LONG) as (request_id, _):
            pass
        assert end(client, request_id)[0] == 200
        wait_until_settled(client)
        (entry,) = client.texts()
        assert entry.usage is not None
        assert entry.usage["output_tokens"] < TOKENS / 2


class TestAProviderThatIsSilent:
    def test_is_not_waited_for(self, client: TextClient) -> None:
        with streaming(client, "openai", SILENT) as (request_id, lines):
            assert end(client, request_id)[0] == 200
            rest = [line for line in lines if line.startswith("data: ")]
        # The stream began with its first word, after 3 s. The second one would take as long.
        assert ["request_ended" in line for line in rest] == [False, True]


@contextmanager
def waiting(client: TextClient, path: str, prompt: str, model: str) -> Iterator[tuple[str, Iterator[str]]]:
    """Begin a stream whose provider is silent; give its request's id and its lines."""
    said: dict[str, Any] = (
        {"input": prompt, "max_output_tokens": TOKENS}
        if path == "/responses"
        else {"messages": [{"role": "user", "content": prompt}], "max_tokens": TOKENS}
    )
    headers = {"authorization": f"Bearer {client.account.api_key}"}
    asked = {"model": model, "stream": True, **said}
    url = f"{client.url}/api/v1{path}"
    with httpx.stream("POST", url, json=asked, headers=headers, timeout=START_TIMEOUT_S) as answer:
        yield answer.headers["x-request-id"], answer.iter_lines()


def events_of(lines: Iterator[str]) -> list[dict[str, Any]]:
    """Return the data of the events, without signs of life."""
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [event for event in map(json.loads, data) if event.get("type") != "ping"]


# Its first word comes in 2 s: far later than the look that finds the mark.
SILENCES = ["[[hang 2]]", "[[silent 2]]"]
LAST_EVENTS = {
    "/chat/completions": ("gpt-5.4-mini", None),
    "/messages": ("claude-haiku-4-5", "error"),
    "/responses": ("gpt-5.4-mini", "error"),
}
"""A model of each route, and the type of an error event in the route's protocol."""


class TestAStreamThatIsEndedBeforeItsFirstWord:
    @pytest.fixture(autouse=True)
    def at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.05)
        monkeypatch.setattr("tollgate.text.serving.event_stream.READ_INTERVAL_S", 0.1)

    @pytest.mark.parametrize("path", LAST_EVENTS)
    @pytest.mark.parametrize("silence", SILENCES)
    def test_its_only_event_is_the_error_in_the_clients_protocol_and_its_input_is_charged(
        self, client: TextClient, path: str, silence: str
    ) -> None:
        model, kind = LAST_EVENTS[path]
        with waiting(client, path, f"{silence} {LONG}", model) as (request_id, lines):
            status, answer = end(client, request_id)
            assert (status, answer["data"]) == (200, {"requestId": request_id, "ending": True})
            (found,) = events_of(lines)
        assert (found.get("type"), found["error"]["code"]) == (kind, "request_ended")
        wait_until_settled(client)
        (entry,) = client.texts()
        assert entry.usage is not None
        assert entry.usage["input_tokens"] > 0
        assert entry.usage.get("output_tokens", 0) < TOKENS / 2
        assert client.balance() == USD + entry.amount_micro_usd

    def test_one_that_may_think_out_of_sight_is_billed_by_its_report(self, client: TextClient) -> None:
        prompt = "[[hang 2]] [[tokens 40]] [[think]]"
        with waiting(client, "/chat/completions", prompt, "gpt-5.5") as (request_id, lines):
            end(client, request_id)
            assert [event["error"]["code"] for event in events_of(lines)] == ["request_ended"]
        wait_until_settled(client)
        (entry,) = client.texts()
        assert entry.usage is not None
        assert entry.usage["output_tokens"] > 40
        assert "estimated" not in entry.usage

    def test_no_other_route_is_called_and_nothing_is_charged(self, client: TextClient) -> None:
        prompt = "[[anthropic: hang 2]] [[anthropic: garbage]]"
        with waiting(client, "/messages", prompt, "claude-sonnet-4-6") as (request_id, lines):
            end(client, request_id)
            assert [event["error"]["code"] for event in events_of(lines)] == ["request_ended"]
        assert client.settled()
        assert client.balance() == USD
        (ended,) = client.entries_of(EntryKind.VOID)
        assert ended.provider == "anthropic"
        assert ended.reason == "Ended with HTTP 499; nothing was charged."

    def test_the_first_word_does_not_make_the_wait_longer(
        self, client: TextClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The first word comes before the next look, and the one after it would be too late.
        for module in ("serving.event_stream", "routes.response"):
            monkeypatch.setattr(f"tollgate.text.{module}.READ_INTERVAL_S", START_TIMEOUT_S)
        with waiting(client, "/chat/completions", f"[[hang 1]] {LONG}", "gpt-5.4-mini") as (
            request_id,
            lines,
        ):
            end(client, request_id)
            *words, last = events_of(lines)
        assert last["error"]["code"] == "request_ended"
        assert len(words) < TOKENS / 2


class TestNobodyElsesBusiness:
    def test_another_account_ends_nothing(self, client: TextClient) -> None:
        other = api_parts.api().accounts.open(USD)
        with streaming(client, "openai", LONG) as (request_id, lines):
            status, answer, _ = call("DELETE", f"/api/v1/requests/{request_id}", other.api_key)
            assert (status, answer["error"]["code"]) == (404, "request_not_found")
            assert next(lines) is not None
            end(client, request_id)
        wait_until_settled(client)

    def test_what_is_over_is_not_found(self, client: TextClient) -> None:
        said = [{"role": "user", "content": "hi"}]
        answer = client.post(PATHS["openai"], {"model": MODELS["openai"], "max_tokens": 5, "messages": said})
        assert end(client, answer.headers["x-request-id"])[0] == 404

    def test_a_key_without_the_scope_may_not(self, client: TextClient) -> None:
        body = {"name": "media", "scopes": ["media"]}
        _, made, _ = call("POST", "/api/v1/keys", client.account.api_key, body)
        status, answer, _ = call("DELETE", f"/api/v1/requests/{new_id('req')}", made["data"]["key"])
        assert (status, answer["error"]["code"]) == (403, "forbidden")
