"""What the parent of a sub-account earns by text requests."""

import pytest

from tests.unit.text.test_billing_rules import Desk, desk
from tollgate.composition import api as api_parts
from tollgate.ledger.budgets import NO_BUDGETS, Budgets
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.families import markup_of
from tollgate.text.usage import Usage

__all__ = ["desk"]


@pytest.mark.parametrize("has_budget", [False, True])
def test_mark_up_is_earned_by_charges_and_not_by_requests_that_failed(
    desk: Desk, *, has_budget: bool
) -> None:
    desk.open(10_000)
    api_parts.api().budgets.budgets.change(desk.account_id, NO_BUDGETS, Budgets(markup_percent=50))
    if has_budget:
        desk.limit(3)
    failed, served = desk.place("req_1"), desk.place("req_2")
    assert (failed.hold.amount_micro_usd, len(failed.hold.budgets)) == (1_050, has_budget)
    desk.run(desk.billing.void(failed))
    assert (desk.balance, markup_of(desk.row)) == (10_000 - 1_050, 0)
    # 100 tokens at 1.5 and 10 at 3 USD a million, of which a third is the parent's.
    billed = desk.run(desk.billing.settle(served, served.routes.candidates[0].model, Usage(100, 10)))
    assert billed.charge_micro_usd == 180
    assert (desk.balance, markup_of(desk.row)) == (10_000 - 180, 60)
    [entry] = desk.entries(EntryKind.TEXT)
    assert (entry.amount_micro_usd, entry.markup_micro_usd) == (-180, 60)
    # It is moved to the parent by the sweeper, whose timer was set.
    assert desk.row["wake_at"] == served.hold.expires_at_ms
