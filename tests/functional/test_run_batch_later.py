"""Batches whose next step has to wait, or whose worker has to stop: nothing is lost or done twice."""

import json
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest

from local.machine.events import Context
from run_batch.app import handler
from tests.functional.test_run_batch import chat, ended, lines_of, run_all, run_one, runner, start, take
from tests.functional.test_run_batch_parcels import GPT, run, soon
from tests.support.text_app import TextClient
from tollgate.batches import collecting, models, parcel_money, parcels, repository, service
from tollgate.batches.collecting import Collecting
from tollgate.batches.models import Batch as OurBatch
from tollgate.batches.models import ChangedError
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.parcels import Parcel
from tollgate.batches.repository import BatchRepository, Result
from tollgate.batches.vendor_calls import RefusedError, VendorCalls
from tollgate.batches.vendor_lines import VendorLines
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.errors import InsufficientBalanceError, RateLimitedError

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["runner", "soon"]
# A worker looks so often at a batch whose first parcel ends in less time.
MAX_LOOKS = 20


def is_failed(message: dict[str, Any]) -> bool:
    """Run a message; return whether it comes back."""
    record = {"messageId": "m", "body": json.dumps(message)}
    return bool(handler({"Records": [record]}, Context("RunBatchFunction"))["batchItemFailures"])


def assert_done(client: TextClient, batch: Any) -> None:
    """Run a batch of one line to its end, at the vendor."""
    found, outputs, errors = run(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 1, [])
    assert [(entry.usage or {}).get("service") for entry in client.texts()] == ["batch"]
    assert client.settled()


@pytest.mark.parametrize(
    ("part", "name", "error"),
    [
        (ParcelMoney, "reserve", RateLimitedError(1)),
        (VendorCalls, "since", RefusedError(429)),
    ],
    ids=["the account is at its limit", "the vendor is busy"],
)
def test_a_step_that_has_to_wait_is_done_later(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, part: type, name: str, error: Exception
) -> None:
    done, errors = getattr(part, name), [error]

    async def late(*args: Any, **more: Any) -> Any:
        if errors:
            raise errors.pop()
        return await done(*args, **more)

    monkeypatch.setattr(part, name, late)
    assert_done(client, start(client, lines_of(chat(f"[[tokens 20]] [[batch-lost]] {name}", model=GPT))))
    assert errors == []


