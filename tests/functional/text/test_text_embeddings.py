"""Embeddings through the official SDK, on the served app: vectors, the bill, what is refused by name."""

import base64
import json
import struct
from collections.abc import Callable
from typing import Any

import httpx
import openai
import pytest

from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

TEXT = "a lighthouse at dusk on a rock in the sea"
"""41 bytes, 11 tokens of the simulator (a token for four bytes)."""
MODELS = {
    # model: length of a vector, micro-USD for 11 tokens at its price per 1M, rounded up
    "text-embedding-3-small": (1536, 1),  # 0.02 → 0.22
    "text-embedding-3-large": (3072, 2),  # 0.13 → 1.43
    "gemini-embedding-001": (3072, 2),  # 0.15 → 1.65
    "gemini-embedding-2": (3072, 3),  # 0.20 → 2.2
    "text-embedding-v4": (1024, 1),  # 0.07 → 0.77
    "test-embedding": (8, 0),
}


def refused(client: TextClient, **body: Any) -> list[str]:
    """Return the paths of what is wrong; nothing is held or charged."""
    balance = client.balance()
    with pytest.raises(openai.BadRequestError) as raised:
        client.openai.embeddings.create(**{"model": "text-embedding-3-small", "input": TEXT, **body})
    found: Any = raised.value.body
    assert (client.balance(), client.texts()) == (balance, [])
    return [each["path"] for each in found["details"]]


class TestVectors:
    @pytest.mark.parametrize("model", MODELS)
    def test_of_one_text_at_the_model_s_price(self, client: TextClient, model: str) -> None:
        length, charge = MODELS[model]
        made = client.openai.embeddings.create(model=model, input=TEXT)
        assert (made.object, made.model, made.usage.prompt_tokens) == ("list", model, 11)
        assert [(each.object, each.index, len(each.embedding)) for each in made.data] == [
            ("embedding", 0, length)
        ]
        (entry,) = client.texts_when(1)
        assert (entry.amount_micro_usd, client.balance()) == (-charge, 1_000_000 - charge)
        assert client.settled()

    @pytest.mark.parametrize("model", MODELS)
    def test_numbers_and_packed_are_the_same(self, client: TextClient, model: str) -> None:
        body = {"model": model, "input": [TEXT, "another"]}
        plain = client.post("/embeddings", body).json()
        packed = client.post("/embeddings", {**body, "encoding_format": "base64"}).json()
        for one, other in zip(plain["data"], packed["data"], strict=True):
            raw = base64.b64decode(other["embedding"])
            assert list(struct.unpack(f"<{len(raw) // 4}f", raw)) == pytest.approx(one["embedding"], abs=1e-6)
        assert [each["index"] for each in plain["data"]] == [0, 1]

    def test_a_list_comes_in_its_order(self, client: TextClient) -> None:
        texts = [f"text {number}" for number in range(50)]
        together = client.openai.embeddings.create(model="text-embedding-3-small", input=texts, dimensions=16)
        alone = client.openai.embeddings.create(model="text-embedding-3-small", input=texts[7], dimensions=16)
        assert together.data[7].embedding == alone.data[0].embedding
        assert {len(each.embedding) for each in together.data} == {16}

    def test_token_ids(self, client: TextClient) -> None:
        made = client.openai.embeddings.create(model="text-embedding-3-small", input=[[1, 2, 3], [4, 5]])
        assert (len(made.data), made.usage.prompt_tokens) == (2, 5)

    def test_by_another_name(self, client: TextClient) -> None:
        made = client.openai.embeddings.create(model="openai/Text-Embedding-3-Large", input=TEXT)
        assert made.model == "text-embedding-3-large"

    def test_of_a_thousand_texts_as_langchain_sends_them(self, client: TextClient) -> None:
        made = client.openai.embeddings.create(model="text-embedding-3-large", input=["a"] * 1000)
        assert len(made.data) == 1000
        assert client.settled()


