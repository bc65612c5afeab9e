"""What customers do with tasks besides making them: lists, long polls, cancelling, follow-ups."""

import base64
import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from run_task.app import handler as run_task
from tests.conftest import Aws
from tests.functional.conftest import Worker, balance_cents, create, invoke, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_run_task import ledger_of, run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.overrides import STORAGE_URL
from tests.support.samples import PAID_BODY
from tests.support.tasks import create_task
from tests.unit.artifacts.test_store import png
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts import uploads
from tollgate.composition import api as api_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition.database import database
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger import repository as ledger_module
from tollgate.ledger.request_counts import BASE
from tollgate.providers.media.fal.media import Adapter as FalMedia
from tollgate.providers.runtime.base import Job
from tollgate.tasks import step
from tollgate.tasks.models import Attempt, TaskStatus


def get(customer: OpenedAccount, path: str) -> Any:
    status, body, _ = call("GET", path, customer.api_key)
    assert status == 200, body
    return body["data"]


def ids(data: Any) -> list[str]:
    return [task["taskId"] for task in data["tasks"]]


class TestList:
    def test_the_newest_come_first_page_by_page(self, customer: OpenedAccount) -> None:
        made = [create(customer) for _ in range(5)]
        first = get(customer, "/api/v1/tasks?limit=2")
        second = get(customer, f"/api/v1/tasks?limit=2&cursor={first['cursor']}")
        third = get(customer, f"/api/v1/tasks?limit=2&cursor={second['cursor']}")
        assert ids(first) + ids(second) + ids(third) == sorted(made, reverse=True)
        assert "cursor" not in third

    def test_only_those_that_fit_the_query(self, customer: OpenedAccount, clock: ManualClock) -> None:
        done = create(customer, metadata={"order": "7"})
        waiting = create(customer, metadata={"order": "8"})
        run_to_end(done, clock)
        assert ids(get(customer, "/api/v1/tasks?status=finished")) == [done]
        assert ids(get(customer, "/api/v1/tasks?metadata.order=8")) == [waiting]
        assert ids(get(customer, "/api/v1/tasks?model=kling-3.0")) == []
        assert set(ids(get(customer, "/api/v1/tasks?from=2020-01-01"))) == {done, waiting}
        assert ids(get(customer, "/api/v1/tasks?to=2020-01-01")) == []

    def test_never_anothers(self, customer: OpenedAccount, stranger: OpenedAccount) -> None:
        create(customer)
        assert ids(get(stranger, "/api/v1/tasks")) == []

    def test_an_unknown_parameter_is_named(self, customer: OpenedAccount) -> None:
        status, body, _ = call("GET", "/api/v1/tasks?state=finished", customer.api_key)
        assert status == 400
        assert details(body).keys() == {"/state"}


class TestSeveral:
    def test_they_come_in_the_order_asked_without_those_that_are_not_mine(
        self, customer: OpenedAccount, stranger: OpenedAccount
    ) -> None:
        first, second, theirs = create(customer), create(customer), create(stranger)
        asked = ",".join([second, theirs, "task_unknown", first, second])
        assert ids(get(customer, f"/api/v1/tasks?ids={asked}")) == [second, first]

    @pytest.mark.parametrize("asked", ["", ",", ",".join(["task_1"] * 101)])
    def test_too_few_and_too_many_are_refused(self, customer: OpenedAccount, asked: str) -> None:
        status, body, _ = call("GET", f"/api/v1/tasks?ids={asked}", customer.api_key)
        assert status == 400
        assert details(body).keys() == {"/ids"}


