"""The accounting truth: each way that books can disagree is found, and nothing where they agree."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import money_examples
from tollgate.ledger.audit import Drift, EntrySums, Line, audit, compare
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry_id
from tollgate.ledger.holds import Hold


def credit(amount: int, number: int = 0) -> Entry:
    return Entry("usr_1", f"credit_{number}", EntryKind.CREDIT, amount, 0)


def charge(task: str, amount: int) -> Entry:
    return charge_entry("usr_1", task, "test-image", amount, 1)


def refund(task: str, amount: int) -> Entry:
    return refund_of(charge(task, amount), 2)


@st.composite
def books(draw: st.DrawFn) -> list[Entry]:
    """Return good books: a credit, charges below it, and refunds of some of them, in any order."""
    charges = draw(st.lists(st.integers(min_value=1, max_value=10**9), max_size=12))
    entries = [credit(sum(charges) + draw(st.integers(min_value=0, max_value=10**9)))]
    for number, amount in enumerate(charges):
        entries.append(charge(f"task_{number}", amount))
        if draw(st.booleans()):
            entries.append(refund(f"task_{number}", amount))
    return draw(st.permutations(entries))


def total(entries: list[Entry]) -> int:
    return sum(entry.amount_micro_usd for entry in entries)


class TestGoodBooks:
    @settings(max_examples=money_examples(100))
    @given(books())
    def test_no_drift_in_whatever_order_the_entries_come(self, entries: list[Entry]) -> None:
        assert audit("usr_1", total(entries), entries) is None

    def test_an_account_without_entries_holds_nothing(self) -> None:
        assert audit("usr_1", 0, []) is None


class TestBalance:
    @settings(max_examples=money_examples(100))
    @given(books(), st.integers(min_value=-(10**9), max_value=10**9).filter(bool))
    def test_a_balance_that_is_off_by_anything_is_found(self, entries: list[Entry], off: int) -> None:
        drift = audit("usr_1", total(entries) + off, entries)
        assert drift == Drift("usr_1", total(entries) + off, total(entries), ())

    def test_a_negative_balance_is_found_though_the_ledger_agrees(self) -> None:
        entries = [credit(5), charge("task_1", 6)]
        assert audit("usr_1", -1, entries) == Drift("usr_1", -1, -1, ())

    def test_a_charge_without_a_row_is_found(self) -> None:
        assert audit("usr_1", 90, [credit(100)]) == Drift("usr_1", 90, 100, ())

    def test_a_row_without_a_charge_is_found(self) -> None:
        assert audit("usr_1", 100, [credit(100), charge("task_1", 10)]) == Drift("usr_1", 100, 90, ())


class TestSameDrift:
    @pytest.mark.parametrize(
        ("balance", "ledger", "same"), [(0, -5, True), (7, 2, True), (7, 3, False), (-1, -6, False)]
    )
    def test_it_is_of_one_amount_and_on_one_side_of_zero(self, balance: int, ledger: int, same: bool) -> None:
        assert Drift("usr_1", 5, 0, ()).is_same_as(Drift("usr_1", balance, ledger, ())) is same


class TestRefunds:
    """The balance agrees with the ledger in all of these, so only the refund is wrong."""

    def unanswered(self, *entries: Entry) -> tuple[str, ...]:
        drift = audit("usr_1", total(list(entries)), entries)
        assert drift is not None
        return drift.unanswered_refunds

    def test_a_refund_without_a_charge(self) -> None:
        assert self.unanswered(credit(100), refund("task_1", 10)) == ("task_1#refund",)

    @pytest.mark.parametrize("amount", [9, 11, -10, 0])
    def test_a_refund_of_another_amount(self, amount: int) -> None:
        entries = (credit(100), charge("task_1", 10), refund("task_1", amount))
        assert self.unanswered(*entries) == ("task_1#refund",)

    def test_a_refund_that_answers_another_tasks_charge_of_another_amount(self) -> None:
        wrong = replace(refund("task_1", 10), answers="task_2#charge")
        assert self.unanswered(credit(100), charge("task_2", 20), wrong) == ("task_1#refund",)

    def test_a_refund_that_answers_nothing(self) -> None:
        wrong = replace(refund("task_1", 10), answers=None)
        assert self.unanswered(credit(100), charge("task_1", 10), wrong) == ("task_1#refund",)

    def test_a_refund_that_answers_a_credit(self) -> None:
        wrong = replace(refund("task_1", 100), answers="credit_0")
        assert self.unanswered(credit(100), wrong) == ("task_1#refund",)

    def test_a_second_refund_of_the_same_charge(self) -> None:
        again = replace(refund("task_1", 10), entry_id="task_1#refund-again")
        entries = (credit(100), charge("task_1", 10), refund("task_1", 10), again)
        assert self.unanswered(*entries) == ("task_1#refund-again",)

    def test_each_wrong_refund_is_named(self) -> None:
        entries = (
            credit(100),
            refund("task_1", 1),
            charge("task_2", 5),
            refund("task_2", 5),
            refund("task_3", 2),
        )
        assert self.unanswered(*entries) == ("task_1#refund", "task_3#refund")


class TestSums:
    CREDIT = Line("credit_1", EntryKind.CREDIT, 1000, 7, None)
    TEXT = Line(text_entry_id("req_1"), EntryKind.TEXT, -250, 5, None)
    HOLDS = (Hold("req_1", 700, 9),)

    def test_batches_add_up_and_the_newest_entry_is_kept(self) -> None:
        sums = EntrySums()
        sums.add([self.CREDIT])
        sums.add([self.TEXT], ["task_1#refund"])
        assert (sums.tally.entries, sums.tally.amount_micro_usd) == (2, 750)
        assert sums.newest == (7, "credit_1")
        assert sums.unanswered == ("task_1#refund",)

    def test_a_hold_whose_charge_is_written_counts_for_the_rest(self) -> None:
        sums = EntrySums()
        sums.add([self.CREDIT])
        assert compare("usr_1", 300, self.HOLDS, sums) is None
        sums.add([self.TEXT])
        # The ledger has 750: 300 in the balance, and 700 - 250 in the hold.
        assert compare("usr_1", 300, self.HOLDS, sums) is None

    @pytest.mark.parametrize(("counted", "over"), [(950, 0), (951, 1), (500, -450)])
    def test_a_budget_has_counted_its_entries_and_what_open_holds_can_still_spend(
        self, counted: int, over: int
    ) -> None:
        main, of_a_wallet = "bud_1#2026-11#0#all", "bud_1#2026-11#3#all"
        sums = EntrySums(counted={main: 0})
        sums.add([self.CREDIT, self.TEXT._replace(budgets=(main,))])
        holds = [replace(self.HOLDS[0], budgets=(of_a_wallet,)), Hold("req_2", 250, 9, budgets=(main,))]
        # The entry of 250, of the first hold the rest of 450, and the second hold of 250.
        drift = compare("usr_1", 50, holds, sums, {main: counted})
        assert (drift.budgets if drift else {}) == ({main: over} if over else {})

    @pytest.mark.parametrize("counted", [29, 30, 31])
    def test_mark_up_is_the_sum_of_the_entries(self, counted: int) -> None:
        sums = EntrySums()
        sums.add([self.CREDIT, self.TEXT._replace(markup_micro_usd=30)])
        drift = compare("usr_1", 750, (), sums, markup_micro_usd=counted)
        assert (drift.markup_micro_usd if drift else 0) == counted - 30

    def test_what_is_added_to_a_copy_is_not_in_the_reading(self) -> None:
        main = "bud_1#2026-11#0#all"
        sums = EntrySums(counted={main: 0})
        sums.add([self.CREDIT])
        sums.copy().add([self.TEXT._replace(budgets=(main,))])
        assert compare("usr_1", 300, self.HOLDS, sums, {main: 0}) is None

    def test_an_old_entry_settles_no_hold(self) -> None:
        sums = EntrySums()
        sums.add([self.CREDIT])
        sums.add([self.TEXT], recent=False)
        drift = compare("usr_1", 300, self.HOLDS, sums)
        assert drift == Drift("usr_1", 300, 750, (), 700)
        assert drift.amount_micro_usd == 250


class TestIsSame:
    @pytest.mark.parametrize(
        ("other", "same"),
        [
            (Drift("usr_1", 10, 5, ()), True),
            (Drift("usr_1", 10, 6, ()), False),
            # A balance below 0 is another fault, even if it differs from the ledger by as much.
            (Drift("usr_1", -1, -6, ()), False),
            (Drift("usr_1", 0, -5, ("task_1#refund",)), False),
            (Drift("usr_2", 0, -5, ()), False),
        ],
    )
    def test_a_drift_is_the_same_by_its_amount_and_its_refunds(self, other: Drift, same: bool) -> None:
        assert Drift("usr_1", 0, -5, ()).is_same_as(other) is same
