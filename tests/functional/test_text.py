"""`functions/text` as it is served, with the customers' own SDKs, on the emulator."""

import json
import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest

from local.template import ROOT
from tests.support.text_app import USD, TextClient
from tollgate.accounts.keys import key_id_of
from tollgate.composition import parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import text as text_parts
from tollgate.ledger.budgets import NO_BUDGETS
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS, Hold
from tollgate.ledger.rate import RateMeter
from tollgate.text.money.billing import LIMITED

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/text.json").read_text())
CHAT: dict[str, Any] = {
    "model": "gpt-5.4-mini",
    "messages": [{"role": "user", "content": "hello"}],
    "max_tokens": 100,
}
# OpenAI's price list, gpt-5.4-mini: USD per 1M tokens, which is micro-USD per token.
INPUT, OUTPUT = Decimal("0.75"), Decimal("4.5")


def text_of(message: Any) -> str:
    """Return the text of a message of either of the SDK's types."""
    return "".join(block.text for block in message.content)


def chat(prompt: str, **fields: Any) -> dict[str, Any]:
    """Return a chat body with another prompt."""
    return {**CHAT, "messages": [{"role": "user", "content": prompt}], **fields}


class TestTheEventFile:
    def test_its_well_formed_but_unknown_key_is_refused(self, client: TextClient) -> None:
        answer = httpx.post(
            client.url + EVENT["path"],
            content=EVENT["body"],
            headers={"authorization": EVENT["headers"]["Authorization"]},
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")


class TestMetering:
    def test_the_charge_is_exact_to_the_micro_dollar_and_rounded_up_once(self, client: TextClient) -> None:
        answer = client.post("/chat/completions", CHAT)
        usage = answer.json()["usage"]
        exact = usage["prompt_tokens"] * INPUT + usage["completion_tokens"] * OUTPUT
        charge = math.ceil(exact)
        assert answer.headers["x-tollgate-cost-micro-usd"] == str(charge)
        assert client.balance() == USD - charge
        (entry,) = client.texts()
        assert entry.amount_micro_usd == -charge
        assert entry.model == "gpt-5.4-mini"
        assert client.settled()

    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "grok-4.7"])
    def test_streamed_and_whole_cost_the_same(self, client: TextClient, model: str) -> None:
        client.openai.chat.completions.create(**chat("hello [[think]]", model=model))
        list(client.openai.chat.completions.create(**chat("hello [[think]]", model=model), stream=True))
        whole, streamed = client.texts_when(2)
        assert whole.amount_micro_usd == streamed.amount_micro_usd < 0

    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5"])
    @pytest.mark.parametrize("path", ["chat/completions", "messages", "responses"])
    def test_every_protocol_tells_the_charge_of_the_ledger(
        self, client: TextClient, path: str, model: str
    ) -> None:
        asked: dict[str, Any] = {"model": model}
        asked |= {"max_tokens": 100} if path == "messages" else {}
        asked |= {"usage": {"include": True}} if path == "chat/completions" else {}
        asked |= {"input" if path == "responses" else "messages": CHAT["messages"]}
        for stream in (False, True):
            answer = client.post(f"/{path}", {**asked, "stream": stream})
            told = re.findall(r'"cost":([0-9.e-]+)', answer.text)
            assert len(told) == 1, answer.text
            charges = [-entry.amount_micro_usd for entry in client.texts_when(stream + 1)]
            assert set(charges) == {int(Decimal(told[0]) * 1_000_000)} != {0}

    def test_missing_usage_is_counted_and_flagged_never_free(self, client: TextClient) -> None:
        client.openai.chat.completions.create(**chat("hello [[no-usage]]"))
        (entry,) = client.texts()
        assert entry.amount_micro_usd < 0
        assert entry.usage is not None
        assert entry.usage["estimated"] is True

    def test_many_tiny_requests_add_up_in_the_ledger(self, client: TextClient) -> None:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: client.post("/chat/completions", CHAT), range(100)))
        costs = [int(answer.headers["x-tollgate-cost-micro-usd"]) for answer in answers]
        assert client.balance() == USD - sum(costs)
        assert sum(entry.amount_micro_usd for entry in client.texts()) == -sum(costs)
        assert client.settled()


