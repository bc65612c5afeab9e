"""Routing wishes of text requests: who is called, who never is, and what that costs."""

from typing import Any

import httpx
import pytest

from tests.support.text_app import USD, TextClient, switched_off
from tollgate.composition import api as api_parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.ledger.entries import EntryKind

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

# Its routes: anthropic, bedrock, openrouter.
CLAUDE = "claude-sonnet-4-6"
GPT = "gpt-5.4-mini"
ROUTE = "x-tollgate-route"


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def ask(client: TextClient, path: str, prompt: str, **fields: Any) -> httpx.Response:
    """Send a prompt in the protocol of a path."""
    body: dict[str, Any] = {"model": CLAUDE}
    match path:
        case "/responses":
            body |= {"input": prompt}
        case "/completions":
            body |= {"prompt": prompt, "max_tokens": 20}
        case _:
            body |= {"messages": said(prompt), "max_tokens": 20}
    return client.post(path, {**body, **fields})


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the field of a refusal."""
    body = answer.json()["error"]
    details = body["details"]
    return answer.status_code, details[0]["path"] if isinstance(details, list) else str(details)


PROTOCOLS = ["/chat/completions", "/messages", "/responses", "/completions"]


@pytest.mark.parametrize("path", PROTOCOLS)
class TestEveryProtocol:
    def test_only_is_never_left_for_a_reserve(self, client: TextClient, path: str) -> None:
        answer = ask(client, path, "[[anthropic: status 529]] hi", provider={"only": ["anthropic"]})
        assert answer.status_code == 503
        (failed,) = client.entries_of(EntryKind.VOID)
        assert failed.provider == "anthropic"
        assert client.settled()
        assert client.balance() == USD

    def test_the_order_decides_who_answers_and_the_header_says_it(
        self, client: TextClient, path: str
    ) -> None:
        order = {"order": ["OpenRouter", "amazon-bedrock"]}
        answer = ask(client, path, "hi", provider=order)
        assert (answer.status_code, answer.headers[ROUTE]) == (200, "openrouter")
        answer = ask(client, path, "[[openrouter: status 500]] hi", provider=order)
        assert (answer.status_code, answer.headers[ROUTE]) == (200, "bedrock")

    def test_a_fallback_model_answers_at_its_own_price(self, client: TextClient, path: str) -> None:
        down = "[[anthropic: status 529]] [[bedrock: status 500]] [[openrouter: status 500]] hi"
        answer = ask(client, path, down, models=[GPT], provider={"ignore": ["openrouter"]})
        # A response names the requested model, like its events, which can begin before a model answers.
        expected = CLAUDE if path == "/responses" else GPT
        assert (answer.status_code, answer.json()["model"]) == (200, expected)
        assert answer.headers[ROUTE] == "openai"
        (entry,) = client.texts_when(1)
        assert (entry.model, entry.provider) == (GPT, "openai")
        assert client.settled()
        assert client.balance() == USD + entry.amount_micro_usd

    @pytest.mark.parametrize(
        ("provider", "field"),
        [
            ({"only": ["openai"]}, "/provider/only"),
            ({"only": ["nobody"]}, "/provider/only"),
            ({"only": ["anthropic"], "zdr": True}, "/provider/zdr"),
            ({"max_price": {"prompt": 0.01}}, "/provider/max_price/prompt"),
            ({"sort": "exacto"}, "/provider/sort"),
        ],
    )
    def test_a_wish_that_leaves_nobody_is_refused_before_anything_is_sent(
        self, client: TextClient, path: str, provider: dict[str, Any], field: str
    ) -> None:
        answer = ask(client, path, "hi", provider=provider)
        assert answer.status_code == 400, answer.text
        assert field in answer.text
        assert client.entries_of(EntryKind.VOID) == client.texts() == []
        assert client.balance() == USD


class TestStreams:
    def test_name_the_route_too(self, client: TextClient) -> None:
        answer = ask(client, "/chat/completions", "hi", stream=True, provider={"order": ["bedrock"]})
        assert (answer.status_code, answer.headers[ROUTE]) == (200, "bedrock")
        assert client.settled()


class TestEmbeddings:
    def test_only_one_provider(self, client: TextClient) -> None:
        body = {"model": "text-embedding-3-small", "input": "hi", "provider": {"only": ["openai"]}}
        answer = client.post("/embeddings", body)
        assert (answer.status_code, answer.headers[ROUTE]) == (200, "openai")


class TestPolicies:
    def test_of_an_account_bound_the_next_request(self, client: TextClient) -> None:
        assert ask(client, "/messages", "hi").headers[ROUTE] == "anthropic"
        routing, account_id = api_parts.api().routing, client.account.account_id
        assert routing.change(account_id, {"ignore": ["anthropic"]}, None) == {"ignore": ["anthropic"]}
        assert ask(client, "/messages", "hi").headers[ROUTE] == "bedrock"
        # A request can narrow the policy, and never widen it.
        assert ask(client, "/messages", "hi", provider={"order": ["anthropic"]}).headers[ROUTE] == "bedrock"
        assert ask(client, "/messages", "hi", provider={"only": ["anthropic"]}).status_code == 400
        routing.change(account_id, {}, None)
        assert ask(client, "/messages", "hi").headers[ROUTE] == "anthropic"
        assert client.settled()

    def test_that_permit_nobody_are_refused(self, client: TextClient) -> None:
        api_parts.api().routing.change(client.account.account_id, {"only": ["openai"]}, None)
        assert ask(client, "/messages", "hi").status_code == 403
        assert client.balance() == USD


class TestEndpoints:
    @pytest.mark.parametrize("name", [CLAUDE, "anthropic/claude-sonnet-4.6"])
    def test_of_a_model_by_any_of_its_names(self, client: TextClient, name: str) -> None:
        found = client.get(f"/models/{name}/endpoints").json()["data"]
        assert found["id"] == CLAUDE
        assert [one["tag"] for one in found["endpoints"]] == ["anthropic", "bedrock", "openrouter"]
        policy = found["endpoints"][0]["data_policy"]
        assert policy["training"]["value"] is False
        assert policy["region"] is None


class TestMeasures:
    def test_calls_of_ended_requests_are_shown_and_sort_the_routes(self, client: TextClient) -> None:
        model = "claude-opus-4-6"
        body = {"model": model, "messages": said("[[anthropic: status 529]] hi"), "max_tokens": 20}
        assert client.post("/chat/completions", body).headers[ROUTE] == "bedrock"
        assert client.settled()
        # What the stream of the ledger gives to the function that counts.
        record_usage_parts.usage_recorder().checks[-1](client.texts_when(1))
        shown = client.get(f"/models/{model}/endpoints").json()["data"]["endpoints"]
        found = {one["tag"]: (one["uptime_last_5m"], one["uptime_last_1d"]) for one in shown}
        assert found == {"anthropic": (0, 0), "bedrock": (100, 100), "openrouter": (None, None)}
        assert [one["latency_last_30m"] is None for one in shown] == [True, False, True]
        sorted_body = {**body, "messages": said("hi"), "provider": {"sort": "latency"}}
        assert client.post("/chat/completions", sorted_body).headers[ROUTE] == "bedrock"


class TestSwitches:
    @pytest.mark.parametrize("path", PROTOCOLS)
    def test_a_provider_that_is_off_is_skipped(self, client: TextClient, path: str) -> None:
        with switched_off("anthropic", f"bedrock/{CLAUDE}"):
            answer = ask(client, path, "hi")
            assert (answer.status_code, answer.headers[ROUTE]) == (200, "openrouter")
            (entry,) = client.texts_when(1)
            assert entry.provider == "openrouter"
        answer = ask(client, path, "hi")
        assert (answer.status_code, answer.headers[ROUTE]) == (200, "anthropic")
        assert client.settled()

    @pytest.mark.parametrize("stream", [False, True])
    def test_without_a_route_nothing_is_charged(self, client: TextClient, stream: bool) -> None:
        with switched_off("anthropic", "bedrock", "openrouter"):
            answer = ask(client, "/chat/completions", "hi", stream=stream)
        assert answer.status_code == 503
        assert client.settled()
        assert client.balance() == USD

    @pytest.mark.parametrize(
        ("path", "provider", "body"),
        [
            ("/embeddings", "openai", {"model": "text-embedding-3-small", "input": "hi"}),
            ("/audio/speech", "azure", {"model": "tts-1", "input": "hi", "voice": "alloy"}),
            ("/rerank", "cohere", {"model": "rerank-v4.0-pro", "query": "a", "documents": ["b"]}),
            ("/moderations", "openai", {"model": "omni-moderation-latest", "input": "hi"}),
        ],
    )
    def test_all_kinds_of_requests_follow(
        self, client: TextClient, path: str, provider: str, body: dict[str, Any]
    ) -> None:
        listed = client.get(f"/models/{body['model']}/endpoints").json()["data"]["endpoints"]
        assert provider in [one["tag"] for one in listed]
        with switched_off(*(one["tag"] for one in listed)):
            assert client.post(path, body).status_code == 503
        assert client.settled()
        assert client.balance() == USD
        assert client.post(path, body).status_code == 200

    def test_the_list_of_endpoints_shows_it(self, client: TextClient) -> None:
        def states(model: str) -> dict[str, int]:
            shown = client.get(f"/models/{model}/endpoints").json()["data"]["endpoints"]
            return {one["tag"]: one["status"] for one in shown}

        with switched_off("anthropic", "fal"):
            assert states(CLAUDE) == {"anthropic": -10, "bedrock": 0, "openrouter": 0}
            assert states("z-image")["fal"] == -10
        assert set(states(CLAUDE).values()) == {0}
