"""Charges of responses that were lost after the charge come back, once."""

import asyncio
import json
from contextlib import nullcontext
from typing import Any

import pytest

from local.machine.events import Context
from run_batch.app import handler
from tests.functional.test_run_batch import chat, ended, failing, lines_of, run_one, take
from tests.functional.test_run_batch import runner as batch_runner
from tests.functional.test_run_batch import start as start_batch
from tests.functional.test_run_response import later, run, runner, start, waiting
from tests.support.text_app import USD, TextClient
from tollgate.batches import models
from tollgate.batches.models import Batch
from tollgate.batches.repository import BatchRepository
from tollgate.composition import sweep as sweep_parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb.core import DatabaseError
from tollgate.ledger.entries import EntryKind
from tollgate.text.responses import states
from tollgate.text.responses.repository import ResponseRepository

__all__ = ["batch_runner", "later", "runner"]

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]


class Killed(BaseException):
    """No code of the process handles its end."""


@pytest.mark.parametrize("is_deleted", [False, True], ids=["kept", "deleted by its owner"])
@pytest.mark.parametrize("failure", [Killed(), DatabaseError()], ids=["dies", "cannot store"])
def test_the_charge_of_a_background_response_comes_back(
    client: TextClient,
    later: Any,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    is_deleted: bool,
) -> None:
    made = start(client)

    async def fails(*_: object, **__: object) -> None:
        raise failure

    (event,) = waiting.take()
    with monkeypatch.context() as dying:
        dying.setattr(ResponseRepository, "end", fails)
        with pytest.raises(Killed) if isinstance(failure, Killed) else nullcontext():
            run(event)
    (charge,) = client.texts()
    assert client.balance() == USD + charge.amount_micro_usd < USD
    sweep_parts.sweeper().sweep()
    assert client.balance() < USD
    later(states.RUNNING_S * 1000)
    assert client.openai.responses.retrieve(made.id).status == "failed"
    if is_deleted:
        client.openai.responses.delete(made.id)
    assert sweep_parts.sweeper().sweep().responses == 1
    assert sweep_parts.sweeper().sweep().responses == 0
    (_, credit) = client.entries_of(EntryKind.CREDIT)
    assert (credit.request_id, credit.amount_micro_usd) == (charge.request_id, -charge.amount_micro_usd)
    assert client.balance() == USD
    assert client.settled()


def test_a_process_that_is_late_does_not_store_what_was_returned(
    client: TextClient, later: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = start(client)
    (event,) = waiting.take()
    end = ResponseRepository.end

    async def after_the_sweep(*given: Any, **fields: Any) -> None:
        later(states.RUNNING_S * 1000)
        assert await asyncio.to_thread(lambda: sweep_parts.sweeper().sweep().responses) == 1
        await end(*given, **fields)

    with monkeypatch.context() as late:
        late.setattr(ResponseRepository, "end", after_the_sweep)
        run(event)
    assert client.openai.responses.retrieve(made.id).status == "failed"
    assert client.balance() == USD
    assert client.settled()


@pytest.mark.parametrize("end", ["cancelled", "expired", "failed"])
def test_the_charge_of_a_line_comes_back_although_its_batch_stops(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(models, "CLAIM_S", 0)
    batch = start_batch(client, lines_of(*[chat(f"[[tokens 20]] {n}") for n in range(12)]))
    (message,) = take()
    with monkeypatch.context() as patch:
        patch.setattr(BatchRepository, "keep_result", failing(2, 5))
        record = {"messageId": "m", "body": json.dumps(message)}
        assert handler({"Records": [record]}, Context("RunBatchFunction"))["batchItemFailures"]
    charged = {entry.request_id: -entry.amount_micro_usd for entry in client.texts()}
    if end == "cancelled":
        # The message of the dead worker may be lost: looking at the batch sends another one.
        client.openai.batches.cancel(batch.id)
        (message,) = take()
    elif end == "expired":
        monkeypatch.setattr(Batch, "is_over", lambda *_: True)
    else:
        prefix, s3 = f"inputs/{client.account.account_id}", sdk.s3()
        (file,) = s3.list_objects_v2(Bucket=(bucket := text_parts.settings().media_bucket), Prefix=prefix)[
            "Contents"
        ]
        s3.delete_object(Bucket=bucket, Key=file["Key"])
    run_one(message)
    assert client.openai.batches.retrieve(batch.id).status == end
    _, *given = client.entries_of(EntryKind.CREDIT)
    assert len(given) == 2
    assert all(entry.amount_micro_usd == charged[entry.request_id] for entry in given)
    assert client.settled()
    if end != "failed":
        errors = [each["error"]["code"] for each in ended(client, batch)[2]]
        assert errors.count("response_lost") == 2
