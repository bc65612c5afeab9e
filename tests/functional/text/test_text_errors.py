"""What every text route has alike: our error bodies whatever breaks, request ids, and rate headers."""

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anthropic
import httpx
import openai
import pytest

from tests.support.clock import ManualClock
from tests.support.text_app import START_TIMEOUT_S, USD, TextClient
from tollgate.composition import text as text_parts
from tollgate.kit.aws.json_protocol import AwsJson
from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.kit.observability import logger
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.request_counts import RequestMeter

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID: list[Any] = [{"role": "user", "content": "hello"}]
CHAT = {"model": "gpt-5.4-mini", "max_tokens": 5, "messages": SAID}
CLAUDE = {"model": "claude-haiku-5-5", "max_tokens": 5, "messages": SAID}
COUNT = {"model": "claude-haiku-5-5", "messages": SAID}


class Route(NamedTuple):
    """A request that is answered with 200."""

    method: str
    path: str
    body: dict[str, Any] | None = None


ROUTES = [
    Route("POST", "/chat/completions", CHAT),
    Route("POST", "/messages", CLAUDE),
    Route("POST", "/messages/count_tokens", COUNT),
    Route("GET", "/models"),
]
RATE_HEADERS = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}


def ask(client: TextClient, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
    """Send one request with the customer's key."""
    sent = {"authorization": f"Bearer {client.account.api_key}", **headers}
    return httpx.request(method, f"{client.url}/api/v1{path}", json=body, headers=sent, timeout=60)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path)
