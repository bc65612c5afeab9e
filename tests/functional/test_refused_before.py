"""Workflows and quotes refuse a request that its own endpoint would refuse, by the same name."""

from dataclasses import replace
from typing import Any

import pytest

from tests.functional.test_quotes import CHAT
from tests.functional.test_workflow_chats import held, key_of
from tests.support.samples import PAID_IMAGE
from tests.support.text_app import USD, TextClient
from tollgate.composition import api as api_parts
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.ledger.attribution import Attribution
from tollgate.routing.wishes import Wishes

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

GENERATION = "/api/v1/generation/create"
GPT, CLAUDE, DRAWS = "gpt-5.4-mini", "claude-haiku-5-5", "gemini-3.1-flash-image"
HI: list[Any] = [{"role": "user", "content": "hi"}]
POET: list[Any] = [{"role": "poet", "content": "hi"}]
AT_ANTHROPIC, REQUIRED = {"only": ["anthropic"]}, "/provider/require_parameters"
# The model, the other fields of a chat, and the field that is named.
CHATS: list[tuple[str, dict[str, Any], str]] = [
    (GPT, {"provider": {"only": ["anthropic"]}}, "/provider/only"),
    (GPT, {"provider": {"ignore": ["nobody"]}}, "/provider/ignore"),
    (GPT, {"provider": {"max_price": {"completion": "0.01"}}}, "/provider/max_price/completion"),
    (GPT, {"provider": {"order": ["anthropic"], "allow_fallbacks": False}}, "/provider/order"),
    (CLAUDE, {"provider": AT_ANTHROPIC | {"require_parameters": True}, "seed": 1}, REQUIRED),
    (CLAUDE, {"logit_bias": {"1": 1}}, "/logit_bias"),
    (CLAUDE, {"provider": AT_ANTHROPIC, "messages": POET}, "/messages/0/role"),
    (CLAUDE, {"models": ["nobody"]}, "/models"),
]
BESIDE = ("provider",)


def refused(client: TextClient, path: str, body: Any) -> list[str]:
    """Return the fields that a quote with this request is refused for."""
    with pytest.raises(InvalidInputError) as caught:
        api_parts.api().quotes.create({"requests": [{"path": path, "body": body}]}, key_of(client))
    assert (held(client), client.balance()) == (0, USD)
    return [problem.path.removeprefix("/requests/0/body") for problem in caught.value.problems]


def refused_step(client: TextClient, step: Any) -> list[str]:
    """Return the fields that a workflow with this step is refused for."""
    workflows = api_parts.api().workflows
    for attempt in (workflows.estimate, lambda body, key: workflows.create(body, key, None, Attribution())):
        with pytest.raises(InvalidInputError) as caught:
            attempt({"steps": [{"id": "a", **step}]}, key_of(client))
    assert (held(client), client.balance()) == (0, USD)
    return [problem.path.removeprefix("/steps/0") for problem in caught.value.problems]


class TestChats:
    @pytest.mark.parametrize(("model", "fields", "named"), CHATS, ids=lambda value: str(value)[:40])
    def test_what_the_endpoint_refuses_a_quote_and_a_step_refuse(
        self, client: TextClient, model: str, fields: dict[str, Any], named: str
    ) -> None:
        body = {"messages": HI, "max_tokens": 9, **fields}
        answer = client.post("/chat/completions", {"model": model, **body})
        assert answer.status_code == 400
        assert named.startswith("/" + answer.json()["error"]["param"].split(".")[0].partition("[")[0])
        assert refused(client, CHAT, {"model": model, **body}) == [named]
        provider = {name: body.pop(name) for name in BESIDE if name in body}
        place = named if provider and named.startswith("/provider") else f"/input{named}"
        assert refused_step(client, {"model": model, "input": body, **provider}) == [place]

    def test_a_chat_with_images_is_refused_before_it_is_held(self, client: TextClient) -> None:
        body = {"messages": HI, "max_tokens": 9}
        assert refused_step(client, {"model": DRAWS, "input": body}) == ["/model"]
        assert refused_step(client, {"model": GPT, "input": {**body, "models": [DRAWS]}}) == ["/model"]

    def test_a_policy_without_a_route_is_refused(self, client: TextClient) -> None:
        key = replace(key_of(client), routing=Wishes(only=frozenset({"anthropic"})))
        body = {"model": GPT, "messages": HI, "max_tokens": 9}
        api = api_parts.api()
        with pytest.raises(ForbiddenError):
            api.quotes.create({"requests": [{"path": CHAT, "body": body}]}, key)
        step = {"id": "a", "model": body.pop("model"), "input": body}
        with pytest.raises(ForbiddenError):
            api.workflows.create({"steps": [step]}, key, None, Attribution())
        assert (held(client), client.balance()) == (0, USD)


class TestOtherRequests:
    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/api/v1/messages", {"model": CLAUDE, "messages": HI, "max_tokens": 9}),
            ("/api/v1/responses", {"model": CLAUDE, "input": "hi"}),
            ("/api/v1/embeddings", {"model": "text-embedding-3-small", "input": "hi"}),
            ("/api/v1/rerank", {"model": "rerank-v4.0-fast", "query": "a", "documents": ["b"]}),
            ("/api/v1/moderations", {"model": "omni-moderation-latest", "input": "hi"}),
            ("/api/v1/audio/speech", {"model": "gpt-4o-mini-tts", "input": "hi", "voice": "alloy"}),
            (GENERATION, {"model": PAID_IMAGE, "input": {"prompt": "a boat", "size": "1:1"}}),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_each_kind_of_a_quote_is_refused_for_a_wish_that_no_route_meets(
        self, client: TextClient, path: str, body: dict[str, Any]
    ) -> None:
        api_parts.api().quotes.create({"requests": [{"path": path, "body": body}]}, key_of(client))
        unmet = {**body, "provider": {"only": ["mistral"]}}
        assert refused(client, path, unmet) == ["/provider/only"]
