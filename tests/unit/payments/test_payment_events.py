"""What each event of Stripe means."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.payments import (
    COMPLETED,
    EXPIRED,
    FAILED_LATER,
    PAID_LATER,
    PAYMENT,
    SESSION,
    charge,
    dispute,
    event,
    refund,
    session,
    warning,
)
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.payments.amounts import read_cents
from tollgate.payments.claims import Claim, ClaimKind, Payment
from tollgate.payments.events import Claimed, ManualCheck, Paid, change_required_by, read_event

OURS = {"tollgate_account": "usr_1", "tollgate_cents": "2500"}


AT_S = 1_790_000_000


def read(found: dict[str, Any], event_type: str = COMPLETED) -> Paid | Claimed | ManualCheck | None:
    """Read an event about an object."""
    return change_required_by(read_event(json.loads(event(found, event_type, "evt_7", AT_S))))


class TestPaid:
    @pytest.mark.parametrize("event_type", [COMPLETED, PAID_LATER])
    def test_at_once_or_later(self, event_type: str) -> None:
        assert read(session("usr_1", 2_500), event_type) == Paid("usr_1", SESSION, PAYMENT, "evt_7", 2_500)

    @given(
        st.integers(500, 200_000),
        st.sampled_from([COMPLETED, PAID_LATER]),
        st.from_regex(r"[A-Za-z0-9_]{1,255}", fullmatch=True),
    )
    def test_whatever_event_tells_of_it_the_entry_has_one_id_and_the_amount(
        self, cents: int, event_type: str, event_id: str
    ) -> None:
        found = change_required_by(
            read_event(json.loads(event(session("usr_1", cents), event_type, event_id)))
        )
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


class TestWithTax:
    TAXED = {  # noqa: RUF012 - read only
        "amount_total": 2_975,
        "automatic_tax": {"enabled": True, "status": "complete"},
        "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 475},
    }

    def test_the_balance_gets_the_price_and_the_audit_log_names_the_tax(self) -> None:
        found = read(session("usr_1", 2_500, **self.TAXED))
        assert found == Paid("usr_1", SESSION, PAYMENT, "evt_7", 2_500, paid_cents=2_975)
        assert isinstance(found, Paid)
        assert found.entry(9).amount_micro_usd == 25_000_000

    @pytest.mark.parametrize(
        "changed",
        [
            {"automatic_tax": {"enabled": False}},
            {"automatic_tax": None},
            {"amount_total": 2_974},
            {"total_details": {"amount_tax": 474}},
            {"total_details": None},
        ],
        ids=["off", "none", "discount", "other-tax", "no-details"],
    )
    def test_any_other_total_is_checked_by_a_person(self, changed: dict[str, Any]) -> None:
        assert isinstance(read(session("usr_1", 2_500, **{**self.TAXED, **changed})), ManualCheck)

    @given(st.integers(500, 200_000), st.integers(0, 60_000), st.data())
    def test_refunds_take_the_share_of_the_credit_and_all_of_it_in_the_end(
        self, cents: int, tax: int, data: st.DataObject
    ) -> None:
        whole = cents + tax
        first = data.draw(st.integers(1, whole))
        payment = Payment(PAYMENT).credited("usr_1", "credit_1", cents, whole if tax else 0)
        part = payment.with_claim("re_1", Claim(ClaimKind.REFUND, first, AT_S, is_open=True))
        # Never more than the share, and less by at most a cent.
        assert 0 <= first * cents / whole - part.wanted_micro_usd / 10_000 < 1
        rest = Claim(ClaimKind.REFUND, whole - first, AT_S, is_open=True)
        assert part.with_claim("re_2", rest).wanted_micro_usd == cents * 10_000
        warned = payment.with_claim("issfr_1", Claim(ClaimKind.WARNING, 99_999_999, AT_S, is_open=True))
        assert warned.wanted_micro_usd == cents * 10_000


class TestAnotherShape:
    @pytest.mark.parametrize("amount", [True, "2500", 2_500.0, [2_500]])
    def test_only_a_whole_number_is_an_amount(self, amount: Any) -> None:
        one_cent = {"tollgate_account": "usr_1", "tollgate_cents": "1"}
        with pytest.raises(InvalidInputError):
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
        with pytest.raises(InvalidInputError):
            read({"id": SESSION})


class TestToCheck:
    @pytest.mark.parametrize(
        "changed",
        [
            {"currency": "eur"},
            {"currency": None},
            {"amount_total": 2_975},  # with a tax
            {"amount_total": 2_000},  # with a discount
            # Below and above what top-ups are offered between.
            {"amount_total": 499, "metadata": OURS | {"tollgate_cents": "499"}},
            {"amount_total": 200_001, "metadata": OURS | {"tollgate_cents": "200001"}},
            {"amount_total": None},
            {"metadata": {"tollgate_account": "usr_1"}},
            {"metadata": OURS | {"tollgate_cents": "02500"}},
        ],
    )
    def test_another_amount_than_we_asked_for(self, changed: dict[str, Any]) -> None:
        assert read(session("usr_1", 2_500, **changed)) == ManualCheck("other_amount", SESSION, "usr_1")


def claim(found: dict[str, Any], event_type: str) -> Claim:
    """Return what an event claims of the payment."""
    claimed = read(found, event_type)
    assert isinstance(claimed, Claimed)
    assert claimed.payment_id == PAYMENT
    return claimed.claim


class TestClaimed:
    def test_a_refund_by_the_total_of_its_charge(self) -> None:
        total = Claim(ClaimKind.TOTAL, 700, AT_S, is_open=True)
        assert read(charge("usr_1", 700), "charge.refunded") == Claimed(PAYMENT, "ch_1", total, "usr_1")

    def test_a_refund_of_another_product_is_not_ours(self) -> None:
        assert read(charge(None, 700), "charge.refunded") is None

    @pytest.mark.parametrize(
        ("event_type", "status", "is_open"),
        [
            ("refund.created", "pending", True),
            ("refund.updated", "succeeded", True),
            ("refund.created", None, True),
            ("refund.updated", "canceled", False),
            ("charge.refund.updated", "failed", False),
            ("refund.failed", "failed", False),
        ],
    )
    def test_a_refund_by_itself_until_it_fails(self, event_type: str, status: str, is_open: bool) -> None:
        found = refund(700, status=status)
        assert claim(found, event_type) == Claim(ClaimKind.REFUND, 700, AT_S, is_open=is_open)

    @pytest.mark.parametrize(
        ("event_type", "status", "is_open"),
        [
            ("charge.dispute.created", "needs_response", True),
            ("charge.dispute.created", "warning_needs_response", True),
            ("charge.dispute.funds_withdrawn", "needs_response", True),
            ("charge.dispute.updated", "under_review", True),
            ("charge.dispute.closed", "lost", True),
            ("charge.dispute.closed", "won", False),
            ("charge.dispute.closed", "warning_closed", False),
            ("charge.dispute.closed", "prevented", False),
            ("charge.dispute.funds_reinstated", "under_review", False),
        ],
    )
    def test_a_dispute_until_it_is_won(self, event_type: str, status: str, is_open: bool) -> None:
        found = dispute(2_500, status=status)
        assert claim(found, event_type) == Claim(ClaimKind.DISPUTE, 2_500, AT_S, is_open=is_open)

    def test_in_another_currency_all_of_the_payment(self) -> None:
        assert claim(dispute(1, currency="jpy"), "charge.dispute.created").cents == 99_999_999

    def test_a_warning_of_fraud_claims_all_of_it(self) -> None:
        found = claim(warning(), "radar.early_fraud_warning.created")
        assert found == Claim(ClaimKind.WARNING, 99_999_999, AT_S, is_open=True)

    @pytest.mark.parametrize(
        ("found", "event_type", "reference", "account_id"),
        [
            (dispute(1, payment_intent=None), "charge.dispute.created", "dp_1", None),
            (warning(payment_intent=None), "radar.early_fraud_warning.created", "issfr_1", None),
            (charge("usr_1", 1, payment_intent=None), "charge.refunded", "ch_1", "usr_1"),
        ],
    )
    def test_of_no_payment_it_is_for_people(
        self, found: dict[str, Any], event_type: str, reference: str, account_id: str | None
    ) -> None:
        assert read(found, event_type) == ManualCheck("reversed", reference, account_id)


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
