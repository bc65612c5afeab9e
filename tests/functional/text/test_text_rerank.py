"""Rerank and moderations on the served app: the bill, failover, what is refused by name."""

import base64
from collections.abc import Callable
from typing import Any

import openai
import pytest

from tests.support.text_app import TextClient
from tollgate.composition import api as api_parts

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

QUERY = "when does the museum open"
DOCUMENTS = ["Dogs are not allowed.", "The museum does open at nine when it rains.", "The shop closes."]
# The simulator counts a token for four bytes, and the query for each document: 3 x 7, and 6 + 11 + 4.
TOKENS = 42
MODELS = {
    # model: what is billed, micro-USD
    "rerank-v5.0-pro": ({"input_tokens": TOKENS}, 3),  # 0.05 x 42 = 2.1
    "rerank-v5.0-fast": ({"input_tokens": TOKENS}, 1),  # 0.02 x 42 = 0.84
    "rerank-v4.0-pro": ({"search_units": 1}, 2500),
    "rerank-v4.0-fast": ({"search_units": 1}, 2000),
    "rerank-v3.5": ({"search_units": 1}, 2000),
    "test-rerank": ({"search_units": 1}, 0),
}


def asked(**changed: Any) -> dict[str, Any]:
    return {"model": "rerank-v4.0-pro", "query": QUERY, "documents": DOCUMENTS, **changed}


class TestRanking:
    @pytest.mark.parametrize("model", MODELS)
    def test_at_the_model_s_price(self, client: TextClient, model: str) -> None:
        billed, charge = MODELS[model]
        answer = client.post("/rerank", asked(model=model))
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        assert shown["results"][0]["index"] == 1
        assert shown["results"][0]["document"] == {"text": DOCUMENTS[1]}
        assert (shown["model"], shown["meta"]["billed_units"]) == (model, billed)
        assert shown["usage"]["cost"] == charge / 1_000_000
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (-charge, 1_000_000 - charge)
        assert client.settled()

    def test_over_a_hundred_documents_are_several_searches(self, client: TextClient) -> None:
        answer = client.post("/rerank", asked(documents=[f"document {at}" for at in range(201)], top_n=2))
        shown = answer.json()
        assert (len(shown["results"]), shown["meta"]["billed_units"]) == (2, {"search_units": 3})
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, entry.usage and entry.usage["search_units"]) == (-7500, 3)

    def test_long_documents_count_for_each_500_tokens(self, client: TextClient) -> None:
        # 80 x (1,500 + 7) tokens are 320 chunks of 500.
        answer = client.post("/rerank", asked(documents=["word " * 1200] * 80))
        assert answer.json()["meta"]["billed_units"] == {"search_units": 4}
        assert client.settled()

    @pytest.mark.parametrize("model", ["rerank-v4.0-pro", "rerank-v5.0-pro"])
    def test_usage_that_is_not_reported_is_counted(self, client: TextClient, model: str) -> None:
        answer = client.post("/rerank", asked(model=model, query=f"{QUERY} [[no-usage]]"))
        assert answer.status_code == 200
        (entry,) = client.texts_when(1)
        assert entry.usage is not None
        assert entry.usage["estimated"] is True
        assert entry.amount_micro_usd < 0

    @pytest.mark.parametrize("path", ["/rerank", "/v2/rerank"])
    def test_only_the_first_version_returns_documents(self, client: TextClient, path: str) -> None:
        (first, *_) = client.post(path, asked()).json()["results"]
        assert ("document" in first) is (path == "/rerank")
        (first, *_) = client.post("/rerank", asked(return_documents=False)).json()["results"]
        assert first.keys() == {"index", "relevance_score"}

    def test_another_provider_answers_if_one_fails(self, client: TextClient) -> None:
        answer = client.post("/rerank", asked(query=f"{QUERY} [[cohere: status 503]]"))
        assert (answer.status_code, answer.headers["x-tollgate-route"]) == (200, "openrouter")
        (entry,) = client.texts_when(1)
        assert (entry.provider, entry.amount_micro_usd) == ("openrouter", -2500)

    def test_a_limit_of_one_provider_is_not_dropped(self, client: TextClient) -> None:
        body = asked(max_tokens_per_doc=100)
        assert client.post("/rerank", body).headers["x-tollgate-route"] == "cohere"
        refused = client.post("/rerank", {**body, "provider": {"only": ["openrouter"]}})
        assert refused.json()["error"]["details"][0]["path"] == "/max_tokens_per_doc"

    def test_a_hint_is_named_and_left_out(self, client: TextClient) -> None:
        answer = client.post("/rerank", asked(priority=3, user="ada"))
        assert (answer.status_code, answer.headers["x-tollgate-ignored"]) == (200, "priority")
        assert client.texts_when(1)[0].user == "ada"

    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            ({"query": " "}, "/query"),
            ({"documents": []}, "/documents"),
            ({"documents": ["a", ""]}, "/documents/1"),
            ({"documents": [{"text": "a", "title": "b"}]}, "/documents/0"),
            ({"documents": ["a"] * 10_001}, "/documents"),
            ({"top_n": 0}, "/top_n"),
            ({"max_tokens_per_doc": "100"}, "/max_tokens_per_doc"),
            ({"return_documents": 1}, "/return_documents"),
            ({"rank_fields": ["title"]}, "/rank_fields"),
            ({"model": "gpt-5.4-mini"}, "/model"),
            ({"provider": {"max_price": {"request": 0.002}}}, "/provider/max_price/request"),
        ],
    )
    def test_refused_by_the_field(self, client: TextClient, wrong: dict[str, Any], path: str) -> None:
        answer = client.post("/rerank", asked(**wrong))
        assert answer.status_code == 400, answer.text
        assert [each["path"] for each in answer.json()["error"]["details"]] == [path]
        assert (client.balance(), client.texts()) == (1_000_000, [])

    def test_the_record_has_the_calculation(self, client: TextClient) -> None:
        answer = client.post("/rerank", asked())
        assert client.settled()
        _, record = api_parts.api().records.shown(client.account.account_id, answer.headers["x-request-id"])
        (line,) = record["price"]
        assert (record["api"], line["key"], line["unit"], line["amountUsd"]) == (
            "rerank", "searchUnits", "search", "0.0025",
        )  # fmt: skip

    def test_no_money(self, open_client: Callable[[int], TextClient]) -> None:
        pauper = open_client(2499)
        assert pauper.post("/rerank", asked()).status_code == 402
        assert pauper.post("/rerank", asked(model="rerank-v3.5")).status_code == 200
        assert pauper.balance() == 499

    @pytest.mark.parametrize("told", ["[[status 503]]", "[[stream-cut 1]]", "[[garbage]]"])
    def test_nothing_is_charged_if_no_provider_answers(self, client: TextClient, told: str) -> None:
        assert client.post("/rerank", asked(query=f"{QUERY} {told}")).status_code in (502, 503)
        assert client.balance() == 1_000_000
        assert client.settled()


