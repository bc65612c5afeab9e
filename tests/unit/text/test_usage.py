from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.usage import (
    ReasoningCount,
    Usage,
    chat_usage,
    latest,
    messages_usage,
    read_chat_usage,
    read_messages_usage,
)

COUNTS = st.integers(0, 10_000)
USAGES = st.builds(Usage, st.integers(1, 10_000), COUNTS, COUNTS, COUNTS, COUNTS, st.just(0))


def read(vendor: str, reported: dict[str, Any]) -> Usage | None:
    return read_chat_usage(reported, VENDORS[vendor].dialect.reasoning_count)


REPORTED: dict[str, tuple[str, dict[str, Any], Usage]] = {
    "cached, written and reasoning inside": (
        "openai",
        {
            "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 25},
            "completion_tokens_details": {"reasoning_tokens": 12},
        },
        Usage(35, 30, 40, 25, 0, 12),
    ),
    "hits and misses": (
        "deepseek", {"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}, Usage(36, 30, 64)
    ),
    "thoughts in the total only": ("google", {"total_tokens": 180}, Usage(100, 80, reasoning_tokens=50)),
    "no thoughts": ("google", {"total_tokens": 130}, Usage(100, 30)),
    "reasoning beside the completion": (
        "xai",
        {
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 60},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(40, 50, 60, reasoning_tokens=20),
    ),
    "cached tokens above the prompt stand beside it": (
        "xai", {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}, Usage(10, 30, 60)
    ),
    "cached tokens at the top": ("moonshot", {"cached_tokens": 80}, Usage(20, 30, 80)),
    "cache creation in the prompt details": (
        "dashscope",
        {"prompt_tokens_details": {"cached_tokens": 10, "cache_creation_input_tokens": 50}},
        Usage(40, 30, 10, 50),
    ),
    "a name of its own for cached tokens": ("mistral", {"num_cached_tokens": 64}, Usage(36, 30, 64)),
}  # fmt: skip


class TestReadChatUsage:
    @pytest.mark.parametrize(("vendor", "reported", "usage"), REPORTED.values(), ids=REPORTED)
    def test_each_vendor_counts_in_its_way(self, vendor: str, reported: dict[str, Any], usage: Usage) -> None:
        totals = {"prompt_tokens": 100, "completion_tokens": 30}
        assert read(vendor, {**totals, **reported}) == usage

    @pytest.mark.parametrize("vendor", ["zai", "minimax", "cohere", "xiaomi", "meta", "tencent"])
    def test_the_others_count_as_openai_does(self, vendor: str) -> None:
        details = {"cached_tokens": 10}
        reported = {"prompt_tokens": 100, "completion_tokens": 30, "prompt_tokens_details": details}
        assert read(vendor, reported) == Usage(90, 30, 10)

    @pytest.mark.parametrize(
        "reported", [None, "x", [], {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": -3}]
    )
    def test_what_says_nothing_is_no_usage(self, reported: Any) -> None:
        assert read_chat_usage(reported, ReasoningCount.INSIDE) is None

    def test_absurd_counts_are_no_counts(self) -> None:
        reported = {"prompt_tokens": 12, "completion_tokens": 10**15, "prompt_tokens_details": "none"}
        assert read_chat_usage(reported, ReasoningCount.INSIDE) == Usage(12, 0)

    @given(usage=USAGES)
    def test_what_we_say_reads_the_same(self, usage: Usage) -> None:
        found = read_chat_usage(chat_usage(usage), ReasoningCount.INSIDE)
        written = usage.cache_write_tokens + usage.cache_write_1h_tokens
        assert found == Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, written)


class TestReadMessagesUsage:
    def test_compaction_is_billed_beside_the_total(self) -> None:
        # anthropic.types.beta.BetaUsage: its tokens "are not included in the top-level usage fields".
        iterations = [
            {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500},
            {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000},
        ]
        reported = {"input_tokens": 23_000, "output_tokens": 1_000, "iterations": iterations}
        assert read_messages_usage(reported) == Usage(203_000, 4_500)

    def test_its_counts_are_disjoint(self) -> None:
        reported = {
            "input_tokens": 25,
            "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 40,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
            "output_tokens": 15,
            "output_tokens_details": {"thinking_tokens": 6},
        }
        assert read_messages_usage(reported) == Usage(25, 15, 40, 10, 20, 6)

    def test_nothing_said(self) -> None:
        assert read_messages_usage({"input_tokens": None}) is None

    @given(usage=USAGES)
    def test_what_we_say_reads_the_same(self, usage: Usage) -> None:
        assert read_messages_usage(messages_usage(usage)) == usage


class TestLatest:
    def test_the_end_replaces_the_output_and_keeps_what_it_does_not_repeat(self) -> None:
        started = Usage(25, 1, 40, 10, 20)
        assert latest(started, Usage(0, 89)) == Usage(25, 89, 40, 10, 20)

    def test_the_end_may_know_the_input_that_the_start_did_not(self) -> None:
        assert latest(Usage(0, 1), Usage(25, 89, 40)) == Usage(25, 89, 40)

    def test_a_sum_of_writes_at_the_end_does_not_count_the_hour_twice(self) -> None:
        assert latest(Usage(5, 1, 0, 10, 20), Usage(5, 9, 0, 30, 0)) == Usage(5, 9, 0, 10, 20)

    @given(usage=USAGES)
    def test_a_repetition_changes_nothing(self, usage: Usage) -> None:
        assert latest(usage, usage) == usage