def test_results_that_a_worker_has_no_time_for_are_stored_by_the_next_one(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect, calls = Collecting.run, iter(range(9))

    async def first_without_time(collecting: Collecting, *args: Any) -> Any:
        if next(calls) == 0:
            collecting = replace(collecting, lines=replace(collecting.lines, until=0.0))
        return await collect(collecting, *args)

    monkeypatch.setattr(Collecting, "run", first_without_time)
    assert_done(client, start(client, lines_of(chat("[[tokens 20]]", model=GPT))))
    assert next(calls) == 2


def test_the_counts_of_a_running_batch_include_results_of_a_worker_that_died(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, kept = BatchRepository.keep_result, []

    async def dies_after_the_first(*args: Any) -> None:
        await keep(*args)
        kept.append(args[2])
        if len(kept) == 1:
            raise RuntimeError("died here")

    monkeypatch.setattr(BatchRepository, "keep_result", dies_after_the_first)
    monkeypatch.setattr(models, "CLAIM_S", 0)
    monkeypatch.setattr(collecting, "MAX_AT_ONCE", 1)
    monkeypatch.setattr(parcels, "MAX_LINES", 2)
    bodies = [chat(f"[[tokens 20]] {words}", model=GPT) for words in ("one", "two", "[[batch-stuck]]")]
    batch = start(client, lines_of(*bodies))
    (message,) = take()
    results = [is_failed(message) for _ in range(MAX_LOOKS)]
    assert results.count(True) == 1
    counts = client.openai.batches.retrieve(batch.id).request_counts
    assert counts is not None
    assert (kept, counts.completed, counts.failed) == ([0, 1], 2, 0)


def test_a_parcel_without_money_waits_for_the_money_of_another_one(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve, numbers = ParcelMoney.reserve, []

    async def once_without_money(money: ParcelMoney, batch: OurBatch, parcel: Parcel, *more: Any) -> Any:
        numbers.append(parcel.number)
        if numbers == [0, 1]:
            raise InsufficientBalanceError(0, 1)
        return await reserve(money, batch, parcel, *more)

    monkeypatch.setattr(ParcelMoney, "reserve", once_without_money)
    monkeypatch.setattr(parcels, "MAX_LINES", 1)
    bodies = [chat(f"[[tokens 20]] [[batch-slow 200]] {n}", model=GPT) for n in range(2)]
    found, outputs, errors = run(client, start(client, lines_of(*bodies)))
    assert (found.status, len(outputs), errors, numbers) == ("completed", 2, [], [0, 1, 1])
    assert [(entry.usage or {}).get("service") for entry in client.texts()] == ["batch", "batch"]
    assert client.settled()


def test_a_parcel_waits_while_the_key_of_its_vendor_is_removed(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = start(client, lines_of(chat("[[tokens 20]] [[batch-slow 200]]", model=GPT)))
    (message,) = take()
    run_one(message)
    with monkeypatch.context() as patch:
        patch.setattr(VendorLines, "api", lambda *_: None)
        run_one({**message, "is_urgent": True})
    assert_done(client, batch)


def test_the_money_of_a_doubtful_reservation_is_not_returned_before_its_time(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, waited = ParcelMoney.release, []

    async def noted(money: ParcelMoney, account_id: str, parcel: Parcel) -> None:
        waited.append(parcel.release_from_s <= money.clock.now_ms() // MS_PER_S)
        await release(money, account_id, parcel)

    def soon_enough(money: ParcelMoney, **_: Any) -> int:
        return money.clock.now_ms() // MS_PER_S + 1

    monkeypatch.setattr(ParcelMoney, "release", noted)
    monkeypatch.setattr(ParcelMoney, "release_from_s", soon_enough)
    assert_done(client, start(client, lines_of(chat("[[tokens 20]]", model=GPT))))
    assert waited == [True]


def test_a_parcel_ends_only_after_its_money_is_returned(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "CLAIM_S", 0)
    batch = start(client, lines_of(chat("[[tokens 20]]", model=GPT)))
    (message,) = take()
    with monkeypatch.context() as patch:
        patch.setattr(parcel_money, "MAX_RELEASES", 0)
        assert [is_failed(message) for _ in range(5)][-1]
    run_one(message)
    assert_done(client, batch)


def test_a_worker_whose_batch_another_one_has_taken_leaves_it(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = BatchRepository.keep_result

    async def taken(repository: BatchRepository, batch: OurBatch, number: int, result: Result) -> None:
        await keep(repository, batch, number, result)
        await repository.change(batch.account_id, batch.id, lambda now: now.changed(claim="run_other"))

    batch = start(client, lines_of(chat()))
    (message,) = take()
    monkeypatch.setattr(BatchRepository, "keep_result", taken)
    assert is_failed(message)
    assert (ended(client, batch)[0].status, len(client.texts())) == ("in_progress", 1)
    assert client.settled()


def test_requests_that_come_too_early_or_are_wrong_are_refused(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches, params = client.anthropic.messages.batches, chat()
    requests: Any = [{"custom_id": "a", "params": params}]
    with pytest.raises(anthropic.BadRequestError, match="/metadata"):
        batches.create(requests=requests, extra_body={"metadata": {}})
    made = batches.create(requests=requests)
    early = client.get(f"/messages/batches/{made.id}/results")
    assert (early.status_code, "has not ended" in early.text) == (400, True)
    batch = start(client, lines_of(chat()))
    with pytest.raises(openai.BadRequestError, match="Idempotency-Key"):
        start(client, lines_of(chat()), extra_headers={"idempotency-key": "x" * 300})
    monkeypatch.setattr(service, "MAX_INPUT_BYTES", 9)
    with pytest.raises(openai.BadRequestError, match="at most 9 bytes"):
        start(client, lines_of(chat()))
    monkeypatch.setattr(repository, "MAX_ATTEMPTS", 0)
    with pytest.raises(openai.InternalServerError):
        client.openai.batches.cancel(batch.id)


def test_batches_that_change_or_go_during_a_request(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def has_changed(*_: Any) -> Any:
        raise ChangedError("batch_1")

    async def is_gone(*_: Any) -> None:
        return None

    requests: Any = [{"custom_id": "a", "params": chat()}]
    made = client.anthropic.messages.batches.create(requests=requests)
    batch = start(client, lines_of(chat()))
    run_all()
    monkeypatch.setattr(BatchRepository, "create", has_changed)
    with pytest.raises(openai.InternalServerError) as busy:
        start(client, lines_of(chat()))
    assert busy.value.status_code == 503
    monkeypatch.setattr(BatchRepository, "change", is_gone)
    with pytest.raises(openai.NotFoundError, match=batch.id):
        client.openai.batches.cancel(batch.id)
    monkeypatch.setattr(S3Objects, "open", is_gone)
    assert client.get(f"/messages/batches/{made.id}/results").status_code == 404
