"""The law of a statement: its sums are the ledger's, to the micro-dollar, however entries are delivered."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from tests.support.laws import examples
from tests.unit.usage.test_roll_up import Books, change
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.usage.counts import Counts, DayCounts, LedgerSum
from tollgate.usage.statement import MonthStatement, month_statement, months_of, next_month

MONTHS = ("2026-10", "2026-11", "2026-12")
FIRST_MS, LAST_MS = (
    int(datetime(2026, month, day, tzinfo=UTC).timestamp() * 1000) for month, day in ((10, 1), (12, 31))
)
serial = count()


@pytest.fixture(scope="module")
def books() -> Iterator[Books]:
    with mock_aws():
        yield Books()


@st.composite
def an_entry(draw: st.DrawFn, accounts: Sequence[str]) -> Entry:
    account, model = draw(st.sampled_from(accounts)), draw(st.sampled_from(["test-image", "gpt-5.4-mini"]))
    # Often at the very edge of a month
    at = draw(st.integers(FIRST_MS, LAST_MS) | st.sampled_from([FIRST_MS, LAST_MS, 1_793_491_200_000 - 1]))
    amount, made = draw(st.integers(1, 10**9)), next(serial)
    key = draw(st.sampled_from([None, "key_a"]))
    charge = charge_entry(account, f"task_s{made}", model, amount, at, key_id=key)
    match draw(st.sampled_from("crtpd")):
        case "c":
            return charge
        case "r":
            return refund_of(charge, at)
        case "t":
            request = f"req_s{made}"
            return text_entry(
                account, request, model=model, charge_micro_usd=amount, usage={}, now_ms=at, key_id=key
            )
        # Named by a payment or an operator: two accounts may have one of the same name.
        case "p":
            return Entry(account, f"credit_{made // 2}", EntryKind.CREDIT, amount, at, reference="pi_1")
        case _:
            return Entry(account, f"debit_{made // 2}", EntryKind.DEBIT, -amount, at, reason="a mistake")


def month_of(entry: Entry) -> str:
    return datetime.fromtimestamp(entry.created_at_ms / 1000, tz=UTC).strftime("%Y-%m")


def summed(entries: Sequence[Entry], *kinds: EntryKind) -> int:
    return sum(entry.amount_micro_usd for entry in entries if entry.kind in kinds)


def stated(books: Books, account: str, month: str) -> MonthStatement:
    days = dict(books.usage.days(account, "2026-01-01", f"{month}-31"))
    return month_statement(month, days)


class TestTheLaw:
    @settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_each_month_is_the_ledgers_and_begins_where_the_last_one_ended(
        self, books: Books, data: st.DataObject
    ) -> None:
        accounts = [f"usr_s{next(serial)}", f"usr_s{next(serial)}"]
        drawn = data.draw(st.lists(an_entry(accounts), min_size=1, max_size=25))
        entries = list({(entry.account_id, entry.entry_id): entry for entry in drawn}.values())
        for batch in data.draw(st.lists(st.lists(st.sampled_from(entries), max_size=12), max_size=3)):
            assert books.recorder.record([change(entry) for entry in batch]) == []
        assert books.recorder.record([change(entry) for entry in entries]) == []
        for account in accounts:
            own = [entry for entry in entries if entry.account_id == account]
            opening = 0
            for month in MONTHS:
                statement = stated(books, account, month)
                of_month = [entry for entry in own if month_of(entry) == month]
                assert statement.opening_micro_usd == opening
                assert statement.credits_micro_usd == summed(of_month, EntryKind.CREDIT)
                assert statement.debits_micro_usd == summed(of_month, EntryKind.DEBIT)
                assert statement.charges_micro_usd == summed(of_month, EntryKind.CHARGE, EntryKind.TEXT)
                assert statement.refunds_micro_usd == summed(of_month, EntryKind.REFUND)
                opening += summed(of_month, *EntryKind)
                assert statement.closing_micro_usd == opening
                for rows in (statement.by_model, statement.by_key):
                    assert -sum(each.spent_micro_usd for _, each in rows) == statement.charges_micro_usd
                    assert sum(each.refunded_micro_usd for _, each in rows) == statement.refunds_micro_usd

    def test_payments_are_listed_by_their_ids(self, books: Books) -> None:
        entries = [
            Entry("usr_listed", "credit_1", EntryKind.CREDIT, 5, FIRST_MS),
            Entry("usr_listed", "debit_1", EntryKind.DEBIT, -2, FIRST_MS),
            charge_entry("usr_listed", "task_listed", "test-image", 1, FIRST_MS),
        ]
        assert books.recorder.record([change(entry) for entry in entries]) == []
        ((_, counts),) = books.usage.days("usr_listed", "2026-10-01", "2026-10-31")
        assert sorted(counts.listed) == ["credit_1", "debit_1"]


def day(**kinds: int) -> DayCounts:
    return DayCounts({}, {}, {kind: LedgerSum(amount, 1) for kind, amount in kinds.items()})


def test_searches_of_the_web_are_named_below_the_sums_of_a_csv() -> None:
    counts = Counts(spent_micro_usd=50_000, requests=2, web_searches=3, web_search_micro_usd=30_000)
    odd = Counts(spent_micro_usd=9, requests=1, web_searches=2, web_search_micro_usd=9)
    kinds = {str(EntryKind.TEXT): LedgerSum(-50_009, 3)}
    days = {"2026-11-21": DayCounts({"gpt": counts, "odd": odd}, {"key_a": counts}, kinds)}
    lines = [list(line) for line in month_statement("2026-11", days).lines({})]
    at = [line[0] for line in lines].index("closing")
    assert lines[at + 1 : at + 3] == [
        ["web_searches", "gpt", "", "3 searches at 0.01 USD", "", Decimal("-0.03"), -30_000],
        ["web_searches", "odd", "", "2 searches", "", Decimal("-0.000009"), -9],
    ]
    amounts: list[Any] = [line[-1] for line in lines]
    assert sum(amounts[:at]) == amounts[at] == -50_009
    assert (counts.view()["webSearches"], counts.view()["webSearchMicroUsd"]) == (3, 30_000)


class TestMonths:
    def test_every_month_to_this_one_has_a_statement(self) -> None:
        days = {"2026-11-30": day(credit=5), "2027-02-01": day(charge=-1)}
        assert months_of(days, "2027-03") == ["2027-03", "2027-02", "2027-01", "2026-12", "2026-11"]

    def test_an_account_without_entries_has_this_one(self) -> None:
        assert months_of({}, "2026-11") == ["2026-11"]

    def test_of_days_that_were_counted_without_kinds_there_is_none(self) -> None:
        days = {"2026-10-30": DayCounts({}, {}), "2026-10-31": day(credit=5), "2026-11-02": day(charge=-1)}
        assert months_of(days, "2026-12") == ["2026-12", "2026-11"]
        assert months_of(days, "2026-10") == []

    @pytest.mark.parametrize(("month", "after"), [("2026-11", "2026-12"), ("2026-12", "2027-01")])
    def test_the_month_after(self, month: str, after: str) -> None:
        assert next_month(month) == after

    def test_what_was_there_before_opens_the_first(self) -> None:
        statement = month_statement("2026-11", {"2026-11-02": day(charge=-30)}, before_micro_usd=100)
        assert (statement.opening_micro_usd, statement.closing_micro_usd) == (100, 70)
