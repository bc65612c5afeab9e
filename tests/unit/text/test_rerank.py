"""Rerank without I/O: the hold covers every charge, and answers that are no ranking."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.samples import PLAIN, text_model
from tollgate.text.body.json_body import dumps
from tollgate.text.kinds.rerank import read_rerank_request, rerank_demand, rerank_estimate, rerank_exchange
from tollgate.text.models import Rerank, TextModel, TextProtocol, TextRoute, TokenPrices
from tollgate.text.money.metering import charge_micro_usd, full_hold
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest
from tollgate.text.wire.faults import FaultError

CALL = HttpCall("POST", "http://vendor/rerank", {}, b"")


def model(source: str, search: str) -> TextModel:
    return text_model(
        id="ranks",
        protocols=frozenset({TextProtocol.RERANK}),
        prices=TokenPrices(Decimal(source), Decimal(0), search=Decimal(search)),
        context_tokens=32_768,
        max_output_tokens=0,
        rerank=Rerank(max_documents=1_000, max_query_tokens=2_048),
    )


BY_TOKENS, BY_SEARCH = model("0.05", "0"), model("0", "2500")
texts = st.text(min_size=1, max_size=3_000).filter(str.strip)


def exchange_of(of: TextModel, documents: list[str], query: str = "a", **fields: Any) -> Exchange:
    body = dumps({"model": of.id, "query": query, "documents": documents, **fields}).encode()
    request = read_rerank_request(body)
    hold = full_hold(rerank_demand(request.fields, of), of)
    route, estimate = TextRoute("some", "theirs", TextProtocol.RERANK), rerank_estimate(request.fields, of)
    return rerank_exchange(RoutedRequest(request, of, route, hold, estimate, 0), CALL, PLAIN)


@given(st.lists(texts, min_size=1, max_size=30), texts, st.integers(1, 5_000), st.booleans())
def test_the_hold_covers_a_charge_that_is_counted(
    documents: list[str], query: str, most: int, by_search: bool
) -> None:
    of = BY_SEARCH if by_search else BY_TOKENS
    fields = {"query": query, "documents": documents, "max_tokens_per_doc": most}
    exchange = exchange_of(of, documents, query, max_tokens_per_doc=most)
    exchange.read_whole(
        dumps({"results": [{"index": at, "relevance_score": 0} for at in range(len(documents))]}).encode()
    )
    usage = exchange.meter.usage()
    assert usage.estimated
    charge = charge_micro_usd(usage, of)
    assert 0 < charge <= full_hold(rerank_demand(fields, of), of).amount_micro_usd


ONE, TWO = {"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": 0.4}


@pytest.mark.parametrize(
    "results",
    [
        None,
        [],
        [ONE],
        [ONE, ONE],
        [ONE, {**TWO, "index": 2}],
        [ONE, {**TWO, "index": -1}],
        [ONE, {"index": 1}],
        [ONE, {**TWO, "relevance_score": "high"}],
        [ONE, {**TWO, "index": True}],
        [ONE, TWO, {**TWO, "index": 2}],
    ],
)
def test_anything_but_a_rank_for_each_document_is_a_fault(results: Any) -> None:
    with pytest.raises(FaultError):
        exchange_of(BY_SEARCH, ["a", "b"]).read_whole(dumps({"results": results}).encode())