class TestSdks:
    def test_the_ledger_says_which_key_asked_and_how_long_it_took(self, client: TextClient) -> None:
        message = {"role": "user", "content": "[[tokens 5]] [[delay 20]]"}
        for stream in (False, True):
            asked = {"model": "gpt-5.4-mini", "messages": [message], "stream": stream}
            assert client.post("/chat/completions", asked).status_code == 200
        whole, streamed = client.texts_when(2)
        assert whole.key_id == streamed.key_id == key_id_of(client.account.api_key)
        assert whole.first_byte_ms is None
        assert 0 < (streamed.first_byte_ms or 0) <= (streamed.latency_ms or 0)

    def test_openai_streams_with_usage_in_a_last_chunk_only_when_asked(self, client: TextClient) -> None:
        asked = list(
            client.openai.chat.completions.create(
                **chat("hello"), stream=True, stream_options={"include_usage": True}
            )
        )
        plain = list(client.openai.chat.completions.create(**chat("hello"), stream=True))
        assert asked[-1].usage is not None
        assert asked[-1].choices == []
        assert all(chunk.usage is None for chunk in plain)
        assert {chunk.model for chunk in asked} == {"gpt-5.4-mini"}

    def test_anthropic_whole_streamed_and_counted(self, client: TextClient) -> None:
        said: list[Any] = [{"role": "user", "content": "hello"}]
        whole = client.anthropic.messages.create(model="claude-haiku-5-5", max_tokens=100, messages=said)
        with client.anthropic.messages.stream(
            model="claude-haiku-5-5", max_tokens=100, messages=said
        ) as stream:
            streamed = stream.get_final_message()
        assert text_of(streamed) == text_of(whole) != ""
        assert streamed.usage.output_tokens == whole.usage.output_tokens
        counted = client.anthropic.messages.count_tokens(model="claude-haiku-5-5", messages=said)
        assert counted.input_tokens == whole.usage.input_tokens
        assert len(client.texts_when(2)) == 2

    def test_the_models_list_is_openais(self, client: TextClient) -> None:
        models = {model.id: model for model in client.openai.models.list()}
        assert models["gpt-5.4-mini"].owned_by == "OpenAI"
        assert len(models) >= 40

    def test_a_model_is_what_both_sdks_read(self, client: TextClient) -> None:
        assert client.openai.models.retrieve("gpt-5.4-mini").owned_by == "OpenAI"
        listed = {model.id: model for model in client.anthropic.models.list()}
        one = client.anthropic.models.retrieve("claude-haiku-4-5")
        assert (one.type, one.display_name) == ("model", listed["claude-haiku-4-5"].display_name)
        with pytest.raises(openai.NotFoundError):
            client.openai.models.retrieve("no-such-model")


class TestFailure:
    @pytest.mark.parametrize("prompt", ["[[status 500]]", "[[status 429]]"])
    def test_when_no_provider_answers_it_is_an_error_and_nothing_is_charged(
        self, client: TextClient, prompt: str
    ) -> None:
        with pytest.raises(openai.InternalServerError) as refused:
            client.openai.chat.completions.create(**chat(prompt))
        assert refused.value.status_code == 503
        assert refused.value.code == "provider_unavailable"
        assert client.balance() == USD
        assert client.settled()

    def test_a_refusal_of_the_provider_is_passed_on_with_its_status(self, client: TextClient) -> None:
        with pytest.raises(openai.BadRequestError):
            client.openai.chat.completions.create(**chat("[[status 400]]"))
        assert client.balance() == USD

    @pytest.mark.parametrize("protocol", ["openai", "anthropic"])
    def test_a_stream_that_breaks_ends_in_an_error_and_what_came_is_billed(
        self, client: TextClient, protocol: str
    ) -> None:
        body = chat("[[stream-cut 5]] [[tokens 50]]", stream=True)
        if protocol == "anthropic":
            body["model"] = "claude-haiku-5-5"
        path = "/chat/completions" if protocol == "openai" else "/messages"
        text = client.post(path, body).text
        assert "[DONE]" not in text
        assert "message_stop" not in text
        assert '"error"' in text
        assert client.balance() < USD
        assert client.settled()

    def test_an_unknown_model_and_a_body_that_is_no_json_are_400(self, client: TextClient) -> None:
        with pytest.raises(openai.BadRequestError):
            client.openai.chat.completions.create(**chat("x", model="no-such-model"))
        with pytest.raises(anthropic.BadRequestError):
            client.anthropic.messages.create(
                model="no-such-model", max_tokens=5, messages=[{"role": "user", "content": "x"}]
            )
        headers = {"authorization": f"Bearer {client.account.api_key}"}
        answer = httpx.post(f"{client.url}/api/v1/chat/completions", content=b"{", headers=headers)
        assert answer.status_code == 400


