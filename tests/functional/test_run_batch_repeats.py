"""A repeated create or upload: no second batch, no double charge, and no deleted or expired input runs."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from ulid import ULID

from tests.functional.test_run_batch import (
    CHATS,
    chat,
    lines_of,
    run_all,
    run_one,
    runner,
    start_with,
    take,
    uploaded,
)
from tests.support.text_app import TextClient
from tollgate.artifacts.uploads import JSONL
from tollgate.composition import api as api_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.callers import Caller

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]
__all__ = ["runner"]


def test_a_repeat_of_the_sdk_or_with_the_same_key_creates_no_second_batch(client: TextClient) -> None:
    file_id = uploaded(client, json.dumps(lines_of(chat())[0]).encode())
    create: Any = client.openai.batches.create
    asked = {"input_file_id": file_id, "endpoint": CHATS, "completion_window": "24h"}
    first = create(**asked)
    again = create(**asked, extra_headers={"x-stainless-retry-count": "1"})
    assert again.id == first.id
    named = create(**asked, extra_headers={"idempotency-key": "one"})
    assert named.id != first.id
    assert create(**asked, extra_headers={"idempotency-key": "one"}).id == named.id
    with pytest.raises(openai.UnprocessableEntityError):
        create(**asked, metadata={"a": "b"}, extra_headers={"idempotency-key": "one"})
    run_all()
    assert len(client.texts()) == 2


def test_requests_with_the_same_key_at_the_same_time_create_one_batch(client: TextClient) -> None:
    file_id = uploaded(client, json.dumps(lines_of(chat())[0]).encode())
    asked: Any = {"input_file_id": file_id, "endpoint": CHATS, "completion_window": "24h"}

    def create(key: str) -> str:
        return str(client.openai.batches.create(**asked, extra_headers={"idempotency-key": key}).id)

    keys = [f"key-{n}" for n in range(4) for _ in range(8)]
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(create, keys))
    assert len(set(made)) == len({*zip(keys, made, strict=True)}) == 4
    run_all()
    assert len(client.texts()) == 4


@pytest.mark.parametrize("left_s", [60, 0])
def test_a_file_is_usable_for_seven_days(client: TextClient, left_s: int) -> None:
    caller, uploads = Caller.of_account(client.account.account_id), api_parts.api().files.uploads
    sent_ms = uploads.clock.now_ms() - (7 * 24 * 60 * 60 - left_s) * MS_PER_S
    file_id, data = f"file_{ULID.from_timestamp(sent_ms)}", json.dumps(lines_of(chat())[0]).encode()
    uploads.put(caller, file_id, JSONL, data, ("in.jsonl", "batch"))
    asked: Any = {"input_file_id": file_id, "endpoint": CHATS, "completion_window": "24h"}
    if left_s:
        client.openai.batches.create(**asked)
        assert run_all() == 1
        return
    with pytest.raises(openai.BadRequestError, match="purpose batch"):
        client.openai.batches.create(**asked)


def test_a_deleted_input_that_its_form_brings_back_stays_deleted(client: TextClient) -> None:
    files, account_id = api_parts.api().files, client.account.account_id
    data = b"\n".join(json.dumps(each).encode() for each in lines_of(chat()))
    form = files.create_upload(
        Caller.of_account(account_id), {"contentType": JSONL, "bytes": len(data)}, "me"
    )
    bucket, key = files.uploads.bucket, form["upload"]["fields"]["key"]
    files.uploads.s3.put_object(Bucket=bucket, Key=key, Body=data)
    batch = start_with(client, form["id"])
    (message,) = take()
    files.delete(Caller.of_account(account_id), form["id"], "me")
    files.uploads.s3.put_object(Bucket=bucket, Key=key, Body=data)
    run_one(message)
    assert client.openai.batches.retrieve(batch.id).status == "failed"
    with pytest.raises(openai.BadRequestError, match="purpose batch"):
        start_with(client, form["id"])
    assert client.texts() == []
