"""The end user and the tags of text requests, from each protocol's own fields to the ledger."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import openai
import pytest

from tests.support.text_app import TextClient
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.ledger.budgets import period_at
from tollgate.ledger.entries import EntryKind

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID = [{"role": "user", "content": "hello"}]
TAGS = {"x-tollgate-tags": "team=search"}
CHAT = {"model": "gpt-5.4-mini", "messages": SAID, "max_tokens": 20}

# fmt: off
SENT: list[tuple[str, str, dict[str, Any], dict[str, str], str | None, dict[str, str] | None]] = [
    ("chat", "/chat/completions", {**CHAT, "user": "alice", "metadata": {"feature": "sum"}}, TAGS,
     "alice", {"team": "search", "feature": "sum"}),
    ("a chat that is translated", "/chat/completions",
     {**CHAT, "model": "claude-haiku-5-5", "safety_identifier": "bob"}, {}, "bob", None),
    ("messages", "/messages", {**CHAT, "model": "claude-haiku-5-5", "metadata": {"user_id": "carol"}}, TAGS,
     "carol", {"team": "search"}),
    ("responses", "/responses", {"model": "gpt-5.4-mini", "input": "hello", "user": "dave",
     "metadata": {"feature": "sum"}}, {}, "dave", {"feature": "sum"}),
    ("embeddings", "/embeddings", {"model": "text-embedding-3-small", "input": "hello", "user": "erin"}, TAGS,
     "erin", {"team": "search"}),
    ("none", "/chat/completions", CHAT, {}, None, None),
]
# fmt: on


class TestLedger:
    @pytest.mark.parametrize(
        ("path", "body", "headers", "user", "tags"), [row[1:] for row in SENT], ids=[row[0] for row in SENT]
    )
    def test_the_charge_has_them(
        self,
        client: TextClient,
        path: str,
        body: dict[str, Any],
        headers: dict[str, str],
        user: str | None,
        tags: dict[str, str] | None,
    ) -> None:
        answer = client.post(path, body, **headers)
        assert answer.status_code == 200, answer.text
        [entry] = client.texts_when(1)
        assert (entry.user, entry.tags) == (user, tags)

    def test_a_failed_request_has_them(self, client: TextClient) -> None:
        body = {"model": "test-chat", "messages": [{"role": "user", "content": "[[fail]]"}], "user": "alice"}
        assert client.post("/chat/completions", body, **TAGS).status_code >= 500
        [entry] = client.entries_of(EntryKind.VOID)
        assert (entry.user, entry.tags) == ("alice", {"team": "search"})

    def test_a_wrong_header_is_refused_before_anything_is_held(self, client: TextClient) -> None:
        answer = client.post("/chat/completions", CHAT, **{"x-tollgate-tags": "team=two words"})
        assert answer.status_code == 400
        assert "x-tollgate-tags" in answer.json()["error"]["message"]
        assert client.settled()
        assert client.texts() == []


class TestRunTokens:
    def test_it_works_in_both_sdks_until_its_limit(self, client: TextClient) -> None:
        api = api_parts.api()
        key = api.authenticator.authenticate(client.account.api_key, Scope.ACCOUNT, None)
        body = {"maxCostCents": 1, "tags": {"user": "alice"}, "models": [CHAT["model"], "claude-haiku-5-5"]}
        token = api.tokens.create(client.account.account_id, body, key)
        chat: Any = client.openai.with_options(api_key=token["token"]).chat.completions
        messages: Any = client.anthropic.with_options(api_key=token["token"]).messages
        answers: list[Any] = [
            chat.create(**CHAT),
            messages.create(**{**CHAT, "model": "claude-haiku-5-5"}),
            *chat.create(**CHAT, stream=True),
        ]
        assert all(answers)
        entries = client.texts_when(3)
        assert client.settled()
        assert {(entry.user, entry.token, entry.key_id) for entry in entries} == {
            ("alice", token["id"], key.key_id)
        }
        spent = api.tokens.one(client.account.account_id, token["id"])["spentMicroUsd"]
        assert spent == -sum(entry.amount_micro_usd for entry in entries)
        # The most that this request can cost is above the rest.
        with pytest.raises(openai.APIStatusError) as refused:
            chat.create(**{**CHAT, "max_tokens": 100_000})
        assert (refused.value.status_code, refused.value.code) == (402, "budget_reached")
        with pytest.raises(openai.APIStatusError) as forbidden:
            chat.create(**{**CHAT, "model": "gpt-5.5"})
        assert forbidden.value.status_code == 403


class TestBudgets:
    def budget(self, client: TextClient, limit_cents: int, **fields: Any) -> str:
        body = {"name": "users", "scope": "user", "limitCents": limit_cents, "per": "month", **fields}
        return api_parts.api().budgets.create(client.account.account_id, body, None)["id"]

    def spent(self, client: TextClient, budget_id: str) -> dict[str, int]:
        service = api_parts.api().budgets
        found = service.budgets.read(client.account.account_id).budgets
        [budget] = [each for each in found if each.budget_id == budget_id]
        stamp, _ = period_at(budget.per, service.clock.now_ms())
        return dict(service.budgets.spent(client.account.account_id, budget, stamp))

    def test_the_charge_counts_and_the_rest_of_the_hold_comes_back(self, client: TextClient) -> None:
        budget_id = self.budget(client, 50)
        for stream in (False, True):
            answer = client.post("/chat/completions", {**CHAT, "user": "alice", "stream": stream})
            assert answer.status_code == 200, answer.text
        entries = client.texts_when(2)
        assert client.settled()
        assert self.spent(client, budget_id) == {"alice": -sum(entry.amount_micro_usd for entry in entries)}

    def test_a_failed_request_counts_nothing(self, client: TextClient) -> None:
        budget_id = self.budget(client, 50)
        body = {"model": "test-chat", "messages": [{"role": "user", "content": "[[fail]]"}], "user": "alice"}
        assert client.post("/chat/completions", body).status_code >= 500
        assert client.settled()
        assert self.spent(client, budget_id) == {"alice": 0}

    @pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/responses"])
    def test_a_request_above_it_is_refused_in_the_protocols_shape(
        self, client: TextClient, path: str
    ) -> None:
        self.budget(client, 0)
        body = {**CHAT, "model": "claude-haiku-5-5", "input": "hello"}
        kept = {"/responses": ("model", "input")}.get(path, ("model", "messages", "max_tokens"))
        answer = client.post(path, {name: body[name] for name in kept}, **{"x-tollgate-tags": "user=alice"})
        assert answer.status_code == 402
        error = answer.json()["error"]
        assert "The budget users for user alice has $0.00 of $0.00 left" in error["message"]
        assert (
            error["type"] == ("billing_error" if path == "/messages" else "PaymentRequired") or error["type"]
        )
        assert client.texts() == []
        assert client.settled()

    def test_the_rest_of_a_budget_limits_the_answer(self, client: TextClient) -> None:
        budget_id = self.budget(client, 10)
        body = {"model": "gpt-5.4-mini", "messages": SAID, "user": "alice"}
        answer = client.post("/chat/completions", body)
        assert answer.status_code == 200, answer.text
        assert client.settled()
        assert self.spent(client, budget_id)["alice"] <= 100_000

    def test_many_at_once_of_a_new_user_stay_within_it(self, client: TextClient) -> None:
        """LiteLLM's issue 40095: eight threads at a barrier, with a user that nobody has seen."""
        budget_id = self.budget(client, 1)
        barrier = Barrier(8)

        def send(_: int) -> int:
            barrier.wait()
            return client.post("/chat/completions", {**CHAT, "max_tokens": 1_000, "user": "new"}).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = Counter(pool.map(send, range(8)))
        assert set(statuses) == {200, 402}
        assert client.settled()
        assert 0 < self.spent(client, budget_id)["new"] <= 10_000
