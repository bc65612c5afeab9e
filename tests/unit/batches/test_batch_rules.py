"""The pure rules of batches: ids of requests, results in the vendors' shapes, the claim of a worker."""

import asyncio
import json
import time
from typing import Any, cast

import pytest
from anthropic.types.messages import MessageBatchIndividualResponse
from hypothesis import given
from hypothesis import strategies as st
from openai.types import Batch as OpenAiBatch
from pydantic import TypeAdapter

from tests.support.clock import ManualClock
from tests.unit.batches.samples import parcel
from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import ALL_SCOPES
from tollgate.batches import attempts
from tollgate.batches.attempts import MAX_ATTEMPTS, Attempts, LaterError, MoneyLaterError
from tollgate.batches.lines import MAX_CUSTOM_ID, NOT_RUN, Line, Outcome, problems_of, result_line
from tollgate.batches.models import (
    CLAIM_S,
    MAX_LINE_BYTES,
    MAX_UNFINISHED,
    Batch,
    Kind,
    State,
    new_batch,
    request_id_of,
)
from tollgate.batches.parcels import may_send, must_cancel, must_give_up
from tollgate.batches.request import read_openai_create
from tollgate.batches.service import BatchService
from tollgate.batches.views import batch_view, message_batch_view
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id, new_id
from tollgate.ledger.errors import InsufficientBalanceError, RateLimitedError
from tollgate.text.serving.asgi import Reply
from tollgate.text.wire.errors import BatchLimitReachedError

NOW_MS = 1_700_000_000_000
NOW_S = NOW_MS // 1000
RESULT: TypeAdapter[MessageBatchIndividualResponse] = TypeAdapter(MessageBatchIndividualResponse)
REFUSED = b'{"type":"error","error":{"type":"invalid_request_error","message":"no"}}'
PARCEL = parcel(made_at_s=NOW_S).to_item()
PLACES = st.tuples(st.integers(0, 9_999), st.integers(0, 200), st.integers(0, 3))


def batch(kind: Kind = Kind.OPENAI) -> Batch:
    fields = {"endpoint": "/v1/embeddings", "input_file_id": "file_1", "metadata": {}}
    return new_batch("usr_1", kind, NOW_MS, "f", fields)


@given(st.lists(PLACES, unique=True, max_size=50))
def test_each_attempt_of_each_line_has_its_own_id_and_keeps_it(places: list[tuple[int, int, int]]) -> None:
    batch_id = new_id("batch")
    ids = [request_id_of(batch_id, *place) for place in places]
    assert len(set(ids)) == len(places)
    assert all(is_id("req", each) for each in ids)
    assert ids == [request_id_of(batch_id, *place) for place in places]


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome("req_1", 400, REFUSED), "errored"),
        (Outcome("req_1", code="batch_expired"), "expired"),
        (Outcome("req_1", code="batch_cancelled"), "canceled"),
        (Outcome("req_1", code="response_lost"), "errored"),
    ],
    ids=["refused", "expired", "cancelled", "lost"],
)
def test_a_line_without_a_message_is_one_of_anthropics_results(outcome: Outcome, kind: str) -> None:
    assert outcome.is_error
    assert RESULT.validate_json(result_line(Kind.ANTHROPIC, "a", outcome), strict=True).result.type == kind


@pytest.mark.parametrize("code", NOT_RUN)
def test_a_line_that_did_not_run_has_no_response_in_openais_shape(code: str) -> None:
    found = json.loads(result_line(Kind.OPENAI, "a", Outcome("req_1", code=code)))
    assert (found["custom_id"], found["response"], found["error"]["code"]) == ("a", None, code)


def test_a_claim_ends_by_itself_and_a_claim_that_was_not_released_is_remembered() -> None:
    first = Batch(batch().changed(**batch().claimed("one", NOW_S)))
    assert first.is_claimed(NOW_S)
    assert not first.is_claimed(NOW_S + CLAIM_S)
    assert first.row["dirty"] == []
    died = Batch(first.changed(**first.claimed("two", NOW_S)))
    assert (died.row["claims"], died.row["dirty"]) == (2, [1])
    released = Batch(first.changed(claim=None))
    assert Batch(released.changed(**released.claimed("two", NOW_S))).row["dirty"] == []


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_view_in_both_protocols(state: State) -> None:
    ended = state in (State.FAILED, State.COMPLETED, State.EXPIRED, State.CANCELLED)
    row = {
        "total": 3,
        "succeeded": 1,
        "errored": 1,
        "not_run": 1,
        "output_file_id": "out",
        "error_file_id": "err",
    }
    shown = Batch(batch(Kind.ANTHROPIC).changed(state, NOW_S, **row))
    openai = OpenAiBatch.model_validate(batch_view(shown), strict=False)
    assert (openai.object, openai.status, openai.completion_window) == ("batch", state, "24h")
    assert (openai.output_file_id, openai.error_file_id) == (("out", "err") if ended else (None, None))
    message = message_batch_view(shown, "https://x.test")
    counts: dict[str, Any] = {**message["request_counts"]}
    assert sum(counts.values()) == 3
    assert (message["processing_status"] == "ended") == ended
    assert (message["results_url"] is not None) == ended


