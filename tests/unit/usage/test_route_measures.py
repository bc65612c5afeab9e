"""Measures of routes: the calls that count, percentiles within a tenth, and each entry once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.clock import ManualClock
from tests.support.laws import examples
from tests.unit.usage.test_roll_up import Books, books
from tollgate.kit.dynamodb.core import DatabaseBusyError
from tollgate.kit.dynamodb.database import Database
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.trace import Ending, RouteCall, Trace
from tollgate.routing.measures import LATENCY, MS_PER_MINUTE, Call, Measures, counted, percentiles, step_of
from tollgate.usage.route_calls import calls_of
from tollgate.usage.route_repository import CountedError, MeasuredRoutes, RouteMeter

__all__ = ["books"]
NOW_MS = 1_795_219_200_000
FAILED = RouteCall("anthropic", 5, 300, "overloaded_error")


def entry(*calls: RouteCall, number: int = 1, ago_ms: int = 0, **changed: Any) -> Entry:
    """Return a request that ended `ago_ms` ago after 2 s, whose first bytes came after 400 ms."""
    ending = changed.pop("ending", Ending.COMPLETED)
    status = changed.pop("status", None)
    trace = Trace("chat", 1, 10, calls or (RouteCall("bedrock", 300),), ending, status)
    found = text_entry(
        "acc", f"req_{number}", model="m", charge_micro_usd=1, usage={"output_tokens": 32},
        now_ms=NOW_MS - ago_ms, provider="bedrock", latency_ms=2_000, first_byte_ms=400, trace=trace,
    )  # fmt: skip
    return replace(found, **changed)


VOID: dict[str, Any] = {"kind": EntryKind.VOID, "provider": "anthropic", "usage": None}
UP = Call("m", "bedrock", NOW_MS - 1_700, is_up=True, latency_ms=100, tokens=32, writing_ms=1_600)
DOWN = Call("m", "anthropic", NOW_MS - 1_995, is_up=False)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (entry(), [UP]),
        (entry(first_byte_ms=None), [replace(UP, latency_ms=1_700, writing_ms=1_700)]),
        # A failed call before the failover counts too, at its own model if there are several.
        (entry(FAILED, RouteCall("bedrock", 300)), [DOWN, UP]),
        (
            entry(replace(FAILED, model="other"), RouteCall("bedrock", 300)),
            [replace(DOWN, model="other"), UP],
        ),
        (entry(ending=Ending.CUT), [replace(UP, is_up=False)]),
        (entry(FAILED, ending=Ending.FAILED, status=503, **VOID), [DOWN]),
        # A refusal is about the request, and a client that left tells nothing.
        (entry(FAILED, ending=Ending.REFUSED, status=400, **VOID), []),
        (entry(FAILED, RouteCall("x", 9, 10, "bad"), ending=Ending.FAILED, status=400, **VOID), [DOWN]),
        (entry(RouteCall("anthropic", 5), ending=Ending.DISCONNECTED, **VOID), []),
        (entry(answers="req_1#text"), []),
        (entry(kind=EntryKind.CHARGE), []),
        (entry(trace=None), []),
    ],
)
def test_which_calls_tell_something_about_their_routes(found: Entry, expected: list[Call]) -> None:
    assert calls_of(found) == expected


@given(st.lists(st.integers(1, 900_000), min_size=1, max_size=60))
def test_a_percentile_is_at_most_a_tenth_above_the_exact_one(values: list[int]) -> None:
    counts = Counter(f"{LATENCY}{step_of(value)}" for value in values)
    found, ordered = percentiles(counts, LATENCY), sorted(values)
    assert found is not None
    for share in (50, 75, 90, 99):
        exact = ordered[-(-len(ordered) * share // 100) - 1]
        assert exact * 0.999 <= found[f"p{share}"] <= exact * 1.101


def test_nothing_is_known_without_calls(books: Books) -> None:
    routes = MeasuredRoutes(database(books), "Usage", clock())
    assert routes.of("unknown") == {}


def database(books: Books) -> Database:
    return Database(books.client, sleep=lambda _: None)  # type: ignore[arg-type]


def clock(now_ms: int = NOW_MS) -> ManualClock:
    made = ManualClock()
    made.advance_ms(now_ms - made.now_ms())
    return made


class TestCounted:
    models = iter(f"model-{number}" for number in range(100_000))

    @given(
        ages=st.lists(st.integers(0, 26 * 60), min_size=1, max_size=60),
        deliveries=st.lists(st.lists(st.integers(0, 59), min_size=1, max_size=60), max_size=4),
    )
    @settings(
        max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
    )
    def test_each_entry_once_in_any_order(
        self, books: Books, ages: list[int], deliveries: Sequence[list[int]]
    ) -> None:
        model = next(self.models)
        made = [
            entry(FAILED, RouteCall("bedrock", 300), number=at, ago_ms=age * MS_PER_MINUTE, model=model,
                  entry_id=f"{model}-{at}#text")
            for at, age in enumerate(ages)
        ]  # fmt: skip
        meter = RouteMeter(database(books), "Usage", "Counted", clock())
        for delivery in deliveries:
            meter.check_entries([made[at % len(made)] for at in delivery])
        meter.check_entries(made)
        rows = counted(call for one in made for call in calls_of(one))
        stored = books.client.query(
            TableName="Usage",
            KeyConditionExpression="account_id = :a",
            ExpressionAttributeValues={":a": {"S": f"route#{model}"}},
        )["Items"]
        assert {row["usage_day"]["S"]: {name: int(value["N"]) for name, value in row.items() if " " in name}
                for row in stored} == {name: dict(counts) for (_, name), counts in rows.items()}  # fmt: skip

    @pytest.mark.parametrize("failure", [DatabaseBusyError(), CountedError("other")], ids=["busy", "counted"])
    def test_calls_that_the_database_refuses_are_counted_for_the_alarm(
        self,
        books: Books,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        failure: Exception,
    ) -> None:
        def refused(*_: object) -> None:
            raise failure

        monkeypatch.setattr(Database, "transact", refused)
        meter = RouteMeter(database(books), "Usage", "Counted", clock())
        made = [entry(FAILED, number=at, model=next(self.models), entry_id=f"refused-{at}") for at in (1, 2)]
        meter.check_entries(made)
        assert '"RoutesNotMeasured":[2.0]' in capsys.readouterr().out

    def test_the_windows(self, books: Books) -> None:
        meter, model = RouteMeter(database(books), "Usage", "Counted", clock()), next(self.models)
        for number, (ago, calls) in enumerate(
            [(1, ()), (20, (FAILED,)), (20, ()), (600, (FAILED,)), (30 * 60, (FAILED,))]
        ):
            kinds: dict[str, Any] = {"ending": Ending.FAILED, "status": 503, **VOID} if calls else {}
            meter.check_entries(
                [entry(*calls, number=number, ago_ms=ago * MS_PER_MINUTE, model=model,
                       entry_id=f"{model}-{number}#text", **kinds)]
            )  # fmt: skip
        found = MeasuredRoutes(database(books), "Usage", clock()).of(model)
        assert found["bedrock"].uptime_5m == found["bedrock"].uptime_1d == 100
        assert found["bedrock"].latency == {"p50": 106.72, "p75": 106.72, "p90": 106.72, "p99": 106.72}
        # 32 tokens in 1.6 s are 20 tokens in a second.
        assert found["bedrock"].throughput == {"p50": 21.11, "p75": 21.11, "p90": 21.11, "p99": 21.11}
        assert found["anthropic"] == Measures(None, 0, 0)
