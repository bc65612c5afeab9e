"""What goes over the wire as text is what the writes say as values."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.errors import AccountSuspendedError, UserNotFoundError
from tollgate.kit.rows import Item, attributes_text, to_attributes
from tollgate.kit.writes import EncodedWrite, Write
from tollgate.ledger.caps import Allowance
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.hold_requests import HoldRequests
from tollgate.ledger.holds import (
    AlreadyRecordedError,
    AlreadyResolvedError,
    Hold,
    HoldRefusedError,
    HoldWrites,
    text_entry,
)
from tollgate.ledger.rate import RateWindow

WRITES = HoldWrites('Accounts"-1', "Ledger\\é")
REQUESTS = HoldRequests(WRITES)
AMOUNTS = st.integers(0, 10**12)
TIMES = st.integers(0, 10**13)
NAMES = st.text(min_size=1, max_size=30)
HOLDS = st.builds(
    Hold, st.one_of(NAMES, st.just("req_01JD")), AMOUNTS, TIMES, st.none() | NAMES, st.booleans()
)
WINDOWS = st.builds(RateWindow, st.integers(0, 10**8), st.booleans(), st.integers(1, 999_999))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def sent(write: Write | EncodedWrite) -> tuple[str, Any]:
    return write.kind(), write.request()


@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=4))
def test_a_row_as_text_is_the_row(row: Item) -> None:
    assert json.loads(f"{{{attributes_text(row)}}}") == to_attributes(row)


def test_what_goes_into_no_row_goes_into_no_text() -> None:
    with pytest.raises(TypeError, match="float"):
        attributes_text({"amount": 0.5})


@given(NAMES, HOLDS, WINDOWS, st.integers(1, 480), st.booleans(), st.booleans())
def test_a_hold_is_placed(
    row: str, hold: Hold, window: RateWindow, most: int, returns: bool, is_capped: bool
) -> None:
    allowance = Allowance("spent#k#2026-11", 10**13, 0) if is_capped else None
    ours = REQUESTS.place(row, hold, window, allowance, most=most, returns=returns)
    assert sent(ours) == sent(WRITES.place(row, hold, window, allowance, most=most, returns=returns))


@given(NAMES, HOLDS, st.integers(0, 10**12))
def test_a_hold_is_resolved(row: str, hold: Hold, charge: int) -> None:
    if charge > hold.amount_micro_usd:
        with pytest.raises(ValueError, match="not within the hold"):
            REQUESTS.resolve(row, hold, charge)
    else:
        assert sent(REQUESTS.resolve(row, hold, charge)) == sent(WRITES.resolve(row, hold, charge))


@given(NAMES, NAMES, NAMES, AMOUNTS, st.dictionaries(NAMES, st.integers() | st.booleans(), max_size=3), TIMES)
def test_a_charge_is_recorded(
    account: str, request: str, model: str, charge: int, usage: dict[str, Any], now_ms: int
) -> None:
    optional = {"provider": None, "reason": model, "key_id": request, "latency_ms": charge}
    entry = text_entry(
        account,
        request,
        model=model,
        charge_micro_usd=charge,
        usage=usage,
        now_ms=now_ms,
        **optional,  # type: ignore[arg-type]
    )
    assert sent(REQUESTS.record(entry)) == sent(WRITES.record(entry))


class TestRefusals:
    hold = Hold("req_01JD", 5, 1)
    window = RateWindow(1, opens=False, limit=60)

    def test_a_hold_that_is_not_placed(self) -> None:
        place = REQUESTS.place("usr_1", self.hold, self.window)
        account = {"account_id": "usr_1", "balance_micro_usd": 4, "holds": {}, "request_rate": 1_000_001}
        refused = place.refused(account)
        assert isinstance(refused, HoldRefusedError)
        assert (refused.balance_micro_usd, refused.rate) == (4, None)
        assert isinstance(place.refused(None), UserNotFoundError)
        assert isinstance(place.refused({**account, "suspended": {}}), AccountSuspendedError)

    def test_a_hold_whose_answer_was_lost_is_there(self) -> None:
        place = REQUESTS.place("usr_1", self.hold, self.window)
        assert place.repeated({"holds": {"01JD": 1}})
        assert not place.repeated({"holds": {"01JE": 1}})

    def test_a_charge_that_is_there_and_a_hold_that_is_not(self) -> None:
        entry = Entry("usr_1", "req_01JD#text", EntryKind.VOID, 0, 1)
        refused = REQUESTS.record(entry).refused(entry.to_item())
        assert isinstance(refused, AlreadyRecordedError)
        assert refused.entry == entry
        assert isinstance(REQUESTS.resolve("usr_1", self.hold, 1).refused(None), AlreadyResolvedError)
