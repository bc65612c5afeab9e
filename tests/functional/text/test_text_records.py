"""The cost in each response is the cost in the ledger, and the id of each response leads to its record."""

import json
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.functional.text.test_text_leaving import LONG, leave
from tests.functional.text.test_text_leaving import body as long_body
from tests.support.text_app import USD, TextClient
from tollgate.activity.record import record_of
from tollgate.composition import api as api_parts

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

GPT, CLAUDE, RESERVED = "gpt-5.4-mini", "claude-haiku-4-5", "claude-sonnet-4-6"
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "Say hello"}], "max_tokens": 50}
WITH_USAGE = {"stream": True, "stream_options": {"include_usage": True}}
# Both protocols by a provider of the same one, and translated; whole and streamed.
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/chat/completions", {"model": GPT, **HELLO}),
    "chat of Claude": ("/chat/completions", {"model": CLAUDE, **HELLO}),
    "streamed chat": ("/chat/completions", {"model": GPT, **HELLO, **WITH_USAGE}),
    "streamed chat of Claude": ("/chat/completions", {"model": CLAUDE, **HELLO, **WITH_USAGE}),
    "completions": ("/completions", {"model": GPT, "prompt": "Say hello", "max_tokens": 50}),
    "streamed completions": ("/completions", {"model": GPT, "prompt": "Say hello", **WITH_USAGE}),
    "messages": ("/messages", {"model": CLAUDE, **HELLO}),
    "messages of GPT": ("/messages", {"model": GPT, **HELLO}),
    "streamed messages": ("/messages", {"model": CLAUDE, **HELLO, "stream": True}),
    "streamed messages of GPT": ("/messages", {"model": GPT, **HELLO, "stream": True}),
    "responses": ("/responses", {"model": GPT, "input": "Say hello"}),
    "responses of Claude": ("/responses", {"model": CLAUDE, "input": "Say hello"}),
    "streamed responses": ("/responses", {"model": GPT, "input": "Say hello", "stream": True}),
    "compaction": ("/responses/compact", {"model": GPT, "input": "Say hello"}),
    "embeddings": ("/embeddings", {"model": "text-embedding-3-small", "input": "Say hello"}),
}
DOWN = "Say hello [[anthropic: status 529]]"


@dataclass(frozen=True)
class Told:
    """What a client hears about its request: the id of its response, if it has one, and its usage."""

    request_id: str
    answer_id: str | None
    usage: dict[str, Any]
    header_micro_usd: str | None

    @property
    def cost_micro_usd(self) -> Decimal:
        return Decimal(str(self.usage["cost"])) * USD


def ask(client: TextClient, path: str, asked: dict[str, Any]) -> Told:
    answer = client.post(path, asked)
    assert answer.status_code == 200, answer.text
    parts = list(parts_of(answer))
    # Anthropic's message and OpenAI's response are inside of their events.
    holders = (
        [part, *(part[name] for name in ("message", "response") if name in part)]
        if (part := parts[0])
        else []
    )
    ids = [holder["id"] for holder in holders if "id" in holder]
    usages = [
        holder["usage"]
        for part in parts
        for holder in (part, part.get("response") or {})
        if holder.get("usage")
    ]
    header = answer.headers.get("x-tollgate-cost-micro-usd")
    return Told(answer.headers["x-request-id"], ids[-1] if ids else None, usages[-1], header)


def parts_of(answer: httpx.Response) -> Any:
    if answer.headers["content-type"].startswith("application/json"):
        return [answer.json()]
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return map(json.loads, lines)


def record(client: TextClient, asked_id: str) -> Any:
    found, _ = api_parts.api().records.shown(client.account.account_id, asked_id)
    return record_of(found)


def test_each_response_tells_its_exact_cost_and_leads_to_its_record(client: TextClient) -> None:
    total = Decimal(0)
    for number, (name, (path, asked)) in enumerate(REQUESTS.items(), start=1):
        told = ask(client, path, asked)
        client.texts_when(number)
        found = record(client, told.request_id)
        assert told.answer_id is None or record(client, told.answer_id)["id"] == told.request_id, name
        assert (told.answer_id is None) is (path == "/embeddings"), name
        assert found["costMicroUsd"] == told.cost_micro_usd > 0, name
        assert told.header_micro_usd in (None, str(found["costMicroUsd"])), name
        details = told.usage["cost_details"]
        names = ("input", "output") if path == "/responses" else ("prompt", "completions")
        parts = [f"upstream_inference_{part}_cost" for part in names]
        assert sum(Decimal(str(details[part])) for part in parts) * USD == told.cost_micro_usd, name
        # The lines of the record, calculated again: tokens × price, rounded up once.
        lines = [
            Decimal(line["quantity"]) * Decimal(line["unitPriceUsd"]) / line["per"] for line in found["price"]
        ]
        assert math.ceil(sum(lines) * USD) == found["costMicroUsd"], name
        assert found["streamed"] is bool(asked.get("stream")), name
        assert found["api"] == path.strip("/").partition("/")[0], name
        total += told.cost_micro_usd
    assert client.settled()
    assert USD - client.balance() == total == -sum(entry.amount_micro_usd for entry in client.texts())


class TestEndings:
    def test_a_failover_names_both_providers(self, client: TextClient) -> None:
        said = [{"role": "user", "content": DOWN}]
        told = ask(client, "/messages", {"model": RESERVED, "max_tokens": 50, "messages": said})
        found = record(client, told.request_id)
        assert (found["status"], found["route"]) == ("completed", "bedrock")
        first, *_, last = found["routes"]
        assert (first["route"], last["route"]) == ("anthropic", "bedrock")
        assert "endedAt" in first
        assert "code" in first
        assert "code" not in last

    @pytest.mark.parametrize(
        ("prompt", "status", "http_status"),
        [("[[reject]]", "refused", 400), ("[[status 503]]", "failed", 503)],
    )
    def test_an_error_costs_nothing_and_says_why(
        self, client: TextClient, prompt: str, status: str, http_status: int
    ) -> None:
        answer = client.post(
            "/chat/completions", {"model": GPT, "messages": [{"role": "user", "content": prompt}]}
        )
        assert answer.status_code == http_status
        assert client.settled()
        found = record(client, answer.headers["x-request-id"])
        assert (found["status"], found["costMicroUsd"], found["price"]) == (status, 0, [])
        assert found["error"]["status"] == http_status
        assert "route" not in found
        names = [event["event"] for event in found["events"]]
        assert names[:3] == ["received", "held", "sent"]
        assert names[-2:] == ["ended", "released"]

    def test_a_stream_that_broke_off(self, client: TextClient) -> None:
        said = [{"role": "user", "content": "[[stream-cut 5]]"}]
        answer = client.post("/chat/completions", {"model": GPT, "messages": said, "stream": True})
        client.texts_when(1)
        found = record(client, answer.headers["x-request-id"])
        assert (found["status"], found["error"]["code"]) == ("cut", "provider_error")
        assert found["usage"]["estimated"]

    def test_a_client_that_left(self, client: TextClient) -> None:
        leave(client, "/chat/completions", long_body("/chat/completions", LONG))
        (entry,) = client.texts_when(1)
        found = record(client, entry.request_id or "")
        assert found["status"] == "disconnected"
        assert found["costMicroUsd"] == -entry.amount_micro_usd > 0