IMAGE = f"data:image/png;base64,{base64.b64encode(bytes(64)).decode()}"
PARTS = [
    {"type": "text", "text": "a picture of violence"},
    {"type": "image_url", "image_url": {"url": IMAGE}},
]


MODERATIONS = ["omni-moderation-latest", "mistral-moderation-2603", "test-moderation"]


class TestModerations:
    @pytest.mark.parametrize("model", MODERATIONS)
    def test_each_text_has_a_result_and_nothing_is_charged(self, client: TextClient, model: str) -> None:
        made = client.openai.moderations.create(model=model, input=["a poem", "sexual violence"])
        assert (made.model, [each.flagged for each in made.results]) == (model, [False, True])
        assert made.id.startswith("modr-")
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (0, 1_000_000)
        assert entry.usage is not None
        assert entry.usage["input_tokens"] > 0
        assert client.settled()

    def test_parts_of_a_message_have_one_result(self, client: TextClient) -> None:
        (result,) = client.openai.moderations.create(input=PARTS).results  # type: ignore[arg-type]
        assert (result.flagged, result.categories.violence, result.categories.hate) == (
            True,
            True,
            False,
        )
        assert result.category_applied_input_types.violence == ["image", "text"]

    def test_mistral_has_its_own_categories(self, client: TextClient) -> None:
        body = {"model": "mistral-moderation-2603", "input": "how to pass a jailbreaking test"}
        (result,) = client.post("/moderations", body).json()["results"]
        assert (result["flagged"], result["categories"]["jailbreaking"]) == (True, True)

    def test_without_money_too(self, open_client: Callable[[int], TextClient]) -> None:
        assert open_client(0).openai.moderations.create(input="a poem").results[0].flagged is False

    def test_another_model_answers_if_the_request_names_one(self, client: TextClient) -> None:
        body = {"input": "[[openai: status 503]] a poem", "models": ["mistral-moderation-2603"]}
        answer = client.post("/moderations", body)
        assert (answer.status_code, answer.json()["model"]) == (200, "mistral-moderation-2603")

    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            ({"input": ""}, "/input"),
            ({"input": []}, "/input"),
            ({"input": [{"type": "image_url", "image_url": "x"}]}, "/input/0"),
            ({"input": PARTS, "model": "mistral-moderation-2603"}, "/input"),
            ({"input": ["a"] * 1001}, "/input"),
            ({"model": "text-embedding-3-small"}, "/model"),
            ({"stream": True}, "/stream"),
        ],
    )
    def test_refused_by_the_field(self, client: TextClient, wrong: dict[str, Any], path: str) -> None:
        answer = client.post("/moderations", {"input": "a", **wrong})
        assert answer.status_code == 400, answer.text
        assert [each["path"] for each in answer.json()["error"]["details"]] == [path]

    @pytest.mark.parametrize("told", ["[[status 503]]", "[[garbage]]"])
    def test_a_failure_is_one(self, client: TextClient, told: str) -> None:
        with pytest.raises(openai.APIStatusError):
            client.openai.moderations.create(input=told)
        assert client.settled()
