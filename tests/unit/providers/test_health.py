"""The breaker: when a provider is asked last, how it comes back, and that it never stays away for good."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.providers.runtime.health import (
    FAILURES_TO_OPEN,
    FIRST_WINDOW_MS,
    MAX_WINDOW_MS,
    MOST_FAILURES,
    Health,
    in_order,
    verdict,
    wants_trial,
)
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    Submitted,
    Succeeded,
    Unknown,
)

NOW = 1_700_000_000_000


def after(*outcomes: bool, at_ms: int = NOW) -> Health:
    health = Health()
    for worked in outcomes:
        health = health.worked() if worked else health.failed(at_ms)
    return health


BROKEN = after(*[False] * FAILURES_TO_OPEN)


class TestOpening:
    def test_one_failure_less_leaves_it_closed(self) -> None:
        assert not after(*[False] * (FAILURES_TO_OPEN - 1)).is_open_at(NOW)

    def test_it_opens_for_a_window(self) -> None:
        opened = after(*[False] * FAILURES_TO_OPEN)
        assert opened.is_open_at(NOW + FIRST_WINDOW_MS - 1)
        assert not opened.is_open_at(NOW + FIRST_WINDOW_MS)

    def test_successes_in_between_keep_it_closed(self) -> None:
        assert not after(*[False, True] * 20).is_open_at(NOW)

    def test_the_window_doubles_with_each_further_failure_up_to_a_bound(self) -> None:
        assert BROKEN.failed(NOW).open_until_ms == NOW + 2 * FIRST_WINDOW_MS
        worst = after(*[False] * 50)
        assert worst.failures == MOST_FAILURES
        assert worst.open_until_ms == NOW + MAX_WINDOW_MS


class TestComingBack:
    def test_a_trial_that_works_closes_it_on_probation(self) -> None:
        back = BROKEN.worked()
        assert not back.is_open_at(NOW)
        assert back.failed(NOW).is_open_at(NOW)

    def test_a_trial_that_fails_opens_it_again(self) -> None:
        assert BROKEN.failed(NOW + FIRST_WINDOW_MS).is_open_at(NOW + 2 * FIRST_WINDOW_MS)

    @given(st.lists(st.booleans(), max_size=40))
    def test_whatever_happened_a_few_successes_make_it_as_new(self, outcomes: list[bool]) -> None:
        health = after(*outcomes)
        for _ in range(FAILURES_TO_OPEN):
            health = health.worked()
        assert health == Health()


class TestRow:
    def test_a_row_has_the_failures_the_window_and_the_operators_word(self) -> None:
        row = {"failures": 5, "open_until_ms": NOW, "disabled": True, "reason": "no credit"}
        assert Health.from_item(row) == Health(5, NOW, disabled=True, reason="no credit")

    def test_a_provider_without_a_row_is_healthy(self) -> None:
        assert Health.from_item({}) == Health(0, 0, disabled=False, reason=None)


class TestOrder:
    def test_an_open_one_comes_last_but_is_not_left_out(self) -> None:
        assert in_order(["fal", "poyo"], {"fal": BROKEN}, NOW) == ["poyo", "fal"]
        assert in_order(["fal"], {"fal": BROKEN}, NOW) == ["fal"]

    def test_the_order_of_the_catalog_stays_otherwise(self) -> None:
        assert in_order(["c", "a", "b"], {}, NOW) == ["c", "a", "b"]

    def test_a_disabled_one_is_left_out(self) -> None:
        assert in_order(["fal", "poyo"], {"fal": Health(disabled=True)}, NOW) == ["poyo"]

    def test_a_trial_is_wanted_when_the_window_is_over(self) -> None:
        assert not wants_trial("fal", {"fal": BROKEN}, NOW)
        assert wants_trial("fal", {"fal": BROKEN}, NOW + FIRST_WINDOW_MS)
        assert not wants_trial("fal", {}, NOW)


class TestVerdict:
    @pytest.mark.parametrize("outcome", [Succeeded(), Rejected(RejectionKind.CONTENT, "no")])
    def test_for_it(self, outcome: Succeeded | Rejected) -> None:
        assert verdict(outcome) is True

    @pytest.mark.parametrize(
        "outcome",
        [
            Lost("-"),
            Failed(FailureKind.UNREACHABLE, "-"),
            Failed(FailureKind.PROVIDER_ERROR, "-"),
            Failed(FailureKind.REFUSED_US, "-"),
        ],
    )
    def test_against_it(self, outcome: Lost | Failed) -> None:
        assert verdict(outcome) is False

    @pytest.mark.parametrize(
        "outcome",
        [
            Submitted({}),
            Pending(),
            Unknown("-"),
            Failed(FailureKind.LIMITED, "-"),
            Failed(FailureKind.BAD_RESULT, "-"),
            Failed(FailureKind.NOT_CONFIGURED, "-"),
        ],
    )
    def test_neither(self, outcome: Submitted | Pending | Unknown | Failed) -> None:
        assert verdict(outcome) is None
