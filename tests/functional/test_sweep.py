"""`functions/sweep`: broken chains are mended, and nothing else is touched."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from local.machine.events import Context
from local.template import ROOT
from sweep.app import handler
from tests.conftest import Aws
from tests.functional.conftest import Worker, balance_cents, create, with_prompt
from tests.functional.test_run_task import run_to_end, task_of
from tests.support.clock import ManualClock
from tests.support.lost_response import RESPONSE, lose_response
from tests.unit.ledger.test_holds import Account
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.holds import HOLD_LIFETIME_MS
from tollgate.providers.runtime.health_store import REFRESH_MS
from tollgate.tasks.lifecycle import STEP_GRACE_MS, SUBMIT_LEASE_MS
from tollgate.tasks.sweep import RESEND_WAITING_AFTER_MS
from tollgate.text.responses import states

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/sweep.json").read_text())


def sweep() -> None:
    """Sweep once, as the schedule does."""
    handler(EVENT, Context("SweepFunction"))


def sent(aws: Aws, queue: str = "TaskQueue") -> list[dict[str, Any]]:
    """Take the messages that were sent."""
    return [json.loads(body) for body in aws.messages(queue)]


class TestHolds:
    def test_one_whose_request_died_is_given_back_and_a_billed_one_is_settled(
        self, aws: Aws, clock: ManualClock
    ) -> None:
        account = Account(aws, 1_000)
        account.place("req_1", 300)
        account.record(account.place("req_2", 500), 200)
        sweep()
        assert account.balance() == 200
        clock.advance_ms(HOLD_LIFETIME_MS)
        sweep()
        assert account.balance() == 800
        assert account.books_agree()


class TestLostResponses:
    def test_the_charge_is_returned_once_its_process_cannot_run_any_more(
        self, aws: Aws, clock: ManualClock
    ) -> None:
        account = Account(aws, 1_000)
        lose_response(account, aws.stack.refs["ResponsesTable"], clock.now_ms(), 200)
        clock.advance_ms(states.RUNNING_S * MS_PER_S - 1)
        sweep()
        assert account.balance() == 800
        clock.advance_ms(1)
        for _ in range(2):
            sweep()
            assert account.balance() == 1_000
        assert account.books_agree()

    def test_nothing_is_returned_to_a_closed_account(self, aws: Aws, clock: ManualClock) -> None:
        account, table = Account(aws, 1_000), aws.stack.refs["ResponsesTable"]
        lose_response(account, table, clock.now_ms(), 200)
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": account.id}},
            UpdateExpression="SET closed_at_ms = :now",
            ExpressionAttributeValues={":now": {"N": "1"}},
        )
        clock.advance_ms(states.RUNNING_S * MS_PER_S)
        sweep()
        assert account.balance() == 800
        # It is not due again.
        row = account.db.get(table, {"account_id": account.id, "response_id": RESPONSE})
        assert row is not None
        assert "wake_at" not in row


class TestTasks:
    def test_a_task_whose_first_message_was_lost_is_started(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        sweep()
        assert sent(aws) == []
        clock.advance_ms(STEP_GRACE_MS)
        sweep()
        assert sent(aws) == [{"task_id": task_id, "seq": 0}]

    def test_it_is_not_sent_again_at_once_but_later_if_nothing_moved_it(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        create(customer)
        clock.advance_ms(STEP_GRACE_MS)
        sweep()
        sweep()
        assert len(sent(aws)) == 1
        clock.advance_ms(RESEND_WAITING_AFTER_MS)
        sweep()
        assert len(sent(aws)) == 1

    def test_a_submit_that_died_goes_to_the_next_provider(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task_id = create(customer)
        runner = run_task_parts.step_runner()
        with monkeypatch.context() as patch:
            patch.setattr("tollgate.providers.media.fal.media.Adapter.submit", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                runner.run(task_id, 0)
        clock.advance_ms(SUBMIT_LEASE_MS)
        sweep()
        assert sent(aws) == [{"task_id": task_id, "seq": 1}]
        task = run_to_end(task_id, clock)
        assert task.status == "finished"
        assert [(a.provider, a.failure) for a in task.attempts] == [("fal", "lost_answer"), ("poyo", None)]

    def test_an_ended_task_is_never_due(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        run_to_end(create(customer), clock)
        aws.messages("TaskQueue")
        clock.advance_ms(10 * RESEND_WAITING_AFTER_MS)
        sweep()
        assert sent(aws) == []

    def test_a_stuck_task_expires_though_every_message_is_lost(
        self, aws: Aws, customer: OpenedAccount, worker: Worker, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[stuck]]"))
        run_task_parts.step_runner().run(task_id, 0)
        aws.messages("TaskQueue")
        clock.set(task_of(task_id).deadline_at_ms)
        sweep()
        worker.step()
        assert task_of(task_id).status == "expired"
        assert balance_cents(customer) == 100


class TestDeliveries:
    def test_a_delivery_whose_message_was_lost_is_sent(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task = run_to_end(create(customer, webhook="https://receiver.test/"), clock)
        aws.messages("TaskQueue")
        clock.advance_ms(RESEND_WAITING_AFTER_MS)
        sweep()
        delivery_id = "evt_" + task.task_id.removeprefix("task_")
        assert sent(aws, "WebhookQueue") == [{"delivery_id": delivery_id, "seq": 0}]
        sweep()
        assert sent(aws, "WebhookQueue") == []


class TestCatalog:
    def test_the_daily_event_counts_what_needs_an_operator_and_says_it(
        self,
        aws: Aws,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
        clock: ManualClock,
    ) -> None:
        # Two weeks before the price of gemini-3.8-flash ends (catalog/data/text/gemini.yaml).
        for now, counted in (("2026-12-17", 0), ("2026-12-18", 1), ("2026-12-31", 1), ("2027-01-01", 0)):
            clock.set(int(datetime.fromisoformat(f"{now}T00:00:00+00:00").timestamp()) * 1000)
            capsys.readouterr()
            caplog.clear()
            handler({"catalog": True}, Context("SweepFunction"))
            (line,) = [line for line in capsys.readouterr().out.splitlines() if "CatalogDue" in line]
            flash = [
                one
                for record in caplog.records
                if record.message == "sweep.catalog_due"
                for one in record.__dict__["due"]
                if one == "gemini-3.8-flash: prices: a price ends on 2026-12-31"
            ]
            assert len(flash) == counted, now
            assert json.loads(line)["CatalogDue"][0] >= counted
        assert sent(aws) == []


class TestRoutes:
    def counted(self, capsys: pytest.CaptureFixture[str]) -> tuple[list[float], list[float]]:
        capsys.readouterr()
        sweep()
        lines = [
            json.loads(line) for line in capsys.readouterr().out.splitlines() if "SingleRouteDown" in line
        ]
        (line,) = [line for line in lines if "_aws" in line]
        return line["SingleRouteDown"], line["DeadRoutes"]

    @pytest.mark.usefixtures("aws")
    def test_models_that_nobody_can_make_are_counted_and_none_is_said_too(
        self, capsys: pytest.CaptureFixture[str], clock: ManualClock
    ) -> None:
        assert self.counted(capsys) == ([0.0], [0.0])
        health = run_task_parts.step_runner().health
        health.switch("apimart/suno-custom-model", disabled=True, reason="a test")
        clock.advance_ms(REFRESH_MS)
        assert self.counted(capsys) == ([1.0], [0.0])