class TestCancel:
    @staticmethod
    def cancel(customer: OpenedAccount, task_id: str) -> Any:
        return call("POST", f"/api/v1/task/cancel/{task_id}", customer.api_key)

    def test_a_task_that_nobody_has_yet_ends_with_its_money_back(
        self, customer: OpenedAccount, worker: Worker
    ) -> None:
        task_id = create(customer, webhook="https://receiver.test/hook")
        status, body, _ = self.cancel(customer, task_id)
        assert (status, body["data"]["taskId"]) == (200, task_id)
        worker.step()
        task = task_of(task_id)
        assert (task.status, task.error and task.error.code) == ("failed", "cancelled")
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]
        assert (
            deliver_webhook_parts.webhook_sender().deliveries.get("evt_" + task_id.removeprefix("task_"))
            is not None
        )

    def test_twice_is_once(self, customer: OpenedAccount, worker: Worker) -> None:
        task_id = create(customer)
        for _ in range(2):
            self.cancel(customer, task_id)
        worker.step()
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]
        assert self.cancel(customer, task_id)[1]["data"]["status"] == "failed"
        assert worker.step() == 0

    def test_a_queued_job_is_dropped_by_its_provider(
        self, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("a fox [[slow 100]]"))
        worker.start(task_id)
        worker.step()
        assert task_of(task_id).status == "running"
        self.cancel(customer, task_id)
        worker.step()
        assert task_of(task_id).error is not None
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]

    def test_a_job_that_its_provider_does_not_drop_goes_on(
        self, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("a fox [[slow 0]]"))
        worker.start(task_id)
        worker.step()
        self.cancel(customer, task_id)
        worker.step()
        assert run_to_end(task_id, clock).status == "finished"
        assert ledger_of(customer) == [("charge", -1)]

    def test_while_a_submit_is_under_way_it_waits(
        self, customer: OpenedAccount, aws: Aws, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(step, "CANCEL_RETRY_S", 0)
        task_id = create(customer)
        runner = run_task_parts.step_runner()
        attempts = (Attempt("fal", 0),)
        under_way = replace(task_of(task_id), status=TaskStatus.RUNNING, seq=1, attempts=attempts)
        runner.tasks.save(under_way, [runner.ledger.acquire_slot(customer.account_id)])
        invoke(run_task, "TaskQueue", json.dumps({"task_id": task_id, "cancel": 0}))
        assert task_of(task_id).status == "running"
        assert json.loads(aws.messages("TaskQueue")[-1]) == {"task_id": task_id, "cancel": 1}

    def test_anothers_task_is_not_there(self, customer: OpenedAccount, stranger: OpenedAccount) -> None:
        status, body, _ = self.cancel(stranger, create(customer))
        assert (status, body["error"]["code"]) == (404, "task_not_found")


class TestCallbacks:
    def started(self, customer: OpenedAccount, worker: Worker, aws: Aws) -> tuple[str, str]:
        """Return a running task and the path of its provider's callback."""
        task_id = create(customer, **with_prompt("a fox [[slow 100]]"))
        worker.start(task_id)
        worker.step()
        aws.messages("TaskQueue")
        token = task_of(task_id).attempts[0].callback_token
        return task_id, f"/api/v1/callbacks/fal/{task_id}.{token}"

    def test_it_has_the_provider_asked_now(self, customer: OpenedAccount, worker: Worker, aws: Aws) -> None:
        task_id, path = self.started(customer, worker, aws)
        status, _, _ = call("POST", path, body={"status": "FAILED"})
        assert status == 200
        assert [json.loads(body) for body in aws.messages("TaskQueue")] == [{"task_id": task_id, "seq": 2}]
        # What it said counts for nothing.
        assert task_of(task_id).status == "running"

    def test_doubled_and_late_ones_change_nothing(
        self, customer: OpenedAccount, worker: Worker, aws: Aws, clock: ManualClock
    ) -> None:
        task_id, path = self.started(customer, worker, aws)
        for _ in range(3):
            call("POST", path, body={})
        assert worker.step() == 3
        assert task_of(task_id).attempts[0].polls == 1
        run_task_parts.step_runner().cancel(task_id)
        aws.messages("TaskQueue")
        assert call("POST", path, body={})[0] == 200
        assert aws.messages("TaskQueue") == []

    @pytest.mark.parametrize("body", ["", "not json", "[]", "{}"])
    def test_its_body_may_be_anything(
        self, customer: OpenedAccount, worker: Worker, aws: Aws, body: str
    ) -> None:
        _, path = self.started(customer, worker, aws)
        assert call("POST", path, body=body)[0] == 200

    def test_forged_ones_change_nothing(self, customer: OpenedAccount, worker: Worker, aws: Aws) -> None:
        task_id, path = self.started(customer, worker, aws)
        forged = (
            f"/api/v1/callbacks/fal/{task_id}.wrong",
            f"/api/v1/callbacks/fal/{task_id}",
            path.replace("/fal/", "/poyo/"),
            "/api/v1/callbacks/fal/task_unknown.x",
        )
        for one in forged:
            status, body, _ = call("POST", one, body={})
            assert (status, body) == (200, {"code": 200})
        assert aws.messages("TaskQueue") == []

    def test_an_address_check_gets_its_challenge_back(self, aws: Aws) -> None:
        _, body, _ = call("POST", "/api/v1/callbacks/minimax/x.y", body={"challenge": "c-1"})
        assert body == {"challenge": "c-1"}


class TestTurns:
    """An account has so many tasks running; the others wait, in order, and are called up."""

    @pytest.fixture(autouse=True)
    def one_place(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ledger_module, "MAX_RUNNING_TASKS", 1)

    def test_one_ends_and_the_next_is_called_up(
        self, customer: OpenedAccount, worker: Worker, aws: Aws, clock: ManualClock
    ) -> None:
        first, second, third = (create(customer) for _ in range(3))
        for task_id in (first, second, third):
            worker.start(task_id)
        worker.step()
        assert [task_of(one).status for one in (first, second, third)] == [
            "running",
            "not_started",
            "not_started",
        ]
        # Nothing was written for those that wait.
        assert task_of(second).seq == 0
        aws.messages("TaskQueue")
        run_to_end(first, clock)
        called = [json.loads(body) for body in aws.messages("TaskQueue")]
        assert {"task_id": second, "seq": 0, "woken": True} in called
        assert third not in {message["task_id"] for message in called}

    def test_the_status_tells_the_place_in_the_queue(self, customer: OpenedAccount, worker: Worker) -> None:
        first, second, third = (create(customer) for _ in range(3))
        worker.start(first)
        worker.step()
        assert "queue" not in get(customer, f"/api/v1/task/status/{first}")
        assert get(customer, f"/api/v1/task/status/{second}")["queue"]["position"] == 1
        assert get(customer, f"/api/v1/task/status/{third}")["queue"]["position"] == 2

    def test_another_account_does_not_wait_for_it(
        self, customer: OpenedAccount, stranger: OpenedAccount, worker: Worker
    ) -> None:
        mine, theirs = create(customer), create(stranger)
        for task_id in (mine, theirs):
            worker.start(task_id)
        worker.step()
        assert {task_of(mine).status, task_of(theirs).status} == {"running"}

    def test_places_come_back_however_a_task_ends(
        self, customer: OpenedAccount, clock: ManualClock, worker: Worker
    ) -> None:
        for prompt in ("fine", "[[fail]]", "[[reject]]"):
            run_to_end(create(customer, **with_prompt(prompt)), clock)
        task_id = create(customer)
        run_task_parts.step_runner().cancel(task_id)
        assert run_task_parts.step_runner().ledger.slots(customer.account_id)[:2] == (1, 0)


class TestMediaInside:
    URI = "data:image/png;base64," + base64.b64encode(png()).decode()

    BODY: ClassVar[dict[str, Any]] = {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [URI]}}

    def create(self, customer: OpenedAccount) -> str:
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, self.BODY)
        assert status == 200, answer
        return str(answer["data"]["taskId"])

    def test_it_is_kept_under_its_account_and_the_task_has_its_name(
        self, aws: Aws, customer: OpenedAccount
    ) -> None:
        (url,) = task_of(self.create(customer)).values["urls"]
        key = url.removeprefix(f"{STORAGE_URL}/")
        assert key.startswith(f"inputs/{customer.account_id}/")
        found = aws.clients.s3.get_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)
        assert found["Body"].read() == png()

    def test_an_estimate_stores_nothing(self, aws: Aws, customer: OpenedAccount) -> None:
        assert call("POST", "/api/v1/generation/estimate", customer.api_key, self.BODY)[0] == 200
        assert aws.files() == []

    def test_who_cannot_pay_stores_nothing(self, aws: Aws) -> None:
        poor = api_parts.api().accounts.open(0)
        assert call("POST", "/api/v1/generation/create", poor.api_key, self.BODY)[0] == 402
        assert aws.files() == []

    def test_the_provider_gets_a_signed_address(
        self, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[Any] = []
        submit = FalMedia.submit

        def noted(self: FalMedia, job: Job) -> Any:
            sent.append(job.values["urls"])
            return submit(self, job)

        monkeypatch.setattr(FalMedia, "submit", noted)
        run_to_end(self.create(customer), clock)
        ((url,),) = sent
        assert STORAGE_URL not in url
        assert url.startswith("https://")
        assert "Signature=" in url

    def test_another_accounts_file_is_as_if_it_did_not_exist(self, customer: OpenedAccount) -> None:
        (url,) = task_of(self.create(customer)).values["urls"]
        other = api_parts.api().accounts.open(micro_usd_of_cents(100))
        body = {**self.BODY, "input": {"prompt": "a fox", "urls": [url]}}
        status, answer, _ = call("POST", "/api/v1/generation/create", other.api_key, body)
        assert status == 400
        assert details(answer) == {"/input/urls/0": "This account has no such file."}
        assert call("POST", "/api/v1/generation/create", customer.api_key, body)[0] == 200

    def test_what_an_account_may_keep_is_bounded(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "MAX_FILES", 1)
        self.create(customer)
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, self.BODY)
        assert status == 400
        assert details(answer).keys() == {""}
        assert len(aws.files()) == 1

    def test_more_than_a_megabyte_may_come_but_not_without_end(self, customer: OpenedAccount) -> None:
        padded = "data:image/png;base64," + base64.b64encode(png() + bytes(3_000_000)).decode()
        body = {"model": "seedream-4.5", "input": {"prompt": "a fox", "urls": [padded]}}
        assert call("POST", "/api/v1/generation/estimate", customer.api_key, body)[0] == 200
        body["input"] = {"prompt": "a fox", "urls": [padded, padded]}
        status, answer, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, body)
        assert (status, answer["error"]["code"]) == (413, "payload_too_large")

    def test_what_is_no_media_charges_nothing(self, customer: OpenedAccount) -> None:
        body = {"model": "seedream-4.5", "input": {"prompt": "x", "urls": ["data:image/png;base64,AAAA"]}}
        status, answer, _ = call("POST", "/api/v1/generation/create", customer.api_key, body)
        assert status == 400
        assert details(answer).keys() == {"/input/urls/0"}
        assert balance_cents(customer) == 100


