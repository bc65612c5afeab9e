"""Budgets through the handler of `functions/api`, with the charges and refunds that they count."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, cycle, repeat
from typing import Any, ClassVar

import pytest

from local.machine.events import Context
from run_task.app import handler as run_task
from sweep.app import handler as sweep
from tests.conftest import Aws
from tests.functional import commands
from tests.functional.commands import Run, answer
from tests.functional.conftest import invoke, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end, task_of
from tests.functional.test_sweep import EVENT as SWEEP
from tests.support.clock import START_MS, ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.ledger import budget_repository
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.audit import Drift
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budget_rows import rows_of
from tollgate.ledger.budget_writes import KEPT_MS, BudgetWrites, StaleSharesError
from tollgate.ledger.budgets import MIN_REQUESTS_PER_SHARE, Budget, BudgetPeriod, Budgets, Spender, Use
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import Hold
from tollgate.ledger.rate import RateMeter
from tollgate.ledger.wallet_repository import WalletRepository
from tollgate.ledger.wallets import BUDGET_SEQ, Limits

BUDGETS = "/api/v1/budgets"
ALICE, BOB = "user=alice,team=search", "user=bob,team=search"
A_BUDGET = {"name": "Free users", "scope": "user", "limitCents": 2, "per": "day"}
run = commands.run


def ok(customer: OpenedAccount, method: str, path: str, body: Any = None) -> Any:
    """Return the `data` of an answer that must be 200."""
    status, answer, _ = call(method, path, customer.api_key, body)
    assert status == 200, answer
    return answer["data"]


def create(customer: OpenedAccount, tags: str = "", prompt: str = "a boat", key: str = "") -> tuple[int, Any]:
    """Create an image of one cent; return the status, and the task's id or the error."""
    body = {"model": PAID_IMAGE, **with_prompt(prompt)}
    headers = {"x-tollgate-tags": tags} if tags else None
    status, answer, _ = call("POST", "/api/v1/generation/create", key or customer.api_key, body, headers)
    return status, answer["data"]["taskId"] if status == 200 else answer["error"]


def spent(customer: OpenedAccount, budget_id: str) -> dict[str, tuple[int, int]]:
    """Return spent and left cents of each value."""
    values = ok(customer, "GET", f"{BUDGETS}/{budget_id}")["values"]
    return {one["value"]: (one["spentCents"], one["leftCents"]) for one in values}


def drift_of(customer: OpenedAccount) -> Drift | None:
    """Prove the account by all entries; return its drift."""
    checked = check_ledger_parts.ledger_audit().check(customer.account_id, full=True)
    assert checked.is_proven
    return checked.drift


@pytest.fixture
def proved(customer: OpenedAccount) -> Iterator[None]:
    """Prove the customer's budgets by the ledger after the test."""
    yield
    assert drift_of(customer) is None


