"""Embeddings without I/O: the most tokens of a request, answers that are none, the bound of an answer."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import PLAIN, text_model
from tollgate.text.body.json_body import dumps
from tollgate.text.kinds.embeddings import (
    embedding_bound,
    embedding_estimate,
    embedding_problems,
    embeddings_body,
    embeddings_exchange,
    read_embedding_request,
)
from tollgate.text.models import Embedding, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.metering import Demand, full_hold
from tollgate.text.upstream.exchange import HttpCall, RoutedRequest
from tollgate.text.wire.faults import FaultError

EMBEDDING = Embedding(dimensions=3072, max_dimensions=3072, max_inputs=2048, takes_tokens=True)
MODEL = text_model(
    id="vectors",
    protocols=frozenset({TextProtocol.EMBEDDINGS}),
    prices=TokenPrices(Decimal("0.13"), Decimal(0)),
    context_tokens=8192,
    max_output_tokens=0,
    embedding=EMBEDDING,
)
CALL = HttpCall("POST", "http://vendor/embeddings", {}, b"")

texts = st.text(min_size=1, max_size=40)
tokens = st.lists(st.integers(0, 200_000), min_size=1, max_size=20)
inputs = st.one_of(
    texts, tokens, st.lists(texts, min_size=1, max_size=5), st.lists(tokens, min_size=1, max_size=5)
)


def routed(**fields: Any) -> RoutedRequest:
    request = read_embedding_request(dumps({"model": "vectors", **fields}).encode())
    bound = embedding_bound(request.fields, MODEL)
    hold = full_hold(Demand(bound, None), MODEL)
    estimate = embedding_estimate(request.fields, MODEL)
    return RoutedRequest(
        request, MODEL, TextRoute("some", "theirs", TextProtocol.EMBEDDINGS), hold, estimate, 0
    )


class TestTokens:
    @given(inputs)
    def test_the_estimate_is_within_the_bound_and_above_nothing(self, source: Any) -> None:
        fields = {"input": source}
        assert 1 <= embedding_estimate(fields, MODEL) <= embedding_bound(fields, MODEL)

    def test_a_byte_is_a_token_at_most_and_an_id_is_one(self) -> None:
        # 16 more for each input.
        assert embedding_bound({"input": "süß"}, MODEL) == 5 + 16
        assert embedding_bound({"input": [1, 2, 3]}, MODEL) == 3 + 16
        assert embedding_bound({"input": ["a" * 10_000, "b"]}, MODEL) == 8192 + 17


class TestBody:
    @given(inputs)
    def test_the_input_goes_as_it_came_under_the_vendor_s_name(self, source: Any) -> None:
        body = embeddings_body(routed(input=source, encoding_format="base64"), packs=True)
        assert body == {"model": "theirs", "input": source, "encoding_format": "base64"}

    def test_who_does_not_pack_is_asked_for_numbers(self) -> None:
        body = embeddings_body(routed(input="a", encoding_format="base64", dimensions=3), packs=False)
        assert (body["encoding_format"], body["dimensions"]) == ("float", 3)


class TestAnswer:
    def read(self, answer: Any, **fields: Any) -> Any:
        exchange = embeddings_exchange(routed(**fields), CALL, PLAIN)
        shown = json.loads(
            exchange.read_whole(answer if isinstance(answer, bytes) else dumps(answer).encode())
        )
        return shown, exchange.meter.usage()

    def test_usage_as_reported(self) -> None:
        answer = {"data": [{"embedding": [0.5]}], "usage": {"prompt_tokens": 9, "total_tokens": 9}}
        shown, usage = self.read(answer, input="a text")
        told = shown["usage"]
        assert (told["prompt_tokens"], told["total_tokens"], shown["model"]) == (9, 9, "vectors")
        assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (9, 0, False)

    def test_what_a_provider_adds_about_itself_is_left_out(self) -> None:
        usage = {"prompt_tokens": 9, "total_tokens": 9, "cost": 7.0, "cost_details": {}}
        answer = {"data": [{"embedding": [0.5]}], "usage": usage, "provider": "Host", "id": "gen-emb-1"}
        shown, _ = self.read(answer, input="a text")
        assert shown.keys() == {"object", "data", "model", "usage"}
        # Our charge instead of the provider's price: 9 x 0.13, rounded up.
        assert shown["usage"]["cost"] == 2e-06

    def test_usage_counted_where_none_is_reported(self) -> None:
        shown, usage = self.read({"data": [{"embedding": [0.5]}]}, input="eight by")
        assert (usage.input_tokens, usage.estimated) == (2, True)
        assert shown["usage"]["prompt_tokens"] == 2

    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"[]",
            {"data": []},
            {"data": [{"embedding": []}]},
            {"data": [{"embedding": ["x"]}]},
            {"data": [{"embedding": "not base64"}]},
            {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]},
            {"data": [{}]},
            {"data": None},
            {"error": {"message": "no", "code": 503}},
        ],
    )
    def test_anything_but_a_vector_for_each_input_is_a_fault(self, answer: Any) -> None:
        with pytest.raises(FaultError):
            self.read(answer, input="a")


class TestBounds:
    def test_how_many_numbers_an_answer_may_have(self) -> None:
        def problems(count: int, **fields: Any) -> list[str]:
            sent = {"input": ["a"] * count, **fields}
            return [each.message for each in embedding_problems(sent, "vectors", EMBEDDING)]

        # 1,000,000 / 3072 = 325.5; 4,000,000 / 3072 = 1302.08
        assert problems(325) == []
        assert "base64" in problems(326)[0]
        assert problems(1302, encoding_format="base64") == []
        assert problems(1303, encoding_format="base64") != []
        assert problems(2048, encoding_format="base64", dimensions=1000) == []
