"""What each event of Stripe means."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.payments import (
    COMPLETED,
    EXPIRED,
    FAILED_LATER,
    PAID_LATER,
    PAYMENT,
    SESSION,
    event,
    session,
)
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.payments.amounts import read_cents
from tollgate.payments.events import Paid, ToCheck, read_event

OURS = {"tollgate_account": "usr_1", "tollgate_cents": "2500"}


def read(found: dict[str, Any], event_type: str = COMPLETED) -> Paid | ToCheck | None:
    """Read an event about an object."""
    return read_event(json.loads(event(found, event_type, "evt_7")))


class TestPaid:
    @pytest.mark.parametrize("event_type", [COMPLETED, PAID_LATER])
    def test_at_once_or_later(self, event_type: str) -> None:
        assert read(session("usr_1", 2_500), event_type) == Paid("usr_1", SESSION, PAYMENT, "evt_7", 2_500)

    @given(st.integers(500, 200_000), st.sampled_from([COMPLETED, PAID_LATER]), st.text(max_size=9))
    def test_whatever_event_tells_of_it_the_entry_has_one_id_and_the_amount(
        self, cents: int, event_type: str, event_id: str
    ) -> None:
        found = read_event(json.loads(event(session("usr_1", cents), event_type, event_id)))
        assert isinstance(found, Paid)
        assert found.entry(now_ms=9) == Entry(
            "usr_1",
            f"credit_{SESSION}",
            EntryKind.CREDIT,
            cents * 10_000,
            9,
            reference=PAYMENT,
            event_id=event_id,
        )


class TestAnotherShape:
    @pytest.mark.parametrize("amount", [True, "2500", 2_500.0, [2_500]])
    def test_only_a_whole_number_is_an_amount(self, amount: Any) -> None:
        one_cent = {"tollgate_account": "usr_1", "tollgate_cents": "1"}
        with pytest.raises(ValidationError):
            read(session("usr_1", 1, amount_total=amount, metadata=one_cent))


class TestNotPaid:
    @pytest.mark.parametrize(
        ("event_type", "changed"),
        [
            (COMPLETED, {"payment_status": "unpaid"}),
            (COMPLETED, {"payment_status": "no_payment_required", "amount_total": 0}),
            (FAILED_LATER, {"payment_status": "unpaid"}),
            (EXPIRED, {"payment_status": "unpaid"}),
            # Of another product of the same Stripe account
            (COMPLETED, {"metadata": {}}),
            (COMPLETED, {"metadata": None}),
            ("payment_intent.succeeded", {}),
        ],
    )
    def test_moves_nothing(self, event_type: str, changed: dict[str, Any]) -> None:
        assert read(session("usr_1", 2_500, **changed), event_type) is None

    def test_what_is_no_session_of_stripe_is_a_fault(self) -> None:
        with pytest.raises(ValidationError):
            read({"id": SESSION})


class TestToCheck:
    @pytest.mark.parametrize(
        "changed",
        [
            {"currency": "eur"},
            {"currency": None},
            {"amount_total": 2_975},  # with a tax
            {"amount_total": 2_000},  # with a discount
            {"amount_total": None},
            {"metadata": {"tollgate_account": "usr_1"}},
            {"metadata": OURS | {"tollgate_cents": "02500"}},
        ],
    )
    def test_another_amount_than_we_asked_for(self, changed: dict[str, Any]) -> None:
        assert read(session("usr_1", 2_500, **changed)) == ToCheck("other_amount", SESSION, "usr_1")

    def test_a_refund_is_found_by_its_payment(self) -> None:
        charge = {"id": "ch_1", "payment_intent": PAYMENT, "metadata": OURS}
        assert read(charge, "charge.refunded") == ToCheck("reversed", PAYMENT, "usr_1")

    def test_a_refund_of_another_product_is_not_ours(self) -> None:
        assert read({"id": "ch_1", "payment_intent": PAYMENT, "metadata": {}}, "charge.refunded") is None

    def test_a_dispute_does_not_say_whose_it_is(self) -> None:
        dispute: dict[str, Any] = {"id": "dp_1", "payment_intent": None, "metadata": {}}
        assert read(dispute, "charge.dispute.created") == ToCheck("reversed", "dp_1", None)


class TestAmounts:
    @given(st.integers(5, 2_000))
    def test_whole_dollars_within_the_bounds_are_cents(self, usd: int) -> None:
        assert read_cents(f" {usd} ") == usd * 100

    @pytest.mark.parametrize(
        "text", ["", "4", "2001", "10.50", "-10", "+10", "1e2", "ten", "1" * 5000, "²5", "٢٥"]
    )
    def test_all_else_is_refused_by_name(self, text: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            read_cents(text)
        assert refused.value.problems[0].path == "/amount"
