"""`functions/run_task` from message to message, against the simulator."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.machine.events import Context
from local.template import ROOT
from run_task.app import handler
from tests.conftest import Aws
from tests.functional.conftest import MAX_STEPS, balance_cents, create, invoke, with_prompt
from tests.support.clock import ManualClock
from tests.support.overrides import STORAGE_URL
from tollgate.accounts.service import OpenedAccount
from tollgate.artifacts import store as store_module
from tollgate.catalog.models import Model, Route
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger import repository as ledger_module
from tollgate.providers.runtime.registry import MappingNames
from tollgate.providers.runtime.routing import routes_for
from tollgate.tasks.models import Task

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/run_task.json").read_text())
RECEIVER = "https://receiver.test/hook"


def task_of(task_id: str) -> Task:
    """Return the task as it is now."""
    task = run_task_parts.step_runner().tasks.get(task_id)
    assert task is not None
    return task


def run_to_end(task_id: str, clock: ManualClock) -> Task:
    """Take step after step, a second apart, until the task ends."""
    runner = run_task_parts.step_runner()
    for _ in range(MAX_STEPS):
        task = task_of(task_id)
        if task.ended:
            return task
        runner.run(task_id, task.seq)
        clock.advance_ms(MS_PER_S)
    pytest.fail(f"{task_id} did not end in {MAX_STEPS} steps")


def ledger_of(customer: OpenedAccount) -> list[tuple[str, int]]:
    """Return kind and amount in cents of each entry after the first credit."""
    entries = run_task_parts.step_runner().ledger.entries(customer.account_id)
    return [(entry.kind, entry.amount_micro_usd // 10_000) for entry in entries if entry.kind != "credit"]


class TestTheEventFile:
    def test_a_message_for_a_task_that_is_gone_is_dropped(self, aws: Aws) -> None:
        assert handler(EVENT, Context("RunTaskFunction")) == {"batchItemFailures": []}
        assert aws.messages("TaskQueue") == []


@pytest.mark.usefixtures("aws")
class TestFinished:
    def test_the_file_is_stored_before_the_task_is_finished(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer), clock)
        assert task.status == "finished"
        (file,) = task.files
        assert file.url.startswith(f"{STORAGE_URL}/media/{task.task_id}/")
        key = file.url.removeprefix(f"{STORAGE_URL}/")
        stored = aws.clients.s3.get_object(Bucket=aws.stack.refs["MediaBucket"], Key=key)
        assert stored["ContentType"] == "image/png"
        assert stored["ContentLength"] == file.size_bytes
        assert ledger_of(customer) == [("charge", -1)]
        assert balance_cents(customer) == 99

    def test_its_routes_are_worked_out_when_it_starts_and_when_it_ends_not_on_every_poll(
        self, monkeypatch: pytest.MonkeyPatch, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        asked: list[str] = []

        def counted(model: Model, values: Mapping[str, Any]) -> list[Route]:
            asked.append(model.id)
            return routes_for(model, values)

        task_id = create(customer, **with_prompt("a fox [[garbage 2]]"))
        monkeypatch.setattr("tollgate.tasks.step.routes_for", counted)
        task = run_to_end(task_id, clock)
        assert task.attempts[-1].polls == 2
        assert asked == [task.model] * 2

    def test_each_step_sends_the_next_message_with_its_own_seq(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        assert invoke(handler, "TaskQueue", json.dumps({"task_id": task_id, "seq": 0})) == {
            "batchItemFailures": []
        }
        # The claim is one write, the handle another.
        assert task_of(task_id).seq == 2
        assert task_of(task_id).status == "running"

    def test_a_doubled_or_stale_message_does_nothing(self, customer: OpenedAccount) -> None:
        task_id = create(customer)
        message = json.dumps({"task_id": task_id, "seq": 0})
        invoke(handler, "TaskQueue", message)
        once = task_of(task_id)
        for _ in range(2):
            assert invoke(handler, "TaskQueue", message) == {"batchItemFailures": []}
        assert task_of(task_id) == once

    def test_a_message_after_the_end_changes_nothing(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer, **with_prompt("[[fail]]")), clock)
        invoke(handler, "TaskQueue", json.dumps({"task_id": task.task_id, "seq": task.seq}))
        assert task_of(task.task_id) == task
        assert balance_cents(customer) == 100


@pytest.mark.usefixtures("aws")
class TestFailure:
    def test_a_providers_error_leads_to_the_next_provider_for_the_same_charge(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer, **with_prompt("[[fal: fail]]")), clock)
        assert task.status == "finished"
        assert [(a.provider, a.failure) for a in task.attempts] == [("fal", "provider_error"), ("poyo", None)]
        assert ledger_of(customer) == [("charge", -1)]

    @pytest.mark.parametrize(
        "prompt", ["[[fail]]", "[[status 503]]", "[[lie]]", "[[vanish]]", "[[truncate]]"]
    )
    def test_with_no_provider_left_it_fails_and_is_refunded_once(
        self, customer: OpenedAccount, clock: ManualClock, prompt: str
    ) -> None:
        task = run_to_end(create(customer, **with_prompt(f"{prompt} {clock.now_ms()}")), clock)
        assert task.status == "failed"
        assert task.view()["error"]["code"] == "providers_exhausted"
        assert task.view()["refundedCents"] == 1
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]
        assert balance_cents(customer) == 100

    def test_a_busy_provider_is_waited_for_when_there_is_no_other(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer, **with_prompt(f"[[status 429 2]] {clock.now_ms()}")), clock)
        assert task.status == "finished"
        failures = [(attempt.provider, attempt.failure) for attempt in task.attempts]
        assert failures[0] == ("fal", "limited")
        assert len(failures) > len({provider for provider, _ in failures})
        assert failures[-1][1] is None
        assert ledger_of(customer) == [("charge", -1)]

    def test_a_rejection_is_refunded_and_no_other_provider_is_asked(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        assert task.status == "failed"
        assert task.view()["error"]["code"] == "content_rejected"
        assert [attempt.provider for attempt in task.attempts] == ["fal"]
        assert balance_cents(customer) == 100

    def test_unreadable_answers_keep_it_running_until_the_deadline_then_refund(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[garbage]]"))
        runner = run_task_parts.step_runner()
        for _ in range(5):
            runner.run(task_id, task_of(task_id).seq)
            clock.advance_ms(MS_PER_S)
        assert task_of(task_id).status == "running"
        clock.set(task_of(task_id).deadline_at_ms)
        task = run_to_end(task_id, clock)
        assert task.status == "expired"
        assert task.view()["error"]["code"] == "deadline_passed"
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]

    def test_it_expires_at_the_time_that_its_customer_chose(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, finishByS=100, **with_prompt("[[stuck]]"))
        task = task_of(task_id)
        assert task.deadline_at_ms - task.created_at_ms == 100 * MS_PER_S
        run_task_parts.step_runner().run(task_id, task.seq)
        clock.set(task.deadline_at_ms - 1)
        run_task_parts.step_runner().run(task_id, task_of(task_id).seq)
        assert task_of(task_id).status == "running"
        clock.set(task.deadline_at_ms)
        assert run_to_end(task_id, clock).status == "expired"
        assert ledger_of(customer) == [("charge", -1), ("refund", 1)]

    def test_a_job_that_nothing_is_said_of_goes_to_the_next_provider_for_the_same_charge(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[fal: garbage]]"))
        runner = run_task_parts.step_runner()
        # The model has 300 s. A third of it, from the first poll on, is silent.
        for wait_s in (2, 2, 97, 1):
            runner.run(task_id, task_of(task_id).seq)
            assert [one.provider for one in task_of(task_id).attempts if one.open] == ["fal"]
            clock.advance_ms(wait_s * MS_PER_S)
        task = run_to_end(task_id, clock)
        assert (task.status, [(one.provider, one.failure) for one in task.attempts]) == (
            "finished",
            [("fal", "lost_answer"), ("poyo", None)],
        )
        assert ledger_of(customer) == [("charge", -1)]

    def test_a_success_after_the_refund_changes_nothing(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        runner = run_task_parts.step_runner()
        runner.run(task_id, 0)
        submitted = task_of(task_id)
        clock.set(submitted.deadline_at_ms)
        runner.run(task_id, submitted.seq)
        expired = task_of(task_id)
        assert expired.status == "expired"
        # The provider is done by now; a late message of the chain would find its result.
        runner.run(task_id, submitted.seq)
        runner.run(task_id, expired.seq)
        assert task_of(task_id) == expired
        assert balance_cents(customer) == 100

    def test_a_model_that_left_the_catalog_is_refunded(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["TasksTable"],
            Key={"task_id": {"S": task_id}},
            UpdateExpression="SET model = :gone",
            ExpressionAttributeValues={":gone": {"S": "gone-model"}},
        )
        assert run_to_end(task_id, clock).status == "failed"
        assert balance_cents(customer) == 100


@pytest.mark.usefixtures("aws")
class TestMessagesThatFail:
    def test_a_fault_of_our_own_is_reported_and_the_others_of_the_batch_are_done(
        self, customer: OpenedAccount
    ) -> None:
        good = create(customer)
        answer = invoke(handler, "TaskQueue", "not json", json.dumps({"task_id": good, "seq": 0}))
        assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}]}
        assert task_of(good).status == "running"


@pytest.mark.usefixtures("aws")
class TestWebhook:
    @pytest.mark.parametrize(("prompt", "status"), [("fine", "finished"), ("[[fail]]", "failed")])
    def test_the_end_and_its_delivery_are_one_write(
        self, customer: OpenedAccount, clock: ManualClock, prompt: str, status: str
    ) -> None:
        task = run_to_end(create(customer, webhook=RECEIVER, **with_prompt(prompt)), clock)
        assert task.status == status
        delivery = deliver_webhook_parts.webhook_sender().deliveries.get(
            "evt_" + task.task_id.removeprefix("task_")
        )
        assert delivery is not None
        assert (delivery.url, delivery.status, delivery.seq) == (RECEIVER, "pending", 0)


class TestPolls:
    """Polls have a queue of their own, whose worker takes ten at once and leaves long work to others."""

    def submitted(self, customer: OpenedAccount, aws: Aws, **fields: Any) -> Task:
        task_id = create(customer, **fields)
        invoke(handler, "TaskQueue", json.dumps({"task_id": task_id, "seq": 0}))
        return task_of(task_id)

    def message(self, task: Task) -> dict[str, Any]:
        return {"task_id": task.task_id, "seq": task.seq, "poll": True}

    def poll(self, task: Task) -> Task:
        assert invoke(handler, "PollQueue", json.dumps(self.message(task))) == {"batchItemFailures": []}
        return task_of(task.task_id)

    @pytest.fixture
    def sent(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
        """Return what is sent: the queue and the message."""
        found: list[tuple[str, dict[str, Any]]] = []
        runner = run_task_parts.step_runner()
        for name, queue in (("TaskQueue", runner.queue), ("PollQueue", runner.polls)):
            monkeypatch.setattr(
                queue, "send", lambda message, delay_s=0, name=name: found.append((name, message))
            )
        return found

    def test_a_task_that_a_provider_took_goes_there(
        self, customer: OpenedAccount, aws: Aws, sent: list[tuple[str, dict[str, Any]]]
    ) -> None:
        task = self.submitted(customer, aws)
        assert sent == [("PollQueue", self.message(task))]

    def test_while_it_is_not_done_the_next_poll_does_too(
        self, customer: OpenedAccount, aws: Aws, sent: list[tuple[str, dict[str, Any]]]
    ) -> None:
        task = self.poll(self.submitted(customer, aws, **with_prompt("[[stuck]]")))
        assert task.attempts[-1].polls == 1
        assert sent[1:] == [("PollQueue", self.message(task))]

    def test_a_small_result_is_copied_at_once(
        self, customer: OpenedAccount, aws: Aws, clock: ManualClock, sent: list[tuple[str, dict[str, Any]]]
    ) -> None:
        task = self.submitted(customer, aws)
        clock.advance_ms(60 * MS_PER_S)
        done = self.poll(task)
        assert (done.status, len(done.files)) == ("finished", 1)
        assert sent[1:] == []
        assert balance_cents(customer) == 99

    @pytest.mark.parametrize(("bound", "least"), [("PART_BYTES", 8), ("QUICK_TIMEOUT_S", 0.0)])
    def test_one_that_is_large_or_slow_is_copied_by_the_task_queues_worker(
        self,
        customer: OpenedAccount,
        aws: Aws,
        clock: ManualClock,
        sent: list[tuple[str, dict[str, Any]]],
        monkeypatch: pytest.MonkeyPatch,
        bound: str,
        least: float,
    ) -> None:
        task = self.submitted(customer, aws)
        clock.advance_ms(60 * MS_PER_S)
        with monkeypatch.context() as patched:
            patched.setattr(store_module, bound, least)
            assert self.poll(task) == task  # nothing is written: whoever copies polls first
        ((_, _), (queue, message)) = sent
        assert (queue, message) == ("TaskQueue", {"task_id": task.task_id, "seq": task.seq})
        invoke(handler, queue, json.dumps(message))
        assert task_of(task.task_id).status == "finished"

    def test_a_result_that_cannot_be_read_is_judged_there(
        self, customer: OpenedAccount, aws: Aws, clock: ManualClock, sent: list[tuple[str, dict[str, Any]]]
    ) -> None:
        task = self.submitted(customer, aws, **with_prompt("[[lie]]"))
        clock.advance_ms(60 * MS_PER_S)
        assert self.poll(task) == task
        (queue, message) = sent[-1]
        assert (queue, message) == ("TaskQueue", {"task_id": task.task_id, "seq": task.seq})
        invoke(handler, queue, json.dumps(message))
        assert task_of(task.task_id).attempts[-1].failure == "bad_result"

    def test_a_failure_leads_to_a_submit_elsewhere_by_the_task_queues_worker(
        self,
        customer: OpenedAccount,
        aws: Aws,
        clock: ManualClock,
        sent: list[tuple[str, dict[str, Any]]],
    ) -> None:
        task = self.submitted(customer, aws, **with_prompt("[[fal: fail]]"))
        clock.advance_ms(60 * MS_PER_S)
        failed = self.poll(task)
        assert failed.attempt is None
        assert sent[1:] == [("TaskQueue", {"task_id": task.task_id, "seq": failed.seq})]
        # The same message among the polls starts no submit there either.
        assert self.poll(failed) == failed
        assert sent[2:] == sent[1:2]

    def test_the_deadline_holds_there_as_well(
        self, customer: OpenedAccount, aws: Aws, clock: ManualClock
    ) -> None:
        task = self.submitted(customer, aws, **with_prompt("[[stuck]]"))
        clock.advance_ms(task.deadline_at_ms - clock.now_ms())
        assert self.poll(task).status == "expired"
        assert balance_cents(customer) == 100

    def test_one_that_cannot_be_read_does_not_keep_the_others(
        self, customer: OpenedAccount, aws: Aws
    ) -> None:
        task = self.submitted(customer, aws, **with_prompt("[[stuck]]"))
        answer = invoke(handler, "PollQueue", "not json", json.dumps(self.message(task)), "{}")
        assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}, {"itemIdentifier": "m2"}]}
        assert task_of(task.task_id).attempts[-1].polls == 1


class TestMessagesOfThoseThatWait:
    """What waits costs a message when a slot comes free, however many wait and however fast they end."""

    TASKS = 24

    @pytest.fixture
    def messages(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        """Return the messages that are not handled yet."""
        sent: list[dict[str, Any]] = []
        for queue in (run_task_parts.step_runner().queue, run_task_parts.step_runner().polls):
            monkeypatch.setattr(queue, "send", lambda message, delay_s=0: sent.append(message))
            monkeypatch.setattr(queue, "send_all", sent.extend)
        return sent

    @pytest.fixture
    def tasks(
        self, customer: OpenedAccount, messages: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
    ) -> list[str]:
        """Return new tasks of an account with two slots."""
        monkeypatch.setattr(ledger_module, "MAX_RUNNING_TASKS", 2)
        made = [create(customer) for _ in range(self.TASKS)]
        messages += [{"task_id": task_id, "seq": 0} for task_id in made]
        return made

    def handle(self, messages: list[dict[str, Any]], clock: ManualClock, most: int) -> int:
        """Handle messages, some seconds apart, until there are none, or `most` of them; return how many."""
        handled = 0
        while messages and handled < most:
            body = json.dumps(messages.pop(0))
            assert invoke(handler, "TaskQueue", body) == {"batchItemFailures": []}
            clock.advance_ms(MS_PER_S)
            handled += 1
        return handled

    def switch_off(self) -> None:
        health = run_task_parts.step_runner().health
        for provider in MappingNames():
            health.switch(provider, disabled=True, reason="a test")

    def test_with_a_provider_that_stopped_before(
        self, tasks: list[str], messages: list[dict[str, Any]], clock: ManualClock
    ) -> None:
        self.switch_off()
        assert self.handle(messages, clock, 10 * self.TASKS) == self.TASKS
        assert {task_of(one).status for one in tasks} == {"failed"}

    def test_with_a_provider_that_stops_while_they_wait(
        self, tasks: list[str], messages: list[dict[str, Any]], clock: ManualClock
    ) -> None:
        self.handle(messages, clock, self.TASKS)
        assert sum(task_of(one).attempt is None for one in tasks) == self.TASKS - 2
        self.switch_off()
        clock.advance_ms(6 * MS_PER_S)
        # Some polls of the two, and a message for each of the others; one that is woken twice does nothing.
        assert self.handle(messages, clock, 10 * self.TASKS) < 2 * self.TASKS
        assert {task_of(one).ended for one in tasks} == {True}

    def test_with_all_well(
        self, tasks: list[str], messages: list[dict[str, Any]], clock: ManualClock
    ) -> None:
        handled = self.handle(messages, clock, 20 * self.TASKS)
        made = [task_of(one) for one in tasks]
        assert {task.status for task in made} == {"finished"}
        steps = sum(task.seq for task in made)
        # One for each step, the first that found no slot, one when a slot came free, and one for the copy.
        assert handled <= steps + 3 * self.TASKS