# Since the creation: a new parcel may be sent, parcels are cancelled, and they are given up.
@pytest.mark.parametrize(
    ("hours", "seconds", "expected"),
    [
        (0, 0, (True, False, False)),
        (12, -1, (True, False, False)),
        (12, 0, (False, False, False)),
        (20, -1, (False, False, False)),
        (20, 0, (False, True, False)),
        (22, -1, (False, True, False)),
        (22, 0, (False, True, True)),
    ],
)
def test_parcels_end_before_the_24_hours_of_their_batch(
    hours: int, seconds: int, expected: tuple[bool, bool, bool]
) -> None:
    running = Batch(batch().changed(State.IN_PROGRESS, NOW_S))
    at_s = NOW_S + hours * 3600 + seconds
    found = may_send(running, at_s), must_cancel(running, at_s), must_give_up(running, at_s)
    assert found == expected


@pytest.mark.parametrize(("seconds", "is_over"), [(30 * 60 - 1, False), (30 * 60, True)])
def test_parcels_of_a_cancelled_batch_have_half_an_hour(seconds: int, is_over: bool) -> None:
    cancelled = Batch(batch().changed(State.CANCELLING, NOW_S))
    assert must_cancel(cancelled, NOW_S)
    assert must_give_up(cancelled, NOW_S + seconds) is is_over


@pytest.mark.parametrize(("made", "may"), [(39, True), (40, False)])
def test_a_batch_sends_40_parcels(made: int, may: bool) -> None:
    assert may_send(Batch(batch().changed(State.IN_PROGRESS, NOW_S, parcels_made=made)), NOW_S) is may


GOOD: dict[str, Any] = {
    "input_file_id": new_id("file"),
    "endpoint": "/v1/embeddings",
    "completion_window": "24h",
}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, None),
        ({"output_expires_after": None}, None),
        ({"output_expires_after": {"anchor": "created_at", "seconds": 604_800}}, None),
        ({"output_expires_after": {"anchor": "created_at", "seconds": 3600}}, "/output_expires_after"),
        ({"input_file_id": "batch_1"}, "/input_file_id"),
        ({"input_file_id": 7}, "/input_file_id"),
        ({"endpoint": "/v1/images"}, "/endpoint"),
        ({"endpoint": None}, "/endpoint"),
        ({"endpoint": []}, "/endpoint"),
        ({"completion_window": "1h"}, "/completion_window"),
        ({"priority": 1}, "/priority"),
    ],
)
def test_a_wrong_field_of_a_new_batch_is_named(fields: dict[str, Any], path: str | None) -> None:
    body = json.dumps(GOOD | fields).encode()
    if path is None:
        assert read_openai_create(body).endpoint == "/v1/embeddings"
        return
    with pytest.raises(InvalidInputError) as wrong:
        read_openai_create(body)
    assert [each.path for each in wrong.value.problems] == [path]


class Shelf:
    """What a `BatchService` needs: a database with these batches, an object store and a queue."""

    def __init__(self, kept: list[Batch]) -> None:
        self.kept, self.sent = kept, 0
        self.storage = self
        self.clock = ManualClock(NOW_MS)

    def now_s(self) -> int:
        return NOW_S

    async def page(self, account_id: str, kind: Kind, limit: int) -> tuple[list[Batch], bool]:
        return self.kept[:limit], len(self.kept) > limit

    async def first_name(self, prefix: str) -> str:
        return f"{prefix}1.jsonl"

    async def create(self, made: Batch) -> None:
        self.kept.append(made)

    async def send(self, _: Any) -> None:
        self.sent += 1


@pytest.mark.parametrize(
    ("unfinished", "over", "is_created"),
    [(0, 0, True), (MAX_UNFINISHED - 1, 9, True), (MAX_UNFINISHED, 0, False), (MAX_UNFINISHED, 9, False)],
)
def test_an_account_has_a_largest_number_of_unfinished_batches(
    unfinished: int, over: int, is_created: bool
) -> None:
    done = Batch(batch().changed(State.COMPLETED, NOW_S))
    shelf: Any = Shelf([done] * over + [batch()] * unfinished)
    created = BatchService(shelf, shelf, shelf, shelf.send).create(
        ApiKey("key_1", "usr_1", "", ALL_SCOPES, 0), json.dumps(GOOD).encode(), {}
    )
    if is_created:
        assert json.loads(asyncio.run(created))["status"] == "validating"
    else:
        with pytest.raises(BatchLimitReachedError):
            asyncio.run(created)
    assert (len(shelf.kept) - unfinished - over, shelf.sent) == (is_created, is_created)


