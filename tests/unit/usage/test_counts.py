"""What one entry counts for, and where."""

import pytest

from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.usage.counts import COUNTED, Counts, bucket_of, counts_of

BEFORE_MIDNIGHT_MS = 1_795_219_199_999  # 2026-11-20T23:59:59.999Z


def text(usage: dict[str, int], charge_micro_usd: int = 63) -> Entry:
    return text_entry("usr_1", "req_1", model="m", charge_micro_usd=charge_micro_usd, usage=usage, now_ms=0)


class TestCountsOf:
    def test_a_charge_is_a_task_and_its_price(self) -> None:
        entry = charge_entry("usr_1", "task_1", "test-image", 10_000, 0)
        assert counts_of(entry) == Counts(spent_micro_usd=10_000, tasks=1)

    def test_a_refund_is_money_back_and_no_task_less(self) -> None:
        entry = refund_of(charge_entry("usr_1", "task_1", "test-image", 10_000, 0), 0)
        assert counts_of(entry) == Counts(refunded_micro_usd=10_000)

    def test_a_text_request_has_all_its_input_cached_or_not(self) -> None:
        usage = {
            "input_tokens": 1,
            "cache_read_tokens": 10,
            "cache_write_tokens": 100,
            "cache_write_1h_tokens": 1_000,
            "output_tokens": 7,
            "reasoning_tokens": 5,  # a part of the output
        }
        assert counts_of(text(usage)) == Counts(
            spent_micro_usd=63,
            requests=1,
            input_tokens=1_111,
            output_tokens=7,
            cached_tokens=10,
            reasoning_tokens=5,
        )

    def test_counts_that_were_zero_are_not_in_the_entry(self) -> None:
        assert counts_of(text({}, 0)) == Counts(requests=1)

    def test_a_credit_is_no_usage(self) -> None:
        with pytest.raises(ValueError, match="credit_1"):
            counts_of(Entry("usr_1", "credit_1", EntryKind.CREDIT, 10_000, 0))

    def test_every_kind_is_counted_or_is_no_usage(self) -> None:
        moved = {EntryKind.CREDIT, EntryKind.DEBIT, EntryKind.TRANSFER, EntryKind.MARKUP}
        assert {*COUNTED, *moved, EntryKind.VOID} == set(EntryKind)


class TestBucket:
    @pytest.mark.parametrize(("later_ms", "day"), [(0, "2026-11-20"), (1, "2026-11-21")])
    def test_the_day_is_a_utc_day(self, later_ms: int, day: str) -> None:
        entry = charge_entry("usr_1", "task_1", "test-image", 1, BEFORE_MIDNIGHT_MS + later_ms)
        assert bucket_of(entry) == ("usr_1", day)


class TestView:
    @pytest.mark.parametrize(
        ("micro_usd", "cents"), [(0, 0), (1, 1), (10_000, 1), (10_001, 2), (220_000, 22)]
    )
    def test_parts_of_a_cent_are_rounded_up_once(self, micro_usd: int, cents: int) -> None:
        assert Counts(spent_micro_usd=micro_usd).view() == {
            "spentCents": cents,
            "spentMicroUsd": micro_usd,
            "refundedCents": 0,
            "refundedMicroUsd": 0,
            "requests": 0,
            "tasks": 0,
            "inputTokens": 0,
            "outputTokens": 0,
        }
