"""What is claimed back of a payment, whatever order its events come in."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.money import micro_usd_of_cents
from tollgate.payments.claims import MAX_CLAIMS, Claim, ClaimKind, Payment, TooManyClaimsError

CENTS = 2_500
PAID = Payment("pi_1").credited("usr_1", "credit_cs_1", CENTS)


def total(cents: int, at_s: int) -> tuple[str, Claim]:
    return "ch_1", Claim(ClaimKind.TOTAL, cents, at_s, is_open=True)


def refund(name: str, cents: int, at_s: int, *, is_open: bool = True) -> tuple[str, Claim]:
    return name, Claim(ClaimKind.REFUND, cents, at_s, is_open=is_open)


def dispute(cents: int, at_s: int, *, is_open: bool = True) -> tuple[str, Claim]:
    return "dp_1", Claim(ClaimKind.DISPUTE, cents, at_s, is_open=is_open)


WARNING = ("issfr_1", Claim(ClaimKind.WARNING, 99_999_999, 5, is_open=True))


def wanted_cents(*told: tuple[str, Claim], payment: Payment = PAID) -> int:
    """Return what is wanted back once all was told."""
    for claim_id, claim in told:
        payment = payment.with_claim(claim_id, claim)
    return payment.wanted_micro_usd // micro_usd_of_cents(1)


@pytest.mark.parametrize(
    ("told", "cents"),
    [
        ([], 0),
        # Two partial refunds, told by the charge's total, by themselves, and by both.
        ([total(500, 1), total(800, 2)], 800),
        ([refund("re_1", 500, 1), refund("re_2", 300, 2)], 800),
        ([total(500, 1), refund("re_1", 500, 1), total(800, 2), refund("re_2", 300, 2)], 800),
        # The first of them failed after all.
        ([total(800, 2), refund("re_1", 500, 9, is_open=False)], 300),
        ([refund("re_1", 500, 1), refund("re_1", 500, 9, is_open=False), refund("re_2", 300, 2)], 300),
        # And was made once more: the total of then knows that it failed.
        ([total(500, 1), refund("re_1", 500, 2, is_open=False), total(500, 3), refund("re_3", 500, 3)], 500),
        ([dispute(CENTS, 1), dispute(CENTS, 1), dispute(CENTS, 2)], CENTS),
        ([dispute(CENTS, 1), dispute(CENTS, 2, is_open=False)], 0),
        # In the same second.
        ([dispute(CENTS, 1), dispute(CENTS, 1, is_open=False)], 0),
        # Won, and taken once more by the bank.
        ([dispute(CENTS, 1), dispute(CENTS, 2, is_open=False), dispute(CENTS, 3)], CENTS),
        # Never more than was paid.
        ([total(1_000, 1), dispute(2_000, 2)], CENTS),
        ([WARNING], CENTS),
        ([WARNING, total(CENTS, 6), dispute(CENTS, 7)], CENTS),
    ],
)
def test_it_is_the_same_in_every_order(told: list[tuple[str, Claim]], cents: int) -> None:
    for order in permutations(told):
        assert wanted_cents(*order) == cents


CLAIMS = st.one_of(
    st.builds(total, st.integers(0, 3_000), st.integers(0, 9)),
    st.builds(
        refund,
        st.sampled_from(["re_1", "re_2"]),
        st.integers(0, 3_000),
        st.integers(0, 9),
        is_open=st.booleans(),
    ),
    st.builds(dispute, st.integers(0, 3_000), st.integers(0, 9), is_open=st.booleans()),
    st.just(WARNING),
)


@given(st.lists(CLAIMS, max_size=8), st.randoms(use_true_random=False))
def test_repeats_and_order_change_nothing_and_no_more_than_was_paid_is_wanted(
    told: list[tuple[str, Claim]], random: Random
) -> None:
    again = told * 2
    random.shuffle(again)
    assert wanted_cents(*told) == wanted_cents(*again)
    assert 0 <= wanted_cents(*told) <= CENTS
    # As well where the credit comes last.
    early = Payment("pi_1")
    for claim_id, claim in again:
        early = early.with_claim(claim_id, claim)
    assert early.wanted_micro_usd == 0
    assert wanted_cents(payment=early.credited("usr_1", "credit_cs_1", CENTS)) == wanted_cents(*told)


def test_what_an_operator_leaves_to_the_customer_stays_theirs_until_something_new_comes() -> None:
    payment = PAID.with_claim(*total(500, 1)).with_claim(*dispute(1_000, 1)).waived()
    assert wanted_cents(payment=payment) == 0
    assert wanted_cents(total(500, 1), dispute(1_000, 1), payment=payment) == 0
    # Another refund counts by itself; a dispute that goes on is a new matter.
    assert wanted_cents(total(800, 2), payment=payment) == 300
    assert wanted_cents(dispute(1_000, 2), payment=payment) == 1_000


def test_a_row_holds_all_of_it() -> None:
    payment = PAID.with_claim(*total(500, 1)).with_claim(*dispute(1_000, 1)).waived().moved(7)
    assert Payment.from_item({"idempotency_id": "payment#pi_1", **payment.to_item()}) == payment


def test_claims_are_bounded() -> None:
    payment = PAID
    for number in range(MAX_CLAIMS):
        payment = payment.with_claim(*refund(f"re_{number}", 1, 1))
    assert payment.with_claim(*refund("re_0", 1, 2)) != payment
    with pytest.raises(TooManyClaimsError):
        payment.with_claim(*refund("re_new", 1, 1))