class Calls:
    """The calls of a line, with one answer after the other."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.request_ids: list[str] = []

    async def answer(self, endpoint: str, fields: Any, call: Any) -> Reply:
        self.request_ids.append(call.request_id)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return Reply(b"{}", found)


@pytest.mark.parametrize(
    ("answers", "status", "ids"),
    [
        ([200], 200, 1),
        ([503, 429, 200], 200, 3),
        ([503] * MAX_ATTEMPTS, 503, MAX_ATTEMPTS),
        # It may have been billed to us.
        ([524], 524, 1),
        ([400], 400, 1),
        # Nothing was held, so it is the same attempt.
        ([RateLimitedError(1), RateLimitedError(1), 200], 200, 1),
    ],
    ids=["good", "busy", "down", "slow", "wrong", "limited"],
)
def test_only_a_refusal_that_passes_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, answers: list[Any], status: int, ids: int
) -> None:
    for name in ("FIRST_WAIT_S", "LIMIT_WAIT_S"):
        monkeypatch.setattr(attempts, name, 0.0)
    calls = Calls(*answers)

    async def key() -> Any:
        return object()

    of_line = Batch({**batch().row, "headers": {}})
    made = Attempts(of_line, cast("Any", calls), key, time.monotonic() + 60)
    outcome = asyncio.run(made.outcome(0, Line("a", {})))
    assert outcome.status == status
    assert calls.answers == []
    assert len(set(calls.request_ids)) == ids
    assert outcome.request_id == calls.request_ids[-1]


@pytest.mark.parametrize("is_at_vendor", [True, False])
def test_a_line_waits_for_the_money_of_lines_at_a_vendor(is_at_vendor: bool) -> None:
    async def key() -> Any:
        return object()

    row = {**batch().row, "headers": {}, "parcels": [PARCEL] if is_at_vendor else []}
    calls = Calls(InsufficientBalanceError(1, 2))
    made = Attempts(Batch(row), cast("Any", calls), key, time.monotonic() + 60)
    if is_at_vendor:
        with pytest.raises(MoneyLaterError):
            asyncio.run(made.outcome(0, Line("a", {})))
    else:
        assert asyncio.run(made.outcome(0, Line("a", {}))).status == 402


def test_a_slow_refusal_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "QUICK_S", -1.0)
    calls = Calls(503)

    async def key() -> Any:
        return object()

    made = Attempts(Batch({**batch().row, "headers": {}}), cast("Any", calls), key, time.monotonic() + 60)
    assert asyncio.run(made.outcome(0, Line("a", {}))).status == 503


def test_a_limited_line_is_left_to_the_next_worker_if_there_is_no_time_to_wait() -> None:
    calls = Calls(RateLimitedError(1))

    async def key() -> Any:
        return object()

    made = Attempts(Batch({**batch().row, "headers": {}}), cast("Any", calls), key, time.monotonic())
    with pytest.raises(LaterError):
        asyncio.run(made.outcome(0, Line("a", {})))
    assert calls.answers == []


def line(**changes: Any) -> bytes:
    good = {"custom_id": "a", "method": "POST", "url": "/v1/embeddings", "body": {}}
    return json.dumps(good | changes).encode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (line(), []),
        (line(custom_id="x" * MAX_CUSTOM_ID), []),
        (line(custom_id="x" * (MAX_CUSTOM_ID + 1)), [("invalid_request", "custom_id")]),
        (line(custom_id=""), [("invalid_request", "custom_id")]),
        (line(custom_id=7), [("invalid_request", "custom_id")]),
        (line(custom_id="seen"), [("duplicate_custom_id", "custom_id")]),
        (line(method="GET"), [("invalid_method", "method")]),
        (line(url="/v1/completions"), [("invalid_url", "url")]),
        (line(body=[]), [("invalid_request", "body")]),
        (line(method=None, body=None), [("invalid_method", "method"), ("invalid_request", "body")]),
        (b"[]", [("invalid_json_line", None)]),
        (b"{", [("invalid_json_line", None)]),
        (line().ljust(MAX_LINE_BYTES), []),
        (line().ljust(MAX_LINE_BYTES + 1), [("line_too_large", None)]),
    ],
)
def test_each_wrong_part_of_a_line_is_named(text: bytes, found: list[tuple[str, str | None]]) -> None:
    problems = problems_of([line(custom_id="seen"), text], "/v1/embeddings")
    assert [(each["code"], each["param"], each["line"]) for each in problems] == [(*one, 2) for one in found]
