"""Money around a text request where the database fails at the worst moment."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tests.unit.text.samples import choosing, small_model
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.dynamodb.core import DatabaseError, Written
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import SingleWrite
from tollgate.ledger.audit import audit
from tollgate.ledger.budgets import NOBODY
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import HOLD_LIFETIME_MS
from tollgate.ledger.rate import RateMeter
from tollgate.text.money.billing import TextBilling
from tollgate.text.money.metering import Demand
from tollgate.text.usage import Usage

MODEL = small_model()
USAGE = Usage(100, 10)
CHARGE = 100 * 1 + 10 * 2


class FailingDatabase:
    """moto behind the interface of the lean client; it fails from its nth write on while `down`."""

    def __init__(self, aws: Aws) -> None:
        self._db = Database(aws.clients.dynamodb)
        self.down_after: int | None = None

    async def get(self, table: str, key: Item) -> Item | None:
        return self._db.get(table, key)

    async def write(self, write: SingleWrite) -> Written:
        if self.down_after is not None:
            self.down_after -= 1
            if self.down_after < 0:
                raise DatabaseError("down")
        return self._db.write(write)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    found = asyncio.new_event_loop()
    yield found
    found.close()


class TestSettling:
    @pytest.mark.parametrize("writes_that_work", [0, 1])
    def test_a_hold_whose_settling_began_is_never_given_back_as_well(
        self, aws: Aws, clock: ManualClock, loop: asyncio.AbstractEventLoop, writes_that_work: int
    ) -> None:
        database = FailingDatabase(aws)
        writes = HoldWrites(aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"])
        billing = TextBilling(database, writes, clock, RateMeter(600))  # type: ignore[arg-type]
        account_id = api_parts.api().accounts.open(10_000).account_id
        placed = loop.run_until_complete(
            billing.place(account_id, "req_1", choosing(Demand(200, 100), MODEL), None, spender=NOBODY)
        )
        database.down_after = writes_that_work
        with pytest.raises(DatabaseError):
            loop.run_until_complete(billing.settle(placed, MODEL, USAGE))
        database.down_after = None
        # What the service does when anything is raised: it must not turn a billed request into a free one.
        loop.run_until_complete(billing.void(placed))
        ledger = run_task_parts.step_runner().ledger
        clock.advance_ms(HOLD_LIFETIME_MS + 1)
        assert ledger.expire_holds(clock.now_ms(), 10) == 1
        account = api_parts.api().accounts.me(account_id)
        # The row that was written is what the hold is settled by; without one it goes back whole.
        assert account.balance_micro_usd == 10_000 - (CHARGE if writes_that_work else 0)
        assert audit(account_id, account.balance_micro_usd, ledger.entries(account_id)) is None

    def test_a_usage_that_cannot_be_is_said_and_not_stored_as_such(
        self,
        aws: Aws,
        clock: ManualClock,
        loop: asyncio.AbstractEventLoop,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        writes = HoldWrites(aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"])
        billing = TextBilling(FailingDatabase(aws), writes, clock, RateMeter(600))  # type: ignore[arg-type]
        account_id = api_parts.api().accounts.open(10_000).account_id
        placed = loop.run_until_complete(
            billing.place(account_id, "req_1", choosing(Demand(100, 10), MODEL), None, spender=NOBODY)
        )
        used = Usage(100, 10, estimated=True, disbelieved=True)
        assert loop.run_until_complete(billing.settle(placed, MODEL, used)).charge_micro_usd == CHARGE
        (entry,) = (
            one for one in run_task_parts.step_runner().ledger.entries(account_id) if one.kind == "text"
        )
        assert entry.usage == {"input_tokens": 100, "output_tokens": 10, "estimated": True}
        assert "text.usage_disbelieved" in caplog.text

    def test_a_charge_above_the_hold_is_capped_and_said(
        self, aws: Aws, clock: ManualClock, loop: asyncio.AbstractEventLoop
    ) -> None:
        writes = HoldWrites(aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"])
        billing = TextBilling(FailingDatabase(aws), writes, clock, RateMeter(600))  # type: ignore[arg-type]
        account_id = api_parts.api().accounts.open(10_000).account_id
        placed = loop.run_until_complete(
            billing.place(account_id, "req_1", choosing(Demand(10, 10), MODEL), None, spender=NOBODY)
        )
        billed = loop.run_until_complete(billing.settle(placed, MODEL, Usage(1000, 10)))
        assert billed.charge_micro_usd == placed.hold.amount_micro_usd
        assert billed.shortfall_micro_usd == 1000 + 20 - placed.hold.amount_micro_usd


def test_a_request_whose_hold_is_gone_is_not_taken_over(
    aws: Aws, clock: ManualClock, loop: asyncio.AbstractEventLoop
) -> None:
    writes = HoldWrites(aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"])
    first, second = (
        TextBilling(FailingDatabase(aws), writes, clock, RateMeter(600))  # type: ignore[arg-type]
        for _ in range(2)
    )
    account_id = api_parts.api().accounts.open(10_000).account_id
    placed = loop.run_until_complete(
        first.place(account_id, "req_1", choosing(Demand(10, 10), MODEL), None, spender=NOBODY)
    )
    first.hand_over(placed)
    assert loop.run_until_complete(second.take_over(placed))
    loop.run_until_complete(second.void(placed))
    assert not loop.run_until_complete(first.take_over(placed))
    assert api_parts.api().accounts.me(account_id).balance_micro_usd == 10_000
