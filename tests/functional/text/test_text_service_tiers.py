"""Service tiers: the tier that answers decides the charge, and only its routes get the request."""

from typing import Any

import pytest

from tests.support.text_app import TextClient
from tollgate.catalog.loader import Catalog

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

# USD per 1M tokens, from the catalog: input 0.1, output 0.5; web searches 0.01 each.
MODEL = "gpt-6-luna"
FACTORS = {"default": "1", "flex": "0.5", "priority": "2"}
FUNCTION: Any = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}


def body_of(api: str, said: str, tier: str, *, stream: bool = False) -> tuple[str, dict[str, Any]]:
    asked: dict[str, Any] = {"model": MODEL, "service_tier": tier, "stream": stream}
    if api == "responses":
        return "/responses", {**asked, "input": said}
    tools = {"tools": [{"type": "function", "function": FUNCTION}]} if api == "tools" else {}
    return "/chat/completions", {**asked, **tools, "messages": [{"role": "user", "content": said}]}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", ["chat", "tools", "responses"])
def test_the_tier_that_answers_decides_the_charge(client: TextClient, api: str, stream: bool) -> None:
    charges: dict[str, int] = {}
    for tier in FACTORS:
        path, body = body_of(api, "[[tokens 2000]] hello", tier, stream=stream)
        answer = client.post(path, body)
        assert answer.status_code == 200, answer.text
        if not stream:
            assert answer.json()["service_tier"] == tier
        entry = client.texts_when(len(charges) + 1)[-1]
        assert (entry.usage or {}).get("service", "default") == tier
        charges[tier] = -entry.amount_micro_usd
    # 2,000 tokens of output at 0.5 USD, and some input.
    assert charges["default"] >= 1_000
    assert abs(charges["flex"] - charges["default"] / 2) <= 1
    assert abs(charges["priority"] - charges["default"] * 2) <= 1
    # It may be ordinary in the end, and is then charged so.
    path, body = body_of(api, "[[tokens 2000]] [[default-tier]] hello", "priority", stream=stream)
    assert client.post(path, body).status_code == 200
    entry = client.texts_when(len(charges) + 1)[-1]
    assert "service" not in (entry.usage or {})
    assert -entry.amount_micro_usd < charges["priority"] * 0.6


def test_only_its_routes_get_it(client: TextClient) -> None:
    path, body = body_of("chat", "[[openai: fail]] hello", "flex")
    assert client.post(path, body).status_code >= 500
    assert client.post(path, {**body, "service_tier": "default"}).headers["x-tollgate-route"] != "openai"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/chat/completions", {"model": "claude-haiku-5-5"}),
        ("/chat/completions", {"model": MODEL, "service_tier": "scale"}),
        ("/messages", {"model": MODEL, "max_tokens": 50}),
    ],
    ids=["model", "tier", "messages"],
)
def test_a_tier_without_a_price_is_refused(client: TextClient, path: str, fields: dict[str, Any]) -> None:
    said = {"messages": [{"role": "user", "content": "hello"}]}
    answer = client.post(path, {"service_tier": "flex", **said, **fields})
    assert answer.status_code == 400
    assert "/service_tier" in answer.text


def test_the_catalog_has_its_prices() -> None:
    prices = {each.key: each for each in Catalog.shipped().text_model(MODEL).pricing.prices}
    assert str(prices["output-priority"].price.normalize()) == "1"
    assert prices["input-from-272000-flex"].dimensions == {"inputTokensFrom": "272000", "service": "flex"}
