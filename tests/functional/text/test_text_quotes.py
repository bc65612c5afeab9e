"""Text requests that take their holds from a quote: each protocol, races, and each way to end."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.functional.test_quotes import CHAT, TEXT_BODY, TEXT_MICRO_USD
from tests.support.text_app import TextClient
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import BudgetPeriod, period_at
from tollgate.ledger.entries import EntryKind

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MESSAGES, EMBEDDINGS, RESPONSES = "/api/v1/messages", "/api/v1/embeddings", "/api/v1/responses"
CLAUDE = {**TEXT_BODY, "model": "claude-haiku-5-5"}
VECTORS = {"model": "text-embedding-3-small", "input": "hello"}
BUDGET = {"name": "b", "scope": "account", "limitCents": 100, "per": "month"}


def key_of(client: TextClient) -> ApiKey:
    """Return the customer's key."""
    return api_parts.api().authenticator.authenticate(client.account.api_key, Scope.TEXT, None)


def reserved(client: TextClient, *requests: tuple[str, Any], user: str | None = None) -> tuple[str, int]:
    """Reserve the money of text requests; return the quote's id and the amount."""
    quotes, key = api_parts.api().quotes, key_of(client)
    made = quotes.create({"requests": [{"path": path, "body": body} for path, body in requests]}, key)
    started = quotes.start(made["id"], key, Attribution(user))
    assert started["reservedMicroUsd"] == made["totalMicroUsd"]
    return made["id"], made["totalMicroUsd"]


def left(client: TextClient, quote_id: str) -> int:
    """Return what is left of a quote's reserved money."""
    return api_parts.api().quotes.one(key_of(client).caller, quote_id)["reservedMicroUsd"]


class TestCharges:
    def test_each_request_is_charged_exactly_and_the_rest_returns(self, client: TextClient) -> None:
        before = client.balance()
        quote_id, total = reserved(
            client,
            (CHAT, TEXT_BODY),
            (MESSAGES, CLAUDE),
            (EMBEDDINGS, VECTORS),
            (CHAT, TEXT_BODY),
            user="ann",
        )
        assert client.balance() == before - total
        headers = {"x-tollgate-quote": quote_id}
        chat: Any = client.openai.chat.completions
        with chat.create(**TEXT_BODY, stream=True, extra_headers=headers) as stream:
            assert list(stream)
        messages: Any = client.anthropic.messages
        messages.create(**CLAUDE, extra_headers=headers)
        embeddings: Any = client.openai.embeddings
        embeddings.create(**VECTORS, extra_headers=headers)
        entries = client.texts_when(3)
        # Each with the end user of the quote.
        assert {entry.user for entry in entries} == {"ann"}
        assert left(client, quote_id) >= TEXT_MICRO_USD
        api_parts.api().quotes.cancel(key_of(client).caller, quote_id)
        assert client.settled()
        assert client.balance() == before + sum(entry.amount_micro_usd for entry in entries)

    def test_of_the_responses_protocol_and_with_fallbacks(self, client: TextClient) -> None:
        asked = {"model": "gpt-5.4-mini", "max_output_tokens": 1_000, "input": "hi"}
        # The first model fails, so the dearer one answers.
        down = " ".join(f"[[{provider}: status 503]]" for provider in ("openai", "azure", "openrouter"))
        several = {
            **TEXT_BODY,
            "models": ["gpt-5.4-mini", "claude-sonnet-5"],
            "messages": [{"role": "user", "content": down}],
        }
        quote_id, _ = reserved(client, (RESPONSES, asked), (CHAT, several))
        headers = {"x-tollgate-quote": quote_id}
        responses: Any = client.openai.responses
        assert responses.create(**asked, extra_headers=headers).output_text
        answer = client.post("/chat/completions", several, **headers)
        assert (answer.status_code, answer.json()["model"]) == (200, "claude-sonnet-5")
        assert len(client.texts_when(2)) == 2

    def test_a_request_without_a_response_returns_its_whole_hold(self, client: TextClient) -> None:
        failing = {**TEXT_BODY, "messages": [{"role": "user", "content": "[[fail]]"}]}
        before = client.balance()
        quote_id, total = reserved(client, (CHAT, failing), (CHAT, TEXT_BODY))
        answer = client.post("/chat/completions", failing, **{"x-tollgate-quote": quote_id})
        assert answer.status_code >= 500
        assert len(client.entries_of(EntryKind.VOID)) == 1
        assert client.balance() == before - left(client, quote_id)
        assert left(client, quote_id) < total

    def test_exactly_what_is_reserved_at_once(self, client: TextClient) -> None:
        quote_id, _ = reserved(client, *[(CHAT, TEXT_BODY)] * 3)
        barrier = Barrier(8)

        def ask(_: int) -> tuple[int, str]:
            barrier.wait()
            answer = client.post("/chat/completions", TEXT_BODY, **{"x-tollgate-quote": quote_id})
            return answer.status_code, answer.json().get("error", {}).get("code", "")

        with ThreadPoolExecutor(8) as pool:
            found = sorted(pool.map(ask, range(8)))
        assert found == [(200, "")] * 3 + [(402, "quote_exhausted")] * 5
        api_parts.api().quotes.cancel(key_of(client).caller, quote_id)
        assert client.settled()

    def test_budgets_count_the_charges_and_nothing_else(self, client: TextClient) -> None:
        api = api_parts.api()
        budget = api.budgets.create(client.account.account_id, BUDGET, key_of_account(client))
        quote_id, _ = reserved(client, (CHAT, TEXT_BODY), (CHAT, TEXT_BODY))
        # The reserved money counts, also if the budget is lowered or deleted before it is used.
        api.budgets.update(client.account.account_id, budget["id"], {"limitCents": 0}, key_of_account(client))
        assert client.post("/chat/completions", TEXT_BODY).status_code == 402
        assert (
            client.post("/chat/completions", TEXT_BODY, **{"x-tollgate-quote": quote_id}).status_code == 200
        )
        [entry] = client.texts_when(1)
        api.quotes.cancel(key_of(client).caller, quote_id)
        assert client.settled()
        stamp, _ = period_at(BudgetPeriod.MONTH, entry.created_at_ms)
        found = api.budgets.budgets.read(client.account.account_id).budgets[0]
        spent = api.budgets.budgets.spent(client.account.account_id, found, stamp)
        assert spent == {"": -entry.amount_micro_usd}