class TestFollowUps:
    def test_an_action_on_an_earlier_track_runs_where_the_track_is(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        song = {"model": "suno", "input": {"action": "music", "prompt": "a sea shanty", "mv": "v5.0"}}
        made = create_task(customer.account_id, song)
        parent = run_to_end(str(made["taskId"]), clock)
        assert parent.status == "finished", parent
        assert parent.output is not None
        track = parent.output["tracks"][0]["audioId"]
        follow = {"action": "wav", "parentTaskId": parent.task_id, "audioId": track}
        made = create_task(customer.account_id, {"model": "suno", "input": follow})
        child = run_to_end(str(made["taskId"]), clock)
        assert child.status == "finished", child
        assert child.attempts[-1].provider == parent.attempts[-1].provider

    def test_anothers_task_cannot_be_built_on(
        self, customer: OpenedAccount, stranger: OpenedAccount, clock: ManualClock
    ) -> None:
        song = {"model": "suno", "input": {"action": "music", "prompt": "a sea shanty", "mv": "v5.0"}}
        made = create_task(customer.account_id, song)
        parent = run_to_end(str(made["taskId"]), clock)
        follow = {"action": "wav", "parentTaskId": parent.task_id, "audioId": "a"}
        body = {"model": "suno", "input": follow}
        status, answer, _ = call("POST", "/api/v1/generation/create", stranger.api_key, body)
        assert status == 400
        assert details(answer).keys() == {"/input/parentTaskId"}
        assert balance_cents(stranger) == 100


class TestRequestsPerMinute:
    def test_a_refused_create_charges_nothing_and_says_when_to_come_again(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(api_parts.api().meter, "_limit", 2)
        left = []
        for _ in range(2):
            status, _, headers = call("POST", "/api/v1/generation/create", customer.api_key, PAID_BODY)
            assert status == 200
            left.append((headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]))
        assert left == [("2", "1"), ("2", "0")]
        status, answer, headers = call("POST", "/api/v1/generation/create", customer.api_key, PAID_BODY)
        assert (status, answer["error"]["code"]) == (429, "rate_limited")
        assert 1 <= int(headers["retry-after"]) <= 60
        assert 1 <= int(headers["x-ratelimit-reset"]) <= 60
        assert balance_cents(customer) == 98

    def test_reads_have_a_window_of_their_own_and_then_wait(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api = api_parts.api()
        # Twenty requests of any kind in the one minute that there is; told to other processes after each.
        monkeypatch.setattr(api.requests, "_limit", 2)
        clock = ManualClock()
        clock.set_to_now()
        monkeypatch.setattr(api_parts, "clock", lambda: clock)
        answers = [call("GET", "/api/v1/user/me", customer.api_key) for _ in range(21)]
        assert [status for status, _, _ in answers] == [200] * 20 + [429]
        assert answers[-1][1]["error"]["code"] == "rate_limited"
        row = database().get(api.accounts_table, {"account_id": customer.account_id})
        assert row is not None
        assert row["all_requests"] % BASE == 20

    def test_every_answer_to_a_known_caller_has_the_headers(self, customer: OpenedAccount) -> None:
        for path in ("/api/v1/user/me", "/api/v1/tasks", "/api/v1/task/status/task_unknown"):
            _, _, headers = call("GET", path, customer.api_key)
            assert headers.keys() >= {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}
        assert "x-ratelimit-limit" not in call("GET", "/api/v1/user/me", "nonsense")[2]
