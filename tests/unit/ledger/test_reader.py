"""Reads of the ledger, on moto."""

from dataclasses import replace

import pytest

from tests.conftest import Aws
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import Item, to_attributes
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import Hold
from tollgate.ledger.reader import LedgerReader


def posted(aws: Aws, *entries: Entry) -> LedgerReader:
    """Return a reader of a ledger that has these entries."""
    refs, client = aws.stack.refs, aws.clients.dynamodb
    for each in entries:
        client.put_item(TableName=refs["LedgerTable"], Item=to_attributes(each.to_item()))
    return LedgerReader(Database(client), refs["AccountsTable"], refs["LedgerTable"])


@pytest.mark.parametrize(
    ("first_ms", "end_ms", "limit", "expected"),
    [
        (1, 10, None, ["b", "a", "c", "d"]),
        (2, 4, None, ["a", "c"]),
        (1, 10, 1, ["b"]),
        (4, 4, None, []),
    ],
)
def test_entries_come_in_the_order_of_time_and_id(
    aws: Aws, first_ms: int, end_ms: int, limit: int | None, expected: list[str]
) -> None:
    times = {"c": 2, "a": 2, "b": 1, "d": 4}
    reader = posted(aws, *(Entry("usr_1", name, EntryKind.CREDIT, 5, at) for name, at in times.items()))
    found = reader.oldest_first("usr_1", first_ms, end_ms, limit)
    assert [entry.entry_id for entry in found] == expected


def test_entries_of_one_millisecond_are_sorted_because_an_index_has_no_order_for_them() -> None:
    rows = [
        Entry("usr_1", name, EntryKind.CREDIT, 5, at).to_item() for name, at in [("b", 1), ("a", 1), ("c", 2)]
    ]

    class Index:
        def query(self, *_: object, **__: object) -> list[Item]:
            return rows

    found = LedgerReader(Index(), "Accounts", "Ledger").oldest_first("usr_1", 0, 9)  # type: ignore[arg-type]
    assert [entry.entry_id for entry in found] == ["a", "b", "c"]


@pytest.mark.parametrize(("others", "wrong"), [([], ["t"]), ([-5], []), ([-4], ["t"])])
def test_a_transfer_needs_the_same_amount_in_the_other_account(
    aws: Aws, others: list[int], wrong: list[str]
) -> None:
    entries = [
        Entry(account_id, "t", EntryKind.TRANSFER, amount, 1, peer=peer)
        for account_id, peer, amount in [
            ("usr_1", "usr_2", 5),
            *(("usr_2", "usr_1", each) for each in others),
        ]
    ]
    ((_, found),) = posted(aws, *entries).lines_by_id("usr_1")
    assert found == wrong


def test_money_that_is_billed_is_no_longer_in_its_hold(aws: Aws) -> None:
    reader = posted(aws, Entry("usr_1", "req_1#text", EntryKind.TEXT, -250, 1))
    assert reader.total_funds("usr_1", 300, []) == 300
    assert reader.total_funds("usr_1", 300, [Hold("req_1", 700, 9), Hold("req_2", 50, 9)]) == 300 + 450 + 50


def test_a_payment_has_one_credit_besides_its_corrections(aws: Aws) -> None:
    paid = Entry("usr_1", "credit_2", EntryKind.CREDIT, 5, 1, reference="pi_1")
    corrections = [
        replace(paid, entry_id="credit_1", reason="The dispute was won."),
        replace(paid, entry_id="a_debit", kind=EntryKind.DEBIT),
        replace(paid, entry_id="z_debit", kind=EntryKind.DEBIT),
    ]
    assert posted(aws, *corrections).credit_of("pi_1") is None
    assert posted(aws, paid).credit_of("pi_1") == paid


def test_no_more_credits_are_read_than_wanted(aws: Aws) -> None:
    credits_ = [Entry("usr_1", f"credit_{n}", EntryKind.CREDIT, 5, 1) for n in range(3)]
    reader = posted(aws, *credits_, Entry("usr_1", "debit_1", EntryKind.DEBIT, -5, 1))
    assert [reader.credits("usr_1", most) for most in (2, 9)] == [credits_[:2], credits_]
