"""The end of an account: shut at once, kept for a week, erased whatever dies in between; the books agree."""

import json

import pytest

from tests.conftest import Aws
from tests.functional import closing
from tests.functional.closing import (
    ADA,
    account_of,
    check_erased,
    close,
    crashing,
    run,
    with_low_balance,
)
from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_members import invite, member
from tests.functional.test_api import call
from tests.functional.test_payments import send
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.payments import event, session
from tests.support.samples import PAID_IMAGE
from tests.support.stripe import FakeStripe
from tests.support.tasks import create_task
from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.service import DELAY_MS
from tollgate.account_closure.worker import GIVEN_UP_ENTRY_ID
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.composition import command as operator_parts
from tollgate.composition import refill_balance as refill_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.suspension import BEING_CLOSED
from tollgate.operator.errors import OperatorError
from tollgate.payments.errors import PaymentUnavailableError
from tollgate.subaccounts.repository import SubaccountRepository

ada = closing.ada
pytestmark = pytest.mark.usefixtures("dashboard")


class TestAskingForIt:
    def test_keys_and_sessions_end_at_once_and_nothing_can_be_spent(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        account_id, other = account_of(ada), Browser(ada.session, ada.csrf)
        ada.get("/keys")
        made = ada.post("/keys", {"name": "Shop", "scopes": ["media", "account"]}).text
        key = made.split("data-new-key>")[1].split("<")[0]
        assert call("GET", "/api/v1/user/me", key)[0] == 200
        close(ada)
        # What a process remembers of a key for.
        clock.advance_ms(30_000)
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
        create_task(account_id, {"model": PAID_IMAGE, **with_prompt("x")})
        answer = ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert answer.status == 409
        assert "Running generations: 1." in answer.text

    def test_a_sub_account_that_is_created_meanwhile_refuses_it(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        account_id, count = account_of(ada), SubaccountRepository.count
        made: list[object] = []

        def then_created(repository: SubaccountRepository, parent: str) -> int:
            found = count(repository, parent)
            if not made:
                made.append(api_parts.api().subaccounts.create(parent, {"name": "Acme"}, by=None))
            return found

        monkeypatch.setattr(SubaccountRepository, "count", then_created)
        answer = ada.post("/closing", {"account": account_id, "balance": "give up"})
        assert answer.status == 409
        assert "Open sub-accounts: 1." in answer.text
        assert api_parts.api().accounts.me(account_id).suspended is None

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
        invite(ada)
        account_id = close(ada)
        assert "Sign in within 7 days to keep it." in ada.get("/sign-in").text
        clock.advance_ms(MS_PER_DAY)
        assert ada.sign_in(ADA) == account_id
        shown = ada.get("/keys").text
        assert "This account is being closed" in shown
        # That notice says what to do; an operator has nothing to resume.
        assert "This account is suspended" not in shown
        assert ada.post("/keys", {"name": "x", "scopes": ["media"]}).status == 403
        assert ada.post("/closing/undo").status == 200
        assert "The account is kept." in ada.get("").text
        # An invitation that has ended stays ended.
        assert close_accounts_parts.closure_worker().teams.get(account_id).invitations == ()
        assert ada.post("/keys", {"name": "x", "scopes": ["media"]}).status == 200
        clock.advance_ms(2 * DELAY_MS)
        run()
        assert api_parts.api().accounts.me(account_id).suspended is None
        assert api_parts.api().keys.all(account_id)

    def test_an_operators_suspension_is_not_lifted_by_it(self, ada: Browser, clock: ManualClock) -> None:
        account_id = close(ada)
        operator_parts.operator().account_console.suspend(account_id, "fraud")
        clock.advance_ms(1)
        ada.sign_in(ADA)
        assert "This account is suspended" in ada.get("").text
        assert ada.post("/closing/undo").status == 403
        assert api_parts.api().accounts.me(account_id).suspended == "fraud"

    def test_an_owner_keeps_one_that_an_operator_has_resumed(self, ada: Browser, clock: ManualClock) -> None:
        account_id = close(ada)
        console = operator_parts.operator().account_console
        console.suspend(account_id, "fraud")
        console.resume(account_id)
        # As the owner left it, so it spends nothing and has no automatic top-up.
        assert api_parts.api().accounts.me(account_id).suspended == BEING_CLOSED
        clock.advance_ms(1)
        ada.sign_in(ADA)
        assert ada.post("/closing/undo").status == 200
        assert api_parts.api().accounts.me(account_id).suspended is None
        assert close_accounts_parts.closure_worker().teams.get(account_id).closing is None

    def test_once_it_is_being_erased_it_is_too_late(
        self, ada: Browser, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        close(ada)
        clock.advance_ms(DELAY_MS)
        monkeypatch.setattr(Erasure, "steps", crashing(-1))
        with pytest.raises(RuntimeError):
            run()
        clock.advance_ms(1)
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
        clock.advance_ms(DELAY_MS)
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
        clock.advance_ms(DELAY_MS)
        run()
        console = operator_parts.operator().account_console
        account = console.get(account_id)
        assert (account.balance_micro_usd, console.shown(account)["closing"]["toRefund"]) == (
            125_000_000,
            True,
        )
        console.debit(account_id, "re_1", 25_000_000, "Refunded at Stripe")
        clock.advance_ms(MS_PER_DAY)
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
        clock.advance_ms(DELAY_MS)
        run()
        assert send(event(session(account_id, 2_500)))[1]["data"] == {"outcome": "to_check"}
        assert capsys.readouterr().out.count('"Name":"PaymentToCheck"') == 1
        with pytest.raises(OperatorError, match="is closed"):
            operator_parts.operator().account_console.credit(account_id, "late", 1_000_000, "goodwill")
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0
        assert check_ledger_parts.ledger_audit().check(account_id, full=True).drift is None

    def test_it_is_not_erased_while_money_of_a_sub_account_has_not_returned(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        account_id, subaccounts = account_of(ada), api_parts.api().subaccounts
        child = subaccounts.create(account_id, {"name": "Acme", "markupPercent": 100}, by=None)["id"]
        subaccounts.transfer(account_id, child, {"amountCents": 20}, "one", by=None)
        task_id = str(create_task(child, {"model": PAID_IMAGE, **with_prompt("x")})["taskId"])
        subaccounts.close(account_id, child, None)
        console = operator_parts.operator().account_console
        console.suspend(child, "fraud")
        run_to_end(task_id, clock)
        close(ada)
        clock.advance_ms(DELAY_MS)
        run()
        teams = close_accounts_parts.closure_worker().teams
        assert teams.get(account_id).members
        console.resume(child)
        clock.advance_ms(MS_PER_DAY)
        run()
        # 18 cents are left of 20, and the mark-up of 1 was earned.
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == (9980 + 18 + 1) * 10_000
        clock.advance_ms(MS_PER_DAY)
        run()
        assert console.shown(console.get(account_id))["closing"]["toRefund"] is True
        # It has ended, whatever an operator does with its row.
        console.suspend(child, "fraud, again")
        console.debit(account_id, "refund", 190_000, "Refunded at Stripe")
        clock.advance_ms(MS_PER_DAY)
        run()
        assert (teams.get(account_id).seq, teams.get(child).seq) == (0, 0)
        audit = check_ledger_parts.ledger_audit()
        assert [audit.check(each, full=True).drift for each in (account_id, child)] == [None, None]

    def test_what_an_operator_suspended_meanwhile_is_not_erased(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        account_id = close(ada)
        console = operator_parts.operator().account_console
        console.suspend(account_id, "fraud")
        clock.advance_ms(DELAY_MS)
        run()
        teams = close_accounts_parts.closure_worker().teams
        assert teams.get(account_id).members
        console.resume(account_id)
        clock.advance_ms(MS_PER_DAY)
        run()
        assert teams.get(account_id).seq == 0
