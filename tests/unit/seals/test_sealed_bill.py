"""A bill that can be verified: what is sealed and when, and that each change of a document is named."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from typing import Any

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tests.unit.ledger.test_proof import CENT, HOUR_MS, Books
from tollgate.composition import api as api_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.service import OutOfTimeError
from tollgate.seals import sealer, service, tree
from tollgate.seals.models import Block, sealed_form
from tollgate.seals.repository import SealRepository
from tollgate.seals.sealer import SealBrokenError, Sealer
from tollgate.seals.service import SealedLedger
from tollgate.seals.signing import SigningKey
from tollgate.seals.verification import (
    VerificationError,
    verify_statement,
)

# 2023-11-14T22:13:20Z
MONTH, DAY = "2023-11", "2023-11-14"


def always() -> bool:
    return True


class Bill(Books):
    """An account's books, with seals. Every entry is written at noon of a day."""

    def __init__(self, aws: Aws, clock: ManualClock, secret: str = "first") -> None:  # noqa: S107
        super().__init__(aws, clock)
        self.seals = SealRepository(self.db, self.refs["SealsTable"])
        self.sealer = Sealer(self.ledger, self.seals, lambda: secret, clock)
        self.shown = SealedLedger(self.ledger, self.seals, clock)

    def next_day(self, days: int = 1) -> None:
        """Go to 12:00 of a later day."""
        self.clock.set((self.clock.now_ms() // MS_PER_DAY + days) * MS_PER_DAY + 12 * HOUR_MS)

    def write(
        self, entry_id: str, at_ms: int | None = None, amount: int = 1, account: str | None = None
    ) -> None:
        """Write a debit, with a time of its own if it is late."""
        now_ms = self.clock.now_ms() if at_ms is None else at_ms
        self.ledger.debit(
            Entry(account or self.id, f"debit_{entry_id}", EntryKind.DEBIT, -amount, now_ms, reason="Test")
        )

    def seal(self, account: str | None = None, **options: Any) -> None:
        self.sealer.seal(account or self.id, always, **options)

    def days(self) -> dict[str, tuple[int, int]]:
        """Return the number of entries and of late entries of each sealed day."""
        found = self.seals.between(self.id, "0000-00-00", "9999-99-99")
        return {seal.day: (seal.count, seal.late) for seal in found}

    def statement(self, month: str = MONTH) -> Any:
        """Return a statement as a file would have it."""
        return json.loads(json.dumps(self.shown.statement(self.id, month, {})))

    def keys(self) -> Any:
        return json.loads(json.dumps(self.shown.keys()))


@pytest.fixture
def bill(aws: Aws, clock: ManualClock) -> Bill:
    return Bill(aws, clock)


@pytest.fixture
def three_days(bill: Bill) -> Bill:
    """Return the bill of a month with 1 + 2, 3 and 3 entries, and with the seal that closes it."""
    for number in range(8):
        bill.write(str(number), amount=10 + number)
        if number in (1, 4):
            bill.next_day()
    bill.next_day(20)
    bill.seal()
    return bill


class TestSealing:
    def test_days_with_entries_are_sealed_and_one_day_that_closes_the_month(self, three_days: Bill) -> None:
        # The account's first credit is on the first day.
        assert three_days.days() == {
            DAY: (3, 0), "2023-11-15": (3, 0), "2023-11-16": (3, 0), "2023-12-01": (0, 0)
        }  # fmt: skip

    def test_a_statement_verifies_and_has_the_balance_of_the_ledger(self, three_days: Bill) -> None:
        found = verify_statement(three_days.statement(), three_days.keys())
        balance = sum(entry.amount_micro_usd for entry in three_days.ledger.entries(three_days.id))
        assert (found.entries, found.days, found.through, found.is_closed) == (9, 3, "2023-11-16", True)
        assert (found.opening_micro_usd, found.closing_micro_usd) == (0, balance)
        # The next month begins with the same balance, and is open.
        later = verify_statement(three_days.statement("2023-12"), three_days.keys())
        assert (later.entries, later.opening_micro_usd, later.is_closed) == (0, balance, False)

    def test_a_day_is_sealed_half_an_hour_after_its_end(self, bill: Bill) -> None:
        bill.write("1")
        midnight = (bill.clock.now_ms() // MS_PER_DAY + 1) * MS_PER_DAY
        for after_ms, expected in ((HOUR_MS // 2 - 1, {}), (HOUR_MS // 2, {DAY: (2, 0)})):
            bill.clock.set(midnight + after_ms)
            bill.seal()
            assert bill.days() == expected

    def test_a_late_entry_belongs_to_the_day_that_is_sealed_next(self, bill: Bill) -> None:
        first_ms = bill.clock.now_ms()
        bill.write("1")
        bill.next_day()
        bill.write("2")
        bill.seal()
        bill.write("late", at_ms=first_ms + 1)
        bill.write("late too", at_ms=first_ms - 1)
        bill.next_day()
        bill.seal()
        assert bill.days() == {DAY: (2, 0), "2023-11-15": (3, 2)}
        assert verify_statement(bill.statement(), bill.keys()).entries == 5

    def test_a_late_entry_is_sealed_though_no_other_follows(self, bill: Bill) -> None:
        first_ms = bill.clock.now_ms()
        bill.next_day()
        bill.seal()
        bill.write("late", at_ms=first_ms)
        bill.next_day()
        bill.seal()
        bill.next_day()
        bill.seal()
        assert bill.days() == {DAY: (1, 0), "2023-11-15": (1, 1)}

    def test_an_older_late_entry_is_found_when_everything_is_read(self, bill: Bill) -> None:
        first_ms = bill.clock.now_ms()
        for number in range(3):
            bill.write(str(number))
            bill.next_day()
            bill.seal()
        bill.write("late", at_ms=first_ms)
        bill.next_day()
        bill.seal()
        assert sum(count for count, _ in bill.days().values()) == 4
        bill.next_day()
        bill.seal(everything=True)
        assert bill.days()["2023-11-18"] == (1, 1)
        assert verify_statement(bill.statement(), bill.keys()).entries == 5

    def test_a_run_that_stops_goes_on_where_it_was(self, bill: Bill, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (sealer, service, tree):
            monkeypatch.setattr(module, "BLOCK", 2)
        for number in range(6):
            bill.write(str(number))
            bill.clock.advance_ms(1)
        bill.next_day()
        left = iter([True, True])
        with pytest.raises(OutOfTimeError):
            bill.sealer.seal(bill.id, lambda: next(left, False))
        assert bill.days() == {}
        bill.seal()
        assert bill.days() == {DAY: (7, 0)}
        assert verify_statement(bill.statement(), bill.keys()).entries == 7

    def test_a_repeated_run_adds_nothing(self, three_days: Bill) -> None:
        before = three_days.statement()
        three_days.seal()
        three_days.seal(everything=True)
        assert three_days.statement() == before

    def test_of_two_runs_at_once_the_first_to_write_decides(
        self, bill: Bill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bill.write("1")
        bill.next_day()
        add_block = bill.seals.add_block

        def after_a_rival(block: Block) -> Block:
            monkeypatch.undo()
            bill.write("late", at_ms=block.last[0])
            bill.seal()
            return add_block(block)

        monkeypatch.setattr(bill.seals, "add_block", after_a_rival)
        bill.seal()
        assert bill.days() == {DAY: (3, 0)}
        assert verify_statement(bill.statement(), bill.keys()).entries == 3

    def test_an_entry_that_is_gone_is_an_error(self, three_days: Bill) -> None:
        three_days.write("more")
        three_days.client.delete_item(
            TableName=three_days.refs["LedgerTable"],
            Key={"account_id": {"S": three_days.id}, "entry_id": {"S": "debit_7"}},
        )
        three_days.next_day()
        with pytest.raises(SealBrokenError, match="debit_7"):
            three_days.seal(everything=True)

    def test_a_new_key_signs_on_and_both_are_published(self, three_days: Bill) -> None:
        three_days.write("more")
        three_days.next_day()
        three_days.sealer = Sealer(three_days.ledger, three_days.seals, lambda: "second", three_days.clock)
        three_days.seal()
        found = three_days.statement("2023-12")
        assert len({day["seal"]["keyId"] for day in found["days"]}) == len(three_days.keys()["keys"]) == 2
        assert verify_statement(found, three_days.keys()).entries == 1


Statement = dict[str, Any]

# The statement of `three_days` and the keys. It is made once, because most tests change only a copy.
_documents: list[Any] = []


@pytest.fixture
def documents(request: pytest.FixtureRequest) -> tuple[Statement, Any]:
    """Return a statement, and the keys to verify it with."""
    if not _documents:
        made: Bill = request.getfixturevalue("three_days")
        _documents.extend((made.statement(), made.keys()))
    statement, keys = deepcopy(_documents)
    return statement, keys


def entries(statement: Statement, day: int = 1) -> Any:
    return statement["days"][day]["entries"]


def payload(statement: Statement, day: int = 1) -> Any:
    return statement["days"][day]["seal"]["payload"]


def swap_days(one: Statement) -> None:
    one["days"][0]["entries"], one["days"][1]["entries"] = entries(one, 1), entries(one, 0)


HOSTILE: dict[str, tuple[Callable[[Statement], Any], set[str]]] = {
    "an amount is changed": (
        lambda one: entries(one)[0].update(amountMicroUsd=-1), {"changed_entries", "wrong_balance"}),
    "a reason is changed": (lambda one: entries(one)[0].update(reason="x"), {"changed_entries"}),
    "a field is added": (lambda one: entries(one)[0].update(model="x"), {"changed_entries"}),
    "an entry is removed": (
        lambda one: entries(one).pop(), {"missing_entries", "changed_entries", "wrong_balance"}),
    "an entry is added": (
        lambda one: entries(one).append({**entries(one)[-1], "id": "debit_9"}),
        {"added_entries", "changed_entries", "wrong_balance"}),
    "an entry is there twice": (
        lambda one: entries(one).append(entries(one)[-1]),
        {"added_entries", "changed_entries", "wrong_balance", "repeated_entry"}),
    "entries are reordered": (lambda one: entries(one).reverse(), {"reordered_entries", "changed_entries"}),
    "days are exchanged": (swap_days, {"other_day", "changed_entries", "wrong_balance"}),
    "an entry moves to another day": (
        lambda one: entries(one, 2).insert(0, entries(one, 1).pop()),
        {"added_entries", "missing_entries", "other_day", "changed_entries", "wrong_balance"}),
    "an entry is of another account": (
        lambda one: entries(one)[0].update(account="usr_other"), {"other_account", "changed_entries"}),
    "a day is removed": (lambda one: one["days"].pop(1), {"broken_chain", "wrong_balance"}),
    "the last day is removed": (lambda one: one["days"].pop(), {"broken_chain", "wrong_balance"}),
    "the first day is removed": (lambda one: one["days"].pop(0), {"broken_chain", "wrong_balance"}),
    "a seal's count is changed": (
        lambda one: payload(one).update(count=2),
        {"bad_signature", "broken_chain", "added_entries"}),
    "a seal's balance is changed": (
        lambda one: payload(one, 2).update(balanceMicroUsd=1),
        {"bad_signature", "broken_chain", "wrong_balance"}),
    "a seal is unsigned": (
        lambda one: one["days"][0]["seal"].update(signature=""), {"bad_signature"}),
    "a seal has another's signature": (
        lambda one: one["days"][0]["seal"].update(signature=one["days"][1]["seal"]["signature"]),
        {"bad_signature"}),
    "a seal names no known key": (lambda one: one["days"][0]["seal"].update(keyId="x"), {"unknown_key"}),
    "the header is of another account": (
        lambda one: one.update(account="usr_other"), {"other_account"}),
    "the header is of another month": (lambda one: one.update(month="2023-10"), {"other_day"}),
    "the opening balance is changed": (lambda one: one.update(openingMicroUsd=5), {"wrong_balance"}),
    "the closing balance is changed": (lambda one: one.update(closingMicroUsd=5), {"wrong_balance"}),
    "the file is cut": (lambda one: one.pop("days"), {"malformed"}),
    "the file is another one": (lambda one: one.update(type="tollgate.receipt.v1"), {"malformed"}),
    "a day is no day": (lambda one: one["days"].append(None), {"malformed"}),
    "an amount is text": (lambda one: entries(one)[0].update(amountMicroUsd="1"), {"malformed"}),
}  # fmt: skip


class TestHostile:
    @pytest.mark.parametrize(("change", "codes"), HOSTILE.values(), ids=HOSTILE)
    def test_a_change_is_found_and_named(
        self, documents: tuple[Statement, Any], change: Callable[[Statement], Any], codes: set[str]
    ) -> None:
        statement, keys = documents
        change(statement)
        with pytest.raises(VerificationError) as found:
            verify_statement(statement, keys)
        assert {one.code for one in found.value.problems} == codes

    def test_the_key_of_another_service_signs_nothing(self, documents: tuple[Statement, Any]) -> None:
        statement, keys = documents
        # Under the id of the real one
        keys["keys"][0]["x"] = SigningKey("of another").public.x
        with pytest.raises(VerificationError, match="bad_signature"):
            verify_statement(statement, keys)

    def test_an_honest_day_of_another_account_does_not_fit(self, three_days: Bill) -> None:
        other = api_parts.api().accounts.open(1000 * CENT).account_id
        three_days.write("9", account=other)
        three_days.next_day()
        three_days.seal(other)
        statement = three_days.statement()
        (foreign,) = three_days.shown.statement(other, "2023-12", {})["days"]
        statement["days"][2] = {**json.loads(json.dumps(foreign))}
        with pytest.raises(VerificationError, match="other_account"):
            verify_statement(statement, three_days.keys())

    def test_pages_verify_together_in_any_order_and_not_apart(
        self, bill: Bill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in (sealer, service, tree):
            monkeypatch.setattr(module, "BLOCK", 2)
        monkeypatch.setattr(service, "MAX_ENTRIES", 3)
        for number in range(6):
            bill.write(str(number))
            bill.clock.advance_ms(1)
        bill.next_day()
        bill.write("9")
        bill.next_day()
        bill.seal()
        pages: list[Any] = []
        query: dict[str, str] = {}
        while not pages or query:
            pages.append(bill.shown.statement(bill.id, MONTH, query))
            query = {"cursor": pages[-1]["cursor"]} if "cursor" in pages[-1] else {}
        assert [sum(len(day["entries"]) for day in page["days"]) for page in pages] == [2, 2, 3, 1]
        assert verify_statement(pages[::-1], bill.keys()).entries == 8
        for missing in range(4):
            with pytest.raises(VerificationError):
                verify_statement([page for at, page in enumerate(pages) if at != missing], bill.keys())


class TestSealedForm:
    # What a customer is not charged by: the service's own counters, how it served a request, and how the
    # parent of a sub-account shares in its charges
    UNSEALED = frozenset(
        {
            *("counter", "provider", "event_id", "latency_ms", "first_byte_ms", "budgets", "trace"),
            *("markup_micro_usd", "peer"),
        }
    )

    def test_each_field_of_an_entry_is_sealed_or_named_here(self) -> None:
        values: dict[str, Any] = {field.name: f"<{field.name}>" for field in fields(Entry)}
        values |= {"kind": EntryKind.CHARGE, "amount_micro_usd": -7, "created_at_ms": 1}
        values |= {"usage": {"inputTokens": 11}, "tags": {"team": "<tags>"}}
        sealed = json.dumps(sealed_form(Entry(**values)))
        signs = {name: f"<{name}>" for name in values} | {"kind": "charge", "amount_micro_usd": "-7"}
        signs |= {"created_at_ms": "1970-01-01T00:00:00.001Z", "usage": "11"}
        assert {name for name, sign in signs.items() if sign not in sealed} == self.UNSEALED
