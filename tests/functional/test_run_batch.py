"""Batches with both vendors' SDKs, on the emulator. The queue's messages are handed over here."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx
import openai
import pytest
from openai.types import Batch

from local.machine.events import Context
from run_batch.app import handler
from tests.support.losses import OneLoss
from tests.support.text_app import USD, TextClient
from tollgate.artifacts.uploads import JSONL
from tollgate.batches import attempts, models, worker
from tollgate.batches.download import BYTES
from tollgate.batches.models import Batch as OurBatch
from tollgate.batches.repository import BatchRepository, Result
from tollgate.composition import api as api_parts
from tollgate.composition import run_batch as run_batch_parts
from tollgate.composition import text as text_parts
from tollgate.kit.aws import sdk
from tollgate.kit.dynamodb import core
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.errors import StorageBusyError
from tollgate.ledger.budgets import period_at
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import EntryKind

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

CHATS = "/v1/chat/completions"
# Without a batch price, so its lines run the ordinary way
MODEL = "deepseek-v4-flash"


@pytest.fixture(autouse=True)
def runner(client: TextClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Shorten the pauses; close the loop of this thread afterwards.

    No message is there before and after: the emulator is the same for the batches of all files.
    """
    for name in ("FIRST_WAIT_S", "LIMIT_WAIT_S", "MONEY_WAIT_S"):
        monkeypatch.setattr(attempts, name, 0.02)
    client.get("/models")
    take()
    yield
    take()
    run_batch_parts.close()


def queue_url() -> str:
    return text_parts.settings().batch_queue_url


def take() -> list[dict[str, Any]]:
    """Receive the messages that wait."""
    found: list[dict[str, Any]] = []
    while taken := sdk.sqs().receive_message(QueueUrl=queue_url(), MaxNumberOfMessages=10).get("Messages"):
        for each in taken:
            sdk.sqs().delete_message(QueueUrl=queue_url(), ReceiptHandle=each["ReceiptHandle"])
            found.append(json.loads(each["Body"]))
    return found


def run_one(message: dict[str, Any]) -> None:
    record = {"messageId": "m", "body": json.dumps(message)}
    assert handler({"Records": [record]}, Context("RunBatchFunction")) == {"batchItemFailures": []}


def run_all() -> int:
    """Run the messages until none waits; return how many there were."""
    count = 0
    while taken := take():
        for message in taken:
            run_one(message)
        count += len(taken)
    return count


