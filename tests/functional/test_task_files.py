"""The end of a task's files, as its customer wants it: once, with the task and its money kept."""

from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import Worker, create, with_prompt
from tests.functional.test_api import call
from tests.functional.test_run_task import ledger_of, run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.overrides import STORAGE_URL
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.clock import iso
from tollgate.kit.money import micro_usd_of_cents
from tollgate.tasks.events import pending_delivery
from tollgate.tasks.openai_images import read_image_request
from tollgate.tasks.repository import StaleTaskError, TaskRepository


def delete(customer: OpenedAccount, task_id: str) -> tuple[int, Any]:
    status, body, _ = call("DELETE", f"/api/v1/task/files/{task_id}", customer.api_key)
    return status, body


def stored(aws: Aws, task_id: str) -> list[str]:
    """Return the keys of what is stored of a task."""
    found = aws.clients.s3.list_objects_v2(Bucket=aws.stack.refs["MediaBucket"], Prefix=f"media/{task_id}/")
    return [each["Key"] for each in found.get("Contents", [])]


@pytest.fixture
def done(customer: OpenedAccount, clock: ManualClock) -> str:
    """Return a finished task with a file."""
    task_id = create(customer)
    run_to_end(task_id, clock)
    return task_id


class TestDelete:
    def test_the_bytes_are_gone_and_the_task_says_when(
        self, aws: Aws, customer: OpenedAccount, done: str, clock: ManualClock
    ) -> None:
        (file,) = task_of(done).files
        assert stored(aws, done) == [file.url.removeprefix(f"{STORAGE_URL}/")]
        status, body = delete(customer, done)
        assert status == 200
        assert stored(aws, done) == []
        told = call("GET", f"/api/v1/tasks?ids={done}", customer.api_key)[1]["data"]["tasks"][0]
        assert body["data"] == told
        assert (told["status"], told["costCents"], told["refundedCents"]) == ("finished", 1, 0)
        assert "files" not in told
        assert told["filesDeletedAt"] == iso(clock.now_ms())
        assert ledger_of(customer) == [("charge", -1)]

    def test_twice_is_once(self, aws: Aws, customer: OpenedAccount, done: str, clock: ManualClock) -> None:
        first = delete(customer, done)
        clock.advance_ms(60_000)
        assert delete(customer, done) == first

    def test_what_a_broken_copy_left_goes_too(self, aws: Aws, customer: OpenedAccount, done: str) -> None:
        bucket = aws.stack.refs["MediaBucket"]
        aws.clients.s3.put_object(Bucket=bucket, Key=f"media/{done}/0badc0de-0.png", Body=b"half")
        delete(customer, done)
        assert stored(aws, done) == []
        aws.clients.s3.put_object(Bucket=bucket, Key=f"media/{done}/0badc0de-0.png", Body=b"late")
        delete(customer, done)
        assert stored(aws, done) == []

    def test_no_other_tasks_files(
        self, aws: Aws, customer: OpenedAccount, done: str, clock: ManualClock
    ) -> None:
        other = create(customer)
        run_to_end(other, clock)
        delete(customer, done)
        assert len(stored(aws, other)) == 1

    def test_a_failed_task_has_none_and_stays_as_it_is(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[fail]]"))
        failed = run_to_end(task_id, clock)
        status, body = delete(customer, task_id)
        assert (status, body["data"]["status"]) == (200, "failed")
        assert "filesDeletedAt" not in body["data"]
        assert task_of(task_id) == failed


