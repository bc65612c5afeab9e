"""The reaction to a balance below its threshold: once for each crossing, within the monthly limit."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.money import micro_usd_of_cents
from tollgate.low_balance.rules import (
    MAX_TOP_UP_AGE_MS,
    LowBalanceSettings,
    LowBalanceState,
    TopUpState,
    after_check,
    after_failed_top_up,
    after_paid_top_up,
    is_too_old,
    with_current_settings,
)

NOVEMBER_MS = 1_793_491_200_000  # 2026-11-01
DAY_MS = 86_400_000
SETTINGS = LowBalanceSettings(threshold_cents=1_000, top_up_cents=2_000, monthly_cents=5_000)
ABOVE, BELOW = micro_usd_of_cents(1_000), micro_usd_of_cents(1_000) - 1
STATE = LowBalanceState("usr_1", SETTINGS, customer="cus_1")


def crossed(state: LowBalanceState = STATE, now_ms: int = NOVEMBER_MS, credit_ms: int = 0) -> LowBalanceState:
    """Return the state after a check that finds the balance low."""
    found = after_check(state, BELOW, credit_ms, now_ms)
    assert found is not None
    return found


class TestACrossing:
    def test_begins_below_the_threshold_and_not_at_it(self) -> None:
        assert after_check(STATE, ABOVE, 0, NOVEMBER_MS) is None
        assert (crossed().crossing, crossed().is_low, crossed().top_up) == (1, True, TopUpState.DUE)

    def test_without_a_threshold_there_is_none(self) -> None:
        assert after_check(replace(STATE, settings=LowBalanceSettings()), 0, 0, NOVEMBER_MS) is None

    def test_while_its_top_up_is_due_no_other_begins_whatever_comes(self) -> None:
        for total_funds in (0, BELOW, ABOVE):
            assert after_check(crossed(), total_funds, NOVEMBER_MS + DAY_MS, NOVEMBER_MS + DAY_MS) is None

    def test_is_over_when_it_is_paid_and_the_next_is_another_one(self) -> None:
        again = crossed(after_paid_top_up(crossed(), NOVEMBER_MS + 5), NOVEMBER_MS + 9)
        assert (again.crossing, again.top_up, again.month_cents) == (2, TopUpState.DUE, 4_000)

    def test_that_was_refused_is_not_tried_again_before_money_comes(self) -> None:
        low = after_failed_top_up(crossed(), "no")
        assert after_check(low, BELOW, 0, NOVEMBER_MS + DAY_MS) is None
        assert crossed(low, NOVEMBER_MS + DAY_MS, NOVEMBER_MS + 1).crossing == 2

    def test_a_credit_that_was_seen_before_begins_no_other(self) -> None:
        low = after_failed_top_up(crossed(now_ms=NOVEMBER_MS + 10, credit_ms=NOVEMBER_MS + 20), "no")
        assert after_check(low, BELOW, NOVEMBER_MS + 20, NOVEMBER_MS + 30) is None

    def test_is_over_when_the_balance_is_up_again(self) -> None:
        low = replace(crossed(replace(STATE, customer=None)))
        up = after_check(low, ABOVE, 0, NOVEMBER_MS)
        assert low.top_up is TopUpState.NONE
        assert up is not None
        assert crossed(up).crossing == 2


class TestTheMonthsBound:
    def test_what_would_go_over_it_is_not_paid_and_a_new_month_begins_at_nothing(self) -> None:
        state = replace(STATE, month="2026-11", month_cents=3_001)
        over = crossed(state)
        assert (over.top_up, over.top_up_cents, over.month_cents) == (TopUpState.OVER_LIMIT, 0, 3_001)
        assert crossed(state, NOVEMBER_MS + 31 * DAY_MS).month_cents == 2_000

    def test_what_was_skipped_is_topped_up_in_the_next_month_though_no_money_came(self) -> None:
        over = crossed(replace(STATE, month="2026-11", month_cents=3_001))
        assert after_check(over, BELOW, 0, NOVEMBER_MS + 30 * DAY_MS - 1) is None
        next_month = crossed(over, NOVEMBER_MS + 30 * DAY_MS)
        assert (next_month.crossing, next_month.top_up) == (2, TopUpState.DUE)
        assert (next_month.month, next_month.month_cents) == ("2026-12", 2_000)

    def test_a_payment_counts_in_the_month_in_which_it_is_requested(self) -> None:
        state = replace(STATE, month="2026-11", month_cents=3_000)
        due = with_current_settings(crossed(state), NOVEMBER_MS + 30 * DAY_MS)
        assert (due.top_up, due.month, due.month_cents) == (TopUpState.DUE, "2026-12", 2_000)
        assert with_current_settings(crossed(state), NOVEMBER_MS).month_cents == 5_000

    def test_what_was_refused_is_in_no_month(self) -> None:
        assert after_failed_top_up(crossed(), "no").month_cents == 0

    @given(st.lists(st.tuples(st.booleans(), st.integers(1, 3 * DAY_MS)), max_size=40))
    def test_no_month_has_more_than_its_bound(self, crossings: list[tuple[bool, int]]) -> None:
        state, now_ms = STATE, NOVEMBER_MS
        spent: dict[str, int] = {}
        for goes_well, wait_ms in crossings:
            now_ms += wait_ms
            state = crossed(state, now_ms, now_ms - 1) if state.is_low else crossed(state, now_ms)
            if state.top_up is TopUpState.DUE:
                spent[state.month] = spent.get(state.month, 0) + (state.top_up_cents if goes_well else 0)
                state = after_paid_top_up(state, now_ms) if goes_well else after_failed_top_up(state, "no")
            now_ms += 2
        assert all(cents <= SETTINGS.monthly_cents for cents in spent.values())


class TestAge:
    def test_a_payment_is_requested_only_while_stripe_remembers_its_key(self) -> None:
        assert MAX_TOP_UP_AGE_MS < DAY_MS
        assert not is_too_old(crossed(), NOVEMBER_MS + MAX_TOP_UP_AGE_MS)
        assert is_too_old(crossed(), NOVEMBER_MS + MAX_TOP_UP_AGE_MS + 1)


class TestTheRow:
    def test_it_comes_back_as_it_was(self) -> None:
        settings = replace(SETTINGS, emails=("a@example.com",), webhook="https://example.com/hook")
        state = replace(crossed(), settings=settings, payment_method="pm_1", reason="no")
        assert LowBalanceState.from_item(state.to_item()) == state

    def test_its_attributes_keep_their_names(self) -> None:
        """Rows of earlier versions remain in the table."""
        settings = replace(SETTINGS, emails=("a@example.com",))
        state = replace(crossed(replace(STATE, settings=settings)), seq=3, notified=("a@example.com",))
        assert state.to_item() == {
            "account_id": "usr_1",
            "wish": {
                "threshold_cents": 1_000,
                "emails": ["a@example.com"],
                "webhook": None,
                "top_up_cents": 2_000,
                "monthly_cents": 5_000,
            },
            "customer": "cus_1",
            "seq": 3,
            "fall": 1,
            "is_low": True,
            "fell_at_ms": NOVEMBER_MS,
            "answered_ms": 0,
            "resent_ms": 0,
            "top_up": "due",
            "top_up_cents": 2_000,
            "is_told": False,
            "told": ["a@example.com"],
            "tellings": 0,
            "month": "2026-11",
            "month_cents": 2_000,
        }
