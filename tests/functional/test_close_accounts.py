"""The end of an account: shut at once, kept for a week, erased whatever dies in between; the books agree."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

from close_accounts.app import handler
from local.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import with_prompt
from tests.functional.test_api import call
from tests.functional.test_audit_log import events
from tests.functional.test_dashboard_members import member
from tests.functional.test_payments import send
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.payments import event, session
from tests.support.samples import PAID_IMAGE
from tests.support.stripe import CUSTOMER, FakeStripe
from tests.support.user_pool import People
from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.service import DELAY_MS, AccountClosureService
from tollgate.account_closure.user_pool import UserPool
from tollgate.account_closure.worker import GIVEN_UP_ENTRY_ID, RETRY_DELAY_MS
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.composition import command as operator_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.composition import refill_balance as refill_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.errors import PaymentUnavailableError
from tollgate.ledger.entries import EntryKind
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import Team
from tollgate.operator.errors import OperatorError

pytestmark = pytest.mark.usefixtures("dashboard")

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/close_accounts.json").read_text())
ADA, BOB = "ada@example.com", "bob@example.com"
PLAN = "my secret plan"
STEPS = 15
KEPT = {"AccountsTable", "LedgerTable", "AuditTable", "ApiKeysTable", "CheckpointsTable", "SealsTable"}
"""Where something about a closed account may be: its row, the books, the log, ended keys."""
EXPIRING = {"IdempotencyTable", "CountedEntriesTable", "SessionsTable"}
"""Rows that end by themselves within days."""


def run() -> None:
    """Run once, as the schedule does."""
    handler(EVENT, Context("CloseAccountsFunction"))


@pytest.fixture
def ada(stripe: FakeStripe, clock: ManualClock) -> Browser:
    """Return the browser of an owner."""
    browser = Browser()
    browser.sign_in(ADA)
    browser.get("/closing")
    clock.advance(1)
    return browser


@pytest.fixture
def pool(aws: Aws, stripe: FakeStripe, monkeypatch: pytest.MonkeyPatch) -> People:
    """Return a user pool that the function knows."""
    found = People.made()
    monkeypatch.setenv("USER_POOL_ID", found.pool_id)
    parts.forget()
    return found


def close_by_owner(account_id: str, owner: Person) -> None:
    """Ask for the end of an account as its owner."""
    by = Actor(owner.identity_id, owner.name)
    dashboard_parts.dashboard().account_closure.request(account_id, account_id, "give up", by)


def joined(person: Person, account_id: str) -> None:
    """Make a person a member of one more account."""
    members = dashboard_parts.dashboard().members
    team, known = members.teams.get(account_id), members.people.get(person.identity_id)
    member = replace(team.members[0], identity_id=person.identity_id)
    changed = replace(team, members=(*team.members, member))
    gets_it = members.people.joined(known, account_id)
    members.teams._db.transact([members.teams.change(team, changed), gets_it])


def account_of(browser: Browser) -> str:
    return browser.get("").attribute("data-account")


def close(browser: Browser, balance: str = "give up") -> str:
    """Ask for the end of the account that a browser looks at; return its id."""
    account_id = account_of(browser)
    answer = browser.post("/closing", {"account": account_id, "balance": balance})
    assert answer.status == 200, answer.text
    return account_id


def lived_in(ada: Browser, aws: Aws, clock: ManualClock) -> str:
    """Return an account in which something of every kind is."""
    account_id = account_of(ada)
    api, refs, clients = api_parts.api(), aws.stack.refs, aws.clients
    member(ada, "developer", BOB)
    ada.get("/keys")
    form = {"name": "Ada's shop", "scopes": ["media", "account"], "networks": "192.0.2.0/24"}
    assert ada.post("/keys", form).status == 200
    made = api.tasks.create(account_id, {"model": PAID_IMAGE, **with_prompt(PLAN)}, None)
    run_to_end(str(made["taskId"]), clock)
    api.files.uploads.create_upload(account_id, {"filename": "a.png", "contentType": "image/png", "bytes": 5})
    api.low_balance.save_customer(account_id, CUSTOMER)
    api.low_balance.change(account_id, {"threshold": "5", "emails": ADA}, ADA)
    api.webhooks.send_test(account_id, {"url": "https://example.com/hook"})
    for table, row in (
        ("ResponsesTable", {"response_id": "resp_1", "content": PLAN}),
        ("UsageTable", {"usage_day": "2026-11-22"}),
        ("BudgetsTable", {"item": "bud_1#total#0#1", "value": ADA}),
        ("WebhookLanesTable", {}),
    ):
        typed: Any = {name: {"S": text} for name, text in {"account_id": account_id, **row}.items()}
        clients.dynamodb.put_item(TableName=refs[table], Item=typed)
    large = f"responses/{account_id}/resp_1.json"
    clients.s3.put_object(Bucket=refs["MediaBucket"], Key=large, Body=PLAN.encode())
    return account_id


def traces(aws: Aws, *words: str) -> dict[str, list[str]]:
    """Return the rows that have one of some words in them, by table, and the bucket's objects."""
    found: dict[str, list[str]] = {}
    read = TypeDeserializer().deserialize
    for name, table in aws.stack.refs.items():
        if not name.endswith("Table") or name in EXPIRING:
            continue
        for page in aws.clients.dynamodb.get_paginator("scan").paginate(TableName=table):
            for row in page["Items"]:
                text = str({field: read(value) for field, value in row.items()})
                if any(word in text for word in words):
                    found.setdefault(name, []).append(text)
    objects = aws.clients.s3.list_objects_v2(Bucket=aws.stack.refs["MediaBucket"]).get("Contents", [])
    return {**found, "MediaBucket": [one["Key"] for one in objects]} if objects else found