class TestEveryRoute:
    def test_carries_a_request_id_and_what_is_left_of_the_minute(
        self, client: TextClient, route: Route
    ) -> None:
        answer = ask(client, *route)
        assert answer.status_code == 200
        assert answer.headers["x-request-id"] == answer.headers["request-id"] != ""
        assert answer.headers.keys() >= RATE_HEADERS

    def test_answers_a_fault_of_the_database_in_our_shape(
        self, client: TextClient, route: Route, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def broken(*_: Any) -> Any:
            raise DatabaseError("InternalServerError", 500)

        monkeypatch.setattr(AsyncDatabase, "get", broken)
        answer = ask(client, *route)
        assert answer.status_code == 500
        is_messages = route.path.startswith("/messages")
        error = answer.json()["error"]
        assert (answer.json()["code"], error["code"]) == (500, "internal_error")
        assert answer.json().get("type") == ("error" if is_messages else None)
        assert error["type"] == ("api_error" if is_messages else "InternalServerError")
        assert answer.headers["x-request-id"]

    def test_answers_503_when_the_database_throttles_for_all_tries(
        self, client: TextClient, route: Route, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def throttled(*_: Any) -> Any:
            return 400, {"__type": "com.amazon.coral.availability#ThrottlingException"}

        monkeypatch.setattr(AwsJson, "call", throttled)
        monkeypatch.setattr(core, "FIRST_WAIT_S", 0.0)
        answer = ask(client, *route)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "storage_busy")
        assert answer.headers["retry-after"] == "5"
        expected = "overloaded_error" if route.path.startswith("/messages") else "ServiceUnavailable"
        assert answer.json()["error"]["type"] == expected

    def test_another_method_is_405_and_says_which_there_is(self, client: TextClient, route: Route) -> None:
        answer = ask(client, "DELETE", route.path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
        allowed = answer.headers["allow"].split(", ")
        assert route.method in allowed
        assert answer.json()["error"]["message"] == f"Use {' or '.join(allowed)} for this endpoint."


class TestAnUnknownRoute:
    @pytest.mark.parametrize(("header", "kind"), [("x-other", None), ("anthropic-version", "error")])
    def test_is_404_in_the_callers_protocol(self, client: TextClient, header: str, kind: str | None) -> None:
        answer = ask(client, "POST", "/chat", CHAT, **{header: "2023-06-01"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
        assert answer.json().get("type") == kind
        assert answer.json()["error"]["message"] == "No such endpoint: POST /api/v1/chat."


CREATE = "Use POST /api/v1/generation/create."
WRONG_KINDS = {
    "z-image": f"z-image is an image model. {CREATE}",
    "Z-Image": f"z-image is an image model. {CREATE}",
    "veo-3.1-fast": f"veo-3.1-fast is a video model. {CREATE}",
    "suno": f"suno is a music model. {CREATE}",
}
EMBEDS = "text-embedding-3-small"
NO_CHAT = f"{EMBEDS} is an embedding model. Use POST /api/v1/embeddings."
RESPONSE = {"input": "hello"}


class TestAModelOfAnotherKind:
    @pytest.mark.parametrize(("model", "message"), [*WRONG_KINDS.items(), (EMBEDS, NO_CHAT)])
    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/chat/completions", CHAT),
            ("/completions", {"prompt": "hello"}),
            ("/messages", CLAUDE),
            ("/messages/count_tokens", COUNT),
            ("/responses", RESPONSE),
            ("/responses/compact", {"input": "hello"}),
            ("/responses/input_tokens", {"input": "hello"}),
            ("/embeddings", {"input": "hello"}),
        ],
    )
    def test_names_its_endpoint_in_each_protocol(
        self, client: TextClient, path: str, body: dict[str, Any], model: str, message: str
    ) -> None:
        if (path, model) == ("/embeddings", EMBEDS):
            model, message = (
                "gpt-5.4-mini",
                "gpt-5.4-mini is a text model. Use POST /api/v1/chat/completions.",
            )
        answer = client.post(path, {**body, "model": model})
        found = answer.json()
        assert (answer.status_code, found["error"]["code"]) == (400, "model_not_found")
        assert found["error"]["details"][0]["message"] == message
        assert found["error"]["message"] == f"/model: {message}"
        is_messages = path.startswith("/messages")
        assert found.get("type") == ("error" if is_messages else None)
        assert found["error"]["type"] == ("invalid_request_error" if is_messages else "BadRequest")

    def test_is_read_by_both_sdks(self, client: TextClient) -> None:
        message = f"/model: {WRONG_KINDS['z-image']}"
        with pytest.raises(openai.BadRequestError) as chat:
            client.openai.chat.completions.create(model="z-image", messages=SAID)
        assert (chat.value.code, chat.value.param) == ("model_not_found", "model")
        assert message in str(chat.value)
        with pytest.raises(anthropic.BadRequestError) as messages:
            client.anthropic.messages.create(model="z-image", max_tokens=5, messages=SAID)
        assert message in str(messages.value)

    def test_is_found_by_its_name_but_not_listed(self, client: TextClient) -> None:
        assert client.get("/models/z-image").json()["id"] == "z-image"
        assert "z-image" not in [model["id"] for model in client.get("/models").json()["data"]]

    def test_an_unknown_one_is_still_unknown(self, client: TextClient) -> None:
        answer = client.post("/chat/completions", {**CHAT, "model": "z-imagine"})
        assert answer.json()["error"]["message"].startswith("/model: Unknown text model 'z-imagine'.")


class TestTheKey:
    @pytest.mark.parametrize(("method", "path", "body"), ROUTES)
    def test_is_read_from_both_headers(
        self, client: TextClient, method: str, path: str, body: dict[str, Any] | None
    ) -> None:
        url, key = f"{client.url}/api/v1{path}", client.account.api_key
        for headers in ({"x-api-key": key}, {"x-api-key": "dummy", "authorization": f"Bearer {key}"}):
            assert httpx.request(method, url, json=body, headers=headers, timeout=60).status_code == 200

    @pytest.mark.parametrize(
        ("headers", "query", "named"),
        [
            ({"x-api-key": "tg_live_a", "authorization": "Bearer tg_live_b"}, {}, "two different API keys"),
            ({"api-key": "tg_live_a"}, {}, "api-key"),
            ({"x-goog-api-key": "tg_live_a"}, {}, "x-goog-api-key"),
            ({"authorization": "tg_live_a"}, {}, "Bearer"),
            ({}, {"key": "tg_live_a"}, "URL"),
        ],
    )
    @pytest.mark.parametrize("path", ["/chat/completions", "/messages"])
    def test_in_another_place_is_named(
        self, client: TextClient, path: str, headers: dict[str, str], query: dict[str, str], named: str
    ) -> None:
        answer = httpx.post(f"{client.url}/api/v1{path}", json=CLAUDE, headers=headers, params=query)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
        assert named in answer.json()["error"]["message"]
        assert "tg_live_" not in answer.text
        assert answer.headers["www-authenticate"] == 'Bearer realm="tollgate"'


class TestAnthropicsSdk:
    def test_reads_the_request_id_of_an_error(self, client: TextClient) -> None:
        with pytest.raises(anthropic.BadRequestError) as refused:
            client.anthropic.messages.create(model="no-such-model", max_tokens=5, messages=[])
        assert str(refused.value.request_id).startswith("req_")


class TestCountTokens:
    def test_counts_in_the_minute_and_costs_nothing(
        self, open_client: Callable[[int], TextClient], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client = open_client(USD)
        (made,) = text_parts._made.values()
        placing = made.service.billing.place.__self__  # type: ignore[attr-defined]
        monkeypatch.setattr(placing, "_meter", RateMeter(3))
        # One minute for all of them, however long they take.
        clock = ManualClock()
        clock.set_to_now()
        monkeypatch.setattr(placing, "_clock", clock)
        answers = [ask(client, "POST", "/messages/count_tokens", COUNT) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
        assert "retry-after" in answers[-1].headers
        assert client.balance() == USD
        assert client.texts() == []
        assert client.settled()

    def test_works_on_an_account_without_money(self, open_client: Callable[[int], TextClient]) -> None:
        assert ask(open_client(0), "POST", "/messages/count_tokens", COUNT).status_code == 200


class TestEveryRequestCounts:
    def test_whatever_it_asks_for_and_whether_it_is_refused(
        self, open_client: Callable[[int], TextClient], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client = open_client(USD)
        (made,) = text_parts._made.values()
        # Ten requests of any kind in the one minute that there is.
        clock = ManualClock()
        clock.set_to_now()
        monkeypatch.setattr(made, "counter", replace(made.counter, meter=RequestMeter(1), clock=clock))
        unknown = "/responses/resp_01J00000000000000000000000"
        asked = [
            ask(client, "GET", "/models"),
            ask(client, "GET", unknown),
            ask(client, "DELETE", unknown),
            ask(client, "GET", f"{unknown}/input_items"),
            ask(client, "POST", "/responses", {"model": "gpt-5.4-mini", "input": [{"id": "msg_1"}]}),
            ask(client, "POST", "/chat/completions", {}),
            *(ask(client, "GET", "/models/gpt-5.4-mini") for _ in range(5)),
        ]
        assert [answer.status_code for answer in asked] == [200, 404, 404, 404, 404, 400, *[200] * 4, 429]
        assert client.balance() == USD


class TestAClientThatLeavesDuringItsUpload:
    def test_is_no_error_of_ours(self, client: TextClient, monkeypatch: pytest.MonkeyPatch) -> None:
        lines: list[tuple[str, str]] = []
        for level in ("info", "warning", "error", "exception"):
            monkeypatch.setattr(logger, level, lambda event, level=level, **_: lines.append((level, event)))
        address = urlsplit(client.url)
        with socket.create_connection((str(address.hostname), address.port or 0)) as leaving:
            head = (
                f"POST /api/v1/chat/completions HTTP/1.1\r\nhost: {address.netloc}\r\n"
                f"authorization: Bearer {client.account.api_key}\r\ncontent-length: 1000\r\n\r\n{{"
            )
            leaving.sendall(head.encode())
            time.sleep(0.1)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not lines:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert lines == [("info", "text.client_left")]