class TestAfterATime:
    """A customer can choose a time after which the files are deleted, by the sweeper's message."""

    def test_the_files_are_gone_then_and_not_before(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        task_id = create(customer, expiresInS=3_600)
        ended = run_to_end(task_id, clock)
        message = {"task_id": task_id, "seq": ended.seq}
        clock.set((ended.finished_at_ms or 0) + 3_600_000 - 1)
        worker.send(message)
        worker.step()
        assert len(stored(aws, task_id)) == 1
        shown = call("GET", f"/api/v1/tasks?ids={task_id}", customer.api_key)[1]["data"]["tasks"][0]
        clock.advance_ms(1)
        assert shown["expiresAt"] == iso(clock.now_ms())
        assert sweep_parts.sweeper().sweep().tasks == 1
        # The sweeper's message can come twice.
        worker.send(message)
        worker.step()
        assert stored(aws, task_id) == []
        shown = call("GET", f"/api/v1/tasks?ids={task_id}", customer.api_key)[1]["data"]["tasks"][0]
        assert shown["filesDeletedAt"] == iso(clock.now_ms())
        assert {"files", "expiresAt"}.isdisjoint(shown)
        clock.advance_ms(600_000)
        assert sweep_parts.sweeper().sweep().tasks == 0

    def test_its_customer_can_delete_them_earlier(self, customer: OpenedAccount, clock: ManualClock) -> None:
        task_id = create(customer, expiresInS=3_600)
        run_to_end(task_id, clock)
        assert delete(customer, task_id)[0] == 200
        clock.advance_ms(3_600_000)
        assert sweep_parts.sweeper().sweep().tasks == 0

    def test_a_failed_task_is_not_due(self, customer: OpenedAccount, clock: ManualClock) -> None:
        task_id = create(customer, expiresInS=3_600, **with_prompt("[[fail]]"))
        assert run_to_end(task_id, clock).wake_at_ms is None


class TestRefused:
    def test_a_task_that_has_not_ended_by_its_name(
        self, aws: Aws, customer: OpenedAccount, worker: Worker
    ) -> None:
        task_id = create(customer, **with_prompt("a fox [[slow 100]]"))
        for _ in range(2):
            status, body = delete(customer, task_id)
            assert (status, body["error"]["code"]) == (409, "task_not_ended")
            worker.start(task_id)
            worker.step()
        assert task_of(task_id).status == "running"

    @pytest.mark.parametrize("task_id", ["task_01M7Y320TY6K5J1TP5KNRBNYR5", "nonsense", "..%2Finputs"])
    def test_one_that_is_not_there(self, customer: OpenedAccount, task_id: str) -> None:
        assert delete(customer, task_id)[0] == 404

    def test_anothers_is_as_if_it_did_not_exist(self, aws: Aws, customer: OpenedAccount, done: str) -> None:
        stranger = api_parts.api().accounts.open(micro_usd_of_cents(100))
        status, body = delete(stranger, done)
        assert (status, body["error"]["code"]) == (404, "task_not_found")
        assert len(stored(aws, done)) == 1
        assert len(task_of(done).files) == 1

    def test_storage_that_fails_leaves_the_task_with_its_files(
        self, aws: Aws, customer: OpenedAccount, done: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = task_of(done)

        def refuse(**_: Any) -> Any:
            return {"Errors": [{"Key": "x", "Code": "InternalError", "Message": "We encountered an error."}]}

        monkeypatch.setattr(api_parts.api().results.s3, "delete_objects", refuse)
        assert delete(customer, done)[0] == 500
        assert task_of(done) == before


class TestMeanwhile:
    def test_a_change_between_is_read_again(
        self, aws: Aws, customer: OpenedAccount, done: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        amend = TaskRepository.amend
        moved = iter([True])

        def once(self: TaskRepository, *args: Any) -> None:
            if next(moved, False):
                raise StaleTaskError(done)
            amend(self, *args)

        monkeypatch.setattr(TaskRepository, "amend", once)
        assert delete(customer, done)[0] == 200
        assert task_of(done).files == ()

    def test_a_webhook_that_is_late_names_no_dead_address(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, webhook="https://receiver.test/hook")
        run_to_end(task_id, clock)
        delete(customer, task_id)
        event = deliver_webhook_parts.webhook_sender().event_of_task(
            pending_delivery(task_of(task_id), "https://example.com/", 0)
        )
        assert event is not None
        assert "files" not in event.data
        assert "filesDeletedAt" in event.data


class TestInOpenaisProtocol:
    def test_a_video_is_deleted_and_its_content_is_gone(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        body = {"model": "kling-3.0", "input": {"prompt": "waves"}}
        task_id = create_task(customer.account_id, body)["taskId"]
        run_to_end(task_id, clock)
        status, answer, _ = call("DELETE", f"/api/v1/videos/{task_id}", customer.api_key)
        assert (status, answer) == (200, {"id": task_id, "object": "video.deleted", "deleted": True})
        assert stored(aws, task_id) == []
        status, answer, _ = call("GET", f"/api/v1/videos/{task_id}/content", customer.api_key)
        assert (status, answer["error"]["code"]) == (404, "file_not_found")

    def test_the_repeat_of_an_image_says_that_it_is_gone(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        body = {"model": PAID_IMAGE, "prompt": "a fox"}
        asked = read_image_request(body, api_parts.api().tasks.catalog).create
        task_id = create_task(customer.account_id, asked, "poster-1")["taskId"]
        run_to_end(task_id, clock)
        delete(customer, task_id)
        headers = {"idempotency-key": "poster-1"}
        status, answer, _ = call("POST", "/api/v1/images/generations", customer.api_key, body, headers)
        assert (status, answer["error"]["code"]) == (404, "file_not_found")
        assert ledger_of(customer) == [("charge", -1)]