@pytest.mark.usefixtures("proved")
class TestCharges:
    def test_each_user_has_the_budget_and_others_are_not_counted(self, customer_of: OpenedAccount) -> None:
        customer = customer_of
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        assert [create(customer, BOB)[0] for _ in range(3)] == [200, 200, 402]
        assert create(customer, ALICE)[0] == create(customer)[0] == 200
        # The dearest first.
        assert list(spent(customer, budget_id).items()) == [("bob", (2, 0)), ("alice", (1, 1))]
        _, error = create(customer, BOB)
        assert error["code"] == "budget_reached"
        shown = {name: error[name] for name in ("budgetId", "scope", "value", "limitCents", "leftCents")}
        assert shown == {
            "budgetId": budget_id,
            "scope": "user",
            "value": "bob",
            "limitCents": 2,
            "leftCents": 0,
        }
        assert (error["requiredCents"], error["resetsAt"]) == (1, "2023-11-15T00:00:00.000Z")
        assert ok(customer, "GET", "/api/v1/user/me")["balance"] == 96

    def test_a_refund_is_returned_to_the_budgets(self, customer: OpenedAccount, clock: ManualClock) -> None:
        first = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        second = ok(customer, "POST", BUDGETS, {**A_BUDGET, "scope": "tag:team", "value": "search"})["id"]
        _, task_id = create(customer, ALICE, "[[reject]]")
        assert spent(customer, first) == {"alice": (1, 1)}
        while not (task := task_of(task_id)).ended:
            invoke(run_task, "TaskQueue", json.dumps({"task_id": task_id, "seq": task.seq}))
            clock.advance_ms(MS_PER_S)
        assert spent(customer, first) == {"alice": (0, 2)}
        assert spent(customer, second) == {"search": (0, 2)}

    def test_an_expired_hold_is_returned_too(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        budgets = api_parts.api().budgets.budgets.read(customer.account_id)
        applied = budgets.applied(Spender(None, Attribution("alice")), clock.now_ms())
        tables = (aws.stack.refs[name] for name in ("AccountsTable", "LedgerTable", "BudgetsTable"))
        writes = HoldWrites(*tables)
        hold = Hold("req_1", 15_000, clock.now_ms() + MS_PER_S, budgets=applied.items)
        window = RateMeter(600).guess(customer.account_id, clock.now_ms())
        place = writes.place(customer.account_id, hold, window, budgets=budgets, allowance=None)
        take = writes.budgets.take(customer.account_id, applied.uses[0], 15_000)
        Database(aws.clients.dynamodb).transact([place, take])
        assert spent(customer, budget_id) == {"alice": (2, 0)}
        assert ok(customer, "GET", f"{BUDGETS}/{budget_id}")["values"][0]["spentMicroUsd"] == 15_000
        clock.advance_ms(MS_PER_S)
        sweep(SWEEP, Context("SweepFunction"))
        assert spent(customer, budget_id) == {"alice": (0, 2)}

    def test_the_next_period_starts_again(self, customer: OpenedAccount, clock: ManualClock) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        assert [create(customer, ALICE)[0] for _ in range(3)] == [200, 200, 402]
        clock.set((START_MS // MS_PER_DAY + 1) * MS_PER_DAY)
        assert create(customer, ALICE)[0] == 200
        assert spent(customer, budget_id) == {"alice": (1, 1)}

    def test_a_refund_after_its_period_goes_back_there(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        clock.set((START_MS // MS_PER_DAY + 1) * MS_PER_DAY - 1)
        _, task_id = create(customer, ALICE, "[[reject]]")
        clock.advance_ms(1)
        create(customer, ALICE)
        run_to_end(task_id, clock)
        assert spent(customer, budget_id) == {"alice": (1, 1)}

    def test_the_account_and_its_keys(self, customer: OpenedAccount) -> None:
        key = ok(customer, "POST", "/api/v1/keys", {"name": "ci"})
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "scope": "key", "value": key["id"], "limitCents": 1})
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "scope": "account", "limitCents": 3, "per": "total"})
        assert [create(customer, key=key["key"])[0] for _ in range(2)] == [200, 402]
        assert [create(customer)[0] for _ in range(3)] == [200, 200, 402]
        _, error = create(customer)
        assert (error["scope"], error["resetsAt"]) == ("account", None)

    @pytest.mark.parametrize(
        "turns",
        [cycle([1, 1, 0]), chain([1, 1], repeat(0))],
        ids=["in turns", "then only the main row, so the other's share comes back"],
    )
    def test_a_budget_that_is_divided_among_wallets_is_spent_to_its_last_cent(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, turns: Iterator[int]
    ) -> None:
        limits = Limits(text_at_once=300, requests_per_minute=10**4, wallets=2)
        api_parts.api().tasks.ledger.wallets.set_limits(customer.account_id, limits)
        api_parts.api().limits.put(customer.account_id, limits.share())
        # Divided by four, it is enough for `MIN_REQUESTS_PER_SHARE` images of one cent
        cents = 4 * MIN_REQUESTS_PER_SHARE
        budget_id = ok(customer, "POST", BUDGETS, {**A_BUDGET, "limitCents": cents})["id"]
        monkeypatch.setattr("tollgate.tasks.charges.random.randrange", lambda _: next(turns))
        assert [create(customer, ALICE)[0] for _ in range(cents)] == [200] * cents
        assert create(customer, ALICE)[0] == 402
        assert spent(customer, budget_id) == {"alice": (cents, 0)}
        entries = api_parts.api().tasks.ledger.entries(customer.account_id)
        first, second, third, *_ = [item for entry in entries for item in entry.budgets or ()]
        # The wallet's row has its share from the first request on.
        assert ["#1#" in item for item in (first, second, third)] == [True, True, False]
        # Each row is dropped some time after its period.
        rows = aws.clients.dynamodb.scan(TableName=aws.stack.refs["BudgetsTable"])["Items"]
        assert {"expires_at_s" in row for row in rows if "#" in row["item"]["S"]} == {True}

    def test_a_key_with_a_cap_has_budgets_too(self, customer: OpenedAccount) -> None:
        cap = {"capCents": 5, "per": "day"}
        key = ok(customer, "POST", "/api/v1/keys", {"name": "ci", "spendingCap": cap})["key"]
        ok(customer, "POST", BUDGETS, A_BUDGET)
        assert [create(customer, ALICE, key=key)[0] for _ in range(3)] == [200, 200, 402]


class TestProof:
    """`check-ledger --full` compares each counter with the entries and holds that name it."""

    @pytest.fixture
    def use(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> Use:
        """Return a budget that counted a charge, with a share beside a wallet."""
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "limitCents": 10})
        create(customer, ALICE)
        budgets = api_parts.api().budgets.budgets.read(customer.account_id)
        (use,) = budgets.applied(Spender(None, Attribution("alice")), clock.now_ms()).uses
        fund = BudgetWrites(aws.stack.refs["BudgetsTable"]).fund(customer.account_id, use, 1, 40_000, 10_000)
        Database(aws.clients.dynamodb).transact(fund)
        return use

    @pytest.fixture
    def main(self, use: Use) -> str:
        return use.item()

    def move(self, aws: Aws, customer: OpenedAccount, item: str, name: str) -> None:
        """Raise a counter behind the ledger's back."""
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["BudgetsTable"],
            Key={"account_id": {"S": customer.account_id}, "item": {"S": item}},
            UpdateExpression="ADD #name :one",
            ExpressionAttributeNames={"#name": name},
            ExpressionAttributeValues={":one": {"N": "1"}},
        )

    @pytest.mark.parametrize(
        ("wallet", "name", "off"), [("#0#", "spent_micro_usd", 1), ("#1#", "left_micro_usd", -1)]
    )
    def test_a_counter_that_moved_alone_is_named(
        self, aws: Aws, customer: OpenedAccount, main: str, wallet: str, name: str, off: int
    ) -> None:
        assert drift_of(customer) is None
        self.move(aws, customer, main.replace("#0#", wallet), name)
        drift = drift_of(customer)
        assert drift is not None
        assert (drift.amount_micro_usd, drift.budgets) == (0, {main: off})

    def test_a_share_comes_back_once(self, aws: Aws, customer: OpenedAccount, use: Use) -> None:
        writes, db = BudgetWrites(aws.stack.refs["BudgetsTable"]), Database(aws.clients.dynamodb)
        # The third wallet has no row yet.
        rows = db.get_together(writes.table, rows_of(customer.account_id, use, 3))
        assert [row.get("left_micro_usd") for row in rows[1:]] == [40_000, None]
        moves = writes.gather(customer.account_id, use, rows)
        db.transact(moves)
        with pytest.raises(StaleSharesError):
            db.transact(moves)
        assert drift_of(customer) is None

    def test_a_row_that_is_due_to_be_dropped_is_not_proved(
        self, aws: Aws, customer: OpenedAccount, main: str, clock: ManualClock
    ) -> None:
        clock.set((START_MS // MS_PER_DAY + 1) * MS_PER_DAY + KEPT_MS)
        self.move(aws, customer, main, "spent_micro_usd")
        assert drift_of(customer) is None

    def test_the_rows_of_one_proof_have_a_bound(
        self,
        customer: OpenedAccount,
        main: str,
        clock: ManualClock,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        read = api_parts.api().budgets.budgets.counters
        assert read(customer.account_id, START_MS) == {main: 10_000}
        clock.advance_ms(MS_PER_DAY)
        create(customer, ALICE)
        # The row of the next day could be incomplete then. Those of the first day are not.
        monkeypatch.setattr(budget_repository, "MAX_PROVED_ROWS", 2)
        assert read(customer.account_id, START_MS) == {main: 10_000}
        # The share is the second row of its period, which could be incomplete then.
        monkeypatch.setattr(budget_repository, "MAX_PROVED_ROWS", 1)
        assert read(customer.account_id, START_MS) == {}
        assert caplog.messages[-1] == "check_ledger.budgets_unread"


class TestNotices:
    # Of each event of the budget of four cents.
    FACTS: ClassVar = {
        "budgetName": "Free users",
        "scope": "user",
        "limitCents": 4,
        "resetsAt": "2023-11-15T00:00:00.000Z",
    }

    def count(self, aws: Aws) -> None:
        """Deliver the ledger's stream."""
        assert record(counted_records(aws)) == {"batchItemFailures": []}

    def events(self, aws: Aws) -> list[tuple[str, int, int]]:
        found = aws.clients.dynamodb.scan(TableName=aws.stack.refs["DeliveriesTable"])["Items"]
        rows = [from_attributes(each) for each in found]
        data = [row["data"] for row in rows if row["event"] == "budget.reached"]
        for one in data:
            assert {name: one[name] for name in self.FACTS} == self.FACTS
        return sorted((one["value"], one["percent"], one["spentCents"]) for one in data)

    def test_a_webhook_for_each_value_and_a_mail_for_one(self, aws: Aws, customer: OpenedAccount) -> None:
        hook = {"webhook": "https://example.com/hook"}
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "limitCents": 4, **hook})
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "name": "Team", "scope": "tag:team", "value": "search"})
        create(customer, "user=alice")
        self.count(aws)
        assert self.events(aws) == []
        create(customer, "user=alice")
        for _ in range(2):  # The stream repeats a batch.
            self.count(aws)
        assert self.events(aws) == [("alice", 50, 2)]
        # Two cents at once: only the highest share has a notice.
        for _ in range(2):
            create(customer, ALICE)
        self.count(aws)
        assert self.events(aws) == [("alice", 50, 2), ("alice", 100, 4)]
        noted = api_parts.api().audit.page(customer.account_id).rows
        reached = [(event.subject, event.detail) for event in noted if event.action == "budget.reached"]
        assert reached == [("Team", "$0.02 of $0.02 used (100 %); starts again 2023-11-15 00:00 UTC")]

    @pytest.mark.parametrize("per", ["day", "total"])
    def test_one_is_known_while_it_could_repeat(self, aws: Aws, customer: OpenedAccount, per: str) -> None:
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "per": per, "webhook": "https://example.com/hook"})
        create(customer, ALICE)
        self.count(aws)
        rows = aws.clients.dynamodb.scan(TableName=aws.stack.refs["IdempotencyTable"])["Items"]
        (mark,) = [row for row in rows if row["idempotency_id"]["S"].endswith("#webhook")]
        assert ("expires_at_s" in mark) is (per == "day")

    def test_a_refund_after_the_rows_of_its_period_were_dropped_has_none(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock, run: Run
    ) -> None:
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "webhook": "https://example.com/hook"})
        _, task_id = create(customer, ALICE)
        run_to_end(task_id, clock)
        clock.advance_ms(MS_PER_DAY + KEPT_MS)
        (entry,) = [
            each for each in api_parts.api().tasks.ledger.entries(customer.account_id) if each.budgets
        ]
        for item in entry.budgets or ():
            key = {"account_id": {"S": customer.account_id}, "item": {"S": item}}
            aws.clients.dynamodb.delete_item(TableName=aws.stack.refs["BudgetsTable"], Key=key)
        assert answer(run("tasks", "refund", task_id, "--reason", "blurred", "--yes", "--json"))["refunded"]
        self.count(aws)
        assert self.events(aws) == []

    def test_a_private_address_is_refused(self, customer: OpenedAccount) -> None:
        body = {**A_BUDGET, "webhook": "http://127.0.0.1/hook"}
        status, answer, _ = call("POST", BUDGETS, customer.api_key, body)
        assert (status, set(details(answer))) == (400, {"/webhook"})


