"""`tollgate`: the commands about a running service, from the words that are typed to what is true after."""

import json

import pytest

from run_task.app import handler as run_task
from tests.conftest import Aws
from tests.functional import commands
from tests.functional.commands import Run, answer, refusal
from tests.functional.conftest import balance_cents, create, invoke, with_prompt
from tests.functional.test_payments import outcome
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.payments import KEYS, PAYMENT, dispute, event, session
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.members.identities import Person

run = commands.run


class TestAccounts:
    def test_one_that_was_opened_is_listed_and_shown_without_its_secrets(self, run: Run) -> None:
        opened = answer(run("accounts", "open", "--balance-cents", "250", "--json"))
        listed = answer(run("accounts", "list", "--json"))
        assert (listed["more"], [row["accountId"] for row in listed["accounts"]]) == (
            False,
            [opened["userId"]],
        )
        assert listed["accounts"][0]["balanceMicroUsd"] == 2_500_000
        shown = run("accounts", "show", opened["userId"], "--json")
        assert answer(shown)["balanceCents"] == 250
        assert [entry["amountUsd"] for entry in answer(shown)["entries"]] == ["2.5"]
        assert [key["name"] for key in answer(shown)["keys"]] == ["First key"]
        assert opened["apiKey"] not in shown.stdout
        assert opened["webhookSecret"] not in shown.stdout

    def test_a_list_that_is_cut_says_so(self, run: Run) -> None:
        for _ in range(2):
            answer(run("accounts", "open", "--json"))
        cut = answer(run("accounts", "list", "--max", "1", "--json"))
        assert (cut["more"], len(cut["accounts"])) == (True, 1)

    def test_people_read_ids_that_are_neither_cut_nor_broken(self, run: Run, customer: OpenedAccount) -> None:
        assert customer.account_id in run("accounts", "list").stdout
        text = run("accounts", "show", customer.account_id).stdout
        assert f"accountId          {customer.account_id}\n" in text
        assert "Newest ledger entries" in text

    @pytest.mark.parametrize("words", [("accounts", "show"), ("tasks", "list", "--account")])
    def test_one_that_is_not_there_is_named(self, run: Run, words: tuple[str, ...]) -> None:
        assert refusal(run(*words, "usr_1", "--json")) == "tollgate: There is no account usr_1."


