"""Whatever the ledger stores in a row comes back as it was."""

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.dynamodb.rows import Item, from_attributes, to_attributes
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.holds import Hold, all_holds_of, holds_of
from tollgate.ledger.runs import Run, RunTerms, run_of
from tollgate.ledger.trace import MAX_CODE_LENGTH, Ending, RouteCall, Trace

TEXTS = st.text(string.ascii_letters, min_size=1, max_size=20)
NUMBERS = st.integers(0, 10**12)
NUMBER, TEXT = st.none() | NUMBERS, st.none() | TEXTS
CALLS = st.builds(RouteCall, TEXTS, NUMBERS, NUMBER, TEXT, TEXT)
TRACES = st.builds(
    Trace,
    TEXT,
    NUMBER,
    NUMBER,
    st.lists(CALLS, max_size=3).map(tuple),
    st.sampled_from(Ending),
    NUMBER,
    TEXT,
    st.dictionaries(TEXTS, TEXTS, max_size=3),
    st.lists(st.dictionaries(TEXTS, TEXTS, max_size=3), max_size=2).map(tuple),
)
LABELS = st.builds(Attribution, TEXT, st.dictionaries(TEXTS, TEXTS, max_size=3), TEXT, TEXT)
RUNS = st.builds(
    Run,
    TEXTS,
    TEXTS.map("tok_{}".format),
    TEXTS,
    st.builds(RunTerms, NUMBERS, TEXTS, LABELS, TEXT),
    NUMBERS,
    NUMBERS,
    st.none() | st.frozensets(TEXTS),
    TEXT,
    st.booleans(),
)


def stored(row: Item) -> Item:
    """Return a row as DynamoDB returns it."""
    return from_attributes(to_attributes(row))


@given(TRACES)
def test_the_course_of_a_request(trace: Trace) -> None:
    assert Trace.from_item(stored(trace.to_item())) == trace


def test_the_course_of_a_request_that_has_everything() -> None:
    call = RouteCall("p", 5, 30, "busy", "m")
    prices, parts = {"input": "0.1"}, ({"name": "seconds"},)
    trace = Trace("openai", 3, 900, (call,), Ending.CUT, 502, "upstream", prices, parts)
    assert Trace.from_item(trace.to_item()) == trace


def test_a_long_code_of_a_provider_is_cut() -> None:
    code, cut = "x" * (MAX_CODE_LENGTH + 1), "x" * MAX_CODE_LENGTH
    trace = Trace.from_item(Trace(calls=(RouteCall("p", 1, code=code),), code=code).to_item())
    assert (trace.code, trace.calls[0].code) == (cut, cut)


@pytest.mark.parametrize(
    "hold",
    [
        Hold("req_1", 700, 1_700_000_000_000),
        Hold("req_1", 0, 1_700_000_000_000),
        Hold("req_1", 700, 5, "spent#key_1#2026", budgets=("bud_1#2026#0#all",)),
        Hold("req_1", 0, 5, is_over=True),
        Hold("quo_1", 700, 5),
        Hold("req_1", 700, 5, "spent#key_1#2026", has_full_id_key=True),
    ],
    ids=["plain", "of nothing", "counted", "over", "of a quote", "of an earlier release"],
)
def test_a_hold(hold: Hold) -> None:
    row = stored({"holds": {hold.path[1]: hold.to_value()}})
    assert (all_holds_of(row), holds_of(row)) == ([hold], [] if hold.is_over else [hold])


@given(RUNS, NUMBERS, st.lists(NUMBERS, max_size=3))
def test_a_run_token_with_what_its_rows_have_spent(run: Run, spent: int, shares: list[int]) -> None:
    main = {**run.to_item(), "spent_micro_usd": spent + sum(shares)}
    found = run_of([stored(row) for row in [main, *({"left_micro_usd": share} for share in shares)]])
    assert found is not None
    assert found == replace(run, spent_micro_usd=spent)
    # It is kept 40 days after its end.
    assert main["expires_at_s"] == run.expires_at_ms // 1_000 + 40 * 86_400


def test_rows_without_a_token_are_none() -> None:
    assert run_of([{"left_micro_usd": 5}]) is None