class TestChanges:
    def test_a_changed_limit_counts_what_was_spent(self, customer: OpenedAccount) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        assert [create(customer, ALICE)[0] for _ in range(3)] == [200, 200, 402]
        changed = ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"limitCents": 3})
        assert (changed["limitCents"], changed["name"], changed["per"]) == (3, "Free users", "day")
        assert [create(customer, ALICE)[0] for _ in range(2)] == [200, 402]
        ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"limitCents": 1})
        assert spent(customer, budget_id) == {"alice": (3, 0)}
        assert create(customer, ALICE)[0] == 402
        assert ok(customer, "DELETE", f"{BUDGETS}/{budget_id}")["deleted"] is True
        assert create(customer, ALICE)[0] == 200
        assert ok(customer, "GET", BUDGETS) == {"budgets": []}

    def test_another_period_counts_from_now_on_and_the_earlier_one_is_kept(
        self, customer: OpenedAccount
    ) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        assert [create(customer, ALICE)[0] for _ in range(3)] == [200, 200, 402]
        ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"per": "month"})
        assert [create(customer, ALICE)[0] for _ in range(3)] == [200, 200, 402]
        ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"per": "day"})
        assert create(customer, ALICE)[0] == 402
        assert spent(customer, budget_id) == {"alice": (2, 0)}

    def test_is_in_the_audit_log(self, customer: OpenedAccount) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"per": "total"})
        deleted = ok(customer, "DELETE", f"{BUDGETS}/{budget_id}")
        assert deleted == {"id": budget_id, "deleted": True, "name": "Free users"}
        events = api_parts.api().audit.page(customer.account_id).rows
        assert [(event.action, event.subject, event.detail) for event in events[:3]] == [
            ("budget.deleted", "Free users", "$0.02 in total, for each user"),
            ("budget.changed", "Free users", "$0.02 in total, for each user"),
            ("budget.created", "Free users", "$0.02 per day, for each user"),
        ]

    def test_a_key_cannot_lift_its_own_limit(self, customer: OpenedAccount) -> None:
        body = {"name": "ops", "scopes": ["media", "account"]}
        key = ok(customer, "POST", "/api/v1/keys", body)
        for value in (None, key["id"]):
            made = ok(customer, "POST", BUDGETS, {**A_BUDGET, "scope": "key", "value": value})
            for method, change in (("PATCH", {"limitCents": 100}), ("DELETE", None)):
                status, answer, _ = call(method, f"{BUDGETS}/{made['id']}", key["key"], change)
                assert (status, answer["error"]["code"]) == (403, "forbidden")

    def test_two_of_the_same_moment_are_both_made(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = BudgetRepository.read

        def before_another_change(repository: BudgetRepository, account_id: str) -> Budgets:
            found = read(repository, account_id)
            monkeypatch.setattr(BudgetRepository, "read", read)
            api_parts.api().budgets.create(account_id, {**A_BUDGET, "name": "other"}, None)
            return found

        monkeypatch.setattr(BudgetRepository, "read", before_another_change)
        ok(customer, "POST", BUDGETS, A_BUDGET)
        names = [one["name"] for one in ok(customer, "GET", BUDGETS)["budgets"]]
        assert names == ["other", "Free users"]

    def test_a_wallet_that_is_added_meanwhile_has_them_too(
        self, aws: Aws, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = WalletRepository.limits

        def before_a_wallet_is_added(wallets: WalletRepository, account_id: str) -> Limits:
            found = read(wallets, account_id)
            monkeypatch.setattr(WalletRepository, "limits", read)
            wallets.set_limits(account_id, Limits(text_at_once=200, wallets=2))
            return found

        monkeypatch.setattr(WalletRepository, "limits", before_a_wallet_is_added)
        ok(customer, "POST", BUDGETS, A_BUDGET)
        wallets = WalletRepository(Database(aws.clients.dynamodb), aws.stack.refs["AccountsTable"])
        assert [row[BUDGET_SEQ] for row in wallets.rows(customer.account_id)] == [1, 1]

    def test_there_is_an_end_to_them(self, customer: OpenedAccount) -> None:
        for n in range(8):
            ok(customer, "POST", BUDGETS, {**A_BUDGET, "name": f"b{n}"})
        status, answer, _ = call("POST", BUDGETS, customer.api_key, A_BUDGET)
        assert (status, answer["error"]["code"]) == (409, "budget_limit_reached")
        assert "At most 8 budgets can apply to one request." in answer["error"]["message"]

    def test_named_values_of_one_scope_never_meet_so_there_may_be_more(self, customer: OpenedAccount) -> None:
        repository = api_parts.api().budgets.budgets
        read = repository.read(customer.account_id)
        others = tuple(Budget(f"bud_{n}", "x", "user", 1, BudgetPeriod.DAY, f"u{n}") for n in range(49))
        repository.change(customer.account_id, read, replace(read, budgets=others))
        ok(customer, "POST", BUDGETS, {**A_BUDGET, "value": "the last"})
        status, answer, _ = call("POST", BUDGETS, customer.api_key, {**A_BUDGET, "value": "one more"})
        assert (status, answer["error"]["code"]) == (409, "budget_limit_reached")
        assert "This account has 50 budgets" in answer["error"]["message"]

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, {"/name", "/scope", "/limitCents", "/per"}),
            ({**A_BUDGET, "limitCents": -1}, {"/limitCents"}),
            ({**A_BUDGET, "limitCents": 1.5}, {"/limitCents"}),
            ({**A_BUDGET, "per": "year"}, {"/per"}),
            ({**A_BUDGET, "scope": "tag:Team"}, {"/scope"}),
            ({**A_BUDGET, "scope": "tag:user"}, {"/scope"}),
            ({**A_BUDGET, "scope": "account", "value": "x"}, {"/value"}),
            ({**A_BUDGET, "value": ""}, {"/value"}),
            ({**A_BUDGET, "more": 1}, {"/more"}),
        ],
    )
    def test_a_wrong_body_is_named(self, customer: OpenedAccount, body: Any, paths: set[str]) -> None:
        status, answer, _ = call("POST", BUDGETS, customer.api_key, body)
        assert (status, set(details(answer))) == (400, paths)

    def test_scope_and_value_never_change(self, customer: OpenedAccount) -> None:
        budget_id = ok(customer, "POST", BUDGETS, A_BUDGET)["id"]
        status, answer, _ = call("PATCH", f"{BUDGETS}/{budget_id}", customer.api_key, {"scope": "account"})
        assert (status, set(details(answer))) == (400, {"/scope"})

    @pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
    def test_an_unknown_or_foreign_budget_is_404(
        self, aws: Aws, customer: OpenedAccount, method: str
    ) -> None:
        stranger = api_parts.api().accounts.open(10_000)
        foreign = ok(stranger, "POST", BUDGETS, A_BUDGET)["id"]
        for budget_id in (foreign, "bud_1"):
            body = {"name": "x"} if method == "PATCH" else None
            status, answer, _ = call(method, f"{BUDGETS}/{budget_id}", customer.api_key, body)
            assert (status, answer["error"]["code"]) == (404, "budget_not_found")