def chat(prompt: str = "hello", model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": 100, **fields}


def lines_of(*bodies: dict[str, Any], url: str = CHATS) -> list[dict[str, Any]]:
    return [{"custom_id": f"line-{n}", "method": "POST", "url": url, "body": b} for n, b in enumerate(bodies)]


def uploaded(client: TextClient, data: bytes) -> str:
    uploads = api_parts.api().files.uploads
    return uploads.put(
        Caller.of_account(client.account.account_id), uploads.new_id(), JSONL, data, ("in.jsonl", "batch")
    ).file_id


def start(client: TextClient, lines: list[Any], endpoint: Any = CHATS, **more: Any) -> Batch:
    data = b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
    return client.openai.batches.create(
        input_file_id=uploaded(client, data), endpoint=endpoint, completion_window="24h", **more
    )


def start_with(client: TextClient, file_id: str) -> Batch:
    return client.openai.batches.create(
        input_file_id=file_id, endpoint="/v1/chat/completions", completion_window="24h"
    )


def content(client: TextClient, file_id: str | None) -> list[dict[str, Any]]:
    """Return the lines of a file of results; none without a file."""
    if file_id is None:
        return []
    uploads = api_parts.api().files.uploads
    shown = uploads.get(Caller.of_account(client.account.account_id), file_id)
    assert (shown.purpose, shown.content_type) == ("batch_output", JSONL)
    key = uploads.find_key(Caller.of_account(client.account.account_id), file_id)
    data = uploads.s3.get_object(Bucket=uploads.bucket, Key=key)["Body"].read()
    return [json.loads(line) for line in data.splitlines()]


def ended(client: TextClient, batch: Batch) -> tuple[Batch, list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a batch with its outputs and its errors."""
    found = client.openai.batches.retrieve(batch.id)
    return found, content(client, found.output_file_id), content(client, found.error_file_id)


class TestOpenAI:
    def test_each_line_is_answered_and_charged_as_the_same_request_alone(self, client: TextClient) -> None:
        batch = start(client, lines_of(*[chat(f"[[tokens 20]] say {n}") for n in range(12)]))
        assert (batch.status, batch.request_counts and batch.request_counts.total) == ("validating", 0)
        assert client.texts() == []
        before = client.balance()
        assert run_all() == 1
        found, outputs, errors = ended(client, batch)
        assert found.status == "completed"
        counts = found.request_counts
        assert counts is not None
        assert (counts.total, counts.completed, counts.failed) == (12, 12, 0)
        assert errors == []
        assert [each["custom_id"] for each in outputs] == [f"line-{n}" for n in range(12)]
        assert {each["response"]["status_code"] for each in outputs} == {200}
        entries = client.texts()
        assert {each["response"]["request_id"] for each in outputs} == {one.request_id for one in entries}
        assert before - client.balance() == -sum(one.amount_micro_usd for one in entries)
        assert client.settled()
        # A message that comes again does nothing.
        run_one({"account_id": client.account.account_id, "batch_id": batch.id})
        assert len(client.texts()) == 12

    @pytest.mark.parametrize(
        ("endpoint", "body"),
        [
            ("/v1/responses", {"model": "gpt-5.4-mini", "input": "hello"}),
            ("/v1/completions", {"model": MODEL, "prompt": "hello"}),
            ("/v1/embeddings", {"model": "gemini-embedding-001", "input": "hello"}),
            ("/v1/moderations", {"model": "omni-moderation-latest", "input": "hello"}),
            ("/v1/rerank", {"model": "test-rerank", "query": "hello", "documents": ["a", "b"]}),
        ],
        ids=["responses", "completions", "embeddings", "moderations", "rerank"],
    )
    def test_serves_each_endpoint(self, client: TextClient, endpoint: str, body: dict[str, Any]) -> None:
        batch = start(client, lines_of(body, url=endpoint), endpoint)
        run_all()
        found, outputs, errors = ended(client, batch)
        assert (found.status, errors) == ("completed", [])
        (line,) = outputs
        assert (line["response"]["status_code"], line["error"]) == (200, None)
        assert client.settled()

    def test_a_line_is_no_background_response(self, client: TextClient) -> None:
        body = {"model": "gpt-5.4-mini", "input": "hello", "background": True}
        batch = start(client, lines_of(body, url="/v1/responses"), "/v1/responses")
        run_all()
        _, outputs, (error,) = ended(client, batch)
        assert (outputs, error["response"]["status_code"]) == ([], 400)
        assert "background" in error["response"]["body"]["error"]["message"]
        assert client.texts() == []

    def test_wrong_lines_end_with_their_error_and_the_others_with_a_response(
        self, client: TextClient
    ) -> None:
        wrong = [chat(model="nobody-knows"), chat(stream=True), {"model": MODEL}, chat("[[reject]]")]
        # Its answers are too large for a file of results.
        wrong.append(chat(model="gemini-3.1-flash-image"))
        batch = start(client, lines_of(chat(), *wrong))
        run_all()
        found, outputs, errors = ended(client, batch)
        assert found.status == "completed"
        assert [each["custom_id"] for each in outputs] == ["line-0"]
        assert {each["custom_id"]: each["response"]["status_code"] for each in errors} == {
            f"line-{number}": 400 for number in range(1, 6)
        }
        messages = [each["response"]["body"]["error"]["message"] for each in errors]
        assert all(messages)
        assert "answers with images" in messages[-1]
        assert client.settled()

    def test_a_line_without_a_response_in_time_is_not_told_to_stream(self, client: TextClient) -> None:
        batch = start(client, lines_of(chat("[[expire]]", model="test-chat")))
        run_all()
        _, _, (error,) = ended(client, batch)
        body = error["response"]["body"]
        assert (body["code"], body["error"]["code"]) == (524, "upstream_timeout")
        assert "stream" not in body["error"]["message"]

    @pytest.mark.parametrize(
        ("lines", "code"),
        [
            ([], "empty_file"),
            ([b"{"], "invalid_json_line"),
            ([b"[]"], "invalid_json_line"),
            (lines_of(chat())[:1] * 2, "duplicate_custom_id"),
            (lines_of(chat(), url="/v1/embeddings"), "invalid_url"),
            ([{**lines_of(chat())[0], "method": "GET"}], "invalid_method"),
            ([{**lines_of(chat())[0], "body": 1}], "invalid_request"),
        ],
        ids=["empty", "no-json", "no-object", "twice", "url", "method", "body"],
    )
    def test_a_wrong_input_fails_before_any_line_runs(
        self, client: TextClient, lines: list[Any], code: str
    ) -> None:
        batch = start(client, lines or [b""])
        run_all()
        found = client.openai.batches.retrieve(batch.id)
        assert found.status == "failed"
        assert found.errors is not None
        assert found.errors.data is not None
        assert code in {each.code for each in found.errors.data}
        assert client.texts() == []

    def test_lines_without_money_end_with_an_error(self, open_client: Callable[[int], TextClient]) -> None:
        client = open_client(1500)
        # A wish, because lines without one go to the vendor's batch.
        wish: dict[str, Any] = {"model": "gpt-5.4-mini", "provider": {"sort": "price"}}
        batch = start(client, lines_of(*[chat(f"[[tokens 60]] {n}", **wish) for n in range(12)]))
        run_all()
        found, outputs, errors = ended(client, batch)
        assert found.status == "completed"
        assert outputs
        assert errors
        assert len(outputs) + len(errors) == 12
        assert {each["response"]["status_code"] for each in errors} == {402}
        assert client.balance() >= 0
        assert client.settled()

    def test_is_listed_with_the_newest_first_and_by_pages(self, client: TextClient) -> None:
        made = [start(client, lines_of(chat(str(n))), metadata={"n": str(n)}).id for n in range(3)]
        page = client.openai.batches.list(limit=2)
        assert [each.id for each in page.data] == made[::-1][:2]
        assert page.has_more
        assert [each.id for each in client.openai.batches.list(limit=1)] == made[::-1]
        assert client.openai.batches.retrieve(made[1]).metadata == {"n": "1"}

    def test_a_cancelled_batch_runs_no_further_line(self, client: TextClient) -> None:
        batch = start(client, lines_of(chat(), chat()))
        assert client.openai.batches.cancel(batch.id).status == "cancelling"
        run_all()
        found, outputs, errors = ended(client, batch)
        assert (found.status, outputs) == ("cancelled", [])
        assert {each["error"]["code"] for each in errors} == {"batch_cancelled"}
        assert client.texts() == []
        # Again, as its answer can be lost.
        assert client.openai.batches.cancel(batch.id).status == "cancelled"

    def test_an_unknown_batch_or_file_is_refused(
        self, client: TextClient, open_client: Callable[[int], TextClient]
    ) -> None:
        batch = start(client, lines_of(chat()))
        other = open_client(USD)
        with pytest.raises(openai.NotFoundError):
            other.openai.batches.retrieve(batch.id)
        with pytest.raises(openai.NotFoundError):
            other.openai.batches.cancel(batch.id)
        with pytest.raises(openai.BadRequestError, match="purpose batch"):
            start_with(other, str(batch.input_file_id))
        with pytest.raises(openai.BadRequestError, match="/after"):
            client.openai.batches.list(after="x")


class TestAnthropic:
    def test_requests_are_answered_and_read_by_the_sdk(self, client: TextClient) -> None:
        made = client.anthropic.messages.batches.create(
            requests=[
                {"custom_id": "good", "params": chat()},  # type: ignore[typeddict-item]
                {"custom_id": "bad", "params": chat(model="nobody-knows")},  # type: ignore[typeddict-item]
            ]
        )
        assert made.processing_status == "in_progress"
        assert made.request_counts.processing == 2
        with pytest.raises(anthropic.BadRequestError):
            client.anthropic.messages.batches.delete(made.id)
        run_all()
        found = client.anthropic.messages.batches.retrieve(made.id)
        assert (found.processing_status, found.ended_at is None) == ("ended", False)
        counts = found.request_counts
        assert (counts.processing, counts.succeeded, counts.errored) == (0, 1, 1)
        good, bad = client.anthropic.messages.batches.results(made.id)
        assert good.custom_id == "good"
        assert good.result.type == "succeeded"
        assert good.result.message.content[0].type == "text"
        assert bad.result.type == "errored"
        assert bad.result.error.error.type == "invalid_request_error"
        assert len(client.texts()) == 1
        assert client.settled()
        path = f"/api/v1/messages/batches/{made.id}/results"
        for accept, content_type in {"*/*": "application/x-jsonl", BYTES: BYTES}.items():
            headers = {"authorization": f"Bearer {client.account.api_key}", "accept": accept}
            plain = httpx.get(client.url + path, headers=headers)
            assert (plain.headers["content-type"], len(plain.text.splitlines())) == (content_type, 2)
        assert [each.id for each in client.anthropic.messages.batches.list(limit=1)] == [made.id]
        assert client.anthropic.messages.batches.delete(made.id).type == "message_batch_deleted"
        with pytest.raises(anthropic.NotFoundError):
            client.anthropic.messages.batches.retrieve(made.id)

    def test_is_listed_with_the_newest_first_and_by_pages(self, client: TextClient) -> None:
        batches = client.anthropic.messages.batches
        params: Any = chat()
        made = [batches.create(requests=[{"custom_id": "a", "params": params}]).id for _ in range(3)]
        assert [each.id for each in batches.list(limit=1)] == made[::-1]
        assert [each.id for each in batches.list(limit=1, before_id=made[0]).data] == [made[1]]

    @pytest.mark.parametrize(
        "requests",
        [
            [],
            [{"custom_id": "a b", "params": {}}],
            [{"custom_id": "a", "params": 1}],
            [{"custom_id": "a", "params": {}}, {"custom_id": "a", "params": {}}],
        ],
        ids=["none", "name", "params", "twice"],
    )
    def test_wrong_requests_are_refused_at_once(self, client: TextClient, requests: Any) -> None:
        with pytest.raises(anthropic.BadRequestError):
            client.anthropic.messages.batches.create(requests=requests)
        assert take() == []


def test_a_worker_that_stops_leaves_the_rest_to_the_next_one(
    client: TextClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MAX_AT_ONCE", 2)
    # Over before the first two lines are answered, however fast the machine is
    monkeypatch.setattr(worker, "START_S", 0.005)
    batch = start(client, lines_of(*[chat(str(n)) for n in range(8)]))
    assert run_all() > 1
    found, outputs, errors = ended(client, batch)
    assert (found.status, len(outputs), errors) == ("completed", 8, [])
    assert len(client.texts()) == 8
    assert client.settled()


def failing(*numbers: int) -> Any:
    """Return a `keep_result` that fails for these lines, as if the worker died."""
    keep = BatchRepository.keep_result

    async def kept(repository: BatchRepository, batch: OurBatch, number: int, result: Result) -> None:
        if number in numbers:
            raise StorageBusyError
        await keep(repository, batch, number, result)

    return kept


@pytest.mark.parametrize("is_repeated", [False, True], ids=["once", "by a second worker that died"])
def test_a_line_that_was_charged_by_a_worker_that_died_is_returned_and_not_run_again(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, *, is_repeated: bool
) -> None:
    monkeypatch.setattr(models, "CLAIM_S", 0)
    batch = start(client, lines_of(*[chat(f"[[tokens 20]] {n}") for n in range(12)]))
    (message,) = take()
    with monkeypatch.context() as patch:
        patch.setattr(BatchRepository, "keep_result", failing(2, 5))
        record = {"messageId": "m", "body": json.dumps(message)}
        failed = handler({"Records": [record]}, Context("RunBatchFunction"))
        assert failed == {"batchItemFailures": [{"itemIdentifier": "m"}]}
    charged = {str(entry.request_id): -entry.amount_micro_usd for entry in client.texts()}
    assert client.settled()
    if is_repeated:
        with monkeypatch.context() as patch:
            # It returns the charges, and stores no result of these lines.
            patch.setattr(BatchRepository, "keep_result", failing(2, 5))
            assert handler({"Records": [record]}, Context("RunBatchFunction"))["batchItemFailures"]
    run_one(message)
    found, outputs, errors = ended(client, batch)
    assert (found.status, len(outputs), len(errors)) == ("completed", 10, 2)
    assert {each["error"]["code"] for each in errors} == {"response_lost"}
    lost = {each["id"].removeprefix("batch_") for each in errors}
    assert lost < charged.keys()
    _, *given = client.entries_of(EntryKind.CREDIT)
    assert {entry.request_id: entry.amount_micro_usd for entry in given} == {
        request_id: charged[request_id] for request_id in lost
    }
    assert len(given) == 2
    assert len(client.texts()) == 12
    paid = sum(-entry.amount_micro_usd for entry in client.texts() if entry.request_id not in lost)
    assert client.balance() == USD - paid
    assert client.settled()


def test_lines_count_in_budgets_with_the_tags_of_the_batch_and_by_their_own_wishes(
    client: TextClient,
) -> None:
    api, account_id = api_parts.api(), client.account.account_id
    api.budgets.create(account_id, {"name": "User", "scope": "user", "per": "month", "limitCents": 50}, None)
    wishes: dict[str, Any] = {"provider": {"sort": "latency"}, "user": "alice"}
    start(client, lines_of(chat(**wishes)), extra_headers={"x-tollgate-tags": "team=search"})
    run_all()
    (entry,) = client.texts()
    assert (entry.user, entry.tags) == ("alice", {"team": "search"})
    (budget,) = api.budgets.budgets.read(account_id).budgets
    stamp, _ = period_at(budget.per, api.budgets.clock.now_ms())
    assert api.budgets.budgets.spent(account_id, budget, stamp) == {"alice": -entry.amount_micro_usd}
    assert client.settled()


def test_what_a_batch_cannot_run_costs_nothing(client: TextClient, monkeypatch: pytest.MonkeyPatch) -> None:
    late, gone, revoked = (start(client, lines_of(chat(), chat())) for _ in range(3))
    messages = {message["batch_id"]: message for message in take()}
    with monkeypatch.context() as patch:
        patch.setattr(OurBatch, "is_over", lambda *_: True)
        run_one(messages[late.id])
    found, outputs, errors = ended(client, late)
    assert (found.status, outputs) == ("expired", [])
    assert {each["error"]["code"] for each in errors} == {"batch_expired"}
    files = api_parts.api().files
    files.delete(Caller.of_account(client.account.account_id), str(gone.input_file_id), "me")
    run_one(messages[gone.id])
    assert client.openai.batches.retrieve(gone.id).status == "failed"
    monkeypatch.setattr("tollgate.accounts.models.ApiKey.usable_at", lambda *_: False)
    run_one(messages[revoked.id])
    monkeypatch.undo()
    _, _, errors = ended(client, revoked)
    assert {each["response"]["status_code"] for each in errors} == {401}
    assert client.balance() == USD


class TestALostAnswer:
    READS = ("GetItem", "Query", "Scan", "TransactGetItems")

    def test_of_a_write_changes_nothing(self, client: TextClient, monkeypatch: pytest.MonkeyPatch) -> None:
        losses = OneLoss(-1)
        send = AsyncDatabase._send
        # One line at a time has the same writes in the same order each time.
        monkeypatch.setattr(worker, "MAX_AT_ONCE", 1)

        async def lossy(database: AsyncDatabase, request: Any) -> Any:
            answer = await send(database, request)
            is_lost = request.operation not in self.READS and losses.next(request.operation)
            return core.Answer({}, core.LOST, OSError("no answer")) if is_lost else answer

        monkeypatch.setattr(AsyncDatabase, "_send", lossy)
        in_peace = self.ran(client)
        writes, cost = losses.calls, USD - client.balance()
        assert len(writes) >= 8
        for number, call in enumerate(writes, 1):
            losses = OneLoss(number - 1)
            assert (number, call, self.ran(client)) == (number, call, in_peace)
            assert client.settled()
            assert (number, call, len(client.texts())) == (number, call, 2 * (number + 1))
            assert USD - client.balance() == cost * (number + 1)

    @staticmethod
    def ran(client: TextClient) -> Any:
        batch = start(client, lines_of(chat("[[tokens 20]]"), chat("[[tokens 20]]")))
        run_all()
        found, outputs, errors = ended(client, batch)
        return found.status, [each["custom_id"] for each in outputs], errors