class TestRefused:
    @pytest.mark.parametrize(
        ("wrong", "path"),
        [
            ({"input": ""}, "/input"),
            ({"input": []}, "/input"),
            ({"input": ["a", ""]}, "/input"),
            ({"input": [1, "a"]}, "/input"),
            ({"input": [-1]}, "/input"),
            ({"input": ["a"] * 2049}, "/input"),
            ({"model": "text-embedding-v4", "input": ["a"] * 11}, "/input"),
            ({"model": "gemini-embedding-001", "input": [1, 2]}, "/input"),
            ({"dimensions": 1537}, "/dimensions"),
            ({"dimensions": 0}, "/dimensions"),
            ({"encoding_format": "int8"}, "/encoding_format"),
            ({"input": ["a"] * 1000, "encoding_format": "float"}, "/input"),
            ({"extra_body": {"task_type": "search"}}, "/task_type"),
            ({"model": "nothing"}, "/model"),
            ({"model": "gpt-5.4-mini"}, "/model"),
        ],
    )
    def test_by_the_field(self, client: TextClient, wrong: dict[str, Any], path: str) -> None:
        assert refused(client, **wrong) == [path]

    @pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/responses"])
    def test_a_chat_with_an_embedding_model_says_where_to_send_it(
        self, client: TextClient, path: str
    ) -> None:
        said = [{"role": "user", "content": "hello"}]
        body = {"model": "text-embedding-3-small", "messages": said, "max_tokens": 5}
        if path == "/responses":
            body = {"model": "text-embedding-3-small", "input": "hello"}
        answer = client.post(path, body)
        assert answer.status_code == 400
        assert "/api/v1/embeddings" in answer.text

    @pytest.mark.parametrize("wrong", ["\ud800", "word " * 10_000])
    def test_what_the_provider_refuses_costs_nothing(self, client: TextClient, wrong: str) -> None:
        body = json.dumps({"model": "text-embedding-3-small", "input": wrong})
        headers = {"authorization": f"Bearer {client.account.api_key}"}
        answer = httpx.post(f"{client.url}/api/v1/embeddings", content=body, headers=headers, timeout=60)
        assert answer.status_code == 400
        assert client.settled()
        assert client.texts() == []

    def test_a_chat_model_is_told_which_models_make_embeddings(self, client: TextClient) -> None:
        answer = client.post("/embeddings", {"model": "claude-haiku-5-5", "input": "a"}).json()
        assert set(answer["error"]["details"][0]["allowed"]) == MODELS.keys()

    def test_no_money(self, open_client: Callable[[int], TextClient]) -> None:
        pauper = open_client(0)
        with pytest.raises(openai.APIStatusError) as raised:
            pauper.openai.embeddings.create(model="text-embedding-3-large", input=TEXT)
        assert raised.value.status_code == 402
        assert pauper.openai.embeddings.create(model="test-embedding", input=TEXT).data


class TestFailure:
    def test_the_reserve_answers(self, client: TextClient) -> None:
        made = client.openai.embeddings.create(
            model="text-embedding-3-small", input=f"[[openai: status 503]] {TEXT}"
        )
        assert len(made.data[0].embedding) == 1536
        assert client.settled()

    @pytest.mark.parametrize("told", ["[[status 503]]", "[[stream-cut 1]]", "[[garbage]]"])
    def test_nothing_is_charged_where_nobody_does(self, client: TextClient, told: str) -> None:
        with pytest.raises(openai.APIStatusError):
            client.openai.embeddings.create(model="text-embedding-v4", input=f"{told} {TEXT}")
        assert client.balance() == 1_000_000
        assert client.settled()


class TestListed:
    def test_with_what_it_takes_and_its_prices(self, client: TextClient) -> None:
        shown: Any = client.openai.models.retrieve("text-embedding-3-small")
        assert (shown.protocols, shown.pricing) == (
            ["embeddings"],
            {"input": "0.02", "input-batch": "0.01", "prompt": "0.00000002", "completion": "0"},
        )
        assert (shown.dimensions, shown.max_inputs, shown.max_output_tokens) == (1536, 2048, 0)