class TestRefusals:
    def test_a_quote_that_has_ended(self, client: TextClient) -> None:
        quote_id, _ = reserved(client, (CHAT, TEXT_BODY))
        api_parts.api().quotes.cancel(key_of(client).caller, quote_id)
        answer = client.post("/chat/completions", TEXT_BODY, **{"x-tollgate-quote": quote_id})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "quote_ended")
        assert answer.headers["x-should-retry"] == "false"

    def test_a_quote_that_was_not_created(self, client: TextClient) -> None:
        made = api_parts.api().quotes.create(
            {"requests": [{"path": CHAT, "body": TEXT_BODY}]}, key_of(client)
        )
        answer = client.post("/chat/completions", TEXT_BODY, **{"x-tollgate-quote": made["id"]})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "quote_not_created")
        assert f"/api/v1/quotes/{made['id']}/create" in answer.json()["error"]["message"]

    def test_of_another_key(self, client: TextClient) -> None:
        quote_id, _ = reserved(client, (CHAT, TEXT_BODY))
        other = api_parts.api().keys.create(client.account.account_id, {"name": "other"}, None)["key"]
        headers = {"authorization": f"Bearer {other}", "x-tollgate-quote": quote_id}
        for sent in (headers, {**headers, "x-tollgate-quote": "quo_1"}):
            answer = client.post("/chat/completions", TEXT_BODY, **sent)
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "quote_not_found")

    def test_a_request_that_can_cost_more(self, client: TextClient) -> None:
        quote_id, total = reserved(client, (CHAT, TEXT_BODY))
        dearer = {**TEXT_BODY, "max_tokens": 2_000}
        answer = client.post("/chat/completions", dearer, **{"x-tollgate-quote": quote_id})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["leftMicroUsd"]) == (402, "quote_exhausted", total)
        assert error["requiredMicroUsd"] > total
        assert left(client, quote_id) == total


def key_of_account(client: TextClient) -> ApiKey:
    """Return the customer's key, for budgets."""
    return api_parts.api().authenticator.authenticate(client.account.api_key, Scope.ACCOUNT, None)
