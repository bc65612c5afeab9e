"""The charge of a line from the money of its parcel: once, and never without the money."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.clock import ManualClock
from tests.unit.batches.samples import parcel
from tests.unit.text.samples import text_model
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.parcels import Parcel
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.hold_entries import charge_ids
from tollgate.ledger.hold_writes import HoldWrites
from tollgate.ledger.holds import Hold
from tollgate.ledger.reservations import Reservation, ReservationShortError
from tollgate.ledger.wallets import row_ids
from tollgate.text.money.metering import HoldPlan
from tollgate.text.usage import Usage

RESERVED = Reservation("quo_1", "usr_1", "key_1", 9_000, Attribution())
PARCEL = parcel(key_id="key_1", amount_micro_usd=50, reservation=RESERVED.to_item())
ENTRY_IDS = charge_ids("req_1")


class Books:
    """The database and the billing: which entries are there, and whether the reservation covers a line."""

    def __init__(self, *entries: str, is_short: bool = False) -> None:
        self.entries, self.is_short = entries, is_short
        self.taken = self.settled = 0

    async def get(self, table: str, key: dict[str, str]) -> dict[str, str] | None:
        assert (table, key["account_id"]) == ("Ledger", "usr_1")
        return key if key["entry_id"] in self.entries else None

    async def write(self, _: Any) -> Any:
        if self.is_short:
            raise ReservationShortError("usr_1")
        self.taken += 1
        return SimpleNamespace(is_doubtful=False)

    async def settle(self, placed: Any, model: Any, usage: Usage) -> None:
        assert placed.hold.amount_micro_usd == 7
        self.settled += 1


@pytest.mark.parametrize(
    ("books", "parcel", "expected"),
    [
        (Books(), PARCEL, (True, 1, 1)),
        # Without its money, a line is not answered from here: it runs the ordinary way.
        (Books(is_short=True), PARCEL, (False, 0, 0)),
        (Books(), replace(PARCEL, reservation=None), (False, 0, 0)),
        # A worker that died has charged it, so the money is not taken again.
        *[(Books(one, is_short=True), PARCEL, (True, 0, 1)) for one in ENTRY_IDS],
    ],
    ids=["covered", "short", "gone", *ENTRY_IDS],
)
def test_a_line_is_charged_only_from_the_money_of_its_parcel(
    books: Books, parcel: Parcel, expected: tuple[bool, int, int]
) -> None:
    writes = HoldWrites("Accounts", "Ledger")
    money = ParcelMoney(cast("Any", books), writes, cast("Any", books), ManualClock())
    charged = money.charge(
        parcel, "req_1", HoldPlan(7, 0), model=text_model(), usage=Usage(1, 1), api="openai.chat"
    )
    assert (asyncio.run(charged), books.taken, books.settled) == expected


class Rows:
    """The rows of an account, and the writes of a transaction."""

    def __init__(self, rows: dict[str, Any]) -> None:
        self.rows = rows
        self.written: list[Any] = []

    async def get(self, _: str, key: dict[str, str]) -> Any:
        return self.rows.get(key["account_id"])

    async def transact(self, writes: list[Any]) -> None:
        self.written += writes


@pytest.mark.parametrize("row_id", row_ids("usr_1", 2))
def test_money_that_a_worker_reserved_before_it_died_is_returned_to_its_row(row_id: str) -> None:
    rows: dict[str, Any] = {name: {"wallets": 2} for name in row_ids("usr_1", 2)}
    rows[row_id]["holds"] = {"quo_1": Hold("quo_1", 50, 9_000).to_value()}
    db = Rows(rows)
    money = ParcelMoney(cast("Any", db), HoldWrites("Accounts", "Ledger"), cast("Any", None), ManualClock())
    asyncio.run(money.release("usr_1", replace(PARCEL, reservation=None)))
    assert [write.row for write in db.written] == [{"account_id": row_id}]
