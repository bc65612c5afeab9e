"""The end of an account: erased whatever dies in between; the books agree."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conftest import Aws
from tests.functional import closing
from tests.functional.closing import (
    ADA,
    BOB,
    STEPS,
    account_of,
    check_erased,
    close,
    close_by_owner,
    crash,
    crashing,
    lived_in,
    run,
    traces,
)
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.stripe import FakeStripe
from tests.support.user_pool import People
from tollgate.account_closure.erasure import Erasure
from tollgate.account_closure.service import DELAY_MS, AccountClosureService
from tollgate.account_closure.user_pool import UserPool
from tollgate.account_closure.worker import GIVEN_UP_ENTRY_ID, RETRY_DELAY_MS
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.composition import command as operator_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.ledger.callers import Caller
from tollgate.members.identities import Person
from tollgate.members.team import Team

ada = closing.ada
pool = closing.pool
pytestmark = pytest.mark.usefixtures("dashboard")


def joined(person: Person, account_id: str) -> None:
    """Make a person a member of one more account."""
    members = dashboard_parts.dashboard().members
    team, known = members.teams.get(account_id), members.people.get(person.identity_id)
    member = replace(team.members[0], identity_id=person.identity_id)
    changed = replace(team, members=(*team.members, member))
    gets_it = members.people.joined(known, account_id)
    members.teams._db.transact([members.teams.change(team, changed), gets_it])


class TestErasing:
    def test_nothing_is_erased_before_its_time(self, ada: Browser, aws: Aws, clock: ManualClock) -> None:
        account_id = lived_in(ada, aws, clock)
        close(ada)
        clock.advance_ms(DELAY_MS - 1)
        run()
        assert api_parts.api().reader.page(Caller.of_account(account_id), {})["tasks"]

    def test_after_a_week_nothing_is_left_but_what_has_to_stay(
        self, ada: Browser, aws: Aws, clock: ManualClock, stripe: FakeStripe
    ) -> None:
        account_id = lived_in(ada, aws, clock)
        assert {"TasksTable", "WatchesTable", "MediaBucket", "ResponsesTable"} <= set(traces(aws, account_id))
        close(ada)
        clock.advance_ms(DELAY_MS)
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
        clock.advance_ms(DELAY_MS)
        # Each run dies one step later than the one before, and does again what that one did.
        for step in range(STEPS):
            with monkeypatch.context() as patch:
                patch.setattr(Erasure, "steps", crashing(step))
                with pytest.raises(RuntimeError):
                    run()
            clock.advance_ms(RETRY_DELAY_MS)
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
        clock.advance_ms(DELAY_MS)
        run()
        left = api_parts.api().accounts.me(account_id).balance_micro_usd
        assert left > 0
        assert api_parts.api().reader.page(Caller.of_account(account_id), {})["tasks"]
        console = operator_parts.operator().account_console
        assert console.shown(console.get(account_id))["closing"]["toRefund"] is True
        console.by("op").debit(account_id, "refund-1", left, "Refunded at Stripe")
        clock.advance_ms(MS_PER_DAY)
        run()
        check_erased(aws, account_id)

    def test_an_operator_stays_in_the_pool(self, pool: People, clock: ManualClock) -> None:
        owner = pool.add(ADA, operator=True)
        close_by_owner(pool.signed_in(owner), owner)
        clock.advance_ms(DELAY_MS)
        run()
        assert pool.addresses() == [ADA]

    def test_who_has_another_account_goes_on_signing_in(self, pool: People, clock: ManualClock) -> None:
        owner, other = pool.add(ADA), pool.add(BOB)
        account_id, others = pool.signed_in(owner), pool.signed_in(other)
        joined(owner, others)
        close_by_owner(account_id, owner)
        clock.advance_ms(DELAY_MS)
        run()
        assert pool.addresses() == [ADA, BOB]
        assert pool.signed_in(owner) == others

    def test_a_refusal_of_the_pool_is_told_and_tried_again(
        self, pool: People, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owner = pool.add(ADA)
        close_by_owner(account_id := pool.signed_in(owner), owner)
        clock.advance_ms(DELAY_MS)
        with monkeypatch.context() as patch:
            patch.setattr(UserPool, "delete", crash)
            with pytest.raises(RuntimeError):
                run()
        assert pool.addresses() == [ADA]
        clock.advance_ms(RETRY_DELAY_MS)
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
        clock.advance_ms(DELAY_MS)
        with monkeypatch.context() as patch:
            patch.setattr(Erasure, "steps", crashing(-1))
            with pytest.raises(RuntimeError):
                run()
        console = operator_parts.operator().account_console
        if given_up_already:
            worker = close_accounts_parts.closure_worker()
            worker._give_up(worker.teams.get(account_id))  # and it dies right after
        console.credit(account_id, "late", 5_000_000, "late payment")
        clock.advance_ms(RETRY_DELAY_MS)
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
        clock.advance_ms(DELAY_MS)
        steps = Erasure.steps

        def failing(self: Erasure, team: Team) -> list[Callable[[], None]]:
            return [crash] if team.account_id == first else steps(self, team)

        monkeypatch.setattr(Erasure, "steps", failing)
        with pytest.raises(RuntimeError):
            run()
        teams = close_accounts_parts.closure_worker().teams
        assert teams.get(second).seq == 0
        assert teams.get(first).closing is not None
