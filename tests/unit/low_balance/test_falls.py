"""What is done about a balance that falls: once for each fall, within the month's bound."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.money import micro_usd_of_cents
from tollgate.low_balance.rules import (
    MAX_TOP_UP_AGE_MS,
    TopUpState,
    Watch,
    Wish,
    is_too_old,
    looked_at,
    paid,
    refused,
)

NOVEMBER_MS = 1_793_491_200_000  # 2026-11-01
DAY_MS = 86_400_000
WISH = Wish(threshold_cents=1_000, top_up_cents=2_000, monthly_cents=5_000)
ABOVE, BELOW = micro_usd_of_cents(1_000), micro_usd_of_cents(1_000) - 1
WATCH = Watch("usr_1", WISH, customer="cus_1")


def fallen(watch: Watch = WATCH, now_ms: int = NOVEMBER_MS, credit_ms: int = 0) -> Watch:
    """Return the watch after a look that finds the balance low."""
    found = looked_at(watch, BELOW, credit_ms, now_ms)
    assert found is not None
    return found


class TestAFall:
    def test_begins_below_the_threshold_and_not_at_it(self) -> None:
        assert looked_at(WATCH, ABOVE, 0, NOVEMBER_MS) is None
        assert (fallen().fall, fallen().is_low, fallen().top_up) == (1, True, TopUpState.DUE)

    def test_without_a_threshold_there_is_none(self) -> None:
        assert looked_at(replace(WATCH, wish=Wish()), 0, 0, NOVEMBER_MS) is None

    def test_while_its_top_up_is_due_no_other_begins_whatever_comes(self) -> None:
        for worth in (0, BELOW, ABOVE):
            assert looked_at(fallen(), worth, NOVEMBER_MS + DAY_MS, NOVEMBER_MS + DAY_MS) is None

    def test_is_over_when_it_is_paid_and_the_next_is_another_one(self) -> None:
        again = fallen(paid(fallen(), NOVEMBER_MS + 5), NOVEMBER_MS + 9)
        assert (again.fall, again.top_up, again.month_cents) == (2, TopUpState.DUE, 4_000)

    def test_that_was_refused_is_not_tried_again_before_money_comes(self) -> None:
        low = refused(fallen(), "no")
        assert looked_at(low, BELOW, 0, NOVEMBER_MS + DAY_MS) is None
        assert fallen(low, NOVEMBER_MS + DAY_MS, NOVEMBER_MS + 1).fall == 2

    def test_a_credit_that_was_seen_before_begins_no_other(self) -> None:
        low = refused(fallen(now_ms=NOVEMBER_MS + 10, credit_ms=NOVEMBER_MS + 20), "no")
        assert looked_at(low, BELOW, NOVEMBER_MS + 20, NOVEMBER_MS + 30) is None

    def test_is_over_when_the_balance_is_up_again(self) -> None:
        low = replace(fallen(replace(WATCH, customer=None)))
        up = looked_at(low, ABOVE, 0, NOVEMBER_MS)
        assert low.top_up is TopUpState.NONE
        assert up is not None
        assert fallen(up).fall == 2


class TestTheMonthsBound:
    def test_what_would_go_over_it_is_not_paid_and_a_new_month_begins_at_nothing(self) -> None:
        watch = replace(WATCH, month="2026-11", month_cents=3_001)
        over = fallen(watch)
        assert (over.top_up, over.top_up_cents, over.month_cents) == (TopUpState.OVER_LIMIT, 0, 3_001)
        assert fallen(watch, NOVEMBER_MS + 31 * DAY_MS).month_cents == 2_000

    def test_what_was_refused_is_in_no_month(self) -> None:
        assert refused(fallen(), "no").month_cents == 0

    @given(st.lists(st.tuples(st.booleans(), st.integers(1, 3 * DAY_MS)), max_size=40))
    def test_no_month_has_more_than_its_bound(self, falls: list[tuple[bool, int]]) -> None:
        watch, now_ms = WATCH, NOVEMBER_MS
        spent: dict[str, int] = {}
        for goes_well, wait_ms in falls:
            now_ms += wait_ms
            watch = fallen(watch, now_ms, now_ms - 1) if watch.is_low else fallen(watch, now_ms)
            if watch.top_up is TopUpState.DUE:
                spent[watch.month] = spent.get(watch.month, 0) + (watch.top_up_cents if goes_well else 0)
                watch = paid(watch, now_ms) if goes_well else refused(watch, "no")
            now_ms += 2
        assert all(cents <= WISH.monthly_cents for cents in spent.values())


class TestAge:
    def test_a_payment_is_asked_for_only_while_stripe_remembers_its_key(self) -> None:
        assert MAX_TOP_UP_AGE_MS < DAY_MS
        assert not is_too_old(fallen(), NOVEMBER_MS + MAX_TOP_UP_AGE_MS)
        assert is_too_old(fallen(), NOVEMBER_MS + MAX_TOP_UP_AGE_MS + 1)


class TestTheRow:
    def test_it_comes_back_as_it_was(self) -> None:
        wish = replace(WISH, emails=("a@example.com",), webhook="https://example.com/hook")
        watch = replace(fallen(), wish=wish, payment_method="pm_1", reason="no")
        assert Watch.from_item(watch.to_item()) == watch
