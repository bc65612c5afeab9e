"""`tollgate`: the commands for operations: queues, providers and the proof of the ledger."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.conftest import Aws
from tests.functional import commands
from tests.functional.burying import bury, bury_changes
from tests.functional.commands import Run, answer, move_balance, refusal
from tests.functional.conftest import Worker, create, stream_records, with_prompt
from tests.functional.test_run_task import run_to_end
from tests.support.clock import START_MS, ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.audit.events import Action
from tollgate.command.target import DEAD_LETTER_QUEUES, ENVIRONMENT
from tollgate.composition import api as api_parts
from tollgate.composition import command as operator_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_S
from tollgate.operator.dead_letters import Work
from tollgate.providers.runtime.health import FAILURES_TO_OPEN
from tollgate.providers.runtime.outcomes import Failed, FailureKind

run = commands.run


class TestRedrive:
    @pytest.mark.parametrize(
        ("work", "dead", "back"),
        [
            ("tasks", "TaskDeadLetterQueue", "TaskQueue"),
            ("webhooks", "WebhookDeadLetterQueue", "WebhookQueue"),
            ("mails", "MailDeadLetterQueue", "MailQueue"),
        ],
    )
    def test_messages_go_back_as_they_were(self, run: Run, aws: Aws, work: str, dead: str, back: str) -> None:
        bodies = [json.dumps({"task_id": f"task_{n}", "seq": n}) for n in range(11)] + ["not JSON"]
        bury(aws, dead, *bodies)
        moved = answer(run("redrive", work, "--json"))
        assert (moved["work"], moved["waiting"], moved["moved"], moved["failed"]) == (work, 12, 12, 0)
        assert sorted(aws.messages(back)) == sorted(bodies)
        assert aws.messages(dead) == []

    def test_a_dry_run_counts_and_a_bound_holds(self, run: Run, aws: Aws) -> None:
        bury(aws, "TaskDeadLetterQueue", *(json.dumps({"task_id": "t", "seq": n}) for n in range(13)))
        dry = answer(run("redrive", "tasks", "--dry-run", "--json"))
        assert (dry["waiting"], dry["moved"]) == (13, 0)
        assert answer(run("redrive", "tasks", "--max", "12", "--json"))["moved"] == 12
        assert len(aws.messages("TaskQueue")) == 12
        assert len(aws.messages("TaskDeadLetterQueue")) == 1

    def test_changes_are_read_again_from_their_stream(
        self, run: Run, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        create(customer)
        lost = create(customer, webhook="https://receiver.test/hook")
        run_to_end(lost, clock)
        create(customer)
        aws.messages("TaskQueue")
        records = stream_records(aws)
        of_lost = [record for record in records if record["dynamodb"]["Keys"]["task_id"]["S"] == lost]
        bury_changes(aws, "TasksTable", of_lost)
        answered = answer(run("redrive", "changes", "--json"))
        assert (answered["moved"], answered["gone"]) == (1, 0)
        assert {json.loads(body)["task_id"] for body in aws.messages("TaskQueue")} == {lost}
        (told,) = aws.messages("WebhookQueue")
        assert json.loads(told)["delivery_id"] == "evt_" + lost.removeprefix("task_")
        assert aws.messages("ChangesDeadLetterQueue") == []

    def test_lines_of_the_audit_log_are_read_again_and_those_that_lost_their_names_are_not(
        self, run: Run, aws: Aws, customer: OpenedAccount
    ) -> None:
        api_parts.api().audit.write(customer.account_id, "ada@example.com", Action.KEY_CREATED, "Shop")
        table = aws.stack.refs["AuditTable"]
        (line,) = aws.clients.dynamodb.scan(TableName=table)["Items"]
        aws.clients.dynamodb.put_item(TableName=table, Item={**line, "actor": {"S": "a former member"}})
        new, changed = stream_records(aws, "AuditTable")
        assert (new["eventName"], changed["eventName"]) == ("INSERT", "MODIFY")
        bury_changes(aws, "AuditTable", [new, changed])
        assert answer(run("redrive", "changes", "--json"))["moved"] == 1
        (told,) = aws.messages("MailQueue")
        assert json.loads(told) == {"account_id": customer.account_id, "event_id": line["event_id"]["S"]}

    def test_a_message_that_fails_again_stays_and_keeps_no_other_from_its_turn(
        self, run: Run, aws: Aws, customer: OpenedAccount
    ) -> None:
        create(customer)
        aws.messages("TaskQueue")
        table = aws.stack.refs["TasksTable"]
        aws.clients.dynamodb.put_item(TableName=table, Item={"task_id": {"S": "task_1"}})
        good, broken = stream_records(aws)
        bury(aws, "ChangesDeadLetterQueue", "not JSON")
        bury_changes(aws, "TasksTable", [broken])
        bury_changes(aws, "TasksTable", [good])
        redriven = run("redrive", "changes", "--json")
        found = json.loads(redriven.stdout)
        assert (redriven.exit_code, redriven.stderr) == (1, "")
        assert (found["waiting"], found["moved"], found["gone"], found["failed"]) == (3, 1, 0, 2)
        assert found["reason"] == (
            "NotABatchError: A dead letter is no message about a failed batch: not JSON"
        )
        assert len(aws.messages("TaskQueue")) == 1

    def test_people_read_why_the_first_one_failed(self, run: Run, aws: Aws) -> None:
        bury(aws, "UsageDeadLetterQueue", "{}")
        redriven = run("redrive", "usage")
        assert redriven.exit_code == 1
        about, failed = redriven.stdout.splitlines()
        assert about == "About 1 dead letters of usage; 0 moved back."
        assert failed.startswith("1 failed again and stay. The first one: NotABatchError: A dead letter")

    def test_a_second_one_in_the_same_process_counts_only_its_own(self, run: Run, aws: Aws) -> None:
        console = operator_parts.operator().dead_letter_console
        bury(aws, "UsageDeadLetterQueue", "{}")
        assert console.redrive(Work.USAGE, 10).failed == 1
        # The message is hidden now.
        assert console.redrive(Work.USAGE, 10).failed == 0

    def test_changes_that_the_stream_has_no_more_are_dropped_and_counted(
        self, run: Run, aws: Aws, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Trimmed:
            def get_shard_iterator(self, **_: Any) -> Any:
                raise ClientError({"Error": {"Code": "TrimmedDataAccessException"}}, "GetShardIterator")

        monkeypatch.setattr(sdk, "streams", cache(Trimmed))
        batch = {"streamArn": "a", "shardId": "s", "startSequenceNumber": "1", "endSequenceNumber": "2"}
        bury(aws, "ChangesDeadLetterQueue", json.dumps({"DDBStreamBatchInfo": batch}))
        answered = answer(run("redrive", "changes", "--json"))
        assert (answered["moved"], answered["gone"]) == (0, 1)
        assert aws.messages("ChangesDeadLetterQueue") == []

    def test_other_work_is_answered_with_what_there_is(self, run: Run) -> None:
        said = refusal(run("redrive", "letters"), exit_code=2)
        assert all(work in said for work in ("tasks", "webhooks", "mails", "changes"))


class TestProviders:
    def state(self, run: Run, name: str) -> Any:
        (row,) = [
            row for row in answer(run("providers", "list", "--json"))["providers"] if row["provider"] == name
        ]
        return row

    def test_the_breaker_is_shown(self, run: Run, clock: ManualClock) -> None:
        assert self.state(run, "fal") == {
            "provider": "fal",
            "live": True,
            "breaker": "closed",
            "failures": 0,
            "openUntil": None,
            "disabled": False,
            "reason": None,
        }
        health = run_task_parts.step_runner().health
        for _ in range(FAILURES_TO_OPEN):
            health.report("fal", Failed(FailureKind.UNREACHABLE, "no answer"))
        opened = self.state(run, "fal")
        # 30 s after the fifth failure (decision 0015)
        assert (opened["breaker"], opened["openUntil"]) == ("open", "2023-11-14T22:13:50.000Z")
        assert START_MS == 1_700_000_000_000
        clock.advance_ms(30 * MS_PER_S)
        assert self.state(run, "fal")["breaker"] == "half-open"

    def test_one_that_is_disabled_gets_no_job_until_it_is_enabled(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        first = run_to_end(create(customer), clock).attempts[0].provider
        answer(run("providers", "disable", first, "--reason", "bad files", "--yes", "--json"))
        row = self.state(run, first)
        assert (row["disabled"], row["reason"]) == (True, "bad files")
        clock.advance_ms(5 * MS_PER_S)
        assert run_to_end(create(customer), clock).attempts[0].provider != first
        answer(run("providers", "enable", first, "--reason", "fixed", "--json"))
        assert self.state(run, first)["disabled"] is False
        clock.advance_ms(5 * MS_PER_S)
        assert run_to_end(create(customer), clock).attempts[0].provider == first

    def test_the_route_of_one_model_can_be_disabled_alone(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        first = run_to_end(create(customer), clock).attempts[0].provider
        words = ("providers", "disable", first, "--model", PAID_IMAGE, "--reason", "x", "--yes", "--json")
        assert answer(run(*words))["provider"] == f"{first}/{PAID_IMAGE}"
        as_listed = ("providers", "enable", f"{first}/{PAID_IMAGE}", "--reason", "x", "--json")
        assert answer(run(*as_listed))["provider"] == f"{first}/{PAID_IMAGE}"
        answer(run(*words))
        assert self.state(run, f"{first}/{PAID_IMAGE}")["disabled"] is True
        assert self.state(run, first)["disabled"] is False
        clock.advance_ms(5 * MS_PER_S)
        assert run_to_end(create(customer), clock).attempts[0].provider != first

    def test_people_are_asked_before_one_is_disabled(self, run: Run) -> None:
        assert run("providers", "disable", "fal", "--reason", "x", stdin="n\n").exit_code == 1
        assert self.state(run, "fal")["disabled"] is False

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("nobody",), "There is no provider nobody. Choose one of: "),
            (("fal", "--model", "nothing"), "fal has no route for nothing. It has live routes for: "),
        ],
    )
    def test_a_name_that_is_wrong_is_answered_with_those_there_are(
        self, run: Run, words: tuple[str, ...], said: str
    ) -> None:
        assert said in refusal(run("providers", "disable", *words, "--reason", "x", "--yes"))


class TestCheckLedger:
    def test_books_that_agree_end_with_0(self, run: Run, customer: OpenedAccount, clock: ManualClock) -> None:
        run_to_end(create(customer), clock)
        running, _ = create(customer, **with_prompt("[[slow 60]]")), create(customer)
        run_task_parts.step_runner().run(running, 0)
        assert answer(run("check-ledger", "--json")) == {"accounts": 1, "entries": 4, "faults": []}

    @pytest.mark.parametrize("words", [(), ("--json",)])
    def test_a_balance_that_drifts_ends_with_1(
        self, run: Run, aws: Aws, customer: OpenedAccount, words: tuple[str, ...]
    ) -> None:
        api_parts.api().accounts.open(0)
        move_balance(aws, customer, "SET balance_micro_usd = balance_micro_usd - :one", one=1)
        result = run("check-ledger", *words)
        assert result.exit_code == 1
        assert customer.account_id in result.stdout
        if words:
            found = json.loads(result.stdout)
            (fault,) = found["faults"]
            assert found["accounts"] == 2
            assert (fault["kind"], fault["balance_micro_usd"], fault["ledger_micro_usd"]) == (
                "ledger",
                999_999,
                1_000_000,
            )

    def test_a_task_that_is_counted_and_is_not_there_is_found(
        self, run: Run, aws: Aws, customer: OpenedAccount, worker: Worker
    ) -> None:
        create(customer)
        move_balance(aws, customer, "SET open_tasks = open_tasks + :two", two=2)
        result = run("check-ledger", "--account", customer.account_id, "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["faults"] == [
            {"kind": "waiting_tasks", "account_id": customer.account_id, "counted_too_many": 2}
        ]

    def test_one_account_alone(self, run: Run, customer: OpenedAccount) -> None:
        api_parts.api().accounts.open(0)
        assert answer(run("check-ledger", "--account", customer.account_id, "--json"))["accounts"] == 1


class TestIncidents:
    def test_the_title_is_one_line(self, run: Run) -> None:
        words = ("incidents", "open", " Videos\nare  delayed ", "--text", "We look.", "--part", "media")
        assert answer(run(*words, "--json"))["title"] == "Videos are delayed"


class TestPlace:
    def test_a_service_that_is_older_is_said_in_one_line(
        self, run: Run, aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = {
            name: value for name, value in aws.stack.environment().items() if name not in DEAD_LETTER_QUEUES
        }
        (tmp_path / ENVIRONMENT).write_text(json.dumps(known))
        for variable in DEAD_LETTER_QUEUES:
            monkeypatch.delenv(variable)
        said = refusal(run("accounts", "list"))
        assert "older than this command" in said
        assert "CHANGES_DLQ_URL" in said

    def test_a_table_that_the_operator_cannot_read_is_said_in_one_line(
        self, run: Run, aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = {**json.loads((tmp_path / ENVIRONMENT).read_text()), "TASKS_TABLE": "not-there"}
        (tmp_path / ENVIRONMENT).write_text(json.dumps(known))
        monkeypatch.setenv("TASKS_TABLE", "not-there")
        said = refusal(run("tasks", "show", "task_01M8JD2TRTDD4AQC0Y8W4M9RV0"))
        assert "(ResourceNotFoundException) when calling the GetItem operation" in said