class TestHolds:
    def test_an_empty_account_is_402_with_what_is_missing(
        self, open_client: Callable[[int], TextClient]
    ) -> None:
        poor = open_client(10)
        with pytest.raises(openai.APIStatusError) as refused:
            poor.openai.chat.completions.create(**CHAT)
        assert refused.value.status_code == 402
        error: Any = refused.value.body
        assert error["code"] == "insufficient_balance"
        assert (error["balanceCents"], error["requiredCents"], error["waitingHelps"]) == (0, 1, False)

    def test_a_small_balance_still_works_without_a_limit_of_the_clients_own(
        self, open_client: Callable[[int], TextClient]
    ) -> None:
        # The model's maximum of 128 000 tokens would cost 0.58 USD; 0.10 USD affords 4 096 of them.
        small = open_client(USD // 10)
        body = {name: value for name, value in CHAT.items() if name != "max_tokens"}
        assert small.post("/chat/completions", body).status_code == 200
        assert small.settled()

    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/responses"])
    @pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-sonnet-4-6"])
    def test_a_large_limit_and_a_small_balance_is_as_much_answer_as_that_pays_for(
        self, open_client: Callable[[int], TextClient], model: str, path: str, stream: bool
    ) -> None:
        small = open_client(USD // 10)
        prompt = "[[tokens 9000]]"
        said = (
            {"input": prompt, "max_output_tokens": 64_000}
            if path == "/responses"
            else {"messages": [{"role": "user", "content": prompt}], "max_tokens": 64_000}
        )
        answer = small.post(path, {"model": model, "stream": stream, **said})
        assert answer.status_code == 200
        assert answer.headers["x-tollgate-limited-by"] == "balance"
        (entry,) = small.texts_when(1)
        assert entry.usage is not None
        assert 4_096 <= entry.usage["output_tokens"] < 9_000
        assert entry.reason == LIMITED
        assert small.balance() >= 0
        assert small.settled()

    def test_a_thinking_budget_shrinks_with_the_limit_that_the_balance_sets(
        self, open_client: Callable[[int], TextClient]
    ) -> None:
        small = open_client(USD // 10)
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 30_000}, "max_tokens": 64_000}
        said = {"messages": [{"role": "user", "content": "hello"}]}
        answer = small.post("/messages", {"model": "claude-haiku-4-5", **said, **thinking})
        assert answer.status_code == 200
        assert answer.headers["x-tollgate-limited-by"] == "balance"

    def test_100_parallel_requests_never_overdraw_and_all_holds_come_back(
        self, open_client: Callable[[int], TextClient]
    ) -> None:
        customer = open_client(USD // 100)

        def ask(_: int) -> int:
            return customer.post("/chat/completions", CHAT).status_code

        with ThreadPoolExecutor(32) as pool:
            statuses = set(pool.map(ask, range(100)))
        assert statuses <= {200, 402}
        assert customer.balance() >= 0
        assert customer.settled()

    @pytest.mark.parametrize("recorded", [0, 300])
    def test_an_expired_hold_is_settled_by_its_row_or_given_back(
        self, client: TextClient, recorded: int
    ) -> None:
        runner = run_task_parts.step_runner()
        db = runner.tasks._db
        settings = text_parts.settings()
        writes = HoldWrites(settings.accounts_table, settings.ledger_table)
        now_ms = parts.clock().now_ms()
        account_id = client.account.account_id
        hold = Hold("req_dead", 1000, now_ms - 1)
        db.write(
            writes.place(account_id, hold, RateMeter(600).guess(account_id, now_ms), None, budgets=NO_BUDGETS)
        )
        if recorded:
            entry = Entry(account_id, "req_dead#text", EntryKind.TEXT, -recorded, now_ms)
            db.write(writes.record(entry))
        assert client.balance() == USD - 1000
        assert runner.ledger.expire_holds(now_ms, 100) == 1
        assert client.balance() == USD - recorded
        assert client.settled()
        assert runner.ledger.expire_holds(now_ms + HOLD_LIFETIME_MS, 100) == 0
