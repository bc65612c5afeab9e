"""Ledger entries: their ids, signs and rows."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import money_examples
from tollgate.kit.dynamodb.rows import from_attributes, to_attributes
from tollgate.ledger.caps import Allowance
from tollgate.ledger.crediting import LOST_RESPONSE, credit_of_lost_response
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, charge_id, refund_id, refund_of
from tollgate.ledger.families import MOVED_AT, Transfer, markup_of, move_due_ms
from tollgate.ledger.hold_entries import failed_entry, late_entry, text_entry, void_entry
from tollgate.ledger.holds import Hold
from tollgate.ledger.statement import view
from tollgate.ledger.trace import Trace
from tollgate.ledger.wallets import EARNED, OPEN

TEXTS = st.text(min_size=1, max_size=20)
ENTRIES = st.builds(
    Entry,
    TEXTS,
    TEXTS,
    st.sampled_from(EntryKind),
    st.integers(min_value=-(10**15), max_value=10**15),
    st.integers(min_value=0, max_value=4 * 10**12),
    st.none() | TEXTS,
    st.none() | TEXTS,
    st.none() | TEXTS,
)


class TestMade:
    def test_a_charge_takes_and_names_task_model_and_time(self) -> None:
        assert charge_entry("usr_1", "task_1", "test-image", 10_000, 7) == Entry(
            "usr_1", "task_1#charge", EntryKind.CHARGE, -10_000, 7, task_id="task_1", model="test-image"
        )

    def test_a_refund_gives_and_names_the_charge_it_answers(self) -> None:
        charge = charge_entry("usr_1", "task_1", "test-image", 10_000, 7, counter="c", key_id="k")
        assert refund_of(charge, 9) == Entry(
            "usr_1",
            "task_1#refund",
            EntryKind.REFUND,
            10_000,
            9,
            task_id="task_1",
            model="test-image",
            answers="task_1#charge",
            counter="c",
            key_id="k",
        )

    def test_a_refund_has_the_mark_up_and_the_budgets_of_its_charge_and_no_trace(self) -> None:
        more: dict[str, Any] = {"budgets": ["bud_1"], "markup_micro_usd": 2_000, "trace": Trace("http")}
        charge = charge_entry("usr_1", "task_1", "m", 10_000, 7, **more)
        assert (charge.markup_micro_usd, charge.budgets, charge.trace) == (2_000, ("bud_1",), {"api": "http"})
        refund = refund_of(charge, 9)
        assert (refund.markup_micro_usd, refund.budgets, refund.trace) == (-2_000, ("bud_1",), None)

    @settings(max_examples=money_examples(100))
    @given(TEXTS, st.integers(min_value=0, max_value=10**12))
    def test_a_charge_and_its_refund_are_nothing_together(self, task_id: str, amount: int) -> None:
        charge = charge_entry("usr_1", task_id, "m", amount, 0)
        refund = refund_of(charge, 1)
        assert charge.amount_micro_usd + refund.amount_micro_usd == 0
        assert refund.answers == charge.entry_id

    def test_ids_say_what_the_entry_is_for_so_a_repeat_has_the_same(self) -> None:
        assert charge_id("task_1") == charge_id("task_1") != charge_id("task_2")
        assert charge_id("task_1") != refund_id("task_1")


class TestOfText:
    HOLD = Hold("req_1", 500, 9_000)
    TOLD: ClassVar[dict[str, Any]] = {
        "model": "m", "provider": "p", "reason": "why", "key_id": "k", "latency_ms": 7,
    }  # fmt: skip

    def test_a_charge_says_what_was_billed(self) -> None:
        more: dict[str, Any] = {**self.TOLD, "usage": {"promptTokens": 3}, "first_byte_ms": 5}
        entry = text_entry("usr_1", "req_1", "c", charge_micro_usd=90, now_ms=8, **more)
        assert entry == Entry(
            "usr_1", "req_1#text", EntryKind.TEXT, -90, 8, request_id="req_1", counter="c", **more
        )
        allowance = Allowance("d", 1_000, 9)
        assert late_entry(entry, self.HOLD, 60, allowance) == replace(
            entry, entry_id="req_1#late", amount_micro_usd=-60, answers="req_1#text", counter="d"
        )
        assert late_entry(entry, self.HOLD, 60, None).counter is None

    @pytest.mark.parametrize(("covered", "left"), [(90, 20), (80, 10), (71, 1), (70, None), (60, None)])
    def test_a_late_charge_of_less_is_first_less_mark_up(self, covered: int, left: int | None) -> None:
        told: dict[str, Any] = {**self.TOLD, "usage": {}, "budgets": ["bud_1"]}
        entry = text_entry("usr_1", "req_1", charge_micro_usd=90, markup_micro_usd=20, now_ms=8, **told)
        assert (entry.markup_micro_usd, entry.budgets) == (20, ("bud_1",))
        late = late_entry(entry, self.HOLD, covered, None, ["bud_2"])
        assert (late.amount_micro_usd, late.markup_micro_usd, late.budgets) == (-covered, left, ("bud_2",))

    @pytest.mark.parametrize("entry_id", ["req_1#text", "req_1#late"])
    def test_a_lost_response_is_credited_once_by_its_request(self, entry_id: str) -> None:
        charge = Entry("usr_1", entry_id, EntryKind.TEXT, -90, 8, request_id="req_1", model="m")
        assert credit_of_lost_response(charge, 9) == Entry(
            "usr_1", "req_1#lost", EntryKind.CREDIT, 90, 9, request_id="req_1", reason=LOST_RESPONSE
        )

    def test_a_void_takes_the_charges_id_and_no_money(self) -> None:
        void = Entry("usr_1", "req_1#text", EntryKind.VOID, 0, 8, request_id="req_1")
        assert replace(void_entry("usr_1", self.HOLD, 8), reason=None) == void
        assert "did not end in time" in (void_entry("usr_1", self.HOLD, 8).reason or "")
        assert failed_entry("usr_1", self.HOLD, 8, **self.TOLD) == replace(void, **self.TOLD)


class TestRows:
    @settings(max_examples=money_examples(100))
    @given(ENTRIES)
    def test_an_entry_comes_back_as_it_was(self, entry: Entry) -> None:
        assert Entry.from_item(from_attributes(to_attributes(entry.to_item()))) == entry

    def test_what_an_entry_has_not_is_not_in_its_row(self) -> None:
        assert Entry("usr_1", "credit_1", EntryKind.CREDIT, 5, 1).to_item() == {
            "account_id": "usr_1",
            "entry_id": "credit_1",
            "kind": "credit",
            "amount_micro_usd": 5,
            "created_at_ms": 1,
        }

    def test_an_attribute_of_a_later_version_is_ignored(self) -> None:
        entry = Entry("usr_1", "credit_1", EntryKind.CREDIT, 5, 1)
        assert Entry.from_item(entry.to_item() | {"of_a_later_version": 1}) == entry

    def test_an_entry_of_a_kind_that_we_do_not_know_is_an_error(self) -> None:
        row = Entry("usr_1", "x", EntryKind.CREDIT, 5, 1).to_item() | {"kind": "gift"}
        with pytest.raises(ValueError, match="gift"):
            Entry.from_item(row)


def test_a_transfer_is_an_entry_of_both_accounts_with_its_reason() -> None:
    found = Transfer("usr_p", "usr_c", 500, "key", reason="May").entries(7)
    assert [(one.account_id, one.peer, one.amount_micro_usd, one.reason) for one in found] == [
        ("usr_p", "usr_c", -500, "May"),
        ("usr_c", "usr_p", 500, "May"),
    ]
    assert len({one.entry_id for one in found}) == 1
    there, back = (Transfer("usr_p", "usr_c", amount, "key") for amount in (1, -1))
    assert (there.payer, there.receiver) == (back.receiver, back.payer) == ("usr_p", "usr_c")


def test_its_customer_sees_what_it_is_for() -> None:
    labels: dict[str, Any] = {"user": "alice", "tags": {"team": "a"}, "project": "prj_1", "token": "tok_1"}
    ids: dict[str, Any] = {"task_id": "task_1", "request_id": "req_1", "key_id": "key_1", "answers": "a"}
    why: dict[str, Any] = {"model": "m", "reason": "why", "reference": "pi"}
    entry = Entry("usr_1", "x", EntryKind.CREDIT, -12_345, 0, **why, **ids, **labels)
    assert view(entry) == {
        "id": "x",
        "kind": "credit",
        "amountMicroUsd": -12_345,
        "amountUsd": "-0.012345",
        "createdAt": "1970-01-01T00:00:00.000Z",
        "model": "m",
        "taskId": "task_1",
        "requestId": "req_1",
        "answers": "a",
        "keyId": "key_1",
        "user": "alice",
        "tags": {"team": "a"},
        "projectId": "prj_1",
        "tokenId": "tok_1",
        "reason": "why",
        "reference": "pi",
    }
    assert view(Entry("usr_1", "x", EntryKind.CREDIT, 5, 0)).keys() == {
        "id", "kind", "amountMicroUsd", "amountUsd", "createdAt",
    }  # fmt: skip


def test_mark_up_of_a_row_is_moved_an_hour_after_the_last_time_if_any_is_earned() -> None:
    row = {OPEN: 3, EARNED: 4, MOVED_AT: 100}
    assert [markup_of(one) for one in (row, {OPEN: 3}, {EARNED: 4}, {})] == [7, 3, 4, 0]
    assert move_due_ms(row) == 100 + 3_600_000
    assert move_due_ms({EARNED: 4}) == 3_600_000
    assert move_due_ms({OPEN: 3, EARNED: 0, MOVED_AT: 100}) is None
