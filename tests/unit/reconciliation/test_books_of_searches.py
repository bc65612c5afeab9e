"""Searches of the web are booked on a line of their own, as providers report them."""

from decimal import Decimal

from tollgate.catalog.loader import Catalog
from tollgate.ledger.hold_entries import text_entry
from tollgate.reconciliation.books import booked
from tollgate.reconciliation.reports import Line


def test_the_line_of_the_model_has_its_tokens_only() -> None:
    usage = {"input_tokens": 1_000, "web_searches": 3}
    entry = text_entry(
        "usr_1",
        "req_1",
        model="claude-sonnet-5-5",
        charge_micro_usd=32_000,
        usage=usage,
        now_ms=0,
        provider="anthropic",
    )
    books = booked([entry], Catalog.shipped().text_model)
    # 1,000 tokens at 2 USD per 1M, and three searches at 10 USD per 1,000.
    assert {line: one.cost_micro_usd for line, one in books.items()} == {
        Line("anthropic", "claude-sonnet-5-5"): Decimal(2_000),
        Line("anthropic", "web_search"): Decimal(30_000),
    }
    assert sum(one.requests for one in books.values()) == 1