class TestLimits:
    def test_an_account_has_limits_of_its_own_and_as_many_rows_as_they_need(
        self, run: Run, customer: OpenedAccount
    ) -> None:
        account = customer.account_id
        none = {"textAtOnce": None, "requestsPerMinute": None, "runningTasks": None, "openTasks": None}
        assert answer(run("accounts", "limits", account, "--json")) == {
            "accountId": account,
            **none,
            "rows": 1,
        }
        set_ = answer(run("accounts", "limits", account, "--text-at-once", "400", "--json"))
        assert set_ == {"accountId": account, **none, "textAtOnce": 400, "rows": 20}
        # What is not named stays, and so do rows.
        again = run("accounts", "limits", account, "--text-at-once", "60", "--running-tasks", "200", "--json")
        assert answer(again) == {**set_, "textAtOnce": 60, "runningTasks": 200}
        listed = answer(run("accounts", "list", "--json"))["accounts"]
        assert [row["balanceCents"] for row in listed] == [100]
        assert answer(run("check-ledger", "--json")) == {"accounts": 1, "entries": 1, "faults": []}

    def test_people_see_the_limits_that_apply(self, run: Run, customer: OpenedAccount) -> None:
        said = run("accounts", "limits", customer.account_id, "--running-tasks", "7").stdout
        assert [line.split(maxsplit=1) for line in said.splitlines()] == [
            ["textAtOnce", "100 (default)"],
            ["requestsPerMinute", "parameter RequestsPerMinute (default)"],
            ["runningTasks", "7"],
            ["openTasks", "10000 (default)"],
            ["rows", "1"],
        ]

    def test_a_limit_gets_its_default_again_and_the_others_stay(
        self, run: Run, customer: OpenedAccount
    ) -> None:
        account = customer.account_id
        own = answer(
            run(*("accounts", "limits", account, "--json"), *("--text-at-once", "60", "--open-tasks", "9"))
        )
        reset = run(*("accounts", "limits", account, "--json"), *("--reset", "text-at-once"))
        assert answer(reset) == {**own, "textAtOnce": None, "openTasks": 9}
        both = ("--reset", "open-tasks", "--reset", "running-tasks", "--requests-per-minute", "7")
        assert answer(run("accounts", "limits", account, "--json", *both)) == {
            **own,
            "textAtOnce": None,
            "openTasks": None,
            "requestsPerMinute": 7,
        }

    def test_a_limit_that_is_set_and_reset_at_once_is_refused(
        self, run: Run, customer: OpenedAccount
    ) -> None:
        words = ("--open-tasks", "9", "--reset", "open-tasks")
        refused = run("accounts", "limits", customer.account_id, *words)
        assert refusal(refused) == "tollgate: --reset open-tasks: it is set too."

    def test_tasks_run_and_end_in_the_rows_that_they_were_charged_to(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        answer(run("accounts", "limits", customer.account_id, "--text-at-once", "200", "--json"))
        api = api_parts.api()
        made = [create(customer) for _ in range(20)]
        assert api.accounts.me(customer.account_id).open_tasks == 20
        for task_id in made:
            run_to_end(task_id, clock)
        assert api.accounts.me(customer.account_id).open_tasks == 0
        assert balance_cents(customer) == 80
        assert answer(run("check-ledger", "--json"))["faults"] == []

    def test_more_than_an_account_can_have_is_refused(self, run: Run, customer: OpenedAccount) -> None:
        assert run("accounts", "limits", customer.account_id, "--text-at-once", "1001").exit_code == 2


class TestCredit:
    @pytest.mark.parametrize("amount", [("--cents", "2550"), ("--usd", "25.50"), ("--usd", "25.5")])
    def test_it_is_on_the_balance_and_in_the_ledger_with_its_reason(
        self, run: Run, customer: OpenedAccount, amount: tuple[str, str]
    ) -> None:
        words = ("accounts", "credit", customer.account_id, *amount, "--id", "inv-7", "--reason", "paid")
        assert answer(run(*words, "--yes", "--json")) == {
            "accountId": customer.account_id,
            "id": "credit_inv-7",
            "credited": True,
            "balanceCents": 2650,
        }
        (entry,) = run_task_parts.step_runner().ledger.named(customer.account_id, ["credit_inv-7"])
        assert (entry.amount_micro_usd, entry.reason) == (25_500_000, "paid")
        assert answer(run("check-ledger", "--json")) == {"accounts": 1, "entries": 2, "faults": []}

    def test_a_repeat_changes_nothing(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "credit", customer.account_id, "--id", "inv-7", "--reason", "paid", "--yes")
        answer(run(*words, "--cents", "10", "--json"))
        again = answer(run(*words, "--cents", "10", "--json"))
        assert (again["credited"], again["balanceCents"]) == (False, 110)
        said = refusal(run(*words, "--cents", "11"))
        assert said == "tollgate: Nothing was done: credit_inv-7 exists with another amount, $0.10."
        assert balance_cents(customer) == 110

    @pytest.mark.parametrize(("stdin", "balance"), [("y\n", 110), ("n\n", 100), ("\n", 100), ("", 100)])
    def test_people_are_asked_first(
        self, run: Run, customer: OpenedAccount, stdin: str, balance: int
    ) -> None:
        words = ("accounts", "credit", customer.account_id, "--cents", "10", "--id", "a", "--reason", "b")
        result = run(*words, stdin=stdin)
        assert "Credit $0.10 to" in result.stderr
        assert balance_cents(customer) == balance
        assert result.exit_code == (0 if balance == 110 else 1)

    def test_a_reason_is_checked_before_people_are_asked(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "credit", customer.account_id, "--cents", "10", "--id", "a", "--reason", " ")
        assert refusal(run(*words, stdin="y\n")) == "tollgate: The reason: 1 to 200 characters."

    def test_the_answer_is_in_dollars(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "debit", customer.account_id, "--cents", "10", "--id", "a", "--reason", "b")
        said = run(*words, "--yes").stdout
        assert said == f"Debited $0.10 from {customer.account_id}. The balance is $0.90.\n"

    def test_a_program_has_to_say_yes(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "credit", customer.account_id, "--cents", "10", "--id", "a", "--reason", "b")
        assert "--yes" in refusal(run(*words, "--json", stdin="y\n"))
        assert balance_cents(customer) == 100

    @pytest.mark.parametrize(
        ("amount", "said"),
        [
            ((), "--cents 2550 or --usd 25.50"),
            (("--cents", "1", "--usd", "1"), "--cents 2550 or --usd 25.50"),
            (("--usd", "0"), "0.01 to 100000"),
            (("--usd", "-5"), "0.01 to 100000"),
            (("--usd", "1.005"), "0.01 to 100000"),
            (("--usd", "1e3"), "0.01 to 100000"),
            (("--usd", "100000.01"), "0.01 to 100000"),
            (("--cents", "1", "--id", "a b"), "The reference: 1 to 100"),
            (("--cents", "1", "--reason", " "), "The reason: 1 to 200"),
        ],
    )
    def test_what_is_wrong_is_said(
        self, run: Run, customer: OpenedAccount, amount: tuple[str, ...], said: str
    ) -> None:
        words = ("accounts", "credit", customer.account_id, "--id", "a", "--reason", "b", "--yes")
        assert said in refusal(run(*words, *amount))
        assert balance_cents(customer) == 100

    def test_a_slip_of_the_fingers_is_refused(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "credit", customer.account_id, "--id", "a", "--reason", "b", "--yes")
        assert "10000000" in refusal(run(*words, "--cents", "10000001"), exit_code=2)


class TestDebit:
    def test_it_is_off_the_balance_and_in_the_ledger_with_its_reason_once(
        self, run: Run, customer: OpenedAccount
    ) -> None:
        words = (
            "accounts",
            "debit",
            customer.account_id,
            "--usd",
            "0.40",
            "--id",
            "cb-1",
            "--reason",
            "back",
        )
        first, again = answer(run(*words, "--yes", "--json")), answer(run(*words, "--yes", "--json"))
        assert (first["debited"], first["balanceCents"]) == (True, 60)
        assert (again["debited"], again["balanceCents"]) == (False, 60)
        assert answer(run("check-ledger", "--json"))["faults"] == []

    def test_never_more_than_there_is(self, run: Run, customer: OpenedAccount) -> None:
        words = (
            "accounts",
            "debit",
            customer.account_id,
            "--cents",
            "101",
            "--id",
            "cb-1",
            "--reason",
            "back",
        )
        assert "the balance is $1.00" in refusal(run(*words, "--yes"))


class TestSuspension:
    def test_nothing_starts_until_the_account_goes_on(self, run: Run, customer: OpenedAccount) -> None:
        words = ("accounts", "suspend", customer.account_id, "--reason", "chargeback", "--yes", "--json")
        assert answer(run(*words))["standing"] == "suspended"
        assert answer(run("accounts", "list", "--json"))["accounts"][0]["suspended"] == "chargeback"
        with pytest.raises(AccountSuspendedError):
            create(customer)
        assert balance_cents(customer) == 100
        assert answer(run("accounts", "resume", customer.account_id, "--json"))["standing"] == "active"
        create(customer)


class TestAClaimedPayment:
    def test_is_shown_given_back_and_taken(self, run: Run, customer: OpenedAccount, aws: Aws) -> None:
        arn = aws.stack.refs["StripeSecret"]
        aws.clients.secrets.put_secret_value(SecretId=arn, SecretString=json.dumps(KEYS))
        outcome(event(session(customer.account_id, 2_500)))
        outcome(event(dispute(2_500), "charge.dispute.created", "evt_2"))
        assert balance_cents(customer) == 100
        (shown,) = answer(run("accounts", "show", customer.account_id, "--json"))["claimed"]
        assert shown == {
            "paymentId": PAYMENT,
            "what": "disputed",
            "paidMicroUsd": 25_000_000,
            "claimedMicroUsd": 25_000_000,
            "takenMicroUsd": 25_000_000,
            "shortfallMicroUsd": 0,
        }
        named = ("accounts", "give-back", customer.account_id, "--payment")
        words = ("--reason", "our mistake", "--yes", "--json")
        given = [answer(run(*named, PAYMENT, *words)) for _ in range(2)]
        assert [one["takenMicroUsd"] for one in given] == [0, 0]
        assert balance_cents(customer) == 2_600
        assert "no claim on a payment" in refusal(run(*named, "pi_other", *words))
        taken = run("accounts", "take", customer.account_id, "--payment", PAYMENT, "--yes")
        assert "$0.00 debited. $0.00 is still missing." in taken.output
        assert answer(run("check-ledger", "--json"))["faults"] == []


class TestRefund:
    def test_a_finished_task_is_refunded_once_and_the_books_agree(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer)
        words = ("tasks", "refund", task_id, "--reason", "blurred", "--yes", "--json")
        assert "has not ended" in refusal(run(*words))
        assert run_to_end(task_id, clock).status == "finished"
        assert [answer(run(*words))["refunded"] for _ in range(2)] == [True, False]
        shown = answer(run("tasks", "show", task_id, "--json"))
        assert (shown["status"], shown["refundedCents"], balance_cents(customer)) == ("finished", 1, 100)
        assert [(row["kind"], row.get("reason")) for row in shown["ledger"]] == [
            ("refund", "blurred"),
            ("charge", None),
        ]
        assert answer(run("check-ledger", "--json"))["faults"] == []

    def test_a_failed_one_has_its_refund_already(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[fail]]"))
        run_to_end(task_id, clock)
        words = ("tasks", "refund", task_id, "--reason", "blurred", "--yes", "--json")
        assert answer(run(*words))["refunded"] is False
        assert balance_cents(customer) == 100


class TestPeople:
    def test_an_account_is_found_by_who_signs_in_to_it(self, run: Run) -> None:
        person = Person("development#ada@example.com", "Ada", "ada@example.com")
        account_id = dashboard_parts.dashboard().identities.account_of(person)
        assert answer(run("accounts", "show", "ada@example.com", "--json"))["accountId"] == account_id
        assert answer(run("accounts", "list", "--json"))["accounts"][0]["email"] == "ada@example.com"
        assert refusal(run("accounts", "show", "bob@example.com")).endswith("no account bob@example.com.")


class TestTasks:
    def test_it_shows_who_was_asked_the_money_and_never_the_input(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, webhook="https://receiver.test/hook", **with_prompt("green cow [[fail]]"))
        task = run_to_end(task_id, clock)
        result = run("tasks", "show", task_id, "--json")
        shown = answer(result)
        assert (shown["status"], shown["accountId"]) == ("failed", customer.account_id)
        asked = [attempt.provider for attempt in task.attempts]
        assert [attempt["provider"] for attempt in shown["attempts"]] == asked
        assert all(attempt["failure"] and attempt["endedAt"] for attempt in shown["attempts"])
        assert [(row["kind"], row["amountUsd"]) for row in shown["ledger"]] == [
            ("refund", "0.01"),
            ("charge", "-0.01"),
        ]
        (delivery,) = shown["deliveries"]
        assert (delivery["url"], delivery["state"]) == ("https://receiver.test/hook", "pending")
        assert "green cow" not in result.stdout
        tokens = [attempt.callback_token for attempt in task.attempts]
        assert all(tokens)
        assert not any(token in result.stdout for token in tokens if token)
        text = run("tasks", "show", task_id).stdout
        assert all(title in text for title in ("Attempts", "Ledger", "Delivery", asked[0], task_id))

    def test_the_ledger_says_whose_work_was_paid_for(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        first, *_ = [route.provider for route in Catalog.shipped().media_model(PAID_IMAGE).routes]
        done = run_to_end(create(customer, **with_prompt(f"a cow [[{first}: status 500]]")), clock)
        failed = run_to_end(create(customer, **with_prompt("a cow [[fail]]")), clock)
        shown = answer(run("accounts", "show", customer.account_id, "--json"))["entries"]
        routes = {row["id"]: row.get("provider") for row in shown if row["kind"] != "credit"}
        assert done.attempts[-1].provider != first
        assert routes == {
            f"{done.task_id}#charge": done.attempts[-1].provider,
            f"{failed.task_id}#charge": None,
            f"{failed.task_id}#refund": None,
        }
        (row,) = answer(run("tasks", "show", done.task_id, "--json"))["ledger"]
        assert row["provider"] == done.attempts[-1].provider

    def test_the_list_is_of_one_account_and_status(
        self, run: Run, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        done, waiting = create(customer), create(customer)
        run_to_end(done, clock)
        words = ("tasks", "list", "--account", customer.account_id, "--json")
        assert {task["taskId"] for task in answer(run(*words))["tasks"]} == {done, waiting}
        finished = answer(run(*words, "--status", "finished"))
        assert [task["taskId"] for task in finished["tasks"]] == [done]
        first = answer(run(*words, "--limit", "1"))
        rest = answer(run(*words, "--limit", "1", "--cursor", first["cursor"]))
        assert {first["tasks"][0]["taskId"], rest["tasks"][0]["taskId"]} == {done, waiting}

    def test_a_status_that_does_not_exist_is_answered_with_those_that_do(
        self, run: Run, customer: OpenedAccount
    ) -> None:
        words = ("tasks", "list", "--account", customer.account_id, "--status", "done")
        said = refusal(run(*words), exit_code=2)
        assert all(status in said for status in ("not_started", "running", "finished", "failed", "expired"))

    def test_a_task_that_is_cancelled_is_refunded_by_the_worker(
        self, run: Run, aws: Aws, customer: OpenedAccount
    ) -> None:
        task_id = create(customer)
        assert balance_cents(customer) == 99
        assert answer(run("tasks", "cancel", task_id, "--yes", "--json"))["asked"] is True
        for body in aws.messages("TaskQueue"):
            invoke(run_task, "TaskQueue", body)
        assert balance_cents(customer) == 100
        again = answer(run("tasks", "cancel", task_id, "--json"))
        assert (again["asked"], again["task"]["status"]) == (False, "failed")
        assert aws.messages("TaskQueue") == []

    def test_people_are_asked_before_a_task_is_cancelled(
        self, run: Run, aws: Aws, customer: OpenedAccount
    ) -> None:
        assert run("tasks", "cancel", create(customer), stdin="n\n").exit_code == 1
        assert aws.messages("TaskQueue") == []

    @pytest.mark.parametrize("words", [("show",), ("cancel",), ("refund", "--reason", "x")])
    @pytest.mark.parametrize("task_id", ["task_1", ""])
    def test_one_that_is_not_there_is_named(self, run: Run, words: tuple[str, ...], task_id: str) -> None:
        assert refusal(run("tasks", *words, task_id)) == f"tollgate: There is no task {task_id}."

    def test_a_workflow_is_no_task(self, run: Run, aws: Aws) -> None:
        workflow_id = "wfl_01M8DS7QZ2NHHN51QYX116WH21"
        row = {"task_id": {"S": workflow_id}, "status": {"S": "running"}}
        aws.clients.dynamodb.put_item(TableName=aws.stack.refs["TasksTable"], Item=row)
        assert refusal(run("tasks", "show", workflow_id)) == f"tollgate: There is no task {workflow_id}."