def check_erased(aws: Aws, account_id: str) -> None:
    """Check that nothing is left but what has to stay, and that the books agree."""
    assert traces(aws, ADA, PLAN, "Ada's shop", "192.0.2.0") == {}
    # What operators find by: a pseudonym in the place of the address.
    assert set(traces(aws, account_id)) <= KEPT | {"IdentitiesTable"}
    assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None
    actions = [event.action for event in events(account_id)]
    assert actions.count(Action.CLOSED) == 1
    assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0
    debits = api_parts.api().statement.page(account_id, {"kind": EntryKind.DEBIT})["entries"]
    assert len(debits) == 1


class TestAskingForIt:
    def test_keys_and_sessions_end_at_once_and_nothing_can_be_spent(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        account_id, other = account_of(ada), Browser(ada.session, ada.csrf)
        ada.get("/keys")
        made = ada.post("/keys", {"name": "Shop", "scopes": ["media", "account"]}).text
        key = made.split("data-copy-source>")[1].split("<")[0]
        assert call("GET", "/api/v1/user/me", key)[0] == 200
        close(ada)
        # What a process remembers of a key for.
        clock.advance(30_000)
        assert call("GET", "/api/v1/user/me", key)[0] == 401
        assert [browser.get("/keys").status for browser in (ada, other)] == [303, 303]
        assert api_parts.api().accounts.me(account_id).suspended

    @pytest.mark.parametrize("typed", ["", "usr_x", ADA])
    def test_the_accounts_id_is_typed_by_hand(self, ada: Browser, typed: str) -> None:
        assert ada.post("/closing", {"account": typed, "balance": "give up"}).status == 409

    def test_money_that_is_left_needs_a_word(self, ada: Browser) -> None:
        answer = ada.post("/closing", {"account": account_of(ada)})
        assert answer.status == 409
        assert "The balance is $100.00." in answer.text

    def test_with_a_generation_under_way_it_is_refused(self, ada: Browser) -> None:
        account_id = account_of(ada)
        api_parts.api().tasks.create(account_id, {"model": PAID_IMAGE, **with_prompt("x")}, None)
        answer = ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert answer.status == 409
        assert "1 generations" in answer.text

    def test_a_suspended_account_is_the_operators_to_close(self, ada: Browser) -> None:
        account_id = account_of(ada)
        operator_parts.operator().account_console.suspend(account_id, "fraud")
        answer = ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert answer.status == 409
        assert api_parts.api().accounts.me(account_id).suspended == "fraud"

    def test_nobody_but_an_owner_may(self, ada: Browser) -> None:
        bob = member(ada, "developer")
        assert bob.post("/closing", {"account": account_of(ada)}).status == 403


class TestKeepingIt:
    def test_an_owner_signs_in_and_keeps_it(self, ada: Browser, clock: ManualClock) -> None:
        account_id = close(ada)
        assert "Sign in within 7 days to keep it." in ada.get("/sign-in").text
        clock.advance(MS_PER_DAY)
        assert ada.sign_in(ADA) == account_id
        shown = ada.get("/keys").text
        assert "This account is being closed" in shown
        # That notice says what to do; an operator has nothing to resume.
        assert "This account is suspended" not in shown
        assert ada.post("/keys", {"name": "x", "scopes": ["media"]}).status == 403
        assert ada.post("/closing/undo").status == 200
        assert "The account is kept." in ada.get("").text
        assert ada.post("/keys", {"name": "x", "scopes": ["media"]}).status == 200
        clock.advance(2 * DELAY_MS)
        run()
        assert api_parts.api().accounts.me(account_id).suspended is None
        assert api_parts.api().keys.all(account_id)

    def test_an_operators_suspension_is_not_lifted_by_it(self, ada: Browser, clock: ManualClock) -> None:
        account_id = close(ada)
        operator_parts.operator().account_console.suspend(account_id, "fraud")
        clock.advance(1)
        ada.sign_in(ADA)
        assert "This account is suspended" in ada.get("").text
        assert ada.post("/closing/undo").status == 403
        assert api_parts.api().accounts.me(account_id).suspended == "fraud"

    def test_once_it_is_being_erased_it_is_too_late(
        self, ada: Browser, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        close(ada)
        clock.advance(DELAY_MS)
        monkeypatch.setattr(Erasure, "steps", crashing(-1))
        with pytest.raises(RuntimeError):
            run()
        clock.advance(1)
        ada.sign_in(ADA)
        answer = ada.post("/closing/undo")
        assert answer.status == 409
        assert "too late" in answer.text


class TestMoneyMeanwhile:
    """What comes to an account that is being closed, or is taken for it."""

    def test_a_top_up_that_is_due_is_called_off(
        self, ada: Browser, aws: Aws, clock: ManualClock, stripe: FakeStripe
    ) -> None:
        account_id = with_low_balance(ada, aws)
        (body,) = aws.messages("RefillQueue")
        close(ada)
        message = json.loads(body)
        refill_parts.refill().run(message["account_id"], message["fall"])
        assert stripe.intents == []
        clock.advance(DELAY_MS)
        run()
        check_erased(aws, account_id)

    def test_with_a_payment_under_way_it_is_refused(self, ada: Browser, aws: Aws, stripe: FakeStripe) -> None:
        account_id = with_low_balance(ada, aws)
        stripe.breaks = True
        with pytest.raises(PaymentUnavailableError):
            refill_parts.refill().run(account_id, 1)
        answer = ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert answer.status == 409
        assert "top-up from your saved card is in progress" in answer.text
        refill_parts.refill().run(account_id, 1)
        assert ada.post("/closing", {"account": account_id, "balance": "give up"}).status < 400

    def test_what_was_paid_after_the_balance_was_given_up_is_not(
        self, ada: Browser, aws: Aws, clock: ManualClock
    ) -> None:
        account_id = close(ada)
        assert send(event(session(account_id, 2_500)))[1]["data"] == {"outcome": "credited"}
        clock.advance(DELAY_MS)
        run()
        console = operator_parts.operator().account_console
        account = console.get(account_id)
        assert (account.balance_micro_usd, console.shown(account)["closing"]["toRefund"]) == (
            125_000_000,
            True,
        )
        console.debit(account_id, "re_1", 25_000_000, "Refunded at Stripe")
        clock.advance(MS_PER_DAY)
        run()
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0
        (given_up, _) = sorted(
            api_parts.api().statement.page(account_id, {"kind": EntryKind.DEBIT})["entries"],
            key=lambda entry: entry["amountMicroUsd"],
        )
        assert (given_up["id"], given_up["amountMicroUsd"]) == (GIVEN_UP_ENTRY_ID, -100_000_000)
        assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None

    def test_a_payment_after_the_end_is_for_people_and_on_no_account(
        self, ada: Browser, clock: ManualClock, capsys: pytest.CaptureFixture[str]
    ) -> None:
        account_id = close(ada)
        clock.advance(DELAY_MS)
        run()
        assert send(event(session(account_id, 2_500)))[1]["data"] == {"outcome": "to_check"}
        assert capsys.readouterr().out.count('"Name":"PaymentToCheck"') == 1
        with pytest.raises(OperatorError, match="is closed"):
            operator_parts.operator().account_console.credit(account_id, "late", 1_000_000, "goodwill")
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0
        assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None

    def test_what_an_operator_suspended_meanwhile_is_not_erased(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        account_id = close(ada)
        console = operator_parts.operator().account_console
        console.suspend(account_id, "fraud")
        clock.advance(DELAY_MS)
        run()
        teams = close_accounts_parts.closure_worker().teams
        assert teams.get(account_id).members
        console.resume(account_id)
        clock.advance(MS_PER_DAY)
        run()
        assert teams.get(account_id).seq == 0


def with_low_balance(ada: Browser, aws: Aws) -> str:
    """Have an account fall below its threshold, with a saved card; return its id."""
    account_id = account_of(ada)
    api_parts.api().low_balance.save_customer(account_id, CUSTOMER)
    form = {"threshold": "500", "amount": "600", "monthly": "600"}
    api_parts.api().low_balance.change(account_id, form)
    assert record(counted_records(aws)) == {"batchItemFailures": []}
    return account_id


class TestErasing:
    def test_nothing_is_erased_before_its_time(self, ada: Browser, aws: Aws, clock: ManualClock) -> None:
        account_id = lived_in(ada, aws, clock)
        close(ada)
        clock.advance(DELAY_MS - 1)
        run()
        assert api_parts.api().reader.page(account_id, {})["tasks"]

    def test_after_a_week_nothing_is_left_but_what_has_to_stay(
        self, ada: Browser, aws: Aws, clock: ManualClock, stripe: FakeStripe
    ) -> None:
        account_id = lived_in(ada, aws, clock)
        assert {"TasksTable", "WatchesTable", "MediaBucket", "ResponsesTable"} <= set(traces(aws, account_id))
        close(ada)
        clock.advance(DELAY_MS)
        run()
        check_erased(aws, account_id)
        assert stripe.is_forgotten
        (given_up,) = api_parts.api().statement.page(account_id, {"kind": "debit"})["entries"]
        assert given_up["id"] == GIVEN_UP_ENTRY_ID
        run()
        check_erased(aws, account_id)
        # Who was a member is as before in an account of their own, and the owner finds a fresh one.
        assert Browser().sign_in(BOB) != account_id
        assert Browser().sign_in(ADA) != account_id

    def test_a_crash_after_any_step_is_mended_by_the_next_run(
        self, ada: Browser, aws: Aws, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        account_id = lived_in(ada, aws, clock)
        close(ada)
        clock.advance(DELAY_MS)
        # Each run dies one step later than the one before, and does again what that one did.
        for step in range(STEPS):
            with monkeypatch.context() as patch:
                patch.setattr(Erasure, "steps", crashing(step))
                with pytest.raises(RuntimeError):
                    run()
            clock.advance(RETRY_DELAY_MS)
        run()
        check_erased(aws, account_id)

    def test_a_crash_before_keys_were_ended_is_mended_at_once(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        account_id = account_of(ada)
        ada.get("/keys")
        ada.post("/keys", {"name": "Shop", "scopes": ["media"]})
        with monkeypatch.context() as patch:
            patch.setattr(AccountClosureService, "end_access", crash)
            ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert api_parts.api().keys.all(account_id)
        run()
        assert api_parts.api().keys.all(account_id) == []
        assert ada.get("").status == 303

    def test_money_that_is_to_be_refunded_is_waited_for(
        self, ada: Browser, aws: Aws, clock: ManualClock
    ) -> None:
        account_id = lived_in(ada, aws, clock)
        close(ada, "refund")
        clock.advance(DELAY_MS)
        run()
        left = api_parts.api().accounts.me(account_id).balance_micro_usd
        assert left > 0
        assert api_parts.api().reader.page(account_id, {})["tasks"]
        console = operator_parts.operator().account_console
        assert console.shown(console.get(account_id))["closing"]["toRefund"] is True
        console.by("op").debit(account_id, "refund-1", left, "Refunded at Stripe")
        clock.advance(MS_PER_DAY)
        run()
        check_erased(aws, account_id)

    def test_an_operator_stays_in_the_pool(self, pool: People, clock: ManualClock) -> None:
        owner = pool.add(ADA, operator=True)
        close_by_owner(pool.signed_in(owner), owner)
        clock.advance(DELAY_MS)
        run()
        assert pool.addresses() == [ADA]

    def test_who_has_another_account_goes_on_signing_in(self, pool: People, clock: ManualClock) -> None:
        owner, other = pool.add(ADA), pool.add(BOB)
        account_id, others = pool.signed_in(owner), pool.signed_in(other)
        joined(owner, others)
        close_by_owner(account_id, owner)
        clock.advance(DELAY_MS)
        run()
        assert pool.addresses() == [ADA, BOB]
        assert pool.signed_in(owner) == others

    def test_a_refusal_of_the_pool_is_told_and_tried_again(
        self, pool: People, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owner = pool.add(ADA)
        close_by_owner(account_id := pool.signed_in(owner), owner)
        clock.advance(DELAY_MS)
        with monkeypatch.context() as patch:
            patch.setattr(UserPool, "delete", crash)
            with pytest.raises(RuntimeError):
                run()
        assert pool.addresses() == [ADA]
        clock.advance(RETRY_DELAY_MS)
        run()
        assert pool.addresses() == []
        assert pool.signed_in(pool.add(ADA)) != account_id

    @pytest.mark.parametrize("given_up_already", [False, True])
    def test_money_that_comes_during_the_end_stops_it_for_an_operator(
        self,
        ada: Browser,
        clock: ManualClock,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        given_up_already: bool,
    ) -> None:
        account_id = close(ada)
        clock.advance(DELAY_MS)
        with monkeypatch.context() as patch:
            patch.setattr(Erasure, "steps", crashing(-1))
            with pytest.raises(RuntimeError):
                run()
        console = operator_parts.operator().account_console
        if given_up_already:
            worker = close_accounts_parts.closure_worker()
            worker._give_up(worker.teams.get(account_id))  # and it dies right after
        console.credit(account_id, "late", 5_000_000, "late payment")
        clock.advance(RETRY_DELAY_MS)
        run()
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == 5_000_000
        assert console.shown(console.get(account_id))["closing"]["toRefund"] is True
        assert "close_accounts.to_refund" in caplog.messages
        assert close_accounts_parts.closure_worker().teams.get(account_id).closing is not None
        assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None

    def test_one_account_that_fails_keeps_no_other(
        self, ada: Browser, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bob = Browser()
        bob.sign_in(BOB)
        bob.get("/closing")
        first, second = close(ada), close(bob)
        clock.advance(DELAY_MS)
        steps = Erasure.steps

        def failing(self: Erasure, team: Team) -> list[Callable[[], None]]:
            return [crash] if team.account_id == first else steps(self, team)

        monkeypatch.setattr(Erasure, "steps", failing)
        with pytest.raises(RuntimeError):
            run()
        teams = close_accounts_parts.closure_worker().teams
        assert teams.get(second).seq == 0
        assert teams.get(first).closing is not None


def crash(*_: object) -> None:
    raise RuntimeError("died here")


def crashing(after: int) -> Callable[[Erasure, Team], list[Callable[[], None]]]:
    """Return steps of which the process dies after one, or before all of them."""
    steps = Erasure.steps

    def some(self: Erasure, team: Team) -> list[Callable[[], None]]:
        all_steps = steps(self, team)
        assert len(all_steps) == STEPS
        return [*all_steps[: after + 1], crash]

    return some
