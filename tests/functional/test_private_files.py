"""Private files: only signed addresses read them, and only the task's account gets these."""

import json
from functools import cache
from urllib.parse import urlsplit

import pytest

from tests.conftest import Aws
from tests.functional.conftest import MAX_STEPS, Worker, balance_cents, create
from tests.functional.test_api import call
from tests.functional.test_deliver_webhook import deliver, noting
from tests.functional.test_make_thumbnails import DONE, Drawing, make
from tests.functional.test_run_task import run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.http_server import Received, http_server
from tests.support.tasks import create_task
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_S


@pytest.fixture
def private(customer: OpenedAccount, clock: ManualClock, worker: Worker) -> str:
    """Return a finished task with a private file, which the handler copied."""
    task_id = create(customer, private=True)
    for _ in range(MAX_STEPS):
        task = task_of(task_id)
        if task.ended:
            break
        worker.send({"task_id": task_id, "seq": task.seq})
        worker.step()
        clock.advance_ms(MS_PER_S)
    return task_id


def signed_key(address: str) -> str:
    """Return the key that an address reads; fail if it is not signed."""
    parts = urlsplit(address)
    assert "Signature=" in parts.query, address
    return "private/" + parts.path.partition("/private/")[2]


class TestItsOwner:
    def test_gets_signed_addresses_of_files_outside_the_folder_that_everyone_can_read(
        self, aws: Aws, customer: OpenedAccount, private: str
    ) -> None:
        (key,) = aws.files()
        assert key.startswith(f"private/{private}/")
        head = aws.clients.s3.head_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)
        assert head["CacheControl"] == "private, max-age=3600"
        for path in (f"/api/v1/tasks?ids={private}", "/api/v1/tasks"):
            (task,) = call("GET", path, customer.api_key)[1]["data"]["tasks"]
            assert task["private"] is True
            assert signed_key(task["files"][0]["fileUrl"]) == key

    def test_gets_them_from_the_status_too(self, customer: OpenedAccount, private: str) -> None:
        _, body, _ = call("GET", f"/api/v1/task/status/{private}", customer.api_key)
        signed_key(body["data"]["files"][0]["fileUrl"])

    @pytest.mark.usefixtures("webhooks_to_loopback")
    def test_gets_them_in_the_webhook_anew_at_each_attempt(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        received: list[Received] = []
        with http_server(noting(received, 500)) as url:
            task = run_to_end(create(customer, webhook=url, private=True), clock)
            deliver("evt_" + task.task_id.removeprefix("task_"))
        (request,) = received
        signed_key(json.loads(request.body)["data"]["files"][0]["fileUrl"])

    def test_deletes_them(self, aws: Aws, customer: OpenedAccount, private: str) -> None:
        assert call("DELETE", f"/api/v1/task/files/{private}", customer.api_key)[0] == 200
        assert aws.files() == []

    def test_chooses_their_time(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        task = run_to_end(create(customer, private=True, expiresInS=3_600), clock)
        clock.set(task.expires_at_ms or 0)
        worker.send({"task_id": task.task_id, "seq": task.seq})
        worker.step()
        assert (aws.files(), task_of(task.task_id).files) == ([], ())


class TestThumbnails:
    def test_are_private_too(self, aws: Aws, private: str, monkeypatch: pytest.MonkeyPatch) -> None:
        drawing = Drawing(aws)
        monkeypatch.setattr(sdk, "lambda_for_thumbnails", cache(lambda: drawing))
        (key,) = aws.files()
        monkeypatch.setattr(drawing, "key_of", signed_key)
        assert make(key) == DONE
        assert aws.files() == [key, f"{key}.thumb.webp"]
        head = aws.clients.s3.head_object(Bucket=drawing.bucket, Key=f"{key}.thumb.webp")
        assert head["CacheControl"] == "private, max-age=3600"
        # Deleted while it is drawn, it leaves nothing.
        drawing.before = lambda: aws.clients.s3.delete_object(Bucket=drawing.bucket, Key=key)
        assert make(key) == DONE
        assert aws.files() == []


class TestPages:
    def test_show_them_to_members_and_share_nothing(
        self, aws: Aws, account_id: str, browser: Browser, clock: ManualClock
    ) -> None:
        body = {"model": "test-image", "input": {"prompt": "a fox"}, "private": True}
        task_id = str(create_task(account_id, body)["taskId"])
        run_to_end(task_id, clock)
        for page in (f"/tasks/{task_id}", "/tasks", f"/playground/tasks/{task_id}"):
            shown = browser.get(page)
            assert "Signature=" in shown.text, page
            assert f"{api_parts.api().results.storage_url}/private" not in shown.text, page
            origin = urlsplit(api_parts.api().files.uploads.origin)
            assert origin.netloc in shown.headers["content-security-policy"]
        refused = browser.post(f"/tasks/{task_id}/share", {"input": "on"})
        assert "private" in refused.text
        assert task_of(task_id).share is None
        assert browser.post("/tasks/delete", {"task": [task_id]}).status == 200
        assert aws.files() == []


def test_a_remix_is_refused_by_name(customer: OpenedAccount, clock: ManualClock) -> None:
    task_id = create(customer, model="kling-3.0", input={"prompt": "waves"}, private=True)
    run_to_end(task_id, clock)
    balance = balance_cents(customer)
    status, body, _ = call(
        "POST", f"/api/v1/videos/{task_id}/remix", customer.api_key, {"prompt": "at night"}
    )
    assert (status, "private" in body["error"]["message"]) == (400, True)
    assert balance_cents(customer) == balance
